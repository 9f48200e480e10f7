"""Circles of waiting are found whole, whatever hangs on them and however long they are."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from memory_assets.tasks.cycles import circles


def test_nothing_waits_for_anything() -> None:
    assert circles([]) == []


def test_a_chain_is_no_circle() -> None:
    assert circles([("a", "b"), ("b", "c"), ("a", "c")]) == []


def test_two_circles_with_something_between_them_are_two() -> None:
    edges = [("a", "b"), ("b", "a"), ("b", "x"), ("x", "c"), ("c", "d"), ("d", "e"), ("e", "c"), ("e", "y")]
    assert sorted(map(sorted, circles(edges))) == [["a", "b"], ["c", "d", "e"]]


def test_what_waits_for_itself_is_a_circle() -> None:
    assert circles([("a", "a"), ("a", "b")]) == [frozenset("a")]


def test_a_long_chain_needs_no_deep_stack() -> None:
    nodes = [str(number) for number in range(50_000)]
    chain = list(itertools.pairwise(nodes))
    assert circles(chain) == []
    assert circles([*chain, (nodes[-1], nodes[0])]) == [frozenset(nodes)]


@given(st.lists(st.tuples(st.sampled_from("abcdefg"), st.sampled_from("abcdefg")), max_size=20))
def test_circles_are_what_reaches_each_other(edges: list[tuple[str, str]]) -> None:
    reaches = set(edges)
    for middle in "abcdefg":
        reaches |= {(one, other) for one in "abcdefg" for other in "abcdefg" if {(one, middle), (middle, other)} <= reaches}
    expected = {
        frozenset({other for other in "abcdefg" if {(node, other), (other, node)} <= reaches} | {node})
        for node in "abcdefg"
        if (node, node) in reaches
    }
    assert set(circles(edges)) == expected
