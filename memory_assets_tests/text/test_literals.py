"""No literal of a text is overlooked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_assets.text.literals import LiteralSearch

_CHARACTERS = "abAB_-$=İΣ키\ud83d"


@given(st.lists(st.text(_CHARACTERS[:-1], min_size=1, max_size=6), max_size=20), st.text(_CHARACTERS, max_size=60))
def test_what_is_not_reported_is_not_there(literals: list[str], text: str) -> None:
    lowered = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    held = LiteralSearch(literals).held(lowered)
    assert {literal.lower() for literal in literals if literal in text} <= held


@given(st.lists(st.text("ab-", min_size=3, max_size=6), max_size=20), st.text("ab-", max_size=60))
def test_what_is_reported_of_plain_literals_is_there(literals: list[str], text: str) -> None:
    assert LiteralSearch(literals).held(text) == {literal for literal in literals if literal in text}
