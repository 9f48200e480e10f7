"""A case heard by a model: what it said is in the log before the next case is heard, for it is paid for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memory_assets.court.model.decision import decided, unknown_numbers
from memory_assets.court.model.errors import HearingFailed
from memory_assets.log.errors import HeadMovedError
from memory_assets.log.hearings import Saying, findings_in, heard, judged, statements
from memory_assets.log.payloads.court import CourtStatementRecorded
from memory_assets.log.payloads.sessions import SessionIngested
from memory_assets.log.upcasting import payload_as

if TYPE_CHECKING:
    from memory_assets.court.model.llm import ModelCourt
    from memory_assets.court.policy import Policy
    from memory_assets.defs.resources import OpenStore
    from memory_assets.log.events import NewEvent, StoredEvent
    from memory_assets.log.session_history import History


def model_statements(opened: OpenStore, court: ModelCourt, history: History, opened_id: str, version: str) -> list[StoredEvent]:
    """What the three said of an opened case.

    Raises:
        HearingFailed, CourtUnavailable: nothing is written of what the others said; it is paid for all the same.
    """
    check_current(opened, history)
    try:
        told = court.statements(heard(history))
    except HearingFailed as failure:
        opened.paid(failure.spent)
        raise
    for statement in told.values():
        opened.paid(statement.spent)
    sayings = {
        role: Saying(_actor(court), one.kept.speculation, one.kept.dropped, one.spent.as_json()) for role, one in told.items()
    }
    findings = [finding for statement in told.values() for finding in statement.kept.findings]
    return _kept(opened, history, statements(history, opened_id, findings, version, sayings))


def model_judgement(
    opened: OpenStore, court: ModelCourt, history: History, told: Sequence[StoredEvent], version: str, policy: Policy
) -> list[StoredEvent]:
    """The judgement of a case, with what it gives.

    Args:
        told: the three statements.

    Raises:
        HearingFailed, CourtUnavailable: nothing is written; the statements stand, and the next run asks the judge alone.
    """
    case = heard(history)
    payloads = [payload_as(event, CourtStatementRecorded) for event in told]
    candidates = findings_in(history, payloads)
    check_current(opened, history)
    try:
        read, spent = court.judgement(case, candidates)
    except HearingFailed as failure:
        opened.paid(failure.spent)
        raise
    opened.paid(spent)
    judgement = decided(case, candidates, findings_in(history, payloads, speculative=True), read, policy)
    telemetry = spent.as_json() | {"unknown_numbers": unknown_numbers(read, len(candidates))} if spent.attempts else {}
    saying = Saying(_actor(court), telemetry=telemetry)
    opened_id = str(told[0].causation_id)
    return _kept(opened, history, judged(history, opened_id, [event.event_id for event in told], judgement, version, saying))


def cost_of(events: Sequence[StoredEvent]) -> dict[str, Any]:
    """What some answers of a model cost, for the page of their session; empty where none was asked."""
    paid = [json.loads(event.telemetry_json) for event in events if event.telemetry_json]
    names = ("requests", "input_tokens", "output_tokens", "cost_usd", "unknown_numbers")
    sums = {name: [one[name] for one in paid if one.get(name) is not None] for name in names}
    return {f"model_{name}": sum(found) for name, found in sums.items() if found}


def _actor(court: ModelCourt) -> str:
    return f"llm:{court.name}"


def check_current(opened: OpenStore, history: History) -> None:
    """See that a history is still what the log has: what was forgotten since it was read is sent to nobody.

    Raises:
        HeadMovedError: it is not.
    """
    head = opened.log.current([history.session_id], SessionIngested.event_type).get(history.session_id)
    if head is None or head.event_id != history.event_id:
        raise HeadMovedError([history.session_id])


def _kept(opened: OpenStore, history: History, events: Sequence[NewEvent]) -> list[StoredEvent]:
    """Some events as the log has them now: where another process was faster, what it was told holds.

    Raises:
        HeadMovedError: the session was forgotten or has grown meanwhile.
    """
    heads = {history.session_id: history.event_id}
    opened.wrote(opened.log.append(events, build=opened.build, heads=heads).new)
    stored = opened.log.by_id([event.event_id for event in events])
    return [stored[event.event_id] for event in events]
