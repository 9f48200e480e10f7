"""Who may ask Dagster's UI: its own page, and programs on this machine (docs/privacy.md).

Dagster's web server answers whoever reaches it. A web page that a browser shows reaches loopback too: with a request of its
own, or under a name of its own that leads here (DNS rebinding). So the name that was asked for is held to loopback's, and the
page that asks to this server. starlette's TrustedHostMiddleware looks at neither port nor Origin, and takes the first of
several Host headers.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote_to_bytes, urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_DEFAULT_PORT = 80
# Where Dagster answers with data or takes some. Everything else is the page and what it is drawn with.
_DATA = frozenset(
    (
        "graphql",
        "logs",
        "notebook",
        "download_debug",
        "report_asset_materialization",
        "report_asset_check",
        "report_asset_observation",
        "server_info",
        "dagit_info",
        "dagit",
    )
)
_REFUSED = "refused: this server answers its own page, under 127.0.0.1 or localhost with its port, and no other\n"


class OwnPageOnly:
    """An ASGI application that lets only requests of its own page, and of programs that are no browser, through to another.

    A request that is refused gets status 403; a websocket is refused before it opens.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] not in ("http", "websocket") or _may_ask(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": "another page"})
        else:
            await PlainTextResponse(_REFUSED, status_code=403)(scope, receive, send)


def _may_ask(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    port = (scope.get("server") or (None, None))[1]
    if port is None:
        return False
    ours = _addresses(port)
    if not _one_of(headers.getlist("host"), ours, at_least=1):
        return False
    if not _one_of(headers.getlist("origin"), {f"http://{address}" for address in ours}):
        return False
    # A browser always names the page that opens a websocket.
    return scope["type"] == "websocket" or _from_here(scope, headers, ours)


def _addresses(port: int) -> set[str]:
    named = {f"{host}:{port}" for host in _LOOPBACK}
    return named | set(_LOOPBACK) if port == _DEFAULT_PORT else named


def _one_of(values: list[str], allowed: Iterable[str], *, at_least: int = 0) -> bool:
    """Whether a header is there as often as it may be, with a value that it may have."""
    return at_least <= len(values) <= 1 and all(value.strip().lower() in allowed for value in values)


def _from_here(scope: Scope, headers: Headers, ours: set[str]) -> bool:
    """Whether no other page asks, as far as a browser says so; a link that leads to the page itself may stand anywhere."""
    of_data = scope["path"].lstrip("/").split("/", 1)[0] in _DATA
    reads = scope["method"] in ("GET", "HEAD")
    # A picture's address is asked for without an Origin, and old browsers say nothing else of themselves: no such request may
    # change anything. The page itself sends its mutations by POST.
    if of_data and reads and b"mutation" in unquote_to_bytes(scope["query_string"]):
        return False
    site = headers.getlist("sec-fetch-site")
    if site:
        if all(value in ("same-origin", "none") for value in site):
            return True
        led_here = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        return reads and led_here and not of_data
    referer = headers.get("referer")
    return referer is None or urlsplit(referer).netloc.lower() in ours or (reads and not of_data)
