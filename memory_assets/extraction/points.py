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
_LONGEST = 300
"""Characters of a sentence or heading that may call a point."""
_SAYS_NEXT = re.compile(r"\b(?:next|start|todo)\b", re.IGNORECASE)
_MOST_SENTENCES = 2
"""Sentences at the beginning of a person's message in which it says what of a list it is about."""
_SENTENCE = re.compile(r"(?<=[.!?。])\s|\n")
_MORE = r"(?:\s?(?:,|&|\+|and|및|와|과|이랑|하고)\s?(?:and\s)?#?\d{1,2}(?![A-Za-z0-9_]|[.]\d)(?:번)?){0,9}"
_NUMBERED_ELSEWHERE = re.compile(
    rf"\b(?:(?:PR|MR|CL|GH|ISSUE|BUG|ADR|RFC|STEP|TASK|TODO|CVE|request|ticket|commit)s?\s?#?|(?:our|my)\s#)\d{{1,2}}(?!\d){_MORE}",
    re.IGNORECASE,
)
"""What has numbers of its own: no point of a list is meant."""
_SHORT_FORM = re.compile(
    rf"(?<![\w#/.-])(?P<name>[A-Z]{{2,5}})s?\s?(?P<mark>#?)(?P<first>\d{{1,2}})(?!\w|[.]\d)(?P<more>{_MORE})"
)
_BY_NUMBER = re.compile(
    rf"(?:(?<![\w/.-])#"
    rf"|\b(?:items?|points?|findings?|suggestions?|improvements?|nits?)\s#?"
    rf"|^\W{{0,3}}(?:(?:let['’]?s|please|ok(?:ay)?|yes|now|just)[\s,]{{1,3}}){{0,3}}"
    rf"(?:address|fix|do|implement|apply|handle|resolve)\s#?)(?P<first>\d{{1,2}})(?!\w|[.]\d)(?P<more>{_MORE})"
    rf"(?=\W*$|[,;.]|\s(?:please|first|now)\b)"
    rf"|(?<!\d)(?P<korean>\d{{1,2}})번(?P<others>{_MORE})"
    r"(?=(?:은|만|도|을|를)?\s?(?:부터|먼저|모두|전부|항목|제안|반영|수정|적용|처리|구현|추가|고쳐|해결|해\s?줘|해주세요|하자)"
    r"(?!했|해도|하는데|해봤))",
    re.IGNORECASE,
)
_OPENS = re.compile(r"\b(?:talk about|discuss|next|now)\b", re.IGNORECASE)
_ASKS_FOR = re.compile(
    r"\b(?:address|fix|do|implement|apply|handle|resolve|tackle|take|start|work on|go (?:on )?with|talk about|discuss|next"
    r"|first)\b"
    r"|^\W{0,3}(?:[A-Za-z]{2,12}\s?)?#?\d{1,2}(?:\s?(?:,|&|and)\s?(?:and\s)?#?\d{1,2}){0,9}\W{0,3}(?:please|next|now)?\W{0,3}$|번",
    re.IGNORECASE,
)
"""A person's sentence that asks for the points that it names."""
_NAMES_OTHERWISE = re.compile(
    r"\b(?:not|never|no|skip\w*|except|without|ignore|besides|instead|like|unlike|as in|similar|still|left|remain\w*|open"
    r"|revert|undo|drop|remove|delete|reject\w*|leave|defer|postpone|later|hold|cancel|explain|will|then|pending"
    r"|waiting|shall)\b|n['’]t\b"
    r"|말고|빼|제외|하지 ?[마말]|지 ?[마말]|않|못|아직|남[아은았]|처럼|같이|취소|삭제|되돌|나중|보류|미루|이제|다음"
    r"|^\W{0,3}(?:what|why|how|which|is|are|was|does|did|should)\b[^\n]{0,200}\?|(?:왜|뭐|무엇|어떤|어떻게)[^\n]{0,100}\?"
    r"|\d\s?(?:~|–|through|thru|to|부터)\s?#?\d|\d\s?,\s?\d{1,2}번|\d번[\s,]{1,3}\d{1,2}번",
    re.IGNORECASE,
)
"""A sentence that names a point and does not ask for it, or does not say that it is done."""
_NUMBER = re.compile(r"\d{1,2}")
_Listed = dict[int, str]
"""Of each number of a list what the task that it leaves open is called."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point that a message names by its number.

    Attributes:
        message_index: the message that names it.
        name: the short form of its list, by which it is named; empty where the number alone stands.
        title: what the list says of it, as the task that it leaves open is called.
    """

    message_index: int
    name: str
    number: int
    title: str


class PointsBook:
    """Reads a session from its start, and knows of each stretch which points are named in it."""

    def __init__(self) -> None:
        self._last: _Listed = {}
        self._called: dict[str, _Listed] = {}

    def read(self, talk: Iterable[tuple[int, str, str]]) -> tuple[Point, ...]:
        """The points that a stretch names.

        Args:
            talk: what is said in it, in order: the index of a message, who says it (``user`` or ``assistant``), its text.
        """
        found: dict[tuple[int, str], Point] = {}
        for index, role, text in talk:
            for point in self._named(index, role, text[:_MOST_TEXT]):
                found.setdefault((index, point.title), point)
            if role == "assistant":
                points = numbered_points(text)
                self._last = points if len(points) > 1 else {}
        return tuple(found.values())

    def _named(self, index: int, role: str, text: str) -> Iterator[Point]:
        """What a message names: by the short form that the person gave a list right behind it, or of the list before it."""
        said = [one for one in _SENTENCE.split(text) if one.strip()]
        for sentence in said[:_MOST_SENTENCES] if role == "user" else said:
            if not _NUMBER.search(sentence) or _NAMES_OTHERWISE.search(sentence):
                continue
            if role == "user" and not _ASKS_FOR.search(sentence):
                continue
            for found in _found(_SHORT_FORM, sentence):
                name, numbers = found["name"], _numbers(found)
                if role == "user" and found["mark"] and _has(self._last, numbers):
                    self._called.setdefault(name, self._last)
                yield from _of(self._called.get(name, {}), index, name, numbers)
            for found in _found(_BY_NUMBER, sentence) if role == "user" else ():
                yield from _of(self._last, index, "", _numbers(found))


def _found(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Where a text names points of a list."""
    return pattern.finditer(_NUMBERED_ELSEWHERE.sub(" ", text))


def _has(listed: _Listed, numbers: Sequence[int]) -> bool:
    return all(number in listed for number in numbers)


def _of(listed: _Listed, index: int, name: str, numbers: Sequence[int]) -> Iterator[Point]:
    """The points of a list, where it has all that are named."""
    if _has(listed, numbers):
        yield from (Point(index, name, number, listed[number]) for number in numbers)


def _numbers(said: re.Match[str]) -> list[int]:
    groups = said.groupdict()
    text = f"{groups.get('first') or groups.get('korean')} {groups.get('more') or groups.get('others') or ''}"
    return [int(number) for number in _NUMBER.findall(text)]


def is_called_in(point: Point, text: str) -> bool:
    """Whether a sentence or heading calls a point by the short form of its list ("MIP #3"), and says nothing against it."""
    text = text[:_LONGEST]
    if not point.name or "?" in text or _SAYS_NEXT.search(text) or _NAMES_OTHERWISE.search(text):
        return False
    return any(found["name"] == point.name and point.number in _numbers(found) for found in _found(_SHORT_FORM, text))


def is_named_in(point: Point, text: str) -> bool:
    """Whether a sentence names a point by its number."""
    found = (said for pattern in (_SHORT_FORM, _BY_NUMBER) for said in _found(pattern, text))
    return any(point.number in _numbers(said) for said in found)


def only_opens(text: str) -> bool:
    """Whether a sentence only says what the next one is about ("let's talk about MIP #3")."""
    return _OPENS.search(text) is not None
