"""`memory fsck`: is the log what was written, every quote what its messages say, every table what the log gives.

The log is read session by session in batches of bounded size, so the time grows with what was said and the memory does not.
What cannot be read is a finding like any other: a damaged event never ends the check of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from memory_assets.citations.addresses import MessageCitation, SpanCitation
from memory_assets.citations.errors import InvalidCitationError
from memory_assets.errors import MemoryAssetsError
from memory_assets.log.errors import TAMPERED_HINT
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import StoredEvent
from memory_assets.log.integrity import WrongPart, integrity, wrong_events
from memory_assets.log.links import Broken, Sound
from memory_assets.log.payloads.entries import EntriesMaterialized, EntryMaterialized, EvidenceRecord
from memory_assets.log.payloads.sessions import SessionIngested
from memory_assets.log.session_history import History, histories
from memory_assets.log.upcasting import payload_as
from memory_assets.maintenance.consistency import SessionTables, disagreements, read_tables
from memory_assets.maintenance.realignment_check import Realigner
from memory_assets.maintenance.span_check import Texts, defects_of
from memory_assets.maintenance.tampering import compare_tables, offset_defects, schema_defects, versions_of_tables
from memory_assets.progress import NoProgress, Progress

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources
    from memory_assets.log.database import Database

# A batch holds so many bytes of messages, or so many sessions, whichever comes first; at least one session.
BATCH_BYTES = 16_000_000
BATCH_SESSIONS = 200
# So many findings are kept; all are counted.
KEPT_FINDINGS = 1_000

Kind = Literal["log", "file", "schema", "span", "realign", "table"]
HINTS: Mapping[Kind, str] = {
    "log": TAMPERED_HINT,
    "file": "where nothing else is wrong it held nothing: `memory backup FILE` and `memory restore FILE` make it sound",
    "schema": "another program changed the store's tables or views: put a copy of the store back with `memory restore FILE`",
    "span": "it was logged so: do not rely on this entry, and report it as a bug of the aligner",
    "realign": "another version of the aligner wrote it: `memory run --all` aligns with this one",
    "table": "`memory rebuild` folds the tables again from the log",
}

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
class Finding:
    """One thing that is wrong.

    Attributes:
        kind: ``file``: a part of the store's file is damaged or gone. ``log``: an event is damaged, missing or added.
            ``schema``: a table or view is another. ``span``: a quote is not what the messages say. ``realign``: aligned again
            it stands elsewhere. ``table``: a derived row is not what the log says.
        uri: the quote's address, its message's where it has no span, None where no quote is concerned.
        ordinal: which of the entry's quotes, from 0.
    """

    kind: Kind
    session_id: str | None
    entry_id: str | None
    event_id: str | None
    uri: str | None
    ordinal: int | None
    detail: str
    hint: str


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
        finding_count: how much is wrong; ``findings`` are the first KEPT_FINDINGS of it.
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


@dataclass(slots=True)
class _Notes:
    """What is noted on the way.

    ``damaged`` are the sessions whose events were changed: nothing of them is mended by reading the log again. ``named`` are
    the tables that say something else than the log, and of which session and entry they do.
    """

    findings: list[Finding] = field(default_factory=list)
    finding_count: int = 0
    entries: int = 0
    methods: Counter[str] = field(default_factory=Counter)
    realigned: int = 0
    damaged: set[str | None] = field(default_factory=set)
    named: set[tuple[str, str | None, str | None]] = field(default_factory=set)
    log_is_sound: bool = True

    def add(
        self,
        kind: Kind,
        detail: str,
        *,
        session_id: str | None,
        entry_id: str | None = None,
        event_id: str | None = None,
        uri: str | None = None,
        ordinal: int | None = None,
    ) -> None:
        self.finding_count += 1
        if kind == "log":
            self.damaged.add(session_id)
        if len(self.findings) < KEPT_FINDINGS:
            # Nobody is told to fold a log that is not what was written.
            hint = HINTS["log" if session_id in self.damaged or not self.log_is_sound else kind]
            self.findings.append(Finding(kind, session_id, entry_id, event_id, uri, ordinal, detail, hint))


@dataclass(frozen=True, slots=True)
class _Session:
    """What the log and the tables say of one session. Without a history its messages cannot be read."""

    session_id: str
    history: History | None
    entries: dict[str, tuple[StoredEvent, EntryMaterialized]]
    tables: SessionTables | None


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
    database, notes = resources.database, _Notes()
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
            for session in _read(database, session_ids, waiting, notes):
                _check_session(session, realigner, notes)
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


def _check_log(connection: duckdb.DuckDBPyConnection, links: Sound | Broken, notes: _Notes) -> int:
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


def _why_not_compared(notes: _Notes, schema: Sequence[str], *, log_only: bool, is_known: bool) -> str:
    if log_only:
        return "only the log was asked for"
    if not notes.log_is_sound or notes.damaged:
        return "the log that they are folded from is not what was written"
    if schema:
        return "the schema is not what the migrations make"
    return "" if is_known else "another version or other settings folded them; the next run folds them anew"


def _check_tables(database: Database, versions: Mapping[str, str], notes: _Notes) -> int:
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


def _read(database: Database, session_ids: list[str], waiting: set[str], notes: _Notes) -> list[_Session]:
    """Some sessions, log and tables at one moment."""
    log = EventLog(database)
    with database.reading() as connection:
        known = _histories(log, session_ids, notes)
        entries = _entries(log, session_ids, notes)
        tables = read_tables(connection, session_ids)
    return [
        _Session(
            session_id,
            known.get(session_id),
            entries.get(session_id, {}),
            None if session_id in waiting else tables[session_id],
        )
        for session_id in session_ids
    ]


def _histories(log: EventLog, session_ids: Sequence[str], notes: _Notes) -> dict[str, History]:
    """The sessions' messages; one by one where some of them cannot be read."""
    heads = log.current(session_ids, SessionIngested.event_type)
    try:
        return histories(log, heads)
    except Exception:  # a damaged payload may break any promise of its model
        known: dict[str, History] = {}
    for session_id, head in heads.items():
        try:
            known |= histories(log, {session_id: head})
        except Exception as error:
            reason = str(error) if isinstance(error, MemoryAssetsError) else type(error).__name__
            notes.add("log", f"its messages cannot be read back: {reason}", session_id=session_id, event_id=head.event_id)
    return known


def _entries(
    log: EventLog, session_ids: Sequence[str], notes: _Notes
) -> dict[str, dict[str, tuple[StoredEvent, EntryMaterialized]]]:
    """Each session's current entries by id; of two events of one entry the later, as the fold takes it."""
    manifests: dict[str, EntriesMaterialized] = {}
    for session_id, event in log.current(session_ids, EntriesMaterialized.event_type).items():
        try:
            manifests[session_id] = payload_as(event, EntriesMaterialized)
        except MemoryAssetsError as error:
            notes.add("log", str(error), session_id=session_id, event_id=event.event_id)
    parts = log.by_id([part for manifest in manifests.values() for part in manifest.entries])
    found: dict[str, dict[str, tuple[StoredEvent, EntryMaterialized]]] = {}
    for session_id, manifest in manifests.items():
        current = found.setdefault(session_id, {})
        for missing in sorted(set(manifest.entries) - parts.keys()):
            notes.add("log", "an entry of the session is not in the log", session_id=session_id, event_id=missing)
        for event in sorted((parts[part] for part in manifest.entries if part in parts), key=lambda event: event.seq):
            try:
                told = payload_as(event, EntryMaterialized)
            except (MemoryAssetsError, AssertionError) as error:  # an event of another type where an entry's should be
                notes.add("log", str(error), session_id=session_id, event_id=event.event_id)
                continue
            current[told.entry_id] = event, told
    return found


def _check_session(session: _Session, realigner: Realigner | None, notes: _Notes) -> None:
    history, session_id = session.history, session.session_id
    notes.entries += len(session.entries)
    for _, told in session.entries.values():
        notes.methods.update(record.method for record in told.evidence)
    if history is not None:
        _check_spans(session, history, notes)
        if realigner is not None:
            _check_again(session, history, realigner, notes)
    if session.tables is not None:
        for item in disagreements(session.tables, session.entries, history):
            told_of = session.entries.get(item.entry_id or "")
            notes.named.add((item.table, session_id, item.entry_id))
            notes.add(
                "table",
                item.detail,
                session_id=session_id,
                entry_id=item.entry_id,
                event_id=told_of[0].event_id if told_of else None,
                uri=_address(session_id, _record(told_of, item.ordinal)),
                ordinal=item.ordinal,
            )


def _check_spans(session: _Session, history: History, notes: _Notes) -> None:
    texts = Texts([message.text for message in history.messages])
    for entry_id, (event, told) in session.entries.items():
        for ordinal, record in enumerate(told.evidence):
            for detail in defects_of(record, texts):
                notes.add(
                    "span",
                    detail,
                    session_id=session.session_id,
                    entry_id=entry_id,
                    event_id=event.event_id,
                    uri=_address(session.session_id, record),
                    ordinal=ordinal,
                )
        if told.evidence_aligned != (bool(told.evidence) and all(record.method != "none" for record in told.evidence)):
            notes.add(
                "span",
                f"evidence_aligned is {told.evidence_aligned}, and its quotes say otherwise",
                session_id=session.session_id,
                entry_id=entry_id,
                event_id=event.event_id,
            )


def _check_again(session: _Session, history: History, realigner: Realigner, notes: _Notes) -> None:
    """Not where the log is damaged: the quote, or the text, is not what the aligner was given."""
    if session.session_id in notes.damaged:
        return
    again = realigner.of_session(history)
    for entry_id, (event, told) in session.entries.items():
        for ordinal, record in enumerate(told.evidence):
            notes.realigned += 1
            if other := again.differs(record):
                notes.add(
                    "realign",
                    other,
                    session_id=session.session_id,
                    entry_id=entry_id,
                    event_id=event.event_id,
                    uri=_address(session.session_id, record),
                    ordinal=ordinal,
                )


def _record(told_of: tuple[StoredEvent, EntryMaterialized] | None, ordinal: int | None) -> EvidenceRecord | None:
    """A quote of an entry; None where the log knows no such."""
    if told_of is None or ordinal is None or ordinal >= len(told_of[1].evidence):
        return None
    return told_of[1].evidence[ordinal]


def _address(session_id: str, record: EvidenceRecord | None) -> str | None:
    """Where a quote stands as far as it can be said: its span, else the message it was claimed in, if there can be such."""
    if record is None:
        return None
    try:
        if record.message_index is not None and record.span_start is not None and record.span_end is not None:
            return SpanCitation(session_id, record.message_index, ((record.span_start, record.span_end),)).uri
        return MessageCitation(session_id, record.claimed_message_index).uri
    except InvalidCitationError:
        return None
