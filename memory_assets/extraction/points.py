"""The points of an agent's numbered list that are named later by their numbers alone ("address MIP #1", "3번 반영해줘").

Whoever reads such a request a month later does not know what was meant, and the point itself stays open though it was worked
on. So the request is called by the point, and becomes one task with it; so does a report ("MIP #3 is done").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memory_assets.extraction.open_lists import numbered_points

_MOST_TEXT = 2_000
"""Characters of a message in which a point may be named."""
_MORE = r"(?:\s?(?:,|&|\+|and|및|와|과|이랑|하고)\s?(?:and\s)?#?\d{1,2}(?!\w|[.]\d)(?:번)?){0,9}"
_SHORT_FORM = re.compile(
    rf"(?<![\w#/.-])(?P<name>(?!PR|MR|CL|GH)[A-Z]{{2,5}})s?\s?#?(?P<first>\d{{1,2}})(?!\w|[.]\d)(?P<more>{_MORE})"
)
_BY_NUMBER = re.compile(
    rf"(?:(?<![\w/.-])#|\b(?:items?|points?|findings?|suggestions?|improvements?|nits?)\s#?"
    rf"|^\W{{0,3}}(?:(?:let['’]?s|please|ok(?:ay)?|yes|now|just)[\s,]{{1,3}}){{0,3}}"
    rf"(?:address|fix|do|implement|apply|handle|resolve|take)\s#?)(?P<first>\d{{1,2}})(?!\w|[.]\d)(?P<more>{_MORE})(?=\W*$|[,;.]|\s(?:please|first|now)\b)"
    rf"|(?<!\d)(?P<korean>\d{{1,2}})번(?!째)(?P<others>{_MORE})",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBER = re.compile(r"\d{1,2}")
_Listed = dict[int, str]
"""Of each number of a list what the task that it leaves open is called."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point that a message names by its number.

    Attributes:
        message_index: the message that names it.
        title: what the list says of it, as the task that it leaves open is called.
    """

    message_index: int
    number: int
    title: str


class PointsBook:
    """Reads a session from its start, and knows of each stretch which points are named in it."""

    def __init__(self) -> None:
        self._last: _Listed | None = None
        self._called: dict[str, _Listed] = {}

    def read(self, talk: Iterable[tuple[int, str, str]]) -> tuple[Point, ...]:
        """The points that a stretch names.

        Args:
            talk: what is said in it, in order: the index of a message, who says it (``user`` or ``assistant``), its text.
        """
        found: list[Point] = []
        for index, role, text in talk:
            found += self._named(index, role, text[:_MOST_TEXT])
            if role == "assistant":
                points = numbered_points(text)
                self._last = points if len(points) > 1 else None
        return tuple(dict.fromkeys(found))

    def _named(self, index: int, role: str, text: str) -> Iterator[Point]:
        """What a message names: by the short form that the person gave a list right behind it, or of the list before it."""
        for said in _SHORT_FORM.finditer(text):
            if role == "user" and self._last is not None:
                self._called.setdefault(said["name"], self._last)
            yield from _of(self._called.get(said["name"]), index, _numbers(said))
        if role == "user":
            for said in _BY_NUMBER.finditer(text):
                yield from _of(self._last, index, _numbers(said))


def _of(listed: _Listed | None, index: int, numbers: Sequence[int]) -> Iterator[Point]:
    """The points of a list, where it has all that are named."""
    if listed is not None and all(number in listed for number in numbers):
        yield from (Point(index, number, listed[number]) for number in numbers)


def _numbers(said: re.Match[str]) -> list[int]:
    groups = said.groupdict()
    text = f"{groups.get('first') or groups.get('korean')} {groups.get('more') or groups.get('others') or ''}"
    return [int(number) for number in _NUMBER.findall(text)]


def called_in(text: str) -> set[int]:
    """The numbers of the points that a sentence names by the short form of their list ("MIP #3")."""
    return {number for said in _SHORT_FORM.finditer(text) for number in _numbers(said)}
