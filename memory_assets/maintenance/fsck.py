"""`memory fsck`: is the log what was written, every quote what its messages say, every table what the log gives.

The log is read session by session in batches of bounded size, so the time grows with what was said and the memory does not.
What cannot be read is a finding like any other: a damaged event never ends the check of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.log.event_log import EventLog
from memory_assets.log.integrity import WrongPart, integrity, wrong_events
from memory_assets.log.links import Broken, Sound
from memory_assets.maintenance.findings import Finding, Notes
from memory_assets.maintenance.realignment_check import Realigner
from memory_assets.maintenance.session_check import check_session, read_sessions
from memory_assets.maintenance.tampering import compare_tables, offset_defects, schema_defects, versions_of_tables
from memory_assets.progress import NoProgress, Progress

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources
    from memory_assets.log.database import Database

__all__ = ["Finding", "FsckReport", "fsck"]

# A batch holds so many bytes of messages, or so many sessions, whichever comes first; at least one session.
BATCH_BYTES = 16_000_000
BATCH_SESSIONS = 200

_WRONG_PARTS: Mapping[WrongPart, str] = {
    "payload": "the payload is not what was written: its checksum is another's",
    "event_id": "its event_id is not the hash of its key",
    "event_type": "its event_type is not that of its key",
    "session_id": "its session_id is not that of its key",
    "stage_version": "its stage_version is not that of its key",
    "chain_id": "its chain_id is no history of its session",
}

# Tables whose rows are compared with the events one by one, in words of their own.
_COMPARED_BEFORE = frozenset({"entries", "evidence_spans", "messages"})
# Written behind the fold that they report: the tables have nothing to take from them.
_WAITING = """SELECT DISTINCT session_id FROM events WHERE session_id IS NOT NULL
  AND event_type NOT IN ('build_started', 'build_finished', 'session_vectorized', 'log_end_accepted')
  AND seq > (SELECT coalesce(max(last_seq), 0) FROM projection_offsets)"""
_SIZES = """SELECT session_id, sum(strlen(CAST(payload_json AS VARCHAR))) FROM visible_events
  WHERE event_type IN ('session_ingested', 'message_continued') GROUP BY session_id
  UNION ALL SELECT DISTINCT session_id, 0 FROM entries WHERE session_id NOT IN
    (SELECT session_id FROM visible_events WHERE event_type = 'session_ingested') ORDER BY session_id"""


@dataclass(frozen=True, slots=True)
class FsckReport:
    """What was checked and what is wrong.

    Attributes:
        events, sessions, entries, quotes: how many were checked; ``methods`` counts the quotes by method.
        realigned: how many quotes were aligned again.
        waiting: sessions with events that the tables do not have yet.
        first_bad_seq: the first event from which on the log is not what was written; None where it is, or where only its end
            cannot be told.
        last_seq: the newest event up to which it is; last_link: that event's link, in hex. Noted elsewhere they tell later
            whether the store and its tip were both written anew.
        compared: rows of derived tables that were compared with a replay; ``not_compared`` says why none was.
        finding_count: how much is wrong; ``findings`` are the first ``findings.KEPT_FINDINGS`` of it.
    """

    events: int
    sessions: int
    entries: int
    quotes: int
    methods: dict[str, int]
    realigned: int
    waiting: int
    first_bad_seq: int | None
    last_seq: int
    last_link: str
    compared: int
    not_compared: str
    finding_count: int
    findings: tuple[Finding, ...]

    @property
    def clean(self) -> bool:
        return self.finding_count == 0


def fsck(
    resources: Resources,
    *,
    realign: bool = False,
    log_only: bool = False,
    progress: Progress | None = None,
) -> FsckReport:
    """Check the log, every current entry's evidence against it, and all derived tables against a replay of it.

    Args:
        log_only: only that the log and the schema are what was written.
        realign: also align every quote again, as the stage ``aligned`` does with these settings, and compare.
    """
    database, notes = resources.database, Notes()
    told = progress or NoProgress()
    realigner = Realigner(EventLog(database), resources.new_aligner) if realign else None
    for detail in database.damage_of_file().told():
        notes.add("file", f"the store's file: {detail}", session_id=None)
    with database.reading() as connection:
        links = database.verify_links(connection)
        events = _check_log(connection, links, notes)
        schema = schema_defects(connection)
        for detail in schema:
            notes.add("schema", detail, session_id=None)
        versions = versions_of_tables(connection, resources)
        if not log_only:
            for detail in offset_defects(connection):
                notes.add("table", detail, session_id=None)
        # A view that was replaced may hide what it likes: nothing is asked through it.
        asked = [] if log_only or schema else connection.execute(_SIZES).fetchall()
        sizes, waiting = asked, {row[0] for row in connection.execute(_WAITING).fetchall()}
    told.start(len(sizes), "checking sessions")
    try:
        for session_ids in _batches(sizes):
            for session in read_sessions(database, session_ids, waiting, notes):
                check_session(session, realigner, notes)
                told.advance()
    finally:
        told.finish()
    not_compared = _why_not_compared(notes, schema, log_only=log_only, is_known=versions is not None)
    compared = 0
    if not not_compared and versions is not None:
        told.start(None, "comparing the tables with a replay")
        try:
            compared = _check_tables(database, versions, notes)
        finally:
            told.finish()
    return FsckReport(
        events=events,
        sessions=len(sizes),
        entries=notes.entries,
        quotes=sum(notes.methods.values()),
        methods=dict(sorted(notes.methods.items())),
        realigned=notes.realigned,
        waiting=len(waiting & {row[0] for row in sizes}),
        first_bad_seq=links.seq if isinstance(links, Broken) else None,
        last_seq=links.last.seq,
        last_link=links.last.link_hash.hex(),
        compared=compared,
        not_compared=not_compared,
        finding_count=notes.finding_count,
        findings=tuple(notes.findings),
    )


def _check_log(connection: duckdb.DuckDBPyConnection, links: Sound | Broken, notes: Notes) -> int:
    counted = integrity(connection)
    if isinstance(links, Broken):
        notes.log_is_sound = False
        concerned = connection.execute(
            "SELECT session_id, event_id, payload_json ->> '$.entry_id' FROM events WHERE seq = ?", [links.seq]
        ).fetchall()
        session_id, event_id, entry_id = concerned[0] if concerned else (None, None, None)
        notes.add("log", str(links), session_id=session_id, event_id=event_id, entry_id=entry_id)
    for event in wrong_events(connection) if counted.wrong_checksums or counted.wrong_columns else ():
        notes.add(
            "log",
            f"{_WRONG_PARTS[event.part]} (of this {event.event_type})",
            session_id=event.session_id,
            entry_id=event.entry_id,
            event_id=event.event_id,
        )
    if not counted.events == counted.newest_seq == counted.distinct_keys:
        notes.add(
            "log",
            f"{counted.events} events up to seq {counted.newest_seq}, {counted.distinct_keys} keys: some are missing or twice",
            session_id=None,
        )
    return counted.events


def _why_not_compared(notes: Notes, schema: Sequence[str], *, log_only: bool, is_known: bool) -> str:
    if log_only:
        return "only the log was asked for"
    if not notes.log_is_sound or notes.damaged:
        return "the log that they are folded from is not what was written"
    if schema:
        return "the schema is not what the migrations make"
    return "" if is_known else "another version or other settings folded them; the next run folds them anew"


def _check_tables(database: Database, versions: Mapping[str, str], notes: Notes) -> int:
    """Name the rows that a replay gives otherwise, but those of entries and messages that were named already."""
    found = compare_tables(database, versions)
    told = Counter(row.table for row in found.changed)
    for row in found.changed:
        if (row.table, row.session_id, row.entry_id) not in notes.named:
            notes.add("table", row.detail, session_id=row.session_id, entry_id=row.entry_id)
    # Of each table only the first rows were told apart.
    notes.finding_count += sum(count - told[table] for table, count in found.differing.items() if table not in _COMPARED_BEFORE)
    return found.rows


def _batches(sizes: Sequence[tuple[str, int]]) -> Iterator[list[str]]:
    batch: list[str] = []
    filled = 0
    for session_id, size in sizes:
        if batch and (filled + size > BATCH_BYTES or len(batch) == BATCH_SESSIONS):
            yield batch
            batch, filled = [], 0
        batch.append(session_id)
        filled += size
    if batch:
        yield batch
