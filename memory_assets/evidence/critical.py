"""Whether a quote says something else than the text that is like it (evidence_alignment.md, step 6).

Similar is not the same: one digit, one negation or one word is a small part of a sentence and all of its meaning. What
differs here is found again, and flagged; it never supports Verified.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from rapidfuzz.distance import OSA, Levenshtein

from memory_assets.evidence import differences
from memory_assets.evidence.characters import folded_form, unified_form

CriticalDifference = Literal["number", "negation", "word", "operator"]

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_DIGIT = re.compile(r"\d")
# Hangul negations are looked for without spaces, for Korean spacing varies; "제안하" counts on both sides alike.
_NEGATION_KOREAN = re.compile(
    r"없|않|못|아니|아닌|아닙|안(?=[되됩돼된하합해했할한나맞쓰써씁돌보가먹바받고])|말(?=[고아라자것기])|마세요|마십시오|마라|지마|금지|불가"
)
# Not "none" and "except": they are words of code.
_NEGATION_ENGLISH = re.compile(
    r"\b(?:not|no|never|nothing|nobody|nowhere|without|cannot|neither|nor)\b"
    r"|n't\b|\b(?:dont|doesnt|didnt|isnt|arent|wasnt|werent|cant|couldnt|wont|wouldnt|shouldnt)\b"
)
_NUMBER_WORDS = re.compile(
    r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty|hundred|thousand|million"
    r"|first|second|third|half|twice|double)\b"
    r"|(?<![가-힣])(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)"
    r"(?= ?(?:개|번|시간|시|명|달|주|가지|건|줄|배|사람|곳|장)(?![가-힣]{2}))"
)
_PREFIXES = ("un", "non", "dis", "in", "im", "ir", "de", "a", "anti", "불", "비", "미", "무", "부")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_OPPOSITES = {
    frozenset(pair)
    for pair in (
        ("min", "max"), ("minimum", "maximum"), ("before", "after"), ("include", "exclude"), ("includes", "excludes"),
        ("included", "excluded"), ("increase", "decrease"), ("increases", "decreases"), ("increased", "decreased"),
        ("import", "export"), ("internal", "external"), ("lower", "upper"), ("on", "off"), ("in", "on"), ("now", "not"),
        ("above", "below"), ("and", "or"), ("push", "pull"), ("this", "that"), ("he", "she"), ("his", "her"),
        ("more", "less"), ("most", "least"), ("all", "any"), ("ascending", "descending"), ("must", "most"),
        ("input", "output"), ("read", "write"), ("left", "right"), ("old", "new"), ("can", "may"), ("was", "has"),
        ("이전", "이후"), ("이상", "이하"), ("전", "후"), ("최대", "최소"), ("포함", "제외"), ("증가", "감소"), ("켜", "꺼"),
    )
}  # fmt: skip
_MISTYPED = 0.25
"""Share of a word's letters (of Hangul: jamo) that may differ for it to be the same word, mistyped; one may always."""


def critical_differences(quote: str, found: str) -> tuple[CriticalDifference, ...]:
    """In what a quote and the text that was found for it differ so that something else is said; empty when in nothing.

    Args:
        quote, found: texts that are similar; what only Markdown, case, spacing or punctuation tells apart is the same.
    """
    one, other = _plain(quote), _plain(found)
    if one == other:
        return ()
    kinds: list[CriticalDifference] = []
    if _numbers(one) != _numbers(other):
        kinds.append("number")
    if _negations(one) != _negations(other):
        kinds.append("negation")
    words, there = _words(one), _words(other)
    if words != there and _swapped(words, there):
        kinds.append("word")
    operators, operators_there = differences.all_operators(one), differences.all_operators(other)
    if operators - operators_there or (operators_there - operators and len(words) >= len(there)):
        kinds.append("operator")
    return tuple(kinds)


def says_otherwise(omitted: str) -> bool:
    """Whether what a quote leaves out by an ellipsis turns it round: a negation of the sentence that goes on."""
    sentence_ends = re.search(r"[.!?。]\s|\n", omitted)
    return sentence_ends is None and sum(_negations(_plain(omitted)).values()) > 0


def _plain(text: str) -> str:
    return " ".join(unified_form(folded_form(text)).casefold().split())


def _numbers(text: str) -> Counter[str]:
    """Numbers by their digits: what stands between them is judged as an operator or as punctuation."""
    found = Counter("".join(_DIGIT.findall(number)) for number in _NUMBER.findall(text))
    found.update(_NUMBER_WORDS.findall(text))
    return found


def _negations(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    found["en"] = len(_NEGATION_ENGLISH.findall(text))
    found["ko"] = len(_NEGATION_KOREAN.findall(text.replace(" ", "")))
    return found


def _words(text: str) -> list[str]:
    return [word.replace("'", "") for word in _WORD.findall(text)]


def _swapped(quoted: Sequence[str], found: Sequence[str]) -> bool:
    """Whether a word of the quote stands for another one, or for none; words that the quote lacks are no matter."""
    for step in Levenshtein.opcodes(quoted, found):
        low, high = step.src_start, step.src_end
        if step.tag in ("equal", "insert"):
            continue
        if step.tag == "delete" and _is_joined(quoted, low, high, found, step.dest_start):
            continue
        if step.tag == "replace" and _same_word("".join(quoted[low:high]), "".join(found[step.dest_start : step.dest_end])):
            continue
        known = [*found[step.dest_start : step.dest_end], *_joined(found[max(0, step.dest_start - 1) : step.dest_end + 1])]
        if any(not any(_same_word(word, other) for other in known) for word in quoted[low:high]):
            return True
    return False


def _is_joined(quoted: Sequence[str], low: int, high: int, found: Sequence[str], at: int) -> bool:
    """Whether words that the quote has more are the rest of a neighbour that the text writes as one."""
    for start, end in ((low - 1, high), (low, high + 1)):
        if start < 0 or end > len(quoted):
            continue
        joined = _letters("".join(quoted[start:end]))
        if any(OSA.distance(joined, _letters(word)) <= 1 + len(joined) // 8 for word in found[max(0, at - 1) : at + 1]):
            return True
    return False


def _joined(words: Sequence[str]) -> Iterator[str]:
    """Neighbours written as one."""
    for one, other in itertools.pairwise(words):
        yield one + other


def _same_word(one: str, other: str) -> bool:
    """Whether two words are one, mistyped, or one with a particle more."""
    if one == other:
        return True
    if frozenset((one, other)) in _OPPOSITES:
        return False
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    if len(shorter) >= 3 and any(longer == prefix + shorter for prefix in _PREFIXES):
        return False
    if longer.startswith(shorter) and _is_hangul(longer[len(shorter) :]):
        return True
    if _is_hangul(longer) and OSA.distance(one, other) == 1 and len(one) != len(other):
        return True  # a syllable is missing
    if sorted(one) == sorted(other) and OSA.distance(one, other) <= 2:
        return True  # two letters changed places
    letters, letters_other = _letters(one), _letters(other)
    edits = OSA.distance(letters, letters_other)
    return edits <= max(1, _MISTYPED * max(len(letters), len(letters_other)))


def _is_hangul(word: str) -> bool:
    return all("가" <= letter <= "힣" for letter in word)


@lru_cache(maxsize=4096)
def _letters(word: str) -> str:
    """Hangul syllables as their jamo; Latin letters as they are."""
    return word if word.isascii() else unicodedata.normalize("NFD", word)
