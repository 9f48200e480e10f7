"""What a text says, as a list of words that two spellings of it share (architecture.md section 4, *Entries and memories*).

A *statement* is written as its words between single spaces, so that it can be stored and read back. The first character of
a word says how far it may give way when two statements are compared:

* ``=5%``, ``=src/app.py``, ``=not``, ``=<=``: a number, path, version, negation or operator; it is the same or another;
* ``~getfile``: a name in the spelling of code; only its case may differ;
* anything else is a word, without inflection, particles and politeness, in English and in Korean.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from memory_assets.identifiers import sha256_hex
from memory_assets.tasks.korean_words import PARTICLES, negated, stem

STATEMENT_VERSION = 1
"""Changes whenever a text would give another statement or form: the tables are folded anew then."""

MAX_CHARACTERS = 600

_RUN = re.compile(
    r"(?P<number>(?<![\w])[-+−]?\.?[0-9][0-9A-Za-z_]*(?:[.,:/\-][0-9A-Za-z_]+)*%?)"
    r"|(?P<path>[/~.]{0,3}/?[A-Za-z0-9_]+(?:(?:::|[./\\@:]|->)[A-Za-z0-9_\-]+)+)"
    r"|(?P<word>[A-Za-z0-9_]+(?:['’][A-Za-z]+)?(?:\+\+|\#(?![0-9A-Za-z]))?)"
    r"|(?P<hangul>[가-힣]+)"
    r"|(?P<other>[^\W\d_]+)"
    r"|(?P<operator><=|>=|==|!=|->|=>|<-|[<>](?=\s*[0-9])|&&|\|\||[→←⇒↔≠≤≥±×÷+=%$€£₩❌✗✘])"
)
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_SAME_MARKS = {"->": "→", "=>": "→", "⇒": "→", "<-": "←", "≤": "<=", "≥": ">=", "≠": "!=", "✗": "❌", "✘": "❌"}
_NEGATIONS = frozenset(("not", "no", "never", "none", "nothing", "neither", "nor", "without", "unable"))
_CONTRACTIONS = {"cannot": "can", "cant": "can", "dont": "do", "doesnt": "do", "didnt": "did", "wont": "will", "isnt": "is"}
_SHORT_FORMS = {"does": "do"}
_SAYING_NOTHING = """
a an the we i you us our my me let lets please just also ok okay yeah yep yes so then well really very even now actually and is
are am 그냥 좀 이제 일단 그럼 네 응 예 음 혹시 그리고 및 또한 저는 나는 우리는
"""
# Prepositions, quantities and times are not among them.
_FILLERS = frozenset(_SAYING_NOTHING.split())
_VOWELS = frozenset("aeiouy")


def statement_of(text: str) -> str:
    """The statement of a title or quote. Linear in the text, of which at most the first 600 characters count."""
    said = unicodedata.normalize("NFKC", text[:MAX_CHARACTERS])
    words: list[str] = []
    end = -1
    for run in _RUN.finditer(said):
        touching = run.start() == end and bool(words)
        end = run.end()
        if run[0] != "A" or words:  # the article that a sentence begins with; elsewhere it is the name of something
            words += _words(run, touching=touching)
    return " ".join(words) or f"={sha256_hex(ascii(text.strip()))[:16]}"


def _words(run: re.Match[str], *, touching: bool) -> list[str]:
    text = run[0]
    match run.lastgroup:
        case "number":
            return [f"={_THOUSANDS.sub('', text).replace('−', '-').casefold()}"]
        case "path":
            return [f"={text.casefold()}"]
        case "word":
            return _latin(text, is_tag=run.string[: run.start()].endswith(("<", "</")))
        case "hangul":
            return _korean(text, touching=touching)
        case "operator":
            return [f"={_SAME_MARKS.get(text, text)}"]
        case _:
            return [text.casefold()]


def _latin(word: str, *, is_tag: bool) -> list[str]:
    folded = word.casefold().replace("’", "'")
    if any(c.isdigit() or c in "_+#" for c in folded):
        return [f"={folded}"]
    if folded in _CONTRACTIONS or folded.endswith("n't"):
        verb = _CONTRACTIONS.get(folded.replace("'", ""), folded[:-3])
        return ["=not"] if verb in _FILLERS else [inflected(verb), "=not"]
    if folded in _NEGATIONS:
        return [f"={folded}"]
    folded = folded.partition("'")[0]
    if folded == "i" or (folded in _FILLERS and word != "A"):
        return []
    if len(folded) == 1:
        return [f"={folded}"]
    if word.isupper():
        return [folded]
    if is_tag or any(c.isupper() for c in word[1:]):
        return [f"~{folded}"]
    return [inflected(_SHORT_FORMS.get(folded, folded))]


def _korean(word: str, *, touching: bool) -> list[str]:
    if word in _FILLERS or (touching and word in PARTICLES):
        return []
    denied, rest = negated(word)
    said = [stem(rest)] if rest else []
    # In front of what it denies `안` is a word of its own or none: the mark stands where it stands either way.
    before = denied and rest != word
    return ["=not", *said] if before else [*said, *(["=not"] if denied else [])]


@lru_cache(maxsize=1 << 14)
def inflected(word: str) -> str:
    """An English word without plural, tense and doubled letters: ``caching`` and ``caches`` are one word, ``user`` is none."""
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith("ies"):
        base = word[:-3] + "y"
    elif word.endswith("ing") and len(word) > 5 and _VOWELS & set(word[:-3]):
        base = word[:-3]
    elif word.endswith("ed") and not word.endswith("eed"):
        base = word[:-2] if len(word) > 4 and _VOWELS & set(word[:-2]) else word[:-1]
    elif word.endswith(("ches", "shes", "sses", "xes")):
        base = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        base = word[:-1]
    else:
        base = word
    if base[-1] == "y" and len(base) > 3:
        base = base[:-1] + "i"
    if base[-1] == "e" and len(base) > 3:
        base = base[:-1]
    return base[:-1] if len(base) > 2 and base[-1] == base[-2] else base
