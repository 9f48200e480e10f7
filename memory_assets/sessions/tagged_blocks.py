"""Blocks that programs write into messages between a tag and its end."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """A block from ``start`` to ``end``, its tags included; its inside is ``text[inner_start:inner_end]``."""

    tag: str
    start: int
    end: int
    inner_start: int
    inner_end: int


def opening_of(tags: Iterable[str]) -> re.Pattern[str]:
    """What opens a block of one of the tags: it begins a line or stands behind another tag."""
    return re.compile(rf"(?:(?<=\n)|(?<=>)|\A)[ \t]{{0,16}}<({'|'.join(map(re.escape, tags))})(?: [^<>\n]{{0,300}})?>")


def closed_blocks(text: str, opening: re.Pattern[str]) -> list[Block]:
    """The blocks of a text that are closed, in order; what is within one opens none. Linear in the text."""
    blocks: list[Block] = []
    if "</" not in text:
        return blocks
    never_closed: set[str] = set()  # each tag's end is looked for in vain once, which keeps this linear
    position = 0
    while found := opening.search(text, position):
        tag, position = found[1], found.end()
        if tag in never_closed:
            continue
        closing = f"</{tag}>"
        end = text.find(closing, position)
        if end < 0:
            never_closed.add(tag)
            continue
        blocks.append(Block(tag, found.start(), end + len(closing), position, end))
        position = end + len(closing)
    return blocks
