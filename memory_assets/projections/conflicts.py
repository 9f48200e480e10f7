"""Conflicts: memories of one project that contradict each other, and what people said of that (requirements G-31, G-171).

Which memories clash is a function of their texts alone (``graduation.conflicts``). A conflict counts once its
``conflict_detected`` is in the log: until then it stands in the table as due.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory_assets.graduation.conflicts.clash import DETECTOR_VERSION, Clash, clash
from memory_assets.graduation.resolutions import Word, in_force, settled
from memory_assets.identifiers import typed_id
from memory_assets.log.event_log import Appended, Build, insert, rows_of
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.graduation import ConflictDetected, ConflictType
from memory_assets.log.sql import IN_LIST, json_list, visible

if TYPE_CHECKING:
    import duckdb

Place = tuple[datetime, str, int, int, str]
"""Where an entry stands in the order of the sessions' own clocks."""

_PAIRS = """
WITH told AS (
  SELECT s.project, n.memory_id, s.said, s.clash_forms FROM statements s JOIN entries n USING (entry_id)
  WHERE len(s.clash_forms) > 0 AND n.memory_id IS NOT NULL
), mine AS (
  SELECT DISTINCT project, memory_id, said, unnest(clash_forms) AS form FROM told
  WHERE memory_id IN (SELECT memory_id FROM touched_memories)
)
SELECT DISTINCT m.memory_id, m.said, t.memory_id, t.said
FROM mine m JOIN (SELECT DISTINCT project, memory_id, said, unnest(clash_forms) AS form FROM told) t
  ON t.form = m.form AND t.project IS NOT DISTINCT FROM m.project AND t.memory_id <> m.memory_id
"""

_ENTRIES = f"""
SELECT n.memory_id, n.entry_id, n.project, s.said, n.content_json ->> '$.status', n.entry_type,
  n.created_ts, n.session_id, n.message_index, n.ordinal, n.source_event_id
FROM entries n JOIN statements s USING (entry_id) WHERE n.memory_id IN {IN_LIST}
"""

_ENDED = """
SELECT DISTINCT memory_id FROM entries WHERE entry_type = 'task' AND memory_id IN (SELECT memory_id FROM touched_memories)
  AND (content_json ->> '$.status') IN ('done', 'cancelled')
"""

_WORDS = """
SELECT c.occurred_at, c.event_id, c.payload_json ->> '$.conflict_id', c.payload_json ->> '$.resolution',
  list(e.entry_id) FILTER (e.side = 'older'), list(e.entry_id) FILTER (e.side = 'newer'),
  coalesce(c.payload_json ->> '$.resolved_by', c.payload_json ->> '$.reopened_by'),
  coalesce(c.payload_json ->> '$.note', '')
FROM commands c JOIN command_entries e USING (event_id)
WHERE c.event_type IN ('conflict_resolved', 'conflict_reopened') GROUP BY ALL
"""

_MERGED = f"""
INSERT OR REPLACE INTO conflicts
WITH sides AS (
  SELECT a.memory_id, list_sort(list(DISTINCT a.entry_id)) AS older, list_sort(list(DISTINCT b.entry_id)) AS newer
  FROM entries a JOIN entries b ON b.memory_id = a.memory_id
  WHERE a.entry_id IN {IN_LIST} AND b.entry_id IN {IN_LIST} AND a.memory_id IN (SELECT memory_id FROM touched_memories)
  GROUP BY a.memory_id ORDER BY a.memory_id LIMIT 1
)
SELECT d.payload_json ->> '$.conflict_id', d.project, d.payload_json ->> '$.conflict_type', d.payload_json ->> '$.reason',
  d.payload_json ->> '$.older_id', d.payload_json ->> '$.newer_id', s.memory_id, s.memory_id, s.older, s.newer, 'resolved',
  d.occurred_at, c.occurred_at, 'merge', c.payload_json ->> '$.resolved_by', c.payload_json ->> '$.note', d.event_id
FROM commands c CROSS JOIN sides s
JOIN {visible("event_type = 'conflict_detected'")} d
  ON (d.payload_json ->> '$.conflict_id') = (c.payload_json ->> '$.conflict_id')
WHERE c.event_id = ? ORDER BY d.seq DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of an entry here. ``status`` is what it claims of its task."""

    memory_id: str
    entry_id: str
    project: str | None
    said: str
    status: str | None
    entry_type: str
    place: Place
    event_id: str


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a conflict: entries of one memory, the newest last."""

    memory_id: str
    entries: tuple[Entry, ...]

    @property
    def last(self) -> Entry:
        return self.entries[-1]

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(entry.entry_id for entry in self.entries)


@dataclass(frozen=True, slots=True)
class Found:
    """Two sides that contradict each other, the side that was said last behind the other."""

    older: Side
    newer: Side
    kind: ConflictType
    reason: str

    @property
    def conflict_id(self) -> str:
        """The same for as long as both sides begin with the same entries."""
        firsts = sorted((self.older.entries[0].entry_id, self.newer.entries[0].entry_id))
        return typed_id("cfl", self.kind, *firsts)

    def event(self, chains: dict[str, str]) -> NewEvent:
        """What is logged of it; ``chains`` holds the history of each session."""
        rests_on = (self.older.last, self.newer.last)
        return NewEvent(
            payload=ConflictDetected(
                conflict_id=self.conflict_id,
                older_id=self.older.last.entry_id,
                newer_id=self.newer.last.entry_id,
                conflict_type=self.kind,
                reason=self.reason,
            ),
            inputs=(self.conflict_id, *(entry.event_id for entry in rests_on)),
            stage_version=DETECTOR_VERSION,
            occurred_at=self.newer.last.place[0].replace(tzinfo=UTC),
            basis_chains=tuple(dict.fromkeys(chains[entry.place[1]] for entry in rests_on)),
            project=self.newer.last.project,
        )


def people_words(connection: duckdb.DuckDBPyConnection) -> list[Word]:
    """The resolutions that are in force."""
    return in_force(
        Word(at, event_id, conflict_id, resolution, frozenset(older or ()), frozenset(newer or ()), by, note)
        for at, event_id, conflict_id, resolution, older, newer, by, note in connection.execute(_WORDS).fetchall()
    )


def fold_conflicts(connection: duckdb.DuckDBPyConnection) -> None:
    """Look for the conflicts of the touched memories anew; whoever is or was in one with them is touched too."""
    partners = """INSERT INTO touched_memories
        SELECT DISTINCT unnest([older_memory_id, newer_memory_id]) FROM conflicts
        WHERE older_memory_id IN (SELECT memory_id FROM touched_memories)
           OR newer_memory_id IN (SELECT memory_id FROM touched_memories) EXCEPT SELECT memory_id FROM touched_memories"""
    touched = [row[0] for row in connection.execute("SELECT DISTINCT memory_id FROM touched_memories").fetchall()]
    connection.execute(partners)
    connection.execute(
        f"DELETE FROM conflicts WHERE older_memory_id IN {IN_LIST} OR newer_memory_id IN {IN_LIST}",
        [json_list(touched), json_list(touched)],
    )
    found = list(_found(connection))
    if found:
        _write(connection, found)
        connection.execute(partners)
    _write_merged(connection)


def conflicts_due(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether a conflict is not in the log yet."""
    return bool(connection.execute("SELECT 1 FROM conflicts WHERE status = 'due' LIMIT 1").fetchall())


def detect_conflicts(connection: duckdb.DuckDBPyConnection, build: Build | None) -> Appended:
    """Append the conflicts that are due, and touch their memories; part of the caller's transaction."""
    connection.execute(
        """INSERT INTO touched_memories
           SELECT DISTINCT unnest([older_memory_id, newer_memory_id]) FROM conflicts WHERE status = 'due'"""
    )
    found = list(_found(connection))
    chains = _chains(connection, found)
    return insert(connection, rows_of([conflict.event(chains) for conflict in found]), build=build)


def _found(connection: duckdb.DuckDBPyConnection) -> Iterator[Found]:
    """Every conflict that a touched memory is in, in a fixed order."""
    clashes: dict[tuple[str, str], list[tuple[str, str, Clash]]] = {}
    for memory, said, other, other_said in connection.execute(_PAIRS).fetchall():
        pair = (memory, other) if memory < other else (other, memory)
        texts = (said, other_said) if memory < other else (other_said, said)
        if any(known[:2] == texts for known in clashes.get(pair, ())):
            continue
        found = clash(*texts)
        if found is not None:
            clashes.setdefault(pair, []).append((*texts, found))
    ended = [row[0] for row in connection.execute(_ENDED).fetchall()]
    memories = _memories(connection, {*ended, *(memory for pair in clashes for memory in pair)})
    for (one, other), texts_found in sorted(clashes.items()):
        yield _between(memories[one], memories[other], texts_found)
    for memory in sorted(ended):
        yield from _status_clash(memories[memory])


def _memories(connection: duckdb.DuckDBPyConnection, wanted: Iterable[str]) -> dict[str, list[Entry]]:
    memories: dict[str, list[Entry]] = {}
    for row in connection.execute(_ENTRIES, [json_list(wanted)]).fetchall():
        memory_id, entry_id, project, said, status, entry_type, at, session_id, message_index, ordinal, event_id = row
        place = (at, session_id, message_index, ordinal, entry_id)
        memories.setdefault(memory_id, []).append(
            Entry(memory_id, entry_id, project, said, status, entry_type, place, event_id)
        )
    for entries in memories.values():
        entries.sort(key=lambda entry: entry.place)
    return memories


def _between(one: list[Entry], other: list[Entry], clashes: list[tuple[str, str, Clash]]) -> Found:
    sides = sorted(
        (Side(one[0].memory_id, tuple(one)), Side(other[0].memory_id, tuple(other))), key=lambda side: side.last.place
    )
    # Of several ways in which they clash the first in a fixed order is told: the texts decide, not who asked.
    _, _, first = min(clashes, key=lambda clash: (clash[2].kind, clash[0], clash[1]))
    return Found(sides[0], sides[1], first.kind, first.reason)


def _status_clash(entries: list[Entry]) -> Iterator[Found]:
    """One task of which it was said last that it is done, and before that, that it is cancelled; or the other way round."""
    told = [entry for entry in entries if entry.status is not None]
    if len(told) < 2 or {told[-1].status, told[-2].status} != {"done", "cancelled"}:
        return
    older, newer = (
        Side(entries[0].memory_id, tuple(entry for entry in told if entry.status == status))
        for status in (told[-2].status, told[-1].status)
    )
    yield Found(older, newer, "status_clash", "one says that it is done, the other that it is cancelled")


def _write(connection: duckdb.DuckDBPyConnection, found: list[Found]) -> None:
    import pyarrow as pa

    chains = _chains(connection, found)
    events = {conflict.conflict_id: conflict.event(chains) for conflict in found}
    known = {
        row[0]
        for row in connection.execute(
            f"SELECT event_id FROM {visible(f'event_id IN {IN_LIST}')}",
            [json_list(event.event_id for event in events.values())],
        ).fetchall()
    }
    words = people_words(connection)
    rows = [_row(conflict, events[conflict.conflict_id], known, words) for conflict in found]
    text, time, texts = pa.string(), pa.timestamp("us"), pa.list_(pa.string())
    types = {"older_entries": texts, "newer_entries": texts, "detected_at": time, "resolved_at": time}
    table = pa.table({name: pa.array([row[name] for row in rows], types.get(name, text)) for name in rows[0]})
    connection.register("new_conflicts", table)
    connection.execute("INSERT OR REPLACE INTO conflicts BY NAME SELECT * FROM new_conflicts")
    connection.unregister("new_conflicts")


def _write_merged(connection: duckdb.DuckDBPyConnection) -> None:
    """Conflicts of which a person said that both sides are one: they are in one memory now, and can be taken apart again."""
    for word in people_words(connection):
        if word.resolution == "merge":
            connection.execute(_MERGED, [json_list(word.older), json_list(word.newer), word.event_id])


def _row(conflict: Found, event: NewEvent, known: set[str], words: list[Word]) -> dict[str, object]:
    word = next((word for word in words if word.speaks_of(conflict.older.ids, conflict.newer.ids)), None)
    if word is not None and not settled(word, _loser_said_at(word, conflict)):
        word = None
    is_known = event.event_id in known
    return {
        "conflict_id": conflict.conflict_id,
        "project": conflict.newer.last.project,
        "conflict_type": conflict.kind,
        "reason": conflict.reason,
        "older_id": conflict.older.last.entry_id,
        "newer_id": conflict.newer.last.entry_id,
        "older_memory_id": conflict.older.memory_id,
        "newer_memory_id": conflict.newer.memory_id,
        "older_entries": sorted(conflict.older.ids),
        "newer_entries": sorted(conflict.newer.ids),
        "status": "due" if not is_known else "open" if word is None else "resolved",
        "detected_at": conflict.newer.last.place[0],
        "resolved_at": word and word.said_at,
        # As the sides are called now: the older may have been said again since.
        "resolution": word and _resolution(word, conflict),
        "resolved_by": word and word.said_by,
        "note": word and word.note,
        "event_id": event.event_id,
    }


def _resolution(word: Word, conflict: Found) -> str | None:
    if word.keeps(conflict.newer.ids, conflict.older.ids):
        return "keep_newer"
    if word.keeps(conflict.older.ids, conflict.newer.ids):
        return "keep_older"
    return word.resolution


def _loser_said_at(word: Word, conflict: Found) -> datetime:
    loser = conflict.older if word.keeps(conflict.newer.ids, conflict.older.ids) else conflict.newer
    return loser.last.place[0]


def _chains(connection: duckdb.DuckDBPyConnection, found: list[Found]) -> dict[str, str]:
    sessions = {side.last.place[1] for conflict in found for side in (conflict.older, conflict.newer)}
    rows = connection.execute(f"SELECT session_id, chain_id FROM sessions WHERE session_id IN {IN_LIST}", [json_list(sessions)])
    return dict(rows.fetchall())


def merged_statements(
    connection: duckdb.DuckDBPyConnection,
) -> list[tuple[tuple[str | None, str, str], tuple[str | None, str, str]]]:
    """The statements (project, type, statement) that people said are one, pairwise."""
    merges = [word for word in people_words(connection) if word.resolution == "merge"]
    if not merges:
        return []
    rows = connection.execute(
        f"SELECT entry_id, project, entry_type, statement FROM statements WHERE entry_id IN {IN_LIST}",
        [json_list({entry_id for word in merges for entry_id in (*word.older, *word.newer)})],
    ).fetchall()
    said = {row[0]: (row[1], row[2], row[3]) for row in rows}
    return [
        (said[one], said[other])
        for word in merges
        for one in sorted(word.older & said.keys())
        for other in sorted(word.newer & said.keys())
        if said[one] != said[other] and said[one][:2] == said[other][:2]
    ]
