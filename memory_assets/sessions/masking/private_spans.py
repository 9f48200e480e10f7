"""``<private>`` blocks that a reader cut into several messages.

A reader splits one record into what a person said and what a program put there, and a page of Markdown at its marks; a block
that a person wrote round all of it would be cut, and its rest would be kept. So before messages are masked one by one,
what belongs together is looked at as one text.

Only two kinds of messages belong together: those of one record, and, in formats that are one text, everything behind a
message of the person. Records of a log are looked at alone: tags that a tool printed in one and a file shows in another
are no block, and would take an hour's work with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby

from memory_assets.sessions.masking.private_blocks import KIND, find_private_blocks
from memory_assets.sessions.masking.regions import Region
from memory_assets.sessions.model import Message, SourceFormat

_ONE_TEXT: frozenset[SourceFormat] = frozenset({"markdown", "specstory", "aider"})
_WORD = "private"


def private_spans(messages: Sequence[Message], source_format: SourceFormat) -> dict[int, list[Region]]:
    """By message index, the parts of closed private blocks that reach over more than one message."""
    spans: dict[int, list[Region]] = {}
    for group in _groups(messages, source_format):
        for index, region in _crossing([messages[index].text for index in group]):
            spans.setdefault(group[index], []).append(region)
    return spans


def _groups(messages: Sequence[Message], source_format: SourceFormat) -> Iterator[range]:
    if source_format in _ONE_TEXT:
        first = next((index for index, message in enumerate(messages) if _may_open(message)), None)
        if first is not None:
            yield range(first, len(messages))
        return
    for _, indices in groupby(range(len(messages)), key=lambda index: _record(messages[index])):
        group = list(indices)
        if len(group) > 1 and any(_WORD in messages[index].text.lower() for index in group):
            yield range(group[0], group[-1] + 1)


def _record(message: Message) -> object:
    """What the messages of one record have in common; where records have no ids, who says it and when."""
    return (message.role, message.ts) if message.uid.isdecimal() else message.uid.partition("#")[0]


def _may_open(message: Message) -> bool:
    return message.role == "user" and message.kind in ("said", "injected") and _WORD in message.text.lower()


def _crossing(texts: Sequence[str]) -> Iterator[tuple[int, Region]]:
    """The parts of the closed blocks of the joined texts that lie in more than one of them, each with its text's index."""
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    found = find_private_blocks("\n".join(texts))
    for block in found.regions[:-1] if found.unclosed else found.regions:
        parts = [
            (index, Region(max(block.start - starts[index], 0), min(block.end - starts[index], len(text)), KIND))
            for index, text in enumerate(texts)
            if block.start < starts[index] + len(text) and block.end > starts[index]
        ]
        if len(parts) > 1:
            yield from parts
