"""What one source has said of a session, and what becomes of it when the source is read again.

A source may add to what it told and may tell the end of it in other words. What it says no longer is *superseded*: it stays
where it was, to be read as what was said before, and nothing is remembered from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memory_assets.sessions.copies import is_cut_off, is_damaged_copy, is_part_of, same_words
from memory_assets.sessions.model import Message, SourceFormat
from memory_assets.sessions.record_order import united_order


@dataclass(frozen=True, slots=True)
class Transcript:
    """What one source has said of a session, in its own order.

    Attributes:
        messages: under the ids that the source gives them; superseded ones are marked.
        ordinal_uids: the source gives its records no ids, so that uids are positions.
    """

    source_format: SourceFormat
    ordinal_uids: bool
    messages: tuple[Message, ...]

    @property
    def current(self) -> list[Message]:
        """What it says now."""
        return [message for message in self.messages if message.superseded_kind is None]


def as_told(message: Message) -> Message:
    """A message as its source tells it, whatever became of it in the history."""
    if message.source_uid is None and message.superseded_kind is None:
        return message
    return replace(
        message,
        uid=message.source_uid or message.uid,
        source_uid=None,
        kind=message.superseded_kind or message.kind,
        superseded_kind=None,
    )


def superseded(message: Message) -> Message:
    """The message, marked as one that its source says no longer."""
    return replace(message, kind="superseded", superseded_kind=message.kind)


def common_prefix(before: Sequence[Message], after: Sequence[Message]) -> int:
    """How many messages two sequences begin with alike."""
    for place, (old, new) in enumerate(zip(before, after, strict=False)):
        if old != new:
            return place
    return min(len(before), len(after))


def by_position(messages: Sequence[Message]) -> Iterator[Message]:
    """The messages of a source without ids under their positions in it, whichever ids they have in a history."""
    place = 0
    for message in messages:
        if message.superseded_kind is not None:
            yield message
            continue
        yield message if message.uid == str(place) else replace(message, uid=str(place), source_uid=None)
        place += 1


def reread(before: Transcript | None, now: Transcript, *, misread: bool = False) -> Transcript:
    """What a source has said, once it was read again; linear in both.

    With record ids nothing that was told goes away: the union is by id, and a record that is told in other words supersedes
    itself, unless it is but the beginning of what was told, or a damaged copy of it. Without ids a beginning or a part of what
    was told says nothing new, and one that goes on otherwise supersedes the rest.

    Args:
        misread: the same bytes were read by an older version; what differs was never said, and is not kept.
    """
    if before is None or not before.messages:
        return now
    if not now.messages:
        return before
    if now.ordinal_uids:
        messages = tuple(_reread_positions(before, now))
    else:
        messages = tuple(_reread_records(_without_former_parts(before, now, misread=misread), now))
    if misread:
        known = set(before.messages)
        messages = tuple(message for message in messages if message.superseded_kind is None or message in known)
    return replace(now, messages=messages)


def _reread_records(before: Transcript, now: Transcript) -> Iterator[Message]:
    known = {message.uid: message for message in before.current}
    incoming = {message.uid: message for message in now.messages}
    chosen = known | {uid: m for uid, m in incoming.items() if uid not in known or _is_revision(m, known[uid])}
    # The longer history leads, and of two as long the one that sorts first.
    lead, other = sorted((list(known), list(incoming)), key=lambda uids: (-len(uids), uids))
    behind = _superseded_behind(before)
    yield from (message for message in behind.get("", ()) if not _says_again(chosen, message))
    for uid in united_order(lead, other, lambda uid: (chosen[uid].ts, uid)):
        if uid in known and _says_otherwise(chosen[uid], known[uid]):
            yield superseded(known[uid])
        yield chosen[uid]
        yield from (message for message in behind.get(uid, ()) if not _says_again(chosen, message))


def _without_former_parts(before: Transcript, now: Transcript, *, misread: bool) -> Transcript:
    """What was told, without the parts of a record that its source tells in fewer messages now.

    An older version may have made several messages of what is one: their words stand in it. In the same bytes there never was
    another one.
    """
    known = {message.uid for message in now.messages}
    of_record: dict[str, list[Message]] = {}
    for message in now.messages:
        of_record.setdefault(_record(message), []).append(message)

    def is_former(message: Message) -> bool:
        if message.superseded_kind is not None or message.uid in known:
            return False
        said = of_record.get(_record(message), ())
        if misread:
            return bool(said)
        return any((one.role, one.kind) == (message.role, message.kind) and message.text in one.text for one in said)

    return replace(before, messages=tuple(message for message in before.messages if not is_former(message)))


def _record(message: Message) -> str:
    """The id of the record that a message is part of: the parts of ``u`` are ``u``, ``u#1``, ``u#2`` …"""
    record, mark, number = message.uid.rpartition("#")
    return record if mark and number.isdecimal() else message.uid


def _superseded_behind(transcript: Transcript) -> dict[str, list[Message]]:
    """What a transcript says no longer, by the id of the message that it stands behind; ``""`` at the beginning."""
    behind: dict[str, list[Message]] = {}
    last = ""
    for message in transcript.messages:
        if message.superseded_kind is None:
            last = message.uid
        else:
            behind.setdefault(last, []).append(message)
    return behind


def _says_again(chosen: dict[str, Message], message: Message) -> bool:
    return message.uid in chosen and same_words(chosen[message.uid], message)


def _is_revision(incoming: Message, known: Message) -> bool:
    if incoming.text == known.text:
        return (incoming.role, incoming.kind, incoming.sidechain) != (known.role, known.kind, known.sidechain)
    if is_damaged_copy(incoming.text, known.text):
        return False
    return not (incoming.text and known.text.startswith(incoming.text))


def _says_otherwise(incoming: Message, known: Message) -> bool:
    """Whether a revision says other words, and not only more of them, or the same ones undamaged."""
    return not (incoming.text.startswith(known.text) or is_damaged_copy(known.text, incoming.text))


def _reread_positions(before: Transcript, now: Transcript) -> Iterator[Message]:
    known, incoming = before.current, now.messages
    shared = 0
    for old, new in zip(known, incoming, strict=False):
        if not same_words(old, new):
            break
        shared += 1
    if is_part_of(incoming, known) or (
        shared == len(incoming) - 1 and is_cut_off(incoming[shared], known[shared:], last=shared == len(known) - 1)
    ):
        yield from before.messages
        return
    rest = known[shared:]
    if len(rest) == 1 and is_cut_off(rest[0], incoming[shared:], last=shared == len(incoming) - 1):
        rest = []
    still = Counter((message.role, message.text) for message in incoming[shared:])
    place = 0
    for message in before.messages:
        if message.superseded_kind is not None:
            if not still[message.role, message.text]:
                yield message
        elif place < shared:
            yield message
            place += 1
    yield from (superseded(message) for message in rest if not still[message.role, message.text])
    yield from incoming[shared:]
