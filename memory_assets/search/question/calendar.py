"""Places on the calendar that words can name, and the days that each covers. Pure date arithmetic.

A place covers whole units and never less than the words say: ``last week`` is seven days from a Monday, ``2 months ago`` is a
month, ``the last 3 days`` begin three midnights ago and go on through today.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal, assert_never

Unit = Literal["hour", "day", "week", "month", "quarter", "year"]

_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(weeks=1)


@dataclass(frozen=True, slots=True)
class OnDate:
    """A year, a month of it or a day of that. Without a year it is the newest that began no later than today.

    Attributes:
        years_ago: the year counted back from this one, for ``작년 5월``; with it there is no ``year``.
        before_this: of those without a year the newest that is over, for ``last May``.
    """

    year: int | None
    month: int | None = None
    day: int | None = None
    years_ago: int | None = None
    before_this: bool = False


@dataclass(frozen=True, slots=True)
class Ago:
    """The unit of the calendar that lies ``count`` back; with 0 the present one. ``day_of_month`` is a day in that month, and
    ``weekday`` a day of that week (Monday is 0)."""

    unit: Unit
    count: int
    day_of_month: int | None = None
    weekday: int | None = None


@dataclass(frozen=True, slots=True)
class Past:
    """The last ``count`` units up to now, today (or this hour) included."""

    unit: Unit
    count: int


@dataclass(frozen=True, slots=True)
class OnWeekday:
    """The newest such day of the week: up to today, or ``before_today``."""

    weekday: int
    before_today: bool


@dataclass(frozen=True, slots=True)
class Weekend:
    """Saturday and Sunday: of this week, or of the one ``weeks_ago``."""

    weeks_ago: int


@dataclass(frozen=True, slots=True)
class Season:
    """A season of a year. Which months it has depends on where one lives, so all of the year; a winter may end in the next."""

    year: int
    winter: bool


@dataclass(frozen=True, slots=True)
class Lately:
    """Newer rather than older, without a border."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """Something to come: it is recognised so that its words name no past."""


Place = OnDate | Ago | Past | OnWeekday | Weekend | Season | Lately | Ahead
Days = tuple[date, date]
"""The first day, and the day behind the last."""


def days_of(place: Place, today: date) -> Days | None:
    """The days of a place as seen from today; None where it has none, or they are no dates (30 February, year 0)."""
    try:
        return _days_of(place, today)
    except (ValueError, OverflowError):
        return None


def _days_of(place: Place, today: date) -> Days | None:
    match place:
        case OnDate():
            return _on_date(place, today)
        case Ago():
            return _ago(place, today)
        case Past():
            return _back(today, place.unit, place.count), today + _DAY
        case OnWeekday():
            day = today - ((today.weekday() - place.weekday) % 7 or (7 if place.before_today else 0)) * _DAY
            return day, day + _DAY
        case Weekend():
            saturday = _monday(today) - place.weeks_ago * _WEEK + 5 * _DAY
            return saturday, saturday + 2 * _DAY
        case Season():
            return date(place.year, 1, 1), date(place.year + 1, 3 if place.winter else 1, 1)
        case Lately() | Ahead():
            return None
        case _:
            assert_never(place)


def _on_date(place: OnDate, today: date) -> Days:
    if place.years_ago is not None:
        return _in_year(today.year - place.years_ago, place.month, place.day)
    if place.year is not None:
        return _in_year(place.year, place.month, place.day)
    # 29 February may be eight years back.
    for year in range(today.year, today.year - 9, -1):
        try:
            since, until = _in_year(year, place.month, place.day)
        except ValueError:
            continue
        if (until if place.before_this else since) <= today:
            return since, until
    raise ValueError("no such day in any year")


def _in_year(year: int, month: int | None, day: int | None) -> Days:
    if month is None:
        return date(year, 1, 1), date(year + 1, 1, 1)
    if day is None:
        return date(year, month, 1), _months_on(date(year, month, 1), 1)
    return date(year, month, day), date(year, month, day) + _DAY


def _ago(place: Ago, today: date) -> Days:
    count = place.count
    match place.unit:
        case "hour":
            return _back(today, "hour", count), today + _DAY
        case "day":
            return today - count * _DAY, today - (count - 1) * _DAY
        case "week":
            monday = _monday(today) - count * _WEEK
            if place.weekday is not None:
                return monday + place.weekday * _DAY, monday + (place.weekday + 1) * _DAY
            return monday, monday + _WEEK
        case "month":
            first = _months_on(today.replace(day=1), -count)
            if place.day_of_month is not None:
                day = first.replace(day=place.day_of_month)
                return day, day + _DAY
            return first, _months_on(first, 1)
        case "quarter":
            first = _months_on(date(today.year, (today.month - 1) // 3 * 3 + 1, 1), -3 * count)
            return first, _months_on(first, 3)
        case "year":
            return date(today.year - count, 1, 1), date(today.year - count + 1, 1, 1)
        case _:
            assert_never(place.unit)


def _back(today: date, unit: Unit, count: int) -> date:
    """The day ``count`` units before today, on the same day of the month where the month has it."""
    match unit:
        case "hour":
            # Of an hour too no more is told than its day.
            return today - -(-count // 24) * _DAY
        case "day":
            return today - count * _DAY
        case "week":
            return today - count * _WEEK
        case "month":
            return _months_on(today, -count)
        case "quarter":
            return _months_on(today, -3 * count)
        case "year":
            return _months_on(today, -12 * count)
        case _:
            assert_never(unit)


def _monday(day: date) -> date:
    return day - day.weekday() * _DAY


def _months_on(day: date, months: int) -> date:
    number = day.year * 12 + day.month - 1 + months
    year, month = number // 12, number % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))
