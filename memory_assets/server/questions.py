"""What the command line asks a running server: one address for each question, JSON both ways.

A browser is given none of them: it has pages. Who asks says which settings and which version it has. Where the server has
others it says so with status 409, and the command answers by itself: the output is the same either way.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from memory_assets import __version__
from memory_assets.ask.request import AskRequest
from memory_assets.errors import InvalidArgumentError
from memory_assets.results.search import SearchResponseV1
from memory_assets.search.request import SearchRequest
from memory_assets.server.failures import told
from memory_assets.server.pieces import pieces_of
from memory_assets.server.remote import SETTINGS_HEADER, VERSION_HEADER
from memory_assets.server.store import WarmStore
from memory_assets.vocabulary import AskedMode

if TYPE_CHECKING:
    from memory_assets.memory import Memory
    from memory_assets.results.answer import AnswerV1
    from memory_assets.results.model import WireModel

OTHER_SETTINGS: Final = 409
_LOOKS_AFTER_SECONDS: Final = 10.0
_SEARCH = TypeAdapter(SearchRequest)


class _Question(BaseModel):
    """The fields of an ``ask.request.AskRequest`` that can be sent."""

    question: str
    project: str | None
    mode: AskedMode
    most_words: int
    multi_hop: bool


def question_routes() -> list[BaseRoute]:
    """The addresses of the questions."""
    routes: list[BaseRoute] = [Route("/questions/ask", _ask, methods=["POST"])]
    routes += [Route(f"/questions/{name}", _answering(asked), methods=["POST"]) for name, asked in _QUESTIONS.items()]
    return routes


def _search(memory: Memory, given: dict[str, Any]) -> WireModel:
    return memory.search_for(_SEARCH.validate_python(given["request"]), explain=bool(given["explain"]))


def _disclose(memory: Memory, given: dict[str, Any]) -> WireModel:
    return memory.disclose(SearchResponseV1.model_validate(given["response"]), budget=int(given["budget"]))


def _context(memory: Memory, given: dict[str, Any]) -> WireModel:
    return memory.context(given["query"], project=given["project"], budget=int(given["budget"]), log=bool(given["log"]))


_QUESTIONS: Final[dict[str, Callable[[Memory, dict[str, Any]], WireModel]]] = {
    "search": _search,
    "disclose": _disclose,
    "context": _context,
}


def _answering(asked: Callable[[Memory, dict[str, Any]], WireModel]) -> Callable[[Request], Any]:
    async def answer(request: Request) -> Response:
        store: WarmStore = request.app.state.store
        if request.state.is_browser:
            return Response(status_code=403)
        if not await run_in_threadpool(_is_same, request, store):
            return Response(status_code=OTHER_SETTINGS)
        given = await request.body()
        return await run_in_threadpool(_answered, asked, store, given)

    return answer


def _answered(asked: Callable[[Memory, dict[str, Any]], WireModel], store: WarmStore, given: bytes) -> Response:
    try:
        return Response(asked(store.memory, _read(given)).model_dump_json(), media_type="application/json")
    except Exception as error:
        return _failed(error)


async def _ask(request: Request) -> Response:
    """A line for each piece of a model's draft, then one for the answer or the error."""
    store: WarmStore = request.app.state.store
    if request.state.is_browser:
        return Response(status_code=403)
    if not await run_in_threadpool(_is_same, request, store):
        return Response(status_code=OTHER_SETTINGS)
    given = await request.body()
    return StreamingResponse(_ask_lines(store, given), media_type="application/x-ndjson")


async def _ask_lines(store: WarmStore, given: bytes) -> AsyncIterator[str]:
    def work(say: Callable[[tuple[str, Any]], None]) -> None:
        try:
            answer = _asked(store.memory, _read(given), lambda piece: say(("draft", piece)))
            say(("answer", answer.model_dump(mode="json")))
        except Exception as error:
            say(("error", told(error)[1].model_dump(mode="json")))

    async for said in pieces_of(work, heartbeat_seconds=_LOOKS_AFTER_SECONDS):
        if said is not None:
            yield json.dumps(dict([said]), ensure_ascii=False) + "\n"


def _asked(memory: Memory, given: dict[str, Any], listen: Callable[[str], None]) -> AnswerV1:
    from memory_assets.commands.answers import answered

    request = AskRequest(**_Question.model_validate(given["request"]).model_dump())
    return answered(
        memory.asker,
        memory.resources,
        request,
        conversation=given["conversation"],
        continued=bool(given["continued"]),
        wanted=given["record"],
        listen=listen if given["draft"] else None,
    )


def _is_same(request: Request, store: WarmStore) -> bool:
    asked = request.headers.get(SETTINGS_HEADER), request.headers.get(VERSION_HEADER)
    return asked == (store.print, __version__)


class _Given(dict[str, Any]):
    """What was sent; a part that is missing is an error of who sent it."""

    def __missing__(self, name: str) -> Any:
        raise _not_ours()


def _read(given: bytes) -> _Given:
    try:
        value = json.loads(given)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise _not_ours()
    return _Given(value)


def _not_ours() -> InvalidArgumentError:
    return InvalidArgumentError("the question is not in the form that this version asks it", hint="ask by `memory search`")


def _failed(error: Exception) -> Response:
    status, words = told(_not_ours() if isinstance(error, ValidationError) else error)
    return JSONResponse(words.model_dump(mode="json"), status)
