"""One key of a JSON text is set or taken away, and every other character stays as it was.

Clients keep much more in their settings than servers: numbers that Python would write otherwise, keys that stand twice, an
order and a layout of their own. So the text is never written anew; only the value in question is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_BLANK = re.compile(r"[ \t\r\n]*")
_FIRST_INDENT = re.compile(r"\{[ ]*(\r?\n)([ \t]+)\"")
_DECODER = json.JSONDecoder()
_MARK = "\ufeff"  # some editors put it in front of the text


class InvalidJsonError(ValueError):
    """The text is no JSON, or its value is no object; the message says where."""


@dataclass(frozen=True, slots=True)
class _Member:
    """A key of an object: where it starts, and from where to where its value stands."""

    key: str
    key_start: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a text is laid out: its line break and one step of indentation; no break for a text in one line."""

    line_break: str
    step: str

    def lines(self, value: Any, depth: int) -> str:
        """A value as it stands at a depth."""
        if not self.line_break:
            return json.dumps(value, ensure_ascii=False)
        text = json.dumps(value, ensure_ascii=False, indent=self.step)
        return text.replace("\n", self.line_break + self.step * depth)

    def new_line(self, depth: int) -> str:
        """What separates two members at a depth, behind the comma."""
        return self.line_break + self.step * depth if self.line_break else " "


def parsed(text: str) -> dict[str, Any]:
    """The object that a text is.

    Raises:
        InvalidJsonError: it is none; also for what only Python takes for JSON (NaN).
    """
    try:
        value = json.loads(text.removeprefix(_MARK), parse_constant=_no_constant)
    except RecursionError as error:
        raise InvalidJsonError("it is nested too deeply") from error
    except ValueError as error:
        raise InvalidJsonError(str(error)) from error
    if not isinstance(value, dict):
        raise InvalidJsonError("it holds no object")
    return value


def with_value(text: str, path: Sequence[str], value: Any) -> str:
    """The text with ``value`` at a path of keys, whose objects are made where they are missing.

    Args:
        text: valid, with an object at every key of the path that is there, but the last.
    """
    return _put(text, _root(text), path, value, 1, _layout(text))


def without_value(text: str, path: Sequence[str]) -> str:
    """The text without what stands at a path of keys; the same text where nothing does."""
    start = _root(text)
    for key in path[:-1]:
        found = _last(_members(text, start), key)
        if found is None:
            return text
        start = found.start
    while (cut := _cut(text, start, path[-1])) is not None:
        text = cut
    return text


def with_item(text: str, path: Sequence[str], value: Any) -> str:
    """The text with ``value`` at the end of the list at a path of keys; list and objects are made where they are missing.

    Args:
        text: valid, with an object at every key of the path that is there, and a list at the last.
    """
    start = _place(text, path)
    if start is None:
        return with_value(text, path, [value])
    layout, depth = _layout(text), len(path) + 1
    items = _items(text, start)
    if items:
        behind = items[-1][1]
        return f"{text[:behind]},{layout.new_line(depth)}{layout.lines(value, depth)}{text[behind:]}"
    close = text.index("]", start)
    if not layout.line_break:
        return f"{text[: start + 1]}{layout.lines(value, depth)}{text[close:]}"
    inside = f"{layout.new_line(depth)}{layout.lines(value, depth)}{layout.new_line(depth - 1)}"
    return f"{text[: start + 1]}{inside}{text[close:]}"


def without_item(text: str, path: Sequence[str | int], number: int) -> str:
    """The text without an item of the list at a path of keys and numbers of items, by its own number from 0.

    Args:
        text: valid, with a list of more than ``number`` items at the path.
    """
    start = _place(text, path)
    assert start is not None, path
    items = _items(text, start)
    if number > 0:
        return text[: items[number - 1][1]] + text[items[number][1] :]
    if len(items) > 1:
        return text[: items[0][0]] + text[items[1][0] :]
    return text[: start + 1] + text[text.index("]", items[0][1]) :]


def _place(text: str, path: Sequence[str | int]) -> int | None:
    """Where the value at a path begins; None where there is none."""
    start = _root(text)
    for key in path:
        if isinstance(key, int):
            start = _items(text, start)[key][0]
            continue
        found = _last(_members(text, start), key)
        if found is None:
            return None
        start = found.start
    return start


def _items(text: str, start: int) -> list[tuple[int, int]]:
    """From where to where the items of the list stand that begins at ``start``."""
    items = []
    at = _skip(text, start + 1)
    while text[at] != "]":
        _, end = _DECODER.raw_decode(text, at)
        items.append((at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return items


def _put(text: str, start: int, path: Sequence[str], value: Any, depth: int, layout: _Layout) -> str:
    members = _members(text, start)
    found = _last(members, path[0])
    if found is not None and len(path) > 1:
        return _put(text, found.start, path[1:], value, depth + 1, layout)
    for key in reversed(path[1:]):
        value = {key: value}
    if found is not None:
        return text[: found.start] + layout.lines(value, depth) + text[found.end :]
    member = f"{json.dumps(path[0], ensure_ascii=False)}: {layout.lines(value, depth)}"
    if members:
        behind = members[-1].end
        return f"{text[:behind]},{layout.new_line(depth)}{member}{text[behind:]}"
    # An object without members: what stands in it is white space.
    close = text.index("}", start)
    if not layout.line_break:
        return f"{text[: start + 1]}{member}{text[close:]}"
    return f"{text[: start + 1]}{layout.new_line(depth)}{member}{layout.new_line(depth - 1)}{text[close:]}"


def _cut(text: str, start: int, key: str) -> str | None:
    """The text without the last member of that key; None where there is none."""
    members = _members(text, start)
    place = next((place for place in reversed(range(len(members))) if members[place].key == key), None)
    if place is None:
        return None
    if place > 0:
        return text[: members[place - 1].end] + text[members[place].end :]
    if len(members) > 1:
        return text[: members[0].key_start] + text[members[1].key_start :]
    return text[: start + 1] + text[text.index("}", members[0].end) :]


def _members(text: str, start: int) -> list[_Member]:
    """The members of the object that begins at ``start``, in their order."""
    members = []
    at = _skip(text, start + 1)
    while text[at] != "}":
        key, behind_key = _DECODER.raw_decode(text, at)
        value_start = _skip(text, _skip(text, behind_key) + 1)
        _, end = _DECODER.raw_decode(text, value_start)
        members.append(_Member(key, at, value_start, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return members


def _last(members: list[_Member], key: str) -> _Member | None:
    """The member that counts where a key stands twice: the last, as every reader of JSON takes it."""
    return next((member for member in reversed(members) if member.key == key), None)


def _root(text: str) -> int:
    return _skip(text, len(_MARK) if text.startswith(_MARK) else 0)


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _layout(text: str) -> _Layout:
    found = _FIRST_INDENT.search(text)
    if found:
        return _Layout(found[1], found[2])
    if _members(text, _root(text)) and "\n" not in text.strip():
        return _Layout("", "")
    return _Layout("\r\n" if "\r\n" in text else "\n", "  ")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
