import time
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.search.question.time_cues import TimeWindow, date_tokens, time_window, time_words
from memory_assets.text.lexical_text import query_text, search_text

NOW = datetime(2024, 5, 15, 10, 30, tzinfo=UTC)
"""A Wednesday."""


def days(query: str, now: datetime = NOW) -> tuple[str | None, str | None] | None:
    window = time_window(query, now)
    if window is None or window.kind == "recency":
        return None
    return (str(window.since.date()) if window.since else None, str(window.until.date()) if window.until else None)


@pytest.mark.parametrize(
    ("queries", "since", "until"),
    [
        ("today|오늘|10 minutes ago|this morning", "2024-05-15", "2024-05-16"),
        ("yesterday|어제|어제 뭐 했지|1 day ago|하루 전|last night", "2024-05-14", "2024-05-15"),
        ("the day before yesterday|그저께|이틀 전에|2일 전", "2024-05-13", "2024-05-14"),
        ("this week|이번 주|이번주에", "2024-05-13", "2024-05-20"),
        ("last week|지난주|지난 주의 회의|저번주|a week ago|일주일 전", "2024-05-06", "2024-05-13"),
        ("two weeks ago|지지난주|2주 전", "2024-04-29", "2024-05-06"),
        ("last 3 days|past three days|지난 3일|최근 3일간", "2024-05-12", "2024-05-16"),
        ("last 24 hours|지난 24시간", "2024-05-14", "2024-05-16"),
        ("past week|in the last week|지난 일주일", "2024-05-08", "2024-05-16"),
        ("3개월간|최근 3개월|last three months|over the past 3 months", "2024-02-15", "2024-05-16"),
        ("last weekend|지난 주말", "2024-05-11", "2024-05-13"),
        ("this month|이번 달|이달의", "2024-05-01", "2024-06-01"),
        ("last month|지난달|저번 달에|한 달 전|a month ago", "2024-04-01", "2024-05-01"),
        ("last quarter|지난 분기", "2024-01-01", "2024-04-01"),
        ("this year|올해", "2024-01-01", "2025-01-01"),
        ("last year|작년|지난해에|1년 전", "2023-01-01", "2024-01-01"),
        ("재작년|two years ago|2년 전", "2022-01-01", "2023-01-01"),
        ("last Monday|on Monday|월요일에|지난 월요일", "2024-05-13", "2024-05-14"),
        ("지난주 금요일|last Friday|지난주 금요일에", "2024-05-10", "2024-05-11"),
        ("지난달 8일", "2024-04-08", "2024-04-09"),
        ("in May 2023|May, 2023|2023년 5월|2023-05|작년 5월|May last year|last May|in may 2023", "2023-05-01", "2023-06-01"),
        ("on 8 May, 2023|May 8th, 2023|8th of May 2023|2023-05-08|2023/5/8|2023.05.08|2023. 5. 8.", "2023-05-08", "2023-05-09"),
        ("2023년 5월 8일|2023년5월8일에|작년 5월 8일|20230508|2023-05-08T10:30:00Z", "2023-05-08", "2023-05-09"),
        ("5월 8일|May 8|8 May|on 8 may", "2024-05-08", "2024-05-09"),
        ("in May|5월|5월에 한 일", "2024-05-01", "2024-06-01"),
        ("in June|6월", "2023-06-01", "2023-07-01"),
        ("16 May|5월 16일", "2023-05-16", "2023-05-17"),
        ("25/12/2023", "2023-12-25", "2023-12-26"),
        ("in 2023|2023년|end of 2023|summer 2023|2023년 여름", "2023-01-01", "2024-01-01"),
        ("winter 2022", "2022-01-01", "2023-03-01"),
        ("29 February|2월 29일", "2024-02-29", "2024-03-01"),
        ("from March to May 2023|2023년 3월부터 5월까지|between March 2023 and May 2023", "2023-03-01", "2023-06-01"),
        ("5월 8일부터 5월 10일까지|5월 8일 ~ 5월 10일|from May 8 to May 10", "2024-05-08", "2024-05-11"),
        ("since May 2023|2023년 5월 이후|2023년 5월부터", "2023-05-01", None),
        ("since 2021|2021년부터", "2021-01-01", None),
        ("since Monday", "2024-05-13", None),
        ("after May 2023", "2023-06-01", None),
        ("before July 10, 2023|2023년 7월 10일 이전|2023년 7월 10일 전에", None, "2023-07-10"),
        ("by July 10, 2023|as of 10 July 2023|2023년 7월 10일까지", None, "2023-07-11"),
        ("the week before August 3, 2023", "2023-07-20", "2023-08-04"),
        ("two weeks before August 3, 2023", "2023-07-13", "2023-08-04"),
        ("yesterday, as on 8 May, 2023", "2023-05-08", "2023-05-09"),
    ],
)
def test_windows(queries: str, since: str | None, until: str | None) -> None:
    for query in queries.split("|"):
        assert days(query) == (since, until), query


@pytest.mark.parametrize(
    "query",
    [
        *("", "?!", "may I ask", "when may 8 people come", "march to the shop", "the second of them", "몇 년 전", "next week"),
        *(
            "다음 주",
            "tomorrow",
            "next May",
            "내년",
            "이번 주제",
            "지난 주제",
            "이번 주문",
            "월요일마다",
            "매주 월요일",
            "5개월 된 강아지",
        ),
        *("30 Feb 2023", "2023-13-45", "v2023.5.1", "report-2023-05-08.md", "port 2023", "in 2023 tokens", "id20230508x"),
        *("05/08/2023", "in 1998", "3일간의 여행", "last 9999 years", "9999 years ago", "last summer", "years ago", "오늘날씨"),
        *("1.5월", "전체", "3일 전체", "달라진 점", "한주먹", "2월 30일", "the weekly", "todays"),
    ],
)
def test_no_window_is_invented(query: str) -> None:
    assert time_window(query, NOW) is None


@pytest.mark.parametrize(
    "query", ["recently", "최근에 바뀐 것", "요즘 뭐 해", "a few days ago", "며칠 전", "the latest version", "lately"]
)
def test_what_is_recent_has_no_border(query: str) -> None:
    window = time_window(query, NOW)
    assert window is not None
    assert (window.kind, window.since, window.until) == ("recency", None, None)
    assert window.cue in query
    assert window.holds(NOW - timedelta(days=9999))


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("in May 2023", "date"),
        ("from March to May 2023", "date"),
        ("in May", "relative"),
        ("작년 5월", "relative"),
        ("last week", "relative"),
        ("recently in May 2023", "date"),
        ("recently, last week", "relative"),
    ],
)
def test_kinds(query: str, kind: str) -> None:
    window = time_window(query, NOW)
    assert window is not None and window.kind == kind


def test_the_cue_is_what_the_question_says() -> None:
    window = time_window("What broke since 8 May 2023?", NOW)
    assert window == TimeWindow(datetime(2023, 5, 8, tzinfo=UTC), None, "since 8 May 2023", "date")


def test_a_window_is_half_open() -> None:
    window = time_window("yesterday", NOW)
    assert window is not None and window.since is not None and window.until is not None
    assert window.holds(window.since)
    assert window.holds(window.until - timedelta(microseconds=1))
    assert not window.holds(window.until)
    assert not window.holds(window.since - timedelta(microseconds=1))


def test_a_day_is_one_of_the_clock_of_now() -> None:
    seoul = datetime(2024, 5, 15, 0, 30, tzinfo=timezone(timedelta(hours=9)))
    window = time_window("오늘", seoul)
    assert window is not None
    assert window.since == datetime(2024, 5, 14, 15, tzinfo=UTC)
    assert window.until == datetime(2024, 5, 15, 15, tzinfo=UTC)
    assert time_window("today", NOW.replace(tzinfo=None)) == time_window("today", NOW)


def test_a_day_of_a_changing_clock_is_as_long_as_it_is() -> None:
    window = time_window("2024-03-31", datetime(2024, 5, 1, tzinfo=ZoneInfo("Europe/Berlin")))
    assert window is not None and window.since is not None and window.until is not None
    assert window.until - window.since == timedelta(hours=23)


def test_a_month_has_the_days_it_has() -> None:
    assert days("지난 한 달", datetime(2024, 3, 31, tzinfo=UTC)) == ("2024-02-29", "2024-04-01")
    assert days("last month", datetime(2024, 1, 31, tzinfo=UTC)) == ("2023-12-01", "2024-01-01")
    assert days("29 February", datetime(2023, 5, 1, tzinfo=UTC)) == ("2020-02-29", "2020-03-01")
    assert days("지난달 31일", datetime(2024, 5, 15, tzinfo=UTC)) is None


NAMES_OF_MONTHS = "january february march april may june july august september october november december"
ENGLISH = NAMES_OF_MONTHS.split()
DATES = st.dates(date(2000, 1, 1), date(2099, 12, 31))


@given(DATES)
def test_a_whole_date_is_its_day_however_it_is_written(day: date) -> None:
    month = ENGLISH[day.month - 1].title()
    written = [
        day.isoformat(),
        f"{day.day} {month}, {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{month[:3]} {day.day} {day.year}",
        f"{day.year}년 {day.month}월 {day.day}일에",
        f"on {day.day} {month.lower()} {day.year}?",
    ]
    for text in written:
        window = time_window(f"Was it {text}", NOW)
        assert window is not None and window.since is not None and window.until is not None, text
        assert (window.since.date(), window.until - window.since, window.kind) == (day, timedelta(days=1), "date")


@given(DATES, st.integers(1, 12))
def test_a_month_without_a_year_is_the_newest_that_has_begun(today: date, month: int) -> None:
    now = datetime(today.year, today.month, today.day, 12, tzinfo=UTC)
    window = time_window(f"{month}월", now)
    assert window == time_window(f"{month}월", now)
    assert window is not None and window.since is not None
    assert window.since <= now < window.since + timedelta(days=367)
    assert (window.since.month, window.since.day) == (month, 1)


@given(DATES)
def test_weeks_begin_on_monday(today: date) -> None:
    now = datetime(today.year, today.month, today.day, tzinfo=UTC)
    for query, back in (("this week", 0), ("지난주", 1)):
        window = time_window(query, now)
        assert window is not None and window.since is not None and window.until is not None
        assert window.since.weekday() == 0
        assert window.until - window.since == timedelta(weeks=1)
        assert window.holds(now - timedelta(weeks=back))


LISTED = (
    "last 3 days 2 weeks ago 지난 3일 5월 8일 부터 까지 이후 전 May 2023 - 2023-05-08 before since to the in year 년 월"
    " on Monday 최근 9999"
)
PHRASES = LISTED.split()


@given(
    st.text(st.characters(), max_size=80) | st.lists(st.sampled_from(PHRASES), max_size=12).map(" ".join),
    st.datetimes(timezones=st.timezones()),
)
def test_any_text_at_any_time_gives_a_window_or_none(text: str, now: datetime) -> None:
    window = time_window(text, now)
    assert window == time_window(text, now)
    if window is not None:
        assert window.cue
        assert window.kind == "recency" or window.since or window.until or now.year in (1, 2, 9998, 9999)
        assert window.since is None or window.until is None or window.since < window.until


def test_the_words_of_time() -> None:
    assert time_words("When did it change, before or after last week?") == ("when", "before", "after", "last week")
    assert time_words("언제부터 최근 3개월간 변경 이력") == ("언제", "최근 3개월간", "이력")
    assert time_words("JWT란?") == ()


@given(DATES)
def test_a_messages_date_is_met_by_questions_in_both_languages(day: date) -> None:
    moment = datetime(day.year, day.month, day.day, 23, 59, tzinfo=UTC)
    indexed = search_text(date_tokens(moment)).split()
    asked = [
        f"on {day.day:02d} {ENGLISH[day.month - 1].title()}, {day.year}",
        day.isoformat(),
        f"{day.year}년 {day.month}월 {day.day}일",
        f"{ENGLISH[day.month - 1]} {day.year}",
    ]
    for question in asked:
        assert set(query_text(question).split()) - {"on", "년"} <= set(indexed), question
    # Where day and month are one number that number stands twice.
    assert len(indexed) - len(set(indexed)) <= 3


@pytest.mark.parametrize(
    "unit", ["5월 ", "May 8 ", "2023-", "last ", "1", "지난 ", "a", "가", "3일 ", "1 ", "before ", "the week before May 8 "]
)
def test_cost_is_linear(unit: str) -> None:
    def cost(characters: int) -> float:
        start = time.process_time()
        time_window(unit * (characters // len(unit)), NOW)
        return time.process_time() - start

    # Eight times the text: 64 times the cost if it were quadratic. The best of three, on machines that do other things too.
    small, large = (min(cost(characters) for _ in range(3)) for characters in (12_500, 100_000))
    assert large < 24 * small + 0.05, (small, large)
