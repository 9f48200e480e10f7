"""``/sessions`` and ``/sessions/{id}``: every session, and one with its messages, at the words that an address names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import Response

from memory_assets.errors import NotFoundError
from memory_assets.queries.session_pages import (
    ToldMessage,
    check_cited,
    cited_segments,
    message_count,
    told_between,
)
from memory_assets.queries.sessions import one_session, quarantined, sessions_of
from memory_assets.search.usage import note_opened
from memory_assets.viewer.page import Page, page_route
from memory_assets.viewer.paging import Paged, paged
from memory_assets.viewer.shown_messages import Budget, Segments, ShownMessage, shown_message

if TYPE_CHECKING:
    import duckdb

    from memory_assets.results.sessions import Quarantined, SessionSummary

SESSIONS_OF_A_PAGE: Final = 50
MESSAGES_OF_A_PAGE: Final = 40
PART: Final = 40_000
"""Characters of a page of one long message."""
MOST_MEMORIES: Final = 100
MOST_OF_A_PART: Final = 8


@dataclass(frozen=True, slots=True)
class _Read:
    """What the store knows of a page of a session, read on one connection."""

    session: SessionSummary
    quarantine: list[Quarantined]
    paged: Paged
    told: list[ToldMessage]


def sessions(request: Request) -> Response:
    """Every session, the newest first; those of one project where the address names one."""
    page = Page(request)
    project = page.asked("project")
    number = page.asked_number("page", default=1)
    size = SESSIONS_OF_A_PAGE
    shown, total = page.memory.read(sessions_of, project=project, limit=size, offset=(number - 1) * size)
    names = page.projects(project)
    if project is not None and project not in names:
        raise NotFoundError(f"there is no project {project[:100]!r}", hint="the page of projects lists them")
    return page.render("sessions.html", sessions=shown, paged=paged(page, size, total), project=project, projects=names)


def session(request: Request) -> Response:
    """A page of a session's messages; of ``m=`` the page that holds this message, with the characters of ``c=`` marked."""
    page = Page(request)
    session_id: str = request.path_params["session_id"]
    cited = _cited(page, session_id)
    read = page.memory.read(_read, page, session_id, cited)
    if cited is not None:
        told = next((one for one in read.told if one.message.message_index == cited[0]), None)
        check_cited(told, read.session.session_id, *cited)
    opened = read.session.session_id
    note_opened(page.memory.settings, [("episode", opened) if cited is None else f"session:{opened}#m={cited[0]}"])
    mask, budget = page.mask, Budget()
    return page.render(
        "session.html",
        session=read.session,
        quarantine=read.quarantine,
        paged=read.paged,
        messages=[shown_message(one, mask, budget, cited=_of(cited, one)) for one in read.told],
        cited=cited,
    )


def message(request: Request) -> Response:
    """One message, however long it is, a part at a time."""
    page = Page(request)
    session_id: str = request.path_params["session_id"]
    index = int(request.path_params["index"])
    found = page.memory.read(one_session, session_id)
    told = next(iter(page.memory.read(told_between, found.session_id, index, index)), None)
    check_cited(told, found.session_id, index, ())
    assert told is not None
    shown = paged(page, PART, len(told.message.text))
    part = (shown.first, min(len(told.message.text), shown.first + shown.size))
    one: ShownMessage = shown_message(told, page.mask, Budget(), part=part)
    return page.render("message.html", session=found, message=one, paged=shown)


def about(request: Request) -> Response:
    """What a session was about and what is remembered of it."""
    page = Page(request)
    session_id: str = request.path_params["session_id"]
    digest = page.memory.session_digest(session_id)
    memories = page.memory.memories(session_ids=[digest.session.session_id], limit=MOST_MEMORIES)
    part = "session_about_part.html" if request.headers.get("hx-request") else "session_about.html"
    return page.render(part, digest=digest, memories=memories)


def _cited(page: Page, session_id: str) -> tuple[int, Segments] | None:
    given = page.asked("m")
    return None if given is None else cited_segments(session_id, given, page.asked("c"))


def _of(cited: tuple[int, Segments] | None, told: ToldMessage) -> Segments | None:
    return cited[1] if cited is not None and cited[0] == told.message.message_index else None


def _read(connection: duckdb.DuckDBPyConnection, page: Page, session_id: str, cited: tuple[int, Segments] | None) -> _Read:
    found = one_session(connection, session_id)
    count = message_count(connection, found.session_id)
    if cited is not None and page.asked("page") is None:
        if cited[0] >= count:
            raise NotFoundError(f"session {found.session_id} has no message {cited[0]:,}", hint=f"it has {count:,}, from 0")
        shown = Paged(cited[0] // MESSAGES_OF_A_PAGE + 1, MESSAGES_OF_A_PAGE, count)
    else:
        shown = paged(page, MESSAGES_OF_A_PAGE, count)
    return _Read(
        session=found,
        quarantine=quarantined(connection, found.session_id),
        paged=shown,
        told=told_between(connection, found.session_id, shown.first, shown.first + shown.size - 1),
    )


ROUTES: Final = (
    page_route("/sessions", sessions),
    page_route("/sessions/{session_id}", session),
    page_route("/sessions/{session_id}/about", about),
    page_route("/sessions/{session_id}/messages/{index:int}", message),
)
