"""Whether two sentences that share most of their words say different things: then neither repeats the other.

A repetition may tell more or less than what it repeats. It conflicts when each has a fact that the other lacks (a number, a
name, a path), when one denies and the other does not, when their operators differ, when one has the opposite of the other's
word or a limit ("only") that it has not, when they exchange the sides of a comparison or of an arrow, and when a word stands in
the place of another one between words that are equal.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from memory_assets.text.differences import all_operators, without_line_marks
from memory_assets.text.english_words import inflected
from memory_assets.text.opposites import LIMITS, WHOLE_WORDS, opposites
from memory_assets.text.statements import NEGATIONS, ROLE, statement_of

_DENIALS = frozenset(f"={word}" for word in NEGATIONS)
_NUMBER = re.compile(r"=[-+.]{0,2}[0-9]")
_TWO_SIDED = ("than", "instead", "rather", "over", "from", "before", "after", "대신", "보다", "전", "후")
_LIMITS = frozenset(inflected(word) for word in LIMITS)
_SIDES = frozenset(inflected(word) for word in _TWO_SIDED)
"""Words whose two sides are not to be exchanged."""
_ARROWS = frozenset("→⇒>")
"""Marks whose sides are not: of "->" and "=>" the last stroke."""
_MANNERS = frozenset(("=ed", "=?", "=i", "=me", "=my", "=we", "=us", "=our", "=you", "=your"))
"""Tense, question and speaker: a request and the report of its outcome differ in them."""
_MOST_IN_PLACE = 2
"""Words that may stand in each other's place; longer stretches are another way to say it."""


def conflict(one: str, other: str) -> bool:
    """Whether two sentences that are alike differ in a fact. Symmetric.

    Args:
        one, other: sentences in one language with most of their telling words in common.
    """
    first, second = _read(one), _read(other)
    if first == second and _marks(one) == _marks(other):
        return False
    facts, facts_other = _facts(first), _facts(second)
    return (
        _denials(first) != _denials(second)
        or _marks(one) != _marks(other)
        or any(_each_has_another(facts, facts_other, numbers=numbers) for numbers in (True, False))
        or _opposed(first, second)
        or _in_place(first, second)
        or _in_place(second, first)
        or _limits(first) != _limits(second)
        or _turned(first, second, _marks(one))
    )


def says_the_opposite(one: str, other: str) -> bool:
    """Whether one of two sentences denies what the other says, or has the opposite of a word of it ("enable", "disable")."""
    mine, theirs = _read(one), _read(other)
    return _denials(mine) != _denials(theirs) or _opposed(mine, theirs)


@lru_cache(maxsize=1)
def _opposites() -> dict[str, set[str]]:
    return opposites(WHOLE_WORDS, inflected)


@lru_cache(maxsize=1 << 12)
def _read(text: str) -> tuple[str, ...]:
    words = (word.partition(ROLE)[0].replace("~", "=", 1) for word in statement_of(text).split())
    return tuple(word for word in words if word not in _MANNERS)


@lru_cache(maxsize=1 << 12)
def _marks(text: str) -> Counter[str]:
    """The operators, signs and command's dashes of a sentence."""
    return all_operators(without_line_marks(f" {text}".translate({ord("*"): None, ord("`"): None})))


def _denials(words: Sequence[str]) -> int:
    return sum(word in _DENIALS for word in words)


def _limits(words: Sequence[str]) -> set[str]:
    return {word for word in words if word in _LIMITS}


def _facts(words: Sequence[str]) -> Counter[str]:
    return Counter(word for word in words if word[0] == "=" and word not in _DENIALS)


def _each_has_another(one: Counter[str], other: Counter[str], *, numbers: bool) -> bool:
    lost, gained = (
        [word for word in some if (_NUMBER.match(word) is not None) == numbers] for some in (one - other, other - one)
    )
    return bool(lost and gained)


def _opposed(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether one has a word and the other its opposite, and none has both."""
    mine, theirs = _plain(one), _plain(other)
    return any(_opposites().get(word, set()) & (theirs - mine) for word in mine - theirs)


@lru_cache(maxsize=1 << 12)
def _plain(words: tuple[str, ...]) -> frozenset[str]:
    """The words that may have an opposite; of a Korean word its beginning, whatever ending it has."""
    found = {word.removeprefix("=") for word in words}
    return frozenset(found | {word[:length] for word in found if "가" <= word[0] <= "힣" for length in (2, 3)})


def _in_place(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether words that only one of them has stand between the same words as words that only the other has."""
    mine, theirs = set(one), set(other)
    for tag, low, high, there_low, there_high in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if tag != "replace":
            continue
        lost = [word for word in one[low:high] if word not in theirs]
        gained = [word for word in other[there_low:there_high] if word not in mine]
        if not 0 < len(lost) <= _MOST_IN_PLACE or not 0 < len(gained) <= _MOST_IN_PLACE:
            continue
        if not any(_one_word(word, another) for word in lost for another in gained):
            return True
    return False


def _turned(one: Sequence[str], other: Sequence[str], marks: Counter[str]) -> bool:
    """Whether the same words stand on other sides of a word or arrow that has two: "Redis instead of Kafka", "dev → main"."""
    has_sides = not (_SIDES.isdisjoint(one) and _ARROWS.isdisjoint(marks))
    return has_sides and one != other and sorted(one) == sorted(other)


def _one_word(one: str, other: str) -> bool:
    """Whether two words have one stem: "decide" and "decision"."""
    if one[0] == "=" or other[0] == "=":
        return one == other
    length = 4 if one.isascii() else 2
    return one[:length] == other[:length]
