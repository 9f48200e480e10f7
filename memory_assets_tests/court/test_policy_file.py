"""A policy file is read whole, and everything that is wrong with it is said by key."""

from __future__ import annotations

from importlib import resources

import pytest

from memory_assets.court.policy import FILE, Policy, policy
from memory_assets.court.policy_file import flat, policy_of

VERSION = f'version = "{policy().version}"'
SHIPPED = resources.files("memory_assets.court").joinpath(FILE).read_text(encoding="utf-8")


def test_the_shipped_file_is_the_policy_in_force() -> None:
    assert policy_of(SHIPPED) == policy()
    assert len(flat(policy())) == 13


@pytest.mark.parametrize(
    ("before", "after", "keys"),
    [
        (VERSION, "version = 1", ["version"]),
        (VERSION, "", ["version"]),
        (VERSION, f'version = "{"x" * 41}"', ["version"]),
        ("praised = 0.5", "praised = 1.5", ["least_confidence.praised"]),
        ("praised = 0.5", "praised = true", ["least_confidence.praised"]),
        ("praised = 0.5", "praised = nan", ["least_confidence.praised"]),
        ("praised = 0.5", "prased = 0.5", ["least_confidence.prased", "least_confidence.praised"]),
        ("lessons_of_a_case = 10", "lessons_of_a_case = 0", ["budget.lessons_of_a_case"]),
        ("lessons_of_a_case = 10", "lessons_of_a_case = 2.5", ["budget.lessons_of_a_case"]),
        ("[budget]", "[badget]", ["badget", "budget"]),
        ("near = 0.6", "near = 0.9", ["likeness.near"]),
        ("near = 0.6", 'near = "half"', ["likeness.near"]),
        ("shows = [", "shows = ['(', ", ["critical.shows[0]"]),
        ("shows = [", "shows = ['(?P<a>x)', '(?P<a>y)', ", ["critical.shows[0]", "critical.shows[1]"]),
        ("shows = [", "shows = ['(x)\\1', ", ["critical.shows[0]"]),
        ("shows = [", "shows = ['(x)?(?(1)y|z)', ", ["critical.shows[0]"]),
        ("shows = [", "shows = ['x', '(?i)y', ", ["critical.shows"]),
        ("shows = [", "shows = ['x{99999999999}', ", ["critical.shows[0]"]),
        pytest.param("shows = [", f"shows = ['{'(' * 5000}{')' * 5000}', ", ["critical.shows[0]"], id="deep pattern"),
        pytest.param(VERSION, f"deep = {'[' * 5000}{']' * 5000}", [""], id="deep list"),
        ("shows = [", "shows = [1, ", ["critical.shows"]),
        ("shows = [", "shown = [", ["critical.shown", "critical.shows"]),
        ("[critical]", "[crass]", ["crass", "critical"]),
        ("[likeness]", "[likeness", [""]),
        ("[likeness]", "[other]", ["other", "likeness"]),
    ],
)
def test_what_is_wrong_is_said_by_key(before: str, after: str, keys: list[str]) -> None:
    assert before in SHIPPED
    found = policy_of(SHIPPED.replace(before, after))
    assert not isinstance(found, Policy)
    assert [one.key for one in found] == keys and all(one.what for one in found)
