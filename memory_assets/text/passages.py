"""Cuts a long message into passages that can be found and cited one by one.

Of a long message only a small part answers a question, and the rest of it drowns that part (measured over Korean passages:
recall@1 .84 whole, .93 cut).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

PASSAGE_CHARACTERS: Final = 1_000
"""What is aimed at."""
MOST_CHARACTERS: Final = 1_500
"""No passage is longer; a message of up to so many is one."""

# How good a place is to cut at. Between two places a higher one outweighs about a third of the length aimed at.
_HEADING: Final = 5.0
_PARAGRAPH: Final = 4.0
_FENCE_EDGE: Final = 3.5
_ITEM: Final = 2.5
_LINE: Final = 2.0
_SENTENCE: Final = 1.0
_ENDING: Final = 0.6
"""Behind a Korean verb that ends a sentence without a full stop."""
_CODE_PARAGRAPH: Final = 0.4
_CODE_LINE: Final = 0.0
_OFF_TARGET: Final = 3.0
"""What a place loses when it is as far off as the length that is aimed at."""
_SHORT: Final = 250
_TOO_SHORT: Final = 2.0
"""What a place loses when it leaves a passage of fewer characters than ``_SHORT``."""

_LINE_END = re.compile(r"\r\n|\n|\r")
_OPENS_FENCE = re.compile(r"[ \t]{0,12}(?:[-*+][ \t]{1,4}|[0-9]{1,3}[.)][ \t]{1,4})?(?P<marks>`{3,20}|~{3,20})")
_CLOSES_FENCE = re.compile(r"[ \t]{0,12}(?P<marks>`{3,20}|~{3,20})[ \t]*+(?=[\r\n]|\Z)")
_BLANK = re.compile(r"[^\S\r\n]*+(?=[\r\n]|\Z)")
_TITLED = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]|(?:\*\*|__)[^*_\r\n]{2,120}(?:\*\*|__)[:：]?[ \t]{0,8}(?=[\r\n]|\Z))")
_LISTED = re.compile(r"[ \t]{0,40}(?:[-*+•]|[0-9]{1,3}[.)])[ \t]")
_SENTENCE_END = re.compile(r"(?<=[^\s.])[.!?。…！？]{1,8}[\"'”’)\]*`]{0,3}[^\S\r\n]{1,40}")
_KOREAN_END = re.compile(
    r"(?<=[가-힣])(?:니다|어요|아요|해요|에요|예요|세요|네요|군요|지요|죠|한다|했다|된다|됐다|이다|있다|없다)[^\S\r\n]{1,40}"
)
_SPACE = re.compile(r"\s")
_JOINS = "\u200d\ufe0e\ufe0f"
_LOOKED_BACK: Final = 16


@dataclass(frozen=True, slots=True)
class _Place:
    position: int
    strength: float


def passages(text: str) -> list[tuple[int, int]]:
    """The passages of a message as half-open spans of its code points, each behind the other, that cover all of it.

    At most ``MOST_CHARACTERS`` each; no span for the empty text. A long text is cut where it falls apart best near
    ``PASSAGE_CHARACTERS``: before a heading, at an empty line, a line, behind a sentence, at a space, and in the middle of a
    run without any. A fenced block is kept whole where it fits into a passage. Linear in the text.
    """
    if len(text) <= MOST_CHARACTERS:
        return [(0, len(text))] if text else []
    places = list(_places(text))
    positions = [place.position for place in places]
    spans = []
    start = 0
    while len(text) - start > MOST_CHARACTERS:
        end = _cut(text, start, places[bisect_right(positions, start) : bisect_right(positions, start + MOST_CHARACTERS)])
        spans.append((start, end))
        start = end
    return [*spans, (start, len(text))]


def _cut(text: str, start: int, places: list[_Place]) -> int:
    """Where the passage that begins at ``start`` ends best."""
    left = len(text) - start
    # What is left for two passages is halved: a last one of a few words would say nothing.
    aim = PASSAGE_CHARACTERS if left > 2 * PASSAGE_CHARACTERS else left // 2

    def worth(place: _Place) -> float:
        length = place.position - start
        return place.strength - _OFF_TARGET * abs(length - aim) / aim - (_TOO_SHORT if length < _SHORT else 0.0)

    if places:
        return max(places, key=worth).position
    return _hard_cut(text, start, start + aim)


def _hard_cut(text: str, start: int, aim: int) -> int:
    if space := _SPACE.search(text, aim, start + MOST_CHARACTERS - 1):
        return space.end()
    # What one sees as one character may be several.
    for position in range(aim, max(start, aim - _LOOKED_BACK), -1):
        if not (text[position] in _JOINS or text[position - 1] == "\u200d" or unicodedata.combining(text[position])):
            return position
    return aim


def _places(text: str) -> Iterator[_Place]:
    """Where a text may be cut, in order: not at its beginning, and not within a fenced block that fits into a passage."""
    start = 0
    below_title = False
    while start < len(text):
        opened = _OPENS_FENCE.match(text, start)
        end = _fence_end(text, start, opened["marks"]) if opened else _line_end(text, start)
        if start:
            strength = _strength(text, start, fenced=opened is not None)
            # A heading belongs to what it is the heading of.
            yield _Place(start, min(strength, _CODE_PARAGRAPH) if below_title else strength)
        if not _BLANK.match(text, start):
            below_title = _TITLED.match(text, start) is not None
        if opened:
            if end - start > MOST_CHARACTERS:
                yield from _places_in_code(text, start, end)
        else:
            yield from _places_in_line(text, start, end)
        start = end


def _strength(text: str, start: int, *, fenced: bool) -> float:
    """How well a text is cut before the line that begins here."""
    if _BLANK.match(text, start):
        return _LINE
    if _TITLED.match(text, start):
        return _HEADING
    before = _before(text, start)
    if _BLANK.match(text, before):
        return _PARAGRAPH
    if fenced or _CLOSES_FENCE.match(text, before):
        return _FENCE_EDGE
    return _ITEM if _LISTED.match(text, start) else _LINE


def _before(text: str, start: int) -> int:
    """Where the line before the one at ``start`` begins, or a place in it when it is long."""
    floor = max(0, start - 64)
    end = start - 2 if text[start - 2 : start] == "\r\n" else start - 1
    return max(text.rfind("\n", floor, end), text.rfind("\r", floor, end), floor - 1) + 1


def _line_end(text: str, start: int) -> int:
    found = _LINE_END.search(text, start)
    return found.end() if found else len(text)


def _fence_end(text: str, start: int, marks: str) -> int:
    """The end of the line that closes the fence, or of the text."""
    position = _line_end(text, start)
    while position < len(text):
        closing = _CLOSES_FENCE.match(text, position)
        position = _line_end(text, position)
        if closing and closing["marks"].startswith(marks):
            return position
    return len(text)


def _places_in_code(text: str, start: int, end: int) -> Iterator[_Place]:
    position = _line_end(text, start)
    while position < end:
        blank = _BLANK.match(text, _before(text, position))
        yield _Place(position, _CODE_PARAGRAPH if blank else _CODE_LINE)
        position = _line_end(text, position)


def _places_in_line(text: str, start: int, end: int) -> Iterator[_Place]:
    if end - start <= _SHORT:
        return
    ends = [_Place(match.end(), _SENTENCE) for match in _SENTENCE_END.finditer(text, start, end)]
    ends += [_Place(match.end(), _ENDING) for match in _KOREAN_END.finditer(text, start, end)]
    yield from sorted((place for place in ends if place.position < end), key=lambda place: place.position)
