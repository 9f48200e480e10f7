"""What a person corrected comes behind what they said instead, wherever both are found; and which words were corrected."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from memory_assets.log.fetching import fetch, scalar
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.search.ranking.ranking import RankedHit
from memory_assets.search.ranking.rerank import Adjustment

if TYPE_CHECKING:
    from datetime import datetime

    import duckdb

Place = tuple[str, int]

# Memories that a person corrected, each with what holds instead: of several corrections in a row the last one (the fold of
# standings follows them), so that is not always the other side of the conflict.
_CORRECTED_MEMORIES: Final = """corrected AS (
  SELECT m.memory_id, m.superseded_by AS correction FROM memories m
  WHERE m.superseded_by IS NOT NULL AND EXISTS (SELECT 1 FROM conflicts c WHERE c.conflict_type = 'corrected'
    AND m.memory_id IN (c.older_memory_id, c.newer_memory_id))
)"""

# Units that show a corrected memory, itself or a message of its quotes, each with the unit of the correction.
_CORRECTED = f"""
WITH {_CORRECTED_MEMORIES}, places AS (
  SELECT c.correction, e.session_id, e.message_index FROM corrected c JOIN entries n USING (memory_id)
  JOIN evidence_spans e USING (entry_id) WHERE e.message_index IS NOT NULL
)
SELECT u.unit_id, k.unit_id FROM memory_units u JOIN corrected c ON u.unit_kind = 'entry' AND u.source_id = c.memory_id
JOIN memory_units k ON k.unit_kind = 'entry' AND k.source_id = c.correction WHERE u.unit_id IN {IN_LIST}
UNION
SELECT u.unit_id, k.unit_id FROM memory_units u
JOIN places p ON u.unit_kind = 'passage' AND u.session_id = p.session_id AND u.message_index = p.message_index
JOIN memory_units k ON k.unit_kind = 'entry' AND k.source_id = p.correction WHERE u.unit_id IN {IN_LIST}
"""

# Titles are without the marks of Markdown.
_LETTERS: Final = r"regexp_replace(lower({}), '[^\p{{L}}\p{{N}}]', '', 'g')"

# Where it was said what holds instead. What a person typed stands before what sessions say in the same words.
_SAID: Final = """said AS (
  SELECT m.memory_id, 'mem:' || m.short_id AS address, e.session_id, e.message_index, e.span_start, e.span_end, e.matched_text,
    coalesce(w.name, w.role) AS said_by, w.ts
  FROM memories m JOIN entries n USING (memory_id) JOIN evidence_spans e USING (entry_id)
  JOIN messages w ON w.session_id = e.session_id AND w.message_index = e.message_index
  JOIN sessions s ON s.session_id = e.session_id
  WHERE m.memory_id IN (SELECT correction FROM corrected)
  QUALIFY row_number() OVER (
    PARTITION BY m.memory_id ORDER BY s.source_kind = 'correction' DESC, w.ts DESC, e.entry_id, e.ordinal) = 1
)"""

# Quotes of corrected memories in some messages, each with what holds instead. Where a quote says what the memory is called, the
# others but the first are sentences beside it, which nobody corrected.
_SPANS: Final = f"""
WITH {_CORRECTED_MEMORIES}, wanted AS (
  SELECT DISTINCT * FROM (SELECT unnest(from_json($places, '[{{"session_id": "VARCHAR", "message_index": "INTEGER"}}]'),
    recursive := true))
), {_SAID}, quoted AS (
  SELECT e.session_id, e.message_index, e.segments_json, e.ordinal, c.correction,
    contains({_LETTERS.format("e.matched_text")}, {_LETTERS.format("n.title")}) AS is_title,
    bool_or(is_title) OVER (PARTITION BY e.entry_id) AS has_title
  FROM corrected c JOIN entries n USING (memory_id) JOIN evidence_spans e USING (entry_id)
)
SELECT DISTINCT w.session_id, w.message_index, w.text, e.segments_json, k.address, k.session_id, k.message_index, k.span_start,
  k.span_end, k.matched_text, k.said_by, k.ts
FROM quoted e JOIN wanted p ON p.session_id = e.session_id AND p.message_index = e.message_index
JOIN messages w ON w.session_id = e.session_id AND w.message_index = e.message_index
JOIN said k ON k.memory_id = e.correction
WHERE e.ordinal = 0 OR e.is_title OR NOT e.has_title
ORDER BY ALL
"""
# Corrected memories among some, each with what holds instead.
_INSTEAD: Final = f"""
WITH {_CORRECTED_MEMORIES}, {_SAID}
SELECT c.memory_id, k.address, k.session_id, k.message_index, k.span_start, k.span_end, k.matched_text, k.said_by, k.ts
FROM corrected c JOIN said k ON k.memory_id = c.correction WHERE c.memory_id IN {IN_LIST}
"""
_HAS_CORRECTIONS: Final = "SELECT EXISTS (SELECT 1 FROM conflicts WHERE conflict_type = 'corrected')"
# Those of some sessions in which a person corrects something.
_CORRECTING: Final = f"SELECT session_id FROM sessions WHERE source_kind = 'correction' AND session_id IN {IN_LIST}"


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person said instead of a memory.

    Attributes:
        address: of the memory that it is.
        place: the message in which it is said; ``start`` and ``end`` are its characters there, half-open, code points.
    """

    address: str
    place: Place
    start: int
    end: int
    text: str
    said_by: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class CorrectedSpan:
    """Characters of a message of which a person said otherwise: half-open, code points of the message.

    Attributes:
        text: the characters.
        correction: what holds instead.
    """

    start: int
    end: int
    text: str
    correction: Correction


def corrected_spans(connection: duckdb.DuckDBPyConnection, places: Iterable[Place]) -> dict[Place, list[CorrectedSpan]]:
    """What persons corrected of some messages, in the order in which it stands there.

    For stores in which somebody corrected something (``StoreState.has_corrections``): others need not be asked.
    """
    points = json.dumps([{"session_id": session_id, "message_index": index} for session_id, index in places])
    found: dict[Place, list[CorrectedSpan]] = {}
    for session_id, index, text, segments_json, address, *said in fetch(connection, _SPANS, {"places": points}):
        correction = _correction(address, *said)
        spans = found.setdefault((session_id, index), [])
        spans += [CorrectedSpan(start, end, text[start:end], correction) for start, end in json.loads(segments_json)]
    return {place: sorted(spans, key=lambda span: (span.start, span.end)) for place, spans in found.items()}


def corrections_of(connection: duckdb.DuckDBPyConnection, memory_ids: Iterable[str]) -> dict[str, Correction]:
    """Of those among some memories that a person corrected, by id, what holds instead."""
    rows = fetch(connection, _INSTEAD, [json_list(memory_ids)])
    return {memory_id: _correction(*said) for memory_id, *said in rows}


def has_corrections(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether a person has said otherwise than a memory does, for those who have not read it with the state of the store."""
    return bool(scalar(connection, _HAS_CORRECTIONS))


def correcting_sessions(connection: duckdb.DuckDBPyConnection, session_ids: Iterable[str]) -> frozenset[str]:
    """Those of some sessions in which a person corrects something."""
    return frozenset(row[0] for row in fetch(connection, _CORRECTING, [json_list(session_ids)]))


def corrections_first(connection: duckdb.DuckDBPyConnection, ranked: Sequence[RankedHit], looked_at: int) -> list[RankedHit]:
    """A ranking in which each correction stands in front of what it corrects, with the reason among its bonuses.

    Args:
        looked_at: how many of the best are looked at for what was corrected; their corrections may stand anywhere.
    """
    ids = json_list(one.hit.unit_id for one in ranked[:looked_at])
    of_unit: dict[str, set[str]] = {}
    for unit_id, correction in fetch(connection, _CORRECTED, [ids, ids]):
        of_unit.setdefault(unit_id, set()).add(correction)
    by_id = {one.hit.unit_id: one for one in ranked}
    placed: dict[str, RankedHit] = {}

    def place(one: RankedHit) -> None:
        if one.hit.unit_id in placed:
            return
        # A correction of a correction comes before both.
        for correction in sorted(of_unit.pop(one.hit.unit_id, ())):
            if correction in by_id:
                place(_raised(by_id[correction], one.score))
        placed.setdefault(one.hit.unit_id, one)

    for one in ranked:
        place(one)
    return list(placed.values())


def _correction(address: str, session_id: str, message_index: int, *known: Any) -> Correction:
    return Correction(address, (session_id, message_index), *known)


def _raised(correction: RankedHit, score: float) -> RankedHit:
    """The correction with the score of what it corrects, at the least."""
    if (missing := round(score - correction.score, 6)) <= 0:
        return correction
    return replace(
        correction, score=correction.score + missing, bonuses=(*correction.bonuses, Adjustment(missing, "correction"))
    )
