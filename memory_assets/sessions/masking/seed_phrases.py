"""Seed phrases of wallets: twelve or more words of the list of BIP-39, one behind the other."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from memory_assets.sessions.masking.regions import Region

KIND = "SECRET:seed_phrase"
_RANK = 50
_FEWEST = 12
# What stands between two words: blanks, commas, the numbers of a list, quotes.
_BETWEEN = r"(?:[\s,;\"'`|]{1,6}+(?:\d{1,2}[.):]?[ \t]{1,4}+)?)"
_LATIN = re.compile(rf"[a-z](?<![A-Za-z][a-z])[a-z]{{2,7}}+(?:{_BETWEEN}[a-z]{{3,8}}+(?![A-Za-z])){{{_FEWEST - 1},}}")
# A search for words of these lengths from the second on, roughly divided, costs a third of the search above.
_DIVIDING = r"\s,;\"'`|0-9.):"
_ROW = re.compile(rf"[{_DIVIDING}]" + rf"[a-z]{{3,8}}+[{_DIVIDING}]{{1,12}}+" * (_FEWEST - 2))
_FIRST_WORD = 24
_REST_OF_ROW = re.compile(rf"[a-z{_DIVIDING}]*+")
_HANGUL = re.compile(rf"[가-힣ᄀ-ᇿ](?<![가-힣ᄀ-ᇿ]{{2}})[가-힣ᄀ-ᇿ]{{1,14}}+(?:{_BETWEEN}[가-힣ᄀ-ᇿ]{{2,15}}+){{{_FEWEST - 1},}}")
_SYLLABLE = re.compile(r"[가-힣ᄀ-ᇿ]")
_WORD = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=2)
def _words(language: str) -> frozenset[str]:
    """The list of BIP-39. Imported late: few texts have twelve plain words in a row."""
    from mnemonic import Mnemonic

    return frozenset(unicodedata.normalize("NFC", word) for word in Mnemonic(language).wordlist)


def find_seed_phrases(text: str) -> Iterator[Region]:
    """Runs of at least twelve words of the English or the Korean list."""
    for start, end in _rows(text):
        for match in _LATIN.finditer(text, start, end):
            yield from _runs(text, match.start(), match.end(), "english")
    if not text.isascii() and _SYLLABLE.search(text):
        for match in _HANGUL.finditer(text):
            yield from _runs(text, match.start(), match.end(), "korean")


def _rows(text: str) -> Iterator[tuple[int, int]]:
    """Where many short words follow each other, with one character more: a word does not end where a capital goes on."""
    position = 0
    while row := _ROW.search(text, position):
        rest = _REST_OF_ROW.match(text, row.start())
        end = rest.end() if rest else row.end()
        yield max(position, row.start() - _FIRST_WORD), end + 1
        position = end


def _runs(text: str, start: int, end: int, language: str) -> Iterator[Region]:
    known = _words(language)
    run: list[re.Match[str]] = []
    for word in _WORD.finditer(text, start, end):
        if unicodedata.normalize("NFC", word[0]) in known:
            run.append(word)
            continue
        yield from _region(run)
        run = []
    yield from _region(run)


def _region(run: list[re.Match[str]]) -> Iterator[Region]:
    if len(run) >= _FEWEST and len({word[0] for word in run}) >= _FEWEST // 2:
        yield Region(run[0].start(), run[-1].end(), KIND, _RANK)
