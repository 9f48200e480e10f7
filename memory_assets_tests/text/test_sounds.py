"""Loan words and names by their sound."""

from __future__ import annotations

import random
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.text.sounds import LONGEST, first_letters, heard, spellings

LOANS = """
캐롤라인 caroline/캐럴라인 caroline/멜라니 melanie/존 john/존 jon/지나 gina/조안나 joanna/제임스 james/사만다 samantha
에반 evan/데이비드 david/마이클 michael/제니퍼 jennifer/에밀리 emily/매튜 matthew/브라이언 brian/레이첼 rachel/한나 hannah
다니엘 daniel/마이그레이션 migration/캐시 cache/롤백 rollback/리팩터링 refactoring/리팩토링 refactoring/서버 server
클라이언트 client/스케줄 schedule/데이터베이스 database/프레임워크 framework/컴포넌트 component/디렉터리 directory
텔레메트리 telemetry/스냅샷 snapshot/쿠버네티스 kubernetes/메타데이터 metadata/컨퍼런스 conference
콘퍼런스 conference/토너먼트 tournament/알레르기 allergy/시카고 chicago/시애틀 seattle/밴쿠버 vancouver/넷플릭스 netflix
파이썬 python/자바스크립트 javascript/버전 version/메시지 message/이미지 image
"""
PAIRS = [tuple(pair.split()) for line in LOANS.strip().split("\n") for pair in line.split("/")]


@pytest.mark.parametrize(("korean", "english"), PAIRS)
def test_a_loan_word_has_the_sound_of_its_word(korean: str, english: str) -> None:
    pattern = spellings(korean)
    assert pattern is not None and pattern.findall(f"aaron\n{english}\nzebra") == [english]
    assert english[0] in first_letters(korean)


@given(st.text(st.sampled_from([chr(code) for code in range(0xAC00, 0xD7A4, 4)]), min_size=1, max_size=3), st.integers())
def test_a_word_that_has_the_sound_begins_with_a_letter_of_it(korean: str, seed: int) -> None:
    """Words are made of the pattern itself: of each of its groups any way."""
    pattern = spellings(korean)
    assert pattern is not None
    ways = random.Random(seed)
    groups = re.findall(r"\(\?:([^()]*(?:\([^()]*\)[^()]*)*)\)", pattern.pattern)
    word = "".join(re.sub(r"\(\?.*?\)|\?", "", ways.choice(group.split("|"))).replace("[hyw]", "y") for group in groups)
    if found := pattern.match(word):
        assert found[0] == "" or found[0][0] in first_letters(korean)


def test_no_loan_word_sounds_like_another_word_of_the_list() -> None:
    words = sorted({english for _, english in PAIRS})
    wrong = [
        (korean, other)
        for korean, english in PAIRS
        if (pattern := spellings(korean)) is not None
        for other in pattern.findall("\n".join(words))
        if other != english and {english, other} != {"john", "jon"}
    ]
    assert wrong == []


@pytest.mark.parametrize("word", ["", "cache", "캐시s", "가" * (LONGEST + 1), "ㅋㅋ"])
def test_what_is_no_korean_word_has_no_sound(word: str) -> None:
    assert spellings(word) is None


def test_short_words_are_told_to_be_short() -> None:
    assert heard("존") < heard("캐시") + 1 < heard("캐롤라인")
    assert heard("cache") == 0


def test_no_word_takes_long_to_compare() -> None:
    pattern = spellings("아" * LONGEST)
    assert pattern is not None
    started = time.perf_counter()
    pattern.findall("\n".join(("banana" * 4, "aaaaab" * 4, "haraharaharahara", "eieioeieio" * 2)))
    assert time.perf_counter() - started < 1
