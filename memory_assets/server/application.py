"""The application: what stands behind which address, and the guard in front of all of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import State
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Lifespan

from memory_assets import __version__
from memory_assets.server.activity import Activity, CountedRequests
from memory_assets.server.browsers import Browsers
from memory_assets.server.guard import Guard, cookie_name
from memory_assets.server.login import login_routes
from memory_assets.server.people import People
from memory_assets.server.questions import question_routes
from memory_assets.server.store import WarmStore

if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_assets.memory import Memory
    from memory_assets.server.files import Place
    from memory_assets.server.taking import Taking
    from memory_assets.settings import Settings


@dataclass(slots=True)
class ServerState:
    """What the parts of one server share.

    Attributes:
        end: asks the server to end.
        names: host names besides its own under which it may be asked.
        taking: takes sessions in; None where nobody does.
    """

    store: WarmStore
    token: str
    place: Place
    end: Callable[[], None]
    names: Sequence[str] = ()
    browsers: Browsers = field(init=False)
    activity: Activity = field(default_factory=Activity)
    taking: Taking | None = None

    def __post_init__(self) -> None:
        self.browsers = Browsers(People(self.store.home))

    def new_link(self) -> str:
        """A link that opens the pages once."""
        return f"{self.place.url}/login#key={self.browsers.new_key()}"


def create_application(
    state: ServerState, pages: Iterable[BaseRoute] = (), lifespan: Lifespan[Starlette] | None = None
) -> ASGIApp:
    """The guarded application.

    Args:
        pages: routes of the viewer and of hooks; they find the façade in ``request.app.state.memory``.
        lifespan: what is done before the first request and behind the last one.
    """
    routes = [
        *login_routes(state.browsers, cookie_name(state.place.port)),
        *question_routes(),
        Route("/server", _standing),
        Route("/server/link", _link, methods=["POST"]),
        Route("/server/stop", _stop, methods=["POST"]),
        *pages,
    ]
    application = Starlette(routes=routes, lifespan=lifespan)
    application.state = _State(server=state, store=state.store)
    # Who is refused keeps no server alive.
    counted = CountedRequests(application, state.activity)
    return Guard(counted, token=state.token, browsers=state.browsers, place=state.place, names=state.names)


class _State(State):
    """``app.state``: what was put into it, and the façade by the settings of this moment."""

    def __init__(self, **values: Any) -> None:
        super().__init__(values)

    @property
    def memory(self) -> Memory:
        store: WarmStore = self.store
        return store.memory

    @property
    def settings(self) -> Settings:
        return self.memory.settings


def _state(request: Request) -> ServerState:
    state: ServerState = request.app.state.server
    return state


async def _standing(request: Request) -> Response:
    """How the server stands: for ``memory serve status``, and for whoever looks whether it is alive."""
    state = _state(request)
    taking = state.taking
    return JSONResponse(
        {
            "version": __version__,
            "settings": state.store.print,
            "idle_seconds": round(state.activity.idle_seconds(), 1),
            "taking": None if taking is None else taking.standing(),
        }
    )


async def _link(request: Request) -> Response:
    """A link that opens the pages once. For those who hold the token: a page is given none."""
    state = _state(request)
    if request.state.is_browser:
        return Response(status_code=403)
    return JSONResponse({"link": state.new_link()})


async def _stop(request: Request) -> Response:
    state = _state(request)
    if request.state.is_browser:
        return Response(status_code=403)
    await run_in_threadpool(state.end)
    return JSONResponse({"ending": True})
