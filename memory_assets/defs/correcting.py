"""`memory correct`: what a person says instead of a memory is a session of its own, with one message and one entry.

So it is masked, quoted, proved, searched, exported and forgotten like all that people say, and it has an address. One more
event says which entries it corrects: the fold sets them aside in its favour, and lets them be again once it is forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, get_args

from memory_assets.commands.errors import NotPossibleError
from memory_assets.commands.said import command, masked, now, settle
from memory_assets.defs.resources import OpenStore, open_store
from memory_assets.defs.run import run_sessions
from memory_assets.defs.stages.ingested import content_hash_of
from memory_assets.errors import InvalidArgumentError
from memory_assets.extraction.corrections import correction_id
from memory_assets.identifiers import sha256_hex
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.graduation import MemoryCorrected
from memory_assets.log.payloads.sessions import SessionHeading, SessionIngested
from memory_assets.projections.fold import catch_up
from memory_assets.projections.statements import forms_of
from memory_assets.queries.entries import entries_of_memory, list_memories, memories_by_id, one_entry
from memory_assets.results.correction import CorrectionV1
from memory_assets.sessions.draft import at_most_a_title
from memory_assets.sessions.keys import session_key
from memory_assets.sessions.model import Message
from memory_assets.vocabulary import EntryType

if TYPE_CHECKING:
    from memory_assets.progress import Progress
    from memory_assets.results.memories import EntryView, MemoryView
    from memory_assets.settings import Settings


def correct(settings: Settings, given: str, text: str, *, by: str, progress: Progress | None = None) -> CorrectionV1:
    """Say otherwise than a memory does; a later correction of the same memory, or of a correction, replaces it.

    Args:
        given: the memory's ``mem:`` address, or the id of one of its entries.
        text: what is so instead; one memory, of the type of the other.
        by: who says so.

    Raises:
        NotFoundError, AmbiguousIdError: of the id.
        InvalidArgumentError: an empty or endless text, or the memory's own words.
        NotPossibleError: the memory is a task, or was not taken for a memory.
    """
    opened = open_store(settings)
    opened.follow_versions()
    said = log_correction(opened, given, text, by=by)
    run_sessions(settings, [said.session_id], progress=progress)
    settle(opened.resources)
    with opened.database.reading() as connection:
        found = list_memories(connection, session_ids=[said.session_id]).memories
        if not found:
            raise NotPossibleError(
                "the correction holds nothing that can be remembered", hint="say it in a sentence that stands by itself"
            )
        corrected = memories_by_id(connection, [said.before.memory_id]).get(said.before.memory_id, said.before)
    return CorrectionV1(corrected=corrected, correction=found[0], said_by=said.by)


@dataclass(frozen=True, slots=True)
class LoggedCorrection:
    """What is in the log before the stages make a memory of it.

    Attributes:
        session_id: the correction's own session.
        before: the memory that it corrects.
        by: who says so, masked.
    """

    session_id: str
    before: MemoryView
    by: str


def log_correction(opened: OpenStore, given: str, text: str, *, by: str) -> LoggedCorrection:
    """Log a correction's session, and what it corrects. The arguments and errors are those of :func:`correct`."""
    catch_up(opened.database, opened.resources.configured_versions)
    said, person = masked(opened.resources, text, what="correction"), masked(opened.resources, by, what="name")
    if not said:
        raise InvalidArgumentError("the correction is empty", hint='as in memory correct mem:a7Bc3x "We use DuckDB 1.5"')
    with opened.database.reading() as connection:
        entry = one_entry(connection, given)
        if entry.memory_id is None:
            raise NotPossibleError(
                f"{given.strip()} is not remembered: none of its quotes was found",
                hint="`memory show` tells what is known of it",
            )
        older = entries_of_memory(connection, entry.memory_id)
        before = memories_by_id(connection, [entry.memory_id])[entry.memory_id]
        forms = forms_of(connection, (one.entry_id for one in older))
    _check(entry, before, said)
    at = now()
    ingested = _session(opened, entry, before.project, said, person, at)
    word = MemoryCorrected(
        older_ids=sorted(one.entry_id for one in older),
        older_forms=sorted(forms),
        correction_session_id=str(ingested.session_id),
        corrected_by=person,
    )
    opened.appended += opened.log.append([ingested, command(word, at=at, project=before.project)]).new
    return LoggedCorrection(str(ingested.session_id), before, person)


def _check(entry: EntryView, memory: MemoryView, said: str) -> None:
    if entry.entry_type == "task":
        raise NotPossibleError("a task is not corrected", hint="`memory task` has words that say how it stands")
    if any(quote.matched_text is not None and quote.matched_text.strip() == said for quote in entry.evidence):
        raise InvalidArgumentError("these are the memory's own words", hint="say what is so instead")


def _session(opened: OpenStore, entry: EntryView, project: str | None, said: str, person: str, at: datetime) -> NewEvent:
    """The first and only revision of the correction's session."""
    entry_type = next(known for known in get_args(EntryType) if known == entry.entry_type)
    digest = sha256_hex(f"{entry.entry_id} {said} {at.isoformat()}")[:12]
    source_id = correction_id(entry_type, at.astimezone(UTC).strftime("%Y%m%dt%H%M%Sz"), digest)
    message = Message(uid="0", role="user", text=said, ts=at, name=person)
    heading = SessionHeading(
        source_format="correction",
        source_id=source_id,
        title=at_most_a_title(said),
        project=project,
        started_at=at,
        parser_version=opened.sources.version.split(" redaction")[0],
        redaction_policy=opened.sources.policy.policy_hash,
    )
    hashed = content_hash_of([message])
    return NewEvent(
        payload=SessionIngested(revision=1, heading=heading, content_hash=hashed, messages=[message]),
        session_id=session_key("correction", source_id),
        inputs=("", hashed),
        stage_version=opened.sources.version,
        actor="person",
        occurred_at=at,
        project=project,
    )
