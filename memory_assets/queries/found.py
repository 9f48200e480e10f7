"""Units that search found, with the text and the places that the index does not keep."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.queries.rows import fetch
from memory_assets.retrieval.citations import MessageCitation, SpanCitation
from memory_assets.retrieval.wire import CitationV1, LegPlaceV1, SearchHitV1, SearchResponseV1

if TYPE_CHECKING:
    import duckdb

    from memory_assets.retrieval.fusion import FusedHit

SNIPPET_LENGTH = 220
# A memory that was said a hundred times is one hit: its first places are enough to cite.
CITED = 5
_LEAD = 60
_WORD = re.compile(r"\w{2,64}")


class MemoryHitV1(SearchHitV1):
    """A hit with who granted its stage: the checker's name is shown wherever the stage is."""

    checker: str | None = None


class FoundV1(SearchResponseV1):
    """The answer to one question, its hits with their checkers."""

    hits: tuple[MemoryHitV1, ...] = ()


_UNITS = f"""
SELECT u.unit_id, u.unit_kind, u.title, u.body, u.stage, u.status, u.project, u.session_id, u.occurred_at, u.citations_json,
  'mem:' || m.short_id, m.checker
FROM memory_units u LEFT JOIN memories m ON u.unit_kind = 'entry' AND m.memory_id = u.source_id
WHERE u.unit_id IN {IN_LIST}
"""
_PLACES = """
WITH places AS (
  SELECT DISTINCT * FROM (SELECT unnest(from_json($places, '[{"session_id": "VARCHAR", "message_index": "INTEGER"}]'),
    recursive := true))
)
SELECT m.session_id, m.message_index, m.role, m.name, m.ts, m.text, s.source_uri
FROM places p JOIN messages m USING (session_id, message_index) JOIN sessions s USING (session_id)
"""


def contested_units(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """The units whose memory is contested: few, for a conflict is meant to be resolved."""
    return {row[0] for row in fetch(connection, "SELECT unit_id FROM memory_units WHERE status = 'contested'")}


def hits_of(connection: duckdb.DuckDBPyConnection, ranked: Sequence[FusedHit], query: str, k: int) -> list[MemoryHitV1]:
    """The first ``k`` of the ranked units that the store still has.

    A unit that the index holds and the store does not (its deletion waits in the outbox) is no hit.
    """
    found = {row[0]: row[1:] for row in fetch(connection, _UNITS, [json_list(hit.unit_id for hit in ranked)])}
    kept = [hit for hit in ranked if hit.unit_id in found][:k]
    cited = {hit.unit_id: json.loads(found[hit.unit_id][8])[:CITED] for hit in kept}
    wanted = [
        {"session_id": place["session_id"], "message_index": place["message_index"]}
        for places in cited.values()
        for place in places
    ]
    said = {(row[0], row[1]): row[2:] for row in fetch(connection, _PLACES, {"places": json.dumps(wanted)})}
    return [_hit(rank, hit, found[hit.unit_id], cited[hit.unit_id], said, query) for rank, hit in enumerate(kept, start=1)]


def snippet(text: str, query: str, length: int = SNIPPET_LENGTH) -> str:
    """At most ``length`` characters of a text on one line, around the first word of the question that stands in it."""
    line = " ".join(text.split())
    if len(line) <= length:
        return line
    folded = line.casefold()
    # Where folding changed the length (ß, İ) its positions would be off by a little: only the window moves.
    places = [folded.find(word.casefold()) for word in _WORD.findall(query)[:32]]
    first = min((place for place in places if place >= 0), default=0)
    start = max(0, min(first - _LEAD, len(line) - length + 1))
    lead, tail = "…" if start else "", "…" if start + length - 1 < len(line) else ""
    return lead + line[start : start + length - len(lead) - len(tail)].strip() + tail


def _hit(
    rank: int,
    hit: FusedHit,
    row: tuple[Any, ...],
    places: list[dict[str, Any]],
    said: dict[tuple[str, int], tuple[Any, ...]],
    query: str,
) -> MemoryHitV1:
    kind, title, body, stage, status, project, session_id, occurred_at, _, citation, checker = row
    citations = [
        _citation(place, said[place["session_id"], place["message_index"]], citation, whole=kind == "passage")
        for place in places
        if (place["session_id"], place["message_index"]) in said
    ]
    return MemoryHitV1(
        rank=rank,
        score=round(hit.score, 6),
        score_kind=hit.score_kind,
        unit_id=hit.unit_id,
        unit_kind=kind,
        id=citation,
        title=title,
        # A unit's body begins with its title, which is shown already.
        snippet=snippet(body.removeprefix(f"{title}\n"), query),
        project=project,
        session_id=session_id,
        stage=stage,
        checker=checker,
        status=status,
        ts=occurred_at,
        citations=tuple(citations),
        legs={
            name: LegPlaceV1(rank=place.rank, score=round(place.score, 6), score_kind=place.score_kind)
            for name, place in hit.places.items()
        },
    )


def _citation(place: dict[str, Any], message: tuple[Any, ...], memory: str | None, *, whole: bool) -> CitationV1:
    role, name, ts, text, path = message
    segments = tuple((start, end) for start, end in place["segments"])
    address: MessageCitation | SpanCitation = (
        MessageCitation(place["session_id"], place["message_index"])
        if whole
        else SpanCitation(place["session_id"], place["message_index"], segments)
    )
    quote = None if whole else text[place["span_start"] : place["span_end"]]
    return CitationV1.of(
        address, id=memory, path=path, role=role, name=name, ts=ts, quote=quote, label=_label(name or role, ts)
    )


def _label(speaker: str, ts: datetime) -> str:
    return f"{speaker}, {ts:%Y-%m-%d %H:%M}"
