"""The pages of the store itself: its health, what was masked and forgotten, the log as it grows, words on one thing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import Response

from memory_assets.errors import InvalidArgumentError
from memory_assets.maintenance.doctor import checks
from memory_assets.maintenance.outbox import outbox_status
from memory_assets.queries.event_stream import newest_seen
from memory_assets.queries.forgettings import list_forgettings
from memory_assets.queries.masked_counts import masked_by_kind, masked_sessions
from memory_assets.queries.sessions import quarantined
from memory_assets.queries.store_health import store_health
from memory_assets.viewer.page import Page, page_route
from memory_assets.viewer.paging import paged
from memory_assets.vocabulary import SIGNALS

if TYPE_CHECKING:
    from memory_assets.results.sessions import Quarantined

SHOWN_EVENTS: Final = 100
MOST_EVENTS: Final = 150
"""Of those that come live the oldest go."""
OF_A_PAGE: Final = 50
SHOWN_ASIDE: Final = 100


def health(request: Request) -> Response:
    """How the store stands; with ``look=1`` also what the doctor finds, which reads all of the log."""
    page = Page(request)
    with page.memory.database.reading():  # an opening costs more than most of these questions
        aside: list[Quarantined] = page.memory.read(quarantined)
        counted, outbox = page.memory.read(store_health), outbox_status(page.memory.resources)
    return page.render(
        "health.html",
        health=counted,
        outbox=outbox,
        aside=aside[:SHOWN_ASIDE],
        aside_count=len(aside),
        found=checks(page.memory.resources) if page.asked("look") else None,
    )


def privacy(request: Request) -> Response:
    """What was masked, by kind and count; what was forgotten, by number and place; and the form that forgets."""
    page = Page(request)
    with page.memory.database.reading():
        forgettings = page.memory.read(list_forgettings).forgettings
        kinds = page.memory.read(masked_by_kind)
        shown = paged(page, OF_A_PAGE, page.memory.read(masked_sessions, limit=1)[1])
        sessions, _ = page.memory.read(masked_sessions, limit=shown.size, offset=shown.first)
    return page.render(
        "privacy.html",
        kinds=kinds,
        sessions=sessions,
        paged=shown,
        forgettings=forgettings[:OF_A_PAGE] if not page.asked("every") else forgettings,
        forgetting_count=len(forgettings),
        ids=page.asked("ids"),
        session=page.asked("session"),
    )


def events(request: Request) -> Response:
    """The newest events, and those that come while the page is open."""
    page = Page(request)
    found = page.memory.read(newest_seen, limit=SHOWN_EVENTS)
    return page.render("events.html", events=tuple(reversed(found.events)), upto=found.upto, most=MOST_EVENTS)


def words(request: Request) -> Response:
    """Every word that can be said of one memory."""
    page = Page(request)
    given = page.asked("of")
    if given is None:
        raise InvalidArgumentError("nothing is named", hint="as in /say?of=mem:a7Bc3x")
    return page.render("words.html", of=page.memory.resolve(given), id=given, signals=SIGNALS)


ROUTES: Final = (
    page_route("/health", health),
    page_route("/privacy", privacy),
    page_route("/events", events),
    page_route("/say", words),
)
