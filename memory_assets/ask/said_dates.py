"""The day that somebody meant: `yesterday`, said on 8 May 2023, is 7 May 2023.

Counted from the day on which it was said, in the language of the question. What a speaker leaves open stays open: `last week`
is the week before that day, and of what names no time only the day on which it was said is known.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Final, Literal, assert_never

from memory_assets.search.question.calendar import Ago, Ahead, Lately, OnDate, OnWeekday, Past, Season, Weekend, days_of
from memory_assets.search.question.plain_question import plain
from memory_assets.search.question.time_mentions import MONTH_NAMES, NUMBERS, Mention, mentions

Language = Literal["en", "ko"]

_MONTHS: Final = tuple(map(str.capitalize, MONTH_NAMES))
_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WEEKDAYS_KOREAN: Final = "월화수목금토일"
_SINCE: Final = re.compile(
    r"\b(?P<count>\d{1,2}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) years? (?:now|already|so far)\b"
    r"|\bfor (?:about |over |almost |nearly )?(?P<for>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
    r" years\b"
    r"|(?P<korean>\d{1,2}|한|두|세|네) ?년(?:째|간|동안)",
    re.IGNORECASE,
)
_TWO_AHEAD: Final = re.compile(r"\bday after tomorrow\b|모레", re.IGNORECASE)


def date_meant(text: str, said_at: datetime, language: Language) -> str | None:
    """The time that a sentence names, in words with its date; None where it names none that can be told.

    Args:
        said_at: when it was said; the day is that of the stored time, UTC.
    """
    spoken = plain(text)
    today = said_at.date()
    for mention in mentions(spoken):
        if (told := _told(mention, spoken, today, language)) is not None:
            return told
    if (since := _SINCE.search(spoken)) is not None:
        count = since["count"] or since["for"] or since["korean"]
        year = today.year - (int(count) if count.isdigit() else NUMBERS[count.lower()])
        return f"since {year}" if language == "en" else f"{year}년부터"
    return None


def day_words(day: date, language: Language) -> str:
    """A day in words."""
    if language == "ko":
        return f"{day.year}년 {day.month}월 {day.day}일"
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def said_on(said_at: datetime, language: Language) -> str:
    """The day on which something was said, as what is known of a sentence that names no time."""
    day = day_words(said_at.date(), language)
    return f"{day}에 한 말" if language == "ko" else f"said {day}"


def _month_words(day: date, language: Language) -> str:
    return f"{day.year}년 {day.month}월" if language == "ko" else f"{_MONTHS[day.month - 1]} {day.year}"


def _year_words(day: date, language: Language) -> str:
    return f"{day.year}년" if language == "ko" else str(day.year)


def _told(mention: Mention, text: str, today: date, language: Language) -> str | None:
    place = mention.place
    spoken_on = day_words(today, language)
    korean = language == "ko"
    match place:
        case Ahead():
            return _ahead(text[mention.start : mention.end].casefold(), today, language)
        case Lately():
            return f"{spoken_on} 조금 전" if korean else f"shortly before {spoken_on}"
        case Past() | Season():
            return None
        case Weekend(weeks_ago):
            if weeks_ago == 0:
                return f"{spoken_on}이 있는 주의 주말" if korean else f"the weekend of {spoken_on}"
            return f"{spoken_on} 전 주말" if korean else f"the weekend before {spoken_on}"
        case OnWeekday(weekday, before_today):
            # "No deploy on Friday" is said of every Friday, or of the next one: only the last one is told.
            return _weekday(place, weekday, today, language) if before_today else None
        case OnDate():
            return _dated(place, today, language)
        case Ago():
            return _ago(place, today, language)
        case _:
            assert_never(place)


def _dated(place: OnDate, today: date, language: Language) -> str | None:
    if (days := days_of(place, today)) is None:
        return None
    first = days[0]
    if place.day is not None:
        return day_words(first, language)
    return _month_words(first, language) if place.month is not None else _year_words(first, language)


def _weekday(place: OnWeekday, weekday: int, today: date, language: Language) -> str | None:
    if (days := days_of(place, today)) is None:
        return None
    if language == "ko":
        return f"{day_words(days[0], language)} ({day_words(today, language)} 전 {_WEEKDAYS_KOREAN[weekday]}요일)"
    return f"{day_words(days[0], language)} (the {_WEEKDAYS[weekday]} before {day_words(today, language)})"


def _ago(place: Ago, today: date, language: Language) -> str | None:
    if (days := days_of(place, today)) is None:
        return None
    first, spoken_on, korean = days[0], day_words(today, language), language == "ko"
    match place.unit:
        case "hour":
            return spoken_on
        case "day":
            return day_words(first, language)
        case "week" if place.weekday is not None:
            return day_words(first, language)
        case "week":
            if place.count == 0:
                return f"{spoken_on}이 있는 주" if korean else f"the week of {spoken_on}"
            if place.count == 1:
                return f"{spoken_on} 전 주" if korean else f"the week before {spoken_on}"
            return f"{spoken_on}의 {place.count}주 전" if korean else f"{place.count} weeks before {spoken_on}"
        case "month" if place.day_of_month is not None:
            return day_words(first, language)
        case "month":
            return _month_words(first, language)
        case "quarter":
            quarter = (first.month - 1) // 3 + 1
            return f"{first.year}년 {quarter}분기" if korean else f"quarter {quarter} of {first.year}"
        case "year":
            return _year_words(first, language)
        case _:
            assert_never(place.unit)


def _ahead(phrase: str, today: date, language: Language) -> str | None:
    """What is to come: tomorrow, next week, next Friday, next month, next year."""
    spoken_on, korean = day_words(today, language), language == "ko"
    if "tomorrow" in phrase or phrase.startswith(("내일", "모레")):
        days = 2 if _TWO_AHEAD.search(phrase) else 1
        return day_words(today + timedelta(days=days), language)
    if "weekend" in phrase or "주말" in phrase:
        return f"{spoken_on} 다음 주말" if korean else f"the weekend after {spoken_on}"
    if "week" in phrase or "주" in phrase:
        return f"{spoken_on} 다음 주" if korean else f"the week after {spoken_on}"
    if "month" in phrase or "달" in phrase:
        return _month_words((today.replace(day=1) + timedelta(days=32)).replace(day=1), language)
    if "year" in phrase or "내년" in phrase or "해" in phrase:
        return _year_words(date(today.year + 1, 1, 1), language)
    for number, name in enumerate(_WEEKDAYS):
        if name[:3].casefold() in phrase:
            day = today + timedelta(days=(number - today.weekday()) % 7 or 7)
            return (
                f"{day_words(day, language)} ({spoken_on} 다음 {_WEEKDAYS_KOREAN[number]}요일)"
                if korean
                else (f"{day_words(day, language)} (the {name} after {spoken_on})")
            )
    for number, name in enumerate(_MONTHS):
        if name[:3].casefold() in phrase:
            year = today.year + (number + 1 <= today.month)
            return _month_words(date(year, number + 1, 1), language)
    return None
