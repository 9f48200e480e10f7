"""``ingested``: what session files say becomes the session's history in the log."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, timedelta
from hashlib import sha256
from pathlib import Path

import dagster as dg

from memory_assets.defs.batch import (
    Metadata,
    SessionResult,
    StageOutput,
    handed_on,
    quarantine_check,
    run_stage,
    session_keys,
)
from memory_assets.defs.registration import MACHINE
from memory_assets.defs.resources import EventLogResource
from memory_assets.defs.sources import SourceReader
from memory_assets.defs.stages.forgotten import forgotten_in
from memory_assets.defs.stages.merging import Merged, heading_of_all, masked_again, merge
from memory_assets.defs.stages.stage_asset import stage_asset
from memory_assets.defs.unshared import ProjectNotSharedError
from memory_assets.errors import MemoryAssetsError
from memory_assets.identifiers import canonical_json
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.forgotten_texts import NOTHING_FORGOTTEN, ForgottenTexts, forgotten_sessions, forgotten_texts
from memory_assets.log.long_texts import announced, continuing, split
from memory_assets.log.payloads.sessions import (
    MessageContinued,
    SessionHeading,
    SessionIngested,
    SourceRegistered,
    SourceTakenFor,
    SourceTold,
)
from memory_assets.log.runners import this_machine
from memory_assets.log.session_history import History
from memory_assets.log.transcripts import ToldBySource, told_by_source, told_events
from memory_assets.log.upcasting import payload_as
from memory_assets.sessions.model import Message
from memory_assets.sessions.rereading import common_prefix

HASH_LENGTH = 32
# So long nobody took a session in: a sensor that stands still looks like that, and so does a holiday.
WARN_AFTER = timedelta(days=7)
FAIL_AFTER = timedelta(days=90)

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
class Sources:
    """What was told of a session's files.

    Attributes:
        taken: those that the history was made from, with the hash of the content that was taken last.
        given_project: the project that a person gave for them last, over what they say themselves.
        events: what says which of them told what, with the revisions that it counts in; empty where there is one file.
    """

    taken: dict[str, str] = field(default_factory=dict)
    given_project: str | None = None
    events: list[StoredEvent] = field(default_factory=list)


@stage_asset(
    "ingested",
    kinds={"duckdb", "python"},
    deps=[session_files],
    freshness_policy=dg.FreshnessPolicy.time_window(warn_window=WARN_AFTER, fail_window=FAIL_AFTER),
    description="""Session files become the session's history.

- **reads** every file that was registered for the session
- **writes** `session_ingested`: the messages behind the prefix shared with the revision before, masked
- **guarantees** that nothing is logged before it is masked, that no file takes away or changes what another one said, and
  that a file which says nothing new adds no revision
""",
)
def ingested(
    context: dg.AssetExecutionContext, event_log: EventLogResource
) -> Iterator[dg.Output[StageOutput] | dg.AssetCheckResult]:
    session_ids = session_keys(context)

    def take() -> StageOutput:
        opened = event_log.opened
        known = opened.histories(session_ids)
        told = opened.log.of_sessions(
            session_ids, [SourceRegistered.event_type, SourceTakenFor.event_type, SourceTold.event_type]
        )
        registered, sources = pending_registrations(told), sources_of(opened.log, told)
        forgotten = forgotten_texts(opened.log, opened.database, list(known))
        # A file may have been registered at the moment at which its session was forgotten.
        gone = forgotten_sessions(opened.database, session_ids)
        machine = this_machine(opened.settings.store_folder)
        opened.elsewhere |= {
            one for one, events in registered.items() if one not in known and lies_elsewhere(events, opened.sources, machine)
        }
        output = run_stage(
            context,
            event_log,
            "ingested",
            session_ids,
            [one for one in session_ids if one not in gone | opened.elsewhere and (one in known or one in registered)],
            lambda session_id: ingest(
                session_id,
                known.get(session_id),
                registered.get(session_id, []),
                sources.get(session_id, Sources()),
                opened.sources,
                forgotten.get(session_id, NOTHING_FORGOTTEN),
                takes_in=opened.settings.takes_in,
                shows_title=opened.settings.dagster.show_quotes,
            ),
        )
        grown = {event.session_id for event in output.events if isinstance(event.payload, SessionIngested)}
        heads = {session_id: history.event_id for session_id, history in known.items()}
        output.heads = {session_id: heads.get(session_id) for session_id in session_ids if session_id in grown}
        output.repeat = take
        return output

    output = take()
    yield handed_on(context, output)
    yield quarantine_check(event_log, output)


def ingest(
    session_id: str,
    known: History | None,
    registered: Sequence[StoredEvent],
    sources: Sources,
    reader: SourceReader,
    forgotten: ForgottenTexts = NOTHING_FORGOTTEN,
    *,
    takes_in: Callable[[str | None], bool] = lambda _: True,
    shows_title: bool = False,
) -> SessionResult:
    """The events that bring a session's history up to its files, and to what was forgotten of it.

    Args:
        known: the history so far.
        takes_in: whether a session of a project may go into the log.
        shows_title: whether Dagster's records may hold the session's title, which is text of it.
        registered: source_registered events of files that were not taken in yet, in commit order.
        sources: what was told of its files before.

    Raises:
        ProjectNotSharedError: its files say of another project than before, which is not shared.
        SourceMissingError: there is neither a history nor a readable file.
        ForgottenTextMovedError: see ``defs.stages.forgotten.stay_away``.
    """
    # A changed policy begins a new chain, and so does a word of what is to be forgotten: what the old one let through is not
    # read any more.
    retired = known is not None and (
        known.heading.redaction_policy != reader.policy.policy_hash or forgotten.differ_from(known.heading.forgotten)
    )
    before = {} if known is None else told_by_source(known, sorted(sources.taken), sources.events)
    if known is not None and retired:
        before = forgotten_in(before, known, forgotten)
        before = {uri: masked_again(session_id, told, reader) for uri, told in before.items()}
    merged = merge(session_id, before, registered, sources.taken, reader, known, forgotten)
    if not merged.messages:
        raise SourceMissingError(
            f"no file of session {session_id} can be read", hint="add the file again with `memory sessions add`"
        )
    heading = _session_heading(known, merged, sources.given_project, reader, forgotten)
    if not takes_in(heading.project) and (known is None or takes_in(known.heading.project)):
        raise ProjectNotSharedError(
            "its project is not shared", hint="`memory import` into a store without store.url keeps it on this machine"
        )
    title = {"title": heading.title} if shows_title and heading.title else {}
    result = SessionResult(events=[*merged.events], metadata=dict(title), standing=known.event_id if known else None)
    head = None if known is None or retired else known
    if head is None or merged.messages != head.messages or _says_otherwise(heading, head.heading):
        result.events[:0] = _revision(session_id, known, merged, heading, reader.version, retired)
        result.metadata["revision"] = 1 if known is None else known.revision + 1
    else:
        result.metadata["revision"] = head.revision
    result.events += _transcripts(session_id, head, merged, before, result.events, reader.version)
    result.metadata |= _metadata(merged, registered, new=len(merged.messages) - (len(known.messages) if known else 0))
    return result


def _transcripts(
    session_id: str,
    head: History | None,
    merged: Merged,
    before: Mapping[str, ToldBySource],
    events: Sequence[NewEvent],
    stage_version: str,
) -> list[NewEvent]:
    """Who tells what of the session, where that is new and more than one does; and who leads it now."""
    if len(merged.sources) < 2:
        return []
    revision = next((event for event in events if isinstance(event.payload, SessionIngested)), None)
    if revision is None and not merged.registrations:
        return []
    history_event_id = revision.event_id if revision else head.event_id  # type: ignore[union-attr]
    chain_id = (revision.chain_id or revision.event_id) if revision else head.chain_id  # type: ignore[union-attr]
    leader = merged.ranked[0]
    all_anew = head is None or len(before) < 2
    return told_events(
        session_id,
        merged.sources,
        merged.united,
        wanted=merged.sources.keys() if all_anew else {leader, *merged.registrations},
        leader=leader,
        history_event_id=history_event_id,
        chain_id=chain_id,
        registrations=merged.registrations,
        stage_version=stage_version,
    )


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


def lies_elsewhere(registered: Sequence[StoredEvent], reader: SourceReader, machine: str | None) -> bool:
    """Whether a session's files are those of other machines: they take it in, and here nothing of it is wrong.

    Args:
        registered: the registrations that were not taken in yet.
        machine: the name of this one; None where the store is alone.
    """
    return all(
        json.loads(event.telemetry_json or "{}").get(MACHINE) not in (None, machine)
        and not Path(reader.path(payload_as(event, SourceRegistered).uri)).exists()
        for event in registered
    )


def sources_of(log: EventLog, events: Sequence[StoredEvent]) -> dict[str, Sources]:
    """By session, what was told of its files.

    Args:
        events: the sessions' source_registered, source_taken and source_told events in commit order.
    """
    sources: dict[str, Sources] = {}
    for event in events:
        of_session = sources.setdefault(str(event.session_id), Sources())
        if event.event_type == SourceTakenFor.event_type:
            taken = payload_as(event, SourceTakenFor)
            of_session.taken[taken.uri] = taken.file_hash
        elif event.event_type == SourceTold.event_type:
            of_session.events.append(event)
        else:
            of_session.given_project = event.project or of_session.given_project
    _add_revisions(log, sources)
    return sources


def _add_revisions(log: EventLog, sources: Mapping[str, Sources]) -> None:
    """Sessions that several files tell: which messages each told is counted in the revisions of their histories."""
    shared = [session_id for session_id, of_session in sources.items() if of_session.events]
    if shared:
        for event in log.of_sessions(shared, [SessionIngested.event_type, MessageContinued.event_type]):
            sources[str(event.session_id)].events.append(event)


def _session_heading(
    known: History | None, merged: Merged, given_project: str | None, reader: SourceReader, forgotten: ForgottenTexts
) -> SessionHeading:
    """What the next revision says beside its messages."""
    told = heading_of_all(merged)
    return SessionHeading(
        source_format=told.source_format,
        source_id=told.source_id,
        title=told.title,
        project=given_project or told.project,
        cwd=told.cwd,
        git_branch=told.git_branch,
        started_at=told.started_at or told.file_date,
        started_by_source=told.started_at is not None and all(message.ts is None for message in merged.messages),
        parser_version=reader.version.split(" redaction")[0],
        redaction_policy=reader.policy.policy_hash,
        ordinal_uids=told.ordinal_uids,
        forgotten=forgotten.applied_next(known.heading.forgotten if known else ()),
    )


def _says_otherwise(heading: SessionHeading, known: SessionHeading) -> bool:
    """Whether a person would see another heading; which version of a reader made it they do not, nor whose clock it was."""
    kept = {"parser_version": known.parser_version, "started_by_source": known.started_by_source}
    return heading.model_copy(update=kept) != known


def _revision(
    session_id: str,
    known: History | None,
    merged: Merged,
    heading: SessionHeading,
    reading_version: str,
    retired: bool,
) -> list[NewEvent]:
    before = known.messages if known and not retired else ()
    prefix = common_prefix(before, merged.messages)
    content_hash = content_hash_of(merged.messages)
    messages, rest = split((message.uid, message) for message in merged.messages[prefix:])
    payload = SessionIngested(
        revision=known.revision + 1 if known else 1,
        heading=None if known and not retired and heading == known.heading else heading,
        content_hash=content_hash,
        common_prefix=prefix,
        messages=messages,
        continued=announced(rest),
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
    return [event, *continuing(event, rest, chain_id=chain_id, occurred_at=heading.started_at)]


def content_hash_of(messages: Sequence[Message]) -> str:
    """What tells that a history holds the same messages."""
    digest = sha256()
    for message in messages:
        told_at = message.ts and message.ts.astimezone(UTC).isoformat()
        said = [message.uid, message.role, message.kind, message.text, told_at, message.sidechain]
        digest.update(canonical_json(said).encode())
    return digest.hexdigest()[:HASH_LENGTH]


def _metadata(merged: Merged, registered: Sequence[StoredEvent], *, new: int) -> Metadata:
    said = sum(message.kind == "said" for message in merged.messages)
    files = [payload_as(event, SourceRegistered).uri for event in registered]
    values: Metadata = {
        "messages": len(merged.messages),
        "messages_said": said,
        "messages_new": new,
        "files_read": len(merged.registrations),
    }
    if files:
        values["source"] = dg.MetadataValue.path(files[-1])
    return values
