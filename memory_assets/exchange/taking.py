"""What a validated export adds to a store: all of it or nothing, and nothing that changes what is there.

A session that is not here comes as it is. Of one that is here only its own continuation is taken: the revisions here are the
beginning of those in the file, and every message stays as it is. Any other is left alone, for the newest revision of a history
is what is read, and a file must not put its own in the place of ours (decisions 0020 and 0021).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import duckdb

from memory_assets.errors import MemoryAssetsError, of_the_machine
from memory_assets.exchange.errors import ExportRefusedError
from memory_assets.log.errors import UnknownEventTypeError
from memory_assets.log.event_log import COLUMNS
from memory_assets.log.events import StoredEvent
from memory_assets.log.links import LINKED_COLUMNS, LINKED_ROW, newest_link
from memory_assets.log.payloads.forgetting import TextForgotten, TextUnforgotten
from memory_assets.log.payloads.sessions import MessageContinued, SessionIngested, SessionVectorized
from memory_assets.log.rows import ROW_COLUMNS, write_rows
from memory_assets.log.session_history import messages_at
from memory_assets.log.sql import IN_LIST, json_list, visible
from memory_assets.log.tip import FIRST, Tip
from memory_assets.projections.fold import fold
from memory_assets.sessions.model import Message

if TYPE_CHECKING:
    from memory_assets.exchange.staging import Staged
    from memory_assets.log.database import Database

_LIGHT = (
    "SELECT seq, event_id, checksum, session_id, chain_id, basis_chains FROM events WHERE seq > ? AND seq <= ? ORDER BY seq"
)
_ROWS = f"SELECT {LINKED_ROW}, CAST(payload_json AS VARCHAR) FROM events WHERE seq > ? AND seq <= ? ORDER BY seq"
_HISTORY = (SessionIngested.event_type, MessageContinued.event_type)
_CANNOT = "its events are each what was written, and no tables can be made of them together"


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of the sessions of an export, by id in the order of the file.

    Attributes:
        new, updated: taken whole, or as the continuation of what is here.
        unchanged: all of it is here.
        left_alone: it is here with another history than in the file.
        forgotten: it was forgotten here.
        ended: those of the new and updated that the exporting store had brought to the end of the road.
        events: how many were appended, outcomes that follow from them among them.
    """

    new: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    left_alone: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    events: int = 0


@dataclass(slots=True)
class _Plan:
    sessions: dict[str, str] = field(default_factory=dict)
    """By session of the file, the field of :class:`Taken` that it goes into."""
    chains: set[str] = field(default_factory=set)
    """The histories that are taken."""

    def of(self, kind: str) -> tuple[str, ...]:
        return tuple(session_id for session_id, said in self.sessions.items() if said == kind)

    def wants(self, session_id: str | None, chain_id: str | None, basis: list[str] | None) -> bool:
        """Whether an event is taken that is not here.

        What follows from several sessions is taken where all of them are: of the rest this store makes its own.
        """
        if session_id is not None and self.sessions[session_id] not in ("new", "updated"):
            return False
        return self.chains.issuperset(basis or ()) and (chain_id is None or chain_id in self.chains)


def take(staged: Staged, database: Database, versions: Mapping[str, str]) -> Taken:
    """Append what is new and fold it, in one transaction.

    Args:
        versions: the configured version of each stage by event type.

    Raises:
        ExportRefusedError: no tables can be made of the events; nothing was appended.
        LogTamperedError, StoreLockedError, StoreFullError, StoreReadOnlyError, StoreError
    """
    with staged.database.reading() as incoming, database.writing() as connection:
        plan = _plan(incoming, connection, staged.parts)
        before = newest_link(connection) or FIRST
        after = _append(incoming, connection, staged.parts, plan, before)
        if after == before:
            return _taken(plan, incoming, 0)
        with _refusing():
            fold(connection, versions, resolve=True)
        last = newest_link(connection) or after
        return _taken(plan, incoming, last.seq - before.seq)


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """What events cannot be folded is the file's fault, but for what the machine lacks."""
    try:
        yield
    except MemoryAssetsError as error:
        if not isinstance(error, UnknownEventTypeError):
            raise
        raise ExportRefusedError(f"{_CANNOT}: {error}") from error
    except duckdb.Error as error:
        if of_the_machine(error) is not None or isinstance(error, duckdb.IOException | duckdb.OutOfMemoryException):
            raise
        raise ExportRefusedError(_CANNOT) from error
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError, ArithmeticError) as error:
        raise ExportRefusedError(_CANNOT) from error


def _taken(plan: _Plan, incoming: duckdb.DuckDBPyConnection, events: int) -> Taken:
    kinds = ("new", "updated", "unchanged", "left_alone", "forgotten")
    rows = incoming.execute(
        "SELECT DISTINCT session_id FROM events WHERE event_type = ?", [SessionVectorized.event_type]
    ).fetchall()
    ended = {row[0] for row in rows}
    coming = (*plan.of("new"), *plan.of("updated"))
    return Taken(
        **{kind: plan.of(kind) for kind in kinds},
        ended=tuple(session_id for session_id in coming if session_id in ended),
        events=events,
    )


_HOLDS = f"""event_type = '{TextForgotten.event_type}' AND event_id NOT IN (
  SELECT payload_json ->> '$.forgetting_event_id' FROM events WHERE event_type = '{TextUnforgotten.event_type}')"""


def _plan(incoming: duckdb.DuckDBPyConnection, here: duckdb.DuckDBPyConnection, parts: tuple[int, ...]) -> _Plan:
    plan = _Plan()
    missing: set[str] = set()
    otherwise: set[str] = set()
    since = 0
    for upto in parts:
        rows = incoming.execute(_LIGHT, [since, upto]).fetchall()
        known = _known(here, [row[1] for row in rows])
        for _, event_id, checksum, session_id, _, _ in rows:
            if session_id is None:
                continue
            plan.sessions.setdefault(session_id, "unchanged")
            if event_id not in known:
                missing.add(session_id)
            elif known[event_id] != checksum:
                otherwise.add(session_id)
        since = upto
    forgotten = _among(here, "session_id IN (SELECT session_id FROM forgotten_sessions)", plan.sessions)
    # The history there may hold what was forgotten here, and would be the newest one.
    forgotten |= _among(here, _HOLDS, plan.sessions) & (missing | otherwise)
    told_here = _among(here, f"event_type = '{SessionIngested.event_type}'", plan.sessions)
    for session_id in plan.sessions:
        if session_id in forgotten:
            plan.sessions[session_id] = "forgotten"
        elif session_id in otherwise:
            plan.sessions[session_id] = "left_alone"
        elif session_id in missing:
            plan.sessions[session_id] = _of_known(incoming, here, session_id) if session_id in told_here else "new"
    # A history that the file itself hides would be the newest one here, behind ours: it is not taken.
    coming = [*plan.of("new"), *plan.of("updated")]
    revisions = visible(f"event_type = '{SessionIngested.event_type}' AND session_id IN {IN_LIST}")
    rows = incoming.execute(f"SELECT DISTINCT chain_id FROM {revisions}", [json_list(coming)]).fetchall()
    plan.chains = {row[0] for row in rows}
    return plan


def _of_known(incoming: duckdb.DuckDBPyConnection, here: duckdb.DuckDBPyConnection, session_id: str) -> str:
    """What becomes of a session that is here and of which the file has events that are not."""
    ours, messages = _history(here, session_id)
    theirs, told = _history(incoming, session_id)
    if ours[: len(theirs)] == theirs:
        return "unchanged"  # what is here goes as far, or further
    if theirs[: len(ours)] == ours and set(messages) <= set(told):
        return "updated"
    return "left_alone"


def _history(connection: duckdb.DuckDBPyConnection, session_id: str) -> tuple[list[str], tuple[Message, ...]]:
    """The revisions of a session's newest history, and its messages."""
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM {visible(f'session_id = ? AND event_type IN {_HISTORY}')} ORDER BY seq", [session_id]
    ).fetchall()
    events = list(map(StoredEvent._make, rows))
    revisions = [event for event in events if event.event_type == SessionIngested.event_type]
    if not revisions:
        return [], ()
    head = revisions[-1]
    return [event.event_id for event in revisions], messages_at(events, str(head.chain_id), {head.event_id})[head.event_id]


def _known(connection: duckdb.DuckDBPyConnection, event_ids: list[str]) -> dict[str, str]:
    query = f"SELECT event_id, checksum FROM events WHERE event_id IN {IN_LIST}"
    return dict(connection.execute(query, [json_list(event_ids)]).fetchall())


def _among(connection: duckdb.DuckDBPyConnection, condition: str, sessions: Mapping[str, str]) -> set[str]:
    rows = connection.execute(
        f"SELECT DISTINCT session_id FROM events WHERE {condition} AND session_id IN {IN_LIST}", [json_list(sessions)]
    ).fetchall()
    return {row[0] for row in rows}


def _append(
    incoming: duckdb.DuckDBPyConnection,
    here: duckdb.DuckDBPyConnection,
    parts: tuple[int, ...],
    plan: _Plan,
    last: Tip,
) -> Tip:
    """Insert what is wanted and not here, in the order of the file; where the log ends then."""
    created = here.execute("SELECT epoch_us(CAST(get_current_timestamp() AS TIMESTAMP))").fetchall()[0][0]
    names = (*LINKED_COLUMNS, "payload_json")
    since = 0
    for upto in parts:
        rows: list[dict[str, Any]] = [
            dict(zip(names, row, strict=True)) for row in incoming.execute(_ROWS, [since, upto]).fetchall()
        ]
        known = _known(here, [row["event_id"] for row in rows])
        wanted = [
            row
            for row in rows
            if row["event_id"] not in known and plan.wants(row["session_id"], row["chain_id"], row["basis_chains"])
        ]
        columns: dict[str, list[Any]] = {name: [row[name] for row in wanted] for name in ROW_COLUMNS}
        columns["created_at"] = [created] * len(wanted)
        last = write_rows(here, columns, last)
        since = upto
    return last
