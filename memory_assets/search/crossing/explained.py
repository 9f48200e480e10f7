"""What the texts of a store explain by themselves of a question's words: ``배포(deploy)`` was said, so 배포 is deploy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from memory_assets.log.fetching import fetch
from memory_assets.log.sql import text_list
from memory_assets.text.english_forms import base_form
from memory_assets.text.particles import is_hangul, stems

if TYPE_CHECKING:
    import duckdb

Explained = Mapping[str, Sequence[str]]
"""By a word of one language: those of the other that texts give for it, what most messages say first."""

MOST_EXPLAINED: Final = 3
"""Words for one word: what is explained in more ways is explained in none."""

# A message explains a pair once.
_PAIRS = """
SELECT korean, english, count(*) AS messages FROM explained_words
WHERE list_contains({told}, korean) OR list_contains({told}, english) GROUP BY ALL ORDER BY messages DESC, korean, english
"""


def explained_by(connection: duckdb.DuckDBPyConnection, words: Sequence[str]) -> Explained:
    """What the messages of a store explain of some words of a question, by their `readings`."""
    told = text_list({reading for word in words for reading in readings(word)})
    found: dict[str, list[str]] = {}
    for korean, english, _ in fetch(connection, _PAIRS.format(told=told)) if words else []:
        found.setdefault(korean, []).append(english)
        found.setdefault(english, []).append(korean)
    return {word: ways for word, ways in found.items() if len(ways) <= MOST_EXPLAINED}


def readings(word: str) -> tuple[str, ...]:
    """What a word of a question may be explained as: Korean with and without its particles, English in its base form."""
    if is_hangul(word[-1]):
        return tuple(stems(word))
    folded = word.casefold().replace("’", "'").removesuffix("'s")
    return tuple(dict.fromkeys((folded, base_form(folded))))
