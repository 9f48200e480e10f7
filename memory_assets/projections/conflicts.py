"""Conflicts: memories of one project that contradict each other, and what people said of that.

Which memories clash is a function of their texts alone (``graduation.conflicts``), and which words settle it of what people
said (``graduation.resolutions``): so a conflict counts as soon as it can be seen. ``conflict_detected`` tells the ledger of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from typing import TYPE_CHECKING

from memory_assets.graduation.conflicts.contradictions import DETECTOR_VERSION, Contradiction, contradiction
from memory_assets.graduation.resolutions import ConflictCommand, settles
from memory_assets.identifiers import typed_id
from memory_assets.log.batches import Appended, Build, insert, rows_of
from memory_assets.log.events import NewEvent, dedupe_key_of, event_id_of
from memory_assets.log.payloads.graduation import ConflictDetected, ConflictType
from memory_assets.log.sql import IN_LIST, json_list, seen
from memory_assets.projections.conflict_resolutions import merges, words_in_force

if TYPE_CHECKING:
    import duckdb

LATER_WORDS = "the session's later words"
"""Who resolves a conflict within one session."""
Place = tuple[datetime, str, int, int, str]
"""Where an entry stands in the order of the sessions' own clocks."""

# Only evidence that stands can contradict anything: every quote found, none with a critical difference.
_SOUND = "n.evidence_aligned AND n.entry_id NOT IN (SELECT entry_id FROM evidence_spans WHERE critical)"

_PAIRS = f"""
WITH told AS (
  SELECT s.project, n.memory_id, s.said, s.clash_forms FROM statements s JOIN entries n USING (entry_id)
  WHERE len(s.clash_forms) > 0 AND n.memory_id IS NOT NULL AND {_SOUND}
), mine AS (
  SELECT DISTINCT project, memory_id, said, unnest(clash_forms) AS form FROM told
  WHERE memory_id IN (SELECT memory_id FROM touched_memories)
)
SELECT DISTINCT m.memory_id, m.said, t.memory_id, t.said
FROM mine m JOIN (SELECT DISTINCT project, memory_id, said, unnest(clash_forms) AS form FROM told) t
  ON t.form = m.form AND t.project IS NOT DISTINCT FROM m.project AND t.memory_id <> m.memory_id
"""

_ENTRIES = f"""
SELECT n.memory_id, n.entry_id, n.project, s.said, n.content_json ->> '$.status', {_SOUND},
  n.created_ts, n.session_id, n.message_index, n.ordinal, n.source_event_id, m.role = 'user'
FROM entries n JOIN statements s USING (entry_id)
LEFT JOIN messages m ON m.session_id = n.session_id AND m.message_index = n.message_index
WHERE n.memory_id IN {IN_LIST}
"""

_OF_WORDS = f"""
SELECT DISTINCT memory_id FROM entries
WHERE memory_id IN (SELECT memory_id FROM touched_memories) AND entry_id IN {IN_LIST}
"""

_ENDED = """
SELECT DISTINCT memory_id FROM entries WHERE entry_type = 'task' AND memory_id IN (SELECT memory_id FROM touched_memories)
  AND (content_json ->> '$.status') IN ('done', 'cancelled')
"""

# What stands in place of a memory is found over however many resolutions: a word on the last of them is about the first too.
_PARTNERS = """
INSERT INTO touched_memories
WITH RECURSIVE sides AS (
  SELECT older_memory_id AS memory_id, newer_memory_id AS other, status = 'resolved' AND resolution <> 'both' AS sets_aside
  FROM conflicts
  UNION ALL
  SELECT newer_memory_id, older_memory_id, status = 'resolved' AND resolution <> 'both' FROM conflicts
), chained AS (
  SELECT memory_id FROM touched_memories
  UNION
  SELECT s.other FROM chained c JOIN sides s USING (memory_id) WHERE s.sets_aside
)
SELECT memory_id FROM (SELECT memory_id FROM chained UNION SELECT s.other FROM chained c JOIN sides s USING (memory_id))
EXCEPT SELECT memory_id FROM touched_memories
"""

_DUE = """
SELECT c.conflict_id, c.conflict_type, c.reason, c.first_older_id, c.first_newer_id, o.source_event_id, n.source_event_id,
  a.chain_id, b.chain_id, n.created_ts, c.project
FROM conflicts c JOIN entries o ON o.entry_id = c.first_older_id JOIN entries n ON n.entry_id = c.first_newer_id
JOIN sessions a ON a.session_id = o.session_id JOIN sessions b ON b.session_id = n.session_id
WHERE c.event_id IS NULL ORDER BY c.conflict_id
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of an entry here.

    Attributes:
        status: what it claims of its task.
        sound: its evidence stands, so that it can contradict something.
        by_person: a person said it, not an agent.
    """

    memory_id: str
    entry_id: str
    project: str | None
    said: str
    status: str | None
    sound: bool
    place: Place
    event_id: str
    by_person: bool


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a conflict: entries of one memory, the newest last; at least one is sound."""

    entries: tuple[Entry, ...]

    @property
    def memory_id(self) -> str:
        return self.entries[0].memory_id

    @property
    def sound(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.sound]

    @property
    def said(self) -> dict[str, datetime]:
        """When each of its entries was said; of those whose evidence does not stand, never."""
        return {entry.entry_id: entry.place[0] if entry.sound else datetime.min for entry in self.entries}


@dataclass(frozen=True, slots=True)
class Found:
    """Two sides that contradict each other; ``merged``: a person's word that both are one."""

    one: Side
    other: Side
    kind: ConflictType
    reason: str
    merged: ConflictCommand | None = None

    @property
    def firsts(self) -> tuple[Entry, Entry]:
        """The first sound entry of each side, the earlier one first: what the conflict is known by."""
        one, other = sorted((self.one.sound[0], self.other.sound[0]), key=lambda entry: entry.place)
        return one, other

    @property
    def conflict_id(self) -> str:
        """The same for as long as both sides begin with the same entries."""
        return typed_id("cfl", *sorted(entry.entry_id for entry in self.firsts))

    @property
    def event_id(self) -> str:
        """Of the event that tells the ledger of it."""
        inputs = (self.conflict_id, self.kind, *(entry.event_id for entry in self.firsts))
        return event_id_of(dedupe_key_of(ConflictDetected.event_type, None, inputs, stage_version=DETECTOR_VERSION))


def fold_conflicts(connection: duckdb.DuckDBPyConnection) -> None:
    """Look for the conflicts of the touched memories anew; whoever is or was in one with them is touched too."""
    touched = [row[0] for row in connection.execute("SELECT DISTINCT memory_id FROM touched_memories").fetchall()]
    words = words_in_force(connection)
    found = {
        conflict.conflict_id: conflict
        for conflict in (*_merged(connection, words), *_found(connection), *_corrected(connection, words))
    }
    connection.execute(_PARTNERS)
    connection.execute(
        f"DELETE FROM conflicts WHERE older_memory_id IN {IN_LIST} OR newer_memory_id IN {IN_LIST}",
        [json_list(touched), json_list(touched)],
    )
    if found:
        _write(connection, list(found.values()), words)
    # Once more: what was set aside, or is not any more, changes what its own partners are in conflict with.
    connection.execute(_PARTNERS)


def log_conflicts(connection: duckdb.DuckDBPyConnection, build: Build | None) -> Appended | None:
    """Tell the ledger of every conflict that it does not know; part of the caller's transaction. None where it knows all."""
    rows = connection.execute(_DUE).fetchall()
    if not rows:
        return None
    events = [
        NewEvent(
            payload=ConflictDetected(
                conflict_id=conflict_id, older_id=older_id, newer_id=newer_id, conflict_type=kind, reason=reason
            ),
            inputs=(conflict_id, kind, older_event_id, newer_event_id),
            stage_version=DETECTOR_VERSION,
            occurred_at=said_at.replace(tzinfo=UTC),
            basis_chains=tuple(dict.fromkeys(chains)),
            project=project,
        )
        for conflict_id, kind, reason, older_id, newer_id, older_event_id, newer_event_id, *chains, said_at, project in rows
    ]
    appended = insert(connection, rows_of(events), build=build)
    known = {row[0]: event.event_id for row, event in zip(rows, events, strict=True)}
    connection.execute(
        """UPDATE conflicts SET event_id = k.event_id
            FROM (SELECT unnest(from_json(?, '["VARCHAR"]')) AS conflict_id, unnest(from_json(?, '["VARCHAR"]')) AS event_id) k
            WHERE k.conflict_id = conflicts.conflict_id""",
        [json_list(known), json_list(known.values())],
    )
    return appended


def _found(connection: duckdb.DuckDBPyConnection) -> Iterator[Found]:
    """Every conflict that a touched memory is in, in a fixed order."""
    clashes: dict[tuple[str, str], dict[tuple[str, str], Contradiction | None]] = {}
    for memory, said, other, other_said in connection.execute(_PAIRS).fetchall():
        pair, texts = ((memory, other), (said, other_said)) if memory < other else ((other, memory), (other_said, said))
        known = clashes.setdefault(pair, {})
        if texts not in known:
            known[texts] = contradiction(*texts)
    real = {pair: found for pair, texts in clashes.items() if (found := [(t, c) for t, c in texts.items() if c is not None])}
    ended = [row[0] for row in connection.execute(_ENDED).fetchall()]
    memories = _memories(connection, {*ended, *(memory for pair in real for memory in pair)})
    for (one, other), found in sorted(real.items()):
        # Of several ways in which they clash the first in a fixed order is told: the texts decide, not who asked.
        _, first = min(found, key=lambda told: (told[1].kind, told[0]))
        yield Found(Side(tuple(memories[one])), Side(tuple(memories[other])), first.kind, first.reason)
    for memory in sorted(ended):
        yield from _status_clash(memories[memory])


def _merged(connection: duckdb.DuckDBPyConnection, words: list[ConflictCommand]) -> Iterator[Found]:
    """What people said is one and is one memory now: so that it can be taken apart again."""
    merging = merges(words)
    if not merging:
        return
    named = {entry_id for word in merging for entry_id in (*word.older, *word.newer)}
    touched = {row[0] for row in connection.execute(_OF_WORDS, [json_list(named)]).fetchall()}
    for _, entries in sorted(_memories(connection, touched).items()):
        # The last word comes last: of two that name the same sides it is the one that is told.
        for word in reversed(merging):
            one, other = (
                Side(tuple(entry for entry in entries if entry.entry_id in side)) for side in (word.older, word.newer)
            )
            if not any(entry.sound for entry in one.entries) or not any(entry.sound for entry in other.entries):
                continue
            found = contradiction(one.sound[0].said, other.sound[0].said)
            kind, reason = (found.kind, found.reason) if found else ("different_value", "another value")
            yield Found(one, other, kind, reason, merged=word)


def _corrected(connection: duckdb.DuckDBPyConnection, words: list[ConflictCommand]) -> Iterator[Found]:
    """What people corrected, whether or not the texts contradict each other."""
    corrections = [word for word in words if word.corrects]
    if not corrections:
        return
    named = {entry_id for word in corrections for entry_id in (*word.older, *word.newer)}
    of_entries = dict(
        connection.execute(
            f"SELECT entry_id, memory_id FROM entries WHERE memory_id IS NOT NULL AND entry_id IN {IN_LIST}", [json_list(named)]
        ).fetchall()
    )
    touched = {row[0] for row in connection.execute(_OF_WORDS, [json_list(named)]).fetchall()}
    memories = _memories(connection, of_entries.values())
    for word in reversed(corrections):
        older = {of_entries[entry_id] for entry_id in word.older & of_entries.keys()}
        newer = {of_entries[entry_id] for entry_id in word.newer & of_entries.keys()}
        for one, other in sorted(product(older, newer)):
            if one == other or not touched.intersection((one, other)):
                continue
            sides = Side(tuple(memories[one])), Side(tuple(memories[other]))
            if all(side.sound for side in sides):
                yield Found(*sides, "corrected", "a person says otherwise")


def _memories(connection: duckdb.DuckDBPyConnection, wanted: Iterable[str]) -> dict[str, list[Entry]]:
    memories: dict[str, list[Entry]] = {}
    for row in connection.execute(_ENTRIES, [json_list(wanted)]).fetchall():
        memory_id, entry_id, project, said, status, sound, at, session_id, message_index, ordinal, event_id, by_person = row
        place = (at, session_id, message_index, ordinal, entry_id)
        entry = Entry(memory_id, entry_id, project, said, status, sound, place, event_id, bool(by_person))
        memories.setdefault(memory_id, []).append(entry)
    for entries in memories.values():
        entries.sort(key=lambda entry: entry.place)
    return memories


def _status_clash(entries: list[Entry]) -> Iterator[Found]:
    """One task of which it was said last that it is done, and before that, that it is cancelled; or the other way round."""
    told = [entry for entry in entries if entry.status is not None and entry.sound]
    if len(told) < 2 or {told[-1].status, told[-2].status} != {"done", "cancelled"}:
        return
    one, other = (Side(tuple(entry for entry in told if entry.status == status)) for status in ("done", "cancelled"))
    yield Found(one, other, "status_clash", "one says that it is done, the other that it is cancelled")


def _write(connection: duckdb.DuckDBPyConnection, found: list[Found], words: list[ConflictCommand]) -> None:
    import pyarrow as pa

    known = {
        row[0]
        for row in connection.execute(
            f"SELECT event_id FROM {seen(connection)(f'event_id IN {IN_LIST}')}",
            [json_list(conflict.event_id for conflict in found)],
        ).fetchall()
    }
    rows = [_row(conflict, known, words) for conflict in found]
    text, time, texts = pa.string(), pa.timestamp("us"), pa.list_(pa.string())
    types = {"older_entries": texts, "newer_entries": texts, "detected_at": time, "resolved_at": time}
    table = pa.table({name: pa.array([row[name] for row in rows], types.get(name, text)) for name in rows[0]})
    connection.register("new_conflicts", table)
    connection.execute("INSERT OR REPLACE INTO conflicts BY NAME SELECT * FROM new_conflicts")
    connection.unregister("new_conflicts")


def _row(conflict: Found, known: set[str], words: list[ConflictCommand]) -> dict[str, object]:
    older, newer = sorted((conflict.one, conflict.other), key=lambda side: side.sound[-1].place)
    # The last word that speaks of these sides holds, or none does: an earlier one does not come back.
    word = conflict.merged or next((word for word in words if word.speaks_of(older.said.keys(), newer.said.keys())), None)
    own = word is None and _takes_back(older, newer)
    if word is not None and not conflict.merged and not settles(word, older.said, newer.said):
        word = None
    first_older, first_newer = conflict.firsts
    return {
        "conflict_id": conflict.conflict_id,
        "project": newer.entries[-1].project,
        "conflict_type": conflict.kind,
        "reason": conflict.reason,
        "first_older_id": first_older.entry_id,
        "first_newer_id": first_newer.entry_id,
        "older_id": older.sound[-1].entry_id,
        "newer_id": newer.sound[-1].entry_id,
        "older_memory_id": older.memory_id,
        "newer_memory_id": newer.memory_id,
        "older_entries": sorted(older.said),
        "newer_entries": sorted(newer.said),
        "status": "resolved" if word is not None or own else "open",
        "detected_at": first_newer.place[0],
        "resolved_at": newer.sound[-1].place[0] if own else word and word.said_at,
        # As the sides are called now: the older may have been said again since.
        "resolution": "keep_newer" if own else word and _resolution(word, older, newer),
        "resolved_by": LATER_WORDS if own else word and word.said_by,
        "note": word and word.note,
        "event_id": conflict.event_id if conflict.event_id in known else None,
    }


def _takes_back(older: Side, newer: Side) -> bool:
    """Whether one session said both, one message after the other: its later words say what it holds at its end.

    What one message says side by side it holds both, and an agent takes back nothing that a person said: both need a person's
    word, like what two sessions say.
    """
    sessions = {entry.place[1] for side in (older, newer) for entry in side.entries}
    if len(sessions) > 1 or max(e.place[2] for e in older.entries) >= min(e.place[2] for e in newer.entries):
        return False
    return not any(entry.by_person for entry in older.entries) or any(entry.by_person for entry in newer.entries)


def _resolution(word: ConflictCommand, older: Side, newer: Side) -> str | None:
    if word.keeps(newer.said.keys(), older.said.keys()):
        return "keep_newer"
    if word.keeps(older.said.keys(), newer.said.keys()):
        return "keep_older"
    return word.resolution
