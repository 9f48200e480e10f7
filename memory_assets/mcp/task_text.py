"""Tasks and what they wait for, for a reader who pays for each token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memory_assets.mcp.answers import EVIDENCE
from memory_assets.mcp.quoting import address, flat, inline, quoted, sentence
from memory_assets.mcp.search_text import day, minute

if TYPE_CHECKING:
    from memory_assets.results.tasks import ConditionView, TaskBlocker, TaskDetail, TaskEvent, TaskView

_TITLE = 160
_QUOTES = 2
_QUOTE = 300
_HISTORY = 40


def task_list_lines(tasks: Sequence[TaskView], *, more: bool, what: str) -> Iterator[str]:
    """Tasks in the order of the board, each with what it waits for and where it is spoken of."""
    if not tasks:
        yield f"no {what}"
        return
    yield f"{len(tasks)} {what}{', and there are more: raise limit' if more else ''}. {EVIDENCE}"
    for place, task in enumerate(tasks, start=1):
        yield from _task(task, f"{place}. ")


def task_lines(detail: TaskDetail) -> Iterator[str]:
    """One task with its past."""
    yield EVIDENCE
    yield from _task(detail.task, "")
    if detail.also_called:
        yield f"also called: {'; '.join(inline(name, 80) for name in detail.also_called)}"
    for other in detail.holds_up:
        yield f"holds up: {sentence((other.task_id, other.status, inline(other.title, _TITLE)))}"
    for cycle in detail.cycles:
        yield f"waits in a circle: {' -> '.join(inline(one.title, 60) for one in cycle.tasks)}"
    for move in detail.refused:
        yield f"refused: {sentence((f'the move to {move.requested_status}', inline(move.rule, 80), minute(move.occurred_at)))}"
    for blocker in detail.refused_blockers:
        yield f"refused as a blocker: {sentence((inline(blocker.called, 80), inline(blocker.rule, 80)))}"
    for candidate in detail.candidates:
        yield f"may be the same: {candidate.other.task_id} {inline(candidate.other.title, _TITLE)}"
    for merge in detail.merges:
        yield f"merged: {sentence((merge.from_id, inline(merge.name, 80), f'by {inline(merge.said_by, 60)}'))}"
    left_out = len(detail.history) - _HISTORY
    yield f"history{f', without the first {left_out}' if left_out > 0 else ''}:"
    for event in detail.history[-_HISTORY:]:
        yield from _event(event)


def condition_lines(conditions: Sequence[ConditionView], *, more: bool) -> Iterator[str]:
    """Conditions that turned out to be something or are met."""
    if not conditions:
        yield "no condition is resolved"
        return
    yield f"{len(conditions)} resolved conditions{', and there are more: raise limit' if more else ''}. {EVIDENCE}"
    for place, condition in enumerate(conditions, start=1):
        yield f"{place}. " + sentence(
            (condition.condition_id, condition.status, inline(condition.project, 60), day(condition.settled_at))
        )
        yield from quoted(flat(condition.title, _TITLE))
        if condition.resolved_to_id:
            kind = f"{condition.resolved_to_kind} {condition.resolved_to_id}"
            yield f"   is {sentence((kind, condition.resolved_to_status, inline(condition.resolved_to, _TITLE)))}"
        where = f"cite {address(condition.uri)}" if condition.uri else f"said by {inline(condition.settled_by, 60) or '-'}"
        yield f"   {where}"
        for task in condition.tasks:
            yield f"   of {sentence((task.task_id, task.status, inline(task.title, _TITLE)))}"


def _task(task: TaskView, number: str) -> Iterator[str]:
    asked = f"{task.requested_status} was asked for" if task.requested_status else None
    basis = task.done_basis.replace("_", " ") if task.done_basis else ""
    settled = f"settled by {inline(task.done_named, 80) or basis}" if basis else None
    contested = "contested" if task.entity_status == "contested" else None
    yield number + sentence(
        (
            task.task_id,
            task.status,
            f"priority {task.priority}" if task.priority else None,
            inline(task.project, 60),
            f"since {day(task.status_since)}",
            f"last said {day(task.last_said_at)}",
            asked,
            settled,
            "quiet" if task.quiet else None,
            contested,
        )
    )
    yield from quoted(flat(task.title, _TITLE))
    for blocker in task.blockers:
        yield f"   {_blocker(blocker)}"
    for evidence in task.evidence[:_QUOTES]:
        known = f", {address(evidence.citation)}" if evidence.citation else ""
        yield f"   cite {address(evidence.uri)} ({day(evidence.said_at)}{known})"
        yield from quoted(flat(evidence.quote, _QUOTE))
    if len(task.evidence) > _QUOTES:
        yield f"   and {len(task.evidence) - _QUOTES} more quotes"


def _blocker(blocker: TaskBlocker) -> str:
    standing = "cleared" if blocker.cleared else "suggested" if blocker.suggested else "waits for"
    what = "nobody said what" if blocker.placeholder else inline(blocker.effective, _TITLE)
    called = inline(blocker.called, _TITLE)
    return sentence(
        (
            f"{standing}: {what}",
            f"{blocker.effective_kind} {blocker.effective_id}",
            blocker.effective_status,
            f"called {called}" if called and called != what else None,
            f"since {day(blocker.since)}",
        )
    )


def _event(event: TaskEvent) -> Iterator[str]:
    details = ", ".join(
        f"{name} {inline(str(value), 80)}"
        for name, value in event.details.items()
        if isinstance(value, str | int | float) and name != "schema_version"
    )
    by = f"by {inline(event.said_by, 60)}" if event.said_by else None
    yield "   " + sentence((minute(event.occurred_at), event.event_type, details, by, inline(event.note, 160)))
    if event.uri:
        yield f"   cite {address(event.uri)}"
    if event.quote:
        yield from quoted(flat(event.quote, _QUOTE))
