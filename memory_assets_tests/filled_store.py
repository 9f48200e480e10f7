"""A small store with everything in it, made through the real log, folds and index: three sessions, Korean and English."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory_assets.configuration import Resources
from memory_assets.identifiers import sha256_hex, typed_id
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.base import Payload
from memory_assets.log.payloads.entries import (
    EntriesMaterialized,
    EntryMaterialized,
    EvidenceAligned,
    EvidenceRecord,
    MemoryExtracted,
)
from memory_assets.log.payloads.graduation import EntryPromoted, IdrisChecked, VerdictRecord
from memory_assets.log.payloads.sessions import (
    SessionHeading,
    SessionIngested,
    SessionProjected,
    SessionQuarantined,
    SessionVectorized,
    SourceTakenFor,
)
from memory_assets.maintenance.indexing import write_waiting
from memory_assets.projections.fold import catch_up
from memory_assets.sessions.model import Message
from memory_assets.settings import Settings, load_settings

STARTED = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
SHOP = (
    ("user", "결제 서버가 자꾸 죽어요. 원인을 찾아 주세요."),
    ("assistant", "로그를 보니 커넥션 풀이 모자랍니다. 우리는 캐시를 Redis로 옮기기로 했다. 이유는 재시작이 빠르기 때문이다."),
    ("user", "좋아요. 배포 전에 [bold]블로커[/bold]\x1b[31m를 고쳐야 한다. We decided to keep PostgreSQL 16 for orders."),
    ("assistant", "Understood: PostgreSQL 16 stays for orders, Redis takes the cache."),
)
NOTES = (
    ("user", "We decided to keep PostgreSQL 16 for orders. Remember it."),
    ("assistant", "Noted. The retry budget is 3 attempts with a back-off of 2 seconds."),
)


@dataclass(frozen=True, slots=True)
class Said:
    """An entry of a session by its quotes; a quote of message -1 is one that is nowhere. ``status`` is that of a task."""

    entry_type: str
    title: str
    quotes: tuple[tuple[int, str], ...]
    verified: bool = True
    checker: str = "embedded 1"
    status: str | None = None


SHOP_ENTRIES = (
    Said(
        "decision",
        "캐시를 Redis로 옮긴다",
        ((1, "우리는 캐시를 Redis로 옮기기로 했다."), (1, "이유는 재시작이 빠르기 때문이다.")),
    ),
    Said("task", "배포 전에 블로커를 고친다", ((2, "배포 전에 [bold]블로커[/bold]\x1b[31m를 고쳐야 한다."),)),
    Said("decision", "Keep PostgreSQL 16 for orders", ((2, "We decided to keep PostgreSQL 16 for orders."),)),
    Said("fact", "Nobody said this", ((-1, "a quote that stands nowhere in it"),), verified=False),
)
NOTES_ENTRIES = (
    Said("decision", "Keep PostgreSQL 16 for orders", ((0, "We decided to keep PostgreSQL 16 for orders."),)),
    Said("fact", "The retry budget is 3 attempts", ((1, "The retry budget is 3 attempts with a back-off of 2 seconds."),)),
)


def test_settings(home: Path) -> Settings:
    """Settings of a store in a folder of its own, without a model."""
    return load_settings({"home": home, "embedding": {"model": "hashing"}})


# Stores that were made in this process, by what is in them: a copy costs milliseconds.
_made: dict[str, Path] = {}
_folder: list[tempfile.TemporaryDirectory[str]] = []
_numbers = itertools.count()


def forget() -> None:
    """Take away the stores that were kept to be copied."""
    _made.clear()
    while _folder:
        _folder.pop().cleanup()


def copied(of: object, into: Path, make: Callable[[Path], object]) -> None:
    """Make a store in a folder, or copy the one that was made of the same things before."""
    if (made := _made.get(repr(of))) is None:
        if not _folder:
            _folder.append(tempfile.TemporaryDirectory(prefix="filled-stores-"))
        made = Path(_folder[0].name) / str(next(_numbers))
        make(made)
        _made[repr(of)] = made
    shutil.copytree(made, into, dirs_exist_ok=True)


def fill(home: Path) -> Settings:
    """Make the store; the settings that open it."""
    settings = test_settings(home)
    if Resources(settings).database.path.exists():
        _fill(home)
    else:
        copied(Resources(settings).configured_versions, home, _fill)
    return settings


def _fill(home: Path) -> None:
    settings = test_settings(home)
    database = Resources(settings).database
    versions = Resources(settings).configured_versions
    log = EventLog(database)
    log.append(
        [
            *session_events("shop-1", "shop", "결제 서버 장애", "/srv/장애.jsonl", STARTED, SHOP, SHOP_ENTRIES, versions),
            *session_events(
                "notes-2", "shop", "Notes", "/srv/notes.md", STARTED + timedelta(days=3), NOTES, NOTES_ENTRIES, versions
            ),
            NewEvent(
                SessionQuarantined(stage="ingested", error_code="unexpected", detail="too strange", uri="/srv/odd.md"),
                session_id="odd-3",
                inputs=("odd",),
            ),
        ]
    )
    catch_up(database, versions, resolve=True)
    write_waiting(Resources(settings, database))


def fill_one(home: Path, session_id: str, talk: tuple[tuple[str, str], ...], said: tuple[Said, ...]) -> Settings:
    """Make a store of one session, without an index."""
    settings = test_settings(home)
    tell(settings, session_id, talk, said)
    return settings


def tell(
    settings: Settings, session_id: str, talk: tuple[tuple[str, str], ...], said: tuple[Said, ...], started: datetime = STARTED
) -> None:
    """Add a session to a store."""
    versions = Resources(settings).configured_versions

    def made(database: Database) -> None:
        with database.kept_open():
            EventLog(database).append(
                session_events(session_id, "shop", session_id, f"/srv/{session_id}", started, talk, said, versions)
            )
            catch_up(database, versions, resolve=True)

    database = Resources(settings).database
    if database.path.exists():
        made(database)
    else:
        whole = (session_id, talk, said, started, versions)
        copied(whole, database.path.parent, lambda folder: made(Database(folder)))


def tell_each(settings: Settings, talks: Mapping[str, tuple[tuple[str, str], ...]]) -> None:
    """Add sessions in which nothing is remembered, all of them at once: one fold instead of one each."""
    resources = Resources(settings)
    EventLog(resources.database).append(
        event
        for session_id, talk in talks.items()
        for event in session_events(
            session_id, "shop", session_id, f"/srv/{session_id}", STARTED, talk, (), resources.configured_versions
        )
    )
    catch_up(resources.database, resources.configured_versions, resolve=True)


def tell_titles(settings: Settings, session_id: str, *titles: str, days: int = 0, checker: str = "embedded 1") -> None:
    """Add a session that says these titles, one decision a message."""
    talk = tuple(("user", title) for title in titles)
    said = tuple(Said("decision", title, ((index, title),), checker=checker) for index, title in enumerate(titles))
    tell(settings, session_id, talk, said, STARTED + timedelta(days=days))


def session_events(
    session_id: str,
    project: str,
    title: str,
    uri: str,
    started: datetime,
    talk: tuple[tuple[str, str], ...],
    said: tuple[Said, ...],
    versions: dict[str, str],
) -> list[NewEvent]:
    """What the stages log of a session."""
    messages = [
        Message(f"u{index}", role, "said", text, started + timedelta(minutes=index))  # type: ignore[arg-type]
        for index, (role, text) in enumerate(talk)
    ]
    ingested = NewEvent(
        SessionIngested(
            revision=1,
            heading=SessionHeading(
                source_format="claude_code",
                source_id=session_id,
                title=title,
                project=project,
                started_at=started,
                parser_version="r1",
                redaction_policy="none",
            ),
            content_hash=sha256_hex(repr(talk)),
            messages=messages,
        ),
        session_id=session_id,
        occurred_at=started,
        project=project,
    )
    chain = ingested.event_id

    def step(payload: Payload, after: NewEvent, ordinal: int = 0, at: datetime = started) -> NewEvent:
        # What is said of an entry by the checker belongs to the checker's version.
        stage = {"entry_materialized": "entries_materialized", "entry_promoted": "idris_checked"}
        version = versions.get(stage.get(payload.event_type, payload.event_type), "1")
        return NewEvent(
            payload,
            session_id=session_id,
            inputs=(after.event_id,),
            stage_version=version,
            ordinal=ordinal,
            occurred_at=at,
            causation_id=after.event_id,
            chain_id=chain,
            project=project,
        )

    extracted = step(
        MemoryExtracted(extractor_kind="rules", extractor_model="rules", windows=[], entry_count=len(said)), ingested
    )
    aligned = step(
        EvidenceAligned(
            source_event_id=chain,
            extraction_event_id=extracted.event_id,
            windows=[],
            aligned_count=len(said),
            failed_count=0,
            methods={},
        ),
        extracted,
    )
    entries = []
    for ordinal, item in enumerate(said):
        evidence = [_evidence(talk, index, quote) for index, quote in item.quotes]
        index = max(0, item.quotes[0][0])
        payload = EntryMaterialized(
            entry_id=typed_id("ent", session_id, item.entry_type, item.title),
            entry_type=item.entry_type,  # type: ignore[arg-type]
            title=item.title,
            canonical_key=item.title.casefold(),
            evidence=evidence,
            evidence_aligned=all(record.method != "none" for record in evidence),
            message_index=index,
            ordinal=ordinal,
            status=item.status,  # type: ignore[arg-type]
            aligner_version="a1",
        )
        entries.append(step(payload, aligned, ordinal, started + timedelta(minutes=index)))
    materialized = step(
        EntriesMaterialized(alignment_event_id=aligned.event_id, entries=[entry.event_id for entry in entries]), aligned
    )
    checked = step(
        IdrisChecked(
            materialized_event_id=materialized.event_id,
            verdicts=[VerdictRecord(checker="embedded", checker_version="1", accepted=True)],
        ),
        materialized,
    )
    promoted = [
        step(
            EntryPromoted(
                entry_id=entry.payload.entry_id,  # type: ignore[attr-defined]
                from_stage="candidate",
                to_stage="verified",
                policy_version="1",
                checker=item.checker,
                gates={"aligned": True},
            ),
            entry,
        )
        for entry, item in zip(entries, said, strict=True)
        if item.verified
    ]
    projected = step(SessionProjected(checked_event_id=checked.event_id), checked)
    vectorized = step(
        SessionVectorized(projected_event_id=projected.event_id, embedding_version=versions["session_vectorized"]), projected
    )
    taken = step(SourceTakenFor(registration_event_id=f"ev_{session_id}", uri=uri, file_hash=session_id), ingested)
    return [ingested, taken, extracted, aligned, *entries, materialized, checked, *promoted, projected, vectorized]


def _evidence(talk: tuple[tuple[str, str], ...], index: int, quote: str) -> EvidenceRecord:
    if index < 0:
        return EvidenceRecord(
            claimed_message_index=0,
            quote=quote,
            quote_hash=sha256_hex(quote),
            method="none",
            confidence=0.0,
            failure_reason="not_found",
        )
    start = talk[index][1].index(quote)
    return EvidenceRecord(
        message_index=index,
        claimed_message_index=index,
        quote=quote,
        quote_hash=sha256_hex(quote),
        span_start=start,
        span_end=start + len(quote),
        segments=[(start, start + len(quote))],
        matched_text=quote,
        method="exact",
        confidence=1.0,
        similarity=1.0,
    )
