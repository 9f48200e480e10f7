"""The pages of the court: lessons with the words that they rest on, and cases with what was claimed of each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import Response

from memory_assets.queries.cases import list_cases, one_case
from memory_assets.queries.lessons import STATUSES, count_by_role, list_lessons, one_lesson
from memory_assets.viewer.page import Page, page_route
from memory_assets.viewer.paging import paged

if TYPE_CHECKING:
    from memory_assets.results.court import CaseClaimV1

LESSONS_OF_A_PAGE: Final = 15
CASES_OF_A_PAGE: Final = 50
CLAIMS_OF_A_PAGE: Final = 25
MOST_ROLES: Final = 30
MOST_QUOTES: Final = 6
MOST_QUOTES_OF_ONE: Final = 100


def lessons(request: Request) -> Response:
    """Lessons of a role and a status, the surest first."""
    page = Page(request)
    role, status = page.asked("role"), page.asked("status") or "active"
    before = (page.asked_number("page", default=1) - 1) * LESSONS_OF_A_PAGE
    with page.memory.database.reading():
        found = page.memory.read(list_lessons, role=role, status=status, limit=LESSONS_OF_A_PAGE, offset=before)
        roles = page.memory.read(count_by_role, status=status)
    return page.render(
        "lessons.html",
        lessons=found.lessons,
        paged=paged(page, LESSONS_OF_A_PAGE, found.total),
        role=found.role,
        roles=dict(list(roles.items())[:MOST_ROLES]),
        chosen=status,
        statuses=STATUSES,
        most_quotes=MOST_QUOTES,
    )


def lesson(request: Request) -> Response:
    """A lesson with all that it rests on, and how others stand to it."""
    page = Page(request)
    found = page.memory.read(one_lesson, request.path_params["lesson_id"])
    return page.render("lesson.html", lesson=found, most_quotes=MOST_QUOTES_OF_ONE)


def cases(request: Request) -> Response:
    """The sessions that were heard, the newest first."""
    page = Page(request)
    before = (page.asked_number("page", default=1) - 1) * CASES_OF_A_PAGE
    version = page.memory.resources.court_version
    found = page.memory.read(list_cases, version=version, limit=CASES_OF_A_PAGE, offset=before)
    return page.render("cases.html", cases=found.cases, paged=paged(page, CASES_OF_A_PAGE, found.total))


def case(request: Request) -> Response:
    """A case: what was kept and what was left out, by who claimed it, with the words of each claim."""
    page = Page(request)
    version = page.memory.resources.court_version
    found = page.memory.read(one_case, request.path_params["case_id"], version=version)
    shown = paged(page, CLAIMS_OF_A_PAGE, len(found.judged))
    claims = found.judged[shown.first : shown.first + shown.size]
    return page.render("case.html", case=found, claims=_by_speaker(claims), paged=shown, most_quotes=MOST_QUOTES)


def _by_speaker(claims: Sequence[CaseClaimV1]) -> list[tuple[str, list[tuple[str, list[CaseClaimV1]]]]]:
    """Claims by what became of them, and those by who claimed them; they come in that order."""
    return [
        (decision, [(speaker, list(told)) for speaker, told in groupby(decided, key=lambda claim: claim.court_role)])
        for decision, decided in groupby(claims, key=lambda claim: claim.decision)
    ]


ROUTES: Final = (
    page_route("/lessons", lessons),
    page_route("/lessons/{lesson_id}", lesson),
    page_route("/cases", cases),
    page_route("/cases/{case_id}", case),
)
