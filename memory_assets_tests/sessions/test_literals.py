"""A piece that literals share is in every text that holds one of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_assets.sessions.literals import grouped_literals


@given(st.lists(st.text("abAB_-$=İΣ키", min_size=1, max_size=12), max_size=20))
def test_each_literal_stands_once_below_a_piece_of_it(literals: list[str]) -> None:
    groups = grouped_literals(literals)
    assert sorted(literal for group in groups.values() for literal in group) == sorted(set(literals))
    assert all(piece in literal.lower() for piece, group in groups.items() for literal in group)


def test_what_literals_share_is_looked_for_once() -> None:
    assert grouped_literals(["api_key", "_KEY", "my_key"]) == {"_key": ("api_key", "_KEY", "my_key")}
