"""What agents' hooks ask: one address for each event. What is said is kept before it is answered."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from memory_assets.hooks.answering import HookAnswerer
from memory_assets.server.failures import told

if TYPE_CHECKING:
    from memory_assets.memory import Memory
    from memory_assets.server.application import ServerState
    from memory_assets.server.store import WarmStore


def hook_routes() -> list[BaseRoute]:
    """The address of the events."""
    return [Route("/hooks/{event}", _Calls().answer, methods=["POST"])]


class _Calls:
    """Answers calls by the façade of the moment; what it knows of sessions lasts as long as their settings do."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._memory: Memory | None = None
        self._answerer: HookAnswerer | None = None

    async def answer(self, request: Request) -> Response:
        """The JSON that the hook prints. Where a call cannot be kept it is refused, and the hook keeps it in the spool."""
        if request.state.is_browser:
            return Response(status_code=403)
        state: ServerState = request.app.state.server
        given = await request.body()
        answered = await run_in_threadpool(self._answered, state, request, given)
        if state.taking is not None:
            state.taking.look_soon()
        return answered

    def _answered(self, state: ServerState, request: Request, given: bytes) -> Response:
        try:
            agent = request.query_params.get("agent", "")
            return JSONResponse(self._of(state.store).answer(request.path_params["event"], agent, _payload(given)))
        except Exception as error:
            status, words = told(error)
            return JSONResponse(words.model_dump(mode="json"), status)

    def _of(self, store: WarmStore) -> HookAnswerer:
        memory = store.memory
        with self._lock:
            if self._answerer is None or self._memory is not memory:
                self._memory, self._answerer = memory, HookAnswerer(memory)
            return self._answerer


def _payload(given: bytes) -> dict[str, Any]:
    try:
        value = json.loads(given)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
