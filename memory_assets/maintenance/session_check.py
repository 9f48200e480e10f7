"""One session under ``memory fsck``: its messages and entries as the log has them, its quotes, and its rows in the tables.

What cannot be read is noted like anything else that is wrong, and the rest of the session is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_assets.citations.addresses import MessageCitation, SpanCitation
from memory_assets.citations.errors import InvalidCitationError
from memory_assets.errors import MemoryAssetsError
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import StoredEvent
from memory_assets.log.payloads.entries import EntriesMaterialized, EntryMaterialized, EvidenceRecord
from memory_assets.log.payloads.sessions import SessionIngested
from memory_assets.log.session_history import History, histories
from memory_assets.log.upcasting import payload_as
from memory_assets.maintenance.consistency import SessionTables, disagreements, read_tables
from memory_assets.maintenance.findings import Notes
from memory_assets.maintenance.realignment_check import Realigner
from memory_assets.maintenance.span_check import Texts, defects_of


@dataclass(frozen=True, slots=True)
class CheckedSession:
    """What the log and the tables say of one session. Without a history its messages cannot be read."""

    session_id: str
    history: History | None
    entries: dict[str, tuple[StoredEvent, EntryMaterialized]]
    tables: SessionTables | None


def read_sessions(database: Database, session_ids: list[str], waiting: set[str], notes: Notes) -> list[CheckedSession]:
    """Some sessions, log and tables at one moment."""
    log = EventLog(database)
    with database.reading() as connection:
        known = _histories(log, session_ids, notes)
        entries = _entries(log, session_ids, notes)
        tables = read_tables(connection, session_ids)
    return [
        CheckedSession(
            session_id,
            known.get(session_id),
            entries.get(session_id, {}),
            None if session_id in waiting else tables[session_id],
        )
        for session_id in session_ids
    ]


def _histories(log: EventLog, session_ids: Sequence[str], notes: Notes) -> dict[str, History]:
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
    log: EventLog, session_ids: Sequence[str], notes: Notes
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


def check_session(session: CheckedSession, realigner: Realigner | None, notes: Notes) -> None:
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


def _check_spans(session: CheckedSession, history: History, notes: Notes) -> None:
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


def _check_again(session: CheckedSession, history: History, realigner: Realigner, notes: Notes) -> None:
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
