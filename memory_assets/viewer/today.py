"""``/today``: what happened on a day, what is open, what changed."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import Response

from memory_assets.errors import InvalidArgumentError
from memory_assets.queries.changes import days_around, task_moves
from memory_assets.queries.conflicts import list_conflicts
from memory_assets.queries.day_digest import day_digest, first_of_each_session, sessions_on
from memory_assets.viewer.page import Page, page_route

if TYPE_CHECKING:
    from memory_assets.memory import Memory
    from memory_assets.results.tasks import TaskView

MOST_SESSIONS: Final = 20
"""Of one day, the last ones: a page has a bounded number of elements."""
MOST_OF_A_PART: Final = 5
MOST_OPEN: Final = 12
MOST_MOVED: Final = 20
_OPEN: Final = ("in_progress", "blocked", "pending")


def today(request: Request) -> Response:
    """A day, by default the last one on which anything was said; it names the one before and the one behind it."""
    page = Page(request)
    now = datetime.now(UTC).date()
    given = page.asked("day")
    day = _day(given) if given else now
    told = page.memory.read(sessions_on, day)
    before, behind = page.memory.read(days_around, day)
    if given is None and not told and before is not None:
        day = before
        told = page.memory.read(sessions_on, day)
        before, behind = page.memory.read(days_around, day)
    digest = page.memory.read(day_digest, day, session_ids=told[-MOST_SESSIONS:])
    since = datetime.combine(day, time(), UTC)
    moved = page.memory.read(task_moves, since, until=since + timedelta(days=1))
    conflicts = page.memory.read(list_conflicts, status="open")
    return page.render(
        "today.html",
        day=day,
        is_today=day == now,
        is_the_last=given is None and day != now,
        before=before,
        behind=behind,
        digest=first_of_each_session(digest, MOST_OF_A_PART),
        session_count=len(told),
        open_tasks=_open_tasks(page.memory),
        moved=moved[:MOST_MOVED],
        moved_count=len(moved),
        conflicts=len(conflicts),
    )


def _open_tasks(memory: Memory) -> list[TaskView]:
    """What is worked at or waits, as the board orders it."""
    found: list[TaskView] = []
    for status in _OPEN:
        if len(found) < MOST_OPEN:
            found += memory.tasks(status=status, limit=MOST_OPEN - len(found))
    return found


def _day(given: str) -> date:
    try:
        day = date.fromisoformat(given)
    except ValueError as error:
        raise InvalidArgumentError(f"{given[:40]!r} is no day", hint="a day is written 2026-03-12") from error
    if day == date.max:
        raise InvalidArgumentError(f"{given[:40]} has no day behind it")
    return day


ROUTES: Final = (page_route("/", today, name="home"), page_route("/today", today))
