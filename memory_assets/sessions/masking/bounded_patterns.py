"""Patterns that cannot run away: what a policy's regular expressions may be made of.

Session files hold lines of 100,000 base64 characters, and an unbounded expression over one of them ran for minutes. So a
policy's pattern repeats at most :data:`LARGEST_REPEAT` times, or possessively (``++``, ``*+``, ``{20,}+``), which never
backtracks; and no repeated group holds another variable repeat.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

LARGEST_REPEAT = 4096

_REPEAT = re.compile(r"(?:\*|\+|\?|\{(?P<low>\d*)(?P<comma>,)?(?P<high>\d*)\})(?P<mode>[+?]?)")
_GROUP_HEAD = re.compile(r"\((?:\?(?:P<\w+>|<[=!]|[:=!>]|[a-zA-Z-]+:))?")
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)


@dataclass(slots=True)
class _Group:
    atomic: bool = False
    varies: bool = False


@dataclass(slots=True)
class _Reader:
    groups: list[_Group] = field(default_factory=lambda: [_Group()])
    atom_varies: bool = False


def why_unbounded(pattern: str) -> str | None:
    """What makes a pattern unfit for long lines, or None when it is bounded.

    The pattern is one that ``re.compile`` accepts, without the verbose flag.
    """
    reader = _Reader()
    position = 0
    while position < len(pattern):
        char = pattern[position]
        if char == "\\":
            reader.atom_varies, position = False, position + 2
        elif char == "[" and (bracket := _CLASS.match(pattern, position)):
            reader.atom_varies, position = False, bracket.end()
        elif char == "(" and (head := _GROUP_HEAD.match(pattern, position)):
            reader.groups.append(_Group(atomic=head[0] == "(?>"))
            position = head.end()
        elif char == ")" and len(reader.groups) > 1:
            group = reader.groups.pop()
            reader.atom_varies = group.varies and not group.atomic
            reader.groups[-1].varies |= reader.atom_varies
            position += 1
        elif char in "*+?{" and (repeat := _repeat_at(pattern, position)):
            if reason := _judge(repeat, reader):
                return f"{reason} at character {position}"
            position = repeat.end()
        else:
            reader.atom_varies, position = False, position + 1
    return None


def _repeat_at(pattern: str, position: int) -> re.Match[str] | None:
    repeat = _REPEAT.match(pattern, position)
    if repeat is None or repeat[0][0] != "{" or repeat["low"] or repeat["high"]:
        return repeat
    return None


def _judge(repeat: re.Match[str], reader: _Reader) -> str | None:
    low, high = _bounds(repeat)
    if repeat["mode"] == "+":
        reader.atom_varies = False
        return None
    if high is None:
        return "an unbounded repeat"
    if high > LARGEST_REPEAT:
        return f"a repeat of more than {LARGEST_REPEAT}"
    if high > 1 and reader.atom_varies:
        return "a repeat inside a repeat"
    if low != high:
        reader.groups[-1].varies = True
    return None


def _bounds(repeat: re.Match[str]) -> tuple[int, int | None]:
    match repeat[0][0]:
        case "*":
            return 0, None
        case "+":
            return 1, None
        case "?":
            return 0, 1
    low = int(repeat["low"] or 0)
    if not repeat["comma"]:
        return low, low
    return low, int(repeat["high"]) if repeat["high"] else None
