"""Sessions that claim things of tasks, and the fold of claims, names and clusters alone, step by step."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from memory_assets.identifiers import sha256_hex
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.entries import EntryMaterialized, EvidenceRecord
from memory_assets.projections import fold as folding
from memory_assets.projections.commands import close_commands, open_commands, sessions_named
from memory_assets.projections.nodes import touch
from memory_assets.projections.task_tables.claims import close_touched_tasks, open_touched_tasks
from memory_assets.projections.task_tables.clusters import Touched, touched_clusters
from memory_assets.projections.task_tables.task_names import fold_names
from memory_assets.projections.task_tables.task_words import fold_task_words
from memory_assets.tasks.model import Cluster, Declared, Mention, Outcome, PersonStatement, TaskClaim
from memory_assets.tasks.resolver import finish, follow
from memory_assets_tests.projections.story import STARTED, VERSIONS, Remark, Story

TABLES = ("task_claims", "task_names", "name_likenesses", "artifact_references", "task_words")


class Claims:
    """A store of which only the claims, names and clusters are folded, and from where the next fold goes on."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.since = 0

    def fold(self, events: Iterable[NewEvent] = ()) -> list[Touched]:
        """Append these events, fold what is behind the last fold, and say what it touched."""
        EventLog(self.database).append(list(events))
        with self.database.writing() as connection:
            folding._configure(connection, VERSIONS)
            rows = connection.execute(
                "SELECT DISTINCT session_id FROM events WHERE seq > ? AND session_id IS NOT NULL ORDER BY ALL", [self.since]
            ).fetchall()
            open_commands(connection)
            open_touched_tasks(connection)
            sessions = sorted({row[0] for row in rows}.union(sessions_named(connection, self.since)))
            if sessions:
                folding._fold_scope(connection, sessions, VERSIONS)
            fold_task_words(connection, self.since)
            fold_names(connection)
            touched = list(touched_clusters(connection, VERSIONS["session_vectorized"]))
            close_touched_tasks(connection)
            close_commands(connection)
            self.since = connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchall()[0][0]
        return touched

    def everything(self) -> list[Cluster]:
        """Every cluster there is."""
        with self.database.writing() as connection:
            open_touched_tasks(connection)
            touch(connection, connection.execute("SELECT project_key, name FROM task_names").fetchall())
            touched = list(touched_clusters(connection, VERSIONS["session_vectorized"]))
            close_touched_tasks(connection)
        return [cluster for one in touched for cluster in one.resolved]

    def rows(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        with self.database.reading() as connection:
            return connection.execute(statement, list(parameters)).fetchall()

    def tables(self) -> dict[str, list[str]]:
        """What the folds made, in an order of its own."""
        return {table: sorted(map(repr, self.rows(f"SELECT * FROM {table}"))) for table in TABLES}


def names_of(cluster: Cluster) -> frozenset[str]:
    """The names that something is said under."""
    found = set()
    for item in cluster.items:
        match item:
            case TaskClaim(name=name) | Mention(name=name) | PersonStatement(said=Declared(name=name)):
                found.add(name)
            case PersonStatement():
                pass
    return frozenset(found)


def outcomes(resolved: Sequence[Cluster], followed: Sequence[Cluster] = ()) -> dict[frozenset[tuple[str, str]], list[str]]:
    """What follows for each cluster, by its names."""
    told = [(cluster, follow(cluster)) for cluster in resolved]
    found = {key: (blocker,) for _, one in told for key, blocker in one.mentions.items()}
    for cluster in followed:
        found.update({key: (blocker,) for key, blocker in follow(cluster).mentions.items()})
    return {
        frozenset((cluster.project_key, name) for name in names_of(cluster)): list(map(_shown, finish(one, found)))
        for cluster, one in told
    }


def _shown(outcome: Outcome) -> str:
    source = outcome.source
    source_id = source.claim_id if isinstance(source, TaskClaim) else source.event_id
    return repr((outcome.result, source_id, outcome.basis, outcome.number))


def with_history(
    events: list[NewEvent], title: str, history: Sequence[tuple[str, int]], quotes: Sequence[tuple[int, str]]
) -> list[NewEvent]:
    """The events with another entry of this title: with a history, and with these quotes of whole messages."""
    found = []
    for event in events:
        payload = event.payload
        if isinstance(payload, EntryMaterialized) and payload.title == title:
            told = payload.model_dump(mode="json")
            told["history"] = [{"status": status, "message_index": index} for status, index in history]
            told["evidence"] = [_quote(index, text).model_dump(mode="json") for index, text in quotes]
            event = dataclasses.replace(event, payload=EntryMaterialized.model_validate(told))
        found.append(event)
    return found


def _quote(index: int, text: str) -> EvidenceRecord:
    return EvidenceRecord(
        message_index=index,
        claimed_message_index=index,
        quote=text,
        quote_hash=sha256_hex(text),
        span_start=0,
        span_end=len(text),
        segments=[(0, len(text))],
        matched_text=text,
        method="exact",
        confidence=1.0,
    )


def tell(name: str, day: int, *remarks: Remark, project: str | None = "hourglass") -> tuple[Story, list[NewEvent]]:
    """A session that says each of these titles in a message of its own."""
    story = Story(name, project=project, started=STARTED + timedelta(days=day))
    placed = [dataclasses.replace(remark, message_index=index) for index, remark in enumerate(remarks)]
    return story, story.tell([f"{index}: {remark.title}" for index, remark in enumerate(remarks)], placed)


def claim(title: str, **more: Any) -> Remark:
    """An entry that claims something of a task."""
    return Remark(title, 0, "task", **more)
