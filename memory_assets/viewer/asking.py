"""``/ask``: an answer in cited quotes, or the word that nothing was said; it comes as it is made, where scripts run.

The page asks for the answer as server-sent events: what a model drafts, word for word and marked as a draft, and at the end the
answer that was held to its evidence, as a piece of the page. Without a script, a link asks for the page with the answer in it.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from memory_assets.memory import AskRequest
from memory_assets.server.failures import UNFORESEEN, told
from memory_assets.server.pieces import pieces_of
from memory_assets.viewer.links import with_query
from memory_assets.viewer.page import Page, page_route

if TYPE_CHECKING:
    from memory_assets.results.answer import AnswerV1

HEARTBEAT_SECONDS: Final = 10.0
"""As often something is said while an answer is made, so that nobody takes the connection for dead."""
_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def ask(request: Request) -> Response:
    """The form; with a question also where its answer comes from, or with ``whole`` the answer itself."""
    page = Page(request)
    question, project = page.asked("q"), page.asked("project")
    answer = page.memory.ask(AskRequest(question, project=project)) if question and page.asked("whole") else None
    return page.render(
        "ask.html",
        question=question or "",
        project=project,
        projects=page.projects(project),
        answer=answer,
        stream=with_query("/ask/stream", q=question, project=project) if question else None,
    )


def stream(request: Request) -> Response:
    """The answer as it is made."""
    page = Page(request)
    asked = AskRequest(page.asked("q") or "", project=page.asked("project"))
    return StreamingResponse(_told(page, asked), media_type="text/event-stream", headers=_HEADERS)


async def _told(page: Page, asked: AskRequest) -> AsyncIterator[str]:
    """What happens while an answer is made, as events; the last one is the answer, or why there is none."""

    def answer(say: Callable[[tuple[str, str]], None]) -> None:
        try:
            made = page.memory.asker.ask(asked, lambda piece: say(("draft", page.mask(piece))))
            say(("answer", _answer_part(page, made)))
        except Exception as error:
            say(("answer", _failed_part(page, error)))

    async for said in pieces_of(answer, heartbeat_seconds=HEARTBEAT_SECONDS):
        if not page.is_known():
            return  # shut out since
        # JSON keeps a text on one line, whatever breaks it has.
        yield ": still at it\n\n" if said is None else f"event: {said[0]}\ndata: {json.dumps(said[1])}\n\n"


def _answer_part(page: Page, answer: AnswerV1) -> str:
    return page.text("answer.html", answer=answer)


def _failed_part(page: Page, error: Exception) -> str:
    words = told(error)[1]
    message, hint = (page.say("failed.500"), "") if words.code == UNFORESEEN else (words.message, words.hint)
    return page.text("answer_failed.html", message=message, hint=hint)


ROUTES: Final = (page_route("/ask", ask), page_route("/ask/stream", stream))
