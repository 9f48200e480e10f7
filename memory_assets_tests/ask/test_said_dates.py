"""The day that a speaker means, from the day on which it was said."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.ask.said_dates import Language, date_meant, day_words

THURSDAY = datetime(2023, 5, 25, 13, 14)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("I went to a support group yesterday.", "24 May 2023"),
        ("We shipped it last night", "24 May 2023"),
        ("Two days ago the disk was full.", "23 May 2023"),
        ("Today we decided", "25 May 2023"),
        ("See you tomorrow!", "26 May 2023"),
        ("Last Friday I made a dessert.", "19 May 2023 (the Friday before 25 May 2023)"),
        ("The review is next Friday", "26 May 2023 (the Friday after 25 May 2023)"),
        ("Last week I won my second tournament!", "the week before 25 May 2023"),
        ("I'm hiking this weekend.", "the weekend of 25 May 2023"),
        ("We went biking last weekend", "the weekend before 25 May 2023"),
        ("Last month I got hurt.", "April 2023"),
        ("We go camping next month.", "June 2023"),
        ("I painted it last year!", "2022"),
        ("ten years ago", "2013"),
        ("Seven years now, and I've found my muse.", "since 2016"),
        ("In July 2022 we moved.", "July 2022"),
        ("It happened on 3 March 2021.", "3 March 2021"),
        ("어제 배포했다", "2023년 5월 24일"),
        ("지난 금요일에 고쳤다", "2023년 5월 19일 (2023년 5월 25일 전 금요일)"),
        ("지난주에 정했다", "2023년 5월 25일 전 주"),
        ("다음 주에 하자", "2023년 5월 25일 다음 주"),
        ("내일 올린다", "2023년 5월 26일"),
        ("지난달에 옮겼다", "2023년 4월"),
        ("작년에 시작했다", "2022년"),
        ("3년째 쓰고 있다", "2020년부터"),
        ("We keep PostgreSQL 16 for orders.", None),
        ("캐시는 Redis로 옮긴다", None),
        ("그럼 앞으로 배포는 매주 목요일 오전에만 하기로 했어. 금요일 배포는 금지야.", None),
        ("목요일에 배포한다", None),
        ("No deploy on Friday.", None),
    ],
)
def test_a_day_is_counted_from_the_day_on_which_it_was_said(text: str, meant: str | None) -> None:
    language: Language = "ko" if any("가" <= letter <= "힣" for letter in text) else "en"
    assert date_meant(text, THURSDAY, language) == meant


@pytest.mark.parametrize(("language", "words"), [("en", "25 May 2023"), ("ko", "2023년 5월 25일")])
def test_a_day_in_words(language: Language, words: str) -> None:
    assert day_words(THURSDAY.date(), language) == words


@given(st.text(max_size=200), st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1)), st.sampled_from(["en", "ko"]))
def test_any_text_has_a_time_or_none(text: str, said_at: datetime, language: Language) -> None:
    assert date_meant(text, said_at, language) != ""


def test_the_year_of_a_month_that_is_over_is_the_next_one() -> None:
    assert date_meant("We fly next March", datetime(2023, 5, 25), "en") == "March 2024"
    assert date_meant("We meet tomorrow", datetime(2023, 12, 31), "en") == "1 January 2024"
    assert date_meant("next month", datetime(2023, 12, 31), "en") == "January 2024"
