"""What every request passes before a handler sees it, and what every answer carries.

Session text is hostile, and so is every page that a browser has open beside ours: it can send requests to loopback. So nothing
is answered but to our own host names, nothing but to who has the token or a cookie of ours, and nothing is changed but by a
POST of our own pages.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memory_assets.results.error import ErrorV1
from memory_assets.server.browsers import Browsers
from memory_assets.server.files import LOOPBACK, Place

HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
PUBLIC: Final = ("/login", "/login/", "/static/")
"""What is shown to whoever asks: it holds nothing of the store."""

CSRF_FIELD: Final = "csrf"
CSRF_HEADER: Final = "x-csrf-token"
MOST_BYTES: Final = 8_000_000
"""Of a request's body: a hook may send a long prompt."""
MOST_PUBLIC_BYTES: Final = 10_000
"""Of the body of somebody unknown: a key of a link is shorter."""
_READING: Final = ("GET", "HEAD")
_METHODS: Final = (*_READING, "POST")


class Guard:
    """The application behind it answers only what is allowed.

    Whose request it is stands in ``request.state``: ``is_browser``; of a browser also ``person``, the name of somebody who was
    admitted, and ``is_known``, which asks whether that is so still.
    """

    def __init__(
        self, application: ASGIApp, *, token: str, browsers: Browsers, place: Place, names: Iterable[str] = ()
    ) -> None:
        """Guard an application.

        Args:
            place: where it listens; its port is part of the name of its cookie, for browsers keep one jar for all ports.
            names: host names besides its own under which it may be asked: a proxy's, which has a port of its own.
        """
        self._application = application
        self._token = token
        self._browsers = browsers
        loopback = (f"http://{name}:{place.port}" for name in (LOOPBACK, "localhost", "[::1]"))
        self._hosts = {url.removeprefix("http://").lower() for url in (place.url, *loopback)}
        self._names = {name.lower() for name in names}
        self.cookie_name = cookie_name(place.port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._application(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                answered = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    answered.setdefault(name, value)
            await send(message)

        body = _Body(receive)
        refused = await self._refusal(scope, body)
        if refused is not None:
            await refused(scope, receive, sent)
            return
        await self._application(scope, body.again, sent)

    async def _refusal(self, scope: Scope, body: _Body) -> Response | None:
        headers = Headers(scope=scope)
        # A second Host or Origin would be read by one program and not by another: each stands there once.
        hosts = [name.lower() for name in headers.getlist("host")]
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            names = ", ".join(sorted(self._hosts | self._names))
            return _error(403, "this server answers under its own names alone", f"ask for one of {names}")
        origin = ",".join(headers.getlist("origin")).lower() or None
        if origin is not None and not self._is_own_origin(origin):
            return _error(403, "another site may not ask this server", "open the page itself: `memory serve link`")
        if scope["method"] not in _METHODS:
            return _error(405, f"{scope['method'][:20]} is not answered here", "GET reads, POST changes")
        has_token, cookie = self._has_token(headers), self._cookie(headers)
        if not has_token and cookie is None and not _is_public(scope["path"]):
            return self._unknown(scope, headers)
        # Nothing is read of who may not ask.
        most = MOST_BYTES if has_token or cookie is not None else MOST_PUBLIC_BYTES
        if not await body.fits(headers, most):
            return _error(413, f"a request may hold {most:,} bytes", "send less")
        if has_token:
            scope.setdefault("state", {})["is_browser"] = False
            return None
        if cookie is None:
            return None
        if scope["method"] in _READING or _is_public(scope["path"]):
            if not _is_from_here(headers):
                return _error(403, "another page may not ask this server", "open the page itself")
        elif origin is None and headers.get("sec-fetch-site") != "same-origin":
            return _error(403, "a change is taken from our own pages alone", "use the form of the page")
        elif not self._browsers.is_csrf(cookie, await _csrf_given(headers, body)):
            return _error(403, "the form is not from this page, or from before a restart", "load the page again")
        # Last of all: a body may have been waited for, and who was known by then may have left.
        visitor = self._browsers.visitor(cookie)
        if visitor is None:
            return self._unknown(scope, headers)
        scope.setdefault("state", {}).update(
            is_browser=True,
            csrf=self._browsers.csrf_of(cookie),
            person=visitor.name,
            is_known=lambda: self._browsers.visitor(cookie) is not None,
        )
        return None

    def _is_own(self, host: str) -> bool:
        name, _, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
        return host in self._hosts or host in self._names or (name in self._names and port.isdecimal())

    def _is_own_origin(self, origin: str) -> bool:
        scheme, _, host = origin.partition("://")
        return scheme in ("http", "https") and self._is_own(host)

    def _has_token(self, headers: Headers) -> bool:
        kind, _, given = headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), self._token.encode())

    def _cookie(self, headers: Headers) -> str | None:
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self.cookie_name)
        except CookieError:
            return None
        return morsel.value if morsel is not None and self._browsers.visitor(morsel.value) is not None else None

    def _unknown(self, scope: Scope, headers: Headers) -> Response:
        if scope["method"] in _READING and "text/html" in headers.get("accept", ""):
            return RedirectResponse("/login", 303)
        return _error(401, "this server answers to who holds its token", "`memory serve link` opens it in a browser")


def cookie_name(port: int) -> str:
    """The name of the cookie of the server on a port."""
    return f"memory_{port}"


class _Body:
    """A request's body, read once and given again."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._read: bytes | None = None
        self._given = False

    async def fits(self, headers: Headers, most: int) -> bool:
        """Whether it says no more than so many bytes, and is no longer than that where it says nothing."""
        told = headers.get("content-length")
        if told is not None:
            return told.isdecimal() and int(told) <= most
        return "transfer-encoding" not in headers or len(await self.whole(most)) <= most

    async def whole(self, most: int = MOST_BYTES) -> bytes:
        """All of it, as far as it is no longer than is taken."""
        if self._read is None:
            parts: list[bytes] = []
            more, size = True, 0
            while more and size <= most:
                message = await self._receive()
                if message["type"] != "http.request":
                    break
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                more = message.get("more_body", False)
            self._read = b"".join(parts)
        return self._read

    async def again(self) -> Message:
        """What the server would have given: what was read first."""
        if self._read is None or self._given:
            return await self._receive()
        self._given = True
        return {"type": "http.request", "body": self._read, "more_body": False}


async def _csrf_given(headers: Headers, body: _Body) -> str:
    if (given := headers.get(CSRF_HEADER)) is not None:
        return given
    if not headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return ""
    fields = parse_qs((await body.whole()).decode("utf-8", "replace"), max_num_fields=1_000)
    return fields.get(CSRF_FIELD, [""])[0]


def _is_from_here(headers: Headers) -> bool:
    """Whether our own page asks, or a person went there.

    A page on another port of this host is of the same site, so that its requests carry our cookie.
    """
    site = headers.get("sec-fetch-site", "none")
    led_here = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return site in ("same-origin", "none") or led_here


def _is_public(path: str) -> bool:
    return path in (PUBLIC[0], "/favicon.ico") or path.startswith(PUBLIC[1:])


def _error(status: int, message: str, hint: str) -> Response:
    return JSONResponse(ErrorV1(code="invalid_argument", message=message, hint=hint).model_dump(mode="json"), status)
