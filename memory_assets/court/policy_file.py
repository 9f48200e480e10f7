"""A policy file as somebody wrote it: read whole, and what is wrong with it said by key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from memory_assets.court.findings import FINDING_KINDS
from memory_assets.court.policy import Policy, policy_told

MOST_OF_A_VERSION: Final = 40
"""Characters of a version's name."""
_REFERS_BACK: Final = re.compile(r"(?<!\\)(?:\\\\)*(?:\\[1-9]|\(\?\()")
_COUNTS: Final = {"lessons_of_a_case": 1_000, "active_lessons_of_a_role": 10_000}
_SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "least_confidence": FINDING_KINDS,
    "budget": tuple(_COUNTS),
    "likeness": ("same", "near"),
}


@dataclass(frozen=True, slots=True)
class PolicyTrouble:
    """What is wrong with a file.

    Attributes:
        key: as in ``budget.lessons_of_a_case``; empty for the file as a whole.
    """

    key: str
    what: str


def policy_of(text: str) -> Policy | tuple[PolicyTrouble, ...]:
    """The policy that a file says, or everything that is wrong with it."""
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return (PolicyTrouble("", f"it is no TOML: {error}"),)
    except RecursionError:
        return (PolicyTrouble("", "its lists and tables are too deep"),)
    if troubles := tuple(_troubles(told)):
        return troubles
    return policy_told(told)


def flat(policy: Policy) -> dict[str, float]:
    """Every number of a policy by its key."""
    return {
        **{f"least_confidence.{kind}": policy.least_confidence[kind] for kind in FINDING_KINDS},
        "budget.lessons_of_a_case": policy.lessons_of_a_case,
        "budget.active_lessons_of_a_role": policy.active_lessons_of_a_role,
        "likeness.same": policy.same,
        "likeness.near": policy.near,
    }


def _troubles(told: Mapping[str, Any]) -> Iterator[PolicyTrouble]:
    version = told.get("version")
    if not isinstance(version, str) or not version.strip() or len(version) > MOST_OF_A_VERSION or not version.isprintable():
        yield PolicyTrouble("version", f"a name in quotes is wanted, of at most {MOST_OF_A_VERSION} characters")
    for key in sorted(told.keys() - _SECTIONS.keys() - {"version", "critical"}):
        yield PolicyTrouble(_shown(key), "there is no such section")
    for section, keys in _SECTIONS.items():
        values = told.get(section)
        if not isinstance(values, dict):
            yield PolicyTrouble(section, "this section is missing")
            continue
        for key in sorted(values.keys() - set(keys)):
            yield PolicyTrouble(f"{section}.{_shown(key)}", "there is no such key")
        for key in keys:
            if trouble := _wrong(key, values.get(key)):
                yield PolicyTrouble(f"{section}.{key}", trouble)
    yield from _critical_troubles(told.get("critical"))
    likeness: Any = told.get("likeness")
    is_usable = isinstance(likeness, dict) and not any(_wrong(key, likeness.get(key)) for key in _SECTIONS["likeness"])
    if is_usable and likeness["near"] > likeness["same"]:
        yield PolicyTrouble("likeness.near", "it is more than likeness.same: what is the same is near too")


def _critical_troubles(told: object) -> Iterator[PolicyTrouble]:
    """What is wrong with the section that names what is critical."""
    if not isinstance(told, dict):
        yield PolicyTrouble("critical", "this section is missing")
        return
    for key in sorted(told.keys() - {"shows"}):
        yield PolicyTrouble(f"critical.{_shown(key)}", "there is no such key")
    shows = told.get("shows")
    if not isinstance(shows, list) or not shows or not all(isinstance(one, str) and one for one in shows):
        yield PolicyTrouble("critical.shows", "a list of regular expressions is wanted")
        return
    troubles = [(place, trouble) for place, one in enumerate(shows) if (trouble := _wrong_pattern(one))]
    for place, trouble in troubles:
        yield PolicyTrouble(f"critical.shows[{place}]", trouble)
    if not troubles and (trouble := _wrong_pattern("|".join(f"(?:{one})" for one in shows))):
        yield PolicyTrouble("critical.shows", f"together: {trouble}")


def _wrong_pattern(pattern: str) -> str | None:
    """What is wrong with a regular expression, which is to be one of several; None where nothing is."""
    try:
        if re.compile(pattern, re.IGNORECASE).groupindex:
            return "a group with a name is not wanted: another one may have the same"
    except (re.error, OverflowError, RecursionError) as error:
        return f"it is no regular expression that can be read: {error}"
    if _REFERS_BACK.search(pattern):
        return "a reference to a group is not wanted: the groups of all are counted together"
    return None


def _wrong(key: str, value: object) -> str | None:
    """What is wrong with a number; None where nothing is."""
    if value is None:
        return "it is missing"
    if most := _COUNTS.get(key):
        good = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most
        return None if good else f"a whole number from 1 to {most:,} is wanted"
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return None if good else "a number from 0 to 1 is wanted"


def _shown(key: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in key)[:60]
