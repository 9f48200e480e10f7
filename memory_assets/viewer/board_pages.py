"""The pages on which people settle things: the board, a task, what of tasks waits for a word, conflicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import Response

from memory_assets.commands.conflicts import RESOLUTIONS
from memory_assets.errors import check_word
from memory_assets.queries.conflicts import STATUSES, list_conflicts
from memory_assets.queries.task_review import task_review
from memory_assets.queries.tasks import SHOWN_ORDER, tasks_by_status
from memory_assets.viewer.page import Page, page_route
from memory_assets.viewer.paging import paged
from memory_assets.vocabulary import PRIORITIES, TASK_STATUSES

if TYPE_CHECKING:
    from memory_assets.queries.conflicts import ConflictView

MOST_OF_A_COLUMN: Final = 25
OF_A_PAGE: Final = 50
CONFLICTS_OF_A_PAGE: Final = 15
MOST_OF_A_REVIEW: Final = 40
MOST_QUOTES: Final = 60
MOST_HISTORY: Final = 100


def tasks(request: Request) -> Response:
    """The board, or with a status all of its tasks in pages."""
    page = Page(request)
    project, status = page.asked("project"), page.asked("status")
    if status is not None:
        check_word("status", status, TASK_STATUSES)
    shown = None
    with page.memory.database.reading():  # an opening costs more than a column
        counts = page.memory.read(tasks_by_status, project=project)
        if status is not None:
            shown = paged(page, OF_A_PAGE, counts.get(status, 0))
            found = page.memory.tasks(status=status, project=project, limit=shown.first + shown.size)
            columns = [(status, found[shown.first :])]
        else:
            columns = [
                (name, page.memory.tasks(status=name, project=project, limit=MOST_OF_A_COLUMN))
                for name in SHOWN_ORDER
                if name in counts
            ]
    return page.render("tasks.html", columns=columns, counts=counts, project=project, chosen=status, paged=shown)


def review(request: Request) -> Response:
    """What of tasks waits for somebody's word."""
    page = Page(request)
    project = page.asked("project")
    found = page.memory.read(task_review, project=project)
    return page.render("task_review.html", review=found, project=project, most=MOST_OF_A_REVIEW)


def task(request: Request) -> Response:
    """A task with what it waits for, what speaks of it, and its past."""
    page = Page(request)
    detail = page.memory.task(request.path_params["task_id"])
    return page.render(
        "task.html",
        detail=detail,
        task=detail.task,
        quotes=detail.task.evidence[-MOST_QUOTES:],
        history=detail.history[-MOST_HISTORY:],
        statuses=TASK_STATUSES,
        priorities=PRIORITIES,
    )


def conflicts(request: Request) -> Response:
    """Conflicts with both sides, and the form that settles each."""
    page = Page(request)
    status, project = page.asked("status") or "open", page.asked("project")
    check_word("status", status, STATUSES)
    found: list[ConflictView] = page.memory.read(list_conflicts, status=status, project=project)
    shown = paged(page, CONFLICTS_OF_A_PAGE, len(found))
    return page.render(
        "conflicts.html",
        conflicts=found[shown.first : shown.first + shown.size],
        paged=shown,
        chosen=status,
        project=project,
        statuses=STATUSES,
        resolutions=RESOLUTIONS,
    )


ROUTES: Final = (
    page_route("/tasks", tasks),
    page_route("/tasks/review", review),
    page_route("/tasks/{task_id}", task),
    page_route("/conflicts", conflicts),
)
