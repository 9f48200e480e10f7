"""Sessions as streams of events, written straight into a log: what the stages would have logged of them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from memory_assets.identifiers import sha256_hex, typed_id
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.base import Payload
from memory_assets.log.payloads.catalogue import CHAIN
from memory_assets.log.payloads.entries import (
    EntriesMaterialized,
    EntryMaterialized,
    EvidenceAligned,
    EvidenceRecord,
    MemoryExtracted,
)
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.log.payloads.graduation import EntryPromoted, EntryPromotionRejected, IdrisChecked, VerdictRecord
from memory_assets.log.payloads.sessions import (
    SessionHeading,
    SessionIngested,
    SessionProjected,
    SessionVectorized,
)
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import derived_tables
from memory_assets.sessions.model import Message
from memory_assets.tasks.canonical import normalize
from memory_assets.vocabulary import EntryType, Priority, Stage, TaskStatus

STARTED = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
VERSIONS = {
    "memory_extracted": "rules 1",
    "evidence_aligned": "aligner 1",
    "entries_materialized": "materializer 1",
    "idris_checked": "embedded 1",
    "session_projected": "resolver 1",
    "session_vectorized": "hashing-1",
}


@dataclass(frozen=True, slots=True)
class Remark:
    """An entry that quotes the whole of one message."""

    title: str
    message_index: int
    entry_type: EntryType = "decision"
    status: TaskStatus | None = None
    promoted: Stage | None = "verified"
    quoted: bool = True
    checker: str = "embedded 1"
    critical: bool = False
    priority: Priority | None = None
    blocked_by: tuple[str, ...] = ()


def _message(index: int, text: str) -> Message:
    """The person's; ``> …`` is the agent's, ``todo: …``, ``edit: …`` and the like are calls of its tools, ``failed: …``
    says that the call before it failed, ``printed: …`` what it gave."""
    if text.startswith("todo: "):
        return Message(f"m{index}", "assistant", "tool_call", text, tool_name="TodoWrite")
    for tool in ("edit", "read", "shell", "slack_edit_message"):
        if text.startswith(f"{tool}: "):
            return Message(f"m{index}", "assistant", "tool_call", text, tool_name=tool, tool_use_id=f"call{index}")
    if text.startswith("failed: "):
        return Message(f"m{index}", "tool", "tool_result", text, tool_use_id=f"call{index - 1}", is_error=True)
    if text.startswith("printed: "):
        printed = text.removeprefix("printed: ")
        return Message(f"m{index}", "tool", "tool_result", printed, tool_use_id=f"call{index - 1}")
    return Message(f"m{index}", "assistant" if text.startswith("> ") else "user", "said", text)


class Story:
    """One session that grows. Each call of :meth:`tell` gives the events of its next revision."""

    def __init__(self, session_id: str, *, project: str | None = "hourglass", started: datetime = STARTED) -> None:
        self.session_id = session_id
        self.project = project
        self.started = started
        self.texts: tuple[str, ...] = ()
        self.head: NewEvent | None = None
        self.revision = 0

    def tell(self, texts: Sequence[str], remarks: Sequence[Remark] = (), versions: dict[str, str] = VERSIONS) -> list[NewEvent]:
        """The session says these texts now."""
        return [self.ingest(texts), *self.follow(remarks, versions)]

    def begin_anew(self) -> None:
        """The next revision begins another history, as one does that is masked by another policy."""
        self._chain_id = None
        self.texts = ()

    def ingest(self, texts: Sequence[str]) -> NewEvent:
        """A revision of the history alone."""
        self.revision += 1
        prefix = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(self.texts, texts, strict=False)))
        predecessor = self.head.event_id if self.head else None
        content_hash = sha256_hex(repr(list(texts)))
        self.head = NewEvent(
            SessionIngested(
                revision=self.revision,
                # Some revisions say the heading again: one that goes on from another need not.
                heading=self.heading if self.chain_id is None or self.revision % 3 == 0 else None,
                content_hash=content_hash,
                common_prefix=prefix,
                messages=[_message(index, text) for index, text in enumerate(texts) if index >= prefix],
            ),
            session_id=self.session_id,
            inputs=(predecessor or "", content_hash),
            occurred_at=self.started,
            causation_id=predecessor if self.chain_id else None,
            chain_id=self.chain_id,
            project=self.project,
        )
        self._chain_id = self.chain_id or self.head.event_id
        self.texts = tuple(texts)
        return self.head

    _chain_id: str | None = None

    @property
    def heading(self) -> SessionHeading:
        """What is said of the session beside its messages."""
        return SessionHeading(
            source_format="chat.v1",
            source_id=self.session_id,
            title=f"Talk {self.session_id}",
            project=self.project,
            started_at=self.started,
            parser_version="reader 1",
            redaction_policy="none",
        )

    @property
    def chain_id(self) -> str | None:
        """The history's first event."""
        return self._chain_id

    def follow(self, remarks: Sequence[Remark] = (), versions: dict[str, str] = VERSIONS) -> list[NewEvent]:
        """What the stages behind ``ingested`` say of the newest revision in these versions."""
        assert self.head is not None
        extracted = self._step(
            MemoryExtracted(extractor_kind="rules", extractor_model="rules", windows=[], entry_count=len(remarks)),
            self.head,
            versions["memory_extracted"],
        )
        aligned = self._step(
            EvidenceAligned(
                source_event_id=self.head.event_id,
                extraction_event_id=extracted.event_id,
                windows=[],
                aligned_count=sum(remark.quoted for remark in remarks),
                failed_count=sum(not remark.quoted for remark in remarks),
                methods={},
            ),
            extracted,
            versions["evidence_aligned"],
        )
        entries = [
            self._entry(remark, ordinal, aligned, versions["entries_materialized"]) for ordinal, remark in enumerate(remarks)
        ]
        materialized = self._step(
            EntriesMaterialized(alignment_event_id=aligned.event_id, entries=[entry.event_id for entry in entries]),
            aligned,
            versions["entries_materialized"],
        )
        checked = self._step(
            IdrisChecked(
                materialized_event_id=materialized.event_id,
                verdicts=[VerdictRecord(checker="embedded", checker_version="1", accepted=True)],
            ),
            materialized,
            versions["idris_checked"],
        )
        judged = [
            self._judged(remark, entry, versions["idris_checked"]) for remark, entry in zip(remarks, entries, strict=True)
        ]
        projected = self._step(SessionProjected(checked_event_id=checked.event_id), checked, versions["session_projected"])
        vectorized = self._step(
            SessionVectorized(projected_event_id=projected.event_id, embedding_version=versions["session_vectorized"]),
            projected,
            versions["session_vectorized"],
        )
        return [extracted, aligned, *entries, materialized, checked, *judged, projected, vectorized]

    def forget(self) -> NewEvent:
        """The session is to be forgotten."""
        return NewEvent(
            SessionForgotten(reason="asked"), session_id=self.session_id, inputs=(self.chain_id or "", str(self.revision))
        )

    def entry_id(self, remark: Remark) -> str:
        """The id of an entry of this session."""
        return typed_id(
            "ent",
            self.session_id,
            remark.entry_type,
            remark.title,
            f"m{remark.message_index}",
            self.texts[remark.message_index],
        )

    def _entry(self, remark: Remark, ordinal: int, aligned: NewEvent, version: str) -> NewEvent:
        text = self.texts[remark.message_index]
        return self._step(
            EntryMaterialized(
                entry_id=self.entry_id(remark),
                entry_type=remark.entry_type,
                title=remark.title,
                canonical_key=normalize(remark.title),
                evidence=[
                    _quoted(text, remark.message_index, critical=remark.critical)
                    if remark.quoted
                    else _unquoted(text, remark.message_index)
                ],
                evidence_aligned=remark.quoted,
                message_index=remark.message_index,
                ordinal=ordinal,
                status=remark.status,
                priority=remark.priority,
                blocked_by=list(remark.blocked_by),
                aligner_version="aligner 1",
            ),
            aligned,
            version,
            ordinal=ordinal,
            at=self.started + timedelta(seconds=remark.message_index),
        )

    def _judged(self, remark: Remark, entry: NewEvent, version: str) -> NewEvent:
        told: dict[str, Any] = {
            "entry_id": self.entry_id(remark),
            "from_stage": "candidate",
            "policy_version": "1",
            "checker": remark.checker,
        }
        payload: Payload
        if remark.promoted is None:
            payload = EntryPromotionRejected(**told, to_stage="verified", gates={"aligned": False}, reason="aligned")
        else:
            payload = EntryPromoted(**told, to_stage=remark.promoted, gates={"aligned": True})
        return self._step(payload, entry, version)

    def _step(
        self, payload: Payload, after: NewEvent, version: str, *, ordinal: int = 0, at: datetime | None = None
    ) -> NewEvent:
        return NewEvent(
            payload,
            session_id=self.session_id,
            inputs=(after.event_id,),
            stage_version=version,
            ordinal=ordinal,
            occurred_at=at or self.started,
            causation_id=after.event_id,
            chain_id=self.chain_id,
            project=self.project,
        )


def _quoted(text: str, message_index: int, *, critical: bool) -> EvidenceRecord:
    return EvidenceRecord(
        message_index=message_index,
        claimed_message_index=message_index,
        quote=text,
        quote_hash=sha256_hex(text),
        span_start=0,
        span_end=len(text),
        segments=[(0, len(text))],
        matched_text=text,
        method="exact",
        confidence=1.0,
        similarity=1.0,
        critical=critical,
    )


def _unquoted(text: str, message_index: int) -> EvidenceRecord:
    return EvidenceRecord(
        claimed_message_index=message_index,
        quote=text,
        quote_hash=sha256_hex(text),
        method="none",
        confidence=0.0,
        failure_reason="not_found",
    )


def other_versions(stage: str, version: str) -> dict[str, str]:
    """The configured versions with one of them changed."""
    event_type = CHAIN[stage]  # type: ignore[index]
    return VERSIONS | {event_type: version}


# Columns that hold when something was appended: the one thing in which two orders of the same sessions differ.
APPEND_TIMES: Mapping[str, frozenset[str]] = {
    "entries": frozenset({"created_at"}),
    "idris_checks": frozenset({"checked_at"}),
    "promotions": frozenset({"ts"}),
    "quarantine": frozenset({"quarantined_at"}),
    "source_files": frozenset({"registered_at"}),
}


def tables(database: Database, *, without: Mapping[str, frozenset[str]] | None = None) -> dict[str, list[dict[str, Any]]]:
    """Every derived table, its rows in an order of their own, but for the columns ``without`` (by table)."""
    found: dict[str, list[dict[str, Any]]] = {}
    with database.reading() as connection:
        for table in derived_tables():
            left_out = (without or {}).get(table, frozenset())
            cursor = connection.execute(f"SELECT * FROM {table}")
            names = [column[0] for column in cursor.description or []]
            told = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
            kept = [{name: value for name, value in row.items() if name not in left_out} for row in told]
            found[table] = sorted(kept, key=repr)
    return found


def rows(database: Database, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """What a query of the store gives."""
    with database.reading() as connection:
        return connection.execute(statement, list(parameters)).fetchall()


def shuffled(streams: list[list[list[NewEvent]]], chance: Random) -> list[list[NewEvent]]:
    """All batches, those of one session in their own order."""
    order = [number for number, batches in enumerate(streams) for _ in batches]
    chance.shuffle(order)
    waiting = [iter(batches) for batches in streams]
    return [next(waiting[number]) for number in order]


def folded(folder: Path, batches: Sequence[list[NewEvent]], resolve: Sequence[bool]) -> Database:
    """A store that was folded after each batch, and resolved at the end."""
    database = Database(folder)
    for batch, resolved in zip(batches, resolve, strict=True):
        EventLog(database).append(batch)
        catch_up(database, VERSIONS, resolve=resolved)
    catch_up(database, VERSIONS, resolve=True)
    return database
