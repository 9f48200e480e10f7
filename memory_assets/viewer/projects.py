"""``/projects`` and ``/projects/{name}``: what projects there are, and how each stands."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from memory_assets.queries.session_pages import list_projects
from memory_assets.viewer.page import Page, page_route
from memory_assets.viewer.paging import paged

PROJECTS_OF_A_PAGE: Final = 50
MOST_OF_A_PART: Final = 12
MOST_OF_ALL: Final = 60
MOST_DAYS: Final = 3_650


def projects(request: Request) -> Response:
    """The projects, the one that was spoken of last first."""
    page = Page(request)
    found = page.memory.read(list_projects)
    shown = paged(page, PROJECTS_OF_A_PAGE, len(found))
    return page.render("projects.html", projects=found[shown.first : shown.first + shown.size], paged=shown)


def project(request: Request) -> Response:
    """How a project stands: what holds, what changed of late, what is open and what is contested."""
    page = Page(request)
    name: str = request.path_params["name"]
    is_whole = page.asked("all") is not None
    days = min(page.asked_number("days", default=7), MOST_DAYS)
    digest = page.memory.project_digest(name, days=days, most=MOST_OF_ALL if is_whole else MOST_OF_A_PART)
    return page.render("project.html", digest=digest, is_whole=is_whole)


# The name of a project may be a path.
ROUTES: Final = (page_route("/projects", projects), page_route("/projects/{name:text}", project))
