"""A real server on loopback, in a thread of the test."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator, Sequence

import uvicorn
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from memory_assets.memory import Memory


@contextlib.contextmanager
def served(memory: Memory, routes: Sequence[BaseRoute], *, sent_ahead: int | None = None) -> Iterator[str]:
    """The address of a server that answers with these routes, without a guard, while the block lasts.

    Args:
        sent_ahead: bytes that the system takes for a client that reads nothing.
    """
    application = Starlette(routes=list(routes))
    application.state.memory = memory
    with socket.socket() as listening:
        if sent_ahead is not None:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, sent_ahead)
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
        server = uvicorn.Server(
            uvicorn.Config(application, log_level="warning", lifespan="off", timeout_graceful_shutdown=2, ws="none")
        )
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(20)
            assert not thread.is_alive()
