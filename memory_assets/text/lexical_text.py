"""One spelling of a text for the lexical index and for what people ask it.

A full-text index finds whole tokens. Latin words are tokens already; a Korean word carries its particles (``블로커를``), so
a Hangul run is stored as its overlapping pairs of syllables, and Han and Kana runs alike. Where Korean puts a space is taste,
so pairs go on over one: ``데이터 베이스`` has all pairs of ``데이터베이스``. A particle behind a Latin word (``TTL을``) says
nothing and is left out: as a token it is rare, and would outweigh the word. Identifiers, paths and versions stay whole and are
stored by their parts as well: ``useState`` is found by ``state``, ``src/app/main.py`` by ``main.py``.

The result holds tokens between single spaces, for an index that splits at white space only. Documents and queries go
through the same function: what is asked is cut as what is stored.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

SEARCH_TEXT_VERSION = 2
"""Changes whenever the same text would get other tokens: stored search text is stale then."""

MAX_TOKEN = 64
"""Characters of a token. Longer ones are data (keys, base64): a prefix of a word, nothing but the parts of a compound."""

MAX_QUERY_TOKENS = 256

_HANGUL = "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"
_HAN_KANA = "\u3005-\u3007\u3041-\u309f\u30a1-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Vowel signs and accents that are letters to a reader but not to `\w`.
_MARKS = "\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0900-\u0dff\u0e31-\u0eff\u1000-\u109f\u1780-\u17ff"

# Possessive quantifiers: a run is never tried a second way, so the scan is linear.
_WORD = rf"(?:[^\W{_HANGUL}{_HAN_KANA}{_MARKS}]++|[{_MARKS}]++)+"
_CONNECTOR = r"(?:://|::|[./\\@:'’\-]|(?<=[0-9]),(?=[0-9]{3}(?![0-9])))"


# What may follow a noun of one syllable. Without this `키` would not find `키를`.
# fmt: off
_PARTICLES = frozenset((
    "은", "는", "이", "가", "을", "를", "의", "에", "로", "와", "과", "도", "만", "에서",
    "에게", "으로", "부터", "까지", "처럼", "보다", "마다", "이나", "이랑", "라고", "이라", "에는", "에도", "에만",
    "에서는", "에서도", "으로는", "으로도", "로는", "로도", "들은", "들이", "들을", "이고", "이다", "이며", "입니다",
))
# fmt: on


def _run_pattern(letters: str, scripts: str, ending: str) -> re.Pattern[str]:
    """Runs of one script. A word run goes on over a connector that stands between two of its letters."""
    return re.compile(rf"(?:(?<!\w)[CcFf](?:\+\+|\#)|{letters}(?:{_CONNECTOR}{letters})*){ending}{scripts}")


# Hangul words with single spaces between them are one run; a particle that is glued to a word belongs to it.
_RUNS = _run_pattern(
    _WORD,
    rf"|[{_HANGUL}]++(?: [{_HANGUL}]++)*|[{_HAN_KANA}]++",
    rf"(?:(?:{'|'.join(sorted(_PARTICLES, key=len, reverse=True))})(?![{_HANGUL}]))?",
)
_ASCII_RUNS = _run_pattern(r"[A-Za-z0-9_]++", "", "")
_GLUED = re.compile(rf"[{_HANGUL}]+\Z")

_CAMEL = re.compile(r"[A-Z]+(?![a-z])[0-9]*+|[A-Z]?[a-z]++[0-9]*+|[0-9]++")
# A dot or colon between digits belongs to a version, a decimal or a time.
_SEPARATORS = re.compile(r"[/\\_@\-]+|[.:]+(?![0-9])|(?<![0-9])[.:]+")
_VERSION = re.compile(r"[vV][0-9]+(?:\.[0-9]+)+\Z")

# What a question is asked with says nothing of what is asked for. In a collection of short turns such words are rare enough
# to outweigh the rest (recall@10 .58 with them, .62 without, on English chat). Texts keep them: they are words there.
_QUESTION_WORDS = frozenset(
    ("what", "when", "where", "which", "who", "whom", "whose", "why", "how", "do", "does", "did", "is", "are", "was", "were")
)


def search_text(text: str) -> str:
    """The tokens of a text, in its order, between single spaces; empty where nothing is to be found.

    Compatibility forms and case are folded (NFKC, casefold), so a Hangul name typed on macOS (NFD) is the same name.
    Time and space are linear in the text. Any string is taken, lone surrogates and control characters too.
    """
    # Phrases do not repeat, their words do.
    tokens = [_cached_tokens(run) if len(run) <= MAX_TOKEN and " " not in run else _tokens(run) for run in _runs(text)]
    return " ".join([some for some in tokens if some])


def query_text(text: str) -> str:
    """A question as the tokens of `search_text`, each once, at most ``MAX_QUERY_TOKENS`` of them, without question words
    where anything else is asked.

    Only the beginning of an overlong question is read: it is a pasted document, and its first screen says what it is about.
    """
    tokens = list(dict.fromkeys(search_text(text[: MAX_QUERY_TOKENS * MAX_TOKEN]).split()))
    telling = [token for token in tokens if token not in _QUESTION_WORDS]
    return " ".join((telling or tokens)[:MAX_QUERY_TOKENS])


def _runs(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_RUNS.findall(text)
    return _RUNS.findall(unicodedata.normalize("NFKC", text))


def _tokens(run: str) -> str:
    if run.isascii():
        return " ".join(_word_tokens(run))
    first = ord(run[0])
    if 0x1100 <= first <= 0x11FF or 0xA960 <= first <= 0xA97F or 0xAC00 <= first <= 0xD7FF:
        return _hangul_tokens(run.split(" "))
    if _is_han_or_kana(first):
        return _pairs(run)
    return " ".join(_word_tokens(_GLUED.sub("", run)))


# The words of a corpus repeat: most runs are looked up, not cut.
_cached_tokens = lru_cache(maxsize=1 << 15)(_tokens)


def _hangul_tokens(words: list[str]) -> str:
    """The pairs of words that stand one space apart, and the pairs over these spaces."""
    tokens = [_hangul_word(words[0])]
    for before, word in pairwise(words):
        tokens += (before[-1] + word[0], _hangul_word(word))
    return " ".join(tokens)


@lru_cache(maxsize=1 << 15)
def _hangul_word(word: str) -> str:
    return f"{_pairs(word)} {word[0]}" if word[1:] in _PARTICLES else _pairs(word)


def _is_han_or_kana(code: int) -> bool:
    return 0x3005 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x3FFFF


def _pairs(run: str) -> str:
    return run if len(run) < 3 else " ".join([run[i : i + 2] for i in range(len(run) - 1)])


def _word_tokens(run: str) -> list[str]:
    """A word, or a compound whole, by its last path component and by its parts; each token once."""
    run = run.replace(",", "")
    if "'" in run or "’" in run:
        run = _without_apostrophes(run)
    whole = run.strip("_./\\:@-")
    tokens = [whole] if len(whole) <= MAX_TOKEN else []
    if "/" in whole or "\\" in whole:
        tokens.append(re.split(r"[/\\]", whole)[-1])
    if _VERSION.match(whole):
        tokens.append(whole[1:])
    else:
        for part in _SEPARATORS.split(whole):
            tokens.append(part)
            tokens.extend(_camel_parts(part))
    return [token for token in dict.fromkeys(map(_fold, tokens)) if token]


def _without_apostrophes(run: str) -> str:
    """``Caroline's`` is Caroline; ``don't`` is one word."""
    run = run.replace("’", "'")
    if run.endswith(("'s", "'S")):
        run = run[:-2]
    return run.replace("'", "")


def _camel_parts(word: str) -> list[str]:
    if word == word.lower() or word.isupper() or word[1:].islower() or not word.isascii():
        return []
    return [part for part in _CAMEL.findall(word) if len(part) > 1]


def _fold(token: str) -> str:
    if token.isascii():
        return token[:MAX_TOKEN].lower()
    return unicodedata.normalize("NFKC", token.casefold())[:MAX_TOKEN]
