"""What a person's word will do, shown before it is said: its lines, the page to go back to, and how it is then said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.viewer.words import Own

if TYPE_CHECKING:
    from memory_assets.memory import Memory
    from memory_assets.results.forgetting import ForgetReportV1

Given = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of what will be: its word in ``said``, a text, and where that stands."""

    name: str
    text: str
    link: Own | None = None


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a word will do.

    Attributes:
        back: the page that it was said on.
        gates: of a promotion the gates to that stage, open or shut.
        report: of forgetting what goes.
        nothing: there is nothing that it would do.
    """

    back: Own
    lines: tuple[Line, ...]
    gates: Mapping[str, bool] | None = None
    report: ForgetReportV1 | None = None
    nothing: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """A word that a person can say.

    Attributes:
        fields: what its form holds; those in ``needed`` are never empty.
        takes_away: it takes something away, and is shown so.
        do: says it, and gives the page to go to.
    """

    name: str
    needed: tuple[str, ...]
    fields: tuple[str, ...]
    foresee: Callable[[Memory, Given], Foreseen]
    do: Callable[[Memory, Given], Own]
    takes_away: bool = False


def note_lines(given: Given) -> tuple[Line, ...]:
    """What a person wrote beside a word, where they wrote something."""
    return (Line("note", given["note"]),) if given["note"] else ()


def with_word(page: Own | None, word: str) -> Own:
    """A page that says what was said, before the place on it that its address names."""
    path, mark, place = (page or Own("/today")).partition("#")
    return Own(f"{path}{'&' if '?' in path else '?'}said={word}{mark}{place}")
