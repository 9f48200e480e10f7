"""Two spellings of a text are equal, and what is quick is what is slow."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.text.characters import folded_form, is_plain, is_raised
from memory_assets.text.normal_form import folded

UNSEEN = "\u200b"
SAID = st.text("aZ 가힣 1٣²é-–.'“x#", max_size=30)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("배포는  **목요일** 오전!", "배포는 목요일 오전"),
        ("“Keep” the `log`", '"keep" the log'),
        ("app v1.5 is out", "App v1.5 — is out."),
        ("ＡＢＣ 가나", "abc 가나"),
    ],
)
def test_spellings_are_equal(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@pytest.mark.parametrize(
    ("one", "other"), [("1 5", "15"), ("1.5", "15"), ("x²", "x2"), ("C#", "C"), ("-5", "5"), ("a.b", "ab"), ("5 5 가", "55 가")]
)
def test_facts_are_not(one: str, other: str) -> None:
    assert folded(one) != folded(other)


@given(SAID)
def test_what_nobody_sees_changes_nothing(text: str) -> None:
    """It is also what keeps the quick way from being taken."""
    assert not is_plain(text + UNSEEN) and folded_form(text + UNSEEN) == folded_form(text)
    assert folded(text + UNSEEN) == folded(text)


@given(st.text("aZ가힣1٣xé ", max_size=30))
def test_a_space_is_worth_as_much_as_two(text: str) -> None:
    assert folded(text.replace(" ", "  ")) == folded(text)


def test_a_plain_character_is_seen_stands_on_the_line_and_is_its_own_form() -> None:
    odd = []
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if is_plain(character) and not 0xD800 <= code < 0xE000:
            slow = folded_form(character + UNSEEN)
            if is_raised(character) or slow != character:
                odd.append(hex(code))
    assert odd == []
