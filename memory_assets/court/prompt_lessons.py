"""Lessons in a prompt: a section between two marks, one line a lesson, and nothing else of the prompt is changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

BEGIN: Final = "<!-- lessons of the court -->"
END: Final = "<!-- /lessons of the court -->"

_SPACE: Final = re.compile(r"\s+")


def with_lessons(prompt: str, rules: Sequence[str]) -> str:
    """The prompt with these rules at the end of its section of lessons; the section is begun at its end where it has none."""
    lines = "".join(f"- {on_one_line(rule)}\n" for rule in rules)
    before, begin, behind = prompt.partition(BEGIN)
    if not begin or behind.count(END) != 1 or BEGIN in behind:
        return f"{prompt}\n\n{BEGIN}\n{lines}{END}"
    section, end, rest = behind.partition(END)
    return f"{before}{begin}{section.rstrip(chr(10))}\n{lines}{end}{rest}"


def holds(prompt: str, rule: str) -> bool:
    """Whether a prompt says a rule already, wherever, and however its lines are broken."""
    return on_one_line(rule).casefold() in on_one_line(prompt).casefold()


def without_marks(text: str) -> str:
    """The text without the two marks: they are words of ours, and a session that shows a prompt says them too."""
    return text.replace(BEGIN, "").replace(END, "")


def on_one_line(text: str) -> str:
    """The text without line breaks; a rule is one line of a list."""
    return _SPACE.sub(" ", text).strip()
