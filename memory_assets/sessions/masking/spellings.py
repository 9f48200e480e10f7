"""Other spellings of a text, in which a secret would not be found as it stands.

A key can hold a zero-width space, stand in a string of JSON with its quotes and line breaks escaped, or be percent-encoded.
The plain text is searched too, and what is found in it is masked where it came from.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace

from memory_assets.sessions.masking.regions import Region

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufe00-\ufe0f\ufeff"
)
# One class of characters first: a search for it is three times as fast as one for the beginnings of several branches.
_BEGINNING = (
    rf"[{_INVISIBLE}%&\\](?:(?<=[{_INVISIBLE}])[{_INVISIBLE}]*+"
    r"|(?<=%)(?P<percent>[0-9A-Fa-f]{2}(?:%[0-9A-Fa-f]{2}){0,399})"
    r"|(?<=&)(?P<entity>quot|apos|lt|gt|amp|nbsp|#39|#34|#x27);"
    r"|(?<=\\)\\{0,15}+"
)
_SPELLED = re.compile(rf"{_BEGINNING}(?:u(?P<code>[0-9a-fA-F]{{4}})|(?P<letter>[nrt\"'/])))")
_WITHOUT_LETTERS = re.compile(rf"{_BEGINNING}u(?P<code>[0-9a-fA-F]{{4}})(?P<letter>(?!))?)")
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "'": "'", "/": "/"}
_ENTITIES = {"quot": '"', "apos": "'", "lt": "<", "gt": ">", "amp": "&", "nbsp": " ", "#39": "'", "#34": '"', "#x27": "'"}


_INVISIBLES = re.compile(rf"[{_INVISIBLE}]")
_RARE = tuple(
    (sign, re.compile(spelled))
    for sign, spelled in (("%", r"%[0-9A-Fa-f]{2}"), ("\\u", r"\\u[0-9a-fA-F]{4}"), ("&", "&[a-z#]"))
)
_SIMPLE = tuple((re.compile(rf"\\{{1,16}}+{letter}"), f"\\{letter}", plain) for letter, plain in _LETTERS.items())


@dataclass(frozen=True, slots=True)
class Spelling:
    """A text in its plain spelling, and where its pieces came from.

    Attributes:
        starts: where each piece begins in the plain text; the others give its range in the text as it was written.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[tuple[int, int, bool], ...]

    def written(self, region: Region) -> Region:
        """A region of the plain text as a region of the text as it was written."""
        return replace(region, start=self._position(region.start), end=self._end(region.end))

    def _position(self, position: int) -> int:
        piece = bisect_right(self.starts, position) - 1
        start, _, spelled = self.origins[piece]
        return start if spelled else start + position - self.starts[piece]

    def _end(self, position: int) -> int:
        piece = bisect_right(self.starts, position - 1) - 1
        start, end, spelled = self.origins[piece]
        return end if spelled else start + position - self.starts[piece]


def quickly_plain(text: str) -> str:
    """The plain text alone: what ``plain_spelling`` returns, without where its pieces came from."""
    # What an escaped letter becomes is no part of any other spelling, so that these can go first.
    if "\\" in text:
        several = "\\\\" in text
        for pattern, spelled, plain in _SIMPLE:
            if spelled in text:
                text = pattern.sub(plain, text) if several else text.replace(spelled, plain)
    return _WITHOUT_LETTERS.sub(_plain, text) if _has_rare_spelling(text) else text


def _has_rare_spelling(text: str) -> bool:
    if any(sign in text and rest.search(text) for sign, rest in _RARE):
        return True
    return not text.isascii() and _INVISIBLES.search(text) is not None


def has_escapes(text: str) -> bool:
    """Whether the text may have another spelling."""
    return "\\" in text or "%" in text or "&" in text or not text.isascii()


def plain_spelling(text: str) -> Spelling | None:
    """The text with its escapes resolved and its invisible characters gone; None where it has none."""
    if "\\" not in text and "%" not in text and "&" not in text and (text.isascii() or not _SPELLED.search(text)):
        return None
    parts: list[str] = []
    starts: list[int] = []
    origins: list[tuple[int, int, bool]] = []
    length = position = 0
    for match in _SPELLED.finditer(text):
        start, end = match.span()
        if start > position:
            starts.append(length)
            origins.append((position, start, False))
            parts.append(text[position:start])
            length += start - position
        if plain := _plain(match):
            starts.append(length)
            origins.append((start, end, True))
            parts.append(plain)
            length += len(plain)
        position = end
    if not position:
        return None
    starts.append(length)
    origins.append((position, len(text), False))
    parts.append(text[position:])
    return Spelling("".join(parts), tuple(starts), tuple(origins))


def _plain(match: re.Match[str]) -> str:
    if match["percent"]:
        return bytes.fromhex(match["percent"].replace("%", "")).decode("utf-8", errors="replace")
    if match["code"]:
        char = chr(int(match["code"], 16))
        return "" if re.match(rf"[{_INVISIBLE}]", char) else char
    if match["letter"]:
        return _LETTERS[match["letter"]]
    return _ENTITIES[match["entity"]] if match["entity"] else ""
