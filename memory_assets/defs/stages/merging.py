"""A session's files, read and united with what was told of the session before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory_assets.defs.sources import ReadFile, SourceReader
from memory_assets.defs.stages.forgotten import stay_away
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.forgotten_texts import NOTHING_FORGOTTEN, ForgottenTexts
from memory_assets.log.payloads.sessions import SourceHeading, SourceRegistered, SourceTakenFor
from memory_assets.log.session_history import History
from memory_assets.log.transcripts import ToldBySource
from memory_assets.log.upcasting import payload_as
from memory_assets.sessions.files import SourceFile
from memory_assets.sessions.heading import Heading, heading_of, merge_headings
from memory_assets.sessions.model import Message, Session, SourceTaken
from memory_assets.sessions.rereading import Transcript, as_told, reread, superseded
from memory_assets.sessions.union import United, ranked, united


@dataclass(slots=True)
class Merged:
    """A history after its files were taken in.

    Attributes:
        sources: by uri, sorted, what each tells.
        registrations: by uri, the registration of what was read now.
        events: what became of each file.
    """

    sources: dict[str, ToldBySource]
    united: United
    registrations: dict[str, str] = field(default_factory=dict)
    events: list[NewEvent] = field(default_factory=list)

    @property
    def messages(self) -> tuple[Message, ...]:
        return self.united.messages

    @property
    def ranked(self) -> list[str]:
        """The sources, the one that leads the history first."""
        uris = list(self.sources)
        return [uris[place] for place in ranked([told.transcript for told in self.sources.values()])]


def merge(
    session_id: str,
    before: Mapping[str, ToldBySource],
    registered: Sequence[StoredEvent],
    taken: Mapping[str, str],
    reader: SourceReader,
    known: History | None = None,
    forgotten: ForgottenTexts = NOTHING_FORGOTTEN,
) -> Merged:
    """Read what was registered of a session and unite it with what was told before; any order gives the same.

    Args:
        before: by uri, what each source told.
        taken: by uri, the hash of the content that was taken last.
        forgotten: what no file may bring back into the history that is ``known``.
    """
    sources = dict(before)
    registrations: dict[str, str] = {}
    events = []
    for registration in registered:
        uri = payload_as(registration, SourceRegistered).uri
        read = reader.read(SourceFile(uri, explicit=False))
        if not isinstance(read.outcome, SourceTaken):
            continue
        session = next((found for found in read.outcome.sessions if found.session_id == session_id), None)
        if session is None:
            continue
        if known is not None and forgotten.active:
            session = stay_away(session, known, before.get(uri), forgotten)
        sources[uri] = _told_now(session, sources.get(uri), read, misread=taken.get(uri) == read.outcome.file_hash)
        registrations[uri] = registration.event_id
        events.append(
            NewEvent(
                payload=SourceTakenFor(
                    registration_event_id=registration.event_id,
                    uri=uri,
                    file_hash=read.outcome.file_hash,
                    redactions=read.redactions.get(session_id, {}),
                ),
                session_id=session_id,
                inputs=(registration.event_id,),
                stage_version=reader.version,
            )
        )
    sources = dict(sorted(sources.items()))
    return Merged(sources, united([told.transcript for told in sources.values()]), registrations, events)


def _told_now(session: Session, before: ToldBySource | None, read: ReadFile, *, misread: bool) -> ToldBySource:
    page = before.page if before else ()
    now = Transcript(session.source_format, session.ordinal_uids, session.messages)
    if before is not None and (before.transcript.source_format, before.transcript.ordinal_uids) != (
        now.source_format,
        now.ordinal_uids,
    ):
        before = None  # a file that is of another format now is another source
    transcript = reread(before.transcript if before else None, now, misread=misread)
    says = heading_of(session)
    if before is not None:
        leads = session.messages[0].uid == transcript.messages[0].uid
        says = merge_headings(_heading(before.heading), says, leads=leads)
    return ToldBySource(
        transcript, _source_heading(session, says, before.heading.file_date if before else read.file_date), page
    )


def _source_heading(session: Session, says: Heading, file_date: datetime) -> SourceHeading:
    return SourceHeading(
        source_format=session.source_format,
        source_id=session.source_id,
        ordinal_uids=session.ordinal_uids,
        title=says.title,
        project=says.project,
        cwd=says.cwd,
        git_branch=says.git_branch,
        started_at=says.started_at,
        file_date=file_date,
    )


def _heading(heading: SourceHeading) -> Heading:
    return Heading(heading.title, heading.project, heading.cwd, heading.git_branch, heading.started_at)


def heading_of_all(merged: Merged) -> SourceHeading:
    """What the sources say beside the messages: the one that leads the history first, the others where it says nothing."""
    headings = [merged.sources[uri].heading for uri in merged.ranked]
    first, *others = headings
    says = _heading(first)
    for heading in others:
        says = merge_headings(says, _heading(heading), leads=False)
    return first.model_copy(
        update={
            "title": says.title,
            "project": says.project,
            "cwd": says.cwd,
            "git_branch": says.git_branch,
            "started_at": says.started_at,
            "file_date": min(heading.file_date for heading in headings),
        }
    )


def masked_again(session_id: str, told: ToldBySource, reader: SourceReader) -> ToldBySource:
    """What a source told under the policy as it is now: all that it said in words, its title as well."""
    heading = told.heading
    session = Session(
        session_id,
        heading.source_id,
        heading.source_format,
        tuple(as_told(message) for message in told.transcript.messages),
        project=heading.project,
        title=heading.title,
        cwd=heading.cwd,
        git_branch=heading.git_branch,
    )
    masked = reader.masked(session)
    messages = tuple(
        superseded(message) if before.superseded_kind is not None else message
        for before, message in zip(told.transcript.messages, masked.messages, strict=True)
    )
    says = {
        "source_id": masked.source_id,
        "project": masked.project,
        "title": masked.title,
        "cwd": masked.cwd,
        "git_branch": masked.git_branch,
    }
    return ToldBySource(replace(told.transcript, messages=messages), heading.model_copy(update=says))
