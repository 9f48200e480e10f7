"""The rules of the embedded extractor, read from ``rules.toml`` (or a person's own file of the same shape)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, get_args

from memory_assets.extraction.errors import RulesInvalidError
from memory_assets.extraction.schema import EntryType, Priority, TaskStatus
from memory_assets.identifiers import sha256_hex

LIMITS = (
    "user",
    "assistant",
    "support",
    "reach",
    "alike",
    "per_message",
    "per_thousand",
    "pasted_length",
    "per_pasted",
    "budget",
    "budget_growth",
    "budget_later",
)
"""What ``[limits]`` holds; ``rules.toml`` says what each means."""


@dataclass(frozen=True, slots=True)
class Cue:
    """One phrase and what it says about the sentence that holds it; ``rules.toml`` explains the fields."""

    name: str
    entry_type: EntryType | None
    roles: tuple[str, ...]
    weight: float
    vote: float
    heading: bool
    words: tuple[str, ...]
    pattern: re.Pattern[str]
    status: TaskStatus | None
    priority: Priority | None

    def found_in(self, text: str, lowered: str) -> bool:
        """Whether the cue is in a text; the literal words are tried first, for they are cheap."""
        if self.words and not any(word in lowered for word in self.words):
            return False
        return self.pattern.search(text) is not None


@dataclass(frozen=True, slots=True)
class Rules:
    """All cues, the weight of a sentence's circumstances, and how much is enough."""

    cues: tuple[Cue, ...]
    limits: dict[str, float]
    places: dict[str, float]
    conversation: dict[str, float]
    version: str


def parse_rules(text: str) -> Rules:
    """Rules from TOML.

    Raises:
        RulesInvalidError: the text is no TOML, or a cue lacks a field, has an unknown value or a wrong pattern.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulesInvalidError(f"the rules are not valid TOML: {error}", hint="compare with rules.toml") from error
    try:
        limits = {name: float(table["limits"][name]) for name in LIMITS}
        places = {name: float(value) for name, value in table["places"].items()}
        conversation = {name: float(value) for name, value in table["conversation"].items()}
    except (KeyError, AttributeError, TypeError, ValueError) as error:
        message = "the rules need the tables [limits] (all of it), [places] and [conversation] of numbers"
        raise RulesInvalidError(message, hint=f"missing or no number: {error}") from error
    cues = tuple(_cue(raw) for raw in table.get("cue", []))
    return Rules(cues, limits, places, conversation, sha256_hex(text)[:12])


@cache
def built_in_rules() -> Rules:
    """The rules that the package ships."""
    return parse_rules(files("memory_assets.extraction").joinpath("rules.toml").read_text(encoding="utf-8"))


def _cue(raw: dict[str, Any]) -> Cue:
    name = str(raw.get("name", "?"))
    try:
        cue = Cue(
            name=raw["name"],
            entry_type=_one_of(raw.get("type"), get_args(EntryType)),
            roles=tuple(raw.get("roles", ("user", "assistant"))),
            weight=float(raw["weight"]),
            vote=float(raw.get("vote", max(1.0, float(raw["weight"])))),
            heading=bool(raw.get("heading", False)),
            words=tuple(word.lower() for word in raw["words"]),
            pattern=re.compile(raw["pattern"], re.IGNORECASE),
            status=_one_of(raw.get("status"), get_args(TaskStatus)),
            priority=_one_of(raw.get("priority"), get_args(Priority)),
        )
    except (KeyError, TypeError, ValueError, re.error) as error:
        raise RulesInvalidError(f"the cue {name!r} cannot be used: {error}", hint="see the top of rules.toml") from error
    if not set(cue.roles) <= {"user", "assistant"} or abs(cue.weight) > 5:
        raise RulesInvalidError(f"the cue {name!r} has an unknown role or a weight beyond 5", hint="see rules.toml")
    return cue


def _one_of(value: Any, allowed: tuple[Any, ...]) -> Any:
    if value is not None and value not in allowed:
        raise ValueError(f"{value!r} is none of {', '.join(allowed)}")
    return value
