"""The log as it stood at one moment, read in parts while others go on writing.

Nothing of a log is ever changed, so its beginning up to an event is a snapshot: which events of it may be read is decided once,
and no connection is held between two parts. Every link is verified on the way, for a log that was changed is no export.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memory_assets.errors import NotFoundError
from memory_assets.log.errors import LogTamperedError, StoreError
from memory_assets.log.event_log import COLUMNS
from memory_assets.log.events import StoredEvent
from memory_assets.log.links import LINKED_COLUMNS, LINKED_ROW, has_link, link_of
from memory_assets.log.payloads.answers import AnswerRecorded
from memory_assets.log.payloads.builds import BuildFinished, BuildStarted
from memory_assets.log.payloads.court import CourtPolicyActivated
from memory_assets.log.payloads.forgetting import SessionForgotten, SessionUnforgotten, TextForgotten, TextUnforgotten
from memory_assets.log.payloads.log_end import LogEndAccepted
from memory_assets.log.payloads.prompts import PromptUpdateProposed, PromptUpdateReviewed, PromptWritten, RolePromptActivated
from memory_assets.log.payloads.purged import Purged
from memory_assets.log.payloads.usage import UsageCounted
from memory_assets.log.session_history import History, history_of
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.log.tip import FIRST, Tip
from memory_assets.projections.going import find_going

if TYPE_CHECKING:
    import duckdb

    from memory_assets.log.database import Database

_OF_THIS_STORE = (
    SessionForgotten,
    SessionUnforgotten,
    TextForgotten,
    TextUnforgotten,
    Purged,
    LogEndAccepted,
    AnswerRecorded,
    CourtPolicyActivated,
    RolePromptActivated,
    PromptUpdateProposed,
    PromptUpdateReviewed,
    PromptWritten,
    UsageCounted,
)
OF_THIS_STORE = frozenset(payload.event_type for payload in _OF_THIS_STORE)
"""What is said to one store alone: what it shall forget, what was purged, where its own log ends, what it was asked, of what
use it was, and which prompts and which policy of the court are in force, for only a person of that store says so."""

_BUILDS = frozenset({BuildStarted.event_type, BuildFinished.event_type})
_LIGHT_ROWS = 20_000
_PART_ROWS = 5_000
_PART_BYTES = 8 << 20

# What a session says of its project last; a session that was only registered has the one that a person gave for it.
_OF_PROJECT = """
WITH told AS (
  SELECT session_id, max_by(coalesce(payload_json ->> '$.heading.project', ''), seq) AS project FROM visible_events
  WHERE event_type = 'session_ingested' AND (payload_json -> '$.heading') IS NOT NULL GROUP BY session_id
), registered AS (
  SELECT session_id, max_by(coalesce(project, ''), seq) AS project FROM visible_events
  WHERE event_type = 'source_registered' AND session_id NOT IN (SELECT session_id FROM told) GROUP BY session_id
)
SELECT session_id FROM (FROM told UNION ALL FROM registered) WHERE project = ? AND project <> ''
"""
_LIGHT = """SELECT seq, event_id, event_type, session_id, chain_id, basis_chains, project, build_id,
  strlen(CAST(payload_json AS VARCHAR)) FROM events WHERE seq > ? AND seq <= ? ORDER BY seq"""
_WHOLE = f"""SELECT link_hash, sha256(CAST(payload_json AS VARCHAR)) IS NOT DISTINCT FROM checksum,
  CAST(payload_json AS VARCHAR), {LINKED_ROW} FROM events WHERE seq > ? AND seq <= ? ORDER BY seq"""


_TOLD = "SELECT session_id FROM events WHERE event_type = 'session_ingested' AND seq <= ? GROUP BY 1 ORDER BY min(seq)"
_HISTORIES = f"""SELECT {COLUMNS} FROM events WHERE seq <= ? AND event_type IN ('session_ingested', 'message_continued')
  AND session_id IN {IN_LIST} ORDER BY seq"""
_SESSIONS_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which events are exported, and how many.

    Attributes:
        end: where the log ended.
        hidden_chains, hidden_outcomes, forgotten: what may not be read, as the views of the log say it; of a forgotten session
            the seq before which nothing is to be read.
        unfounded: the seqs of what people said of nothing but what was forgotten.
        sessions, chains, builds: those of the project that was asked for; None for all.
        parts: the seqs after which a part ends, so that none of them is large.
        events, session_count: what is exported.
    """

    end: Tip
    project: str | None
    hidden_chains: frozenset[str]
    hidden_outcomes: frozenset[str]
    forgotten: dict[str, int]
    unfounded: frozenset[int]
    sessions: frozenset[str] | None
    chains: frozenset[str]
    builds: frozenset[str]
    parts: tuple[int, ...] = ()
    events: int = 0
    session_count: int = 0

    def holds(
        self,
        seq: int,
        event_id: str,
        event_type: str,
        session_id: str | None,
        chain_id: str | None,
        basis: Sequence[str] | None,
        project: str | None,
        build_id: str | None,
    ) -> bool:
        """Whether an event is exported."""
        if (
            event_type in OF_THIS_STORE
            or seq in self.unfounded
            or chain_id in self.hidden_chains
            or event_id in self.hidden_outcomes
            or (session_id is not None and seq < self.forgotten.get(session_id, 0))
        ):
            return False
        if self.sessions is None:
            return True
        if session_id is not None and session_id not in self.sessions:
            return False
        if basis is not None:
            return self.chains.issuperset(basis)
        if session_id is not None:
            return True
        return build_id in self.builds if event_type in _BUILDS else project == self.project


def choose(database: Database, project: str | None = None) -> Chosen:
    """Decide what is exported of the log as it is now.

    Raises:
        NotFoundError: there is no session of the project.
        LogTamperedError: the log does not end where it was written last.
    """
    with database.reading() as connection:
        chosen = Chosen(
            end=database.checked_tip(connection),
            project=project,
            hidden_chains=_column(connection, "SELECT chain_id FROM hidden_chains"),
            hidden_outcomes=_column(connection, "SELECT event_id FROM hidden_outcomes"),
            forgotten=dict(connection.execute("SELECT session_id, seq FROM forgotten_sessions").fetchall()),
            unfounded=_unfounded(connection),
            **_of_project(connection, project),
        )
    parts: list[int] = []
    sessions: set[str] = set()
    events = rows = size = 0
    for since in range(0, chosen.end.seq, _LIGHT_ROWS):
        with database.reading() as connection:
            _check_unchanged(connection, chosen.end)
            found = connection.execute(_LIGHT, [since, min(since + _LIGHT_ROWS, chosen.end.seq)]).fetchall()
        for *light, length in found:
            rows, size = rows + 1, size + length
            if rows >= _PART_ROWS or size >= _PART_BYTES:
                parts.append(light[0])
                rows = size = 0
            if chosen.holds(*light):
                events += 1
                if light[3] is not None:
                    sessions.add(light[3])
    ends = (*parts, chosen.end.seq) if not parts or parts[-1] < chosen.end.seq else tuple(parts)
    fields = {name: getattr(chosen, name) for name in Chosen.__slots__}
    return Chosen(**{**fields, "parts": ends, "events": events, "session_count": len(sessions)})


def _unfounded(connection: duckdb.DuckDBPyConnection) -> frozenset[int]:
    """By the tables as they are: of a word behind their end nobody knows yet what it is about."""
    if not find_going(connection):
        return frozenset()
    return _column(connection, "SELECT seq FROM going WHERE seq <= (SELECT max(last_seq) FROM projection_offsets)")


def check_project(database: Database, project: str | None) -> None:
    """Refuse a project that no session belongs to.

    Raises:
        NotFoundError
    """
    with database.reading() as connection:
        _of_project(connection, project)


def chosen_rows(database: Database, chosen: Chosen) -> Iterator[tuple[dict[str, Any], str]]:
    """Every exported event in commit order: its columns, moments as microseconds, and its payload's text.

    Raises:
        LogTamperedError: an event is not what was written.
        StoreError: another store was put in this one's place meanwhile.
    """
    last = FIRST
    for upto in chosen.parts:
        if upto <= last.seq:
            continue
        with database.reading() as connection:
            _check_unchanged(connection, chosen.end)
            found = connection.execute(_WHOLE, [last.seq, upto]).fetchall()
        for link, is_payload, payload, *values in found:
            row = dict(zip(LINKED_COLUMNS, values, strict=True))
            seq = row["seq"]
            if seq != last.seq + 1 or not is_payload or link != link_of(last.link_hash, values):
                raise LogTamperedError(f"event {last.seq + 1} is not what was written")
            last = Tip(seq, link)
            if chosen.holds(
                seq,
                row["event_id"],
                row["event_type"],
                row["session_id"],
                row["chain_id"],
                row["basis_chains"],
                row["project"],
                row["build_id"],
            ):
                yield row, payload
    if last != chosen.end:
        raise LogTamperedError(f"event {last.seq + 1} is missing, or what stands behind it was written anew")


def chosen_histories(database: Database, chosen: Chosen) -> Iterator[History]:
    """Every exported session that has messages, in the order in which they came, as it stood at the end of what is exported.

    Raises:
        StoreError: another store was put in this one's place meanwhile.
    """
    with database.reading() as connection:
        _check_unchanged(connection, chosen.end)
        session_ids = [row[0] for row in connection.execute(_TOLD, [chosen.end.seq]).fetchall()]
    wanted = [name for name in session_ids if chosen.sessions is None or name in chosen.sessions]
    for start in range(0, len(wanted), _SESSIONS_AT_ONCE):
        some = wanted[start : start + _SESSIONS_AT_ONCE]
        with database.reading() as connection:
            _check_unchanged(connection, chosen.end)
            rows = connection.execute(_HISTORIES, [chosen.end.seq, json_list(some)]).fetchall()
        events: dict[str, list[StoredEvent]] = {}
        for event in map(StoredEvent._make, rows):
            if chosen.holds(
                event.seq, event.event_id, event.event_type, event.session_id, event.chain_id, None, event.project, None
            ):
                events.setdefault(str(event.session_id), []).append(event)
        yield from (history_of(events[name]) for name in some if name in events)


def _of_project(connection: duckdb.DuckDBPyConnection, project: str | None) -> dict[str, Any]:
    if project is None:
        return {"sessions": None, "chains": frozenset[str](), "builds": frozenset[str]()}
    sessions = _column(connection, _OF_PROJECT, project)
    if not sessions:
        raise NotFoundError(
            f"there is no session of project {project[:100]!r}", hint="`memory sessions list` shows the projects"
        )
    of_them = f"FROM visible_events WHERE session_id IN {IN_LIST}"
    return {
        "sessions": sessions,
        "chains": _column(
            connection, f"SELECT event_id {of_them} AND event_type = 'session_ingested'", json_list(sorted(sessions))
        ),
        "builds": _column(connection, f"SELECT DISTINCT build_id {of_them}", json_list(sorted(sessions))) - {None},
    }


def _column(connection: duckdb.DuckDBPyConnection, query: str, *parameters: str) -> frozenset[Any]:
    return frozenset(row[0] for row in connection.execute(query, list(parameters)).fetchall())


def _check_unchanged(connection: duckdb.DuckDBPyConnection, end: Tip) -> None:
    if not has_link(connection, end):
        raise StoreError("another store was put in this one's place while it was exported", hint="run the command again")
