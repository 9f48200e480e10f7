"""Where a question speaks of time, in English and Korean, and which place on the calendar it means.

Each phrase is read once: what one pattern took, the next does not see. Patterns are bounded, and read a question with single
spaces in its own case (``may`` and ``march`` are months only where they cannot be verbs).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

from memory_assets.search.question.calendar import Ago, Ahead, Lately, OnDate, OnWeekday, Past, Place, Season, Unit, Weekend


@dataclass(frozen=True, slots=True)
class Mention:
    """A phrase that means a place on the calendar, from ``start`` to ``end`` of the question."""

    start: int
    end: int
    place: Place


_NAMES_OF_MONTHS = "january february march april may june july august september october november december"
MONTH_NAMES: Final = tuple(_NAMES_OF_MONTHS.split())
_MONTHS: Final = {name[:3]: number for number, name in enumerate(MONTH_NAMES, start=1)}
_UNITS_ENGLISH: Final[tuple[Unit, ...]] = ("hour", "day", "week", "month", "quarter", "year")
_UNITS_KOREAN: Final[dict[str, Unit]] = {
    "시간": "hour",
    "일": "day",
    "주": "week",
    "주일": "week",
    "개월": "month",
    "달": "month",
    "년": "year",
    "분기": "quarter",
}
_UNITS: Final[dict[str, Unit]] = {unit: unit for unit in _UNITS_ENGLISH} | _UNITS_KOREAN
_NAMES_OF_NUMBERS = "one two three four five six seven eight nine ten eleven twelve"
_NUMBERS_ENGLISH: Final = {word: number for number, word in enumerate(_NAMES_OF_NUMBERS.split(), start=1)} | {"a": 1, "an": 1}
_NUMBERS_KOREAN: Final = {"한": 1, "두": 2, "세": 3, "석": 3, "네": 4, "넉": 4, "다섯": 5, "여섯": 6, "일": 1, "이": 2, "삼": 3}
NUMBERS: Final = _NUMBERS_ENGLISH | _NUMBERS_KOREAN
_SPANS_KOREAN: Final[dict[str, tuple[Unit, int]]] = {
    "하루": ("day", 1),
    "이틀": ("day", 2),
    "사흘": ("day", 3),
    "나흘": ("day", 4),
    "닷새": ("day", 5),
    "열흘": ("day", 10),
    "보름": ("day", 15),
    "일주일": ("week", 1),
    "반년": ("month", 6),
}
_WEEKDAYS: Final = {"mon": 0, "tue": 1, "wed": 2, "thu": 3, "fri": 4, "sat": 5, "sun": 6}
_WEEKDAYS_KOREAN: Final = "월화수목금토일"

_MAY_BE_VERBS: Final = frozenset(("may", "mar", "march"))
_WITH_LOWER_CASE: Final = re.compile(r"\b(?:in|during|since|of|on|by|early|mid|late|throughout|last|this)[ -]\Z", re.IGNORECASE)

_PREPOSITIONS_LISTED: Final = "in on during since until till by before after from to through between and of throughout"
_PREPOSITIONS: Final = frozenset(_PREPOSITIONS_LISTED.split())

# What stands on either side of a date that is no part of a path, a version or a longer number.
_L: Final = r"(?<![A-Za-z0-9_])(?<![./\\@-])"
_R: Final = r"(?![A-Za-z0-9_])(?![./:\\@-][A-Za-z0-9])"
_MONTH: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY: Final = r"(?P<day>3[01]|[12][0-9]|0?[1-9])(?:st|nd|rd|th)?"
_YEAR: Final = r"(?P<year>20[0-9]{2})"
"""Years in which a session can have taken place (`sessions.times`): before, a year is something that is spoken of."""
_COUNT: Final = r"(?P<count>[0-9]{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_UNIT: Final = r"(?P<unit>hour|day|week|month|quarter|year)"
_WEEKDAY: Final = r"(?P<weekday>mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)"
_BEFORE_A_YEAR: Final = "in|during|since|throughout|before|after|until|till|by|from|year|early|mid|late"
_BEFORE_A_MONTH: Final = (
    "in|during|since|until|till|by|before|after|from|to|through|between|and|of|early|mid|late|end of|last|this|next"
)
_COUNTED: Final = (
    "tokens?|ms|seconds?|lines?|bytes?|rows?|files?|items?|characters?|words?|messages?|units?|people|px|mb|kb|requests?"
)

# What may follow a Korean word of time that stands for itself: a particle, or another word's beginning after a blank.
_EDGE: Final = (
    r"(?=(?:에서?|의|은|는|이|가|도|엔|에는|에도|에만|부터|까지|까지는|까지의|와|과|랑|이랑|동안|간|쯤|께|경|로|만|을|를"
    r"|이후|이전|중|내|처럼|보다|마다|이었|였|인데|이야|이나|부터는|에만|에야)?(?:[^가-힣]|\Z))"
)
_COUNT_KOREAN: Final = r"(?P<count>[0-9]{1,4}|한|두|세|네|석|넉|다섯|여섯|일|이|삼)"
_LENGTH_KOREAN: Final = (
    rf"(?:(?<![0-9가-힣.]){_COUNT_KOREAN} ?(?P<unit>시간|일|주일|주|개월|달|년|분기)"
    r"|(?P<span>하루|이틀|사흘|나흘|닷새|열흘|보름|일주일|반년))"
)
_MONTH_KOREAN: Final = r"(?P<month>1[0-2]|0?[1-9])월(?!요일)"
_DAY_KOREAN: Final = r"(?P<day>3[01]|[12][0-9]|0?[1-9])일(?!간|째)"
_YEARS_AGO_KOREAN: Final = {"재작년": 2, "작년": 1, "지난해": 1, "지난 해": 1, "전년": 1, "올해": 0, "금년": 0, "이번 해": 0}
_LAST_KOREAN: Final = r"(?P<back>지지난|저저번|지난|저번|이번)"
_BACK_KOREAN: Final = {"지지난": 2, "저저번": 2, "지난": 1, "저번": 1, "이번": 0}

Reader = Callable[[re.Match[str], str], Place | None]


def _number(text: str) -> int:
    return NUMBERS[text] if text in NUMBERS else int(text)


def _month(match: re.Match[str]) -> int:
    word = match["month"]
    return int(word) if word.isdigit() else _MONTHS[word[:3].lower()]


def _full_date(match: re.Match[str], text: str) -> Place | None:
    return OnDate(int(match["year"]), _month(match), int(match["day"]))


def _day_or_month_first(match: re.Match[str], text: str) -> Place | None:
    """``25/12/2023`` is one day; ``05/08/2023`` could be two, and is none."""
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    if first == second or (first <= 12 < second):
        return OnDate(year, first, second)
    return OnDate(year, second, first) if second <= 12 < first else None


def _month_of_year(match: re.Match[str], text: str) -> Place | None:
    return OnDate(int(match["year"]), _month(match))


def _is_month(match: re.Match[str], text: str) -> bool:
    """Whether ``may`` and ``march`` are months: by a capital letter, or by what stands before."""
    word = match["month"]
    if word.lower() not in _MAY_BE_VERBS or word[0].isupper():
        return True
    return any(_WITH_LOWER_CASE.search(text[max(end - 12, 0) : end]) for end in (match.start(), match.start("month")))


def _day_of_month(match: re.Match[str], text: str) -> Place | None:
    return OnDate(None, _month(match), int(match["day"])) if _is_month(match, text) else None


def _some_month(match: re.Match[str], text: str) -> Place | None:
    if not _is_month(match, text):
        return None
    which = (match["which"] or "").lower()
    return Ahead() if which.startswith("next") else OnDate(None, _month(match), before_this=which.startswith("last"))


def _month_of_last_year(match: re.Match[str], text: str) -> Place | None:
    day = match.groupdict().get("day")
    back = 0 if match["which"].lower() == "this" else 1
    return OnDate(None, _month(match), int(day) if day else None, years_ago=back)


def _this_or_last(match: re.Match[str], text: str) -> Place | None:
    which, unit = match["which"].lower(), match["unit"].lower()
    if which in ("next", "coming", "upcoming", "following"):
        return Ahead()
    if unit == "weekend":
        return Weekend(0 if which in ("this", "current") else 1)
    if match["the"] or which == "past":
        return Past(_UNITS[unit], 1)
    return Ago(_UNITS[unit], 0 if which in ("this", "current") else 1)


def _some_weekday(match: re.Match[str], text: str) -> Place | None:
    which = match["which"].lower()
    return Ahead() if which == "next" else OnWeekday(_WEEKDAYS[match["weekday"][:3].lower()], before_today=which == "last")


def _counted(match: re.Match[str]) -> tuple[Unit, int]:
    if span := match.groupdict().get("span"):
        return _SPANS_KOREAN[span]
    return _UNITS[match["unit"].lower()], _number(match["count"].lower())


def _ago(match: re.Match[str], text: str) -> Place | None:
    return Ago(*_counted(match))


def _past(match: re.Match[str], text: str) -> Place | None:
    return Past(*_counted(match))


def _korean_date(match: re.Match[str], text: str) -> Place | None:
    year, day = match.groupdict().get("year"), match.groupdict().get("day")
    if ago := match.groupdict().get("ago"):
        return OnDate(None, int(match["month"]), int(day) if day else None, years_ago=_YEARS_AGO_KOREAN[ago])
    return OnDate(int(year) if year else None, int(match["month"]), int(day) if day else None)


def _korean_month(match: re.Match[str], text: str) -> Place | None:
    which = match["which"]
    return Ahead() if which == "다음" else OnDate(None, int(match["month"]), before_this=which in ("지난", "저번"))


def _korean_unit(match: re.Match[str], text: str) -> Place | None:
    back = _BACK_KOREAN[match["back"]]
    if match["unit"] == "주말":
        return Weekend(back)
    return Ago(_UNITS[match["unit"]], back)


def _korean_weekday_of_week(match: re.Match[str], text: str) -> Place | None:
    return Ago("week", _BACK_KOREAN[match["back"]], weekday=_WEEKDAYS_KOREAN.index(match["weekday"]))


def _korean_weekday(match: re.Match[str], text: str) -> Place | None:
    return OnWeekday(_WEEKDAYS_KOREAN.index(match["weekday"]), before_today=match["which"] is not None)


def _day_of_last_month(match: re.Match[str], text: str) -> Place | None:
    return Ago("month", _BACK_KOREAN[match["back"]], day_of_month=int(match["day"]))


def _always(place: Place) -> Reader:
    return lambda match, text: place


def _year(match: re.Match[str], text: str) -> Place | None:
    return OnDate(int(match["year"]))


def _season(match: re.Match[str], text: str) -> Place | None:
    return Season(int(match["year"]), match["season"].lower() in ("winter", "겨울"))


def _english(pattern: str) -> str:
    return rf"{_L}(?:{pattern})(?![A-Za-z0-9_])"


# fmt: off
_SPELLED: Final[tuple[tuple[str, Reader], ...]] = (
    # Dates, the most telling first.
    (rf"{_L}{_YEAR}(?P<mark>[-/.]) ?(?P<month>1[0-2]|0?[1-9])(?P=mark) ?{_DAY}(?:T[0-9]{{2}}:?[0-9:.]{{2,16}}(?:Z|"
     rf"[+-][0-9:]{{4,5}})?)?{_R}", _full_date),
    (rf"{_L}{_YEAR}(?P<month>1[0-2]|0[1-9])(?P<day>3[01]|[12][0-9]|0[1-9])(?![A-Za-z0-9_])", _full_date),
    (rf"{_L}(?P<first>[0-9]{{1,2}})(?P<mark>[/.])(?P<second>[0-9]{{1,2}})(?P=mark){_YEAR}{_R}", _day_or_month_first),
    (rf"{_L}{_DAY}(?: of)? {_MONTH},? {_YEAR}{_R}", _full_date),
    (rf"{_L}{_MONTH} {_DAY},? {_YEAR}{_R}", _full_date),
    (rf"{_L}{_MONTH}(?:,| of)? {_YEAR}{_R}", _month_of_year),
    (rf"{_L}{_YEAR} {_MONTH} {_DAY}(?![0-9])", _full_date),
    (rf"{_L}{_YEAR}-(?P<month>1[0-2]|0[1-9])(?![0-9A-Za-z_-])", _month_of_year),
    (rf"(?<![0-9]){_YEAR}년 ?{_MONTH_KOREAN}(?: ?{_DAY_KOREAN})?", _korean_date),
    (rf"(?P<ago>재작년|작년|지난 ?해|전년|올해|금년|이번 해) ?{_MONTH_KOREAN}(?: ?{_DAY_KOREAN})?", _korean_date),
    (rf"{_LAST_KOREAN} ?달 ?{_DAY_KOREAN}", _day_of_last_month),
    (rf"(?<![0-9.]){_MONTH_KOREAN} ?{_DAY_KOREAN}", _korean_date),
    (rf"(?:(?P<which>지난|저번|이번|다음) ?)?(?<![0-9.]){_MONTH_KOREAN}", _korean_month),
    (rf"{_L}{_MONTH}(?: {_DAY})?,?(?: of)? (?P<which>last|this) year(?![A-Za-z])", _month_of_last_year),
    (rf"{_L}(?P<which>last|this) year,?(?: in| on)? {_MONTH}(?: {_DAY})?(?![A-Za-z0-9])", _month_of_last_year),
    (rf"{_L}{_DAY}(?: of)? {_MONTH}(?! (?:be|have|not|also|or|cause|need)\b)(?![A-Za-z0-9])", _day_of_month),
    (rf"{_L}{_MONTH} {_DAY}(?![0-9A-Za-z%])(?![.:/-][0-9])", _day_of_month),
    (rf"{_L}(?P<season>spring|summer|autumn|fall|winter)(?: of|,)? {_YEAR}{_R}", _season),
    (rf"(?<![0-9]){_YEAR}년 ?(?P<season>봄|여름|가을|겨울)", _season),
    (rf"(?<![0-9]){_YEAR}년(?!간|전|차|째| ?동안)", _year),
    (rf"(?<![\w-])(?:(?P<which>{_BEFORE_A_YEAR}) |(?:end|half|beginning|start|rest|course) of ){_YEAR}{_R}(?![,%])"
     rf"(?! ?(?:{_COUNTED})\b)", _year),
    (rf"{_L}(?:(?P<which>{_BEFORE_A_MONTH})[ -]){_MONTH}(?! [0-9]{{1,2}}\b)(?![A-Za-z0-9])", _some_month),
    (rf"{_L}(?P<which>)(?P<month>january|february|july|september|october|november|december)(?![A-Za-z0-9])", _some_month),
    # Counted back from today.
    (_english(r"(?:the )?day before yesterday"), _always(Ago("day", 2))),
    (_english(r"yesterday|last night"), _always(Ago("day", 1))),
    (_english(r"today|tonight|this (?:morning|afternoon|evening)"), _always(Ago("day", 0))),
    (_english(r"tomorrow"), _always(Ahead())),
    (_english(rf"(?:last|past|previous) {_COUNT} {_UNIT}s?"), _past),
    (_english(rf"{_COUNT} {_UNIT}s? ago"), _ago),
    (_english(r"(?:[0-9]{1,3}|an?|one|two|few|several|couple of) minutes? ago"), _always(Ago("day", 0))),
    (_english(r"(?P<the>(?:in|over|during|within|for|of) the )?(?P<which>last|past|previous|this|current|next|coming"
              r"|upcoming|following) (?P<unit>weekend|week|month|quarter|year)"), _this_or_last),
    (_english(rf"(?P<which>last|this|on|since|until|till|before|after|by|next) {_WEEKDAY}"), _some_weekday),
    (_english(r"(?:last|past) (?:few|couple of|several) (?:hours|days|weeks|months)"
              r"|(?:few|couple of|couple|several) (?:hours|days|weeks) ago|recently|lately|recent|these days|nowadays|latest"
              r"|newest|most recent|just now|of late"), _always(Lately())),
    (r"(?<![가-힣])(?:그저께|그제)" + _EDGE, _always(Ago("day", 2))),
    (r"(?<![가-힣])(?:어제|어저께|어젯밤|간밤)" + _EDGE, _always(Ago("day", 1))),
    (r"(?<![가-힣])오늘" + _EDGE, _always(Ago("day", 0))),
    (r"내일|모레|(?:다음|내) ?(?:주말|주|달|해|분기)" + _EDGE + "|내년" + _EDGE, _always(Ahead())),
    (rf"{_LAST_KOREAN} ?주 ?(?P<weekday>[{_WEEKDAYS_KOREAN}])요일", _korean_weekday_of_week),
    (rf"(?<!매주 )(?<![가-힣])(?:(?P<which>지난|저번) ?)?(?P<weekday>[{_WEEKDAYS_KOREAN}])요일(?!마다)", _korean_weekday),
    (rf"{_LAST_KOREAN} ?(?P<unit>주말|주|달|분기){_EDGE}", _korean_unit),
    (rf"(?<![가-힣])(?:전전주|지지난주){_EDGE}", _always(Ago("week", 2))),
    (rf"(?<![가-힣])금주{_EDGE}", _always(Ago("week", 0))),
    (rf"(?<![가-힣])(?:이달|금월|당월){_EDGE}", _always(Ago("month", 0))),
    (rf"(?<![가-힣])전월{_EDGE}", _always(Ago("month", 1))),
    (rf"(?<![가-힣])재작년{_EDGE}", _always(Ago("year", 2))),
    (rf"(?<![가-힣])(?:작년|지난 ?해|전년|전년도){_EDGE}", _always(Ago("year", 1))),
    (rf"(?<![가-힣])(?:올해|금년|이번 해|이번 년도){_EDGE}", _always(Ago("year", 0))),
    (rf"(?:최근|지난|과거|직전|요) ?{_LENGTH_KOREAN}(?: ?(?:간|동안|내|이내|사이))?{_EDGE}", _past),
    (rf"{_LENGTH_KOREAN} ?전{_EDGE}", _ago),
    (rf"{_LENGTH_KOREAN} ?(?:간|동안)(?=[^가-힣의]|\Z)", _past),
    (r"[0-9]{1,3}분 전" + _EDGE, _always(Ago("day", 0))),
    (r"최근|요즘|요새|근래|최신|얼마 ?전|며칠 ?전|몇 ?(?:주|시간) ?전|방금|엊그제|(?:요|지난) ?며칠", _always(Lately())),
)
# fmt: on
# A search that starts a process of its own would wait for all of them, and few can match a question.
_compiled = cache(partial(re.compile, flags=re.IGNORECASE))
_HANGUL: Final = re.compile("[가-힣]")
_LETTER: Final = re.compile("[A-Za-z]")
_CENTURY: Final = "20"
_NEEDING: Final = tuple((pattern, reader, bool(_HANGUL.search(pattern)), _YEAR in pattern) for pattern, reader in _SPELLED)
"""Each pattern with whether it needs Hangul, and a year's beginning; one without Hangul needs a letter or that."""


def mentions(text: str) -> list[Mention]:
    """The phrases of time in a question (`question.plain`), in their order, none over another."""
    found: list[Mention] = []
    rest = text
    for pattern, reader in _readers(text):
        taken = [(match, place) for match in pattern.finditer(rest) if (place := reader(match, text)) is not None]
        if taken:
            found += [Mention(_start(match), match.end(), place) for match, place in taken]
            rest = without(rest, [match.span() for match, _ in taken])
    return sorted(found, key=lambda mention: mention.start)


def _readers(text: str) -> Iterator[tuple[re.Pattern[str], Reader]]:
    """The patterns that have what they need in a question: Hangul, a letter, a year's beginning."""
    has_hangul, has_letter, has_year = _HANGUL.search(text), _LETTER.search(text), _CENTURY in text
    for pattern, reader, is_korean, has_a_year in _NEEDING:
        if (has_hangul if is_korean else has_letter or has_year) and (has_year or not has_a_year):
            yield _compiled(pattern), reader


def _start(match: re.Match[str]) -> int:
    """Where a phrase begins: behind a preposition that shows it to be one, for that says what bounds a window."""
    which = match.groupdict().get("which")
    return match.end("which") + 1 if which and which.lower() in _PREPOSITIONS else match.start()


def without(text: str, spans: list[tuple[int, int]]) -> str:
    """A text with spans of it blotted out, as long as it was."""
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        pieces += [text[done:start], "\x00" * (end - start)]
        done = end
    return "".join([*pieces, text[done:]])
