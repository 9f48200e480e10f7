"""What a person says of tasks on a page: how one stands, how much it matters, what it waits for, and which are one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memory_assets.commands.errors import NotPossibleError
from memory_assets.commands.people import speaker
from memory_assets.commands.task_links import merge, unmerge
from memory_assets.commands.tasks import accept, set_blockers, set_priority, set_status
from memory_assets.errors import InvalidArgumentError, check_word
from memory_assets.viewer.foreseen import Action, Foreseen, Given, Line, note_lines, with_word
from memory_assets.viewer.links import task_link
from memory_assets.vocabulary import PRIORITIES, TASK_STATUSES

if TYPE_CHECKING:
    from memory_assets.memory import Memory
    from memory_assets.results.tasks import TaskDetail, TaskView
    from memory_assets.viewer.words import Own

MOST_BLOCKERS: Final = 50


def _set_status(memory: Memory, given: Given) -> Foreseen:
    check_word("status", given["status"], TASK_STATUSES)
    detail = memory.task(given["task"])
    task = detail.task
    lines = (_named(task), Line(f"is_{task.status}", ""), Line(f"becomes_{given['status']}", ""), *note_lines(given))
    return Foreseen(_page_of(task), lines, nothing=task.status == given["status"] and not detail.refused)


def _do_set_status(memory: Memory, given: Given) -> Own:
    return _said(set_status(memory.resources, given["task"], given["status"], by=speaker(), note=given["note"]).task)


def _set_priority(memory: Memory, given: Given) -> Foreseen:
    check_word("priority", given["priority"], PRIORITIES)
    task = memory.task(given["task"]).task
    lines = (_named(task), Line(f"matters_{given['priority']}", ""), *note_lines(given))
    return Foreseen(_page_of(task), lines, nothing=task.priority == given["priority"])


def _do_set_priority(memory: Memory, given: Given) -> Own:
    return _said(set_priority(memory.resources, given["task"], given["priority"], by=speaker(), note=given["note"]).task)


def _set_blockers(memory: Memory, given: Given) -> Foreseen:
    task = memory.task(given["task"]).task
    blockers = _blockers(given)
    if task.status == "done" and blockers:
        raise NotPossibleError("the task is done, and what is done waits for nothing", hint="say first that it is not done")
    before = tuple(Line("waits_no_more_for", blocker.effective) for blocker in task.blockers)
    after = tuple(Line("waits_for", blocker) for blocker in blockers) or (Line("nothing_in_the_way", ""),)
    return Foreseen(
        _page_of(task), (_named(task), *before, *after, *note_lines(given)), nothing=not blockers and not task.blockers
    )


def _do_set_blockers(memory: Memory, given: Given) -> Own:
    return _said(set_blockers(memory.resources, given["task"], _blockers(given), by=speaker(), note=given["note"]).task)


def _blockers(given: Given) -> list[str]:
    """One a line."""
    blockers = [line.strip() for line in given["blockers"].splitlines() if line.strip()]
    if len(blockers) > MOST_BLOCKERS:
        raise InvalidArgumentError(f"{len(blockers)} blockers are too many", hint=f"a task waits for at most {MOST_BLOCKERS}")
    return blockers


def _accept(memory: Memory, given: Given) -> Foreseen:
    detail = memory.task(given["task"])
    waiting = next((move for move in detail.refused if move.event_id == given["event"]), None)
    lines = (_named(detail.task), Line(f"is_{detail.task.status}", ""))
    if waiting is None:
        return Foreseen(_page_of(detail.task), lines, nothing=True)
    quoted = (Line("claimed", waiting.quote),) if waiting.quote else ()
    lines = (*lines, *quoted, Line(f"becomes_{waiting.requested_status}", ""), *note_lines(given))
    return Foreseen(_page_of(detail.task), lines)


def _do_accept(memory: Memory, given: Given) -> Own:
    spoken = accept(memory.resources, given["task"], event=given["event"], by=speaker(), note=given["note"])
    return _said(spoken.task)


def _merge(memory: Memory, given: Given) -> Foreseen:
    one, other = memory.task(given["task"]).task, memory.task(given["into"]).task
    lines = (Line("goes", one.title, _page_of(one)), Line("goes_into", other.title, _page_of(other)))
    return Foreseen(_page_of(one), (*lines, *note_lines(given)), nothing=one.task_id == other.task_id)


def _do_merge(memory: Memory, given: Given) -> Own:
    into = memory.task(given["into"]).task.task_id
    merge(memory.resources, given["task"], into, by=speaker(), note=given["note"])
    return with_word(task_link(into), "merged")


def _unmerge(memory: Memory, given: Given) -> Foreseen:
    detail = memory.task(given["task"])
    merged = next((one for one in detail.merges if one.from_id == given["task"]), None)
    if merged is None:
        return Foreseen(_page_of(detail.task), (_named(detail.task),), nothing=True)
    lines = (Line("stands_again", merged.name or merged.from_id), Line("leaves", detail.task.title, _page_of(detail.task)))
    return Foreseen(_page_of(detail.task), (*lines, *note_lines(given)))


def _do_unmerge(memory: Memory, given: Given) -> Own:
    unmerge(memory.resources, given["task"], by=speaker(), note=given["note"])
    return with_word(task_link(given["task"]), "unmerged")


def _named(task: TaskView) -> Line:
    return Line("task", task.title, _page_of(task))


def _page_of(task: TaskView) -> Own:
    return task_link(task.task_id)


def _said(detail: TaskDetail) -> Own:
    return with_word(_page_of(detail.task), "task_said")


TASK_ACTIONS: Final = (
    Action("set_status", ("task", "status"), ("task", "status", "note"), _set_status, _do_set_status),
    Action("set_priority", ("task", "priority"), ("task", "priority", "note"), _set_priority, _do_set_priority),
    Action("set_blockers", ("task",), ("task", "blockers", "note"), _set_blockers, _do_set_blockers),
    Action("accept", ("task", "event"), ("task", "event", "note"), _accept, _do_accept),
    Action("merge", ("task", "into"), ("task", "into", "note"), _merge, _do_merge),
    Action("unmerge", ("task",), ("task", "note"), _unmerge, _do_unmerge),
)
