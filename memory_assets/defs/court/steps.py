"""``court_case``, ``court_statements``, ``court_judgement``: a session is heard, step by step."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

import dagster as dg

from memory_assets.court.detectors import findings_of
from memory_assets.court.judge import judge
from memory_assets.defs.court.batch import CourtOutput, Step, court_asset, handed_on, heard_check, run_step
from memory_assets.defs.court.model_hearing import cost_of, model_judgement, model_statements
from memory_assets.defs.resources import EventLogResource
from memory_assets.log.events import StoredEvent
from memory_assets.log.hearings import findings_in, heard, judged, statements
from memory_assets.log.hearings_read import Hearings
from memory_assets.log.payloads.court import CourtStatementRecorded, JudgementRendered
from memory_assets.log.session_history import History
from memory_assets.log.upcasting import payload_as

Told = Iterator[dg.Output[CourtOutput] | dg.AssetCheckResult]


@court_asset(
    "court_case",
    description="""A session as a case: its masked messages, each an event that a claim may name.

- **reads** the session's newest history
- **writes** `case_opened`
- **guarantees** that a growing session is one case, and that the same history heard by the same court is opened once
""",
)
def court_case(context: dg.AssetExecutionContext, event_log: EventLogResource, ingested: dict[str, Any]) -> Told:
    opened = event_log.opened
    histories: dict[str, History] = ingested
    backend: Literal["embedded", "model"] = "model" if opened.settings.court.model else "embedded"
    hearings = Hearings(opened.log, list(histories), opened.resources.court_version, backend=backend)

    def open_case(session_id: str) -> Step | None:
        history = histories[session_id]
        if history.heading.source_format == "correction":
            return None
        new, known = hearings.opening(history), hearings.opened(history)
        said = {"events": len(history.messages), "revision": history.revision}
        if new is not None:
            return Step([new], new.event_id, said, history.event_id)
        assert known is not None
        return Step([], known.event_id, said)

    output = run_step(context, event_log, histories, open_case, label="opening cases")
    yield handed_on(context, output)
    yield heard_check(output)


@court_asset(
    "court_statements",
    description="""What the prosecutor, the defense and the jury claim of a case, each claim with the words that show it.

- **reads** the case
- **writes** three `court_statement_recorded`
- **guarantees** that the same case gives the same claims, to the byte, where no model is named; and that a model, where
  `court.model` names one, is asked once for each of the three, and once more at the most
""",
)
def court_statements(context: dg.AssetExecutionContext, event_log: EventLogResource, court_case: dict[str, Any]) -> Told:
    opened = event_log.opened
    cases: dict[str, StoredEvent] = court_case
    policy = opened.resources.court_policy
    version = opened.resources.court_version_by(policy)
    hearings = Hearings(opened.log, list(cases), version)
    histories = opened.histories(list(cases))
    court = opened.resources.new_model_court(policy)

    def state(session_id: str) -> Step:
        case_opened = cases[session_id]
        known = hearings.statements(session_id, case_opened.event_id)
        if known:
            told = [payload_as(event, CourtStatementRecorded) for event in known]
            return Step([], known[-1].event_id, _claims(told))
        history = histories[session_id]
        if court is not None:
            said = model_statements(opened, court, history, case_opened.event_id, version)
            claims = _claims([payload_as(event, CourtStatementRecorded) for event in said])
            return Step([], said[-1].event_id, claims | cost_of(said))
        new = statements(history, case_opened.event_id, findings_of(heard(history)), version)
        spoken = [event.payload for event in new if isinstance(event.payload, CourtStatementRecorded)]
        return Step(new, new[-1].event_id, _claims(spoken), history.event_id)

    output = run_step(context, event_log, cases, state, label="hearing cases")
    yield handed_on(context, output)
    yield heard_check(output)


@court_asset(
    "court_judgement",
    description="""What the judge keeps of the claims, by the policy in force (`memory policy`), and why of the rest.

- **reads** the three statements
- **writes** `judgement_rendered`, `lesson_accepted` for each lesson, `improvement_recorded` for what people or the system could
  do better
- **asks** the model that `court.model` names, if any, which claims to keep; it can add none
- **guarantees** that every lesson quotes its case, character by character, and nothing that a program put there
""",
)
def court_judgement(context: dg.AssetExecutionContext, event_log: EventLogResource, court_statements: dict[str, Any]) -> Told:
    opened = event_log.opened
    spoken: dict[str, list[StoredEvent]] = court_statements
    # The judgement names the policy that it was made by: also where another one is activated while it is made.
    policy = opened.resources.court_policy
    version = opened.resources.court_version_by(policy)
    hearings = Hearings(opened.log, list(spoken), version)
    histories = opened.histories(list(spoken))
    court = opened.resources.new_model_court(policy)

    def decide(session_id: str) -> Step:
        told = spoken[session_id]
        opened_id = str(told[0].causation_id)
        known = hearings.judgement(session_id, opened_id)
        if known is not None:
            return Step([], known.event_id, _decided(payload_as(known, JudgementRendered)))
        history = histories[session_id]
        if court is not None:
            decision, *_ = model_judgement(opened, court, history, told, version, policy)
            return Step([], decision.event_id, _decided(payload_as(decision, JudgementRendered)) | cost_of([decision]))
        findings = findings_in(history, (payload_as(event, CourtStatementRecorded) for event in told))
        judgement = judge(heard(history), findings, policy)
        new = judged(history, opened_id, [event.event_id for event in told], judgement, version)
        rendered = new[0].payload
        assert isinstance(rendered, JudgementRendered)
        return Step(new, new[0].event_id, _decided(rendered), history.event_id)

    output = run_step(context, event_log, spoken, decide, label="judging cases")
    yield handed_on(context, output)
    yield heard_check(output)


def _claims(told: list[CourtStatementRecorded]) -> dict[str, Any]:
    kinds = Counter(claim.kind for statement in told for claim in statement.claims)
    return {
        **{statement.court_role: len(statement.claims) for statement in told},
        "dropped": sum(sum(statement.dropped.values()) for statement in told),
        "by_kind": ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())) or "nothing was found",
    }


def _decided(judgement: JudgementRendered) -> dict[str, Any]:
    reasons = Counter(one.reason.split(" clm_")[0] for one in judgement.deferred)
    return {
        "kept": len(judgement.selected),
        "deferred": len(judgement.deferred),
        "why": dg.MetadataValue.md("\n".join(f"- {count} × {reason}" for reason, count in sorted(reasons.items())) or "-"),
        "policy": judgement.policy_version,
    }
