"""What each source told of a session, read back from the log and written to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memory_assets.log.chain import History, messages_at
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.payloads.sessions import SourceHeading, SourceTold
from memory_assets.log.upcasting import payload_as
from memory_assets.sessions.model import Message
from memory_assets.sessions.retelling import Telling, as_told, by_position, superseded
from memory_assets.sessions.union import United

UNKNOWN_SOURCE = ""
"""Stands for the files of a history that were united before it was written down which of them told what."""


@dataclass(frozen=True, slots=True)
class ToldBySource:
    """A source's messages, and what it says beside them."""

    telling: Telling
    heading: SourceHeading


def told_by_source(known: History, uris: Sequence[str], events: Sequence[StoredEvent]) -> dict[str, ToldBySource]:
    """What each source of a history told, by its uri.

    Args:
        uris: the files that the history was made from.
        events: the session's ``session_ingested``, ``message_continued`` and ``source_told`` in commit order.
    """
    newest = {
        told.uri: told
        for event in events
        if event.event_type == SourceTold.event_type and event.chain_id == known.chain_id
        for told in [payload_as(event, SourceTold)]
    }
    if not newest:
        source = uris[0] if len(uris) == 1 else UNKNOWN_SOURCE
        heading = _only_heading(known)
        return {source: ToldBySource(_telling(known.messages, heading), heading)}
    messages = messages_at(events, known.chain_id, {told.history_event_id for told in newest.values()})
    return {uri: ToldBySource(_told(told, messages[told.history_event_id]), told.heading) for uri, told in newest.items()}


def _only_heading(known: History) -> SourceHeading:
    heading = known.heading
    has_clock = any(message.ts is not None for message in known.messages)
    return SourceHeading(
        source_format=heading.source_format,
        source_id=heading.source_id,
        ordinal_uids=heading.ordinal_uids,
        title=heading.title,
        project=heading.project,
        cwd=heading.cwd,
        git_branch=heading.git_branch,
        started_at=heading.started_at if has_clock else None,
        file_date=heading.started_at,
    )


def _told(told: SourceTold, history: Sequence[Message]) -> Telling:
    gone = set(told.superseded)
    return _telling(
        [
            superseded(as_told(history[place])) if place in gone else as_told(history[place])
            for start, end in told.places
            for place in range(start, end)
        ],
        told.heading,
    )


def _telling(messages: Sequence[Message], heading: SourceHeading) -> Telling:
    told = by_position(messages) if heading.ordinal_uids else messages
    return Telling(heading.source_format, heading.ordinal_uids, tuple(told))


def told_events(
    session_id: str,
    sources: Mapping[str, ToldBySource],
    united: United,
    *,
    leader: str,
    history_event_id: str,
    chain_id: str,
    registrations: Mapping[str, str],
    stage_version: str,
) -> list[NewEvent]:
    """An event for each source, of what it tells of a revision.

    Args:
        sources: in the order in which they were united.
        leader: the source that the history begins with.
        registrations: by source, the event of the reading that it was told by now; none for what was told before.
    """
    places = dict(zip(sources, united.places, strict=True))
    counted: dict[int, int] = {}
    for of_source in united.places:
        for place in of_source:
            counted[place] = counted.get(place, 0) + 1
    return [
        NewEvent(
            payload=SourceTold(
                uri=uri,
                heading=told.heading,
                history_event_id=history_event_id,
                places=list(_ranges(places[uri])),
                superseded=[
                    place
                    for place, message in zip(places[uri], told.telling.messages, strict=False)
                    if message.superseded_kind is not None
                ],
                is_alone=bool(places[uri]) and all(counted[place] == 1 for place in places[uri]),
                leads=uri == leader,
            ),
            session_id=session_id,
            inputs=(history_event_id, uri, registrations.get(uri, ""), "leads" if uri == leader else ""),
            stage_version=stage_version,
            causation_id=registrations.get(uri),
            chain_id=chain_id,
        )
        for uri, told in sources.items()
    ]


def _ranges(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    start = end = -1
    for place in places:
        if place != end:
            if end > start:
                yield start, end
            start = place
        end = place + 1
    if end > start:
        yield start, end
