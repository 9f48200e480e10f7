"""Cuts a message into sentences that can be quoted, each with its place (Korean and English alike).

Code fences, tables, quoted text and what a program wrote (logs, diffs, traces) are passed over: they are shown, not said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memory_assets.text.characters import whole_clusters
from memory_assets.text.chat_commands import behind_mode
from memory_assets.text.machine_text import MachineText

MIN_LENGTH = 6
MAX_LENGTH = 220
"""Characters of a sentence; what is longer is cut at a clause, what is shorter says nothing."""
MIN_BOXED = 2
"""Characters of an item behind a checkbox: the box says that it is one."""

Shape = Literal["prose", "item", "heading", "open_box", "begun_box", "blocked_box", "done_box", "dropped_box"]
BOXES: dict[str, Shape] = {
    " ": "open_box", "~": "begun_box", "/": "begun_box", "!": "blocked_box",
    "x": "done_box", "X": "done_box", "-": "dropped_box",
}  # fmt: skip
"""What stands between the brackets of a checkbox."""

_FENCE = re.compile(r"^[ \t]{0,12}(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?(```+|~~~+)")
_LIST = re.compile(r"^[ \t]{0,40}(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_BOX = re.compile(r"^\[([ xX~/!-])\][ \t]+")
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+")
_BOLD_LINE = re.compile(
    r"^[ \t]{0,8}(?:\d{1,3}[.)][ \t]+)?(\*\*|__)[^*_\n]{2,120}\1(?:[:：]?|[ \t]\([^()\n]{1,60}\)[:：])[ \t]*$"
)
_BOLD = re.compile(r"\*\*|__")
_TABLE = re.compile(r"^[ \t]{0,8}\|.*\|[ \t]*$|^[ \t]{0,8}[│┌├└┬╭╰]")
_RULE = re.compile(r"^[ \t]{0,3}(?:[-*_=][ \t]?){3,}$")
# A full stop ends a sentence when space or the end follows; not behind a single letter, a number or "e.g". The mark is looked
# for first, and then what stands before it: most letters of a text are no mark.
_SHORT_FORMS = "".join(rf"(?<!\b{word}.)" for word in ("e\\.g", "i\\.e", "etc", "vs", "re", "cf", "approx", "incl"))
_STOP = re.compile(
    rf"[.!?。…](?:(?<![A-Z].)(?<!\b[a-zA-Z].){_SHORT_FORMS}(?<!\d.)[.!?。…]{{0,7}}[\"'”’)*`\]]{{0,3}}(?=\s|$)"
    rf"|(?<=[.]){_SHORT_FORMS}(?=\s+[A-Z가-힣]))"
)
_WEAK_STOP = re.compile(r"(?:\.\.|…|[\"'”’)\]`])[*`]{0,2}$")
"""An ellipsis or a closing mark: no end of a sentence when it goes on in a small letter."""
_GOES_ON = re.compile(r"\s{1,3}[a-z`–—-]")
_CLAUSE = re.compile(r"(?:[;:,](?=\s)|\s[-–—](?=\s)|\s(?=\())")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, list item or heading.

    Attributes:
        start, end: half-open, code points of the message; ``text == message[start:end]``.
        shape: what it stands in.
        heading: the heading it stands under, empty when there is none.
    """

    start: int
    end: int
    text: str
    shape: Shape
    heading: str


def sentences(text: str) -> list[Sentence]:
    """The sentences of a message, in order; linear in its length."""
    return list(_sentences(text))


def _sentences(text: str) -> Iterator[Sentence]:
    fence = ""
    heading = ""
    machine = MachineText()
    position = 0
    for line in text.splitlines(keepends=True):
        start, position = position, position + len(line)
        body = line.rstrip()
        opened = _FENCE.match(body)
        if fence:
            if opened and opened.group(1).startswith(fence):
                fence = ""
            continue
        if opened:
            fence = opened.group(1)
            continue
        if not body.strip() or body.lstrip().startswith(">") or _TABLE.match(body) or _RULE.match(body):
            continue
        if (len(body) - len(body.lstrip(" ")) >= 8 and not _LIST.match(body)) or body.startswith("\t\t"):
            continue  # indented as code or program output
        if machine.wrote(body):
            continue
        titled = _HEADING.match(body)
        if titled:
            heading = body[titled.end() :].strip()
            yield from _cut(text, start + titled.end(), start + len(body), "heading", "")
            continue
        if _BOLD_LINE.match(body):
            heading = _BOLD.sub("", body).strip("*_:： ")
            yield from _cut(text, start + len(body) - len(body.lstrip()), start + len(body), "heading", "")
            continue
        marked = _LIST.match(body)
        offset = marked.end() if marked else behind_mode(body) or len(body) - len(body.lstrip())
        shape: Shape = "item" if marked else "prose"
        boxed = _BOX.match(body[offset:])
        if boxed:
            offset += boxed.end()
            shape = BOXES[boxed.group(1)]
        if boxed and MIN_BOXED <= len(body) - offset <= MAX_LENGTH:
            low, high = start + offset, start + len(body)
            yield Sentence(low, high, text[low:high], shape, heading)
            continue
        yield from _cut(text, start + offset, start + len(body), shape, heading)


def _cut(text: str, start: int, end: int, shape: Shape, heading: str) -> Iterator[Sentence]:
    """The sentences of one line."""
    begin = start
    for stop in [*stops(text, start, end), end]:
        if stop <= begin:
            continue
        while begin < stop and text[begin].isspace():
            begin += 1
        for low, high in shortened(text, begin, stop):
            if high - low >= MIN_LENGTH:
                yield Sentence(low, high, text[low:high], shape, heading)
        begin = stop


def stops(text: str, start: int, end: int) -> Iterator[int]:
    """Where the sentences of a line end, but for its last one."""
    for match in _STOP.finditer(text, start, end):
        if not (_WEAK_STOP.search(match.group()) and _GOES_ON.match(text, match.end())):
            yield match.end()


def _is_whole(part: str) -> bool:
    """Whether what a part of a sentence opens is closed in it: brackets, code, bold type."""
    pairs = all(part.count(left) == part.count(right) for left, right in ("()", "[]"))
    return pairs and part.count("`") % 2 == 0 and part.count("**") % 2 == 0


def shortened(text: str, start: int, end: int, most: int = MAX_LENGTH) -> Iterator[tuple[int, int]]:
    """A sentence, or the parts of one of more than ``most`` characters, cut at clauses where it can be."""
    while end - start > most:
        cuts = [match.start() + 1 for match in _CLAUSE.finditer(text, start + most // 3, start + most)]
        whole = [cut for cut in cuts if _is_whole(text[start:cut])]
        cut = whole[-1] if whole else cuts[-1] if cuts else max(text.rfind(" ", start + 1, start + most), 0)
        cut = cut or max(whole_clusters(text, start, start + most)[1], start + 1)
        yield start, cut
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield start, end
