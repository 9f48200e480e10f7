"""Findings for tests, and a small detector of their own: what a person orders with `always` or `never`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memory_assets.court.case import Case
from memory_assets.court.findings import Finding, Quoted
from memory_assets.court.judge import judge
from memory_assets.court.policy import policy
from memory_assets.log.events import NewEvent
from memory_assets.log.hearings import court_version, findings_in, heard, judged, opening, statements
from memory_assets.log.payloads.court import CourtStatementRecorded
from memory_assets.log.session_history import History

VERSION = court_version("embedded tests", policy())


def ordered(place: int, text: str, **other: Any) -> Finding:
    """An order that is the whole text of a message."""
    polarity = "dont" if text.casefold().startswith("never") else "do"
    given: dict[str, Any] = {
        "kind": "standing_order",
        "role": "coder",
        "polarity": polarity,
        "severity": "medium",
        "title": text,
        "rule": text,
        "trigger": "",
        "key": " ".join(text.casefold().split()),
        "evidence": (Quoted("order", place, 0, len(text), text),),
        "confidence": 0.8,
    }
    return Finding(**(given | other))


def orders_of(case: Case) -> list[Finding]:
    """Every message of a person that begins with `always` or `never`; one that ends with `for the user.` is for the user."""
    return [
        ordered(event.place, event.message.text, role="user" if event.message.text.endswith("for the user.") else "Coder ")
        for event in case.events
        if event.actor == "human" and event.message.text.casefold().startswith(("always", "never"))
    ]


def hearing(
    history: History,
    version: str = VERSION,
    keeps: Callable[[str], bool] | None = None,
    find: Callable[[Case], list[Finding]] = orders_of,
) -> list[NewEvent]:
    """All events of a hearing, as the stages log them one after the other.

    Args:
        keeps: of which titles the judge keeps the claims; of all where none is given.
        find: the detectors.
    """
    case = heard(history)
    opened = opening(history, version)
    told = statements(history, opened.event_id, find(case), version)
    payloads = [one.payload for one in told]
    findings = findings_in(history, (one for one in payloads if isinstance(one, CourtStatementRecorded)))
    chosen = [finding for finding in findings if keeps is None or keeps(finding.title)]
    decided = judged(history, opened.event_id, [one.event_id for one in told], judge(case, chosen, policy()), version)
    return [opened, *told, *decided]
