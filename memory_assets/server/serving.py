"""One server for a store, from its first request to its end.

Whoever holds the lock of the server's folder is the server; a second one says who that is and ends. A process that dies loses
the lock, so nobody is ever locked out by the dead. It ends when it is told to, and one that a hook started also when nobody
asked it anything for a while.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import anyio.to_thread
import uvicorn
from starlette.routing import BaseRoute

from memory_assets import __version__
from memory_assets.errors import InvalidArgumentError
from memory_assets.server.application import ServerState, create_application
from memory_assets.server.files import LOOPBACK, Place, new_token, tell_place, withdraw_place
from memory_assets.server.following import Following

if TYPE_CHECKING:
    from memory_assets.server.store import WarmStore
    from memory_assets.server.taking import Taking

SECONDS_TO_END: Final = 3
MOST_CONNECTIONS: Final = 256
"""Open at once; a browser holds six, a page that listens one of them."""
_SECONDS_BETWEEN_LOOKS: Final = 5.0


class PortTakenError(InvalidArgumentError):
    """The port that was asked for is another program's."""


def bound(port: int, *, host: str = LOOPBACK, exactly: bool = False) -> socket.socket:
    """A socket that listens.

    Args:
        exactly: the port was asked for by name; otherwise any free one will do where it is taken.

    Raises:
        PortTakenError, InvalidArgumentError: nothing can listen there.
    """
    for tried in (port, 0):
        listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, tried))
            listening.listen(128)
            return listening
        except OSError as error:
            listening.close()
            if exactly or tried == 0:
                said = f"nothing can listen on {host}:{tried}: {error.strerror or error}"
                raise PortTakenError(said, hint="choose another port with --port, or leave it out") from error
    raise AssertionError


def serve(
    store: WarmStore,
    listening: socket.socket,
    *,
    names: Iterable[str] = (),
    idle_seconds: float | None = None,
    taking: Callable[[ServerState], Taking | None] = lambda _: None,
    pages: Iterable[BaseRoute] = (),
    ready: Callable[[ServerState], None] = lambda _: None,
) -> None:
    """Serve a store until the end is asked for, or until nobody asked anything for ``idle_seconds``.

    To be called in the main thread, which takes the signals, by the process that is the store's ``only_server``.

    Args:
        names: host names besides its own under which it may be asked, as behind a proxy.
        taking: makes what takes sessions in.
        ready: is told when requests are answered.
    """
    host, port = listening.getsockname()[:2]
    here = Place(os.getpid(), port, __version__, datetime.now(UTC).isoformat(timespec="seconds"), host)
    state = ServerState(store=store, token=new_token(store.home), place=here, end=lambda: None, names=tuple(names))
    state.taking = taking(state)

    @asynccontextmanager
    async def alive(_: Any) -> AsyncIterator[None]:
        async with _at_work(state, idle_seconds):
            ready(state)
            yield

    configuration = uvicorn.Config(
        create_application(state, pages, alive),
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="on",
        timeout_graceful_shutdown=SECONDS_TO_END,
        limit_concurrency=MOST_CONNECTIONS,
        proxy_headers=False,
    )
    server = uvicorn.Server(configuration)

    def end() -> None:
        server.should_exit = True

    state.end = end
    # uvicorn takes the signals while it runs, ends in order, and raises them again: by then they have been obeyed.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    server.run(sockets=[listening])


@asynccontextmanager
async def _at_work(state: ServerState, idle_seconds: float | None) -> AsyncIterator[None]:
    """What goes on beside the requests: the server is found, warm, takes sessions in and looks whether anybody wants it."""
    home = state.store.home
    tell_place(home, state.place)
    following = Following(lambda: state.store.memory.database)
    following.start()
    if state.taking is not None:
        state.taking.start()
    warming = asyncio.create_task(anyio.to_thread.run_sync(state.store.warm_up))
    idle = asyncio.create_task(_end_when_idle(state, idle_seconds))
    try:
        yield
    finally:
        withdraw_place(home, os.getpid())
        for task in (idle, warming):
            task.cancel()
        await anyio.to_thread.run_sync(following.end)
        if state.taking is not None:
            await anyio.to_thread.run_sync(state.taking.end)


async def _end_when_idle(state: ServerState, idle_seconds: float | None) -> None:
    while idle_seconds is not None:
        await asyncio.sleep(min(_SECONDS_BETWEEN_LOOKS, idle_seconds / 2))
        if state.activity.idle_seconds() > idle_seconds:
            state.end()
            return
