"""What is opened by itself, and the layers within one cap."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.search.answers.layers import DETAILS_TOKENS, INDEX_TOKENS, TIMELINE_TOKENS, Expansion, expansion, layered
from memory_assets.text.tokens import estimate_tokens


@pytest.mark.parametrize(
    ("hits", "opened"),
    [
        ([], Expansion("no_results")),
        ([("a", 0.92)], Expansion("high_confidence_single", ("a",), ("a",))),
        ([("a", 0.91)], Expansion("no_expansion_rule_matched")),
        ([("a", 0.95), ("b", 0.85)], Expansion("clear_winner", ("a",), ("a",))),
        # .85 and .75 are .1 apart, whatever their binary difference is.
        ([("b", 0.75), ("a", 0.85)], Expansion("clear_winner", ("a",), ("a",))),
        ([("a", 0.9), ("b", 0.85), ("c", 0.8), ("d", 0.8)], Expansion("ambiguous_multiple_high", ("a", "b", "c"))),
        ([("a", 0.9), ("b", 0.85)], Expansion("no_expansion_rule_matched")),
        ([("a", 0.79), ("b", 0.1)], Expansion("low_confidence")),
    ],
)
def test_the_first_rule_that_holds(hits: list[tuple[str, float]], opened: Expansion) -> None:
    assert expansion(hits) == opened


def test_what_is_asked_for_is_opened_whatever_its_relevance_and_three_at_most() -> None:
    assert expansion([("a", 0.99)], asked=["x", "y", "x", "z", "w"]) == Expansion(
        "explicit_ids", ("x", "y", "z"), ("x", "y", "z")
    )
    assert expansion([("a", 0.99)], most=0) == Expansion("no_expansion_rule_matched")


pieces = st.text(alphabet=st.sampled_from("가나 다.abc DEF 12{}\n👍"), max_size=400)


@given(
    st.lists(pieces, max_size=8),
    st.dictionaries(st.sampled_from("abc"), pieces),
    st.dictionaries(st.sampled_from("abc"), pieces),
    st.integers(0, 800),
)
def test_all_layers_together_keep_within_one_cap(
    index: list[str], timeline: dict[str, str], details: dict[str, str], cap: int
) -> None:
    layers = layered(index, cap, timeline=timeline, details=details)
    shown = [*layers.index, *layers.timeline.values(), *layers.details.values()]
    assert estimate_tokens("\n".join(cut.text for cut in shown if cut.text)) <= layers.tokens <= cap
    assert all(cut.tokens <= INDEX_TOKENS for cut in layers.index)
    assert all(cut.tokens <= TIMELINE_TOKENS for cut in layers.timeline.values())
    assert all(cut.tokens <= DETAILS_TOKENS for cut in layers.details.values())
    assert layers.timeline.keys() == timeline.keys()
    assert layers.details.keys() == details.keys()


def test_the_index_comes_before_what_is_opened() -> None:
    layers = layered(["a hit"] * 10, 40, details={"a": "the full text " * 20})
    assert all(cut.text == "a hit" for cut in layers.index)
    assert layers.details["a"].lost > 0
