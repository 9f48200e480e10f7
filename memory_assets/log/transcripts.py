"""What each source told of a session, read back from the log and written to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.long_texts import announced, continuations, continuing, split, whole
from memory_assets.log.payloads.sessions import PageLeftOut, SourceHeading, SourceTold
from memory_assets.log.session_history import History, messages_at
from memory_assets.log.upcasting import payload_as
from memory_assets.sessions.model import Message
from memory_assets.sessions.rereading import Transcript, as_told, by_position, common_prefix, superseded
from memory_assets.sessions.union import United

UNKNOWN_SOURCE = ""
"""Stands for the files of a history that were united before it was written down which of them told what."""


@dataclass(frozen=True, slots=True)
class ToldBySource:
    """A source's messages, and what it says beside them.

    Attributes:
        page: what the log holds of its messages apart from the history, when it was left out of it last.
    """

    transcript: Transcript
    heading: SourceHeading
    page: tuple[Message, ...] = ()


def told_by_source(known: History, uris: Sequence[str], events: Sequence[StoredEvent]) -> dict[str, ToldBySource]:
    """What each source of a history told, by its uri.

    Args:
        uris: the files that the history was made from.
        events: the session's ``session_ingested``, ``message_continued`` and ``source_told`` in commit order.
    """
    told_so_far = [
        (event, payload_as(event, SourceTold))
        for event in events
        if event.event_type == SourceTold.event_type and event.chain_id == known.chain_id
    ]
    newest = {told.uri: told for _, told in told_so_far}
    if not newest:
        source = uris[0] if len(uris) == 1 else UNKNOWN_SOURCE
        heading = _only_heading(known)
        return {source: ToldBySource(_transcript(known.messages, heading), heading)}
    messages = messages_at(events, known.chain_id, {told.history_event_id for told in newest.values()})
    pages = _pages(told_so_far, events)
    return {
        uri: ToldBySource(_told(told, messages[told.history_event_id], pages.get(uri, ())), told.heading, pages.get(uri, ()))
        for uri, told in newest.items()
    }


_Pages = dict[str, tuple[Message, ...]]


def _pages(told_so_far: Sequence[tuple[StoredEvent, SourceTold]], events: Sequence[StoredEvent]) -> _Pages:
    """By uri, what each page told that was ever left out of the history, when it was left out last."""
    further = continuations(events) if any(told.page and told.page.continued for _, told in told_so_far) else {}
    pages: _Pages = {}
    for event, told in told_so_far:
        if told.page is not None:
            kept = pages.get(told.uri, ())[: told.page.common_prefix]
            new = enumerate(told.page.messages, start=len(kept))
            pages[told.uri] = (*kept, *(whole(message, further.get((event.event_id, str(place)))) for place, message in new))
    return pages


def _only_heading(known: History) -> SourceHeading:
    heading = known.heading
    has_clock = heading.started_by_source or any(message.ts is not None for message in known.messages)
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


def _told(told: SourceTold, history: Sequence[Message], page: tuple[Message, ...]) -> Transcript:
    if told.page is not None:
        return Transcript(told.heading.source_format, told.heading.ordinal_uids, page)
    gone = set(told.superseded)
    return _transcript(
        [
            superseded(as_told(history[place])) if place in gone else as_told(history[place])
            for start, end in told.places
            for place in range(start, end)
        ],
        told.heading,
    )


def _transcript(messages: Sequence[Message], heading: SourceHeading) -> Transcript:
    told = by_position(messages) if heading.ordinal_uids else messages
    return Transcript(heading.source_format, heading.ordinal_uids, tuple(told))


def told_events(
    session_id: str,
    sources: Mapping[str, ToldBySource],
    united: United,
    *,
    wanted: Collection[str],
    leader: str,
    history_event_id: str,
    chain_id: str,
    registrations: Mapping[str, str],
    stage_version: str,
) -> list[NewEvent]:
    """An event for each wanted source, of what it tells of a revision; a long page's text goes on in further ones.

    Args:
        sources: in the order in which they were united.
        leader: the source that the history begins with.
        registrations: by source, the event of the reading that it was told by now; none for what was told before.
    """
    counted = Counter(place for of_source in united.places for place in of_source)
    events = []
    for (uri, told), places in zip(sources.items(), united.places, strict=True):
        if uri not in wanted:
            continue
        page, rest = _left_out(told) if told.transcript.messages and not places else (None, {})
        event = NewEvent(
            payload=SourceTold(
                uri=uri,
                heading=told.heading,
                history_event_id=history_event_id,
                places=list(_ranges(places)),
                superseded=[
                    place
                    for place, message in zip(places, told.transcript.messages, strict=page is None)
                    if message.superseded_kind is not None
                ],
                page=page,
                is_alone=bool(places) and all(counted[place] == 1 for place in places),
                leads=uri == leader,
            ),
            session_id=session_id,
            inputs=(history_event_id, uri, registrations.get(uri, ""), "leads" if uri == leader else ""),
            stage_version=stage_version,
            causation_id=registrations.get(uri),
            chain_id=chain_id,
        )
        events += [event, *continuing(event, rest, chain_id=chain_id, occurred_at=None)]
    return events


def _left_out(told: ToldBySource) -> tuple[PageLeftOut, dict[str, list[str]]]:
    messages = told.transcript.messages
    prefix = common_prefix(told.page, messages)
    held, rest = split((str(place), message) for place, message in enumerate(messages) if place >= prefix)
    return PageLeftOut(common_prefix=prefix, messages=held, continued=announced(rest)), rest


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
