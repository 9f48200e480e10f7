"""Prompts of roles: what may be one, how two differ, and when a change of one may be proposed.

A prompt is kept as it was written: its line breaks are line feeds, and no empty lines stand around it. It is known by its hash.
"""

from __future__ import annotations

import difflib
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, Literal, get_args

from memory_assets.court.findings import Severity
from memory_assets.court.lessons import role_of
from memory_assets.errors import InvalidArgumentError
from memory_assets.identifiers import sha256_hex
from memory_assets.text.invisible import first_unseen, without_unseen

MOST_CHARACTERS: Final = 100_000
"""Of a prompt."""
MOST_OF_A_ROLE: Final = 80
"""Characters of a role's name."""
MARK: Final = "memory_assets:prompt"
"""What the marks around a prompt in a file begin with; no prompt holds it."""

ActivationCause = Literal["seed", "update", "rollback"]
"""Why a version is the active one: it was the first, a proposal was applied, or an older one was taken back."""
Verdict = Literal["approved", "rejected"]
UpdateStatus = Literal["proposed", "approved", "rejected", "applied"]
UPDATE_STATUSES: Final[tuple[UpdateStatus, ...]] = get_args(UpdateStatus)

FILE: Final = "prompt_policy.toml"
_WORD: Final = re.compile(r"[^\W\d_]+")
_NEW_WORD_BY_CASE: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class PromptPolicy:
    """When a change may be proposed, from ``prompt_policy.toml``, which says what each number means."""

    version: str
    least_cases: int
    severe_enough: frozenset[Severity]
    words_in_a_row: int


@dataclass(frozen=True, slots=True)
class CitedLesson:
    """A lesson that a proposal rests on, and the cases that give it; of those that tell of one session one."""

    lesson_id: str
    severity: Severity
    cases: frozenset[str]


@cache
def prompt_policy() -> PromptPolicy:
    """The shipped one, read once."""
    told = tomllib.loads(resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8"))
    return PromptPolicy(
        version=str(told["version"]),
        least_cases=int(told["least_cases"]),
        severe_enough=frozenset(told["severe_enough"]),
        words_in_a_row=int(told["words_in_a_row"]),
    )


def role_name(given: str) -> str:
    """A role as it is known, as that of lessons is.

    Raises:
        InvalidArgumentError: it says nothing, is too long, or holds what is no text.
    """
    if first_unseen(given):
        raise InvalidArgumentError("the role's name holds characters that are no text", hint="name it in plain words")
    role = role_of(given)
    if not role:
        raise InvalidArgumentError("the role has no name", hint="name it, as in `coder`")
    if len(role) > MOST_OF_A_ROLE:
        raise InvalidArgumentError(
            f"a role's name of {len(role):,} characters is too long", hint=f"{MOST_OF_A_ROLE} are kept at the most"
        )
    return role


def prompt_text(given: str) -> str:
    """A prompt as it is kept.

    Raises:
        InvalidArgumentError: it is empty, too long, no text, or holds the marks that stand around a prompt in a file.
    """
    if len(given) > MOST_CHARACTERS:
        raise InvalidArgumentError(
            f"a prompt of {len(given):,} characters is too long: {MOST_CHARACTERS:,} are kept at the most",
            hint="say it in fewer words",
        )
    text = with_line_feeds(given.removeprefix("\ufeff")).strip("\n")
    # A person approves what a person can read.
    if found := first_unseen(text):
        raise InvalidArgumentError(
            f"the prompt holds what nobody sees: U+{ord(found[0]):04X} in line {text.count(chr(10), 0, found.start()) + 1}",
            hint="take it out: a person approves what a person can read",
        )
    if not text.strip():
        raise InvalidArgumentError("the prompt is empty", hint="give the whole text that the role is to be told")
    if MARK in text:
        raise InvalidArgumentError(
            f"the prompt holds {MARK!r}, which marks where a prompt begins and ends in a file",
            hint="give the text between the marks alone",
        )
    return text


def prompt_hash(text: str) -> str:
    """What a prompt is known by: the sha256 of its text."""
    return sha256_hex(text)


def with_line_feeds(text: str) -> str:
    """The text with line feeds for every other line break that files have."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def unified_diff(base: str, proposed: str, *, before: str, after: str) -> str:
    """What a proposal changes, as a unified diff; ``before`` and ``after`` name the two texts."""
    lines = difflib.unified_diff(base.split("\n"), proposed.split("\n"), before, after, lineterm="")
    return "\n".join(lines)


def why_not_proposed(lessons: Sequence[CitedLesson], policy: PromptPolicy) -> str | None:
    """Why these lessons are not enough for a change of a prompt; None where they are."""
    if any(lesson.severity in policy.severe_enough for lesson in lessons):
        return None
    cases = len({case for lesson in lessons for case in lesson.cases})
    if cases >= policy.least_cases:
        return None
    severe = " or ".join(sorted(policy.severe_enough))
    return (
        f"a change of a prompt rests on lessons of {policy.least_cases} cases, or on one of severity {severe}; "
        f"these are of {cases}"
    )


def new_runs(base: str, proposed: str, length: int) -> frozenset[tuple[str, ...]]:
    """The runs of so many words that a proposal has and its base has not."""
    return frozenset(_runs(proposed, length)).difference(_runs(base, length))


def copied_run(runs: frozenset[tuple[str, ...]], texts: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """The first run that a text says too, and the name of that text; None where none does.

    Args:
        texts: each behind its name.
    """
    length = len(next(iter(runs), ()))
    if not length:
        return None
    for name, text in texts:
        # To ask for all at once costs a fifth of asking for one after the other.
        if not runs.isdisjoint(_runs(text, length)):
            return next(" ".join(run) for run in _runs(text, length) if run in runs), name
    return None


def said_too(runs: Mapping[str, frozenset[tuple[str, ...]]], text: str, length: int) -> set[str]:
    """The names of those runs of which a text says one."""
    said = set(_runs(text, length))
    return {name for name, of in runs.items() if not of.isdisjoint(said)}


def _runs(text: str, length: int) -> Iterable[tuple[str, ...]]:
    """The words of a text, however they are spelt and parted: marks, digits, capitals and what nobody sees change none."""
    seen = without_unseen(unicodedata.normalize("NFKC", text))
    words = _WORD.findall(_NEW_WORD_BY_CASE.sub(" ", seen).casefold())
    return zip(*(words[start:] for start in range(length)), strict=False)
