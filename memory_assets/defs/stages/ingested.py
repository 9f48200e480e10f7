"""``ingested``: what session files say becomes the session's history in the log."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256

import dagster as dg

from memory_assets.defs.batch import Metadata, SessionResult, StageOutput, quarantine_check, run_stage, session_keys
from memory_assets.defs.partitions import backfill_policy, sessions_partitions
from memory_assets.defs.resources import EventLogResource
from memory_assets.defs.sources import SourceReader
from memory_assets.errors import MemoryAssetsError
from memory_assets.identifiers import canonical_json
from memory_assets.log.chain import History
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.payloads.sessions import (
    Continuation,
    MessageContinued,
    SessionHeading,
    SessionIngested,
    SourceRefused,
    SourceRegistered,
    SourceTakenFor,
)
from memory_assets.log.upcasting import payload_as
from memory_assets.sessions.files import SourceFile
from memory_assets.sessions.heading import Heading, heading_of, merge_headings
from memory_assets.sessions.model import Message, Session, SourceFormat, SourceTaken
from memory_assets.sessions.union import Extended, Merge, Unchanged, Unrelated, merge_history

# A longer text goes on in further events, so that no single row grows without bound (architecture.md section 4, *Size*).
EVENT_CHARACTERS = 1_000_000
HASH_LENGTH = 32

session_files = dg.AssetSpec(
    "session_files",
    group_name="sources",
    kinds={"file"},
    owners=["team:memory"],
    description="The sessions folder and every file that was imported or added: Claude Code, Codex, ChatGPT, SpecStory, "
    "aider, Markdown and chat.v1. Nothing here writes to it.",
)


class SourceMissingError(MemoryAssetsError):
    """A registered file is gone and the session has no history yet."""

    code = "not_found"


@dataclass(slots=True)
class Merged:
    """A history after its files were taken in."""

    messages: tuple[Message, ...]
    heading: Heading
    newest: Session | None = None
    file_date: datetime | None = None
    events: list[NewEvent] = field(default_factory=list)
    files: int = 0
    refused: int = 0


@dataclass(slots=True)
class Sources:
    """What was told of a session's files.

    Attributes:
        taken: those that the history was made from.
        given_project: the project that a person gave for them last, over what they say themselves.
    """

    taken: set[str] = field(default_factory=set)
    given_project: str | None = None


@dg.asset(
    partitions_def=sessions_partitions,
    backfill_policy=backfill_policy,
    deps=[session_files],
    group_name="graduation",
    kinds={"duckdb", "python"},
    owners=["team:memory"],
    pool="duckdb_write",
    code_version="1",
    check_specs=[dg.AssetCheckSpec("no_session_put_aside", asset="ingested")],
    description="""Session files become the session's history.

- **reads** every file that was registered for the session
- **writes** `session_ingested`: the messages behind the prefix shared with the revision before, masked
- **guarantees** that nothing is logged before it is masked, that a message is known by its record's id and never by its
  text, and that a file which says nothing new adds no revision
""",
)
def ingested(
    context: dg.AssetExecutionContext, event_log: EventLogResource
) -> Iterator[dg.Output[StageOutput] | dg.AssetCheckResult]:
    session_ids = session_keys(context)

    def take() -> StageOutput:
        opened = event_log.opened
        known = opened.histories(session_ids)
        told = opened.log.of_sessions(session_ids, [SourceRegistered.event_type, SourceTakenFor.event_type])
        registered, sources = pending_registrations(told), _sources(told)
        output = run_stage(
            context,
            event_log,
            "ingested",
            session_ids,
            [session_id for session_id in session_ids if session_id in known or session_id in registered],
            lambda session_id: ingest(
                session_id,
                known.get(session_id),
                registered.get(session_id, []),
                sources.get(session_id, Sources()),
                opened.sources,
            ),
        )
        grown = {event.session_id for event in output.events if isinstance(event.payload, SessionIngested)}
        heads = {session_id: history.event_id for session_id, history in known.items()}
        output.heads = {session_id: heads.get(session_id) for session_id in session_ids if session_id in grown}
        output.repeat = take
        return output

    output = take()
    yield dg.Output(output)
    yield quarantine_check(output)


def ingest(
    session_id: str,
    known: History | None,
    registered: Sequence[StoredEvent],
    sources: Sources,
    reader: SourceReader,
) -> SessionResult:
    """The events that bring a session's history up to its files.

    Args:
        known: the history so far.
        registered: source_registered events of files that were not taken in yet, in commit order.
        sources: what was told of its files before.

    Raises:
        SourceMissingError: there is neither a history nor a readable file.
    """
    policy_hash = reader.policy.policy_hash
    # A changed policy begins a new chain: what the old one let through is not read any more.
    retired = known is not None and known.heading.redaction_policy != policy_hash
    if known is not None and retired:
        known = _masked_again(known, reader)
    base = known.messages if known else ()
    merged = _merge(session_id, known, registered, sources.taken if retired else set(), reader)
    if not merged.messages:
        if merged.refused:
            return SessionResult(events=merged.events, metadata={"messages": 0, "files_refused": merged.refused})
        raise SourceMissingError(
            f"no file of session {session_id} can be read", hint="add the file again with `memory sessions add`"
        )
    result = SessionResult(events=merged.events)
    heading = _session_heading(known, merged, sources.given_project, reader)
    if known is None or retired or merged.messages != known.messages or _says_otherwise(heading, known.heading):
        result.events = [*_revision(session_id, known, merged, heading, reader.version, retired), *merged.events]
        result.metadata["revision"] = 1 if known is None else known.revision + 1
    else:
        result.metadata["revision"] = known.revision
    result.metadata |= _metadata(merged, registered, new=len(merged.messages) - len(base))
    return result


def pending_registrations(events: Sequence[StoredEvent]) -> dict[str, list[StoredEvent]]:
    """By session, the newest registration of each file that was not taken in yet."""
    taken: set[str] = set()
    newest: dict[tuple[str, str], StoredEvent] = {}
    for event in events:
        if event.event_type == SourceTakenFor.event_type:
            taken.add(payload_as(event, SourceTakenFor).registration_event_id)
        elif event.event_type == SourceRegistered.event_type:
            newest[str(event.session_id), payload_as(event, SourceRegistered).uri] = event
    pending: dict[str, list[StoredEvent]] = {}
    for (session_id, _), event in newest.items():
        if event.event_id not in taken:
            pending.setdefault(session_id, []).append(event)
    return pending


def _sources(events: Sequence[StoredEvent]) -> dict[str, Sources]:
    sources: dict[str, Sources] = {}
    for event in events:
        of_session = sources.setdefault(str(event.session_id), Sources())
        if event.event_type == SourceTakenFor.event_type:
            of_session.taken.add(payload_as(event, SourceTakenFor).uri)
        else:
            of_session.given_project = event.project or of_session.given_project
    return sources


def _merge(
    session_id: str,
    known: History | None,
    registered: Sequence[StoredEvent],
    masked_otherwise: Set[str],
    reader: SourceReader,
) -> Merged:
    merged = Merged(known.messages if known else (), _known_heading(known))
    told_as = known.heading.source_format if known else None
    for registration in registered:
        uri = payload_as(registration, SourceRegistered).uri
        read = reader.read(SourceFile(uri, explicit=False))
        if not isinstance(read.outcome, SourceTaken):
            continue
        session = next((found for found in read.outcome.sessions if found.session_id == session_id), None)
        if session is None:
            continue
        merged.files += 1
        merged.file_date = merged.file_date or read.file_date
        outcome = _merge_one(merged.messages, told_as, session)
        if isinstance(outcome, Unrelated) and uri in masked_otherwise:
            # The history was made from this very file: what differs is the masking.
            outcome = Extended(session.messages, 0)
        match outcome:
            case Unrelated():
                merged.refused += 1
                merged.events.append(
                    NewEvent(
                        payload=SourceRefused(
                            uri=uri,
                            file_hash=read.outcome.file_hash,
                            reason="unrelated_history",
                            detail=f"the id of session {session_id} is taken by another history",
                            source_session_id=session_id,
                        ),
                        session_id=session_id,
                        inputs=(registration.event_id,),
                        stage_version=reader.version,
                        causation_id=registration.event_id,
                    )
                )
                continue
            case Extended(messages=messages):
                merged.messages = tuple(messages)
                merged.newest = session
                told_as = session.source_format
                leads = session.messages[0].uid == merged.messages[0].uid
                merged.heading = merge_headings(merged.heading, heading_of(session), leads=leads)
            case Unchanged():
                merged.heading = merge_headings(merged.heading, heading_of(session), leads=False)
        merged.events.append(
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
    return merged


def _merge_one(known: tuple[Message, ...], told_as: SourceFormat | None, session: Session) -> Merge:
    """A file's history merged into what is known.

    One session may lie in two formats (Claude Code's own log and SpecStory's page of it). Their records cannot be matched,
    so the one whose records have ids is kept: the other tells nothing more.
    """
    if told_as is None or told_as == session.source_format or not known:
        return merge_history(known, session.messages, ordinal_uids=session.ordinal_uids)
    said = {message.text.strip() for message in known if message.kind == "said"}
    if said.isdisjoint(message.text.strip() for message in session.messages if message.kind == "said"):
        return Unrelated()
    return Unchanged() if session.ordinal_uids else Extended(session.messages, 0)


def _session_heading(known: History | None, merged: Merged, given_project: str | None, reader: SourceReader) -> SessionHeading:
    """What the next revision says beside its messages."""
    session, before = merged.newest, known.heading if known else None
    # A session without a clock has the date of its first file, once.
    started_at = merged.heading.started_at or (before.started_at if before else merged.file_date)
    assert started_at is not None
    return SessionHeading(
        source_format=session.source_format if session else before.source_format,  # type: ignore[union-attr]
        source_id=session.source_id if session else before.source_id,  # type: ignore[union-attr]
        title=merged.heading.title,
        project=given_project or merged.heading.project,
        cwd=merged.heading.cwd,
        git_branch=merged.heading.git_branch,
        started_at=started_at,
        parser_version=reader.version.split(" redaction")[0],
        redaction_policy=reader.policy.policy_hash,
        ordinal_uids=session.ordinal_uids if session else bool(before and before.ordinal_uids),
    )


def _says_otherwise(heading: SessionHeading, known: SessionHeading) -> bool:
    """Whether a person would see another heading; which version of a reader made it they do not."""
    return heading.model_copy(update={"parser_version": known.parser_version}) != known


def _revision(
    session_id: str,
    known: History | None,
    merged: Merged,
    heading: SessionHeading,
    reading_version: str,
    retired: bool,
) -> list[NewEvent]:
    before = known.messages if known and not retired else ()
    prefix = _common_prefix(before, merged.messages)
    content_hash = _content_hash(merged.messages)
    continued, messages = _split(merged.messages[prefix:])
    payload = SessionIngested(
        revision=known.revision + 1 if known else 1,
        heading=None if known and not retired and heading == known.heading else heading,
        content_hash=content_hash,
        common_prefix=prefix,
        messages=messages,
        continued=[Continuation(uid=uid, parts=len(parts)) for uid, parts in continued.items()],
    )
    event = NewEvent(
        payload=payload,
        session_id=session_id,
        inputs=(known.event_id if known else "", content_hash),
        stage_version=reading_version,
        occurred_at=heading.started_at,
        causation_id=known.event_id if known and not retired else None,
        chain_id=known.chain_id if known and not retired else None,
        project=heading.project,
    )
    chain_id = event.chain_id or event.event_id
    return [
        event,
        *(
            NewEvent(
                payload=MessageContinued(uid=uid, part=part, text=text),
                session_id=session_id,
                inputs=(event.event_id, uid),
                stage_version=reading_version,
                ordinal=part,
                occurred_at=heading.started_at,
                causation_id=event.event_id,
                chain_id=chain_id,
                project=heading.project,
            )
            for uid, parts in continued.items()
            for part, text in enumerate(parts)
        ),
    ]


def _masked_again(known: History, reader: SourceReader) -> History:
    """A history under the policy as it is now: all that the source said in words, its title as well."""
    heading = known.heading
    session = Session(
        known.session_id,
        heading.source_id,
        heading.source_format,
        known.messages,
        project=heading.project,
        title=heading.title,
        cwd=heading.cwd,
        git_branch=heading.git_branch,
    )
    masked = reader.masked(session)
    told = {
        "source_id": masked.source_id,
        "project": masked.project,
        "title": masked.title,
        "cwd": masked.cwd,
        "git_branch": masked.git_branch,
    }
    return replace(known, heading=heading.model_copy(update=told), messages=masked.messages)


def _known_heading(known: History | None) -> Heading:
    if known is None:
        return Heading()
    heading = known.heading
    has_clock = any(message.ts is not None for message in known.messages)
    started_at = heading.started_at if has_clock else None
    return Heading(heading.title, heading.project, heading.cwd, heading.git_branch, started_at)


def _common_prefix(before: Sequence[Message], after: Sequence[Message]) -> int:
    for place, (old, new) in enumerate(zip(before, after, strict=False)):
        if old != new:
            return place
    return min(len(before), len(after))


def _content_hash(messages: Sequence[Message]) -> str:
    digest = sha256()
    for message in messages:
        told_at = message.ts and message.ts.astimezone(UTC).isoformat()
        said = [message.uid, message.role, message.kind, message.text, told_at, message.sidechain]
        digest.update(canonical_json(said).encode())
    return digest.hexdigest()[:HASH_LENGTH]


def _split(messages: Sequence[Message]) -> tuple[dict[str, list[str]], list[Message]]:
    """Messages as one event holds them, and what goes on in further events, by uid."""
    continued: dict[str, list[str]] = {}
    held = []
    for message in messages:
        if len(message.text) > EVENT_CHARACTERS:
            continued[message.uid] = [
                message.text[start : start + EVENT_CHARACTERS]
                for start in range(EVENT_CHARACTERS, len(message.text), EVENT_CHARACTERS)
            ]
            message = replace(message, text=message.text[:EVENT_CHARACTERS])
        held.append(message)
    return continued, held


def _metadata(merged: Merged, registered: Sequence[StoredEvent], *, new: int) -> Metadata:
    said = sum(message.kind == "said" for message in merged.messages)
    files = [payload_as(event, SourceRegistered).uri for event in registered]
    values: Metadata = {
        "messages": len(merged.messages),
        "messages_said": said,
        "messages_new": new,
        "files_read": merged.files,
        "files_refused": merged.refused,
    }
    if files:
        values["source"] = dg.MetadataValue.path(files[-1])
    return values
