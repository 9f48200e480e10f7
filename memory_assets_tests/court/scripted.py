"""A model that answers as a test scripts it, told apart by the part that it is given; and claims as it writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from memory_assets_tests.extraction.provider import Asked, Reply

Scripted = Callable[[Asked], "str | Reply"]
PARTS = ("prosecutor", "defense", "jury", "judge")
NOTHING = json.dumps({"candidate_lessons": []})
_EVENT = re.compile(r"<<<event (\S+) (\w+) (\w+) ([0-9a-f]{16})>>>\n(.*?)\n<<<end \4>>>", re.DOTALL)


def part_of(asked: Asked) -> str:
    """Which of the four a request is for."""
    return next(part for part in PARTS if f"the {part} " in asked["messages"][0]["content"][:40] or part == "judge")


def shown(asked: Asked) -> dict[str, str]:
    """The text of each event that was shown, by its label."""
    return {label: text for label, _, _, _, text in _EVENT.findall(asked["messages"][1]["content"])}


def label_of(asked: Asked, words: str) -> str:
    """The label of the first event that has some words."""
    return next(label for label, text in shown(asked).items() if words in text)


def claim(*quotes: tuple[str, str, str], **other: Any) -> dict[str, Any]:
    """A standing order that quotes events: label, quote and part of each."""
    evidence = [{"event": label, "quote": quote, "part": part} for label, quote, part in quotes]
    return {
        "kind": "standing_order",
        "role": "coder",
        "polarity": "do",
        "severity": "medium",
        "title": "Run the tests first",
        "rule": "Run the tests before a commit.",
        "trigger": "",
        "exceptions": [],
        "sureness": "high",
        "is_speculation": False,
        "evidence": evidence,
    } | other


def claims(*told: Mapping[str, Any]) -> str:
    """An answer with these claims."""
    return json.dumps({"candidate_lessons": list(told)}, ensure_ascii=False)


def choosing(selected: list[Any], deferred: Mapping[Any, Any] | None = None) -> str:
    """An answer of the judge."""
    told = [{"number": number, "reason": reason} for number, reason in (deferred or {}).items()]
    return json.dumps({"selected": selected, "deferred": told})


def model(**parts: str | Scripted | Reply) -> Scripted:
    """A model that answers each part as it is scripted; the others claim nothing, and the judge takes all."""

    def answer(asked: Asked) -> str | Reply:
        part = part_of(asked)
        told = parts.get(part, choosing(list(range(1, 61))) if part == "judge" else NOTHING)
        return told(asked) if callable(told) else told

    return answer
