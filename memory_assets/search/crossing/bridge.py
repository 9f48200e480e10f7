"""A question's words in the other language: by the glossary, by what texts explain, by their sound, by the name of a month.

What is crossed is a guess, so each way to say a word weighs less than the word itself, and the less the more ways there are: a
word with one meaning tells more than one with seven. Which words the texts have decides nothing here but for what is told by
its sound: a guess that nobody wrote finds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from math import sqrt
from typing import TYPE_CHECKING, Final

from memory_assets.search.crossing import renderings
from memory_assets.search.crossing.explained import Explained, readings
from memory_assets.search.crossing.glossary import Glossary, shipped_glossary
from memory_assets.search.crossing.korean_lookup import MOST_WORDS, Found, found_at, is_noun
from memory_assets.search.crossing.renderings import Rendering
from memory_assets.search.question.time_mentions import MONTH_NAMES
from memory_assets.text.english_forms import base_form
from memory_assets.text.particles import is_hangul, stems
from memory_assets.text.sounds import first_letters, heard, spellings

if TYPE_CHECKING:
    from memory_assets.search.question.terms import Term
    from memory_assets.vocabulary import CrossedBy

MOST_WAYS: Final = 8
"""Ways to say a word that are looked for: of a word with more of them none tells anything."""
MOST_TOKENS: Final = 160
"""Of all crossed words of a question."""
TELLING_SOUNDS: Final = 3
"""Consonants that a word has at least to be looked for by its sound among all words; a word of two syllables has one more.

Of 1,233 words of the glossary that are as long 52 sound like a word that they are not among 8,600 English ones."""
MOST_SOUND_ALIKE: Final = 4
SHORTEST_NAME: Final = 2
"""Syllables of a word that may be a name's sound: of one there are too many (수는, 안, 밥)."""

EXPLAINED_WEIGHT: Final = 0.5
"""Of what texts explain, beside 1 of the glossary: of ten such pairs two are none (decision 0028)."""

_MONTH: Final = re.compile("([0-9]{1,2})월")


@dataclass(frozen=True, slots=True)
class Crossing:
    """Some words of a question and the ways to say them in the other language.

    Attributes:
        said: as the question writes them.
        places: of these words among the question's terms.
        weight: of each way, beside 1 of a word that is said.
        by: what tells it.
    """

    said: str
    places: tuple[int, ...]
    ways: tuple[Rendering, ...]
    weight: float
    by: CrossedBy


@dataclass(frozen=True, slots=True)
class Known:
    """What the texts of a store tell of names and words.

    Attributes:
        words: asked where a word may be told by its sound: their English words in lower case, by their first letter, a line
            each.
        names: of the people who speak.
        explained: what the texts explain by themselves of the question's words, asked once where they are crossed.
    """

    words: Callable[[], Mapping[str, str]] = dict
    names: frozenset[str] = frozenset()
    explained: Callable[[], Explained] = dict


@dataclass(frozen=True, slots=True)
class Crossed:
    """The telling words of a question with how the other language says them.

    Attributes:
        terms: each with the ways to say it in the other language too.
        speakers: whom it names by the sound of their name.
    """

    terms: tuple[Term, ...]
    crossings: tuple[Crossing, ...]
    speakers: frozenset[str] = frozenset()

    def weighted_tokens(self) -> tuple[tuple[str, float], ...]:
        """What to ask the index for beside the question's own words: each token once, with the most that it weighs."""
        weights: dict[str, float] = {}
        for crossing in self.crossings:
            for way in crossing.ways:
                for token in way.tokens:
                    weights[token] = max(crossing.weight, weights.get(token, 0.0))
        return tuple(weights.items())[:MOST_TOKENS]


def crossed(terms: Sequence[Term], known: Known, glossary: Glossary | None = None) -> Crossed:
    """The words of a question in the other language. The same for the same store, whatever the order of its sessions."""
    found = tuple(_crossings([term.text for term in terms], known, glossary or shipped_glossary()))
    ways: dict[int, list[frozenset[str]]] = {}
    for crossing in found:
        for place in crossing.places:
            ways.setdefault(place, []).extend(form for way in crossing.ways for form in way.forms)
    with_ways = tuple(
        replace(term, crossed=tuple(dict.fromkeys(ways[place]))) if place in ways else term for place, term in enumerate(terms)
    )
    speakers = frozenset(way.text for crossing in found if crossing.by == "sound" for way in crossing.ways) & known.names
    return Crossed(with_ways, found, speakers)


def _crossings(words: Sequence[str], known: Known, glossary: Glossary) -> Iterator[Crossing]:
    told = known.explained()
    names = frozenset(part for name in known.names for part in (name.casefold(), *name.casefold().split()))
    place = 0
    while place < len(words):
        word = words[place]
        if month := _month(word):
            yield Crossing(word, (place,), (month,), 1.0, "calendar")
            place += 1
            continue
        korean = is_hangul(word[-1])
        found = found_at(words, place, glossary) if korean else _english_at(words, place, glossary.english)
        if found:
            said, places = " ".join(words[place : place + found.count]), tuple(range(place, place + found.count))
            yield from _by_glossary(said, places, found.places, glossary, korean=korean)
        elif ways := tuple(_explained(word, told, names, glossary)):
            yield Crossing(word, (place,), ways, round(EXPLAINED_WEIGHT * _weight(1, len(ways)), 2), "texts")
        elif korean and not is_noun(word, glossary):
            alike = tuple(_named(word, known.names)) or tuple(_sounding(word, known.words))
            if alike:
                yield Crossing(word, (place,), alike, _weight(1, len(alike)), "sound")
        place += found.count if found else 1


def _by_glossary(
    said: str, places: tuple[int, ...], senses: Sequence[int], glossary: Glossary, *, korean: bool
) -> Iterator[Crossing]:
    """A crossing for each sense: with few ways to say it, a sense weighs more than one with many."""
    said_by = [glossary.senses[sense][1 if korean else 0] for sense in senses]
    ways: dict[int, list[Rendering]] = {}
    for number, word in _in_turn(said_by):
        rendering = renderings.english(word) if korean else renderings.korean(word, glossary.nouns)
        if rendering is not None:
            ways.setdefault(number, []).append(rendering)
    for number in sorted(ways):
        yield Crossing(said, places, tuple(ways[number]), _weight(len(senses), len(ways[number])), "glossary")


def _in_turn(said_by: Sequence[Sequence[str]]) -> list[tuple[int, str]]:
    """The first word of each sense, then the second, with the number of its sense; each word once, `MOST_WAYS` of them."""
    senses: dict[str, int] = {}
    for words in zip_longest(*said_by):
        for number, word in enumerate(words):
            if word is not None:
                senses.setdefault(word, number)
    return [(number, word) for word, number in islice(senses.items(), MOST_WAYS)]


def _weight(senses: int, ways: int) -> float:
    """Of each of the ways to say one of some senses, beside 1 of a word that is said."""
    return round(1 / sqrt(senses - 1 + max(1.0, ways / 2)), 2)


def _english_at(words: Sequence[str], place: int, known: Mapping[str, tuple[int, ...]]) -> Found | None:
    folded = [word.casefold().replace("’", "'").removesuffix("'s") for word in words[place : place + MOST_WORDS]]
    for count in range(len(folded), 0, -1):
        said = " ".join(folded[:count])
        base = " ".join(map(base_form, folded[:count]))
        if places := tuple(dict.fromkeys((*known.get(said, ()), *known.get(base, ())))):
            return Found(count, places)
    return None


def _explained(word: str, told: Explained, names: frozenset[str], glossary: Glossary) -> Iterator[Rendering]:
    """What the texts give for a word; no person, and nothing that the glossary has another word for."""
    for reading in readings(word):
        for way in told.get(reading, ()):
            rendering = renderings.korean(way) if is_hangul(way[-1]) else renderings.english(way)
            if rendering is not None and way not in names and way not in glossary.korean:
                yield rendering


def _named(word: str, names: Iterable[str]) -> Iterator[Rendering]:
    """The people whose name sounds like a word: few, so that names of two syllables may be told by it as well."""
    readings = [reading for reading in stems(word) if len(reading) >= SHORTEST_NAME and heard(reading)]
    patterns = [pattern for reading in readings if (pattern := spellings(reading))]
    for name in sorted(names):
        parts = name.casefold().split()
        heard_in = any(pattern.search(part) for part in parts if part.isascii() for pattern in patterns)
        if heard_in and (rendering := renderings.english(name.casefold())):
            yield replace(rendering, text=name)


def _sounding(word: str, words: Callable[[], Mapping[str, str]]) -> Iterator[Rendering]:
    """The words of the texts that a word may be the sound of."""
    for reading in stems(word):
        if heard(reading) < TELLING_SOUNDS + (len(reading) < 3) or len(reading) < 2:
            continue
        if (pattern := spellings(reading)) is None:
            continue
        of_letter = words()
        alike = [one for letter in first_letters(reading) for one in pattern.findall(of_letter.get(letter, ""))]
        if 0 < len(alike) <= MOST_SOUND_ALIKE:
            yield from filter(None, map(renderings.english, alike))
            return


def _month(word: str) -> Rendering | None:
    """``5월의`` is May, and ``May`` is ``5월``."""
    if (found := _MONTH.match(word)) and 1 <= (number := int(found[1])) <= 12:
        return renderings.english(MONTH_NAMES[number - 1])
    if word.casefold() in MONTH_NAMES and word[0].isupper():
        return renderings.korean(f"{MONTH_NAMES.index(word.casefold()) + 1}월")
    return None
