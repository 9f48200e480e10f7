"""Which of the people who spoke a question names, for the bonus of a named speaker.

Pure word matching: case does not count, possessives and Korean particles do not hide a name, and a name inside another word,
path or address (``claude`` in ``claude-code/main.py``) is none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from memory_assets.search.question.plain_question import plain
from memory_assets.text.particles import is_hangul, stems

# A run of letters that goes on over a connector between two of them: `Jean-Luc`, `a@b.com`, `O'Brien's`.
_CHUNK: Final = re.compile(r"\w++(?:[-./\\@:'+#]++\w++)*")
_POSSESSIVE: Final = re.compile(r"'(?:s|ll|d|ve|re)\Z", re.IGNORECASE)
_MAX_WORDS: Final = 8

_ALSO_WORDS_LISTED: Final = """
will may mark bill art grace hope joy faith dawn june april august summer rose jack rich drew chase chance sky star
pat sue ray guy dean king page case reed miles grant frank max min even van ash lane cliff rob rod nick josh
"""
_ALSO_WORDS: Final = frozenset(_ALSO_WORDS_LISTED.split())
"""Names that are words as well: they count where they are written with a capital letter, and not as a sentence's first word."""


@dataclass(frozen=True, slots=True)
class _Chunk:
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Names:
    """Known names by their words.

    Attributes:
        spelled: the words of a name, folded, and how it is written.
        lengths: the first word of the names of several words, and of how many words they are, the longest first.
    """

    spelled: dict[tuple[str, ...], tuple[str, ...]]
    lengths: dict[str, tuple[int, ...]]


def named_speakers(query: str, speakers: Collection[str]) -> frozenset[str]:
    """The known names that the question names, spelled as the caller spells them.

    Where one name begins another (``Mary``, ``Mary Jane``) the longer one is meant. A name of one Hangul syllable counts only
    where it stands alone, without a particle. Linear in the question; the names are taken apart once for each set of them.
    """
    if not speakers:
        return frozenset()
    names = _names(frozenset(speakers))
    text = plain(query)
    chunks = [_Chunk(match[0], match.start(), match.end()) for match in _CHUNK.finditer(text)]
    found: set[str] = set()
    place = 0
    while place < len(chunks):
        spelled, taken = _named_at(text, chunks, place, names)
        found.update(spelled)
        place += taken
    return frozenset(found)


@lru_cache(maxsize=64)
def _names(speakers: frozenset[str]) -> _Names:
    spelled: dict[tuple[str, ...], list[str]] = {}
    lengths: dict[str, set[int]] = {}
    for name in sorted(speakers):
        words = tuple(match[0].casefold() for match in _CHUNK.finditer(plain(name)))
        if 0 < len(words) <= _MAX_WORDS:
            spelled.setdefault(words, []).append(name)
        if 1 < len(words) <= _MAX_WORDS:
            lengths.setdefault(words[0], set()).add(len(words))
    return _Names(
        {words: tuple(some) for words, some in spelled.items()},
        {first: tuple(sorted(some, reverse=True)) for first, some in lengths.items()},
    )


def _named_at(text: str, chunks: list[_Chunk], place: int, names: _Names) -> tuple[tuple[str, ...], int]:
    """The names that begin at a chunk, and how many chunks they take; nothing takes one."""
    chunk = chunks[place]
    for length in names.lengths.get(chunk.text.casefold(), ()):
        some = chunks[place : place + length]
        if len(some) == length and (spelled := _of_several(text, some, names)):
            return spelled, length
    for reading in _readings(chunk.text):
        if (spelled := names.spelled.get((reading.casefold(),), ())) and _counts(text, chunk, reading):
            return spelled, 1
    # `Jon/Gina` are two people where both are known; a path is none.
    both = [names.spelled.get((part.casefold(),), ()) for part in chunk.text.split("/")]
    return (tuple(name for one in both for name in one) if all(both) and len(both) > 1 else ()), 1


def _of_several(text: str, chunks: list[_Chunk], names: _Names) -> tuple[str, ...]:
    """The name that chunks are the words of, with nothing but blanks and dots between, and an ending behind the last alone."""
    if any(text[one.end : other.start].strip(" .") for one, other in pairwise(chunks)):
        return ()
    before = tuple(chunk.text.casefold() for chunk in chunks[:-1])
    spelled = (names.spelled.get((*before, reading.casefold()), ()) for reading in _readings(chunks[-1].text))
    return next(filter(None, spelled), ())


def _readings(chunk: str) -> Iterator[str]:
    """What a chunk may name: itself, and itself without a possessive, a contraction or Korean particles."""
    for word in stems(chunk):
        yield word
        if ending := _POSSESSIVE.search(word):
            yield word[: ending.start()]


def _counts(text: str, chunk: _Chunk, name: str) -> bool:
    if len(name) == 1 and is_hangul(name):
        return chunk.text == name
    if name.casefold() in _ALSO_WORDS:
        before = text[: chunk.start].rstrip()[-1:]
        return name[0].isupper() and before != "" and before not in ".!?"
    return True
