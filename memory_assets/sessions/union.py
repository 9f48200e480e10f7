"""One history out of what several files, or one growing file, tell of a session (architecture.md section 4, *Sessions*)."""

from __future__ import annotations

import heapq
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory_assets.sessions.model import Message
from memory_assets.sessions.source import REPLACEMENT

_PIECES = re.compile(rf"(?P<marks>{REPLACEMENT}*)(?P<sound>[^{REPLACEMENT}]+)")


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The incoming history says nothing that is not known."""


@dataclass(frozen=True, slots=True)
class Extended:
    """The incoming history adds to what is known, or revises it.

    Attributes:
        messages: the whole new history.
        common_prefix: how many leading messages it shares with the known one, the same objects in both.
    """

    messages: tuple[Message, ...]
    common_prefix: int


@dataclass(frozen=True, slots=True)
class Unrelated:
    """The incoming history shares no record with the known one: another conversation under the same id."""


Merge = Unchanged | Extended | Unrelated


def merge_history(known: Sequence[Message], incoming: Sequence[Message], *, ordinal_uids: bool) -> Merge:
    """Merge an incoming history of a session into the known one; linear in both.

    With record ids the result is the union by uid, in the order of the longer history. A message that is in both with
    other words is taken as the incoming one tells it (a revision), unless its text is but the beginning of the known
    one: that is an older, half-written state. Without record ids (``ordinal_uids``, both histories) a beginning of the
    known history adds nothing, one that goes on is taken, and one that differs within replaces it as an edited history.

    A known message that still stands is kept as the very object, so that a time it was given is not lost.
    """
    if not incoming:
        return Unchanged()
    if not known:
        return Extended(tuple(incoming), 0)
    return _merge_by_position(known, incoming) if ordinal_uids else _merge_by_uid(known, incoming)


def _merge_by_uid(known: Sequence[Message], incoming: Sequence[Message]) -> Merge:
    known_by_uid = {message.uid: message for message in known}
    incoming_by_uid = {message.uid: message for message in incoming}
    if known_by_uid.keys().isdisjoint(incoming_by_uid):
        return Unrelated()
    current = dict(known_by_uid)
    for uid, message in incoming_by_uid.items():
        if uid not in known_by_uid or _revises(message, known_by_uid[uid]):
            current[uid] = message
    if len(current) == len(known_by_uid) and all(current[uid] is message for uid, message in known_by_uid.items()):
        return Unchanged()
    order = _union_order(list(known_by_uid), list(incoming_by_uid), current)
    return _extended(known, tuple(current[uid] for uid in order))


def _union_order(known: list[str], incoming: list[str], messages: Mapping[str, Message]) -> list[str]:
    # Which of the two is known must not matter: the longer one leads, and of two as long the one that sorts first.
    lead, other = sorted((known, incoming), key=lambda uids: (-len(uids), uids))
    in_lead = set(lead)
    before: dict[str, list[str]] = {}  # what stands in the other only, by the shared message that follows it
    waiting: list[str] = []
    for uid in other:
        if uid not in in_lead:
            waiting.append(uid)
        elif waiting:
            before[uid], waiting = waiting, []
    order: list[str] = []
    for uid in lead:
        order.extend(before.get(uid, ()))
        order.append(uid)
    shared = set(other)
    alone = next((place for place in range(len(order), 0, -1) if order[place - 1] in shared), 0)
    return order[:alone] + _by_the_clock(order[alone:], waiting, messages)


def _by_the_clock(lead: list[str], other: list[str], messages: Mapping[str, Message]) -> list[str]:
    """Two ways on from what is shared: by their times, so that a third finds the same whichever came first."""
    times = {uid: messages[uid].ts for uid in (*lead, *other)}
    if None in times.values():
        return lead + other
    return list(heapq.merge(lead, other, key=lambda uid: (times[uid], uid)))


def _merge_by_position(known: Sequence[Message], incoming: Sequence[Message]) -> Merge:
    shared = 0
    for old, new in zip(known, incoming, strict=False):
        if not _same_words(old, new):
            break
        shared += 1
    if shared == len(incoming) or _is_part_of(incoming, known):
        return Unchanged()
    if shared == len(incoming) - 1 and _is_cut_off(incoming[shared], known[shared:], last=shared == len(known) - 1):
        return Unchanged()
    grows_from_cut = shared == len(known) - 1 and _is_cut_off(
        known[shared], incoming[shared:], last=shared == len(incoming) - 1
    )
    words = {(message.role, message.text) for message in known}
    if not grows_from_cut and not any((message.role, message.text) in words for message in incoming):
        return Unrelated()
    return _extended(known, (*known[:shared], *incoming[shared:]))


def _is_part_of(part: Sequence[Message], whole: Sequence[Message]) -> bool:
    """Whether all messages of ``part`` are in ``whole``, in the same order."""
    rest = iter(whole)
    return all(any(_same_words(message, candidate) for candidate in rest) for message in part)


def _is_cut_off(message: Message, whole: Sequence[Message], *, last: bool) -> bool:
    """Whether ``message``, the last of a file that was cut off, is the beginning of the first of ``whole``.

    Where the whole history goes on behind it, the last line of what was cut off may be half of a mark of the format.
    """
    if not whole or message.role != whole[0].role:
        return False
    if whole[0].text.startswith(message.text):
        return True
    head, newline, _ = message.text.rpartition("\n")
    return bool(newline) and not last and whole[0].text.startswith(head.rstrip())


def _extended(known: Sequence[Message], messages: tuple[Message, ...]) -> Extended:
    common_prefix = 0
    for old, new in zip(known, messages, strict=False):
        if old is not new:
            break
        common_prefix += 1
    return Extended(messages, common_prefix)


def _same_words(one: Message, other: Message) -> bool:
    return one.role == other.role and one.text == other.text


def _revises(incoming: Message, known: Message) -> bool:
    if incoming.text == known.text:
        return (incoming.role, incoming.kind, incoming.sidechain) != (known.role, known.kind, known.sidechain)
    if _is_damaged_copy(incoming.text, known.text):
        return False
    return not (incoming.text and known.text.startswith(incoming.text))


def _is_damaged_copy(text: str, sound: str) -> bool:
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
