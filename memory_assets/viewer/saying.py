"""``POST /say/…``: a person's word is shown before it is said, and said once.

What was asked for waits in the server between the page that shows what will be and the yes to it: the yes names it by a key
that is good once and for a while. So nothing is said but what was shown; where something has changed since, it is shown anew.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from memory_assets.commands.errors import NotPossibleError
from memory_assets.commands.people import speaking
from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.viewer.foreseen import Action, Foreseen, Given
from memory_assets.viewer.page import Page, page_route
from memory_assets.viewer.words import Own
from memory_assets.viewer.words_of_people import ACTIONS

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

MOST_FORM_BYTES: Final = 100_000
GOOD_FOR_SECONDS: Final = 900
MOST_WAITING: Final = 2_000
MOST_OF_A_BROWSER: Final = 50
_FORM: Final = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class _Waiting:
    browser: str
    action: Action
    given: Given
    foreseen: Foreseen
    since: float


class Waiting:
    """What was shown and waits for a yes."""

    def __init__(self) -> None:
        self._by_key: OrderedDict[str, _Waiting] = OrderedDict()
        self._lock = threading.Lock()  # words are said in several threads

    def add(self, browser: str, action: Action, given: Given, foreseen: Foreseen) -> str:
        """Keep what was shown to a browser; the key of its yes."""
        key = secrets.token_urlsafe(24)
        with self._lock:
            self._by_key[key] = _Waiting(browser, action, given, foreseen, time.monotonic())
            own = [one for one, waiting in self._by_key.items() if waiting.browser == browser]
            for one in own[:-MOST_OF_A_BROWSER]:
                del self._by_key[one]
            while len(self._by_key) > MOST_WAITING:
                self._by_key.popitem(last=False)
        return key

    def take(self, browser: str, key: str, action: Action) -> _Waiting | None:
        """What a key names that this browser was shown; it names nothing any more afterwards."""
        with self._lock:
            found = self._by_key.get(key)
            if found is None or found.browser != browser:
                return None
            del self._by_key[key]
        if found.action is not action or time.monotonic() - found.since > GOOD_FOR_SECONDS:
            return None
        return found


async def say(request: Request) -> Response:
    """Show what a word will do, or do it where it was shown and the answer is yes."""
    if not getattr(request.state, "is_browser", True):
        # A program that holds the token is nobody: a word is a person's, given on a page.
        raise HTTPException(403, "a word is said on a page, by a person")
    name = request.path_params["action"]
    if name not in ACTIONS:
        raise NotFoundError(f"there is no word {name[:40]!r}", hint=f"one of {', '.join(ACTIONS)}")
    fields = await _fields(request)
    return await run_in_threadpool(_answered, request, ACTIONS[name], fields)


def _answered(request: Request, action: Action, fields: dict[str, str]) -> Response:
    page, waiting = Page(request), _waiting(request.app)
    if not page.is_known():
        # Who was known when the request began may have been shut out while its form came.
        raise HTTPException(401, "who asks may come in no more")
    try:
        if "yes" not in fields:
            return _shown(page, waiting, action, _given(action, fields, page.person))
        known = waiting.take(page.csrf, fields["yes"], action)
        if known is None:
            return page.failed(409, page.say("said.too_late"), page.say("said.say_again"))
        if action.foresee(page.memory, known.given) != known.foreseen:
            return _shown(page, waiting, action, known.given, has_changed=True)
        with speaking(page.person):
            return RedirectResponse(action.do(page.memory, known.given), 303)
    except NotPossibleError as error:
        return page.failed(409, str(error), error.hint)


def _shown(page: Page, waiting: Waiting, action: Action, given: Given, *, has_changed: bool = False) -> Response:
    foreseen = action.foresee(page.memory, given)
    key = "" if foreseen.nothing else waiting.add(page.csrf, action, given, foreseen)
    return page.render("say.html", action=action, foreseen=foreseen, yes=Own(key), has_changed=has_changed)


def _given(action: Action, fields: dict[str, str], person: str | None) -> Given:
    """What a form holds, each field of the action among it; who was admitted by name speaks under that name.

    Raises:
        InvalidArgumentError: a field that has to say something says nothing.
    """
    given = {name: fields.get(name, "").strip() for name in action.fields}
    if person is not None and "by" in given:
        given["by"] = person
    for name in action.needed:
        if not given[name]:
            raise InvalidArgumentError(f"{name} says nothing", hint="fill it in and send the form again")
    if not any(given.values()):
        raise InvalidArgumentError("the form says nothing", hint="fill in what is meant")
    return given


async def _fields(request: Request) -> dict[str, str]:
    """The fields of a form, the first of each name.

    Raises:
        InvalidArgumentError: it is no form, or too long a one.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != _FORM:
        raise InvalidArgumentError("this is no form", hint=f"send {_FORM}")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_FORM_BYTES:
            raise InvalidArgumentError(f"the form is longer than {MOST_FORM_BYTES:,} bytes", hint="say it in fewer words")
    try:
        return {name: values[0] for name, values in parse_qs(body.decode("utf-8", "replace"), max_num_fields=50).items()}
    except ValueError as error:
        raise InvalidArgumentError("the form has too many fields") from error


def _waiting(app: Starlette) -> Waiting:
    if not hasattr(app.state, "waiting_words"):
        app.state.waiting_words = Waiting()
    return app.state.waiting_words  # type: ignore[no-any-return]


ROUTES: Final = (page_route("/say/{action}", say, ("POST",)),)
