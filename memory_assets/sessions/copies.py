"""Whether two texts are copies of one message: equal, cut off, or damaged; and where in the one stands what the other says."""

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


_TELLING = 12
"""Characters of a message that is known by standing in another one."""


def spans_in_copy(message: Message, copy: Message, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where in a copy of a message stands what stands in some spans of it; nothing where it is no copy.

    A copy says the same but for space around it. What its source says no longer, and what another one tells of the same
    record, may be cut off, damaged, or told in other words: of these the same words are found wherever they stand, and of a
    message that is meant as a whole all of it.
    """
    said, told = message.text, copy.text
    if told == said:
        return list(spans)
    core = told.strip()
    if core and core == said.strip():
        shift = told.index(core) - said.index(core)
        return [(max(0, start + shift), end + shift) for start, end in spans]
    if copy.role == message.role and len(whole := said.strip()) >= _TELLING and whole in told:
        # Another source tells it with more around it.
        shifts = [match.start() - said.index(whole) for match in re.finditer(re.escape(whole), told)]
        return [(max(0, start + shift), min(len(told), end + shift)) for shift in shifts for start, end in spans]
    is_same_record = _record_of(copy) is not None and _record_of(copy) == _record_of(message)
    if copy.role != message.role or not (is_same_record or copy.superseded_kind or message.superseded_kind):
        return []
    head = told.rpartition("\n")[0].rstrip()
    if told and (said.startswith(told) or told.startswith(said) or (head and said.startswith(head))):
        return [(start, min(end, len(told))) for start, end in spans if start < len(told)]
    if is_damaged_copy(told, said) or is_damaged_copy(said, told):
        return [(0, len(told))]
    if not is_same_record:
        return []
    if any(start <= 0 and end >= len(said) for start, end in spans):
        return [(0, len(told))]
    return [span for start, end in spans for span in word_spans(said[start:end].strip(), told)]


def word_spans(words: str, text: str) -> list[tuple[int, int]]:
    """Where some words stand in a text; single characters stand everywhere and nowhere."""
    if len(words) < 2:
        return []
    return [match.span() for match in re.finditer(re.escape(words), text)]


def _record_of(message: Message) -> str | None:
    """The id of the record that a message tells; None where its source gives none."""
    uid = message.source_uid or message.uid
    return None if uid.isdecimal() else uid
