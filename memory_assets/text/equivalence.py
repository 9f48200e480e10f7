"""Whether two statements say the same: so nearly that a reader would keep one of them.

Strict by construction. No number of equal letters decides: in a long sentence one word is a small share of the letters and
all of the meaning (``… in staging``, ``… in production``). All words must be there, in one order, up to inflection, particles,
politeness and spacing; of two long statements one may have one plain word more. So a number, a name, a path, a version, an
operator, a negation, a tense or an opposite that differs makes two statements, however alike the rest is: a conflict, no
repetition.

The *form* of a statement is what must be equal. Who looks for statements that say the same looks up forms, and compares nothing
with everything.
"""

from __future__ import annotations

from memory_assets.text.english_words import inflected
from memory_assets.text.korean_words import is_hangul, taken_apart
from memory_assets.text.opposites import NEVER_ONE_WORD_MORE
from memory_assets.text.statements import ROLE

ENOUGH_WORDS = 7
"""Words that two statements share before one of them may have a word more."""

# A word that limits, orders, dates, points, turns or places what it stands beside is never one more word.
_TURNING = frozenset(NEVER_ONE_WORD_MORE.split()) | frozenset(
    taken_apart(word).stem if is_hangul(word[0]) else inflected(word) for word in NEVER_ONE_WORD_MORE.split()
)
_TURNING_BEGINNINGS = tuple(word for word in _TURNING if is_hangul(word[0]) and len(word) > 1)
# Of `unsupported` and `nonblocking` the beginning turns; too many words begin so, which costs a repetition and no more.
_TURNING_PREFIXES = ("un", "non", "dis", "mis", "anti", "pre", "post", "semi", "pseudo")


def form(statement: str) -> str:
    """What two statements that say the same in as many words have in common: the words without the spaces between them."""
    return _form(statement.split())


def shorter_forms(statement: str) -> list[str]:
    """The form without each one word that a long statement may have more than another that says the same."""
    words = statement.split()
    if len(words) <= ENOUGH_WORDS:
        return []
    return list(
        dict.fromkeys(_form(words[:place] + words[place + 1 :]) for place in range(len(words)) if _may_be_more(words, place))
    )


def say_the_same(one: str, other: str) -> bool:
    """Whether two statements (`text.statements`) say the same. Symmetric; equal statements always do."""
    first, second = form(one), form(other)
    return first == second or first in shorter_forms(other) or second in shorter_forms(one)


def differ_in_a_fact(one: str, other: str) -> bool:
    """Whether two statements differ in a number, name, path, version, operator, picture, negation or person, in being a
    question, in the order of any of these, or in the tense or part of a word that they share."""
    return (
        _facts(one) != _facts(other)
        or _swapped(_roles(one), _roles(other))
        or _swapped(_tenses(one.split()), _tenses(other.split()))
    )


def _may_be_more(words: list[str], place: int) -> bool:
    word = words[place]
    if word[0] in "=~" or ROLE in word or word in _TURNING:
        return False
    if word.startswith((*_TURNING_BEGINNINGS, *_TURNING_PREFIXES)):
        return False
    # What is marked as past is not left behind by its verb.
    return words[place + 1 : place + 2] != ["=ed"]


def _facts(statement: str) -> list[str]:
    return [word.partition(ROLE)[0] for word in statement.split() if word[0] in "=~" and word != "=ed"]


def _roles(statement: str) -> dict[str, set[str]]:
    """Of each word that plays a part, its parts."""
    roles: dict[str, set[str]] = {}
    for word in statement.split():
        name, _, role = word.partition(ROLE)
        if role:
            roles.setdefault(name, set()).add(role)
    return roles


def _tenses(words: list[str]) -> dict[str, set[str]]:
    """Of each plain word, whether what follows says that it is past: another verb in the past is another word and no more."""
    tenses: dict[str, set[str]] = {}
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word[0] not in "=~":
            tenses.setdefault(word.partition(ROLE)[0], set()).add(following if following == "=ed" else "")
    return tenses


def _swapped(one: dict[str, set[str]], other: dict[str, set[str]]) -> bool:
    return any(roles.isdisjoint(other[word]) for word, roles in one.items() if word in other)


def _form(words: list[str]) -> str:
    # What is fixed is set off, so that its letters never run into a neighbour's.
    return "".join(f"{word};" if word[0] == "=" else word.removeprefix("~") for word in words)
