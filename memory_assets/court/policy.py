"""The judge's policy, from ``policy.toml``, which ships with the package and has a version."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from memory_assets.court.findings import FINDING_KINDS, FindingKind

FILE = "policy.toml"


@dataclass(frozen=True, slots=True)
class Policy:
    """What decides which claims become lessons, and which lessons stand.

    Attributes:
        version: of the file; every judgement names it.
        least_confidence: of a claim, by its kind.
        lessons_of_a_case: the most that one case may give.
        active_lessons_of_a_role: the most that stand for one role; beyond them the weakest retire.
        same: likeness from which two lessons are one.
        critical: what quoted words show where a claim may be called critical without a person's word.
        near: likeness from which two lessons speak of the same, so that they cannot both stand unseen.
        sha256: of the text of one that a person activated; empty for the one that ships with the package.
    """

    version: str
    least_confidence: Mapping[FindingKind, float]
    lessons_of_a_case: int
    active_lessons_of_a_role: int
    same: float
    near: float
    critical: re.Pattern[str]
    sha256: str = ""


@cache
def policy() -> Policy:
    """The shipped one, read once."""
    return policy_told(tomllib.loads(shipped_text()))


def shipped_text() -> str:
    """The file as it ships with the package."""
    return resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")


def policy_told(told: Mapping[str, Any]) -> Policy:
    """The policy that a file says; nothing is wrong with it."""
    budget, likeness = told["budget"], told["likeness"]
    return Policy(
        version=str(told["version"]),
        least_confidence={kind: float(told["least_confidence"][kind]) for kind in FINDING_KINDS},
        lessons_of_a_case=int(budget["lessons_of_a_case"]),
        active_lessons_of_a_role=int(budget["active_lessons_of_a_role"]),
        same=float(likeness["same"]),
        near=float(likeness["near"]),
        critical=re.compile("|".join(f"(?:{one})" for one in told["critical"]["shows"]), re.IGNORECASE),
    )
