"""The pages, served on loopback with the headers of the guard."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memory_assets.memory import Memory
from memory_assets.viewer.routes import viewer_routes

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class _Guarded:
    """Adds the policy of the guard, with a place where browsers tell what broke it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                policy = f"{CSP}; report-uri /told"
                message["headers"] = [*message["headers"], (b"content-security-policy", policy.encode())]
            await send(message)

        await self._app(scope, receive, sent)


@dataclass
class Served:
    """Where the pages are; ``reports`` is what browsers told of the policy, ``asked`` each address that was asked for."""

    url: str
    reports: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def get(self, path: str, **headers: str) -> httpx.Response:
        """What a path answers."""
        with httpx.Client(base_url=self.url, trust_env=False, timeout=60) as client:
            return client.get(path, headers=headers)

    def read(self, path: str, sent: dict[str, str] | None = None) -> tuple[int, str]:
        """Status and text of what a path answers; of what goes on for ever, so much as comes in a second.

        Args:
            sent: what is posted as JSON; None for what is only opened.
        """
        pieces: list[str] = []
        waits = httpx.Timeout(60, read=1 if path.startswith("/live") else 60)
        with (
            suppress(httpx.ReadTimeout),
            httpx.Client(base_url=self.url, trust_env=False, timeout=waits) as client,
            client.stream("POST" if sent else "GET", path, json=sent) as answer,
        ):
            for piece in answer.iter_text():
                pieces.append(piece)
        return answer.status_code, "".join(pieces)


@contextmanager
def serving(memory: Memory) -> Iterator[Served]:
    """The pages of a store, for as long as the block runs."""
    told = Served("")

    async def reported(request: Request) -> Response:
        told.reports.append((await request.body()).decode())
        return Response(status_code=204)

    app = Starlette(routes=[Route("/told", reported, methods=["POST"]), *viewer_routes()])
    app.state.memory, app.state.settings = memory, memory.settings
    server = uvicorn.Server(uvicorn.Config(_Guarded(app), host="127.0.0.1", port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < until, "the pages are not served"
        time.sleep(0.01)
    told.url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    try:
        yield told
    finally:
        server.should_exit = True
        thread.join(timeout=20)
