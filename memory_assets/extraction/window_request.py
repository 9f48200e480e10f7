"""What a model is sent for a window: the prompt, and the session's text as data between lines that it cannot contain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from memory_assets.extraction.windows import WINDOW_CHARACTERS, Window, shown_text, window_hash
from memory_assets.sessions.model import Message
from memory_assets.sessions.origins import origins_of


@cache
def prompt() -> str:
    """What a model is told to do, the same for every window."""
    return files("memory_assets.extraction").joinpath("prompt.md").read_text(encoding="utf-8")


def request(messages: Sequence[Message], window: Window, *, budget: int = WINDOW_CHARACTERS) -> list[dict[str, str]]:
    """The messages for a window.

    Stretches that somebody else than the speaker wrote are marked. A message longer than the budget of a window loses its
    middle, with a note of how much. Tasks and points of a list that the window names by number alone are called by their titles
    behind it.
    """
    boundary = window_hash(messages, window)[:16]
    parts: list[str] = []
    for index in range(window.context_start, window.end):
        text = shown_text(messages[index])
        if not text:
            continue
        message = messages[index]
        speaker = f"{message.role}{' (context)' if index < window.start else ''}"
        told = _shortened(_marked(message, boundary) if text == message.text else text, budget, boundary)
        parts.append(f"<<<message {index} {speaker} {boundary}>>>\n{told}\n<<<end {boundary}>>>")
    if window.numbered:
        names = "\n".join(f"#{number} {' '.join(title.split())}" for number, title in window.numbered)
        parts.append(f"<<<tasks {boundary}>>>\n{names}\n<<<end {boundary}>>>")
    if window.points:
        meant = "\n".join(f"message {one.message_index} #{one.number} {' '.join(one.title.split())}" for one in window.points)
        parts.append(f"<<<points {boundary}>>>\n{meant}\n<<<end {boundary}>>>")
    return [{"role": "system", "content": prompt()}, {"role": "user", "content": "\n".join(parts)}]


def _marked(message: Message, boundary: str) -> str:
    """The text of a message, with a line before each stretch that another wrote than the one before it."""
    stretches = origins_of(message)
    if all(stretch.origin in ("typed", "said") for stretch in stretches):
        return message.text
    told = (f"<<<{one.origin} {boundary}>>>\n{message.text[one.start : one.end]}" for one in stretches)
    return "\n".join(told)


def _shortened(text: str, budget: int, boundary: str) -> str:
    """A text without its middle where it is too long; the end keeps the mark of its stretch."""
    if len(text) <= budget:
        return text
    half = max(budget // 2, 1)
    marks = re.findall(rf"^<<<\w+ {boundary}>>>$", text[half:-half], re.MULTILINE)
    mark = f"{marks[-1]}\n" if marks else ""
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters are not shown …]\n{mark}{text[-half:]}"
