"""A session's proof: the recorded verdict, and the modules that the log gives now."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory_assets.errors import NotFoundError
from memory_assets.graduation.proofs.embedded import LADDER, WELL_TYPED
from memory_assets.graduation.proofs.error_locations import error_locations
from memory_assets.graduation.proofs.module_writer import Module
from memory_assets.graduation.proofs.reproof import reprove
from memory_assets.log.event_log import EventLog
from memory_assets.log.payloads.graduation import EntryPromotionRejected, IdrisChecked, ModuleRecord
from memory_assets.log.payloads.sessions import SessionIngested
from memory_assets.log.proof_session import proof_session
from memory_assets.log.proofs import Proofs, proofs_of
from memory_assets.log.session_history import histories, materializations
from memory_assets.queries.entries import list_entries
from memory_assets.queries.sessions import one_session

if TYPE_CHECKING:
    from memory_assets.log.database import Database
    from memory_assets.vocabulary import Assurance


@dataclass(frozen=True, slots=True)
class FailedRule:
    """An obligation that does not hold, and the id of what it does not hold for."""

    rule: str
    subject: str


@dataclass(frozen=True, slots=True)
class CheckerVerdict:
    """What one checker said."""

    checker: str
    checker_version: str
    accepted: bool
    rules_failed: tuple[FailedRule, ...]


@dataclass(frozen=True, slots=True)
class ProofModule:
    """A module as the log gives it now.

    Attributes:
        sha256: of ``source``.
        recorded_sha256: of the module that was judged; None where none of that name was.
        windowed: messages of which it holds a window only; the window's offset is taken on trust.
        rules: lines -> the rule that stands there, of obligations alone.
    """

    name: str
    sha256: str
    source: str
    recorded_sha256: str | None
    windowed: tuple[str, ...]
    rules: Mapping[int, FailedRule]

    @property
    def as_recorded(self) -> bool:
        """Whether it is the module that was judged."""
        return self.sha256 == self.recorded_sha256


@dataclass(frozen=True, slots=True)
class ProvedEntry:
    """An entry and what the proof says of it.

    Attributes:
        proved: the modules that stand prove it; without that it may have been refused, or claim less than verified.
        stage: as other sessions and people have lowered or raised it.
        assurance: what was proved of it, as screens say it.
        reason: why it was not promoted; None where it was.
    """

    entry_id: str
    citation: str | None
    entry_type: str
    title: str
    stage: str
    checker: str | None
    proved: bool
    refused: bool
    reason: str | None
    assurance: Assurance


@dataclass(frozen=True, slots=True)
class SessionProof:
    """The proof of one session.

    Attributes:
        accepted: by every checker that gave a verdict.
        checker, checker_version: whose verdict counts.
        rules_failed: of all verdicts.
        modules: of the session as it is; ``proved_by`` those without the entries that were refused, empty where none was.
        as_recorded: the modules that the log gives now are those that were judged.
        obligations: rule -> how many of it the modules hold.
        notes: why a checker that should have judged it said nothing.
    """

    session_id: str
    title: str | None
    accepted: bool
    checker: str
    checker_version: str
    rules_failed: tuple[FailedRule, ...]
    modules: tuple[ProofModule, ...]
    proved_by: tuple[ProofModule, ...]
    as_recorded: bool
    verdicts: tuple[CheckerVerdict, ...]
    disagreement: bool
    entries: tuple[ProvedEntry, ...]
    obligations: Mapping[str, int]
    event_id: str
    checked_at: datetime
    stage_version: str
    durations_ms: Mapping[str, float]
    notes: tuple[str, ...]


def session_proof(database: Database, given: str) -> SessionProof:
    """The proof of a session, by its id or the beginning of it.

    Raises:
        NotFoundError, AmbiguousIdError: there is no such session, or it was not judged yet.
    """
    log = EventLog(database)
    with database.reading() as connection:
        session = one_session(connection, given)
        session_id = session.session_id
        event = log.current([session_id], IdrisChecked.event_type).get(session_id)
        if event is None:
            raise NotFoundError(f"session {session_id} was not judged yet", hint=f"`memory run {session_id}` judges it")
        proofs = proofs_of(log, [session_id], event.stage_version or "")[session_id]
        history = histories(log, log.current([session_id], SessionIngested.event_type))[session_id]
        materialization = materializations(log, [session_id])[session_id]
        shown = {entry.entry_id: entry for entry in list_entries(connection, session_id=session_id, with_context=False)[0]}
    assert proofs.checked is not None
    checked = proofs.checked.payload
    proof = reprove(proof_session(history, materialization), checked.failed_entries)
    recorded = {module.name: module for module in checked.verdicts[-1].modules}
    proving = {module.name: module for module in checked.proved_by} or recorded
    modules = _modules(proof.modules, recorded)
    proved_by = _modules(proof.proving, proving) if checked.proved_by else ()
    as_recorded = all(module.as_recorded for module in (*modules, *proved_by)) and len(modules) == len(recorded)
    measured = json.loads(event.telemetry_json or "{}")
    entries = []
    for entry_event, entry in materialization.entries:
        view = shown.get(entry.entry_id)
        entries.append(
            ProvedEntry(
                entry_id=entry.entry_id,
                citation=view.citation if view else None,
                entry_type=entry.entry_type,
                title=entry.title,
                stage=view.stage if view else "working",
                checker=view.checker if view else None,
                proved=as_recorded and not checked.disagreement and entry.entry_id in proof.proved,
                refused=entry.entry_id in checked.failed_entries,
                reason=_reason(proofs, entry_event.event_id),
                assurance=(view.assurance if view else None) or "quoted",
            )
        )
    return SessionProof(
        session_id=session_id,
        title=session.title,
        accepted=all(verdict.accepted for verdict in checked.verdicts),
        checker=checked.verdicts[-1].checker,
        checker_version=checked.verdicts[-1].checker_version,
        rules_failed=_failed((f.rule, f.subject) for verdict in checked.verdicts for f in verdict.rules_failed),
        modules=modules,
        proved_by=proved_by,
        as_recorded=as_recorded,
        verdicts=tuple(
            CheckerVerdict(v.checker, v.checker_version, v.accepted, _failed((f.rule, f.subject) for f in v.rules_failed))
            for v in checked.verdicts
        ),
        disagreement=checked.disagreement,
        entries=tuple(entries),
        obligations=dict(sorted(Counter(at.rule for module in modules for at in module.rules.values()).items())),
        event_id=event.event_id,
        checked_at=event.ts.replace(tzinfo=UTC),
        stage_version=event.stage_version or "",
        durations_ms={name: float(value) for name, value in measured.items() if name.endswith("_ms")},
        notes=tuple(measured.get("notes", ())),
    )


def _failed(pairs: Iterable[tuple[str, str]]) -> tuple[FailedRule, ...]:
    return tuple(FailedRule(rule, subject) for rule, subject in sorted(set(pairs)))


def _modules(modules: Sequence[Module], recorded: Mapping[str, ModuleRecord]) -> tuple[ProofModule, ...]:
    return tuple(
        ProofModule(
            name=module.name,
            sha256=module.hashed.sha256,
            source=module.source,
            recorded_sha256=recorded[module.name].sha256 if module.name in recorded else None,
            windowed=module.windowed,
            rules={
                line: FailedRule(at.rule, at.subject)
                for line, at in error_locations(module.source).items()
                if at.rule not in (LADDER, WELL_TYPED)
            },
        )
        for module in modules
    )


def _reason(proofs: Proofs, entry_event_id: str) -> str | None:
    judgement = proofs.judgements.get(entry_event_id)
    if judgement is None:
        return "not judged yet"
    return judgement.payload.reason if isinstance(judgement.payload, EntryPromotionRejected) else None
