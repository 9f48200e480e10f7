"""``<private>…</private>``: what a person marked as not to be kept.

The tags are honoured everywhere but inside code whose fence opens before them and closes after them, which is a quoted
example of the syntax. A region's nested tags reach to the last close; without a close it reaches to the end of the text.
Code inside a private region is private; tags quoted in that code neither open nor close anything, unless the region
would then have no end. A tag alone in code, its partner outside, is honoured: a stray backtick must not leak a secret.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from memory_assets.sessions.masking.regions import Region

KIND = "PRIVATE"

_TAG = re.compile(r"<\s{0,8}(?P<close>/?)\s{0,8}private(?P<rest>\s[^<>]{0,200})?>", re.IGNORECASE)
_FENCE = re.compile(
    r"^[ \t>]{0,32}(?:(?:[-*+]|\d{1,3}[.)])[ \t]{1,4})?(?P<run>`{3,}+|~{3,}+)(?P<info>[^\n]{0,200})", re.MULTILINE
)
_TICKS = re.compile(r"`++")
_LONGEST_FENCE = 10

_Type = Literal["fence", "ticks", "open", "close"]


@dataclass(frozen=True, slots=True)
class PrivateBlocks:
    """The private regions of a text, in order; ``unclosed`` when the last one has no closing tag."""

    regions: tuple[Region, ...]
    unclosed: bool


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    type: _Type
    mark: str = ""
    closes_fence: bool = False


def find_private_blocks(text: str) -> PrivateBlocks:
    """The outermost private regions of a text. Linear in the length of the text."""
    if "<" not in text or _TAG.search(text) is None:
        return PrivateBlocks((), unclosed=False)
    return _Scanner(text).scan()


class _Scanner:
    """Reads the tokens of a text from left to right, once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._partner = _partners(self._tokens)
        self._next_ticks = _next_ticks(text, self._tokens)
        # Length of the shortest fence of a mark that is known to have no closing line further down.
        self._never_closed: dict[str, int] = {}
        # One failed search for a close outside code has read to the end of the text; the others do not repeat it.
        self._code_counts = True

    def scan(self) -> PrivateBlocks:
        regions: list[Region] = []
        index = 0
        while index < len(self._tokens):
            opening = index if self._tokens[index].type == "open" else None
            code_end = self._code_end(index)
            if code_end is not None:
                opening = self._honoured_in_code(index, code_end)
            if opening is None:
                index = (index if code_end is None else code_end) + 1
                continue
            closing = self._closing(opening)
            start = self._tokens[opening].start
            if closing is None:
                regions.append(Region(start, len(self._text), KIND))
                return PrivateBlocks(tuple(regions), unclosed=True)
            regions.append(Region(start, self._tokens[closing].end, KIND))
            index = closing + 1
        return PrivateBlocks(tuple(regions), unclosed=False)

    def _code_end(self, index: int) -> int | None:
        """The token that closes the code which a token opens; None where it opens none."""
        match self._tokens[index].type:
            case "fence":
                return self._fence_end(index)
            case "ticks":
                return self._next_ticks.get(index)
        return None

    def _fence_end(self, index: int) -> int | None:
        mark = self._tokens[index].mark[0]
        length = min(len(self._tokens[index].mark), _LONGEST_FENCE)
        if length >= self._never_closed.get(mark, _LONGEST_FENCE + 1):
            return None
        for later in range(index + 1, len(self._tokens)):
            token = self._tokens[later]
            if token.closes_fence and token.mark[0] == mark and len(token.mark) >= length:
                return later
        self._never_closed[mark] = length
        return None

    def _honoured_in_code(self, first: int, last: int) -> int | None:
        """The opening tag inside code whose region reaches out of the code, if there is one."""
        index = first + 1
        while index < last:
            closing = self._partner.get(index)
            if closing is not None and closing > last and not self._is_quoted(closing):
                return index
            # A pair inside the code is an example, and so is a tag without a partner or with a quoted one.
            index = (closing if closing is not None and closing < last else index) + 1
        return None

    def _is_quoted(self, closing: int) -> bool:
        """Whether a closing tag stands between backticks on its own line (`</private>`)."""
        before, after = closing - 1, closing + 1
        return before >= 0 and self._tokens[before].type == "ticks" and self._next_ticks.get(before) == after

    def _closing(self, opening: int) -> int | None:
        if self._code_counts:
            closing = self._closing_outside_code(opening)
            if closing is not None:
                return closing
            self._code_counts = False
        return self._partner.get(opening)

    def _closing_outside_code(self, opening: int) -> int | None:
        depth = 0
        index = opening
        while index < len(self._tokens):
            code_end = self._code_end(index)
            if code_end is not None:
                index = code_end + 1
                continue
            match self._tokens[index].type:
                case "open":
                    depth += 1
                case "close":
                    depth -= 1
                    if depth == 0:
                        return index
            index += 1
        return None


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    for tag in _TAG.finditer(text):
        if not (tag["rest"] or "").rstrip().endswith("/"):  # <private/> holds nothing
            tokens.append(_Token(tag.start(), tag.end(), "close" if tag["close"] else "open"))
    fences: set[int] = set()
    for fence in _FENCE.finditer(text):
        run, info = fence["run"], fence["info"]
        if run[0] == "`" and "`" in info:  # inline code at the start of a line
            continue
        fences.add(fence.start("run"))
        tokens.append(_Token(*fence.span("run"), "fence", run, closes_fence=not info.strip()))
    for ticks in _TICKS.finditer(text):
        if ticks.start() not in fences:
            tokens.append(_Token(*ticks.span(), "ticks", ticks[0]))
    return sorted(tokens, key=lambda token: token.start)


def _partners(tokens: list[_Token]) -> dict[int, int]:
    """For each opening tag the close at which its own depth is back at zero, code or not."""
    partners: dict[int, int] = {}
    waiting: list[int] = []
    for index, token in enumerate(tokens):
        if token.type == "open":
            waiting.append(index)
        elif token.type == "close" and waiting:
            partners[waiting.pop()] = index
    return partners


def _next_ticks(text: str, tokens: list[_Token]) -> dict[int, int]:
    """For each run of backticks the next run of the same length on the same line: together they are inline code."""
    following: dict[int, int] = {}
    last_of_length: dict[int, int] = {}
    line_end = len(text)
    for index in range(len(tokens) - 1, -1, -1):
        token = tokens[index]
        if "\n" in text[token.end : line_end]:
            last_of_length.clear()
        line_end = token.start
        if token.type == "ticks":
            if len(token.mark) in last_of_length:
                following[index] = last_of_length[len(token.mark)]
            last_of_length[len(token.mark)] = index
    return following
