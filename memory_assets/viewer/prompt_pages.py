"""The pages of prompts: roles and what is proposed for them, and one role with its versions."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from memory_assets.queries.prompts import STATUSES, count_updates, list_prompts, list_updates, one_prompt
from memory_assets.viewer.page import Page, page_route
from memory_assets.viewer.paging import paged

UPDATES_OF_A_PAGE: Final = 10


def prompts(request: Request) -> Response:
    """Every role with the version that is active, and proposals with what each changes and the forms of a person's word."""
    page = Page(request)
    status = page.asked("status")
    with page.memory.database.reading():
        roles = page.memory.read(list_prompts)
        shown = paged(page, UPDATES_OF_A_PAGE, page.memory.read(count_updates, status=status))
        found = page.memory.read(list_updates, status=status, limit=shown.size, offset=shown.first)
    return page.render(
        "prompts.html",
        roles=roles,
        updates=found,
        paged=shown,
        chosen=status,
        statuses=STATUSES,
    )


def prompt(request: Request) -> Response:
    """A role: its active prompt or an older version, all versions, and what is proposed."""
    page = Page(request)
    role = request.path_params["role"]
    version = page.asked_number("version", default=0) if page.asked("version") else None
    with page.memory.database.reading():
        found = page.memory.read(one_prompt, role, version)
        shown = paged(page, UPDATES_OF_A_PAGE, page.memory.read(count_updates, role=found.role))
        updates = page.memory.read(list_updates, role=found.role, limit=shown.size, offset=shown.first)
    return page.render("prompt.html", prompt=found, updates=updates, paged=shown)


ROUTES: Final = (page_route("/prompts", prompts), page_route("/prompts/{role:text}", prompt))
