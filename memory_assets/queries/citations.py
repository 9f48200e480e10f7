"""What an address names, with what was said and remembered around it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memory_assets.citations.addresses import (
    Citation,
    MemoryCitation,
    MessageCitation,
    NotACitation,
    SpanCitation,
    TerminalCitation,
)
from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.queries.entries import address, entries_of_memory, memories_by_id, memory_cited
from memory_assets.queries.external_references import name_in_store
from memory_assets.queries.sessions import messages_at, one_session
from memory_assets.results.memories import CitedQuote, EntryView, MemoryView, Neighbour, Quote
from memory_assets.results.shown import ResolvedMemory, ResolvedName, ResolvedSpan
from memory_assets.search.answers.said_otherwise import said_instead_of, said_instead_where

if TYPE_CHECKING:
    import duckdb

    from memory_assets.results.said_otherwise import SaidOtherwiseV1

PREVIEW_LENGTH = 100
GAP = " … "

# The nearest memories before and behind each point of a session. A place is a message and a character in one number.
_NEIGHBOURS = """
WITH points AS (
  SELECT unnest(from_json($points, '[{"n": "INTEGER", "session_id": "VARCHAR", "place": "BIGINT"}]'), recursive := true)
), places AS (
  SELECT s.session_id, s.entry_id, min(s.message_index * 4294967296 + s.span_start) AS place,
    arg_min(s.message_index, s.ordinal) AS message_index, arg_min(s.segments_json, s.ordinal) AS segments_json
  FROM evidence_spans s WHERE s.match_method <> 'none' AND s.session_id IN (SELECT session_id FROM points)
  GROUP BY s.session_id, s.entry_id
), remembered AS (
  SELECT p.*, 'mem:' || m.short_id AS citation, n.entry_type, n.title, n.created_ts, m.memory_id, m.superseded_by
  FROM places p JOIN entries n USING (entry_id) JOIN memories m USING (memory_id)
  WHERE n.status <> 'superseded' AND n.memory_id NOT IN $$excluded$$
)
SELECT q.n, r.memory_id, r.superseded_by, r.citation, r.entry_type, r.title, r.created_ts, r.session_id, r.message_index,
  r.segments_json
FROM points q ASOF JOIN remembered r ON r.session_id = q.session_id AND r.place $$sign$$ q.place
"""


def resolve_citation(connection: duckdb.DuckDBPyConnection, citation: Citation) -> ResolvedMemory | ResolvedSpan | ResolvedName:
    """What an address names.

    Raises:
        InvalidArgumentError: it is no address, or a span lies outside its message.
        NotFoundError: it names nothing in the store.
    """
    match citation:
        case MemoryCitation():
            return memory_in_place(connection, memory_cited(connection, citation))
        case MessageCitation() | SpanCitation():
            return span_in_place(connection, citation)
        case TerminalCitation():
            return _terminal(connection, citation)
        case NotACitation(text, reason):
            raise InvalidArgumentError(
                f"{text[:80]!r} is no citation: {reason}", hint="as in mem:a7Bc3x or session:ID#m=12&c=140-182"
            )
        case _:
            return name_in_store(connection, citation)


def memory_in_place(connection: duckdb.DuckDBPyConnection, memory: MemoryView) -> ResolvedMemory:
    """A memory, each of its quotes with what was remembered around it."""
    entries = entries_of_memory(connection, memory.memory_id)
    return ResolvedMemory(kind="memory", memory=memory, quotes=quotes_in_place(connection, entries, [memory.memory_id]))


def quotes_in_place(
    connection: duckdb.DuckDBPyConnection, entries: Sequence[EntryView], excluded: Sequence[str]
) -> tuple[CitedQuote, ...]:
    """The quotes of entries in their places, with what was remembered around them, other than the excluded memories."""
    said = {
        (row[0], row[1]): row[2:]
        for row in fetch(
            connection,
            f"""SELECT m.session_id, m.message_index, m.role, m.name, m.ts, m.text FROM messages m
                WHERE (m.session_id, m.message_index) IN
                  (SELECT (s.session_id, s.message_index) FROM evidence_spans s WHERE s.entry_id IN {IN_LIST})""",
            [json_list(entry.entry_id for entry in entries)],
        )
    }
    quotes = [(entry.entry_id, quote) for entry in entries for quote in entry.evidence]
    around = _neighbours(connection, [_point(quote) for _, quote in quotes], excluded)
    return tuple(
        _cited(entry_id, quote, said.get((quote.session_id, quote.message_index)), neighbours)
        for (entry_id, quote), neighbours in zip(quotes, around, strict=True)
    )


def _cited(
    entry_id: str, quote: Quote, said: tuple[Any, ...] | None, neighbours: tuple[Neighbour | None, Neighbour | None]
) -> CitedQuote:
    role, name, ts, text = said or (None, None, None, "")
    return CitedQuote.of_row((entry_id, quote, role, name, ts, *neighbours, *_beside(text, quote)))


def _beside(text: str, quote: Quote) -> tuple[str, str]:
    """What of a message stands before and behind a quote."""
    start, end = quote.span_start, quote.span_end
    if start is None or end is None or text[start:end] != quote.matched_text:
        return "", ""
    first, last = max(0, start - PREVIEW_LENGTH), end + PREVIEW_LENGTH
    return "…" * (first > 0) + text[first:start], text[end:last] + "…" * (last < len(text))


def _terminal(connection: duckdb.DuckDBPyConnection, citation: TerminalCitation) -> ResolvedSpan:
    found = span_in_place(connection, citation.place)
    if found.message.kind != "tool_result":
        raise InvalidArgumentError(
            f"message {citation.message_index} of session {citation.session_id} is nothing that a terminal showed",
            hint=f"it opens as {citation.place.uri}",
        )
    return found.model_copy(update={"uri": citation.uri})


def span_in_place(connection: duckdb.DuckDBPyConnection, citation: MessageCitation | SpanCitation) -> ResolvedSpan:
    """Characters in their message, the messages around it, and the memories that rest on them.

    Raises:
        InvalidArgumentError: the span lies outside its message.
        NotFoundError: there is no such session or message.
    """
    session = one_session(connection, citation.session_id)
    index = citation.message_index
    around = messages_at(connection, session.session_id, index - 1, index + 1)
    message = around.get(index)
    if session.session_id != citation.session_id or message is None:
        known = f", it has {session.messages}, from 0" if session.session_id == citation.session_id else ""
        raise NotFoundError(
            f"session {citation.session_id} has no message {index}{known}",
            hint=f"`memory sessions show {session.session_id}` lists them",
        )
    segments = citation.segments if isinstance(citation, SpanCitation) else ((0, len(message.text)),)
    if segments[-1][1] > len(message.text):
        raise InvalidArgumentError(
            f"{citation.uri} ends behind its message, which has {len(message.text)} characters",
            hint="the session may have been replaced by another text since the citation was made",
        )
    start, end = segments[0][0], segments[-1][1]
    memories = _resting_on(connection, session.session_id, index, start, end)
    point = (session.session_id, index, start)
    previous, following = _neighbours(connection, [point], [memory.memory_id for memory in memories])[0]
    text = GAP.join(message.text[first:last] for first, last in segments)
    place = session.session_id, index
    return ResolvedSpan(
        uri=citation.uri,
        session=session,
        message=message,
        text=text,
        segments=segments,
        before=around.get(index - 1),
        after=around.get(index + 1),
        memories=memories,
        previous=previous,
        next=following,
        said_otherwise=said_instead_where(connection, {place: ((place,), text)}).get(place),
    )


def _resting_on(
    connection: duckdb.DuckDBPyConnection, session_id: str, message_index: int, start: int, end: int
) -> tuple[MemoryView, ...]:
    """The memories with a span that shares a character with this one."""
    rows = connection.execute(
        """SELECT DISTINCT n.memory_id FROM evidence_spans s JOIN entries n USING (entry_id)
           WHERE s.session_id = ? AND s.message_index = ? AND s.span_start < ? AND s.span_end > ?
             AND n.memory_id IS NOT NULL AND n.status <> 'superseded'""",
        [session_id, message_index, end, start],
    ).fetchall()
    found = memories_by_id(connection, [row[0] for row in rows])
    return tuple(sorted(found.values(), key=lambda memory: (memory.first_said_at, memory.memory_id)))


Point = tuple[str, int, int]


def _point(quote: Quote) -> Point:
    index = quote.claimed_message_index if quote.message_index is None else quote.message_index
    return quote.session_id, index, quote.span_start or 0


def _neighbours(
    connection: duckdb.DuckDBPyConnection, points: Sequence[Point], excluded: Sequence[str]
) -> list[tuple[Neighbour | None, Neighbour | None]]:
    """For each point the memory before and the one behind it in its session, other than the excluded ones."""
    given = {
        "points": json.dumps(
            [
                {"n": n, "session_id": session, "place": (index << 32) + start}
                for n, (session, index, start) in enumerate(points)
            ]
        ),
        "excluded": json_list(excluded),
    }
    sides = []
    for sign in ("<", ">"):
        statement = _NEIGHBOURS.replace("$$excluded$$", IN_LIST.replace("?", "$excluded")).replace("$$sign$$", sign)
        sides.append(fetch(connection, statement, given))
    instead = said_instead_of(connection, (row[1] for rows in sides for row in rows if row[2] is not None))
    before, behind = ({row[0]: _neighbour(row[3:], instead.get(row[1])) for row in rows} for rows in sides)
    return [(before.get(n), behind.get(n)) for n in range(len(points))]


def _neighbour(row: tuple[Any, ...], instead: SaidOtherwiseV1 | None) -> Neighbour:
    citation, entry_type, title, said_at, session_id, message_index, segments_json = row
    uri = address(session_id, message_index, json.loads(segments_json))
    assert uri is not None, citation  # only places with a span are asked for
    return Neighbour(
        citation=citation,
        entry_type=entry_type,
        preview=title[:PREVIEW_LENGTH],
        said_at=said_at,
        uri=uri,
        said_otherwise=instead,
    )
