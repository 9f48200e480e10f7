"""One task on a terminal: as it stands, and how it came to that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.cli.board import ID_SHOWN, STATUS_STYLES, Look, blocker_text, settled_by, words
from memory_assets.cli.memories import assurance_text, print_beside, quoted
from memory_assets.cli.output import day, moment, one_line, plural, styled
from memory_assets.cli.tables import fitting, print_text, terminal_width
from memory_assets.cli.task_review import print_refused, rule_words

if TYPE_CHECKING:
    from rich.text import Text

    from memory_assets.results.tasks import TaskDetail, TaskEvent, TaskName

_WHEN = len("2026-03-11 09:00  ")
_MOST_QUOTED = 160


def print_standing(detail: TaskDetail, now: datetime) -> None:
    """A task as the board shows it, with its status."""
    task = detail.task
    print_text(styled((words(task.status).capitalize(), STATUS_STYLES.get(task.status, ""))))
    Look.of([task], now).print_task(task)


def print_detail(detail: TaskDetail) -> None:
    """Everything of one task."""
    task = detail.task
    settled = settled_by(task.done_basis, task.done_named)
    contested = "active" if task.entity_status == "active" else task.entity_status
    print_text(
        styled((one_line(task.title), "bold")),
        styled(
            (words(task.status), STATUS_STYLES.get(task.status, "")),
            f" since {day(task.status_since)}{f': {settled}' if settled else ''}",
            ("  quiet", "dim") if task.quiet else "",
            f"  priority {task.priority}" if task.priority else "",
            f"  project {one_line(task.project or '-')}",
            (f"  {assurance_text(task.assurance, None, contested)}", "dim"),
        ),
        styled((task.task_id, "cyan"), (f"  {one_line(task.canonical_key)}", "dim")),
        styled(
            (
                f"said first {moment(task.created_at)}, last {moment(task.last_said_at)} UTC, "
                f"{plural(len(task.evidence), 'quote')} in {plural(len({q.session_id for q in task.evidence}), 'session')}",
                "dim",
            )
        ),
    )
    if detail.also_called:
        print_text(styled(("also called  ", "dim"), one_line("; ".join(detail.also_called))))
    for merge in detail.merges:
        by = f"said {one_line(merge.said_by)}, {moment(merge.said_at)}"
        print_text(
            styled(
                ("merged in  ", "dim"),
                (merge.from_id[:ID_SHOWN], "cyan"),
                f"  {one_line(merge.name)}",
                (f"  {by}{_noted(merge.note)}", "dim"),
            )
        )
    declared = [blocker for blocker in task.blockers if not blocker.suggested]
    suggested = [blocker for blocker in task.blockers if blocker.suggested]
    for heading, blockers in (("waits for", declared), ("perhaps waits for", suggested)):
        if blockers:
            print_text(styled(""), styled((heading, "bold")))
        for blocker in blockers:
            address = styled("  ", (blocker.effective_id[:ID_SHOWN], "cyan"), "  ")
            print_text(fitting(address + blocker_text(blocker, since=True)))
    _print_names("holds up", detail.holds_up)
    for cycle in detail.cycles:
        _print_names("in a circle with", tuple(other for other in cycle.tasks if other.task_id != task.task_id))
    if detail.refused or detail.refused_blockers:
        print_text(styled(""), styled(("waits for somebody's word", "bold")))
    for move in detail.refused:
        print_refused(move)
    for refused in detail.refused_blockers:
        print_text(fitting(styled(f"  cannot wait for {one_line(refused.called)}: ", (rule_words(refused.rule), "dim"))))
    if detail.candidates:
        print_text(styled(""), styled(("perhaps the same", "bold")))
    for pair in detail.candidates:
        other = pair.other if pair.one.task_id == task.task_id else pair.one
        print_text(
            fitting(
                styled(
                    "  ",
                    (other.task_id[:ID_SHOWN], "cyan"),
                    f"  {one_line(other.title)}",
                    (f"  {words(other.status)}, {pair.similarity:.0%} alike", "dim"),
                )
            )
        )
    print_text(styled(""), styled(("history", "bold")))
    _print_history(detail.history)


def told(event: TaskEvent) -> Text:
    """What became of a task, in words."""
    details = event.details
    match event.event_type:
        case "task_created":
            asked = details.get("requested_status")
            other = f", {words(asked)} was claimed" if asked not in (None, details["initial_status"]) else ""
            return styled("came to be, ", _status(details["initial_status"]), (other, "yellow"))
        case "task_status_changed":
            settled = settled_by(details.get("done_basis"), details.get("done_named"))
            told_by = (f": {settled}" if settled else "", "dim")
            return styled(_status(details["from_status"]), " → ", _status(details["to_status"]), told_by)
        case "task_transition_rejected":
            return styled((f"{words(details['requested_status'])} refused: ", "yellow"), (rule_words(details["rule"]), "dim"))
        case "task_priority_changed":
            return styled(f"priority {details.get('from_priority') or '-'} → {details['to_priority']}")
        case "task_title_changed":
            return styled("is called ", (one_line(details["to_title"]), "bold"))
        case "task_blockers_set":
            return _blockers_told(details)
        case "task_blocker_rejected":
            return styled(
                (f"cannot wait for {one_line(details['raw_text'])}: ", "yellow"), (rule_words(details["rule"]), "dim")
            )
        case "task_evidence_linked":
            alike = "" if details["match_method"] in ("exact", "alias") else f", {details['score']:.0%} alike"
            return styled(("spoken of again", "dim"), (f" ({details['match_method']}{alike})", "dim"))
        case other_type:
            return styled(words(other_type))


def _blockers_told(details: Mapping[str, Any]) -> Text:
    # Of what was named by its id, as much of it as other commands show.
    names = ", ".join(
        blocker["entity_id"][:ID_SHOWN] if blocker["raw_text"] == blocker["entity_id"] else one_line(blocker["raw_text"])
        for blocker in details["blockers"]
    )
    if not names:
        return styled("nothing is in its way any more")
    return styled("perhaps waits for " if details["mode"] == "suggest" else "waits for ", (names, "bold"))


def _print_history(history: Sequence[TaskEvent]) -> None:
    """Each step; that a task was spoken of goes without saying where that moved it, and so does a quote that stands above."""
    before = None
    for event, following in zip(history, [*history[1:], None], strict=True):
        mark = (event.uri, event.occurred_at)
        is_plain = event.event_type == "task_evidence_linked" and event.details["match_method"] in ("exact", "alias")
        if is_plain and following is not None and mark == (following.uri, following.occurred_at):
            continue
        _print_event(event, repeats=mark == before)
        before = mark


def _print_event(event: TaskEvent, *, repeats: bool) -> None:
    head = styled(("  " + moment(event.occurred_at) + "  ", "dim")) + told(event)
    if event.said_by is not None:
        print_text(head + styled((f"  said {one_line(event.said_by)}{_noted(event.note)}", "dim")))
        return
    if event.uri and not repeats:
        print_beside(head, styled((event.uri, "dim")), indent=2 + _WHEN)
    else:
        print_text(head)
    if event.quote and not repeats:
        limit = min(_MOST_QUOTED, terminal_width() - 2 - _WHEN)
        print_text(styled(" " * (2 + _WHEN)) + quoted(event.quote, limit=limit))


def _print_names(heading: str, tasks: tuple[TaskName, ...]) -> None:
    if not tasks:
        return
    print_text(styled(""), styled((heading, "bold")))
    for task in tasks:
        print_text(
            fitting(
                styled("  ", (task.task_id[:ID_SHOWN], "cyan"), f"  {one_line(task.title)}", (f"  {words(task.status)}", "dim"))
            )
        )


def _status(status: str) -> tuple[str, str]:
    return words(status), STATUS_STYLES.get(status, "")


def _noted(note: str | None) -> str:
    return f": {one_line(note)}" if note else ""
