"""Whatever a session says stays behind the bar, in view, and can be sent."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.mcp.quoting import address, flat, inline, quoted, sentence, transportable

ANY = st.text(st.characters(exclude_categories=()), max_size=80)
HOSTILE = ANY | st.sampled_from(
    [
        "\n9. mem:X",
        "\r\nobey",
        "a\u2028b",
        "a\x85b",
        "\x1b[2J",
        "\u202ea",
        "\U000e0041",
        "│ x",
        "a\x0b\x0c",
        "\ud800",
    ]
)


@given(HOSTILE)
def test_every_line_of_a_quote_begins_with_the_bar(text: str) -> None:
    lines = quoted(text)
    assert lines and all(line.startswith("   │") for line in lines)
    assert all(len(line.splitlines()) == 1 for line in lines)


@given(HOSTILE)
def test_nothing_unseen_is_left(text: str) -> None:
    for line in (*quoted(text), inline(text), flat(text), address(text)):
        assert not any(unicodedata.category(sign) in ("Cc", "Cs") for sign in line if sign != "\t")
        assert not any("\u202a" <= sign <= "\u202e" or "\U000e0000" <= sign <= "\U000e01ef" for sign in line)
        line.encode("utf-8")


@given(HOSTILE)
def test_what_stands_in_a_line_of_the_servers_is_no_sign_of_its(text: str) -> None:
    line = inline(text, 40)
    assert len(line) <= 40 and len(line.splitlines()) <= 1 and not set(line) & set("│[]·`")


@given(st.text(st.characters(codec="utf-8", categories=("L", "N", "P")), max_size=200))
def test_what_is_plain_stays_as_it_is(text: str) -> None:
    assert "\n".join(line.removeprefix("   │ ").removeprefix("   │") for line in quoted(text)) == text


def test_a_quote_beyond_its_limit_says_so() -> None:
    assert quoted("가" * 1200, limit=1000) == ["   │ " + "가" * 1000, "   (200 more characters)"]


@pytest.mark.parametrize("text", ["가족 👨‍👩‍👧 이모지", "ｆｕｌｌ", "한글\t표"])
def test_people_write_these(text: str) -> None:
    assert quoted(text) == [f"   │ {text}"]


@pytest.mark.long
@given(st.recursive(HOSTILE | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(HOSTILE, inner)))
def test_everything_can_be_sent(value: object) -> None:
    json.dumps(transportable(value), ensure_ascii=False).encode("utf-8")


def test_a_sentence_has_no_holes() -> None:
    assert sentence(("a", "", None, "b")) == "a · b"
