"""The law of evidence for a model's claims: a claim whose words are not in the case is dropped, and counted by the reason.

A model may be wrong, and the case it reads may have been written to mislead it. So every quote is looked for in the event that
is named for it and in no other; words of a program are no evidence; an order, a praise or a correction is one only where a
person typed it; and a claim that its quotes do not tell, word for word, is speculation (``tied``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from memory_assets.court.case import CaseEvent
from memory_assets.court.detectors.wording import cut, key_of, on_one_line
from memory_assets.court.findings import SPEAKS, CourtRole, EvidencePart, Finding, FindingKind, Quoted, Severity
from memory_assets.court.judge import why_no_evidence
from memory_assets.court.model.replies import MOST_EXCEPTIONS, MOST_QUOTES, CandidateAnswer, QuoteAnswer, Sureness
from memory_assets.court.model.tied import steps_by_place, why_not_shown
from memory_assets.court.model.window import Window
from memory_assets.court.telling import TELLING_VERSION, Words, telling
from memory_assets.evidence.aligner import Aligner
from memory_assets.evidence.model import AlignedEvidence
from memory_assets.text.invisible import without_unseen

LAW_VERSION: Final = f"3.{TELLING_VERSION}"
"""Changes whenever the same answer to the same case would leave other claims."""

CONFIDENCE: Final[Mapping[Sureness, float]] = {"low": 0.4, "medium": 0.6, "high": 0.8}
"""A model is never surer than this, whatever it says of itself."""

_TITLE, _RULE, _TRIGGER, _ROLE = 120, 400, 300, 40
"""The most characters of each."""
_LEFT_OUT: Final = 500
"""The most characters of a quote that leaves something out."""
_ROLE_NAME: Final = re.compile(r"[^\W_]+(?:[ +/&-]{1,2}[^\W_]+){0,3}")
"""A role is a name: what is longer, or has other signs, may be anything."""
_REST_ON: Final[Mapping[FindingKind, tuple[Literal["person", "tool", "actor"], EvidencePart | None]]] = {
    "standing_order": ("person", "order"),
    "praised": ("person", "praise"),
    "user_correction": ("person", None),
    "changed_input": ("tool", None),
    "repeated_failure": ("tool", None),
    "refused_call": ("actor", None),
    "reverted": ("actor", None),
    "missing_result": ("actor", None),
    "unanswered_question": ("actor", None),
}
"""Whose words a kind needs among its quotes, and as which part where one is named; an actor is a person or an agent.

What a tool shows was written by anybody: a page alone shows no order, and nothing that was done.
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """What of an answer stands.

    Attributes:
        findings: those that quote the case.
        speculation: what the case does not show, with no evidence: never a lesson.
        dropped: how many were dropped, by the reason.
    """

    findings: tuple[Finding, ...]
    speculation: tuple[Finding, ...]
    dropped: Mapping[str, int]


def kept(
    window: Window,
    role: CourtRole,
    candidates: Iterable[CandidateAnswer],
    aligner: Aligner,
    mask: Callable[[str], str],
    critical: re.Pattern[str],
    dropped: Mapping[str, int] | None = None,
) -> Kept:
    """What of some candidates stands.

    Args:
        window: what the model was shown; an event that it was not shown cannot be quoted.
        mask: applied to the model's own words.
        critical: what quoted words of an agent show where a claim may be called critical.
        dropped: what was dropped of its answer before.
    """
    findings: list[Finding] = []
    speculation: list[Finding] = []
    counted = Counter(dropped or {})
    events, steps = window.by_name(), steps_by_place(window.case)
    for candidate in candidates:
        finding = _finding(candidate, mask)
        if SPEAKS[candidate.kind] != role:
            counted["it is for another one to bring"] += 1
        elif not (finding.rule and finding.title and finding.role):
            counted["it says nothing"] += 1
        elif not _ROLE_NAME.fullmatch(finding.role):
            counted["its role is no name"] += 1
        elif candidate.is_speculation:
            speculation.append(finding)
        else:
            placed = _placed(candidate.evidence, events, aligner)
            found = replace(finding, evidence=placed) if isinstance(placed, tuple) else finding
            reason = placed if isinstance(placed, str) else _against(window, found)
            if reason is not None:
                counted[reason] += 1
            elif why := why_not_shown(window.case, found, _typed(window, found), steps):
                speculation.append(replace(finding, why_apart=why))
            else:
                findings.append(replace(found, severity=_severity(window, found, critical)))
    return Kept(tuple(findings), tuple(speculation), dict(sorted(counted.items())))


def _finding(candidate: CandidateAnswer, mask: Callable[[str], str]) -> Finding:
    """A claim in the model's words, each on one line, masked and cut; without evidence."""

    def line(text: str, most: int) -> str:
        return cut(on_one_line(without_unseen(mask(text[: 4 * most]))), most)

    rule = line(candidate.rule, _RULE)
    exceptions = (line(one, _TRIGGER) for one in candidate.exceptions[:MOST_EXCEPTIONS])
    return Finding(
        kind=candidate.kind,
        role=line(candidate.role, _ROLE),
        polarity=candidate.polarity,
        severity=candidate.severity,
        title=line(candidate.title, _TITLE),
        rule=rule,
        trigger=line(candidate.trigger, _TRIGGER),
        key=key_of(rule) or rule.casefold(),
        evidence=(),
        confidence=CONFIDENCE[candidate.sureness],
        exceptions=tuple(one for one in exceptions if one),
    )


def _placed(quotes: Sequence[QuoteAnswer], events: Mapping[str, CaseEvent], aligner: Aligner) -> tuple[Quoted, ...] | str:
    """Each quote as characters of the event that it names, or why not all of them are."""
    if len(quotes) > MOST_QUOTES:
        return "it quotes too much"
    found: dict[Quoted, None] = {}
    for one in quotes:
        event = events.get(one.event.strip())
        if event is None:
            return "it names an event that it was not shown"
        # One text alone: a quote that stands in another event is not evidence of this one.
        aligned = aligner.align([event.message.text], one.quote, 0)
        if not isinstance(aligned, AlignedEvidence):
            return "its quote is not in the event"
        if len(aligned.segments) > 1 and aligned.span_end - aligned.span_start > _LEFT_OUT:
            return "it quotes too much"  # what an ellipsis leaves out would count as quoted
        if aligned.critical:
            return "its quote says otherwise than the event"
        found[Quoted(one.part, event.place, aligned.span_start, aligned.span_end, aligned.matched_text)] = None
    return tuple(found)


def _against(window: Window, finding: Finding) -> str | None:
    """Why quoted words are no evidence of a claim; None where they are."""
    if reason := why_no_evidence(window.case, finding.evidence):
        return reason
    who, part = _REST_ON[finding.kind]
    said = [quoted for quoted in finding.evidence if part in (None, quoted.part)]
    if who == "person":
        return None if any(_is_typed(window, one) for one in said) else "it rests on words that no person typed"
    actors = {window.case.events[one.place].actor for one in said}
    if who == "tool":
        return None if "tool" in actors else "it quotes no result of a tool"
    return None if actors & {"human", "ai"} else "it quotes nobody who acts"


def _typed(window: Window, finding: Finding) -> list[Quoted]:
    return [one for one in finding.evidence if _is_typed(window, one)]


def _severity(window: Window, finding: Finding, critical: re.Pattern[str]) -> Severity:
    """How grave a claim is: critical by a person's typed word, or by words and calls of an agent that the policy names.

    A model's word alone makes nothing critical: a prompt may be changed for one critical lesson. Nor does a page that was read.
    """
    if finding.severity != "critical":
        return finding.severity
    typed = Words(one.quote for one in _typed(window, finding))
    by_agents = [one.quote for one in finding.evidence if window.case.events[one.place].actor == "ai"]
    is_told = any(map(typed.say, telling(finding.rule)))
    return "critical" if is_told or any(map(critical.search, by_agents)) else "high"


def _is_typed(window: Window, quoted: Quoted) -> bool:
    """Whether a person typed all of some words."""
    event = window.case.events[quoted.place]
    over = [one.origin for one in event.stretches if one.start < quoted.end and quoted.start < one.end]
    return event.actor == "human" and bool(over) and set(over) == {"typed"}
