"""What was said of units, and how often they were delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.log.fetching import fetch
from memory_assets.search.ranking.feedback_boost import feedback_boost

if TYPE_CHECKING:
    import duckdb

    from memory_assets.results.feedback import UnitStandingV1

# From the few words to the units, not from all units to their words.
_UPLIFTS = """
SELECT f.unit_kind, f.source_id, count(*) FILTER (f.signal = 'helpful'), count(*) FILTER (f.signal = 'used'),
  count(*) FILTER (f.signal = 'wrong'), coalesce(any_value(g.shown), 0)
FROM unit_feedback f LEFT JOIN unit_usage g ON g.unit_kind = f.unit_kind AND g.source_hash = md5(f.source_id)
GROUP BY f.unit_kind, f.source_id
"""

_STANDING = """
SELECT v.unit_id, v.unit_kind, v.source_id, u.title, v.shown, v.used, v.helpful, v.wrong
FROM v_unit_standing v JOIN memory_units u USING (unit_id) WHERE v.unit_id = ?
"""


def unit_uplifts(connection: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], float]:
    """The units that somebody said something of, by (unit_kind, source_id), each with its uplift: few, one read."""
    return {
        (unit_kind, source_id): feedback_boost(helpful, used, wrong, shown)
        for unit_kind, source_id, helpful, used, wrong, shown in connection.execute(_UPLIFTS).fetchall()
    }


def standing_of(connection: duckdb.DuckDBPyConnection, unit_id: str) -> UnitStandingV1 | None:
    """How a unit stands; None where there is none of this id."""
    from memory_assets.results.feedback import UnitStandingV1

    rows = fetch(connection, _STANDING, [unit_id])
    if not rows:
        return None
    _, unit_kind, source_id, title, shown, used, helpful, wrong = rows[0]
    return UnitStandingV1(
        unit_id=unit_id,
        unit_kind=unit_kind,
        source_id=source_id,
        title=title,
        shown=shown,
        used=used,
        helpful=helpful,
        wrong=wrong,
        uplift=round(feedback_boost(helpful, used, wrong, shown), 4),
    )
