"""Which time a question speaks of, as a window, and the words that a message's date is found by.

A window says when something was *said*; what is told may lie before. So it is meant to lift what lies within, and to filter
only where the caller asks for that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, time, tzinfo
from typing import Final, Literal

from memory_assets.search.question.calendar import Ahead, Days, Lately, OnDate, Season, days_of
from memory_assets.search.question.plain_question import plain
from memory_assets.search.question.time_mentions import MONTH_NAMES, Mention, mentions, without

WindowKind = Literal["date", "relative", "recency"]

_BACK_TO: Final = re.compile(
    r"\b(?:since|from|starting(?: from| on| in)?)(?: the| on| in)?(?: (?:start|beginning) of)? \Z", re.IGNORECASE
)
_BEHIND: Final = re.compile(r"\bafter(?: the)?(?: end of)? \Z", re.IGNORECASE)
_BEFORE: Final = re.compile(
    r"(?:\b(?:(?:the|last|(?P<count>[0-9]{1,3}|a|one|two|three|four|five|six)) )?"
    r"(?P<near>day|night|evening|morning|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|week|month)s? )?"
    r"\b(?:before|prior to|until the start of)(?: the)? \Z",
    re.IGNORECASE,
)
_UP_TO: Final = re.compile(r"\b(?:until|till|by|as of|up to|through|no later than)(?: the)?(?: end of)? \Z", re.IGNORECASE)
_TO: Final = re.compile(r"(?:\bto\b|\buntil\b|\bthrough\b|[-~])(?: the)? ?\Z", re.IGNORECASE)
_KOREAN_BOUND: Final = re.compile(
    r"(?:에서|의|에)? ?(?:(?P<since>부터|이후|이래|이후로)|(?P<before>이전|전에(?! ?없))|(?P<until>까지))"
)
_BEFORE_READ: Final = 40
"""Characters before a phrase that are read for what bounds it; longer than any of those."""

_NEAR: Final = {"day": 1, "night": 1, "evening": 1, "morning": 1, "month": 31}
"""Days of what "the month before" a date reaches back; of a week, a weekend and a day of the week seven."""
_COUNTS: Final = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}

MAX_MENTIONS: Final = 32
"""A question of more dates than these is a pasted document: the first ones are read."""

_ASKS_FOR_TIME: Final = re.compile(
    r"(?<![A-Za-z0-9_])(?:when|how long|how often|what (?:time|date|day|month|year)|which (?:day|month|year|date)|before"
    r"|after|until|while|during|since|first time|last time|ever|ago|history|timeline|over time|chronolog\w{1,5}"
    r"|previous(?:ly)?|earlier|later)(?![A-Za-z0-9_])"
    r"|(?<![가-힣])언제(?!나|든)|이전|이후|전후|당시|그때|이력|변천|추이|연대기|지난 ?번|저번에|며칠|몇 ?(?:일|월|년|시|주|달)"
    r"(?![가-힣]{3})|기간|처음으로|마지막으로",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """A stretch of time that a question speaks of: from ``since`` up to but not including ``until``, in UTC.

    Attributes:
        since, until: None where it is open on that side; both are for ``recency``, which asks for what is new.
        cue: the words of the question that say so.
        kind: ``date`` for what is the same whenever it is asked, ``relative`` for what depends on now: counted back from it, or
            a date without its year.
    """

    since: datetime | None
    until: datetime | None
    cue: str
    kind: WindowKind

    def holds(self, moment: datetime) -> bool:
        """Whether a moment lies in the window; a recency holds every one."""
        return (self.since is None or self.since <= moment) and (self.until is None or moment < self.until)


@dataclass(frozen=True, slots=True)
class _Bounded:
    """A mention's days, and whether they are meant as a whole, or as where a window begins or ends.

    Attributes:
        start: where the mention begins in the question, behind the words that bound it.
        cue: the mention with those words.
    """

    days: Days
    bound: Literal["whole", "since", "until"]
    start: int
    cue: str


def time_window(query: str, now: datetime) -> TimeWindow | None:
    """The time that a question speaks of, seen from ``now``; None where it speaks of none, or of what is to come.

    Days are those of the clock that ``now`` carries (UTC where it carries none), weeks begin on Monday, a month or day without
    a year is the newest that began no later than ``now``. A date outweighs words that count back, these outweigh "recently".
    Several dates are one window around all of them, unless the question says from where and up to where.
    """
    zone = now.tzinfo or UTC
    today = now.date()
    text = plain(query)
    found = [mention for mention in mentions(text)[:MAX_MENTIONS] if not isinstance(mention.place, Ahead)]
    dated = [mention for mention in found if isinstance(mention.place, OnDate | Season)]
    counted = [mention for mention in found if not isinstance(mention.place, OnDate | Season | Lately)]
    for some in (_with_years(dated, today), counted):
        bounded = [one for mention in some if (one := _bounded(mention, text, today)) is not None]
        if not bounded:
            continue
        since, until = _window(_as_ranges(bounded, text))
        if since is None or until is None or since < until:
            kind: WindowKind = "date" if all(map(_is_fixed, some)) else "relative"
            cue = " … ".join(one.cue for one in bounded)
            return TimeWindow(_midnight(since, zone), _midnight(until, zone), cue, kind)
    for mention in found:
        if isinstance(mention.place, Lately):
            return TimeWindow(None, None, text[mention.start : mention.end].strip(), "recency")
    return None


def time_words(query: str) -> tuple[str, ...]:
    """The words of a question that speak of time or ask for it, in their order, each once."""
    text = plain(query)
    some = mentions(text)
    asked = [
        (match.start(), match[0])
        for match in _ASKS_FOR_TIME.finditer(without(text, [(mention.start, mention.end) for mention in some]))
    ]
    words = sorted([*((mention.start, text[mention.start : mention.end].strip()) for mention in some), *asked])
    return tuple(dict.fromkeys(word.casefold() for _, word in words))


def date_tokens(moment: datetime) -> str:
    """The words that a message's date is to be indexed by, for `lexical_text.search_text`.

    ``2023-05-08 may 5월 8일`` becomes ``2023-05-08 2023 05 08 may 5 월 8 일``: ``on 8 May, 2023``, ``2023-05-08`` and
    ``2023년 5월 8일`` all meet it with every token but ``년``, and each stands there once, so that a date weighs no more than
    it says. The day is the one of the clock that ``moment`` carries.
    """
    return f"{moment.date().isoformat()} {MONTH_NAMES[moment.month - 1]} {moment.month}월 {moment.day}일"


def _with_years(dated: Sequence[Mention], today: date) -> list[Mention]:
    """Dates without a year take that of the next date that has one, else of the one before: ``from March to May 2023``."""
    years = [days_of(mention.place, today) if _has_year(mention) else None for mention in dated]
    completed = []
    for place, mention in enumerate(dated):
        near = [*years[place + 1 :], *reversed(years[:place])]
        year = next((days[0].year for days in near if days is not None), None)
        if isinstance(mention.place, OnDate) and not _has_year(mention) and year is not None:
            mention = replace(mention, place=replace(mention.place, year=year))
        completed.append(mention)
    return completed


def _is_fixed(mention: Mention) -> bool:
    return isinstance(mention.place, Season) or (isinstance(mention.place, OnDate) and mention.place.year is not None)


def _has_year(mention: Mention) -> bool:
    place = mention.place
    return not isinstance(place, OnDate) or place.year is not None or place.years_ago is not None


def _bounded(mention: Mention, text: str, today: date) -> _Bounded | None:
    days = days_of(mention.place, today)
    if days is None:
        return None
    since, until = days
    start, end = mention.start, mention.end
    before = text[max(start - _BEFORE_READ, 0) : start]
    if match := _BEFORE.search(before):
        cue = before[match.start() :] + text[start:end]
        if near := match["near"]:
            return _Bounded((_reaching_back(since, match, near), until), "whole", start, cue)
        return _Bounded((since, since), "until", start, cue)
    if match := _BEHIND.search(before):
        return _Bounded((until, until), "since", start, before[match.start() :] + text[start:end])
    if match := _BACK_TO.search(before):
        return _Bounded(days, "since", start, before[match.start() :] + text[start:end])
    if match := _UP_TO.search(before):
        return _Bounded(days, "until", start, before[match.start() :] + text[start:end])
    if match := _KOREAN_BOUND.match(text, end):
        cue = text[start : match.end()].strip()
        if match["before"]:
            return _Bounded((since, since), "until", start, cue)
        return _Bounded(days, "since" if match["since"] else "until", start, cue)
    return _Bounded(days, "whole", start, text[start:end].strip())


def _reaching_back(day: date, match: re.Match[str], near: str) -> date:
    """Where "two weeks before" a day may begin, with one more for what is not whole.

    Such a thing is told on that day, or in the days before: the window is around them, and not all that was before.
    """
    count = (match["count"] or "one").lower()
    number = int(count) if count.isdecimal() else _COUNTS[count]
    return date.fromordinal(max(day.toordinal() - (number + 1) * _NEAR.get(near.lower(), 7), 1))


def _as_ranges(bounded: list[_Bounded], text: str) -> list[_Bounded]:
    """What follows a beginning with ``to`` is its end: ``from March to May``."""
    ranged = []
    open_since = False
    for one in bounded:
        before = text[max(one.start - _BEFORE_READ, 0) : one.start]
        if one.bound == "whole" and open_since and _TO.search(before):
            one = replace(one, bound="until")
        open_since = one.bound == "since"
        ranged.append(one)
    return ranged


def _window(bounded: list[_Bounded]) -> tuple[date | None, date | None]:
    whole = [one.days for one in bounded if one.bound == "whole"]
    begins = [one.days[0] for one in bounded if one.bound == "since"]
    ends = [one.days[1] for one in bounded if one.bound == "until"]
    if begins and ends:
        return min(begins), max(ends)
    if whole:
        return min(since for since, _ in whole), max(until for _, until in whole)
    return (min(begins), None) if begins else (None, max(ends))


def _midnight(day: date | None, zone: tzinfo) -> datetime | None:
    """A day's beginning; at the calendar's own ends, which another zone may lie behind, the window is open."""
    if day is None or not MINYEAR < day.year < MAXYEAR:
        return None
    return datetime.combine(day, time(), zone).astimezone(UTC)
