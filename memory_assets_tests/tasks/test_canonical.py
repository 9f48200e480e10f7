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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Port it to C++", "Port it to C"),
        ("Port it to C#", "Port it to C"),
        ("C++로 옮기기", "C#으로 옮기기"),
        ("Release 1.2", "Release 12"),
        ("Release 1.2", "Release 1 2"),
        ("Release 1.2", "Release 1/2"),
        ("की पुस्तक", "का पुस्तक"),
    ],
)
def test_signs_that_are_part_of_a_word_are_kept(one: str, other: str) -> None:
    assert normalize(one) != normalize(other)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Port the core to C++20.", "port the core to cpp20"),
        ("Ｃ＋＋ 빌드", "cpp 빌드"),
        ("Fix issue#12 in C#", "fix issue 12 in csharp"),
        ("Release v1.2.3.", "release v1.2.3"),
        ("１．２ 버전", "1.2 버전"),
        (unicodedata.normalize("NFD", "로그인 버그"), "로그인 버그"),
        ("log\u200bin\u00ad page", "login page"),
        ("1️⃣ first ✅️", "1 first"),
        ("... 5 ... .6 7.", "5 6 7"),
        ("a.b.c e.g. Node.js", "a b c e g node js"),
    ],
)
def test_how_a_title_is_spelled(text: str, key: str) -> None:
    assert normalize(text) == key


@pytest.mark.parametrize("character", ["x", "한", "1.", "x ", "한 ", ". ", "ﷺ", "가\u0301"])
def test_long_titles_that_begin_alike_stay_two(character: str) -> None:
    begin = (character * 10_000)[:10_000]
    one, other = normalize(begin + " ends here"), normalize(begin + " ends there")
    assert one != other
    assert normalize(one) == one and normalize(other) == other
    assert max(len(one), len(other)) <= MAX_KEY_LENGTH


def test_two_spellings_of_a_long_title_are_one() -> None:
    assert normalize("Fix the import; " * 60) == normalize("fix  the IMPORT " * 60)
