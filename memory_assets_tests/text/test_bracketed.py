"""What a text explains by itself, and the brackets that explain nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.text.bracketed import explained


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("오늘 결재선(rollout)을 미뤘다.", ("결재선", "rollout")),
        ("이건 찢김(tearing) 현상이다.", ("찢김", "tear")),
        ("The crate(크레이트) is published now.", ("크레이트", "crate")),
        ("- 구분자(separator): 쉼표를 쓴다", ("구분자", "separator")),
        ("의존성들을 **디펜던시(dependencies)**라고 한다.", ("디펜던시", "dependency")),
    ],
)
def test_a_word_is_explained_by_the_word_in_the_brackets_behind_it(text: str, pair: tuple[str, str]) -> None:
    assert list(explained(text)) == [pair]


@pytest.mark.parametrize(
    "text",
    [
        "함수(arg)를 호출한다.",
        "`출력(message)`을 부른다.",
        "```\n출력(message)\n```",
        "print(안녕)은 인사를 찍는다.",
        "객체.출력(message)을 부른다.",
        "출력(message).저장()을 부른다.",
        "출력(message)(value)을 부른다.",
        "함수 = 출력(message);",
        "파일은 3(three)개 있다.",
        "파일은 3개(three) 있다.",
        "담당자는 김민수(Minsu)와 대표(Elon Musk)다.",
        "아이디는 김민수(minsu.kim)와 김민수(minsu@example.com)다.",
        "배포했다(we deployed it on Friday and it went well).",
        "배포(Deploy the service.)",
        "지속적 통합(CI)과 대규모 언어 모델(LLM)을 쓴다.",
        "복구 불가능한(unrecoverable) 오류가 났다.",
        "설정(src/config.py)을 고친다.",
        "설정(writing-guide)을 고친다.",
        "배포 (deploy)라고 쓰면 덧붙인 말이다.",
        "마감은 오후(pm)다.",
        "이름(optional)을 적는다.",
        "| 배포(rollout) | 표 |",
        "> 배포(rollout)라고 인용했다.",
        "",
        "\ud800(deploy) 배포(\ud800)",
    ],
)
def test_another_bracket_explains_nothing(text: str) -> None:
    assert list(explained(text)) == []


@given(st.text(st.sampled_from("배포 를(a).deploy`\n3-"), max_size=80))
def test_any_text(text: str) -> None:
    for korean, english in explained(text):
        assert korean in text and 2 <= len(korean) <= 8 and english.isascii() and english.isalpha() and english.islower()
