"""What the memory was good for: how often what it holds was shown, opened, cited, and said to have helped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memory_assets.log.fetching import fetch
from memory_assets.results.stats import UsageV1, UsedMemoryV1

if TYPE_CHECKING:
    import duckdb

MOST_NAMED: Final = 5

_UNITS = "SELECT unit_kind, source_id FROM memory_units WHERE $project IS NULL OR project = $project"
_COUNTED_UNITS = _UNITS.replace("source_id", "md5(source_id)")
_COUNTED = f"""
SELECT coalesce(sum(shown), 0), coalesce(sum(opened), 0), coalesce(sum(cited), 0), min(first_at), max(last_at)
FROM unit_usage WHERE (unit_kind, source_hash) IN ({_COUNTED_UNITS})
"""
_DAYS = f"SELECT count(DISTINCT day) FROM unit_usage_days WHERE (unit_kind, source_hash) IN ({_COUNTED_UNITS})"
_SAID = f"""
SELECT count(*) FILTER (signal = 'used'), count(*) FILTER (signal = 'helpful'), count(*) FILTER (signal = 'wrong')
FROM unit_feedback WHERE (unit_kind, source_id) IN ({_UNITS})
"""
# Of the memories that search can show at all, as `memory audit` counts them.
_MEMORIES = """
WITH said AS (
  SELECT source_id, count(*) FILTER (signal = 'used') AS used, count(*) FILTER (signal = 'helpful') AS helpful,
    count(*) FILTER (signal = 'wrong') AS wrong
  FROM unit_feedback WHERE unit_kind = 'entry' GROUP BY source_id
), of_use AS (
  SELECT m.memory_id, 'mem:' || m.short_id AS citation, m.title, coalesce(g.shown, 0) AS shown, coalesce(g.opened, 0) AS opened,
    coalesce(g.cited, 0) AS cited, coalesce(s.used, 0) AS used, coalesce(s.helpful, 0) AS helpful, coalesce(s.wrong, 0) AS wrong
  FROM memories m JOIN memory_units u ON u.unit_kind = 'entry' AND u.source_id = m.memory_id
  LEFT JOIN unit_usage g ON g.unit_kind = 'entry' AND g.source_hash = md5(m.memory_id)
  LEFT JOIN said s ON s.source_id = m.memory_id
  WHERE $project IS NULL OR u.project = $project
)
"""
_NEVER_SHOWN = f"{_MEMORIES} SELECT count(*), count(*) FILTER (shown = 0) FROM of_use"
# Who says that it is wrong takes away what others said for it.
_OF_MOST_USE = f"""{_MEMORIES}
SELECT citation, title, shown, opened, cited, used, helpful, wrong FROM of_use
WHERE opened + cited + used + helpful > 0
ORDER BY used + helpful - wrong DESC, cited DESC, opened DESC, shown DESC, memory_id LIMIT {MOST_NAMED}
"""


def memory_use(connection: duckdb.DuckDBPyConnection, *, project: str | None = None) -> UsageV1:
    """What the memory was good for, as far as it is counted.

    Args:
        project: of which alone; None for the whole store.
    """
    of = {"project": project}
    shown, opened, cited, first_at, last_at = fetch(connection, _COUNTED, of)[0]
    used, helpful, wrong = fetch(connection, _SAID, of)[0]
    memories, never_shown = fetch(connection, _NEVER_SHOWN, of)[0]
    return UsageV1(
        project=project,
        shown=int(shown),
        opened=int(opened),
        cited=int(cited),
        used=used,
        helpful=helpful,
        wrong=wrong,
        days=fetch(connection, _DAYS, of)[0][0],
        first_at=first_at,
        last_at=last_at,
        memories=memories,
        memories_never_shown=never_shown,
        of_most_use=tuple(
            UsedMemoryV1(
                citation=citation,
                title=title,
                shown=shown,
                opened=opened,
                cited=cited,
                used=used,
                helpful=helpful,
                wrong=wrong,
            )
            for citation, title, shown, opened, cited, used, helpful, wrong in fetch(connection, _OF_MOST_USE, of)
        ),
    )
