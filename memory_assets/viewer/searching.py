"""``/search``: what was said of something, and whether that can be an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import Response

from memory_assets.errors import check_word
from memory_assets.search.request import SearchRequest
from memory_assets.viewer.page import Page, page_route
from memory_assets.vocabulary import OF_OTHERS

if TYPE_CHECKING:
    from memory_assets.results.search import SearchResponseV1

HITS: Final = 20
KINDS: Final = ("entry", "task", "passage", "gotcha", "episode", "lesson")


def search(request: Request) -> Response:
    """The best units for a question; without one, the form alone."""
    page = Page(request)
    question, project, kind = page.asked("q"), page.asked("project"), page.asked("kind")
    check_word("kind", kind, KINDS)
    found: SearchResponseV1 | None = None
    if question is not None:
        asked = SearchRequest(question, project=project, kinds=(kind,) if kind else (), k=HITS)
        found = page.memory.search_for(asked)
    return page.render(
        "search.html",
        question=question or "",
        project=project,
        kind=kind,
        kinds=KINDS,
        projects=page.projects(project),
        found=found,
        of_others=OF_OTHERS,
    )


ROUTES: Final = (page_route("/search", search),)
