"""How alike two names are, by their words and by their meaning.

Names are what ``tasks.canonical.normalize`` gives. Every measure is symmetric and a function of the two names alone.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from itertools import pairwise
from math import fsum

from memory_assets.tasks.title_words import EXCLUDING, KOREAN_EXCLUDING, SAME_WORDS, are_two_actions
from memory_assets.tasks.wording import Wording, wording_of
from memory_assets.text.equivalence import differ_in_a_fact
from memory_assets.text.korean_words import is_hangul
from memory_assets.text.statements import ROLE

CANDIDATE_FLOOR = 0.75
"""Less alike than this and nobody is asked whether two are the same."""

STRICT_FLOOR = 0.9
"""Less alike than this and two names are never taken for each other, whatever the weights: they form no cluster."""

_BELOW_STRICT = 0.89
# Cosine and likeness; between two points in a straight line.
_BUNDLED = "all-minilm-l6-v2-"
_BUNDLED_POINTS = ((0.0, 0.0), (0.5, 0.3), (0.8, CANDIDATE_FLOOR), (0.93, 0.85), (1.0, _BELOW_STRICT))
_UNKNOWN_POINTS = ((0.0, 0.0), (0.7, 0.3), (0.92, CANDIDATE_FLOOR), (1.0, _BELOW_STRICT))
_BEHIND_LATIN = "\u0250"
_TURNING = ("un", "dis", "non", "in", "de", "anti", "비", "미", "불", "재")

# What a likeness of 1 loses.
_OTHER_VERB = 0.02
_LITTLE_MORE = 0.02
_VERB_LEFT_OUT = 0.03
_VERB_ELSEWHERE = 0.03
_MODIFIER_MOVED = 0.02


def lexical_keys(name: str) -> list[int]:
    """Hashes (signed 64 bits): two names whose likeness by words is at least `STRICT_FLOOR` and that may be the same share one.

    Two hashes, of the words in the order of a compound and in no order, each without the verb: names are only that alike if
    one of these is the same.
    """
    wording = wording_of(name)
    return [_hash(wording.phrase), _hash(" ".join(sorted(wording.words)))]


def tokens(name: str) -> list[int]:
    """Hashes of a name's words, each once; Korean by pairs of syllables. Names that share none are not alike.

    The verb is none of them where there is anything else: half of all titles begin with ``fix`` or ``add``.
    """
    wording = wording_of(name)
    # Names that differ in nothing but spaces share no words: `front matter`, `frontmatter`.
    return sorted({_hash(wording.phrase), *(_hash(token) for token in _tokens(wording))})


def lexical_likeness(one: str, other: str) -> float:
    """0 to 1; 1 where the words are the same but for particles, inflection and order of no meaning.

    Another verb for the same work, a word that says little or a verb that is left out costs a little, any other word more than
    `STRICT_FLOOR` allows.
    """
    if one == other:
        return 1.0
    first, second = wording_of(one), wording_of(other)
    moved = _modifier_moved(first, second) or _modifier_moved(second, first)
    if (first.phrase == second.phrase or moved) and (cost := _cost(first, second)) is not None:
        return round(1.0 - cost - (_MODIFIER_MOVED if moved else 0.0), 4)
    return min(_BELOW_STRICT, round(_shared(first, second), 4))


def never_the_same(one: str, other: str) -> bool:
    """Whether two names differ in something that makes two tasks of them, however alike the rest: a number, a name, a
    negation, an opposite, what is done."""
    if one == other:
        return False
    first, second = wording_of(one), wording_of(other)
    return (
        are_two_actions(first.action, second.action)
        or differ_in_a_fact(first.statement, second.statement)
        or _are_swapped(first, second)
        or _exclude_each_other(first, second)
    )


def is_semantic(embedding_version: str) -> bool:
    """Whether vectors of this version say something of meaning; the hashing embedder's do not."""
    return not embedding_version.startswith("hashing-")


def vector_likeness(cosine: float, embedding_version: str, one: str, other: str) -> float:
    """A cosine as likeness, 0 to 1, calibrated for the embedding version. The one place where cosines are converted.

    No cosine alone makes two names one task: of the bundled model ``rename the config file`` and ``rename the config folder``
    have 0.98, two functions' names in one sentence 0.97, and two wordings of one task 0.71 to 0.98. So it stays below
    `STRICT_FLOOR` and suggests. Of Korean the model knows little: other tasks have 0.83 to 0.98, which says nothing.
    """
    bundled = embedding_version.startswith(_BUNDLED)
    if not is_semantic(embedding_version) or (bundled and not (_is_latin(one) and _is_latin(other))):
        return 0.0
    points = _BUNDLED_POINTS if bundled else _UNKNOWN_POINTS
    for (low, low_likeness), (high, high_likeness) in pairwise(points):
        if cosine <= high:
            share = max(0.0, cosine - low) / (high - low)
            return round(low_likeness + share * (high_likeness - low_likeness), 4)
    return points[-1][1]


def _is_latin(name: str) -> bool:
    return name.isascii() or all(character < _BEHIND_LATIN or not character.isalpha() for character in name)


def _cost(one: Wording, other: Wording) -> float | None:
    """What two names with one phrase lack to be equally worded; None where they say that other work is done."""
    cost = _LITTLE_MORE * (one.little != other.little)
    if one.verb != other.verb:
        if one.action == other.action:
            cost += _OTHER_VERB
        elif _is_understood(one, other) or _is_understood(other, one):
            cost += _VERB_LEFT_OUT
        else:
            return None
    return cost + _VERB_ELSEWHERE * (one.verb_in_the_middle != other.verb_in_the_middle)


def _is_understood(without: Wording, other: Wording) -> bool:
    """``Rate limiting`` is to be made, ``Login bug`` to be fixed."""
    if without.action:
        return False
    return other.action == "make" or (other.action == "fix" and ("bug" in other.words or "버그" in other.words))


def _modifier_moved(one: Wording, other: Wording) -> bool:
    """``flaky test in checkout`` and ``flaky checkout test``: what stood behind ``in`` stands before the last word."""
    modifier, rest = one.words[: one.modifiers], one.words[one.modifiers :]
    if not modifier or other.modifiers or len(rest) < 2 or other.words[-1:] != rest[-1:]:
        return False
    return any(other.words == (*rest[:place], *modifier, *rest[place:]) for place in range(1, len(rest)))


def _are_swapped(one: Wording, other: Wording) -> bool:
    """``from Redis to Postgres`` and ``from Postgres to Redis``: the same words to the last one, in another order."""
    return one.phrase != other.phrase and sorted(one.statement.split()) == sorted(other.statement.split())


def _shared(one: Wording, other: Wording) -> float:
    """The share of the words that two names have in common, long words counting for more."""
    first, second = Counter(_tokens(one)), Counter(_tokens(other))
    # Summed exactly: in another order of the words another last digit would come out.
    common = fsum(_weight(token) * count for token, count in (first & second).items())
    every = fsum(_weight(token) * count for token, count in (first + second).items())
    alike = 2 * common / every if every else 0.0
    return alike if one.action == other.action or not (one.action and other.action) else alike * 0.9


def _weight(token: str) -> float:
    return 0.7 if is_hangul(token[0]) else 0.5 + min(len(token), 8) / 8


def _tokens(wording: Wording) -> list[str]:
    found: list[str] = []
    for word in wording.words:
        if is_hangul(word[0]) and len(word) > 1:
            found += [word[place : place + 2] for place in range(len(word) - 1)]
        else:
            found.append(word)
    return found or [wording.phrase]


def _exclude_each_other(one: Wording, other: Wording) -> bool:
    """Whether what only one says excludes what only the other says."""
    first, second = _bare(one.statement), _bare(other.statement)
    only, against = first - second, second - first
    if any(not EXCLUDING[word].isdisjoint(against) for word in only if word in EXCLUDING):
        return True
    return _is_turned(only, against) or _is_turned(against, only)


def _is_turned(words: set[str], others: set[str]) -> bool:
    """``allow`` and ``disallow``, ``활성`` and ``비활성``."""
    return any(prefix + word in others for word in words if len(word) > 1 for prefix in _TURNING)


def _bare(statement: str) -> set[str]:
    """The words without particles; of a Korean word also the beginning by which it is known (``프론트엔드팀``)."""
    plain = (word.lstrip("=~").partition(ROLE)[0] for word in statement.split())
    words = {SAME_WORDS.get(word, word) for word in plain}
    return words | {
        known for word in words if word and is_hangul(word[0]) for known in KOREAN_EXCLUDING if word.startswith(known)
    }


def _hash(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big", signed=True)
