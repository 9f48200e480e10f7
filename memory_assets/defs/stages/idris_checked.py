"""``idris_checked``: a module a session is generated and judged; proved entries are promoted."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg

from memory_assets import configuration
from memory_assets.defs.batch import SessionResult, StageOutput, quarantine_check, run_stage, session_keys
from memory_assets.defs.partitions import backfill_policy, sessions_partitions
from memory_assets.defs.resources import EventLogResource, OpenStore
from memory_assets.graduation.checker import CheckedSession, check_sessions
from memory_assets.graduation.idris2 import Idris2
from memory_assets.graduation.model import ProofEntry, ProofEvidence, ProofMessage, ProofSession, Verdict
from memory_assets.graduation.policy import Promoted, PromotionFacts, Refused, decide
from memory_assets.log.chain import History, Materialization
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.payloads import (
    EntryMaterialized,
    EntryPromoted,
    EntryPromotionRejected,
    IdrisChecked,
    ModuleRecord,
    RuleFailureRecord,
    Stage,
    VerdictRecord,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dg.asset(
    partitions_def=sessions_partitions,
    backfill_policy=backfill_policy,
    group_name="graduation",
    kinds={"python", "idris"},
    owners=["team:memory"],
    pool="duckdb_write",
    code_version="1",
    check_specs=[
        dg.AssetCheckSpec("no_session_put_aside", asset="idris_checked"),
        dg.AssetCheckSpec("verified_is_proved_and_aligned", asset="idris_checked"),
        dg.AssetCheckSpec("checkers_agree", asset="idris_checked"),
    ],
    description="""A proof module a session, judged by the embedded checker and by idris2 where there is one.

- **reads** the entries, their spans and the messages that they cite
- **writes** `idris_checked`, and `entry_promoted` or `entry_promotion_rejected` for each entry
- **guarantees** that a verified entry is proved and every quote of it is aligned without a critical difference
""",
)
def idris_checked(
    context: dg.AssetExecutionContext,
    event_log: EventLogResource,
    ingested: dict[str, Any],
    materialized: dict[str, Any],
) -> Iterator[dg.Output[StageOutput] | dg.AssetCheckResult]:
    histories: dict[str, History] = ingested
    materializations: dict[str, Materialization] = materialized
    compiler = configuration.usable_idris2(event_log.opened.settings)
    output = run_stage(
        context,
        event_log,
        "idris_checked",
        session_keys(context),
        histories.keys() & materializations.keys(),
        lambda session_id: prove(histories[session_id], materializations[session_id], compiler, event_log.opened),
    )
    yield dg.Output(output)
    yield quarantine_check(output)
    yield _verified_check(output, materializations)
    disagreeing = [
        str(event.session_id)
        for event in output.events
        if isinstance(event.payload, IdrisChecked) and event.payload.disagreement
    ]
    yield dg.AssetCheckResult(
        check_name="checkers_agree", passed=not disagreeing, metadata={"sessions": ", ".join(disagreeing)}
    )


def prove(history: History, materialization: Materialization, compiler: Idris2 | None, opened: OpenStore) -> SessionResult:
    """The verdict on a session and what follows from it for each entry."""
    version = opened.versions["idris_checked"]
    session = proof_session(history, materialization)
    checked = check_sessions([session], idris2=compiler, stopwatch=time.perf_counter)[history.session_id]
    decisions = [
        (entry_event, entry, _decide(entry, checked, require_idris2=opened.settings.graduation.require_idris2))
        for entry_event, entry in materialization.entries
    ]
    result = SessionResult(events=[_judged(history, materialization, checked, version)])
    result.events += [
        _promotion(history, entry_event, entry, outcome, checked.verdict, version) for entry_event, entry, outcome in decisions
    ]
    promoted = sum(isinstance(outcome, Promoted) for _, _, outcome in decisions)
    failures = sorted({f"{failure.rule}: {failure.subject}" for v in checked.verdicts for failure in v.rules_failed})
    result.metadata = {
        "entries": len(decisions),
        "verified": promoted,
        "not_verified": len(decisions) - promoted,
        "checker": checked.verdict.label,
        "accepted": checked.accepted,
        "rules_failed": dg.MetadataValue.md("\n".join(f"- `{failure}`" for failure in failures[:20]) or "none"),
        "notes": "; ".join(checked.notes) or "none",
    }
    return result


def proof_session(history: History, materialization: Materialization) -> ProofSession:
    """What is to be proved of a session: its entries' spans against the messages that they cite."""
    cited = {
        record.message_index
        for _, entry in materialization.entries
        for record in entry.evidence
        if record.message_index is not None
    }
    return ProofSession(
        session_id=history.session_id,
        messages=tuple(
            ProofMessage(
                message_id=f"msg-{index:06d}",
                occurred_at_ms=(history.said_at(index) - EPOCH) // timedelta(milliseconds=1),
                text=history.messages[index].text,
            )
            for index in sorted(cited)
        ),
        entries=tuple(
            ProofEntry(
                entry_id=entry.entry_id,
                entry_type=entry.entry_type,
                title=entry.title,
                evidence=_proof_evidence(entry),
                failed_count=sum(record.method == "none" for record in entry.evidence),
            )
            for _, entry in materialization.entries
        ),
    )


def _proof_evidence(entry: EntryMaterialized) -> tuple[ProofEvidence, ...]:
    evidence = []
    for place, record in enumerate(entry.evidence):
        if (
            record.method == "none"
            or record.message_index is None
            or record.span_start is None
            or record.span_end is None
            or record.matched_text is None
        ):
            continue
        evidence.append(
            ProofEvidence(
                evidence_id=f"{entry.entry_id}-{place:03d}",
                message_id=f"msg-{record.message_index:06d}",
                method=record.method,
                confidence=record.confidence,
                span_start=record.span_start,
                span_end=record.span_end,
                quote=record.quote,
                matched_text=record.matched_text,
                segments=tuple(record.segments),
            )
        )
    return tuple(evidence)


def _decide(entry: EntryMaterialized, checked: CheckedSession, *, require_idris2: bool) -> Promoted | Refused:
    verdict = checked.verdict
    aligned = [record for record in entry.evidence if record.method != "none"]
    return decide(
        PromotionFacts(
            entry_id=entry.entry_id,
            stage="candidate",
            aligned_quotes=len(aligned),
            failed_quotes=tuple(record.quote for record in entry.evidence if record.method == "none"),
            critical_quotes=tuple(record.quote for record in aligned if record.critical),
            module_generated=True,
            checker=verdict.checker,
            checker_version=verdict.checker_version,
            proof_passed=entry.entry_id in checked.proved,
            disagreement=checked.disagreement,
            require_idris2=require_idris2,
        )
    )


def _judged(history: History, materialization: Materialization, checked: CheckedSession, version: str) -> NewEvent:
    return history.event(
        IdrisChecked(
            materialized_event_id=materialization.event_id,
            verdicts=[
                VerdictRecord(
                    checker=verdict.checker,
                    checker_version=verdict.checker_version,
                    accepted=verdict.accepted,
                    rules_failed=[RuleFailureRecord(rule=f.rule, subject=f.subject) for f in verdict.rules_failed],
                    modules=[ModuleRecord(name=module.name, sha256=module.sha256) for module in verdict.modules],
                )
                for verdict in checked.verdicts
            ],
            disagreement=checked.disagreement,
        ),
        inputs=(materialization.event_id,),
        stage_version=version,
        causation_id=materialization.event_id,
        telemetry={f"{name}_ms": round(value, 2) for name, value in checked.durations_ms.items()},
    )


def _promotion(
    history: History,
    entry_event: StoredEvent,
    entry: EntryMaterialized,
    outcome: Promoted | Refused,
    verdict: Verdict,
    version: str,
) -> NewEvent:
    from_stage: Stage = outcome.from_stage
    payload: EntryPromoted | EntryPromotionRejected
    if isinstance(outcome, Promoted):
        payload = EntryPromoted(
            entry_id=entry.entry_id,
            from_stage=from_stage,
            to_stage=outcome.to_stage,
            policy_version=outcome.policy_version,
            checker=outcome.checker,
            gates=outcome.gates,
        )
    else:
        payload = EntryPromotionRejected(
            entry_id=entry.entry_id,
            from_stage=from_stage,
            to_stage=outcome.to_stage,
            policy_version=outcome.policy_version,
            checker=verdict.label,
            gates=outcome.gates,
            reason=outcome.reason,
            failed_quotes=list(outcome.failed_quotes),
        )
    return history.event(
        payload,
        # The entry's own content decides, not the revision that it is part of: a grown session promotes it no second time.
        inputs=(entry_event.event_id, "proved" if isinstance(outcome, Promoted) else outcome.reason),
        stage_version=version,
        occurred_at=entry_event.occurred_at.replace(tzinfo=UTC) if entry_event.occurred_at else None,
        causation_id=entry_event.event_id,
    )


def _verified_check(output: StageOutput, materializations: dict[str, Materialization]) -> dg.AssetCheckResult:
    entries = {entry.entry_id: entry for found in materializations.values() for _, entry in found.entries}
    wrong = [
        event.payload.entry_id
        for event in output.events
        if isinstance(event.payload, EntryPromoted)
        and not all(record.method != "none" and not record.critical for record in entries[event.payload.entry_id].evidence)
    ]
    return dg.AssetCheckResult(
        check_name="verified_is_proved_and_aligned", passed=not wrong, metadata={"entries": ", ".join(wrong[:20])}
    )
