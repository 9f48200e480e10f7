"""Korean words of a question and the senses that they have in the glossary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final

from memory_assets.text.korean_verbs import dictionary_forms
from memory_assets.text.particles import is_hangul, stems

if TYPE_CHECKING:
    from memory_assets.search.crossing.glossary import Glossary

MOST_WORDS: Final = 3
"""Words of one phrase."""
_MAKES_VERB: Final = ("하다", "되다", "시키다", "받다", "당하다", "스럽다", "롭다", "적이다", "나다", "거리다")
"""What makes a verb or an adjective of a noun."""
_MOST_READINGS: Final = 6


@dataclass(frozen=True, slots=True)
class Found:
    """Senses of some words of a question that stand behind each other.

    Attributes:
        count: of the words.
        places: of the senses in the glossary.
    """

    count: int
    places: tuple[int, ...]


def found_at(words: Sequence[str], place: int, glossary: Glossary) -> Found | None:
    """What begins at a word, the longest phrase first; None where nothing does."""
    for count in range(min(MOST_WORDS, len(words) - place), 0, -1):
        some = words[place : place + count]
        if places := _of_phrase(some, glossary.korean) if count > 1 else _of_word(some[0], glossary):
            return Found(count, places)
    return None


def is_noun(word: str, glossary: Glossary) -> bool:
    """Whether a word is a noun that the glossary knows, with or without what is glued to it."""
    return any(reading in glossary.nouns for reading in stems(word))


def _of_phrase(words: Sequence[str], known: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    # `살을 빼는`: the words before the last one may carry a particle.
    before = [tuple(stems(word))[:_MOST_READINGS] for word in words[:-1]]
    for heads in product(*before):
        for last in (*stems(words[-1]), *dictionary_forms(words[-1])):
            if places := known.get("".join(heads) + last):
                return places
    return ()


def _of_word(word: str, glossary: Glossary) -> tuple[int, ...]:
    if not is_hangul(word[-1]):
        return ()
    known, nouns = glossary.korean, tuple(stems(word))
    noun = next((reading for reading in nouns if reading in glossary.nouns), None)
    forms = [form for form in dictionary_forms(word) if noun is None or not _wins_over(noun, word, form)]
    found = dict.fromkeys(place for reading in (noun, *forms) if reading for place in known.get(reading, ()))
    if not found and noun is None:
        found = dict.fromkeys(place for base in _bases(nouns, forms) for place in known.get(base, ()))
    if not found and noun is None:
        found = dict.fromkeys(_of_compound(nouns, known))
    return tuple(found)


def _wins_over(noun: str, word: str, verb: str) -> bool:
    """Whether a word is a noun and no form of a verb of one syllable: 보고 is a report, 사고 an accident; 주고 is no week."""
    return len(verb) == 2 and (len(noun) > 1 or noun == word)


def _bases(nouns: Iterable[str], forms: Iterable[str]) -> Iterator[str]:
    """The nouns that verbs are made of: 입양 of 입양했던; a plural's and an adjective's too."""
    for form in forms:
        for ending in _MAKES_VERB:
            if form.endswith(ending) and len(form) > len(ending):
                yield form[: -len(ending)]
    for noun in nouns:
        if len(noun) > 2 and noun[-1] in "들적":
            yield noun[:-1]
        if len(noun) > 2 and noun.endswith("적인"):
            yield noun[:-2]
        yield noun + "하다"


def _of_compound(nouns: Iterable[str], known: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """Of two words written as one (``요리수업``), each of two syllables at least."""
    for noun in nouns:
        for cut in range(len(noun) - 2, 1, -1):
            if (head := known.get(noun[:cut])) and (tail := known.get(noun[cut:])):
                return (*head, *tail)
    return ()
