"""What people said of conflicts, read from their commands, and what of it merges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.graduation.resolutions import ConflictCommand, in_force
from memory_assets.log.sql import IN_LIST, json_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import duckdb

Statement = tuple[str | None, str, str]
"""A project, a type and what is said: what a group of entries has in common."""

_Instead = dict[str, list[tuple[list[str], list[str]]]]
"""By an entry, the entries that were said instead of it, each correction's with its statements."""

_WORDS = """
SELECT c.occurred_at, c.event_id, c.payload_json ->> '$.conflict_id', c.payload_json ->> '$.resolution',
  list(e.entry_id) FILTER (e.side = 'older'), list(e.entry_id) FILTER (e.side = 'newer'),
  coalesce(c.payload_json ->> '$.resolved_by', c.payload_json ->> '$.reopened_by'),
  coalesce(c.payload_json ->> '$.note', '')
FROM commands c JOIN command_entries e USING (event_id)
WHERE c.event_type IN ('conflict_resolved', 'conflict_reopened') GROUP BY ALL
"""


# A correction sets aside what it is about; its other side is whatever its session says by now.
_CORRECTIONS = """
SELECT c.occurred_at, c.event_id, list(DISTINCT e.entry_id), list(DISTINCT n.entry_id), list_sort(list(DISTINCT s.statement)),
  c.payload_json ->> '$.corrected_by'
FROM commands c JOIN command_entries e USING (event_id)
JOIN entries n ON n.session_id = (c.payload_json ->> '$.correction_session_id') AND n.status <> 'superseded'
LEFT JOIN statements s ON s.entry_id = n.entry_id
WHERE c.event_type = 'memory_corrected' GROUP BY ALL ORDER BY c.occurred_at, c.event_id
"""


def words_in_force(connection: duckdb.DuckDBPyConnection) -> list[ConflictCommand]:
    """The words that nobody has replaced, the last one first: resolutions, and those that took one back."""
    said = [
        ConflictCommand(at, event_id, conflict_id, resolution, frozenset(older or ()), frozenset(newer or ()), by, note)
        for at, event_id, conflict_id, resolution, older, newer, by, note in connection.execute(_WORDS).fetchall()
    ]
    return in_force([*said, *_corrections(connection)])[::-1]


def _corrections(connection: duckdb.DuckDBPyConnection) -> Iterator[ConflictCommand]:
    """What people said instead of something: it sets aside what was said before it instead of the same, in other words."""
    before: _Instead = {}
    for at, event_id, older, newer, statements, by in connection.execute(_CORRECTIONS).fetchall():
        replaced = {entry_id for entry_id, others in _said_instead(older, before).items() if others != statements}
        yield ConflictCommand(at, event_id, "", "keep_newer", frozenset(older) | replaced, frozenset(newer), by, corrects=True)
        for corrected in older:
            before.setdefault(corrected, []).append((newer, statements))


def _said_instead(corrected: Iterable[str], before: _Instead) -> dict[str, list[str]]:
    """What was said instead of some entries, and instead of that, each with the statements of its correction."""
    found: dict[str, list[str]] = {}
    waiting = list(corrected)
    while waiting:
        for entries, statements in before.get(waiting.pop(), ()):
            waiting += (entry_id for entry_id in entries if entry_id not in found)
            found |= dict.fromkeys(entries, statements)
    return found


def merges(words: list[ConflictCommand]) -> list[ConflictCommand]:
    """Those that made one memory of two."""
    return [word for word in words if word.resolution == "merge"]


def merged_statements(connection: duckdb.DuckDBPyConnection) -> list[tuple[Statement, Statement]]:
    """The statements that people said are one, pairwise."""
    merging = merges(words_in_force(connection))
    if not merging:
        return []
    rows = connection.execute(
        f"SELECT entry_id, project, entry_type, statement FROM statements WHERE entry_id IN {IN_LIST}",
        [json_list({entry_id for word in merging for entry_id in (*word.older, *word.newer)})],
    ).fetchall()
    said: dict[str, Statement] = {row[0]: (row[1], row[2], row[3]) for row in rows}
    return [
        (said[one], said[other])
        for word in merging
        for one in sorted(word.older & said.keys())
        for other in sorted(word.newer & said.keys())
        if said[one] != said[other] and said[one][:2] == said[other][:2]
    ]
