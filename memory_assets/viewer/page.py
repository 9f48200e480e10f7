"""What a handler is given to answer with: who is asked, in which language, and how a template becomes the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from memory_assets.errors import InvalidArgumentError
from memory_assets.queries.session_pages import list_projects
from memory_assets.server.failures import UNFORESEEN, told
from memory_assets.viewer.environment import environment
from memory_assets.viewer.masking import Mask, mask_by
from memory_assets.viewer.words import LANGUAGES, Language, Own, say, say_kind, wanted_language

if TYPE_CHECKING:
    from memory_assets.memory import Memory

THEMES: Final = ("auto", "light", "dark")
MOST_OFFERED: Final = 100
A_YEAR: Final = 365 * 24 * 3600
_MOST_REPEATED: Final = 2_000
_SWITCHES: Final = ("language", "theme")


class _AnyText(Convertor[str]):
    """The rest of a path, whatever it is: starlette's ``path`` ends at a line break, and a project may be called anything."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("text", _AnyText())

Handler = Callable[[Request], Response] | Callable[[Request], Awaitable[Response]]


class Page:
    """One request for a page, and the answer to it.

    Attributes:
        memory: the façade, warm.
        language, theme: as asked for, or as kept in a cookie.
        csrf: what a form must send back; empty where no guard gave one.
        person: who was admitted by name and looks; None for whoever holds the store's own link.
        is_known: asks whether whoever looks may come in still.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        asked, kept = request.query_params, request.cookies
        self.memory: Memory = request.app.state.memory
        accepted = request.headers.get("accept-language", "")
        self.language: Language = wanted_language(asked.get("language"), kept.get("language"), accepted)
        self.theme = next((one for one in (asked.get("theme"), kept.get("theme")) if one in THEMES), "auto")
        self.csrf: str = getattr(request.state, "csrf", "")
        self.person: str | None = getattr(request.state, "person", None)
        self.is_known: Callable[[], bool] = getattr(request.state, "is_known", lambda: True)

    @property
    def mask(self) -> Mask:
        """What no page shows, by the policy as it is now."""
        return mask_by(self.memory.resources.redaction_policy)

    def say(self, name: str, **values: object) -> Own:
        """A word of the pages."""
        return say(self.language, name, **values)

    def say_kind(self, section: str, name: str | None) -> Own:
        """A word of a closed list."""
        return say_kind(self.language, section, name)

    def asked(self, name: str) -> str | None:
        """What the address asks for by this name; None where it says nothing."""
        return self.request.query_params.get(name, "").strip() or None

    def asked_number(self, name: str, *, default: int, least: int = 1) -> int:
        """A number of the address.

        Raises:
            InvalidArgumentError: it is none, or less than there can be.
        """
        given = self.asked(name)
        if given is None:
            return default
        if not given.isascii() or not given.isdigit() or len(given) > 9 or int(given) < least:
            raise InvalidArgumentError(f"{name}={given[:40]} is no number from {least}")
        return int(given)

    def here(self, **changed: object) -> Own:
        """The address of this page with something changed; what is None, or a document more than a word, is left out."""
        given = self.request.query_params.items()
        asked = {name: value for name, value in given if name not in _SWITCHES and len(value) <= _MOST_REPEATED}
        asked |= {name: str(value) for name, value in changed.items() if value is not None}
        for name in (name for name, value in changed.items() if value is None):
            asked.pop(name, None)
        raw = self.request.scope.get("raw_path", b"/").decode("ascii", "replace").partition("?")[0]
        path = f"/{raw.lstrip('/')}"  # two strokes would begin the name of another host
        return Own(f"{path}?{urlencode(asked)}" if asked else path)

    def projects(self, chosen: str | None = None) -> list[str]:
        """The projects that a form offers, the one that was spoken of last first; the chosen one among them."""
        names = [one.project for one in self.memory.read(list_projects)]
        offered = names[:MOST_OFFERED]
        return [chosen, *offered] if chosen in names and chosen not in offered else offered

    def text(self, template: str, **values: Any) -> str:
        """A template filled in; text of a session in it is escaped and masked."""
        made = (
            environment()
            .get_template(template)
            .render(page=self, say=self.say, say_kind=self.say_kind, mask=self.mask, **values)
        )
        # A browser reads a carriage return as a line feed: a quote is shown with the characters that it has.
        return made.replace("\r", "&#13;").encode("utf-8", "replace").decode("utf-8")

    def render(self, template: str, *, status: int = 200, **values: Any) -> Response:
        """The answer: a page, and the cookies of what was switched."""
        answer = HTMLResponse(self.text(template, **values), status_code=status)
        for name, known in (("language", LANGUAGES), ("theme", THEMES)):
            asked = self.request.query_params.get(name, "")
            if asked in known:
                answer.set_cookie(name, asked, max_age=A_YEAR, httponly=True, samesite="strict", path="/")
        return answer

    def failed(self, status: int, message: str, hint: str = "") -> Response:
        """A page that names what is wrong."""
        return self.render("failed.html", status=status, code=status, message=message, hint=hint)


def page_route(path: str, handler: Handler, methods: tuple[str, ...] = ("GET",), name: str | None = None) -> Route:
    """A route whose errors are pages. A handler that is no coroutine runs in a thread, for it asks the store."""

    @wraps(handler)
    async def answered(request: Request) -> Response:
        try:
            if iscoroutinefunction(handler):
                return await cast(Awaitable[Response], handler(request))
            return cast(Response, await run_in_threadpool(handler, request))
        except Exception as error:
            return await run_in_threadpool(_failed, request, error)

    return Route(path, answered, methods=list(methods), name=name)


def _failed(request: Request, error: Exception) -> Response:
    page = Page(request)
    if isinstance(error, HTTPException):
        return page.failed(error.status_code, error.detail)
    status, words = told(error)
    if words.code == UNFORESEEN:
        return page.failed(status, page.say("failed.unexpected"))
    return page.failed(status, words.message, words.hint)
