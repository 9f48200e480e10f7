"""The glossary: which Korean and English words say the same.

``glossary.tsv`` has a sense a line: Korean words, a tab, English words, each side parted by commas. A word of several senses
stands in a line for each of them; the more there are, the less each of them tells. ``#`` begins a comment. Verbs and adjectives
stand in their dictionary form (미루다, postpone); what a text makes of them is not listed but derived.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Final

from memory_assets.errors import MemoryAssetsError

GLOSSARY: Final = Path(__file__).with_name("glossary.tsv")

Sense = tuple[tuple[str, ...], tuple[str, ...]]
"""Korean and English words that say the same."""

_NO_VERBS: Final = frozenset(("바다", "마다"))
_SAY_NOTHING: Final = frozenset(("가지", "마리"))
"""Nouns that people count with: they have no English word, and are no form of a verb either."""

_HANGUL: Final = re.compile("[\uac00-\ud7a3]")
_KOREAN_WORD: Final = r"[\uac00-\ud7a30-9]+(?: [\uac00-\ud7a30-9]+)*"
_ENGLISH_WORD: Final = r"[a-z0-9][a-z0-9.'-]*(?: [a-z0-9.'-]+)*"
_LINE: Final = re.compile(rf"({_KOREAN_WORD}(?:, {_KOREAN_WORD})*)\t({_ENGLISH_WORD}(?:, {_ENGLISH_WORD})*)")


class GlossaryError(MemoryAssetsError):
    """A line of the glossary is none. It ships with the program: somebody changed it."""


@dataclass(frozen=True, slots=True)
class Glossary:
    """Senses and where words stand in them.

    Attributes:
        korean: by a Korean word without its spaces, the places of its senses.
        english: by English words as the glossary writes them, the places of their senses.
        nouns: Korean words that are no verbs, without their spaces: what is written like one of them is no form of a verb of
            one syllable.
    """

    senses: tuple[Sense, ...]
    korean: Mapping[str, tuple[int, ...]]
    english: Mapping[str, tuple[int, ...]]
    nouns: frozenset[str]


@lru_cache(maxsize=1)
def shipped_glossary() -> Glossary:
    """The glossary of the program, read once.

    Raises:
        GlossaryError: see `parsed`.
    """
    return parsed(GLOSSARY.read_text(encoding="utf-8"), GLOSSARY.name)


def parsed(text: str, name: str) -> Glossary:
    """A glossary. Linear in the text.

    Args:
        name: of the file, for people.

    Raises:
        GlossaryError: a line has not two columns or an empty word, a word stands on the side of the other language, or a pair
            is there twice; the message names file and line.
    """
    senses: list[Sense] = []
    numbers: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line or line[0] == "#":
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            raise GlossaryError(f"{name}, line {number}: {_wrong(line)}", hint="Mend the line, or install the program again.")
        senses.append((tuple(found[1].split(", ")), tuple(found[2].split(", "))))
        numbers.append(number)
    korean: dict[str, list[int]] = {}
    english: dict[str, list[int]] = {}
    for place, (ours, theirs) in enumerate(senses):
        for word in ours:
            korean.setdefault(word.replace(" ", ""), []).append(place)
        for word in theirs:
            english.setdefault(word, []).append(place)
    for word, places in korean.items():
        for one, other in combinations(places, 2):
            if twice := set(senses[one][1]).intersection(senses[other][1]):
                what = f"{word} and {min(twice)} are there already, in line {numbers[one]}"
                raise GlossaryError(f"{name}, line {numbers[other]}: {what}", hint="Say each pair once.")
    return Glossary(
        tuple(senses),
        {word: tuple(places) for word, places in korean.items()},
        {word: tuple(dict.fromkeys(places)) for word, places in english.items()},
        _SAY_NOTHING.union(word for word in korean if not is_verb(word)),
    )


def is_verb(word: str) -> bool:
    """Whether a Korean word of the glossary is a verb or an adjective: these stand in it as a dictionary has them."""
    return word.endswith("다") and len(word) > 1 and word not in _NO_VERBS


def _wrong(line: str) -> str:
    """What a line has that is none, in words."""
    columns = line.split("\t")
    if len(columns) != 2:
        return f"{len(columns)} columns, not a Korean and an English one"
    for column, of_korean in zip(columns, (True, False), strict=True):
        for word in column.split(", "):
            if not word.strip():
                return "an empty word"
            if bool(_HANGUL.search(word)) is not of_korean:
                return f"{word[:40]!r} is no {'Korean' if of_korean else 'English'} word"
    return "words of other signs than letters and digits in lower case, or not parted by a comma and a space"
