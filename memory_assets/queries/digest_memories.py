"""What sessions decided, and what else was kept of them, as lines of a digest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.queries.digest_quotes import quote_at, quote_of, told_as
from memory_assets.results.digest import DigestLineV1, DigestQuoteV1
from memory_assets.search.answers.backing import Backings, backings
from memory_assets.search.answers.said_otherwise import said_instead_of
from memory_assets.search.answers.unit_citations import CitedMessage, cited_messages
from memory_assets.text.reasons import gives_reason, reason_beside
from memory_assets.text.sentences import sentences

if TYPE_CHECKING:
    import duckdb

# Tasks are told as tasks. An entry without a quote that stands somewhere is nothing that a session says.
_ENTRIES = f"""
SELECT n.session_id, n.entry_id, n.memory_id, 'mem:' || m.short_id, n.entry_type, n.title, n.stage, n.checker, n.status,
  'mem:' || k.short_id, s.message_index, s.segments_json, s.matched_text, coalesce(w.name, w.role), w.ts
FROM entries n JOIN evidence_spans s ON s.entry_id = n.entry_id AND s.match_method <> 'none'
JOIN messages w ON w.session_id = s.session_id AND w.message_index = s.message_index
LEFT JOIN memories m ON m.memory_id = n.memory_id LEFT JOIN memories k ON k.memory_id = m.superseded_by
WHERE n.session_id IN {IN_LIST} AND n.status <> 'superseded' AND n.entry_type <> 'task'
ORDER BY n.session_id, n.message_index, n.ordinal, n.entry_id, s.ordinal
"""
_MOST_REASONS = 2


@dataclass(frozen=True, slots=True)
class _Quoted:
    """A quote of an entry, with the entry."""

    session_id: str
    entry_id: str
    memory_id: str | None
    address: str | None
    entry_type: str
    title: str
    stage: str
    checker: str | None
    status: str
    superseded_by: str | None
    message_index: int
    segments_json: str
    text: str
    speaker: str
    said_at: datetime

    @property
    def quote(self) -> DigestQuoteV1:
        return quote_of(self.session_id, self.message_index, self.segments_json, self.text, self.speaker, self.said_at)


def memory_lines(connection: duckdb.DuckDBPyConnection, session_ids: Sequence[str]) -> dict[str, list[DigestLineV1]]:
    """What each session says and is no task, in the order in which it says it; a memory that it says twice is one line."""
    rows = [_Quoted(*row) for row in fetch(connection, _ENTRIES, [json_list(session_ids)])]
    entries: dict[tuple[str, str], list[_Quoted]] = {}
    for row in rows:
        entries.setdefault((row.session_id, row.memory_id or row.entry_id), []).append(row)
    decided = [
        {"session_id": row.session_id, "message_index": row.message_index} for row in rows if row.entry_type == "decision"
    ]
    messages = cited_messages(connection, decided)
    backed = backings(connection, (row.memory_id for row in rows))
    instead = said_instead_of(connection, (row.memory_id for row in rows if row.memory_id and row.superseded_by))
    found: dict[str, list[DigestLineV1]] = {}
    for (session_id, memory_id), quotes in entries.items():
        line = _line(quotes, messages, backed).model_copy(update={"said_otherwise": instead.get(memory_id)})
        found.setdefault(session_id, []).append(line)
    return found


def _line(quotes: Sequence[_Quoted], messages: dict[tuple[str, int], CitedMessage], backed: Backings) -> DigestLineV1:
    first = quotes[0]
    return DigestLineV1(
        kind=first.entry_type,
        id=first.address,
        text=told_as(first.title, first.quote),
        quote=first.quote,
        because=_reasons(quotes, messages) if first.entry_type == "decision" else (),
        assurance=backed.of(first.memory_id).assurance(first.stage),
        checker=first.checker,
        status=first.status,
        superseded_by=first.superseded_by,
    )


def _reasons(quotes: Sequence[_Quoted], messages: dict[tuple[str, int], CitedMessage]) -> tuple[DigestQuoteV1, ...]:
    """Of its further quotes those that say why; where none does, the sentence beside its first one that does."""
    own = [one.quote for one in quotes[1:] if gives_reason(one.text)]
    if own:
        return tuple(own[:_MOST_REASONS])
    first = quotes[0]
    message = messages.get((first.session_id, first.message_index))
    if message is None:
        return ()
    segments = json.loads(first.segments_json)
    beside = reason_beside(sentences(message.text), segments[0][0], segments[-1][1])
    return (quote_at(message, [(beside.start, beside.end)]),) if beside is not None else ()
