"""Which two statements contradict each other: the same subject, and another value, a denial or the opposite.

A false conflict demotes two true memories, a missed one leaves things as they are: so nothing counts but two statements with
all telling words in common, up to inflection, particles and politeness, which differ in exactly one of these: a number of a
setting or rule; a name, of things of which a subject has one at a time; a denial; a word and its opposite, where they turn a
rule or a state round; what is preferred to what. What cannot be said for good does not count (`conflicts_reading`).

Each way in which a statement can be contradicted is an *aspect*: a form, which whoever contradicts it shares, and what it
says there. So candidates are looked up by the hashes of their forms, and nothing is compared with everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from memory_assets.graduation.conflicts.aspect import Aspect
from memory_assets.graduation.conflicts.days import weekly
from memory_assets.graduation.conflicts.names import called, chosen, preferred
from memory_assets.graduation.conflicts.negations import negations
from memory_assets.graduation.conflicts.numbers import ruled
from memory_assets.graduation.conflicts.reading import read
from memory_assets.graduation.conflicts.values import Number
from memory_assets.text.equivalence import say_the_same
from memory_assets.text.statements import STATEMENT_VERSION, statement_of
from memory_assets.vocabulary import EntryType

DETECTOR_VERSION: Final = f"3.{STATEMENT_VERSION}"
"""Changes whenever two texts would clash that did not, or the other way round."""

CONTESTABLE: Final[frozenset[EntryType]] = frozenset(("decision", "preference", "fact", "insight"))
"""Types of entries that can contradict each other, whichever of these the other one is. What is to be done and what is to be
read (task, reference) is no claim; of a task only its status can be in conflict, which is told from its claims."""

MOST_FORMS: Final = 8
_MOST_WORDS = 40

ContradictionKind = Literal["different_value", "negation", "opposite"]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """How two texts contradict each other.

    Attributes:
        reason: the kind of difference in words of ours; nothing of what the sessions say, so that it can be logged.
        one, other: the words of either text that differ, for people who may read both; never to be stored.
    """

    kind: ContradictionKind
    reason: str
    one: str
    other: str


def conflict_forms(text: str) -> tuple[str, ...]:
    """What a text has in common with every text that it may clash with; at most :data:`MOST_FORMS`, none for most texts."""
    return tuple(aspect.form for aspect in _aspects(text))


def contradiction(one: str, other: str) -> Contradiction | None:
    """How two texts contradict each other; None where they do not, or say the same. Symmetric but for the order of the words.

    Args:
        one, other: statements of entries whose types are among :data:`CONTESTABLE`, of one project.
    """
    mine = {aspect.form: aspect for aspect in _aspects(one)}
    found = [clashed for theirs in _aspects(other) if (clashed := _between(mine.get(theirs.form), theirs)) is not None]
    if not found or say_the_same(statement_of(one), statement_of(other)):
        return None
    return min(found, key=lambda clashed: (clashed.kind, clashed.reason, sorted((clashed.one, clashed.other))))


def _between(one: Aspect | None, other: Aspect) -> Contradiction | None:
    if one is None or one.said == other.said:
        return None
    match one.said, other.said:
        case Number() as mine, Number() as theirs:
            return (
                Contradiction("different_value", "another number", one.shown, other.shown) if mine.is_another(theirs) else None
            )
        case bool(), bool():
            if one.strong and other.strong:
                return Contradiction("opposite", "opposite words", one.shown, other.shown)
            return Contradiction("negation", "one denies what the other says", one.shown, other.shown)
        case _:
            return Contradiction("different_value", "another name", one.shown, other.shown)


@lru_cache(maxsize=1 << 12)
def _aspects(text: str) -> tuple[Aspect, ...]:
    said = read(text)
    if said is None or not 0 < len(said.words) <= _MOST_WORDS:
        return ()
    found: dict[str, Aspect] = {}
    for aspect in (*negations(said), *preferred(said), *chosen(said), *called(said), *weekly(said), *ruled(said)):
        found.setdefault(aspect.form, aspect)
    return tuple(found.values())[:MOST_FORMS]
