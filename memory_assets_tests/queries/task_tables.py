"""Tables of tasks, filled row by row: what folds make, without the folds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb

from memory_assets.identifiers import sha256_hex, typed_id
from memory_assets.log.links import relink
from memory_assets.tasks.canonical import (
    artifact_id,
    condition_id,
    condition_key,
    name_hash,
    normalize,
    project_key,
    task_id,
    task_key,
)
from memory_assets.tasks.likeness import tokens

STARTED = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)


class TaskTables:
    """Writes rows of tasks, conditions, artifacts, edges, quotes, outcomes and words."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        self._seq = 0

    def task(
        self,
        title: str,
        status: str = "pending",
        *,
        priority: str | None = None,
        project: str | None = "shop",
        requested: str | None = None,
        days: float = 0,
        status_days: float | None = None,
        tokens_of: Sequence[int] | None = None,
        done_basis: str | None = None,
        done_named: str | None = None,
    ) -> str:
        """A task that was last spoken of ``days`` after the start; its id."""
        name, scope = normalize(title), project_key(project)
        key = task_key(scope, name)
        entity = task_id(key)
        state = {"status": status, "priority": priority, "requested_status": requested, "claims": 1}
        state |= {"done_basis": done_basis, "done_named": done_named}
        self._entity(entity, "task", key, title, state, project, days)
        self.connection.execute(
            "INSERT INTO task_names VALUES (?, ?, ?, ?, '', ?, [], ?)",
            [
                scope,
                name,
                entity,
                condition_id(condition_key(scope, name)),
                name_hash(name),
                list(tokens_of if tokens_of is not None else tokens(name)),
            ],
        )
        initial = "in_progress" if status in ("done", "cancelled") else status
        self.outcome(
            entity,
            "task_created",
            {"title": title, "initial_status": initial, "requested_status": requested},
            days=days if status_days is None else status_days,
        )
        return entity

    def session(self, session_id: str, days: float, *, project: str | None = "shop") -> None:
        """A session that began so many days after the start."""
        at = _at(days)
        self.connection.execute(
            """INSERT INTO sessions BY NAME SELECT ? AS session_id, 1 AS revision, 'chat.v1' AS source_kind, ? AS source_id,
                 [] AS source_uris, '' AS content_hash, '' AS parser_version, ? AS project, ?::TIMESTAMP AS started_at,
                 ?::TIMESTAMP AS ended_at, 0 AS message_count, 0 AS char_len, '' AS ingest_event_id, '' AS chain_id,
                 'vectorized' AS status, '{}' AS redactions_json""",
            [session_id, session_id, project, at, at],
        )

    def condition(
        self,
        text: str,
        status: str = "open",
        *,
        project: str | None = "shop",
        placeholder: bool = False,
        candidates: Sequence[tuple[str, str, float]] = (),
    ) -> str:
        """A condition; its id."""
        key = condition_key(project_key(project), normalize(text))
        entity = condition_id(key)
        told = [{"task_id": one, "title": title, "score": score, "method": "lexical"} for one, title, score in candidates]
        self._entity(
            entity, "condition", key, text, {"status": status, "auto_placeholder": placeholder, "candidates": told}, project, 0
        )
        return entity

    def artifact(self, key: str, title: str, kind: str = "gh_pr", status: str = "open", *, project: str | None = "shop") -> str:
        """An artifact; its id."""
        entity = artifact_id(key)
        self._entity(entity, "artifact", key, title, {"status": status, "kind": kind, "raw": title}, project, 0)
        return entity

    def alias(self, entity: str, name: str, *, kind: str = "task", project: str = "shop", day: float = 1) -> str:
        """Another name of an entity; the id that it would have."""
        key = f"{'cond' if kind == 'condition' else kind}:{project}:{name}"
        self.connection.execute("INSERT INTO entity_aliases VALUES (?, ?, ?, false, ?)", [kind, key, entity, _at(day)])
        return (condition_id if kind == "condition" else task_id)(key)

    def blocked(self, task: str, blocker: str, *, raw: str, suggested: bool = False, days: float = 0) -> None:
        """A task waits for something."""
        relation = "blocked_by_suggested" if suggested else "blocked_by"
        self._edge("entity", task, relation, blocker, {"raw_text": raw, "mode": "suggest" if suggested else "replace"}, days)

    def resolves(self, condition: str, entity: str) -> None:
        """A condition turned out to be something."""
        self._edge("entity", condition, "resolves_to", entity, {"resolved_by": "title"}, 0)

    def quote(self, task: str, session_id: str, index: int, text: str, start: int = 0, days: float = 0) -> str:
        """A quote of an entry that speaks of a task; the entry's id."""
        entry = typed_id("ent", session_id, index, text)
        end = start + len(text)
        self.connection.execute(
            """INSERT INTO entries BY NAME SELECT ? AS entry_id, ?::TIMESTAMP AS created_ts, 'task' AS entry_type, ? AS title,
                 '{}' AS content_json, 'verified' AS stage, 'active' AS status, '[]' AS evidence_json, '' AS canonical_key,
                 ?::TIMESTAMP AS created_at, ? AS session_id, 'shop' AS project, true AS evidence_aligned, 1.0 AS confidence,
                 ? AS message_index, 0 AS ordinal, 'ev_x' AS source_event_id, '{}' AS meta_json""",
            [entry, _at(days), text, _at(days), session_id, index],
        )
        self.connection.execute(
            """INSERT INTO evidence_spans BY NAME SELECT ? AS span_id, ? AS entry_id, 0 AS ordinal, ? AS session_id,
                 'ev_x' AS event_id, ? AS message_index, ? AS claimed_message_index, ? AS quote, '' AS quote_hash,
                 ? AS span_start, ? AS span_end, ?::JSON AS segments_json, ? AS matched_text, 'exact' AS match_method,
                 1.0 AS similarity, 1.0 AS confidence, false AS ambiguous, 0 AS alternative_count, false AS relocated,
                 false AS critical, 'a1' AS aligner_version""",
            [f"spn_{entry}", entry, session_id, index, index, text, start, end, json.dumps([[start, end]]), text],
        )
        self.connection.execute(
            """INSERT INTO task_claims BY NAME SELECT ? AS claim_id, ? AS entry_id, 'shop' AS project_key, 'shop' AS project,
                 '' AS name, ? AS title, []::VARCHAR[] AS blocked_by, []::VARCHAR[] AS blocker_names, true AS evidence_aligned,
                 true AS sound, 'verified' AS stage, false AS contested, ?::TIMESTAMP AS occurred_at, ? AS session_id,
                 'ch' AS chain_id, ? AS message_index, 0 AS ordinal, 0 AS step, 0 AS evidence_ordinal,
                 'ev_x' AS source_event_id""",
            [entry, entry, text, _at(days), session_id, index],
        )
        self._edge("entry", entry, "evidence_of", task, {"message_index": index, "span": [start, end]}, days)
        return entry

    def outcome(
        self,
        entity: str,
        event_type: str,
        details: dict[str, Any],
        *,
        source: str = "",
        session: tuple[str, int] | None = None,
        days: float = 0,
    ) -> str:
        """Something that became of an entity, behind what became of it before; its event's id."""
        kind = "condition" if event_type.startswith("condition") else "task"
        self._seq += 1
        event = typed_id("ev", self._seq, entity, event_type)
        payload = json.dumps({f"{kind}_id": entity, "basis": "b", **details}, ensure_ascii=False)
        at = _at(days)
        self.connection.execute(
            """INSERT INTO events BY NAME SELECT (SELECT coalesce(max(seq), 0) + 1 FROM events) AS seq, ? AS event_id,
                 ? AS dedupe_key, ?::TIMESTAMP AS ts, ? AS event_type, 'pipeline' AS actor, ?::JSON AS payload_json,
                 ? AS checksum, ?::TIMESTAMP AS created_at, ?::TIMESTAMP AS occurred_at, 1 AS payload_version""",
            [event, event, at, event_type, payload, sha256_hex(payload), at, at],
        )
        relink(self.connection)
        session_id, index = session or (None, None)
        self.connection.execute(
            """INSERT INTO task_outcomes SELECT ?, ?, ?, 'shop', '', ?,
                 (SELECT count(*) FROM task_outcomes WHERE entity_id = ?), ?, ?, ?, ?""",
            [event, entity, kind, event_type, entity, source, session_id, index, at],
        )
        return event

    def word(
        self, event_type: str, entity: str, *, other: str | None = None, by: str = "kim", note: str = "", days: float = 0
    ) -> str:
        """What a person said; its event's id."""
        self._seq += 1
        event = typed_id("ev", self._seq, "word")
        self.connection.execute(
            "INSERT INTO task_words VALUES (?, ?, ?, ?, ?, ?, ?, '{}')", [event, event_type, entity, other, by, note, _at(days)]
        )
        return event

    def names(
        self, artifact: str, key: str, session_id: str, index: int, span: tuple[int, int] | None, days: float = 0
    ) -> None:
        """A session names an artifact."""
        start, end = span or (None, None)
        self.connection.execute(
            """INSERT INTO artifact_references VALUES (?, 0, ?, ?, 'gh_pr', ?, ?, false, false, 'shop', ?, 'ch', ?, ?, 0, ?, ?,
                 'exact', 'ev_x')""",
            [typed_id("ent", session_id, index, key), key, artifact, key, key, session_id, _at(days), index, start, end],
        )

    def cycle(self, *tasks: str) -> str:
        """Tasks that wait for each other."""
        cycle = typed_id("cyc", *sorted(tasks))
        self.connection.execute("INSERT INTO blocker_cycles VALUES (?, ?, NULL)", [cycle, sorted(tasks)])
        return cycle

    def _entity(
        self, entity: str, kind: str, key: str, title: str, state: dict[str, Any], project: str | None, days: float
    ) -> None:
        values = [entity, kind, key, title, json.dumps(state, ensure_ascii=False), normalize(title)]
        self.connection.execute(
            """INSERT INTO entities VALUES (?, ?, ?, ?, 'verified', 'active', ?, ?, '', ?, ?, ?, ?, 'b')""",
            [*values, _at(0), _at(days), project, _at(days)],
        )
        self.connection.execute("INSERT INTO entity_aliases VALUES (?, ?, ?, true, ?)", [kind, key, entity, _at(0)])

    def _edge(self, src_type: str, src: str, relation: str, dst: str, meta: dict[str, Any], days: float) -> None:
        self.connection.execute(
            "INSERT INTO edges VALUES (?, ?, ?, ?, 'entity', ?, ?, ?, 'ev_x')",
            [
                typed_id("edg", src, relation, dst),
                src_type,
                src,
                relation,
                dst,
                json.dumps(meta, ensure_ascii=False),
                _at(days),
            ],
        )


def _at(days: float) -> datetime:
    return (STARTED + timedelta(days=days)).replace(tzinfo=None)
