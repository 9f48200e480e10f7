"""``idris_checked``: a module a session is generated and judged; proved entries are promoted."""

import time
from collections.abc import Iterator, Mapping
from datetime import UTC
from typing import Any

import dagster as dg

from memory_assets.defs.batch import (
    SessionResult,
    StageOutput,
    handed_on,
    milliseconds_since,
    quarantine_check,
    run_stage,
    session_keys,
)
from memory_assets.defs.resources import EventLogResource, OpenStore
from memory_assets.defs.stages.stage_asset import stage_asset
from memory_assets.graduation.policy import Promoted, PromotionFacts, Refused, decide
from memory_assets.graduation.proofs.checker import CheckedSession, check_sessions, checker_labels
from memory_assets.graduation.proofs.idris2_verdicts import Idris2
from memory_assets.graduation.proofs.model import Verdict
from memory_assets.graduation.proofs.reproof import reprove
from memory_assets.log.errors import StoreError
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.payloads.entries import EntryMaterialized
from memory_assets.log.payloads.graduation import (
    EntryPromoted,
    EntryPromotionRejected,
    IdrisChecked,
)
from memory_assets.log.proof_session import is_flawless, proof_session
from memory_assets.log.proofs import Proofs, label_of, module_records, proofs_of, says_the_same, verdict_record
from memory_assets.log.session_history import History, Materialization
from memory_assets.stopping import stop_if_asked

SHOWN = 20


@stage_asset(
    "idris_checked",
    kinds={"python", "idris"},
    checks={
        "verified_is_proved_and_aligned": "What is Verified in this run's sessions is proved by its modules, and its "
        "quotes were found.",
        "checkers_agree": "No two checkers gave different verdicts on a session of this run.",
    },
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
    opened = event_log.opened
    ready = histories.keys() & materializations.keys()
    stop_if_asked()
    opened.road.at("idris_checked")
    compiler = opened.resources.usable_idris2
    wanted = checker_labels(compiler)

    before = proofs_of(opened.log, sorted(ready), opened.versions["idris_checked"])
    waiting = [name for name in sorted(ready) if not before[name].stands(materializations[name].event_id, wanted)]
    started = time.perf_counter()
    judged = _judged_together(waiting, histories, materializations, compiler)
    together_ms = milliseconds_since(started)

    def work(session_id: str) -> SessionResult:
        history, materialization, proofs = histories[session_id], materializations[session_id], before[session_id]
        if session_id not in waiting:
            return standing(materialization, proofs)
        checked = judged.get(session_id) or _judge_alone(history, materialization, compiler)
        return prove(history, materialization, checked, proofs, wanted, opened)

    output = run_stage(context, event_log, "idris_checked", session_keys(context), ready, work, together_ms=together_ms)
    silent = sorted({note for checked in judged.values() for note in checked.notes})
    if silent:
        context.log.warning("; ".join(silent))
    yield handed_on(context, output)

    # From here on the log has what this run says: what is checked is what will be read.
    after = proofs_of(opened.log, sorted(ready), opened.versions["idris_checked"])
    yield quarantine_check(event_log, output)
    yield _verified_check(histories, materializations, after)
    yield _agreement_check(after)


def _judged_together(
    session_ids: list[str],
    histories: Mapping[str, History],
    materializations: Mapping[str, Materialization],
    compiler: Idris2 | None,
) -> dict[str, CheckedSession]:
    """All sessions at once, so that the compiler gets them in batches. When one of them makes it fail, none is judged here:
    each is then judged alone, and the one that is to blame is put aside."""
    try:
        sessions = [proof_session(histories[name], materializations[name]) for name in session_ids]
        return check_sessions(sessions, idris2=compiler, stopwatch=time.perf_counter)
    except StoreError:
        raise
    except Exception:
        return {}


def _judge_alone(history: History, materialization: Materialization, compiler: Idris2 | None) -> CheckedSession:
    session = proof_session(history, materialization)
    return check_sessions([session], idris2=compiler, stopwatch=time.perf_counter)[history.session_id]


def standing(materialization: Materialization, proofs: Proofs) -> SessionResult:
    """A session that every checker has judged as it is now is not judged again."""
    assert proofs.checked is not None
    judgements = [proofs.judgements.get(event.event_id) for event, _ in materialization.entries]
    verified = sum(found is not None and isinstance(found.payload, EntryPromoted) for found in judgements)
    metadata = _metadata(proofs.checked.payload, len(judgements), verified) | {"judged": "before"}
    return SessionResult(metadata=metadata, standing=proofs.checked.event.event_id)


def prove(
    history: History,
    materialization: Materialization,
    checked: CheckedSession,
    proofs: Proofs,
    wanted: tuple[str, ...],
    opened: OpenStore,
) -> SessionResult:
    """The verdict on a session and what follows from it for each entry."""
    version = opened.versions["idris_checked"]
    verdict = checked.verdict
    silent = verdict.label != wanted[-1]
    event = _checked_event(history, materialization, checked, version)
    result = SessionResult(events=[event])
    verified = 0
    for entry_event, entry in materialization.entries:
        outcome = _decide(entry, checked, require_idris2=opened.settings.graduation.require_idris2)
        before = proofs.judgements.get(entry_event.event_id)
        if silent and before is not None and before.payload.checker == wanted[-1]:
            # A checker that is silent today takes nothing back of what it said of the same entry. But what it proved stands
            # only as long as no other checker refuses it.
            promoted = isinstance(before.payload, EntryPromoted)
            if not promoted or entry.entry_id in checked.proved:
                verified += promoted
                continue
        verified += isinstance(outcome, Promoted)
        payload = _promotion(entry, outcome, verdict)
        if before is None or not says_the_same(before.event, payload):
            result.events.append(_promotion_event(history, entry_event, payload, before.event if before else None, version))
    assert isinstance(event.payload, IdrisChecked)
    result.metadata = _metadata(event.payload, len(materialization.entries), verified) | {
        "judged": "now",
        "proof_ms": round(sum(checked.durations_ms.values()), 2),
        "notes": "; ".join(checked.notes) or "none",
    }
    return result


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


# -- events ------------------------------------------------------------------------------------------------------------


def _checked_event(history: History, materialization: Materialization, checked: CheckedSession, version: str) -> NewEvent:
    payload = IdrisChecked(
        materialized_event_id=materialization.event_id,
        verdicts=[verdict_record(verdict) for verdict in checked.verdicts],
        disagreement=checked.disagreement,
        failed_entries=sorted(checked.failed),
        proved_by=[] if checked.proved_by == checked.verdict.modules else module_records(checked.proved_by),
    )
    return history.event(
        payload,
        # Who gave a verdict is part of what the event is: when a checker that was silent speaks, that is another event.
        inputs=(materialization.event_id, *(verdict.label for verdict in checked.verdicts)),
        stage_version=version,
        causation_id=materialization.event_id,
        telemetry={f"{name}_ms": round(value, 2) for name, value in checked.durations_ms.items()}
        | ({"notes": list(checked.notes)} if checked.notes else {}),
    )


def _promotion(
    entry: EntryMaterialized, outcome: Promoted | Refused, verdict: Verdict
) -> EntryPromoted | EntryPromotionRejected:
    if isinstance(outcome, Promoted):
        return EntryPromoted(
            entry_id=entry.entry_id,
            from_stage=outcome.from_stage,
            to_stage=outcome.to_stage,
            policy_version=outcome.policy_version,
            checker=outcome.checker,
            gates=outcome.gates,
        )
    return EntryPromotionRejected(
        entry_id=entry.entry_id,
        from_stage=outcome.from_stage,
        to_stage=outcome.to_stage,
        policy_version=outcome.policy_version,
        checker=verdict.label,
        gates=outcome.gates,
        reason=outcome.reason,
        failed_quotes=list(outcome.failed_quotes),
    )


def _promotion_event(
    history: History,
    entry_event: StoredEvent,
    payload: EntryPromoted | EntryPromotionRejected,
    before: StoredEvent | None,
    version: str,
) -> NewEvent:
    said = payload.reason if isinstance(payload, EntryPromotionRejected) else "proved"
    return history.event(
        payload,
        # The entry's own content decides, not the revision that it is part of: a grown session promotes it no second time.
        # What was said of it before is part of this, so that what is said again after something else is another event.
        inputs=(entry_event.event_id, said, payload.checker, *((before.event_id,) if before else ())),
        stage_version=version,
        occurred_at=entry_event.occurred_at.replace(tzinfo=UTC) if entry_event.occurred_at else None,
        causation_id=entry_event.event_id,
    )


# -- what the UI shows -------------------------------------------------------------------------------------------------


def _metadata(checked: IdrisChecked, entries: int, verified: int) -> dict[str, Any]:
    failures = sorted({f"{failure.rule}: {failure.subject}" for v in checked.verdicts for failure in v.rules_failed})
    proving = checked.proved_by or checked.verdicts[-1].modules
    return {
        "entries": entries,
        "held": verified,
        "not_held": entries - verified,
        "refused": len(checked.failed_entries),
        "checker": label_of(checked.verdicts[-1]),
        "checkers": ", ".join(label_of(verdict) for verdict in checked.verdicts),
        "accepted": all(verdict.accepted for verdict in checked.verdicts),
        "disagreement": checked.disagreement,
        "rules_failed": dg.MetadataValue.md(_listed(failures)),
        "modules": dg.MetadataValue.md(_listed([f"{module.name} {module.sha256}" for module in proving])),
    }


def _listed(items: list[str]) -> str:
    more = [f"- … and {len(items) - SHOWN} more"] if len(items) > SHOWN else []
    return "\n".join([*(f"- `{item}`" for item in items[:SHOWN]), *more]) or "none"


def _verified_check(
    histories: Mapping[str, History], materializations: Mapping[str, Materialization], after: Mapping[str, Proofs]
) -> dg.AssetCheckResult:
    wrong = [
        f"{entry_id}: {why}"
        for session_id, proofs in sorted(after.items())
        for entry_id, why in unfounded(histories[session_id], materializations[session_id], proofs)
    ]
    return dg.AssetCheckResult(
        check_name="verified_is_proved_and_aligned",
        passed=not wrong,
        metadata={"entries": len(wrong), "wrong": dg.MetadataValue.md(_listed(wrong))},
    )


def unfounded(history: History, materialization: Materialization, proofs: Proofs) -> list[tuple[str, str]]:
    """Entries that the log calls verified without grounds, each with what is missing.

    Nothing is taken from the policy: the modules are generated again, compared with the recorded ones and judged again.
    """
    promoted = [
        (entry, judgement.payload)
        for event, entry in materialization.entries
        if (judgement := proofs.judgements.get(event.event_id)) is not None and isinstance(judgement.payload, EntryPromoted)
    ]
    if not promoted:
        return []
    if proofs.checked is None:
        return [(entry.entry_id, "no checker gave a verdict on the session") for entry, _ in promoted]
    checked = proofs.checked.payload
    proof = reprove(proof_session(history, materialization), checked.failed_entries)
    recorded = [(module.name, module.sha256) for module in checked.proved_by or checked.verdicts[-1].modules]
    same = proof.is_proved_by(recorded)
    found = []
    for entry, promotion in promoted:
        if not is_flawless(entry):
            found.append((entry.entry_id, "a quote of it was not found, or differs from the source"))
        elif checked.disagreement:
            found.append((entry.entry_id, "the checkers disagree"))
        elif promotion.checker not in proofs.labels:
            found.append((entry.entry_id, f"{promotion.checker or 'nobody'} gave no verdict on the session"))
        elif not same:
            found.append((entry.entry_id, "the modules that were judged are not those of the log"))
        elif entry.entry_id not in proof.proved:
            found.append((entry.entry_id, "the modules do not prove it"))
    return found


def _agreement_check(after: Mapping[str, Proofs]) -> dg.AssetCheckResult:
    disagreeing = sorted(name for name, proofs in after.items() if proofs.checked and proofs.checked.payload.disagreement)
    return dg.AssetCheckResult(
        check_name="checkers_agree", passed=not disagreeing, metadata={"sessions": ", ".join(disagreeing)}
    )
