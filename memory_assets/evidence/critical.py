"""Whether a quote says something else than the text that is like it.

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

from memory_assets.text import differences
from memory_assets.text.characters import folded_form, unified_form
from memory_assets.text.opposites import BEGINNINGS, LIMITS_OF_A_QUOTE

CriticalDifference = Literal["number", "negation", "word", "operator"]

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
NUMBER_WORD = re.compile(
    r"\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|ninety|hundred"
    r"|thousand|million|billion|trillion|first|second|third|fourth|fifth|half|twice|double|once"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|hourly|daily|weekly|monthly|yearly)\b"
    r"|(?<![가-힣])(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)"
    r"(?= ?(?:개|번|시간|시|명|달|주|가지|건|줄|배|사람|곳|장|대|단계|차|층|쪽|마리|통|자리)(?![가-힣]{3}))"
    r"|(?<![가-힣])[일이삼사오육칠팔구]*[십백천만억][일이삼사오육칠팔구십백천만억]*(?![가-힣]{3})"
    r"|[월화수목금토일]요일|매[일월주년달시]"
)
# In Korean both "안 됩니다" and "안됩니다" are written. "제안하" is none.
_NEGATION_KOREAN = re.compile(
    r"없|않|못|아니|아닌|아닙|(?<![가-힣])안(?: |(?=[되됩돼된하합해했할한나맞쓰써씁돌보가먹바받고켜넣남지끄돼]))"
    r"|지 ?말(?=[고아라자것기])|마세요|마십시오|지 ?마(?![가-힣])|지 ?마라|금지|불가"
)
# Not "none" and "except": they are words of code.
_NEGATION_ENGLISH = re.compile(
    r"\b(?:not|no|never|nothing|nobody|nowhere|without|cannot|neither|nor)\b"
    r"|n't\b|\b(?:dont|doesnt|didnt|isnt|arent|wasnt|werent|cant|couldnt|wont|wouldnt|shouldnt)\b"
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_BOX = re.compile(r"\[([ xX])\]")
_MIXED = re.compile(r"([A-Za-z]+)([가-힣]+)")
_HEXADECIMAL = re.compile(r"[0-9a-f]{7,64}")
# In front of a word these turn it round.
_PREFIXES = ("un", "non", "dis", "in", "im", "ir", "il", "de", "anti", "mis")
_PREFIXES_KOREAN = ("비", "불", "미", "무", "부", "반")
_NAMES_OF_UNITS = "s ms us ns sec min h d b kb mb gb tb kib mib gib k m px pt em rem am pm usd eur krw kg g cm mm km"
_UNITS = frozenset(_NAMES_OF_UNITS.split())
_LONG_WORD = 5
"""Letters from which a word with two that differ is still the same word, mistyped; of a shorter one a single letter may."""
_DIGITS = re.compile(r"\d+")


def critical_differences(quote: str, found: str) -> tuple[CriticalDifference, ...]:
    """In what a quote and the text that was found for it differ so that something else is said; empty when in nothing.

    Args:
        quote, found: texts that are similar; what only Markdown, case, spacing or punctuation tells apart is the same.
    """
    one, other = _plain(quote), _plain(found)
    if one == other:
        return ()
    low, low_other = one.casefold(), other.casefold()
    kinds: list[CriticalDifference] = []
    if _numbers(low) != _numbers(low_other):
        kinds.append("number")
    if _negations(low) != _negations(low_other):
        kinds.append("negation")
    words, there = _words(one), _words(other)
    if words != there and _swapped(words, there):
        kinds.append("word")
    operators, operators_there = differences.all_operators(one), differences.all_operators(other)
    lost = operators_there - operators if len(words) >= len(there) else Counter()
    if operators - operators_there or lost or _boxes(one) != _boxes(other):
        kinds.append("operator")
    return tuple(kinds)


def is_negated(text: str) -> bool:
    """Whether a text denies something."""
    return sum(_negations(_plain(text).casefold()).values()) > 0


def joins_otherwise(text: str, first_end: int, second_start: int) -> bool:
    """Whether what an ellipsis leaves out between two parts of a text turns what is quoted round.

    It does when a negation or a limit of either part's own sentence is left out, and when parts of two sentences are made
    into one.
    """
    omitted = text[first_end:second_start]
    ends = [match.end() for match in _SENTENCE_END.finditer(omitted)]
    of_first, of_second = (omitted[: ends[0]], omitted[ends[-1] :]) if ends else (omitted, omitted)
    if any(_limits(part) for part in (of_first, of_second)):
        return True
    if not ends:
        return False
    broken_off = bool(of_first.strip(" .!?。\n")) and not _SENTENCE_END.search(text[max(0, first_end - 2) : first_end] + " ")
    return broken_off and bool(of_second.strip())


_SENTENCE_END = re.compile(r"[.!?。](?=\s)|\n\s*\n")


def _limits(text: str) -> bool:
    plain = _plain(text)
    return sum(_negations(plain.casefold()).values()) > 0 or any(word.casefold() in LIMITS_OF_A_QUOTE for word in _words(plain))


def _plain(text: str) -> str:
    return " ".join(unified_form(folded_form(text)).split())


def _numbers(text: str) -> tuple[list[str], list[str]]:
    """Numbers by their digits, and words for numbers, days and rhythms, each in their order.

    What stands between digits is judged as an operator or as punctuation.
    """
    return re.findall(r"\d+", "\n".join(_NUMBER.findall(text)).replace(",", "")), NUMBER_WORD.findall(text)


def _negations(text: str) -> Counter[str]:
    return Counter({"en": len(_NEGATION_ENGLISH.findall(text)), "ko": len(_NEGATION_KOREAN.findall(text))})


def _boxes(text: str) -> list[str]:
    return [mark.casefold() for mark in _BOX.findall(text)]


def _words(text: str) -> list[str]:
    return [word.replace("'", "") for word in _WORD.findall(_BOX.sub(" ", text))]


def _swapped(quoted: Sequence[str], found: Sequence[str]) -> bool:
    """Whether a word of the quote stands for another one, or for none, or a word that limits is left out."""
    one, other = [word.casefold() for word in quoted], [word.casefold() for word in found]
    for step in Levenshtein.opcodes(one, other):
        low, high = step.src_start, step.src_end
        there = found[step.dest_start : step.dest_end]
        if step.tag == "equal":
            continue
        limits = [word for word in there if word.casefold() in LIMITS_OF_A_QUOTE]
        if any(not any(_same_word(word, limit) for word in quoted[low:high]) for limit in limits):
            return True
        if step.tag == "insert":
            continue
        if step.tag == "delete" and _is_joined(quoted, low, high, found, step.dest_start):
            continue
        joined, joined_there = "".join(quoted[low:high]), "".join(there)
        if joined == joined_there or (high - low != len(there) and step.tag == "replace" and _same_word(joined, joined_there)):
            continue
        known = [*there, *_joined(found[max(0, step.dest_start - 1) : step.dest_end + 1])]
        if any(not any(_same_word(word, near) for near in known) for word in quoted[low:high]):
            return True
    return False


def _is_joined(quoted: Sequence[str], low: int, high: int, found: Sequence[str], at: int) -> bool:
    """Whether words that the quote has more are the rest of a neighbour that the text writes as one."""
    for start, end in ((low - 1, high), (low, high + 1)):
        if start < 0 or end > len(quoted):
            continue
        joined = _letters("".join(quoted[start:end]).casefold())
        for word in found[max(0, at - 1) : at + 1]:
            whole = len(word) > max(len(part) for part in quoted[start:end])  # the neighbour alone is no joined word
            if whole and OSA.distance(joined, _letters(word.casefold())) <= 1 + len(joined) // 8:
                return True
    return False


def _joined(words: Sequence[str]) -> Iterator[str]:
    """Neighbours written as one."""
    for one, other in itertools.pairwise(words):
        yield one + other


def _same_word(quoted: str, found: str) -> bool:
    """Whether two words are one, mistyped, or one with a particle more."""
    one, other = quoted.casefold(), found.casefold()
    if one == other:
        return True
    if _names_another(quoted, found) or _is_opposite(one, other):
        return False
    mixed, mixed_other = _MIXED.fullmatch(quoted), _MIXED.fullmatch(found)
    if mixed and mixed_other:  # "API를": a Latin word with its particle
        return _same_word(mixed[1], mixed_other[1]) and _same_word(mixed[2], mixed_other[2])
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    if longer.startswith(shorter) and _is_hangul(longer[len(shorter) :]):
        return True
    if sorted(one) == sorted(other) and OSA.distance(one, other) == 1:
        return True  # two letters changed places
    if _is_hangul(longer):
        return _same_syllables(longer, shorter)
    letters, letters_other = _letters(one), _letters(other)
    return OSA.distance(letters, letters_other) <= (2 if max(len(letters), len(letters_other)) >= _LONG_WORD else 1)


def _names_another(quoted: str, found: str) -> bool:
    """Words of which no letter may differ: with digits, hashes, units, and names of one letter."""
    one, other = quoted.casefold(), found.casefold()
    if any(letter.isdigit() for letter in one + other):
        parts, parts_other = _DIGITS.split(one), _DIGITS.split(other)
        latin = any(part.isascii() and part for part in parts) and parts != parts_other
        return latin or _DIGITS.findall(one) != _DIGITS.findall(other)
    if one in _UNITS and other in _UNITS:
        return True
    if _HEXADECIMAL.fullmatch(one) and _HEXADECIMAL.fullmatch(other):
        return True
    if len(one) == len(other) == 1 and (one + other).isascii():
        return quoted.isupper() or found.isupper() or not {one, other} & {"a", "i"}
    return False


@lru_cache(maxsize=4096)
def _is_opposite(one: str, other: str) -> bool:
    for first, second in BEGINNINGS:
        for left, right in ((first, second), (second, first)):
            if one.startswith(left) and other.startswith(right) and one[len(left) :] == other[len(right) :]:
                return True
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    prefixes = _PREFIXES if len(shorter) >= 3 else ()
    return any(longer == prefix + shorter for prefix in (*prefixes, *_PREFIXES_KOREAN))


def _same_syllables(longer: str, shorter: str) -> bool:
    """Korean words: a syllable more or less, or one letter of a syllable that differs, two from four syllables on."""
    if len(longer) == len(shorter) + 1:
        return OSA.distance(longer, shorter) == 1 and not any(longer.startswith(front) for front in _PREFIXES_KOREAN)
    if len(longer) != len(shorter):
        return False
    edits = [Levenshtein.distance(_letters(a), _letters(b)) for a, b in zip(longer, shorter, strict=True) if a != b]
    return max(edits) <= 1 and len(edits) <= (2 if len(longer) >= 4 else 1)


def _is_hangul(word: str) -> bool:
    return all("가" <= letter <= "힣" for letter in word)


@lru_cache(maxsize=4096)
def _letters(word: str) -> str:
    """Hangul syllables as their jamo; Latin letters as they are."""
    return word if word.isascii() else unicodedata.normalize("NFD", word)
