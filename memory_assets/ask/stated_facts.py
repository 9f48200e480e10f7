"""The numbers, dates and names that a text states, and which of a claim's stand in no evidence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from memory_assets.evidence.critical import NUMBER_WORD
from memory_assets.search.answerability.question import tokens_of
from memory_assets.text.particles import is_hangul

Day = tuple[int | None, int | None, int | None]
"""Year, month, day of the month; None for what is not said."""
_Number = tuple[str, str]
"""Its digits and its unit; an empty unit is none."""

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DATES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)",
        r"(?:(?P<y>\d{4})년 ?)?(?P<m>\d{1,2})월(?: ?(?P<d>\d{1,2})일)?",
        rf"(?<!\d)(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<n>{_MONTH})(?:,? (?P<y>\d{{4}}))?",
        rf"\b(?P<n>{_MONTH}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<y>\d{{4}}))?",
        rf"\b(?P<n>{_MONTH}),?(?: of)? (?P<y>\d{{4}})",
        # "may" and "march" alone are words as well.
        r"(?P<n>\b(?:January|February|April|June|July|August|September|October|November|December)\b)",
        r"(?<=\bin )(?P<n>May|March)\b",
    )
)
_UNITS: Final = {
    "day": r"days?|일",
    "week": r"weeks?|주",
    "month": r"months?|개월|달",
    "year": r"years?|년",
    "hour": r"hours?|hrs?|시간",
    "minute": r"minutes?|mins?|분",
    "second": r"seconds?|secs?|초",
    "percent": r"%|percent|퍼센트|프로",
}
_UNIT: Final = "|".join(f"(?P<{name}>{pattern})" for name, pattern in _UNITS.items())
_NUMBER: Final = re.compile(
    rf"(?P<sign>(?<![\w\d])[-−+])?(?P<digits>\d+(?:[.,:]\d+)*)(?:[ -]?(?:{_UNIT})(?![a-z])|(?P<suffix>[a-z]+))?", re.IGNORECASE
)
_ENGLISH_VALUES: Final = "zero,one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve"
_KOREAN_VALUES: Final = ",한,두,세,네,다섯,여섯,일곱,여덟,아홉,열"
_VALUES: Final = {
    word: str(number) for words in (_ENGLISH_VALUES, _KOREAN_VALUES) for number, word in enumerate(words.split(",")) if word
}
_PRONOUNS: Final = frozenset({"one"})
"""Number words that say no number as often as they say one."""

# Not Korean letters: a particle may stand right behind a Latin word.
_LATIN_WORD: Final = re.compile(r"[A-Za-zÀ-ɏ][0-9A-Za-zÀ-ɏ_'’-]*")
_IDENTIFIER: Final = re.compile(
    r"[0-9A-Za-z_@~-]*(?:[./_\\:@#][0-9A-Za-z_-]+)+/?|[0-9A-Za-z]*[a-z][A-Z][0-9A-Za-z]*|[0-9A-Za-z]*[A-Za-z]\d[0-9A-Za-z]*"
)
_KOREAN_PERSON: Final = re.compile(r"([가-힣]{2,4}) ?(?:씨|님)(?![가-힣]{3})")
_CALENDAR: Final = re.compile(rf"{_MONTH}|(?:mon|tues|wednes|thurs|fri|satur|sun)days?", re.IGNORECASE)
_FUNCTION_WORD: Final = re.compile(
    r"a|about|according|after|again|all|also|although|an|and|another|any|are|as|at|based|be|because|before|both|"
    r"but|by|can|currently|did|do|does|during|each|earlier|either|even|every|few|finally|first|for|from|had|has|"
    r"have|he|her|here|hers|his|how|however|i|if|in|instead|is|it|its|just|last|later|many|more|most|my|neither|"
    r"next|no|nobody|none|nor|not|nothing|now|of|on|once|one|only|or|other|others|our|she|since|so|some|someone|"
    r"something|sometimes|still|such|than|that|the|their|them|then|there|these|they|this|those|though|through|"
    r"to|together|too|under|unlike|until|was|we|were|what|when|where|whether|which|while|who|whose|why|will|"
    r"with|within|without|would|yes|yet|you|your"
)


def has_date(text: str) -> bool:
    """Whether a text names a date."""
    return bool(_date_matches(_plain(text)))


def without_dates(text: str) -> str:
    """A text without its dates, one form for each character."""
    return _without_dates(_plain(text))


def telling(text: str) -> str:
    """A text without the English words that stand in every text."""
    return _LATIN_WORD.sub(lambda match: "" if _FUNCTION_WORD.fullmatch(match[0].lower()) else match[0], text)


@dataclass(frozen=True, slots=True)
class Facts:
    """What some evidence states.

    Attributes:
        text: in lower case, one form for each character.
        words: its Latin words in lower case; ``stems`` their stems.
        number_words: in lower case.
    """

    text: str
    words: frozenset[str]
    stems: frozenset[str]
    days: tuple[Day, ...]
    numbers: frozenset[_Number]
    number_words: frozenset[str]


def facts_of(text: str, days: Iterable[date] = ()) -> Facts:
    """What a text states, with days that are known of it besides."""
    plain = _plain(text)
    found = [day for _, day in _dates(plain)]
    found += [(day.year, day.month, day.day) for day in days]
    numbers = set(_numbers(_without_dates(plain)))
    numbers |= {(str(year), "") for year, _, _ in found if year is not None}
    words = {match[0].lower() for match in NUMBER_WORD.finditer(plain.lower())}
    numbers |= {(_VALUES[word], "") for word in words if word in _VALUES}
    # A number with a unit is also a number.
    numbers |= {(digits, "") for digits, _ in numbers}
    lowered = plain.lower()
    return Facts(lowered, frozenset(_latin(plain)), tokens_of(plain), tuple(found), frozenset(numbers), frozenset(words))


def dates_stand(claim: str, facts: Facts) -> tuple[str, str | None]:
    """A claim without its dates, and the first date that no evidence has; it may leave out a part of one that stands there."""
    plain = _plain(claim)
    for told, day in _dates(plain):
        if not any(all(said in (None, known) for said, known in zip(day, one, strict=True)) for one in facts.days):
            return plain, told
    return _without_dates(plain), None


def missing_number(claim: str, facts: Facts) -> str | None:
    """The first number of a claim that no evidence has, in digits or in words."""
    plain = _plain(claim)
    for digits, unit in _numbers(plain):
        if (digits, unit) not in facts.numbers:
            return f"{digits} {unit}".strip()
    for match in NUMBER_WORD.finditer(plain.lower()):
        word = match[0]
        known = word in facts.number_words or (_VALUES.get(word, ""), "") in facts.numbers
        if not known and word not in _PRONOUNS:
            return word
    return None


def missing_name(claim: str, facts: Facts, question: str, speakers: Iterable[str]) -> str | None:
    """The first name of a claim that neither the evidence nor the question has."""
    plain, asked = _plain(claim), _plain(question).lower()
    for name in _identifiers(plain):
        if not _holds(facts.text, name) and not _holds(asked, name):
            return name
    for name in (*_KOREAN_PERSON.findall(plain), *(one for one in speakers if _holds(plain.lower(), one.lower()))):
        if name.lower() not in facts.text and name.lower() not in asked:
            return str(name)
    known = facts.words | frozenset(_latin(question))
    stems = facts.stems | tokens_of(question)
    return next((name for name in _names(plain) if not _is_known(name, known, stems)), None)


def _is_known(name: str, words: frozenset[str], stems: frozenset[str]) -> bool:
    lowered = _bare(name)
    return (
        lowered in words or _FUNCTION_WORD.fullmatch(lowered) is not None or bool((own := tokens_of(lowered)) and own <= stems)
    )


def _names(text: str) -> Iterator[str]:
    """Words with a capital; the first word of a sentence too, for it may be one. Among Korean words all that are not Korean."""
    korean = any(map(is_hangul, text))
    for match in _LATIN_WORD.finditer(text):
        word = match[0]
        if _CALENDAR.fullmatch(word) or (len(word) < 2 and word != word.upper()):
            continue
        if word[0].isupper() or korean:
            yield word


def _identifiers(text: str) -> Iterator[str]:
    """Paths, addresses, names of code and versions."""
    for match in _IDENTIFIER.finditer(text):
        name = match[0].strip(".:/#")
        if any(char.isalpha() for char in name):
            yield name.lower()


def _holds(text: str, name: str) -> bool:
    """Whether a text has a name as a whole word of it."""
    return re.search(rf"(?<![a-z0-9_]){re.escape(name)}(?![a-z0-9_])", text) is not None


def _latin(text: str) -> Iterator[str]:
    for match in _LATIN_WORD.finditer(_plain(text)):
        yield _bare(match[0])


def _bare(word: str) -> str:
    """A word without what makes it a possessive."""
    return re.sub(r"['’]s?$", "", word.lower()).rstrip("-'’")


def _numbers(text: str) -> Iterator[_Number]:
    for match in _NUMBER.finditer(text):
        unit = next((name for name in _UNITS if match[name]), (match["suffix"] or "").lower())
        sign = "-" if match["sign"] in ("-", "−") else ""
        yield sign + match["digits"].replace(",", ""), "" if unit in ("st", "nd", "rd", "th") else unit


def _dates(text: str) -> Iterator[tuple[str, Day]]:
    for match in _date_matches(text):
        given = match.groupdict()
        month = int(given["m"]) if given.get("m") else _MONTHS.index(given["n"][:3].lower()) + 1
        yield match[0], (_whole(given.get("y")), month, _whole(given.get("d")))


def _date_matches(text: str) -> Sequence[re.Match[str]]:
    """Dates in order; what an earlier pattern found no later one cuts."""
    found: list[re.Match[str]] = []
    for pattern in _DATES:
        found += [
            m for m in pattern.finditer(text) if not any(m.start() < one.end() and one.start() < m.end() for one in found)
        ]
    return sorted(found, key=re.Match.start)


def _without_dates(text: str) -> str:
    for match in reversed(_date_matches(text)):
        text = f"{text[: match.start()]} {text[match.end() :]}"
    return text


def _whole(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _plain(text: str) -> str:
    """One form for each character: a digit of any script is that digit."""
    composed = unicodedata.normalize("NFKC", text)
    return "".join(str(unicodedata.digit(char)) if char.isdigit() and not char.isascii() else char for char in composed)
