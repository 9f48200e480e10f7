"""Cases, their events and lessons, for a reader who pays for each token."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from memory_assets.mcp.answers import EVIDENCE
from memory_assets.mcp.quoting import address, flat, inline, quoted, sentence
from memory_assets.mcp.search_text import day, minute

if TYPE_CHECKING:
    from memory_assets.results.court import (
        CaseClaimV1,
        CaseEventListV1,
        CaseEventV1,
        CaseV1,
        CourtEvidenceV1,
        LessonListV1,
        LessonV1,
    )

_RULE = 300
_QUOTE = 300


def case_lines(case: CaseV1) -> Iterator[str]:
    """Whose case it is, and each claim with the words that show it."""
    yield sentence(
        (
            address(case.case_id),
            f"session:{address(case.session_id)}",
            inline(case.title, 80),
            inline(case.project, 60),
            f"{case.event_count:,} event{'' if case.event_count == 1 else 's'}",
            "heard by another court than now" if not case.is_current else None,
            "its session says more by now" if case.is_behind else None,
        )
    )
    yield f"claims: {case.claims}, kept {case.selected}, left out {case.deferred}. {EVIDENCE}"
    for claim in case.judged:
        yield from _claim(claim)
    for reason, count in case.dropped_by_reason.items():
        yield f"dropped {count}: {inline(reason, 120)}"


def case_event_lines(found: CaseEventListV1) -> Iterator[str]:
    """Events in their order, each with its id, who acts, and its text."""
    yield (
        f"{len(found.events)} of {found.total:,} events of {found.case_id}, "
        f"about {found.estimated_tokens:,} tokens of text. {EVIDENCE}"
    )
    for event in found.events:
        yield from _event(event)
    if found.next_after is not None:
        yield f"there are further ones: after {found.next_after}"


def lesson_lines(found: LessonListV1) -> Iterator[str]:
    """Lessons, the best first, each with the words that it was learned from."""
    if not found.lessons:
        yield "no lesson speaks of it"
    else:
        yield f"{len(found.lessons)} lesson{'' if len(found.lessons) == 1 else 's'}. {EVIDENCE}"
    for place, lesson in enumerate(found.lessons, start=1):
        yield from _lesson(place, lesson)
    for note in found.notes:
        yield f"note: {inline(note, 400)}"


def _claim(claim: CaseClaimV1) -> Iterator[str]:
    yield "- " + sentence(
        (
            "kept" if claim.decision == "selected" else "left out",
            claim.court_role,
            claim.kind,
            f"for {inline(claim.role, 60)}",
            claim.severity,
            f"{claim.confidence:.2f}",
            address(claim.lesson_id) if claim.lesson_id else None,
        )
    )
    yield from quoted(flat(claim.rule, _RULE))
    if claim.reason:
        yield f"   why: {inline(claim.reason, 200)}"
    yield from _evidence(claim.evidence)


def _event(event: CaseEventV1) -> Iterator[str]:
    yield sentence(
        (
            event.case_event_id,
            event.actor,
            event.type,
            inline(event.tool_name or event.name, 60),
            "failed" if event.is_error else None,
            minute(event.ts),
            f"cite {address(event.uri)}",
        )
    )
    if event.text:
        yield from quoted(event.text)
    if event.is_cut:
        yield f"   (cut: {event.text_length:,} characters in all)"


def _lesson(place: int, lesson: LessonV1) -> Iterator[str]:
    yield f"{place}. " + sentence(
        (
            address(lesson.lesson_id),
            f"for {inline(lesson.role, 60)}",
            lesson.kind,
            lesson.severity,
            lesson.status if lesson.status != "active" else None,
            f"in {lesson.support_cases} case{'' if lesson.support_cases == 1 else 's'}, last {day(lesson.last_at)}",
            f"confidence {lesson.confidence:.2f}",
        )
    )
    yield from quoted(flat(lesson.rule, _RULE))
    if lesson.trigger:
        yield "   when:"
        yield from quoted(flat(lesson.trigger, 200))
    for exception in lesson.exceptions:
        yield "   not when:"
        yield from quoted(flat(exception, 200))
    yield from _evidence(lesson.evidence)


def _evidence(evidence: Iterable[CourtEvidenceV1]) -> Iterator[str]:
    for shown in evidence:
        yield f"   {shown.part} {shown.case_event_id}, cite {address(shown.citation.uri)}"
        yield from quoted(flat(shown.citation.quote or "", _QUOTE))
