"""The JSON API under ``/api``: what the store holds, in pages with real totals.

Every answer is an object with a schema, every failure ``error.v1``. Nothing here changes anything; what a search delivers is
counted as shown, as with every search. Texts are masked once more on their way out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pydantic import ConfigDict, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.memory import Memory
from memory_assets.queries.event_page import event_page, event_with_related
from memory_assets.queries.metrics import graduation
from memory_assets.queries.session_lists import memories_of_stage, message_page, session_overview, session_page
from memory_assets.queries.statistics import store_stats
from memory_assets.queries.stats_timeline import stats_timeline
from memory_assets.queries.store_health import store_health
from memory_assets.results.listed import SettingsShownV1
from memory_assets.search.bulk import BulkSearchRequestV1
from memory_assets.search.request import SearchRequest
from memory_assets.server.failures import told
from memory_assets.viewer.plain import masked_plain

if TYPE_CHECKING:
    from starlette.requests import Request

MOST_BODY_BYTES = 200_000
_SEARCH_EXAMPLE = 'as in {"query": "…", "project": "shop", "k": 5}'


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked, apart from how: the parts of the path, the query's parameters, the body."""

    path: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def text(self, name: str) -> str | None:
        """A parameter; one that is empty says nothing."""
        return self.query.get(name) or None

    def number(self, name: str, default: int) -> int:
        """A whole number among the parameters.

        Raises:
            InvalidArgumentError: it is none.
        """
        given = self.query.get(name, str(default))
        if not (given.isascii() and given.isdigit() and len(given) < 12):
            raise InvalidArgumentError(f"{name} is {given[:40]!r}", hint="a whole number, as in 20")
        return int(given)


Answering = Callable[[Memory, Asked], Any]


def _routes() -> tuple[BaseRoute, ...]:
    return (
        _route("/api/sessions", _sessions, "page", "page_size", "project", "status"),
        _route("/api/sessions/{session_id}", _session),
        _route("/api/sessions/{session_id}/messages", _messages, "offset", "limit"),
        _route("/api/events", _events, "session_id", "type", "limit", "offset"),
        _route("/api/events/{event_id}", _event),
        _route("/api/search", _search, method="POST"),
        _route("/api/stats", _stats),
        _route("/api/stats/timeline", _timeline, "days", "project"),
        _route("/api/stats/levels/{stage}", _level, "page", "page_size", "project"),
        _route("/api/stats/graduation", _graduation),
        _route("/api/config", _config),
        _route("/api/citations/{address:path}", _citation),
        _route("/api/health", _health),
        Route("/api/{rest:path}", _nothing, methods=["GET", "POST"]),
    )


def _route(path: str, answering: Answering, *parameters: str, method: str = "GET") -> Route:
    """A route whose answer is made in a thread: it waits for the store."""

    async def answered(request: Request) -> JSONResponse:
        try:
            asked = await _asked(request, parameters)
            return await run_in_threadpool(_found, request, answering, asked)
        except Exception as error:
            return await run_in_threadpool(_failed, request, error)

    return Route(path, answered, methods=[method], name=f"api {path}")


async def _asked(request: Request, parameters: tuple[str, ...]) -> Asked:
    """What a request asks; a parameter that nothing reads would be taken for one that was heeded.

    Raises:
        InvalidArgumentError: an unknown parameter, or a body that is too long.
    """
    for name in request.query_params:
        if name not in parameters:
            known = f"it takes {', '.join(parameters)}" if parameters else "it takes none"
            raise InvalidArgumentError(f"there is no parameter {name[:40]!r}", hint=known)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BODY_BYTES:
            raise InvalidArgumentError(f"the body is longer than {MOST_BODY_BYTES:,} bytes", hint=_SEARCH_EXAMPLE)
    return Asked(request.path_params, request.query_params, bytes(body))


def _json(memory: Memory, found: Any, status: int = 200) -> JSONResponse:
    return JSONResponse(masked_plain(memory, found), status)


def _found(request: Request, answering: Answering, asked: Asked) -> JSONResponse:
    memory: Memory = request.app.state.memory
    return _json(memory, answering(memory, asked))


def _failed(request: Request, error: Exception) -> JSONResponse:
    status, said = told(error)
    return _json(request.app.state.memory, said, status)


async def _nothing(request: Request) -> JSONResponse:
    unknown = NotFoundError(f"there is nothing at {request.url.path[:100]!r}", hint="docs/api.md lists it")
    return await run_in_threadpool(_failed, request, unknown)


def _sessions(memory: Memory, asked: Asked) -> Any:
    return memory.read(
        session_page,
        project=asked.text("project"),
        status=asked.text("status"),
        page=asked.number("page", 1),
        page_size=asked.number("page_size", 20),
    )


def _session(memory: Memory, asked: Asked) -> Any:
    return memory.read(session_overview, asked.path["session_id"])


def _messages(memory: Memory, asked: Asked) -> Any:
    return memory.read(
        message_page, asked.path["session_id"], offset=asked.number("offset", 0), limit=asked.number("limit", 100)
    )


def _events(memory: Memory, asked: Asked) -> Any:
    return memory.read(
        event_page,
        session_id=asked.text("session_id"),
        event_type=asked.text("type"),
        limit=asked.number("limit", 50),
        offset=asked.number("offset", 0),
    )


def _event(memory: Memory, asked: Asked) -> Any:
    return memory.read(event_with_related, asked.path["event_id"])


class _SearchBody(BulkSearchRequestV1):
    """What a search is asked: a line of a bulk search without its id; what is misspelled is refused."""

    model_config = ConfigDict(extra="forbid")
    id: str | int = ""
    explain: bool = False


def _search(memory: Memory, asked: Asked) -> Any:
    try:
        said = _SearchBody.model_validate(json.loads(asked.body))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the body"
        raise InvalidArgumentError(f"{where}: {first['msg']}", hint=_SEARCH_EXAMPLE) from error
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentError("the body is no JSON", hint=_SEARCH_EXAMPLE) from error
    given = {name: getattr(said, name) for name in said.model_fields_set - {"id", "schema_version", "explain"}}
    request = SearchRequest(**{name: value for name, value in given.items() if value is not None})
    return memory.search_for(request, explain=said.explain)


def _stats(memory: Memory, asked: Asked) -> Any:
    # What was shown is counted by who asks the command; a GET writes nothing.
    return memory.read(store_stats, memory.database.path, memory.settings.vectors_folder)


def _timeline(memory: Memory, asked: Asked) -> Any:
    return memory.read(stats_timeline, days=asked.number("days", 30), project=asked.text("project"))


def _level(memory: Memory, asked: Asked) -> Any:
    return memory.read(
        memories_of_stage,
        asked.path["stage"],
        project=asked.text("project"),
        page=asked.number("page", 1),
        page_size=asked.number("page_size", 20),
    )


def _graduation(memory: Memory, asked: Asked) -> Any:
    return memory.read(graduation)


def _config(memory: Memory, asked: Asked) -> Any:
    # Keys are no settings: they stand in the environment, and are told by nobody.
    return SettingsShownV1(settings=memory.settings.model_dump(mode="json"))


def _citation(memory: Memory, asked: Asked) -> Any:
    return memory.resolve(asked.path["address"])


def _health(memory: Memory, asked: Asked) -> Any:
    return memory.read(store_health)


ROUTES: Final = _routes()
