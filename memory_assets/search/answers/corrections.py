"""What a person corrected comes behind what they said instead, wherever both are found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.search.ranking.ranking import RankedHit
from memory_assets.search.ranking.rerank import Adjustment

if TYPE_CHECKING:
    import duckdb

# Units that show a corrected memory, itself or a message of its quotes, each with the unit of the correction.
_CORRECTED = f"""
WITH corrected AS (
  SELECT m.memory_id, m.superseded_by AS correction FROM memories m
  WHERE m.superseded_by IS NOT NULL AND EXISTS (SELECT 1 FROM conflicts c WHERE c.conflict_type = 'corrected'
    AND m.memory_id IN (c.older_memory_id, c.newer_memory_id) AND m.superseded_by IN (c.older_memory_id, c.newer_memory_id))
), places AS (
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


def _raised(correction: RankedHit, score: float) -> RankedHit:
    """The correction with the score of what it corrects, at the least."""
    if (missing := round(score - correction.score, 6)) <= 0:
        return correction
    return replace(
        correction, score=correction.score + missing, bonuses=(*correction.bonuses, Adjustment(missing, "correction"))
    )
