"""Seed phrases of wallets: twelve or more words of the list of BIP-39, one behind the other."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from memory_assets.sessions.regions import Region

KIND = "SECRET:seed_phrase"
_RANK = 50
_FEWEST = 12
# What stands between two words: blanks, commas, the numbers of a list, quotes.
_BETWEEN = r"(?:[\s,;\"'`|]{1,6}+(?:\d{1,2}[.):]?[ \t]{1,4}+)?)"
_LATIN = re.compile(rf"(?<![A-Za-z])[a-z]{{3,8}}+(?:{_BETWEEN}[a-z]{{3,8}}+(?![A-Za-z])){{{_FEWEST - 1},}}")
_HANGUL = re.compile(rf"[가-힣ᄀ-ᇿ]{{2,15}}+(?:{_BETWEEN}[가-힣ᄀ-ᇿ]{{2,15}}+){{{_FEWEST - 1},}}")
# Five plain words in a row, a look that costs little; whoever separates them by more than a blank numbers them or breaks lines.
_LIKELY = re.compile(
    r"[a-z] [a-z]{3,8} [a-z]{3,8} [a-z]{3,8} [a-z]{3,8} [a-z]|[a-z][,;\"'`|]{0,2}\s{0,4}\n?\s{0,4}(?:12|4)[.):]? {1,4}[a-z]{3,8}\s|[a-z]{3,8}[,\n][ \"']{0,4}[a-z]{3,8}[,\n\"'][ ,\"']{0,4}[a-z]{3,8}[,\n\"']"
)
_WORD = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=2)
def _words(language: str) -> frozenset[str]:
    """The list of BIP-39. Imported late: few texts have twelve plain words in a row."""
    from mnemonic import Mnemonic

    return frozenset(unicodedata.normalize("NFC", word) for word in Mnemonic(language).wordlist)


def find_seed_phrases(text: str) -> Iterator[Region]:
    """Runs of at least twelve words of the English or the Korean list."""
    if _LIKELY.search(text):
        for match in _LATIN.finditer(text):
            yield from _runs(text, match.start(), match.end(), "english")
    if not text.isascii():
        for match in _HANGUL.finditer(text):
            yield from _runs(text, match.start(), match.end(), "korean")


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
