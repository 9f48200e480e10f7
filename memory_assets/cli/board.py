"""How tasks look on a terminal: a board by status, a line a task, and below it what it waits for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory_assets.cli.output import cut, day, one_line, styled
from memory_assets.cli.tables import GAP, UNLIMITED, fitting, print_text, terminal_width
from memory_assets.vocabulary import FINISHED

if TYPE_CHECKING:
    from rich.text import Text

    from memory_assets.results.tasks import TaskBlocker, TaskView
    from memory_assets.vocabulary import DoneBasis

ID_SHOWN = 12
LEAST_TITLE = 20
STATUS_STYLES = {
    "in_progress": "bold blue",
    "blocked": "bold red",
    "pending": "bold",
    "claimed": "bold yellow",
    "done": "bold green",
    "cancelled": "bold dim",
}
KIND_WORDS = {"gh_pr": "pull request", "gh_issue": "issue", "jira": "issue", "url": "address"}
CLAIMED = "claimed"
_HEADINGS = {
    "in_progress": "In progress",
    "blocked": "Blocked",
    "pending": "Pending",
    CLAIMED: "Said to be finished",
    "done": "Done",
    "cancelled": "Cancelled",
}
_PRIORITIES = {"critical": ("!!", "bold red"), "high": ("! ", "yellow"), "low": ("↓ ", "dim")}
_LISTED_BY = {CLAIMED: "`memory tasks review` lists them"}
_BASES: dict[DoneBasis, str] = {
    "todo_tool": "its todo list says so",
    "commit": "a commit is named",
    "passing_test": "tests pass",
    "thanks": "the person gave thanks for it",
    "report": "reported, and the person went on",
    "changed_files": "reported, and files were changed for it",
    "turn_ended": "an order of one turn, which has ended",
    "said_again": "said again of a task that was under way",
    "person": "a person says so",
}
_FOLDED = {
    "quiet": ("Quiet", "no later session spoke of them: `memory tasks list --quiet` lists them"),
    "passed": ("Passed", "orders of one turn: --all lists them"),
}
"""What a short board says in one line, and with which words."""
_LEGEND = {"critical": "!! critical", "high": "! high", "low": "↓ low"}
_SHORT = 3
_EACH = 20
_IN_SHORT = (CLAIMED, "done", "cancelled")
_DAYS = ((365, "y"), (30, "mo"), (7, "w"), (1, "d"))


def words(status: str) -> str:
    """A status or a kind as people write it."""
    return status.replace("_", " ")


def ago(then: datetime, now: datetime) -> str:
    """How long something is past, in one unit: ``3d ago``."""
    days = (now - then).days
    if days < 1:
        return "today"
    size, unit = next((size, unit) for size, unit in _DAYS if days >= size and (unit != "w" or days >= 2 * size))
    return f"{days // size}{unit} ago"


def print_board(tasks: Sequence[TaskView], *, whole: bool) -> None:
    """Tasks by status, in their order.

    Nobody has confirmed what sessions only say to be finished: it is a group of its own.

    Args:
        whole: every task, instead of the first of each group, and few of what is finished.
    """
    groups: dict[str, list[TaskView]] = {group: [] for group in _HEADINGS}
    folded = {} if whole else {"quiet": sum(task.quiet for task in tasks), "passed": sum(task.passed for task in tasks)}
    for task in tasks:
        if not whole and (task.quiet or task.passed):
            continue
        groups.setdefault(CLAIMED if is_claimed(task) else task.status, []).append(task)
    shown = {
        group: members if whole else members[: _SHORT if group in _IN_SHORT else _EACH]
        for group, members in groups.items()
        if members
    }
    listed = [task for members in shown.values() for task in members]
    look = Look.of(listed, datetime.now(UTC))
    for place, (group, members) in enumerate(shown.items()):
        if place:
            print_text(styled(""))
        count = len(groups[group])
        print_text(styled((_HEADINGS.get(group, words(group)), STATUS_STYLES.get(group, "")), (f"  {count:,}", "dim")))
        for task in members:
            look.print_task(task)
        if count > len(members):
            print_text(styled((f"  … and {count - len(members):,} more: {_LISTED_BY.get(group, '--all lists them')}", "dim")))
    if shown and any(folded.values()):
        print_text(styled(""))
    for group, count in folded.items():
        if count:
            heading, note = _FOLDED[group]
            print_text(fitting(styled((heading, "bold dim"), (f"  {count:,}  {note}", "dim"))))
    marks = [mark for priority, mark in _LEGEND.items() if any(task.priority == priority for task in listed)]
    if marks:
        print_text(styled(""), styled(("   ".join(marks), "dim")))


def settled_by(basis: DoneBasis | None, named: str | None) -> str:
    """What settles that a task is done, as in ``commit 1a2b3c4 is named``; empty where it is not done."""
    if basis is None:
        return ""
    return f"{one_line(named)} is named" if named else _BASES[basis]


def is_claimed(task: TaskView) -> bool:
    """Whether sessions say that a task is finished, and nobody has confirmed it."""
    return task.status == "in_progress" and task.requested_status in FINISHED


class Look:
    """What the lines of a list have in common: which columns there are, and how wide.

    The title is what gives way on a narrow terminal, then the project; where nobody looks nothing is cut.
    """

    def __init__(
        self, width: int, now: datetime, *, marked: bool, project_width: int, age_width: int, title_width: int
    ) -> None:
        self.width = width
        self.now = now
        self.marked = marked
        self.project_width = project_width
        self.age_width = age_width
        self.title_width = title_width

    @classmethod
    def of(cls, tasks: Sequence[TaskView], now: datetime) -> Look:
        """The look of a list of these tasks."""
        width = terminal_width()
        marked = any(task.priority in _PRIORITIES for task in tasks)
        several = len({task.project for task in tasks}) > 1
        project_width = max((styled(one_line(task.project or "-")).cell_len for task in tasks), default=0) if several else 0
        age_width = max((len(ago(task.last_said_at, now)) for task in tasks), default=0)
        head = 2 + ID_SHOWN + GAP + (3 if marked else 0)
        room = width - head - GAP - age_width
        if project_width:
            project_width = min(project_width, max(8, room // 5))
            room -= GAP + project_width
        widest = max((styled(one_line(task.title)).cell_len for task in tasks), default=0)
        title_width = max(min(widest, room), LEAST_TITLE) if width < UNLIMITED else 0
        return cls(width, now, marked=marked, project_width=project_width, age_width=age_width, title_width=title_width)

    @property
    def indent(self) -> int:
        """Where titles begin."""
        return 2 + ID_SHOWN + GAP + (3 if self.marked else 0)

    def print_task(self, task: TaskView, *, blockers: bool = True) -> None:
        """A task on its line, and what it waits for below it."""
        mark, mark_style = _PRIORITIES.get(task.priority or "", ("  ", ""))
        head = styled("  ", (task.task_id[:ID_SHOWN], "cyan"), "  ", (f"{mark} " if self.marked else "", mark_style))
        title = styled((one_line(task.title), "dim" if task.status in FINISHED else ""))
        age = ago(task.last_said_at, self.now)
        project = styled((one_line(task.project or "-"), "dim"))
        if not self.title_width:
            tail = styled("  ") + project if self.project_width else styled("")
            print_text(head + title + tail + styled((f"  {age}", "dim")))
        else:
            line = head + _fitted(title, self.title_width)
            if self.project_width:
                line += styled("  ") + _fitted(project, self.project_width)
            print_text(fitting(line + styled("  ", (age.rjust(self.age_width), "dim"))))
        if settled := settled_by(task.done_basis, task.done_named):
            print_text(fitting(styled((f"{' ' * self.indent}done: {settled}", "dim"))))
        if blockers and task.status not in FINISHED:
            for blocker in task.blockers:
                print_text(fitting(styled(" " * self.indent) + blocker_text(blocker)))


def blocker_text(blocker: TaskBlocker, *, since: bool = False) -> Text:
    """What a task waits for: a tick where it is cleared, what it was called, and what that turned out to be."""
    if blocker.cleared:
        mark = ("✓ ", "green")
    else:
        mark = ("? ", "yellow") if blocker.placeholder or blocker.suggested else ("· ", "red")
    named_by_id = blocker.called in (blocker.blocker_id, blocker.effective_id) or blocker.called.startswith("task:")
    called = one_line(blocker.title if blocker.placeholder or named_by_id else blocker.called)
    style = "dim" if blocker.cleared or blocker.suggested else ""
    told: list[str] = []
    if blocker.effective_id != blocker.blocker_id or one_line(blocker.effective) != called:
        told.append(f" → {one_line(blocker.effective)}")
    about = [] if blocker.placeholder else [_state_of(blocker)]
    about += ["perhaps"] if blocker.suggested else []
    about += [f"since {day(blocker.since)}"] if since else []
    note = f"  {', '.join(about)}" if about else ""
    return styled(mark, (called, style), ("".join(told), style), (note, "dim"))


def _state_of(blocker: TaskBlocker) -> str:
    kind = KIND_WORDS.get(blocker.effective_kind, blocker.effective_kind)
    return f"{kind} {words(blocker.effective_status or '')}".strip()


def _fitted(text: Text, width: int) -> Text:
    shown = cut(text, width)
    return shown + styled(" " * (width - shown.cell_len))
