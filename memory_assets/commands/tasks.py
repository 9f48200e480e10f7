"""A person's word on a task: a new one, how it stands, how much it matters, what it waits for, which refused move is right.

A word names tasks by their ids and is logged as it was said; what becomes of it is decided together with what sessions claim
(``tasks.resolver``). Whatever is so already is said back, and nothing is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory_assets.commands.errors import NotPossibleError
from memory_assets.commands.outcomes import TaskSpoken
from memory_assets.commands.said import command, masked, now, say, settle
from memory_assets.errors import InvalidArgumentError, NotFoundError, check_word
from memory_assets.log.fetching import fetch, full_id
from memory_assets.log.payloads.task_words import (
    TaskBlockersSaid,
    TaskDeclared,
    TaskMoveAccepted,
    TaskPrioritySaid,
    TaskStatusSaid,
)
from memory_assets.queries.task_detail import get_task_detail
from memory_assets.results.tasks import TaskDetail, TaskEvent
from memory_assets.search.entity_ids import one_entity
from memory_assets.tasks.canonical import normalize, project_key, task_id, task_key
from memory_assets.tasks.naming import blocker_title, task_title
from memory_assets.vocabulary import Priority, TaskStatus

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources
    from memory_assets.log.database import Database

from memory_assets.vocabulary import PRIORITIES, TASK_STATUSES

FIRST_STATUSES: tuple[TaskStatus, ...] = ("pending", "in_progress", "blocked")
_ID = re.compile(r"tsk_[0-9a-f]{1,32}")
_OTHER_ID = re.compile(r"(?:cnd|art)_[0-9a-f]{1,32}$|(?:cond|art):")


def new_task(
    resources: Resources,
    title: str,
    *,
    project: str | None = None,
    status: str | None = None,
    priority: str | None = None,
    blockers: Sequence[str] = (),
    again: bool = False,
    by: str,
) -> TaskSpoken:
    """Make a task.

    Args:
        status: pending by default, with blockers blocked; nothing is born done.
        again: make another one where there is one of this title.

    Raises:
        InvalidArgumentError: no title, one that is too long, no such status or priority, a blocker that says nothing.
        NotPossibleError: there is a task of this title.
    """
    chosen = status or ("blocked" if blockers else "pending")
    check_word("status", chosen, TASK_STATUSES)
    check_word("priority", priority, PRIORITIES)
    if chosen not in FIRST_STATUSES:
        raise InvalidArgumentError(f"no task is born {chosen}", hint=f"one of {', '.join(FIRST_STATUSES)}")
    called = task_title(masked(resources, title, what="title"))
    name = normalize(called)
    if not name:
        raise InvalidArgumentError("the title has no letter and no digit", hint="say what is to be done")
    kept_project = masked(resources, project, what="project") if project and project.strip() else None
    scope = project_key(kept_project)
    settle(resources)
    with resources.database.reading() as connection:
        occurrence = _next_occurrence(connection, scope, name)
        if occurrence > 1 and not again:
            raise _exists(connection, task_key(scope, name))
        texts = _blocker_texts(resources, connection, blockers, itself=None)
    if name in (normalize(blocker_title(text)) for text in texts):
        raise _waits_for_itself(called)
    new_id = task_id(task_key(scope, name, occurrence))
    word = TaskDeclared(
        task_id=new_id,
        title=called,
        project=kept_project,
        status=_status(chosen),
        priority=_priority(priority),
        blockers=texts,
        occurrence=occurrence,
        said_by=masked(resources, by, what="name"),
    )
    say(resources, command(word, at=now(), project=kept_project))
    detail = _detail(resources.database, new_id)
    unknown = any(blocker.placeholder for blocker in detail.task.waits_for)
    return TaskSpoken(detail, True, _UNKNOWN if unknown else "")


def set_status(resources: Resources, given: str, status: str, *, by: str, note: str = "") -> TaskSpoken:
    """Say how a task stands; what is no legal move takes the legal path, each step of which is kept.

    Of a task that waits for somebody's word the status that it has is an answer too: it is kept.

    Raises:
        InvalidArgumentError: there is no such status.
        NotFoundError, AmbiguousIdError
    """
    check_word("status", status, TASK_STATUSES)
    detail = _current(resources, given)
    if detail.task.status == status and not detail.refused:
        return TaskSpoken(detail, False, f"it is {_words(status)} already")
    word = TaskStatusSaid(
        task_id=detail.task.task_id,
        status=_status(status),
        said_by=masked(resources, by, what="name"),
        note=masked(resources, note, what="note"),
    )
    say(resources, command(word, at=now(), project=detail.task.project))
    after = _detail(resources.database, detail.task.task_id)
    if detail.task.status == status:
        return TaskSpoken(after, True, f"it stays {_words(status)}: what was claimed of it waits no more")
    unknown = any(blocker.placeholder for blocker in after.task.waits_for)
    return TaskSpoken(after, True, _UNKNOWN if unknown else "")


def set_priority(resources: Resources, given: str, priority: str, *, by: str, note: str = "") -> TaskSpoken:
    """Say how much a task matters.

    Raises:
        InvalidArgumentError: there is no such priority.
        NotFoundError, AmbiguousIdError
    """
    check_word("priority", priority, PRIORITIES)
    detail = _current(resources, given)
    if detail.task.priority == priority:
        return TaskSpoken(detail, False, f"its priority is {priority} already")
    word = TaskPrioritySaid(
        task_id=detail.task.task_id,
        priority=next(known for known in PRIORITIES if known == priority),
        said_by=masked(resources, by, what="name"),
        note=masked(resources, note, what="note"),
    )
    say(resources, command(word, at=now(), project=detail.task.project))
    return TaskSpoken(_detail(resources.database, detail.task.task_id), True)


def set_blockers(resources: Resources, given: str, blockers: Sequence[str], *, by: str, note: str = "") -> TaskSpoken:
    """Say what a task waits for, in place of what was known; nothing when nothing is in its way, which unblocks it.

    Args:
        blockers: texts, resolved like what sessions say, or ids of tasks.

    Raises:
        InvalidArgumentError: a text that says nothing, or the task itself.
        NotFoundError, AmbiguousIdError: of the task, or of an id among the blockers.
        NotPossibleError: the task is done.
    """
    detail = _current(resources, given)
    task = detail.task
    if task.status == "done" and blockers:
        raise NotPossibleError(
            "the task is done, and what is done waits for nothing",
            hint=f"`memory task set-status {task.task_id[:12]} in_progress` opens it again",
        )
    with resources.database.reading() as connection:
        texts = _blocker_texts(resources, connection, blockers, itself=detail)
    if not texts and not task.blockers:
        return TaskSpoken(detail, False, "nothing is in its way already")
    kept = {"said_by": masked(resources, by, what="name"), "note": masked(resources, note, what="note")}
    word: TaskStatusSaid | TaskBlockersSaid
    if not texts and task.status == "blocked":
        # A task that is blocked waits for something: that nothing is in its way says that it goes on as before.
        word = TaskStatusSaid(task_id=task.task_id, status=_before_blocked(detail.history), **kept)
    else:
        word = TaskBlockersSaid(task_id=task.task_id, blockers=texts, **kept)
    say(resources, command(word, at=now(), project=task.project))
    after = _detail(resources.database, task.task_id)
    remark = ""
    if texts and after.task.status != "blocked":
        remark = f"it is {_words(after.task.status)}: `memory task set-status {task.task_id[:12]} blocked` if it cannot go on"
    elif after.task.status != task.status:
        remark = f"it is {_words(after.task.status)} again"
    return TaskSpoken(after, True, remark)


def accept(resources: Resources, given: str, *, event: str | None = None, by: str, note: str = "") -> TaskSpoken:
    """Accept a move that was refused, or the status that a task was refused when it came to be. It takes the legal path.

    Args:
        event: which one, by its event's id or the beginning of it; the newest that waits without it.

    Raises:
        NotFoundError, AmbiguousIdError: of the task, or of the event.
        NotPossibleError: nothing waits to be accepted.
    """
    detail = _current(resources, given)
    task = detail.task
    with resources.database.reading() as connection:
        event_id, status = _refused(connection, detail, event)
    if task.status == status:
        return TaskSpoken(detail, False, f"it is {_words(status)} already")
    word = TaskMoveAccepted(
        task_id=task.task_id,
        event_id=event_id,
        status=_status(status),
        said_by=masked(resources, by, what="name"),
        note=masked(resources, note, what="note"),
    )
    say(resources, command(word, at=now(), project=task.project))
    return TaskSpoken(_detail(resources.database, task.task_id), True)


_UNKNOWN = "nobody knows what it waits for: `memory task set-blockers` says so"


def _current(resources: Resources, given: str) -> TaskDetail:
    settle(resources)
    return _detail(resources.database, given)


def _detail(database: Database, given: str) -> TaskDetail:
    with database.reading() as connection:
        return get_task_detail(connection, given)


def _status(given: str) -> TaskStatus:
    return next(status for status in TASK_STATUSES if status == given)


def _priority(given: str | None) -> Priority | None:
    return next((priority for priority in PRIORITIES if priority == given), None)


def _words(status: str) -> str:
    return status.replace("_", " ")


def _next_occurrence(connection: duckdb.DuckDBPyConnection, scope: str, name: str) -> int:
    """1, or one more than the newest of the tasks that have this title."""
    key = task_key(scope, name)
    rows = fetch(
        connection,
        """SELECT canonical_key FROM entity_aliases
           WHERE entity_type = 'task' AND (canonical_key = $key OR starts_with(canonical_key, $key || '#'))""",
        {"key": key},
    )
    known = {row[0] for row in rows}
    occurrence = 1
    while task_key(scope, name, occurrence) in known:
        occurrence += 1
    return occurrence


def _exists(connection: duckdb.DuckDBPyConnection, key: str) -> NotPossibleError:
    known = one_entity(connection, key, "task")
    ((status,),) = fetch(connection, "SELECT task_status FROM v_tasks WHERE task_id = ?", [known.entity_id])
    return NotPossibleError(
        f"there is this task already: {known.entity_id[:12]} {known.title[:100]!r}, {_words(status)}",
        hint="--again makes another one of the same title",
    )


def _blocker_texts(
    resources: Resources, connection: duckdb.DuckDBPyConnection, blockers: Sequence[str], *, itself: TaskDetail | None
) -> list[str]:
    """What is kept of blockers: texts masked, ids whole."""
    names = set() if itself is None else {normalize(itself.task.title), *itself.also_called, _own_name(itself)}
    kept = []
    for given in blockers:
        text = masked(resources, given, what="blocker")
        if not normalize(text):
            raise InvalidArgumentError(
                "a blocker has no letter and no digit", hint="say what it waits for, or nothing when nothing is in its way"
            )
        if _ID.fullmatch(text) or text.startswith("task:"):
            text = one_entity(connection, text, "task").entity_id
        elif _OTHER_ID.match(text):
            raise InvalidArgumentError(
                f"{text[:60]!r} is no task: conditions and artifacts are named in words",
                hint="say what it waits for as sessions do: the same words mean the same",
            )
        if itself is not None and (text == itself.task.task_id or normalize(blocker_title(text)) in names):
            raise _waits_for_itself(itself.task.title)
        kept.append(text)
    return list(dict.fromkeys(kept))


def _own_name(detail: TaskDetail) -> str:
    return detail.task.canonical_key.split(":", 2)[-1]


def _waits_for_itself(title: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"the task {title[:100]!r} cannot wait for itself", hint="name what else it waits for")


def _before_blocked(history: Sequence[TaskEvent]) -> TaskStatus:
    """What a blocked task was before."""
    moves = [event.details for event in history if event.event_type == "task_status_changed"]
    return next((_status(move["from_status"]) for move in reversed(moves) if move["to_status"] == "blocked"), "pending")


def _refused(connection: duckdb.DuckDBPyConnection, detail: TaskDetail, event: str | None) -> tuple[str, str]:
    """The event of a refused status, and the status."""
    told = {
        item.event_id: str(item.details["requested_status"])
        for item in detail.history
        if item.event_type == "task_transition_rejected"
        or (
            item.event_type == "task_created"
            and item.details.get("requested_status") not in (None, item.details["initial_status"])
        )
    }
    if event is None:
        if not detail.refused:
            raise NotPossibleError(
                "no refused move of this task waits for anybody",
                hint=f"`memory task show {detail.task.task_id[:12]}` shows its history, --event accepts an older one",
            )
        return detail.refused[0].event_id, detail.refused[0].requested_status
    event_id = full_id(
        connection,
        f"SELECT event_id AS id FROM task_outcomes WHERE entity_id = '{detail.task.task_id}'",
        event,
        what="event of this task",
        listed_by=f"memory task show {detail.task.task_id[:12]} --json",
        prefix="ev_",
    )
    if event_id not in told:
        raise NotFoundError(
            f"the event {event_id[:12]} refused the task nothing",
            hint=f"`memory task show {detail.task.task_id[:12]}` shows what was refused",
        )
    return event_id, told[event_id]
