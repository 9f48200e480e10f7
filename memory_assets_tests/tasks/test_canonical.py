"""One spelling of a title."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_assets.tasks.canonical import MAX_KEY_LENGTH, normalize


@given(st.text())
@example("ﬁx the Straße İstanbul")
@example("ΰ ﬃ ǰ ᾳ")
@example("가나다 각")
@example("x" * 199 + " y" * 5)
@example("한" * 199 + " 글")
def test_it_is_idempotent(text: str) -> None:
    once = normalize(text)
    assert normalize(once) == once


@given(st.text())
def test_it_is_short_and_clean(text: str) -> None:
    key = normalize(text)
    assert len(key) <= MAX_KEY_LENGTH
    assert key == key.strip() and "  " not in key and "_" not in key and ":" not in key


@given(st.text())
def test_the_form_of_the_characters_does_not_matter(text: str) -> None:
    assert normalize(unicodedata.normalize("NFD", text)) == normalize(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fix the Login!", "fix   the login"),
        ("fix-the_login", "Fix the login"),
        ("로그인을 고친다.", "로그인을  고친다"),
        ("Ｆｉｘ ① login", "fix 1 LOGIN"),
        ("STRASSE", "Straße"),
        ("<b>배포</b> 전", "b 배포 b 전"),
    ],
)
def test_spellings_of_one_title(one: str, other: str) -> None:
    assert normalize(one) == normalize(other)


@pytest.mark.parametrize(("one", "other"), [("로그인", "로그아웃"), ("v1.2", "v12"), ("C++ 3", "C 4")])
def test_other_titles_stay_apart(one: str, other: str) -> None:
    assert normalize(one) != normalize(other)


def test_nothing_but_signs_is_no_key() -> None:
    assert normalize(" -- ?! … ") == ""
