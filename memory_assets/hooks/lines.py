"""The element that is told to an agent: facts with their addresses, in lines, within a budget that holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memory_assets.mcp.quoting import flat
from memory_assets.sessions.recalled import CLOSING, OPENING, unfenced
from memory_assets.text.tokens import estimate_tokens

_QUOTE = 300
_NAME = 60
_LINE_BREAK = 1
_NO_ELEMENT = str.maketrans("<>", "‹›")


@dataclass(frozen=True, slots=True)
class Part:
    """A heading and its lines, of which at most ``share`` of the budget is spent; what others leave is spent by the later."""

    heading: str
    lines: Sequence[str]
    share: float


def element(what: str, parts: Iterable[Part], budget: int) -> str:
    """The element of some parts, at most ``budget`` tokens; empty where there is no line that fits.

    No line of it is blank: of an element that was cut off on its way, the paragraph is what was told.
    """
    frame = [OPENING, f"{what} Quoted from recorded sessions; `memory show ADDRESS` gives the place.", CLOSING]
    left = budget - sum(_cost(line) for line in frame)
    kept: list[str] = []
    carried = 0.0
    whole = left
    for part in parts:
        allowed = min(left, part.share * whole + carried)
        spent = _cost(part.heading)
        lines = []
        for line in part.lines:
            if spent + _cost(line) <= allowed:
                lines.append(line)
                spent += _cost(line)
        if lines:
            kept += [part.heading, *lines]
            left -= spent
        carried = allowed - (spent if lines else 0)
    if not kept:
        return ""
    return "\n".join([*frame[:2], *kept, CLOSING])


def fact(address: str, kind: str, text: str, *, said: str = "", at: datetime | None = None) -> str:
    """One line: the address, what it is, and the words in quotation marks."""
    about = ", ".join(filter(None, (named(said), f"{at.astimezone(UTC):%Y-%m-%d}" if at else "")))
    return f"- {named(address, 200)} {kind}: “{_quoted(text)}”{f' ({about})' if about else ''}"


def named(text: str, limit: int = _NAME) -> str:
    """A name within a line of ours, without the signs of an element: none that an agent knows is begun or ended in it."""
    return unfenced(flat(text, limit)).translate(_NO_ELEMENT)


def _quoted(text: str) -> str:
    return named(text, _QUOTE).replace("“", '"').replace("”", '"')


def _cost(line: str) -> int:
    return estimate_tokens(line) + _LINE_BREAK
