"""The rules of the embedded extractor, read from ``rules.toml`` (or a person's own file of the same shape)."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any, NoReturn, get_args

from memory_assets.extraction.errors import RulesInvalidError
from memory_assets.identifiers import sha256_hex
from memory_assets.text.literals import LiteralSearch
from memory_assets.vocabulary import EntryType, Priority, TaskStatus

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
CONVERSATION = ("enough", "first", "short", *get_args(EntryType))
"""What ``[conversation]`` may hold."""
HEAVIEST = 5.0
_ROLES = ("user", "assistant")
_FIELDS = ("name", "type", "roles", "weight", "vote", "heading", "words", "pattern", "status", "priority")
_SHOWN = 60


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


class CueIndex:
    """Finds the cues of a text: all their literal words in one pass, then the patterns of those whose words occur."""

    def __init__(self, cues: Sequence[Cue]) -> None:
        self._cues = cues
        self._words = LiteralSearch(word for cue in cues for word in cue.words)
        self._wordless = [place for place, cue in enumerate(cues) if not cue.words]
        self._by_word: dict[str, list[int]] = {}
        for place, cue in enumerate(cues):
            for word in cue.words:
                self._by_word.setdefault(word, []).append(place)

    def found_in(self, text: str) -> list[Cue]:
        """The cues whose pattern stands in a text, in their own order."""
        lowered = text.lower()
        words = (word for word in self._words.held(lowered) if word in lowered)
        places = {*self._wordless, *(place for word in words for place in self._by_word[word])}
        return [cue for place in sorted(places) if (cue := self._cues[place]).pattern.search(text) is not None]


@dataclass(frozen=True, slots=True)
class Rules:
    """All cues, the weight of a sentence's circumstances, and how much is enough.

    Attributes:
        types: what the place of a sentence says for its type, as a cue's vote does.
    """

    cues: tuple[Cue, ...]
    limits: dict[str, float]
    places: dict[str, float]
    conversation: dict[str, float]
    version: str
    types: dict[str, dict[EntryType, float]] = field(default_factory=dict)
    _indexes: dict[tuple[str, bool], CueIndex] = field(init=False, repr=False, compare=False)
    """For each role and for sentences and headings, what finds their cues: no pattern is tried that is not theirs."""

    def __post_init__(self) -> None:
        found = {
            (role, heading): CueIndex([cue for cue in self.cues if role in cue.roles and cue.heading == heading])
            for role, heading in product(_ROLES, (False, True))
        }
        object.__setattr__(self, "_indexes", found)

    def cues_in(self, text: str, role: str) -> tuple[Cue, ...]:
        """The cues that a sentence of a role holds, in the order of the file."""
        return self._found_in(text, role, heading=False)

    def cues_in_heading(self, heading: str, role: str) -> tuple[Cue, ...]:
        """The cues that a heading holds for the sentences of a role below it."""
        return self._found_in(heading, role, heading=True)

    def _found_in(self, text: str, role: str, *, heading: bool) -> tuple[Cue, ...]:
        index = self._indexes.get((role, heading))
        return tuple(index.found_in(text)) if index is not None else ()


def parse_rules(text: str) -> Rules:
    """Rules from TOML.

    Raises:
        RulesInvalidError: the text is no TOML, or a table or cue lacks a key, has one that is unknown, or one with a value
            that cannot be used. It names the table or the cue, the key, and what is expected.
    """
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RulesInvalidError(f"the rules are not valid TOML: {error}", hint="compare with rules.toml") from error
    _known_keys("the rules", table, ("limits", "places", "types", "conversation", "cue"))
    limits = _numbers(table, "limits", LIMITS)
    for name in LIMITS:
        if name not in limits:
            _refuse(f"[limits] has no {name}", "all of its keys, each a number")
    raw = table.get("cue", [])
    if not isinstance(raw, list):
        _refuse(f"cue is {_shown(raw)}", "a [[cue]] for each cue, in double brackets")
    return Rules(
        cues=tuple(_cue(cue, number) for number, cue in enumerate(raw, start=1)),
        limits=limits,
        places=_numbers(table, "places"),
        conversation=_numbers(table, "conversation", CONVERSATION),
        version=sha256_hex(text)[:12],
        types=_types(table.get("types", {})),
    )


@cache
def built_in_rules() -> Rules:
    """The rules that the package ships."""
    return parse_rules(files("memory_assets.extraction").joinpath("rules.toml").read_text(encoding="utf-8"))


def _numbers(table: dict[str, Any], name: str, known: tuple[str, ...] | None = None) -> dict[str, float]:
    """A table of numbers; ``known`` are the keys that it may have, None for any."""
    given = table.get(name)
    if not isinstance(given, dict):
        _refuse(f"[{name}] is {_shown(given)}", "a table of numbers")
    if known is not None:
        _known_keys(f"[{name}]", given, known)
    return {key: _number(value, f"{key} of [{name}]") for key, value in given.items()}


def _types(raw: object) -> dict[str, dict[EntryType, float]]:
    """``[types]``: for a place, how much it says for which type. A file may go without it."""
    if not isinstance(raw, dict):
        _refuse(f"[types] is {_shown(raw)}", "a table of places")
    types: dict[str, dict[EntryType, float]] = {}
    for place, votes in raw.items():
        if not isinstance(votes, dict):
            _refuse(f"{place} of [types] is {_shown(votes)}", "types with numbers, as in { decision = 1.5 }")
        _known_keys(f"{place} of [types]", votes, get_args(EntryType))
        types[place] = {name: _number(vote, f"{name} of {place} of [types]") for name, vote in votes.items()}
    return types


def _cue(raw: object, number: int) -> Cue:
    if not isinstance(raw, dict):
        _refuse(f"cue {number} is {_shown(raw)}", "a table under [[cue]]")
    name = raw.get("name")
    if not isinstance(name, str) or not name:
        _refuse(f"the name of cue {number} is {_shown(name)}", "text in quotation marks")
    of = f"of the cue {_shown(name)}"
    _known_keys(f"the cue {_shown(name)}", raw, _FIELDS)
    weight = _number(raw.get("weight"), f"weight {of}", most=HEAVIEST)
    heading = raw.get("heading", False)
    if not isinstance(heading, bool):
        _refuse(f"heading {of} is {_shown(heading)}", "true or false")
    return Cue(
        name=name,
        entry_type=_one_of(raw.get("type"), get_args(EntryType), f"type {of}"),
        roles=tuple(_one_of(role, _ROLES, f"a role {of}") for role in _texts(raw.get("roles", list(_ROLES)), f"roles {of}")),
        weight=weight,
        vote=_number(raw.get("vote", max(1.0, weight)), f"vote {of}"),
        heading=heading,
        words=tuple(word.lower() for word in _texts(raw.get("words"), f"words {of}")),
        pattern=_pattern(raw.get("pattern"), f"pattern {of}"),
        status=_one_of(raw.get("status"), get_args(TaskStatus), f"status {of}"),
        priority=_one_of(raw.get("priority"), get_args(Priority), f"priority {of}"),
    )


def _known_keys(where: str, given: Iterable[str], known: tuple[str, ...]) -> None:
    for key in given:
        if key not in known:
            _refuse(f"{where} has the unknown key {_shown(key)}", f"one of {', '.join(known)}")


def _number(value: object, what: str, *, most: float = math.inf) -> float:
    expected = "a number" if most == math.inf else f"a number from {-most:g} to {most:g}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        _refuse(f"{what} is {_shown(value)}", expected)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or abs(number) > most:
        _refuse(f"{what} is {_shown(value)}", expected if most != math.inf else "a finite number")
    return number


def _texts(value: object, what: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        _refuse(f"{what} is {_shown(value)}", 'a list of texts, as in ["decide", "chose"]')
    return value


def _pattern(value: object, what: str) -> re.Pattern[str]:
    if not isinstance(value, str):
        _refuse(f"{what} is {_shown(value)}", "a regular expression in quotation marks")
    try:
        return re.compile(value, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        _refuse(f"{what} cannot be used: {error}", "a regular expression of Python's re")


def _one_of(value: Any, allowed: tuple[Any, ...], what: str) -> Any:
    if value is not None and value not in allowed:
        _refuse(f"{what} is {_shown(value)}", f"one of {', '.join(allowed)}")
    return value


def _shown(value: object) -> str:
    """A value as it was given, the beginning of a long one."""
    if value is None:
        return "missing"
    try:
        shown = repr(value)
    except ValueError:  # an integer of more digits than Python prints
        return "a number too long to print"
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


def _refuse(what: str, expected: str) -> NoReturn:
    raise RulesInvalidError(f"{what}; expected: {expected}", hint="the top of rules.toml explains every key")
