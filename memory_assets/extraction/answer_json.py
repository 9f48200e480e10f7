"""Finds the JSON in what a model says, also where prose, a fence or a tool call stands around it.

Everything here is bounded: an answer may be of any length and any depth, and no place in it is tried without end.
"""

from __future__ import annotations

import json
import re
from typing import Any

MAX_ANSWER_CHARACTERS = 1_000_000
_MAX_PLACES = 50
"""How many brackets of a text are tried as the beginning of the answer."""
_DECODER = json.JSONDecoder()
_FENCE = "```"
_THOUGHTS_END = "</think>"
_ENTRIES = re.compile(r'"entries"\s{0,20}:\s{0,20}\[', re.I)

Fields = dict[str, Any]


def find_answer(text: str) -> Fields | None:
    """The object with the list ``entries``; None where no such object is whole.

    A model may give the list alone, one entry alone, or put the object into another one.
    """
    whole = _decoded(_unfenced(text.strip().lstrip("\ufeff")))
    if whole is not None:
        return _answer_of(whole[0], alone=True)
    said = text.rpartition(_THOUGHTS_END)[2]
    position = 0
    for _ in range(_MAX_PLACES):
        place = _next_bracket(said, position)
        if place is None:
            return None
        found = _decoded_at(said, place)
        if found is None:
            position = place + 1
            continue
        value, position = found
        answer = _answer_of(value, alone=False)
        if answer is not None:
            return answer
    return None


def whole_entries(text: str) -> list[Fields]:
    """The entries in front of the place where the JSON breaks off; empty when not one is whole."""
    said = text.rpartition(_THOUGHTS_END)[2]
    listed = _ENTRIES.search(said)
    start = listed.end() if listed else said.find("[") + 1
    entries: list[Fields] = []
    while start > 0:
        while start < len(said) and said[start] in " \t\r\n,":
            start += 1
        found = _decoded_at(said, start) if said[start : start + 1] == "{" else None
        if found is None:
            break
        value, start = found
        entries.append(value)
    return entries


def _unfenced(text: str) -> str:
    """A text without the code fence around it."""
    lines = text.removesuffix(_FENCE)
    return lines[lines.find("\n") :] if text.startswith(_FENCE) and len(lines) < len(text) else text


def _answer_of(value: Any, *, alone: bool) -> Fields | None:
    """Args: alone: nothing stands around the value, so that a list or an entry can be nothing but the answer."""
    match value:
        case dict():
            return _answer_of_object(value, alone=alone)
        case list() if all(isinstance(item, dict) for item in value):
            if alone or any("evidence" in item for item in value):
                return {"entries": value}
    return None


def _answer_of_object(value: Fields, *, alone: bool) -> Fields | None:
    for name, inner in value.items():
        if name.lower() == "entries" and isinstance(inner, list):
            return {"entries" if key == name else key: item for key, item in value.items()}
    if alone and "evidence" in value and "type" in value:
        return {"entries": [value]}
    for inner in value.values():
        if isinstance(inner, dict) and isinstance(inner.get("entries"), list):
            return inner
    return None


def _next_bracket(text: str, start: int) -> int | None:
    places = [place for place in (text.find("{", start), text.find("[", start)) if place >= 0]
    return min(places, default=None)


def _decoded(text: str) -> tuple[Any] | None:
    try:
        return (json.loads(text),)
    except (ValueError, RecursionError):
        return None


def _decoded_at(text: str, start: int) -> tuple[Any, int] | None:
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
