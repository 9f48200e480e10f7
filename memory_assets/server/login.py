"""How a browser comes in: a page that holds nothing, which hands over the one-time key that stood in the link's fragment."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from memory_assets.results.error import ErrorV1
from memory_assets.server.browsers import Browsers

_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>memory</title>
<script src="/login/open.js" defer></script>
</head>
<body>
<main>
<h1>memory</h1>
<p id="said">This page opens with a link: run <code>memory serve link</code> and open what it prints.</p>
<p lang="ko">이 페이지는 링크로 열립니다. <code>memory serve link</code> 를 실행하고 출력된 주소를 여세요.</p>
<noscript><p>JavaScript hands the key of the link over; without it the page stays closed.</p></noscript>
</main>
</body>
</html>
"""
# The key is sent in a body and taken out of the address before anything else is loaded.
_SCRIPT: Final = """\
const key = location.hash.startsWith("#key=") ? location.hash.slice(5) : "";
if (key) {
  history.replaceState(null, "", location.pathname);
  fetch("/login", { method: "POST", body: key, headers: { "Content-Type": "text/plain" } }).then((answer) => {
    if (answer.ok) location.replace("/");
    else if (answer.status === 409) document.getElementById("said").textContent =
      "You are in here under another name: open / and leave first, at the end of the page.";
    else document.getElementById("said").textContent =
      "This link was used or opens no more: run memory serve link again, or ask who let you in.";
  });
}
"""
_MOST_BYTES: Final = 200


def login_routes(browsers: Browsers, cookie_name: str) -> list[BaseRoute]:
    """The page, its script, and what takes the key.

    Args:
        cookie_name: what the browser will send from then on.
    """

    async def page(request: Request) -> Response:
        return HTMLResponse(_PAGE)

    async def script(request: Request) -> Response:
        return Response(_SCRIPT, media_type="text/javascript")

    async def open_for(request: Request) -> Response:
        given = (await request.body())[:_MOST_BYTES].decode("ascii", "replace")
        before = request.cookies.get(cookie_name, "")
        there = browsers.visitor(before)
        if there is not None and there.name != browsers.whose(given):
            # A link that somebody else sent: what is said from then on would stand under another name.
            words = ErrorV1(code="invalid_argument", message="somebody else is in here", hint="leave first, at the page's end")
            return JSONResponse(words.model_dump(mode="json"), 409)
        cookie = browsers.admitted(given)
        if cookie is None:
            words = ErrorV1(code="invalid_argument", message="the link was used or is too old", hint="`memory serve link`")
            return JSONResponse(words.model_dump(mode="json"), 403)
        answer = Response(status_code=204)
        browsers.forget(before)
        # Behind a proxy with a certificate it is never sent without one.
        is_secure = request.headers.get("origin", "").lower().startswith("https://")
        answer.set_cookie(cookie_name, cookie, httponly=True, samesite="strict", path="/", secure=is_secure)
        return answer

    async def leave(request: Request) -> Response:
        browsers.forget(request.cookies.get(cookie_name, ""))
        answer = RedirectResponse("/login", 303)
        answer.delete_cookie(cookie_name, path="/", httponly=True, samesite="strict")
        return answer

    return [
        Route("/login", page),
        Route("/login/open.js", script),
        Route("/login", open_for, methods=["POST"]),
        Route("/leave", leave, methods=["POST"]),
    ]
