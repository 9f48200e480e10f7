"""One history out of what several sources tell of a session.

A source speaks for itself alone. What it says anew replaces what *it* said before, and nothing that another one says: what two
tell in the same words is one message, and whatever else anybody told is kept beside it. So the history is a function of the
transcripts, whichever of them was read first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby

from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.sessions.copies import is_cut_off, is_damaged_copy, is_part_of, same_words
from memory_assets.sessions.masking.forgotten_spans import undrawn
from memory_assets.sessions.model import Message, SourceFormat
from memory_assets.sessions.record_order import united_order
from memory_assets.sessions.rereading import Transcript, as_told, superseded

_VARIANT_LENGTH = 8


@dataclass(frozen=True, slots=True)
class United:
    """A session's history, and where in it each transcript stands.

    Attributes:
        places: for each transcript, in the order in which they were given, the indexes of its messages in its own order. A page
            that only renders what records tell has none.
    """

    messages: tuple[Message, ...]
    places: tuple[tuple[int, ...], ...]


@dataclass(slots=True, eq=False)
class _Node:
    """A message of the union.

    Attributes:
        told: as its sources tell it: under its record's id, of its own kind.
        is_superseded: nobody says it any more.
    """

    told: Message
    is_superseded: bool


_Spelled = tuple[str, str, str, str, str]
_Path = list[_Node]
"""The messages of one transcript."""


def united(transcripts: Sequence[Transcript]) -> United:
    """The union of what sources tell of one session; any order of them gives the same.

    Transcripts of one format are matched message by message: by the records' ids, or, without ids, from the beginning on.
    Formats are not matched with each other; each stands for itself, one behind the other, records with ids first. A page
    without ids that says no more than the records do (SpecStory's page of a Claude Code log) is left out.
    """
    nodes: list[_Node] = []
    paths: dict[int, _Path] = {}
    for (ordinal_uids, _), alike in _by_format(transcripts):
        unite = _united_positions if ordinal_uids else _united_records
        block, of_transcripts = unite([transcripts[place] for place in alike])
        if nodes and ordinal_uids and _is_rendition(block, nodes):
            block, of_transcripts = [], [[] for _ in alike]
        nodes += block
        paths.update(zip(alike, of_transcripts, strict=True))
    index = {node: position for position, node in enumerate(nodes)}
    return United(
        messages=tuple(_named(nodes)),
        places=tuple(tuple(index[node] for node in paths[place]) for place in range(len(transcripts))),
    )


def ranked(transcripts: Sequence[Transcript]) -> list[int]:
    """The transcripts' places in the order in which the union takes them: what began earlier comes first.

    A transcript that grows keeps its place among the others.
    """
    first: dict[tuple[bool, SourceFormat], int] = {}
    by_beginning = sorted(range(len(transcripts)), key=lambda place: _beginning(transcripts[place]))
    for position, place in enumerate(by_beginning):
        first.setdefault(_format(transcripts[place]), position)
    return sorted(by_beginning, key=lambda place: (transcripts[place].ordinal_uids, first[_format(transcripts[place])]))


def _by_format(transcripts: Sequence[Transcript]) -> Iterator[tuple[tuple[bool, SourceFormat], list[int]]]:
    for key, places in groupby(ranked(transcripts), key=lambda place: _format(transcripts[place])):
        yield key, list(places)


def _format(transcript: Transcript) -> tuple[bool, SourceFormat]:
    return transcript.ordinal_uids, transcript.source_format


def _beginning(transcript: Transcript) -> tuple[list[tuple[str, str]], list[_Spelled], list[_Spelled]]:
    """By the records' times and ids, the longer before its own beginning; what is said decides between copies alone."""
    records = [(_time(message) or "~", message.uid) for message in transcript.current]
    return (
        [*records, ("~~", "")],
        [_spelled(message) for message in transcript.current],
        [_spelled(message) for message in transcript.messages],
    )


def _spelled(message: Message) -> _Spelled:
    return (_time(message) or "~", message.uid, message.role, message.kind, undrawn(message.text))


def _time(message: Message) -> str | None:
    return message.ts.astimezone(UTC).isoformat() if message.ts else None


def _is_rendition(page: Iterable[_Node], records: Iterable[_Node]) -> bool:
    """Whether all that a page says is said by the records, in the same order."""
    said = (_said(node) for node in records)
    return all(any(words == candidate for candidate in said) for node in page if (words := _said(node)) is not None)


def _said(node: _Node) -> tuple[str, str] | None:
    return (node.told.role, undrawn(node.told.text).strip()) if node.told.kind == "said" else None


def _united_records(transcripts: Sequence[Transcript]) -> tuple[list[_Node], list[_Path]]:
    """By the records' ids; a record that two tell in different words is two messages."""
    nodes: dict[Message, _Node] = {}
    paths: list[_Path] = []
    order: list[_Node] = []
    for transcript in transcripts:
        path = []
        for message in transcript.messages:
            is_superseded = message.superseded_kind is not None
            node = nodes.setdefault(as_told(message), _Node(as_told(message), is_superseded))
            node.is_superseded &= is_superseded
            path.append(node)
        order = united_order(order, path, _clock)
        paths.append(path)
    _set_damaged_aside(order)
    return order, paths


def _clock(node: _Node) -> tuple[datetime | None, str]:
    return node.told.ts, node.told.uid


def _set_damaged_aside(nodes: Iterable[_Node]) -> None:
    """A copy whose characters were lost says nothing beside one that kept them."""
    by_uid: dict[str, list[_Node]] = {}
    for node in nodes:
        by_uid.setdefault(node.told.uid, []).append(node)
    for versions in by_uid.values():
        for node in versions if len(versions) > 1 else ():
            node.is_superseded |= any(is_damaged_copy(node.told.text, sound.told.text) for sound in versions)


def _united_positions(transcripts: Sequence[Transcript]) -> tuple[list[_Node], list[_Path]]:
    """By the beginning that they share; from where two differ each goes on for itself.

    One that another says in whole, or to the half of its last message, adds nothing to it.
    """
    current = [transcript.current for transcript in transcripts]
    leader_of: dict[int, int] = {}
    # The longest first: what says all of another stands there before it.
    for place in sorted(range(len(transcripts)), key=lambda place: -len(current[place])):
        leaders = sorted(set(leader_of.values()))
        leader_of[place] = next((one for one in leaders if _is_told_by(current[place], current[one])), place)
    nodes: list[_Node] = []
    paths: dict[int, _Path] = {}
    for leader in sorted(set(leader_of.values())):
        shared = max((_shared(path, current[leader]) for path in paths.values()), key=len, default=[])
        paths[leader] = _path(transcripts[leader], shared, nodes)
    for place, transcript in enumerate(transcripts):
        if place not in paths:
            spoken = [node for node in paths[leader_of[place]] if not node.is_superseded]
            paths[place] = _path(transcript, _matched(current[place], spoken), nodes, says_all=False)
    return nodes, [paths[place] for place in range(len(transcripts))]


def _is_told_by(part: Sequence[Message], whole: Sequence[Message]) -> bool:
    if is_part_of(part, whole):
        return True
    *rest, last = part
    return (
        len(rest) < len(whole)
        and all(map(same_words, rest, whole))
        and is_cut_off(last, whole[len(rest) :], last=len(rest) == len(whole) - 1)
    )


def _shared(path: Sequence[_Node], messages: Sequence[Message]) -> _Path:
    """The beginning of a path that says the same as the beginning of the messages."""
    shared: _Path = []
    spoken = [node for node in path if not node.is_superseded]
    for node, message in zip(spoken, messages, strict=False):
        if node.told != message:
            break
        shared.append(node)
    return shared


def _matched(messages: Sequence[Message], spoken: Sequence[_Node]) -> _Path:
    """Of each message the next node that says it; none for the half message of a file that was cut off."""
    rest = iter(spoken)
    found = (next((node for node in rest if same_words(message, node.told)), None) for message in messages)
    return [node for node in found if node is not None]


def _path(transcript: Transcript, shared: Sequence[_Node], nodes: list[_Node], *, says_all: bool = True) -> _Path:
    """A transcript's messages as nodes: those that it shares, and for the rest new ones at the end of ``nodes``.

    Args:
        says_all: what it does not share it says itself; otherwise that is the half of a message which another has in whole.
    """
    known = iter(shared)
    path: _Path = []
    for message in transcript.messages:
        is_current = message.superseded_kind is None
        node = next(known, None) if is_current else None
        if node is None:
            node = _Node(as_told(message), not (is_current and says_all))
            nodes.append(node)
        path.append(node)
    return path


def _named(nodes: Sequence[_Node]) -> Iterator[Message]:
    """The messages, each under an id of its own: the first that is still said has its record's, the others a variant of it."""
    holders: dict[str, _Node] = {}
    for node in sorted(nodes, key=lambda node: node.is_superseded):
        holders.setdefault(node.told.uid, node)
    taken = set(holders)
    for node in nodes:
        message = superseded(node.told) if node.is_superseded else node.told
        if holders[node.told.uid] is not node:
            uid = _variant(node.told)
            while uid in taken:
                uid += "~"
            taken.add(uid)
            message = replace(message, uid=uid, source_uid=node.told.uid)
        yield message


def _variant(message: Message) -> str:
    said = canonical_json([message.role, message.kind, undrawn(message.text), _time(message), message.sidechain])
    return f"{message.uid}~{sha256_hex(said)[:_VARIANT_LENGTH]}"
