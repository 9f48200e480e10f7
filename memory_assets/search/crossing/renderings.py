"""What a word of the glossary looks like as tokens of the index, in its several forms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memory_assets.search.crossing.glossary import is_verb
from memory_assets.search.question.terms import stemmed
from memory_assets.text.english_forms import irregular_forms
from memory_assets.text.korean_verbs import verb_beginnings
from memory_assets.text.lexical_text import search_text

_LISTED_LITTLE: Final = """
a an the of to in on at by for from with up out off down over away back be get go take make do have no not or and
"""
_LITTLE: Final = frozenset(_LISTED_LITTLE.split())
"""English words that tell nothing of a phrase."""
_BEHIND_PAST: Final = "어다습는던지을고네"
_BEHIND_STEM: Final = "고는다지기면게려자서"
_SS, _FINALS, _BASE = 20, 28, 0xAC00


@dataclass(frozen=True, slots=True)
class Rendering:
    """A word that says the same in the other language.

    Attributes:
        text: as people write it.
        tokens: what the index is asked for.
        forms: the `stemmed` tokens of each way to write it; a text that has one of them whole says it.
    """

    text: str
    tokens: tuple[str, ...]
    forms: tuple[frozenset[str], ...]


@lru_cache(maxsize=1 << 12)
def english(word: str) -> Rendering | None:
    """An English word or phrase; None where it has nothing to find."""
    telling = [one for one in word.split() if one not in _LITTLE] or word.split()
    tokens = search_text(" ".join(telling)).split()
    if not tokens:
        return None
    ways = [tokens]
    if len(telling) == 1:
        ways += [search_text(form).split() for form in irregular_forms(telling[0])]
    return _rendering(word, ways)


@lru_cache(maxsize=1 << 12)
def korean(word: str, nouns: frozenset[str] = frozenset()) -> Rendering | None:
    """A Korean word or phrase; None where it has nothing to find.

    Args:
        nouns: what is written like one of them is no form of a verb of one syllable: 보고 is a report, not what anybody sees.
    """
    compact = word.replace(" ", "")
    if is_verb(compact):
        ways = [search_text(form).split() for form in _verb_forms(compact) if len(compact) > 2 or form not in nouns]
    else:
        ways = [search_text(word).split()]
    return _rendering(word, [way for way in ways if way]) if any(ways) else None


def _rendering(text: str, ways: list[list[str]]) -> Rendering:
    tokens = tuple(dict.fromkeys(token for way in ways for token in way))
    return Rendering(text, tokens, tuple(dict.fromkeys(stemmed(way) for way in ways)))


def _verb_forms(verb: str) -> Iterator[str]:
    if verb.endswith(("하다", "되다")) and len(verb) > 3:
        yield verb[:-2]
        return
    for beginning in verb_beginnings(verb):
        if len(beginning) > 1:
            yield beginning
        # Of one syllable a pair of syllables needs the next one.
        elif (ord(beginning) - _BASE) % _FINALS == _SS:
            yield from (beginning + ending for ending in _BEHIND_PAST)
        elif beginning == verb[0]:
            yield from (beginning + ending for ending in _BEHIND_STEM)
        else:
            yield beginning
