"""Entries with their evidence, and the memories that group them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

from memory_assets.citations.addresses import MemoryCitation, MessageCitation, SpanCitation, parse_citation
from memory_assets.errors import NotFoundError, check_word
from memory_assets.log.fetching import fetch, full_id, scalar
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.queries.quote_context import QuotePlace, quote_contexts
from memory_assets.queries.sessions import messages_at
from memory_assets.results.memories import (
    EntryView,
    EvidenceView,
    MemoryPage,
    MemoryView,
    Quote,
    QuoteContext,
    QuoteInMessage,
)
from memory_assets.results.said_otherwise import SaidOtherwiseV1
from memory_assets.search.answers.backing import backings
from memory_assets.search.answers.said_otherwise import said_instead_of
from memory_assets.vocabulary import Assurance, EntryType, Stage

if TYPE_CHECKING:
    import duckdb

_ENTRIES = """
SELECT n.entry_id, n.memory_id, 'mem:' || c.short_id, n.session_id, n.project, n.entry_type, n.title, n.stage, n.checker,
  n.status, n.created_ts, n.message_index, n.confidence, n.evidence_aligned, n.meta_json, n.content_json, n.evidence_json
FROM entries n LEFT JOIN memories m USING (memory_id) LEFT JOIN memory_citations c ON c.entry_id = m.first_entry_id
"""
_FILTER = """
WHERE n.status <> 'superseded' AND ($session IS NULL OR n.session_id = $session) AND ($project IS NULL OR n.project = $project)
  AND ($type IS NULL OR n.entry_type = $type) AND ($stage IS NULL OR n.stage = $stage)
"""
_NEWEST_FIRST = "ORDER BY n.created_ts DESC, n.session_id, n.message_index DESC, n.ordinal DESC, n.entry_id"

# The address is that of the first quote of the entry that was said first.
_MEMORIES = """
SELECT m.memory_id, 'mem:' || m.short_id, m.entry_type, m.title, m.project, m.stage, m.checker, m.entry_count,
  m.session_count, m.first_said_at, m.last_said_at, n.session_id, m.status, 'mem:' || k.short_id, s.message_index,
  s.segments_json
FROM {source} JOIN entries n ON n.entry_id = m.first_entry_id LEFT JOIN memories k ON k.memory_id = m.superseded_by
LEFT JOIN (SELECT entry_id, arg_min(message_index, ordinal) AS message_index, arg_min(segments_json, ordinal) AS segments_json
           FROM evidence_spans WHERE match_method <> 'none' GROUP BY entry_id) s ON s.entry_id = m.first_entry_id
"""
_OF_SESSIONS = """
SELECT n.memory_id, min(w.place) AS place, min(n.created_ts) AS said_at
FROM (SELECT unnest(ids) AS session_id, generate_subscripts(ids, 1) AS place
      FROM (SELECT from_json($sessions, '["VARCHAR"]') AS ids)) w
JOIN entries n USING (session_id) WHERE n.memory_id IS NOT NULL AND n.status <> 'superseded' GROUP BY n.memory_id
"""


def list_entries(
    connection: duckdb.DuckDBPyConnection,
    *,
    session_id: str | None = None,
    project: str | None = None,
    entry_type: str | None = None,
    stage: str | None = None,
    limit: int | None = None,
    with_context: bool = True,
) -> tuple[list[EntryView], int]:
    """Current entries of every stage, the newest first, and how many there are without the limit.

    Args:
        with_context: whether to look up what each stands under, which costs more than all the rest of it.

    Raises:
        InvalidArgumentError: there is no such type or stage.
    """
    check_word("entry type", entry_type, get_args(EntryType))
    check_word("stage", stage, get_args(Stage))
    chosen = {"session": session_id, "project": project, "type": entry_type, "stage": stage}
    rows = fetch(
        connection, f"{_ENTRIES} {_FILTER} {_NEWEST_FIRST}" + (f" LIMIT {int(limit)}" if limit is not None else ""), chosen
    )
    total = len(rows) if limit is None else scalar(connection, f"SELECT count(*) FROM entries n {_FILTER}", chosen)
    return _entries(connection, rows, with_context=with_context), int(total)


def one_entry(connection: duckdb.DuckDBPyConnection, given: str) -> EntryView:
    """The entry with this id, with an id that begins so, or with this ``mem:`` address; superseded ones too.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    entry_id = _entry_cited(connection, given) or full_id(
        connection, "SELECT entry_id AS id FROM entries", given, what="entry", listed_by="memory entries list", prefix="ent_"
    )
    return _entries(connection, fetch(connection, f"{_ENTRIES} WHERE n.entry_id = ?", [entry_id]))[0]


def entries_of_memory(connection: duckdb.DuckDBPyConnection, memory_id: str) -> list[EntryView]:
    """A memory's entries in the order in which they were said."""
    rows = fetch(
        connection,
        f"""{_ENTRIES} WHERE n.memory_id = ? AND n.status <> 'superseded'
            ORDER BY n.created_ts, n.session_id, n.message_index, n.ordinal, n.entry_id""",
        [memory_id],
    )
    return _entries(connection, rows)


def entries_at(connection: duckdb.DuckDBPyConnection, addresses: Sequence[str]) -> list[EntryView]:
    """The entries of the memories with these ``mem:`` addresses, the newest first; without what each stands under."""
    rows = fetch(
        connection,
        f"""{_ENTRIES} WHERE n.status <> 'superseded' AND n.memory_id IN (
              SELECT o.memory_id FROM memories o JOIN memory_citations k ON k.entry_id = o.first_entry_id
              WHERE 'mem:' || k.short_id IN {IN_LIST}) {_NEWEST_FIRST}""",
        [json_list(addresses)],
    )
    return _entries(connection, rows, with_context=False)


def evidence_of(connection: duckdb.DuckDBPyConnection, given: str) -> EvidenceView:
    """An entry with each of its quotes in the message that holds it."""
    entry = one_entry(connection, given)
    # Spans of a superseded entry index a text that is no longer kept as a message.
    places = [q.message_index for q in entry.evidence if q.message_index is not None] if entry.status != "superseded" else []
    found = messages_at(connection, entry.session_id, min(places), max(places)) if places else {}
    return EvidenceView(
        entry=entry,
        quotes=tuple(
            QuoteInMessage(quote=quote, message=None if quote.message_index is None else found.get(quote.message_index))
            for quote in entry.evidence
        ),
    )


def list_memories(
    connection: duckdb.DuckDBPyConnection,
    *,
    session_ids: Sequence[str] | None = None,
    project: str | None = None,
    stage: Stage | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> MemoryPage:
    """Memories, the newest first; or those of some sessions, in the order of these and as they were said."""
    if session_ids is None:
        source, order, chosen = "memories m", "m.last_said_at DESC, m.memory_id", {"project": project, "stage": stage}
    else:
        source, order = f"({_OF_SESSIONS}) o JOIN memories m USING (memory_id)", "o.place, o.said_at, m.memory_id"
        chosen = {"project": project, "stage": stage, "sessions": json_list(session_ids)}
    condition = "($project IS NULL OR m.project = $project) AND ($stage IS NULL OR m.stage = $stage)"
    rows = fetch(
        connection,
        f"{_MEMORIES.format(source=source)} WHERE {condition} ORDER BY {order}"
        + (f" LIMIT {int(limit)} OFFSET {int(offset)}" if limit is not None else ""),
        chosen,
    )
    total = len(rows) if limit is None else scalar(connection, f"SELECT count(*) FROM {source} WHERE {condition}", chosen)
    return MemoryPage(memories=tuple(_memories(connection, rows)), total=int(total))


def memories_by_id(connection: duckdb.DuckDBPyConnection, memory_ids: Sequence[str]) -> dict[str, MemoryView]:
    """Some memories by their ids; what is unknown is absent."""
    if not memory_ids:
        return {}
    statement = f"{_MEMORIES.format(source='memories m')} WHERE m.memory_id IN {IN_LIST}"
    rows = fetch(connection, statement, [json_list(memory_ids)])
    return {memory.memory_id: memory for memory in _memories(connection, rows)}


def memory_cited(connection: duckdb.DuckDBPyConnection, citation: MemoryCitation) -> MemoryView:
    """The memory that holds the cited entry now.

    Raises:
        NotFoundError: nothing has this short id.
    """
    rows = connection.execute(
        "SELECT DISTINCT memory_id FROM memory_citations WHERE short_id = ?", [citation.short_id]
    ).fetchall()
    if not rows:
        raise NotFoundError(f"there is no memory {citation.uri}", hint="`memory search` and `memory entries list` name them")
    return memories_by_id(connection, [rows[0][0]])[rows[0][0]]


def address(session_id: str, message_index: int | None, segments: Sequence[Sequence[int]]) -> str | None:
    """The ``session:`` address of a quote, None where there is no span."""
    if message_index is None or not segments:
        return None
    return SpanCitation(session_id, message_index, tuple((int(start), int(end)) for start, end in segments)).uri


def _entry_cited(connection: duckdb.DuckDBPyConnection, given: str) -> str | None:
    citation = parse_citation(given)
    if not isinstance(citation, MemoryCitation):
        return None
    row = connection.execute("SELECT entry_id FROM memory_citations WHERE short_id = ?", [citation.short_id]).fetchone()
    return str(row[0]) if row else None


def _entries(
    connection: duckdb.DuckDBPyConnection, rows: Sequence[tuple[Any, ...]], *, with_context: bool = True
) -> list[EntryView]:
    backed = backings(connection, (row[1] for row in rows))
    instead = said_instead_of(connection, (row[1] for row in rows if row[9] == "deprecated"))
    entries = [_entry(row, backed.of(row[1]).assurance(row[7]), instead.get(row[1])) for row in rows]
    if not with_context:
        return entries
    contexts = quote_contexts(connection, [_place(entry) for entry in entries])
    return [entry.model_copy(update={"context": context}) for entry, context in zip(entries, contexts, strict=True)]


def _memories(connection: duckdb.DuckDBPyConnection, rows: Sequence[tuple[Any, ...]]) -> list[MemoryView]:
    backed = backings(connection, (row[0] for row in rows))
    segments = [json.loads(row[-1] or "[]") for row in rows]
    places = [
        QuotePlace(row[11], row[14], cut[0][0]) if cut and row[14] is not None else None
        for row, cut in zip(rows, segments, strict=True)
    ]
    contexts = quote_contexts(connection, places)
    instead = said_instead_of(connection, (row[0] for row in rows if row[13] is not None))
    return [
        _memory(row, cut, backed.of(row[0]).assurance(row[5]), context, instead.get(row[0]))
        for row, cut, context in zip(rows, segments, contexts, strict=True)
    ]


def _entry(row: tuple[Any, ...], assurance: Assurance, instead: SaidOtherwiseV1 | None) -> EntryView:
    *head, meta_json, content_json, evidence_json = row
    meta, content = json.loads(meta_json), json.loads(content_json)
    rest = (
        meta.get("promotionBlockReason"),
        content.get("reason"),
        content.get("status"),
        content.get("priority"),
        tuple(content.get("blocked_by") or ()),
        tuple(_quote(head[3], item) for item in json.loads(evidence_json)),
        assurance,
        None,
        instead,
    )
    return EntryView.of_row((*head, *rest))


def _place(entry: EntryView) -> QuotePlace | None:
    """Where the first quote of an entry stands; a span of a superseded entry indexes a text that is no longer kept."""
    if entry.status == "superseded":
        return None
    return next(
        (
            QuotePlace(quote.session_id, quote.message_index, quote.span_start)
            for quote in entry.evidence
            if quote.message_index is not None and quote.span_start is not None
        ),
        None,
    )


def _quote(session_id: str, item: dict[str, Any]) -> Quote:
    segments = tuple((int(start), int(end)) for start, end in item.get("segments") or ())
    start, end = item.get("span_start"), item.get("span_end")
    if not segments and start is not None and end is not None:
        segments = ((start, end),)
    return Quote(
        session_id=session_id,
        quote=item["quote"],
        matched_text=item.get("matched_text"),
        message_index=item.get("message_index"),
        span_start=start,
        span_end=end,
        segments=segments,
        method=item["method"],
        confidence=item["confidence"],
        claimed_message_index=item["claimed_message_index"],
        similarity=item.get("similarity"),
        ambiguous=bool(item.get("ambiguous")),
        relocated=bool(item.get("relocated")),
        critical=bool(item.get("critical")),
        failure_reason=item.get("failure_reason"),
        uri=address(session_id, item.get("message_index"), segments),
        alternative_count=item.get("alternative_count") or 0,
    )


def _memory(
    row: tuple[Any, ...],
    segments: Sequence[Sequence[int]],
    assurance: Assurance,
    context: QuoteContext | None,
    instead: SaidOtherwiseV1 | None,
) -> MemoryView:
    *head, session_id, status, superseded_by, message_index, _ = row
    # A memory has at least one span; without one (which no fold writes) its message is still an address that opens.
    message = MessageCitation(session_id, message_index or 0).uri
    uri = address(session_id, message_index, segments) or message
    return MemoryView.of_row((*head, session_id, uri, status, superseded_by, assurance, context, instead))
