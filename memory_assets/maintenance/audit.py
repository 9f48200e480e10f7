"""`memory audit`: how much of what is remembered is said twice, grounded in nothing, never shown, contested or called wrong.

Each measure is a count of so many, with a few examples. What nothing has recorded yet is unknown, and no zero.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from memory_assets.log.fetching import fetch, scalar
from memory_assets.maintenance.duplicates import ComparedMemory, Pair, alike, compared, folded
from memory_assets.queries.conflicts import list_conflicts
from memory_assets.text.equivalence import differ_in_a_fact
from memory_assets.text.statements import statement_of

if TYPE_CHECKING:
    import duckdb

NEAR_DUPLICATES_BAR = 0.02
_ENTRY_ID_SHOWN = 16
_NOTE_SHOWN = 80

_MEMORIES = """
SELECT m.project, m.entry_type, m.memory_id, 'mem:' || m.short_id, m.title, coalesce(s.matched_text, m.title)
FROM memories m
LEFT JOIN (SELECT entry_id, arg_min(matched_text, ordinal) AS matched_text FROM evidence_spans
           WHERE match_method <> 'none' GROUP BY entry_id) s ON s.entry_id = m.first_entry_id
ORDER BY m.project NULLS FIRST, m.entry_type, m.memory_id
"""
_UNGROUNDED = """
FROM entries n WHERE n.status <> 'superseded'
  AND n.entry_id NOT IN (SELECT entry_id FROM evidence_spans WHERE match_method <> 'none')
"""


# What search can deliver at all: a memory that was set aside is not looked for.
_SHOWABLE = """
FROM memories m JOIN memory_units u ON u.unit_kind = 'entry' AND u.source_id = m.memory_id
LEFT JOIN unit_usage g ON g.unit_kind = 'entry' AND g.source_hash = md5(m.memory_id)
"""
_WRONG = """
FROM memories m JOIN (
  SELECT source_id, count(*) AS times, arg_max(said_by, said_at) AS said_by, arg_max(note, said_at) AS note
  FROM unit_feedback WHERE unit_kind = 'entry' AND signal = 'wrong' GROUP BY source_id
) f ON f.source_id = m.memory_id
"""


@dataclass(frozen=True, slots=True)
class Example:
    """One thing that was counted, or two that are alike: by the ids that the other commands take, with their titles.

    Attributes:
        similarity: how alike two are, 1.0 for equal letters; None for one thing alone.
        reason: more about it, in words; empty where the titles say all.
    """

    ids: tuple[str, ...]
    titles: tuple[str, ...]
    similarity: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Measure:
    """How many of what.

    Attributes:
        name: as in ``near_duplicates``.
        of: the things that were looked at; ``unit`` says what they are. With ``count`` None nothing was there to look at.
        bar: the highest rate that is acceptable; None where there is none.
        note: what to know about the number; empty where it speaks for itself.
    """

    name: str
    unit: str
    count: int | None
    of: int
    bar: float | None = None
    note: str = ""
    examples: tuple[Example, ...] = ()

    @property
    def rate(self) -> float | None:
        """Between 0 and 1; None where the count is unknown."""
        return None if self.count is None else self.count / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found in the whole store."""

    schema_version: str
    sessions: int
    entries: int
    memories: int
    measures: tuple[Measure, ...]


def audit(connection: duckdb.DuckDBPyConnection, *, examples: int) -> Audit:
    """Measure the whole store; so many examples a measure."""
    groups = [
        [ComparedMemory(*row[2:]) for row in rows]
        for _, rows in groupby(fetch(connection, _MEMORIES), key=lambda row: (row[0], row[1]))
    ]
    entries = int(scalar(connection, "SELECT count(*) FROM entries WHERE status <> 'superseded'"))
    memories = sum(map(len, groups))
    return Audit(
        schema_version="audit.v1",
        sessions=int(scalar(connection, "SELECT count(*) FROM sessions")),
        entries=entries,
        memories=memories,
        measures=(
            *_duplicates(groups, examples),
            _ungrounded(connection, entries, examples),
            _never_retrieved(connection, examples),
            _contested(connection, memories, examples),
            _said_wrong(connection, memories, examples),
        ),
    )


def _duplicates(groups: list[list[ComparedMemory]], examples: int) -> Iterable[Measure]:
    exact: list[Pair] = []
    near: list[Pair] = []
    differing: list[Pair] = []
    for group in groups:
        for pair in alike(group):
            one, other = (pair.one.quote, pair.other.quote) if pair.by_quote else (pair.one.title, pair.other.title)
            if differ_in_a_fact(statement_of(one), statement_of(other)):
                differing.append(pair)
            elif folded(pair.one.title) == folded(pair.other.title):
                exact.append(pair)
            else:
                near.append(pair)
    looked_at = {told.memory_id for group in groups for told in compared(group)}
    whole = sum(map(len, groups)) == len(looked_at)
    note = "" if whole else "estimated: of each large project and type some memories are compared with all"
    yield _pairs("exact_duplicates", exact, looked_at, examples, note)
    yield _pairs("near_duplicates", near, looked_at, examples, note, bar=NEAR_DUPLICATES_BAR)
    yield _pairs(
        "alike_but_differing",
        differing,
        looked_at,
        examples,
        note or "look alike and are kept apart: a number, name, path, operator, negation, person or tense differs",
    )


def _pairs(name: str, pairs: list[Pair], looked_at: set[str], examples: int, note: str, *, bar: float | None = None) -> Measure:
    concerned = {told.memory_id for pair in pairs for told in (pair.one, pair.other)} & looked_at
    best = sorted(pairs, key=lambda pair: (-pair.similarity, pair.one.memory_id, pair.other.memory_id))[:examples]
    return Measure(
        name,
        "memories",
        len(concerned),
        len(looked_at),
        bar=bar,
        note=note,
        examples=tuple(
            Example(
                (pair.one.citation, pair.other.citation),
                (pair.one.title, pair.other.title),
                pair.similarity,
                "their quotes are alike" if pair.by_quote else "",
            )
            for pair in best
        ),
    )


def _contested(connection: duckdb.DuckDBPyConnection, memories: int, examples: int) -> Measure:
    """Memories in an open conflict; a task that is done and cancelled is in conflict with itself."""
    shown = list_conflicts(connection, limit=examples)
    return Measure(
        "contested",
        "memories",
        int(scalar(connection, "SELECT count(*) FROM memories WHERE status = 'contested'")),
        memories,
        note="`memory conflicts` lists them",
        examples=tuple(
            Example(
                tuple(side.citation or side.entry_id[:_ENTRY_ID_SHOWN] for side in (conflict.older, conflict.newer)),
                (conflict.older.title, conflict.newer.title),
                reason=conflict.reason,
            )
            for conflict in shown
        ),
    )


def _never_retrieved(connection: duckdb.DuckDBPyConnection, examples: int) -> Measure:
    """Memories that no search has delivered, the oldest first."""
    of, unseen = fetch(connection, f"SELECT count(*), count(*) FILTER (coalesce(g.shown, 0) = 0) {_SHOWABLE}")[0]
    if not scalar(connection, "SELECT count(*) FROM unit_usage WHERE shown > 0"):
        return Measure("never_retrieved", "memories", None, of, note="no search has been counted yet")
    listed = f"""SELECT 'mem:' || m.short_id, m.title, m.first_said_at {_SHOWABLE} WHERE coalesce(g.shown, 0) = 0
                 ORDER BY m.first_said_at, m.memory_id LIMIT ?"""
    return Measure(
        "never_retrieved",
        "memories",
        unseen,
        of,
        note="no search has delivered them; the oldest are named",
        examples=tuple(
            Example((citation,), (title,), reason=f"said {said_at:%Y-%m-%d}")
            for citation, title, said_at in fetch(connection, listed, [examples])
        ),
    )


def _said_wrong(connection: duckdb.DuckDBPyConnection, memories: int, examples: int) -> Measure:
    """Memories that somebody called wrong, those with the most words first."""
    listed = f"""SELECT 'mem:' || m.short_id, m.title, f.times, f.said_by, f.note {_WRONG}
                 ORDER BY f.times DESC, m.memory_id LIMIT ?"""
    return Measure(
        "said_wrong",
        "memories",
        int(scalar(connection, f"SELECT count(*) {_WRONG}")),
        memories,
        note="by `memory feedback`; search puts them lower",
        examples=tuple(
            Example((citation,), (title,), reason=_last_word(said_by, times, note))
            for citation, title, times, said_by, note in fetch(connection, listed, [examples])
        ),
    )


def _last_word(said_by: str, times: int, note: str) -> str:
    line = " ".join(note.split())
    shown = line if len(line) <= _NOTE_SHOWN else line[: _NOTE_SHOWN - 1] + "…"
    return f"{said_by}{f', {times} times' if times > 1 else ''}{f': {shown}' if shown else ''}"


def _ungrounded(connection: duckdb.DuckDBPyConnection, entries: int, examples: int) -> Measure:
    listed = f"SELECT n.entry_id, n.title {_UNGROUNDED} ORDER BY n.created_ts DESC, n.entry_id LIMIT ?"
    return Measure(
        "ungrounded",
        "entries",
        int(scalar(connection, f"SELECT count(*) {_UNGROUNDED}")),
        entries,
        examples=tuple(
            Example((entry_id[:_ENTRY_ID_SHOWN],), (title,), reason="no quote of it was found")
            for entry_id, title in fetch(connection, listed, [examples])
        ),
    )
