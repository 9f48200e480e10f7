"""What of tasks waits for somebody's word, each with the command that settles it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from memory_assets.cli.board import ID_SHOWN, words
from memory_assets.cli.memories import quoted
from memory_assets.cli.output import cut, day, one_line, plural, styled
from memory_assets.cli.tables import GAP, UNLIMITED, fitting, print_text, terminal_width

if TYPE_CHECKING:
    from rich.text import Text

    from memory_assets.results.tasks import (
        BlockerCycle,
        ConditionView,
        PossibleDuplicate,
        RefusedBlocker,
        RefusedMove,
        TaskName,
        TaskReview,
    )

_SHOWN = 20
_CANDIDATES = 3
_INDENT = " " * (2 + ID_SHOWN + GAP)
RULES = {
    None: "nothing bears it out, and no session spoke of it before",
    "reopening-needs-aligned-evidence": "what is done is opened again by a quote that was found, or by a person",
    "reopening-a-cancelled-task-needs-a-person": "what is cancelled is opened again by a person",
    "blocks-itself": "it is the task itself",
    "done-has-no-blockers": "what is done waits for nothing",
}


def rule_words(rule: str | None) -> str:
    """Why something was refused, as people say it."""
    if rule in RULES:
        return RULES[rule]
    moves = str(rule).removesuffix("-is-no-transition").split("-to-")
    if len(moves) == 2 and str(rule).endswith("-is-no-transition"):
        return f"from {words(moves[0])} there is no way to {words(moves[1])}"
    return str(rule).replace("-", " ")


def print_review(found: TaskReview) -> None:
    """A part for each kind of question, the newest of it first."""
    parts: tuple[tuple[str, Sequence[Any], Callable[[Any], None]], ...] = (
        ("Claimed, and refused", found.refused, _print_refused),
        ("Blockers that cannot be", found.refused_blockers, _print_refused_blocker),
        ("Waiting for each other", found.cycles, _print_cycle),
        ("Conditions that may be a task", found.conditions, _print_condition),
        ("Perhaps the same", found.duplicates, _print_duplicate),
    )
    shown = [part for part in parts if part[1]]
    if not shown:
        print_text(styled("nothing waits for anybody's word"))
    for place, (heading, items, print_item) in enumerate(shown):
        if place:
            print_text(styled(""))
        print_text(styled((heading, "bold"), (f"  {len(items):,}", "dim")))
        for item in items[:_SHOWN]:
            print_item(item)
        if len(items) > _SHOWN:
            print_text(styled((f"  … and {len(items) - _SHOWN:,} more: --json lists them", "dim")))
        if items is found.refused:
            print_text(fitting(styled(("  where it is not so: memory task set-status ID, with the status that it has", "dim"))))


def print_refused(move: RefusedMove) -> None:
    """What was claimed of a task, why it was refused, and where it was said."""
    often = "" if move.times == 1 else f" {plural(move.times, 'time')}, last"
    said = styled("sessions say ", (words(move.requested_status), "yellow"), f"{often} {day(move.occurred_at)}")
    _print_line(said, styled((f": {rule_words(move.rule)}", "dim")))
    if move.uri:
        print_text(styled(_INDENT, (move.uri, "dim")))
    if move.quote and _letters(move.quote) != _letters(move.task.title):
        print_text(fitting(styled(_INDENT) + quoted(move.quote)))
    _print_command(f"memory task accept {move.task.task_id[:ID_SHOWN]}")


def _letters(text: str) -> str:
    """Text without marks and spaces, to see whether two say the same."""
    return "".join(character for character in text.casefold() if character.isalnum())


def _print_refused(move: RefusedMove) -> None:
    _print_task(move.task)
    print_refused(move)


def _print_refused_blocker(blocker: RefusedBlocker) -> None:
    _print_task(blocker.task)
    _print_line(
        styled("cannot wait for ", (one_line(blocker.called), "yellow")), styled((f": {rule_words(blocker.rule)}", "dim"))
    )
    if blocker.uri:
        print_text(styled(_INDENT, (blocker.uri, "dim")))
    _print_command(f"memory task set-blockers {blocker.task.task_id[:ID_SHOWN]} …")


def _print_cycle(cycle: BlockerCycle) -> None:
    for task in cycle.tasks:
        _print_task(task)
    first = cycle.tasks[0].task_id[:ID_SHOWN] if cycle.tasks else "ID"
    _print_command(f"memory task set-blockers {first} …", "of the one that comes first")


def _print_condition(condition: ConditionView) -> None:
    _print_named(condition.condition_id, condition.title, "condition")
    for candidate in condition.candidates[:_CANDIDATES]:
        _print_line(
            styled("perhaps ", (candidate.task_id[:ID_SHOWN], "cyan"), f" {one_line(candidate.title)}"),
            styled((f"  {candidate.score:.0%}", "dim")),
        )
    best = condition.candidates[0].task_id[:ID_SHOWN] if condition.candidates else "TASK"
    _print_command(f"memory task resolve {condition.condition_id[:ID_SHOWN]} --to {best}")


def _print_duplicate(pair: PossibleDuplicate) -> None:
    _print_task(pair.one)
    _print_task(pair.other)
    _print_command(
        f"memory task merge {pair.other.task_id[:ID_SHOWN]} {pair.one.task_id[:ID_SHOWN]}", f"{pair.similarity:.0%} alike"
    )


def _print_task(task: TaskName) -> None:
    _print_named(task.task_id, task.title, words(task.status))


def _print_named(entity_id: str, title: str, what: str) -> None:
    head, tail = styled("  ", (entity_id[:ID_SHOWN], "cyan"), "  "), styled((f"  {what}", "dim"))
    room = terminal_width() - head.cell_len - tail.cell_len
    shown = styled(one_line(title))
    print_text(fitting(head + (shown if terminal_width() == UNLIMITED else cut(shown, max(room, 8))) + tail))


def _print_line(text: Text, tail: Text) -> None:
    print_text(fitting(styled(_INDENT) + text + tail))


def _print_command(command: str, remark: str = "") -> None:
    print_text(fitting(styled(_INDENT, (command, "green"), (f"  ({remark})" if remark else "", "dim"))))
