"""Whether the tables of entries say what the log's events say, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from memory_assets.identifiers import sha256_hex
from memory_assets.log.events import StoredEvent
from memory_assets.log.payloads.entries import EntryMaterialized, EvidenceRecord
from memory_assets.log.session_history import History
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.maintenance.span_check import excerpt

if TYPE_CHECKING:
    import duckdb

_ENTRIES = f"""SELECT session_id, entry_id, entry_type, title, canonical_key, evidence_aligned, message_index, ordinal,
  source_event_id, evidence_json FROM entries WHERE status <> 'superseded' AND session_id IN {IN_LIST}"""
_SPANS = f"SELECT * FROM evidence_spans WHERE session_id IN {IN_LIST}"
# Texts are compared by hash: the text that spans stand on is read from the log alone.
_MESSAGES = f"SELECT session_id, message_index, sha256(text) FROM messages WHERE session_id IN {IN_LIST}"
_RENAMED = {"segments_json": "segments", "match_method": "method"}
_EVIDENCE = TypeAdapter(list[EvidenceRecord])
_SEGMENTS = TypeAdapter(list[tuple[int, int]])


@dataclass(slots=True)
class SessionTables:
    """What the tables say of one session: entries by id, evidence rows by entry and ordinal, messages' hashes by index."""

    entries: dict[str, dict[str, Any]]
    spans: dict[tuple[str, int], dict[str, Any]]
    messages: dict[int, str]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A value of a table that is not the log's. Without an entry it is one of the session's messages."""

    table: str
    entry_id: str | None
    ordinal: int | None
    detail: str


def read_tables(connection: duckdb.DuckDBPyConnection, session_ids: list[str]) -> dict[str, SessionTables]:
    """The rows of some sessions."""
    tables = {session_id: SessionTables({}, {}, {}) for session_id in session_ids}
    listed = [json_list(session_ids)]
    for row in _rows(connection, _ENTRIES, listed):
        tables[row.pop("session_id")].entries[row["entry_id"]] = row
    for row in _rows(connection, _SPANS, listed):
        tables[row["session_id"]].spans[row["entry_id"], row["ordinal"]] = row
    for session_id, index, text_hash in connection.execute(_MESSAGES, listed).fetchall():
        tables[session_id].messages[index] = text_hash
    return tables


def disagreements(
    tables: SessionTables, entries: Mapping[str, tuple[StoredEvent, EntryMaterialized]], history: History | None
) -> Iterator[Disagreement]:
    """Where the tables of a session are not what its current events say."""
    if history is not None:
        texts = [message.text for message in history.messages]
        for index in sorted(tables.messages.keys() | set(range(len(texts)))):
            said = sha256_hex(texts[index]) if index < len(texts) else None
            if tables.messages.get(index) != said:
                yield Disagreement("messages", None, None, f"messages: the text of message {index} is not the log's")
    for entry_id in sorted(tables.entries.keys() | entries.keys()):
        if entry_id not in entries:
            yield Disagreement("entries", entry_id, None, "entries: the log knows no such current entry")
        elif entry_id not in tables.entries:
            yield Disagreement("entries", entry_id, None, "entries: there is no row of it")
        else:
            yield from _entry(entry_id, tables.entries[entry_id], *entries[entry_id])
    yield from _spans(tables, entries)


def _entry(entry_id: str, row: Mapping[str, Any], event: StoredEvent, told: EntryMaterialized) -> Iterator[Disagreement]:
    said = {**told.model_dump(), "source_event_id": event.event_id}
    for column, value in row.items():
        if column != "evidence_json" and value != said[column]:
            yield Disagreement("entries", entry_id, None, _differs(f"entries.{column}", value, said[column]))
    if _evidence(row["evidence_json"]) != told.evidence:
        yield Disagreement("entries", entry_id, None, "entries.evidence_json is not the evidence of the log")


def _evidence(stored: str) -> list[EvidenceRecord] | None:
    """The evidence of a column, None where it holds none."""
    try:
        return _EVIDENCE.validate_json(stored, strict=True)
    except ValidationError:
        return None


def _segments(stored: str) -> list[tuple[int, int]] | str:
    """The segments of a column, or what stands there instead."""
    try:
        return _SEGMENTS.validate_json(stored, strict=True)
    except ValidationError:
        return excerpt(stored)


def _spans(tables: SessionTables, entries: Mapping[str, tuple[StoredEvent, EntryMaterialized]]) -> Iterator[Disagreement]:
    expected = {
        (entry_id, ordinal): {
            **record.model_dump(),
            "event_id": event.event_id,
            "aligner_version": told.aligner_version,
        }
        for entry_id, (event, told) in entries.items()
        for ordinal, record in enumerate(told.evidence)
    }
    for entry_id, ordinal in sorted(tables.spans.keys() | expected.keys()):
        row, said = tables.spans.get((entry_id, ordinal)), expected.get((entry_id, ordinal))
        if row is None or said is None:
            detail = "there is no row of this quote" if row is None else "the log knows no such quote"
            yield Disagreement("evidence_spans", entry_id, ordinal, f"evidence_spans: {detail}")
            continue
        for column, value in row.items():
            name = _RENAMED.get(column, column)
            if name not in said:
                continue
            stored = _segments(value or "[]") if column == "segments_json" else value
            if stored != said[name]:
                yield Disagreement(
                    "evidence_spans", entry_id, ordinal, _differs(f"evidence_spans.{column}", stored, said[name])
                )


def _differs(where: str, stored: Any, said: Any) -> str:
    if isinstance(stored, str) and isinstance(said, str):
        return f"{where} is {excerpt(stored)}, the log says {excerpt(said)}"
    return f"{where} is {stored}, the log says {said}"


def _rows(connection: duckdb.DuckDBPyConnection, statement: str, parameters: list[str]) -> Iterator[dict[str, Any]]:
    cursor = connection.execute(statement, parameters)
    names = [column[0] for column in cursor.description or []]
    for row in cursor.fetchall():
        yield dict(zip(names, row, strict=True))
