"""What the log says of sessions' proofs: the current verdict, and the newest judgement of each entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory_assets.graduation.proofs.model import ModuleHash, Verdict
from memory_assets.identifiers import sha256_hex
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import StoredEvent, payload_text
from memory_assets.log.payloads.base import Payload
from memory_assets.log.payloads.graduation import (
    EntryPromoted,
    EntryPromotionRejected,
    IdrisChecked,
    ModuleRecord,
    RuleFailureRecord,
    VerdictRecord,
)
from memory_assets.log.upcasting import payload_as, read_payload


@dataclass(frozen=True, slots=True)
class Checked:
    """A session's verdicts, and the event that holds them."""

    event: StoredEvent
    payload: IdrisChecked


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether an entry rose to verified on its session's word alone, and the event that says so."""

    event: StoredEvent
    payload: EntryPromoted | EntryPromotionRejected


@dataclass(frozen=True, slots=True)
class Proofs:
    """What is known of a session's proof under one version of the stage.

    Attributes:
        checked: of the session as it is now; None where it was not judged yet.
        judgements: id of the event that holds the entry -> the newest judgement of it.
        labels: checkers that ever gave a verdict on the session under this version.
    """

    checked: Checked | None
    judgements: Mapping[str, Judgement]
    labels: frozenset[str]

    def stands(self, materialization_event_id: str, wanted: Sequence[str]) -> bool:
        """Whether every wanted checker has judged these entries: then there is nothing left to do."""
        if self.checked is None or self.checked.event.causation_id != materialization_event_id:
            return False
        return [label_of(verdict) for verdict in self.checked.payload.verdicts] == list(wanted)


def label_of(verdict: VerdictRecord) -> str:
    """The checker's name as it stands behind a stage: ``embedded 1``, ``idris2 0.8.0``."""
    return f"{verdict.checker} {verdict.checker_version}"


def verdict_record(verdict: Verdict) -> VerdictRecord:
    """A checker's verdict as the log keeps it: rules, ids and hashes, never what a compiler printed."""
    return VerdictRecord(
        checker=verdict.checker,
        checker_version=verdict.checker_version,
        accepted=verdict.accepted,
        rules_failed=[RuleFailureRecord(rule=failure.rule, subject=failure.subject) for failure in verdict.rules_failed],
        modules=module_records(verdict.modules),
    )


def module_records(modules: Sequence[ModuleHash]) -> list[ModuleRecord]:
    """The modules that were judged, by their hashes."""
    return [ModuleRecord(name=module.name, sha256=module.sha256, windowed=list(module.windowed)) for module in modules]


def says_the_same(event: StoredEvent, payload: Payload) -> bool:
    """Whether an event holds just this payload."""
    return event.event_type == payload.event_type and event.checksum == sha256_hex(payload_text(payload))


def proofs_of(log: EventLog, session_ids: Sequence[str], version: str) -> dict[str, Proofs]:
    """What is known of each session's proof; ``version`` is that of the stage ``idris_checked``."""
    if not session_ids:
        return {}
    current = log.current(session_ids, IdrisChecked.event_type)
    told = log.of_sessions(session_ids, [IdrisChecked.event_type, EntryPromoted.event_type, EntryPromotionRejected.event_type])
    labels: dict[str, set[str]] = {session_id: set() for session_id in session_ids}
    judgements: dict[str, dict[str, Judgement]] = {session_id: {} for session_id in session_ids}
    for event in told:  # in commit order: the newest comes last
        if event.stage_version != version:
            continue
        payload = read_payload(event)
        session_id = str(event.session_id)
        match payload:
            case IdrisChecked():
                labels[session_id].update(map(label_of, payload.verdicts))
            case EntryPromoted() | EntryPromotionRejected() if payload.to_stage == "verified" and event.causation_id:
                judgements[session_id][event.causation_id] = Judgement(event, payload)
    return {
        session_id: Proofs(
            Checked(current[session_id], payload_as(current[session_id], IdrisChecked)) if session_id in current else None,
            judgements[session_id],
            frozenset(labels[session_id]),
        )
        for session_id in session_ids
    }
