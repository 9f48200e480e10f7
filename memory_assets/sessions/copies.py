"""Whether two texts are copies of one message: equal, cut off, or damaged."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_assets.sessions.model import Message
from memory_assets.sessions.source import REPLACEMENT

_PIECES = re.compile(rf"(?P<marks>{REPLACEMENT}*)(?P<sound>[^{REPLACEMENT}]+)")


def same_words(one: Message, other: Message) -> bool:
    """Whether the same role says the same text."""
    return one.role == other.role and one.text == other.text


def is_part_of(part: Sequence[Message], whole: Sequence[Message]) -> bool:
    """Whether all messages of ``part`` are said in ``whole``, in the same order."""
    rest = iter(whole)
    return all(any(same_words(message, candidate) for candidate in rest) for message in part)


def is_cut_off(message: Message, whole: Sequence[Message], *, last: bool) -> bool:
    """Whether ``message``, the last of a file that was cut off, is the beginning of the first of ``whole``.

    Args:
        last: nothing follows in the whole file. Where it goes on, the last line of what was cut off may be half of a mark of
            the format.
    """
    if not whole or message.role != whole[0].role:
        return False
    if whole[0].text.startswith(message.text):
        return True
    head, newline, _ = message.text.rpartition("\n")
    return bool(newline) and not last and whole[0].text.startswith(head.rstrip())


def is_damaged_copy(text: str, sound: str) -> bool:
    """Whether ``text`` is ``sound`` but for characters that could not be decoded."""
    if REPLACEMENT not in text or REPLACEMENT in sound:
        return False
    at = 0
    for piece in _PIECES.finditer(text):
        # A run of n marks stands for n bytes, so for n characters at most.
        found = sound.find(piece["sound"], at, at + len(piece["marks"]) + len(piece["sound"]))
        if found < 0:
            return False
        at = found + len(piece["sound"])
    return len(sound) - at <= len(text) - len(text.rstrip(REPLACEMENT))
