from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.sessions.keys import is_session_key, session_key


@pytest.mark.parametrize("key", ["a", "0f1e2d3c-1111", "team.chat_1", "a" * 100])
def test_a_valid_id_is_its_own_key(key: str) -> None:
    assert is_session_key(key)
    assert session_key("chat.v1", key) == key


@pytest.mark.parametrize("text", ["", "A", "a b", "a..b", "-a", "a" * 101, "a\n", "가", "a/b", "a,b", "..."])
def test_what_is_no_key(text: str) -> None:
    assert not is_session_key(text)


def test_a_korean_id_takes_the_formats_name_and_its_two_spellings_give_one_key() -> None:
    composed, decomposed = (unicodedata.normalize(form, "회의 기록") for form in ("NFC", "NFD"))
    key = session_key("markdown", composed)
    assert composed != decomposed
    assert key == session_key("markdown", decomposed)
    assert key.startswith("markdown-")
    assert key != session_key("markdown", "회의록")
    assert key != session_key("chat.v1", composed)


def test_the_slug_of_a_path_is_its_last_part() -> None:
    assert session_key("markdown", "/home/mina/Weekly Notes.md").startswith("weekly-notes-md-")
    assert len(session_key("markdown", "X" * 500)) == 60 + 1 + 12


@given(st.text(max_size=200))
def test_every_id_gives_a_valid_key(source_id: str) -> None:
    assert is_session_key(session_key("chat.v1", source_id))


def test_a_name_that_is_not_utf8_gives_a_valid_key() -> None:
    name = b"/logs/\xff\xfe.md".decode("utf-8", "surrogateescape")
    assert is_session_key(session_key("markdown", name))
