"""The log as it grows, as server-sent events under ``/live``.

One poller serves all who watch. It reads where the log ends from a small file, and opens the store when that has moved: a
writer is interrupted at most once a second, however many watch. Each watcher has a place in the log of its own and is sent
what lies behind it, from memory if it is near the end and from the store if not. So nothing waits in a queue for somebody
slow, nothing is lost, and nothing comes twice; who takes nothing for too long is dropped and comes back with ``Last-Event-ID``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, Final

import anyio
from anyio.to_thread import run_sync
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from memory_assets.errors import InvalidArgumentError
from memory_assets.memory import Memory, as_plain
from memory_assets.queries.event_stream import HIDING, EventsBehind, events_behind, log_end, tip_of
from memory_assets.server.failures import told
from memory_assets.viewer.plain import masked_plain

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

    from memory_assets.results.listed import LiveEventV1

HEARTBEAT_SECONDS = 15
SEND_SECONDS = 30
"""Who takes nothing for so long is dropped."""
RETRY_MILLISECONDS = 2_000
POLL_SECONDS = 0.25
READ_SECONDS = 1.0
"""The store is opened for watchers at most so often."""
KEPT_EVENTS = 5_000
PAGE_EVENTS = 1_000
_LOGGER = logging.getLogger(__name__)


class LiveLog:
    """What watchers of one store share: the newest events, and the poller, which runs while anybody watches."""

    def __init__(self, application: Starlette) -> None:
        self._application = application  # whose façade is another one once the settings have changed
        self._events: deque[LiveEventV1] = deque()
        # Everything that may be seen behind ``_from`` and up to ``_upto`` is in ``_events``.
        self._from = self._upto = -1
        self._moved = anyio.Event()
        self._watchers = 0
        self._poller: asyncio.Task[None] | None = None
        self._reading = anyio.CapacityLimiter(1)

    async def place(self, given: int | None) -> int:
        """Behind which seq a watcher is: as it says, or the log's end as it is now.

        A place behind the end is of another store, or of this one before it was restored.
        """
        end = await run_sync(self._end, limiter=self._reading)
        return end if given is None else min(given, end)

    async def behind(self, after: int) -> AsyncGenerator[list[LiveEventV1], None]:
        """The events behind a place as they come, without end."""
        self._watchers += 1
        if self._poller is None:
            self._poller = asyncio.create_task(self._poll())
        try:
            while True:
                moved = self._moved
                found = await self._after(after)
                after = found.upto
                if found.events:
                    yield list(found.events)
                elif found.is_end:
                    await moved.wait()
        finally:
            self._watchers -= 1
            if not self._watchers:
                self._rest()

    def _rest(self) -> None:
        """Nobody watches: nothing is read and nothing kept until somebody does."""
        if self._poller is not None:
            self._poller.cancel()
        self._poller = None
        self._events.clear()
        self._from = self._upto = -1

    async def _poll(self) -> None:
        seen: object = None
        while True:
            try:
                tip = await run_sync(self._tip)
                if tip != seen:
                    await self._read_on()
                    # What was committed while this was read has moved the tip, and is read the next time.
                    seen = tip
                    await anyio.sleep(READ_SECONDS - POLL_SECONDS)
            except Exception as error:  # whatever it is, those who watch are told what comes when it has passed
                _LOGGER.warning("the log cannot be read now: %s", type(error).__name__)
            await anyio.sleep(POLL_SECONDS)

    async def _read_on(self) -> None:
        if self._upto < 0:
            self._from = self._upto = await run_sync(self._end, limiter=self._reading)
            self._tell()
        is_end = False
        while not is_end:
            found = await run_sync(self._page, self._upto, limiter=self._reading)
            is_end = found.is_end
            if any(event.event_type in HIDING for event in found.events):
                # What is kept may have been forgotten: those who are behind read it from the store.
                self._events.clear()
                self._from = self._upto
            self._events += found.events
            self._upto = found.upto
            while len(self._events) > KEPT_EVENTS:
                self._from = self._events.popleft().seq
            if found.events:
                self._tell()

    def _tell(self) -> None:
        self._moved, moved = anyio.Event(), self._moved
        moved.set()

    async def _after(self, after: int) -> EventsBehind:
        if after < self._from or self._upto < 0:
            return await run_sync(self._page, after, limiter=self._reading)
        events = [event for event in self._events if event.seq > after]
        return EventsBehind(tuple(events), max(after, self._upto), True)

    def _tip(self) -> object:
        return tip_of(_memory_of(self._application).database.path.parent)

    def _end(self) -> int:
        return _memory_of(self._application).read(log_end)

    def _page(self, after: int) -> EventsBehind:
        return _memory_of(self._application).read(events_behind, after, limit=PAGE_EVENTS)


async def _live(request: Request) -> Response:
    try:
        after = _place(request)
    except InvalidArgumentError as error:
        status, said = told(error)
        return JSONResponse(as_plain(said), status)
    is_known = getattr(request.state, "is_known", lambda: True)
    return EventSourceResponse(_sent(request.app, after, is_known), ping=HEARTBEAT_SECONDS, send_timeout=SEND_SECONDS)


def _place(request: Request) -> int | None:
    """Behind which seq a watcher wants what comes.

    Raises:
        InvalidArgumentError: it is no number.
    """
    given = request.headers.get("last-event-id") or request.query_params.get("after")
    if given is None:
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 19):
        raise InvalidArgumentError(f"{given[:40]!r} is no place in the log", hint="the id of the last event that came")
    return int(given)


async def _sent(app: Starlette, after: int | None, is_known: Callable[[], bool]) -> AsyncIterator[ServerSentEvent]:
    live = live_log(app)
    place = await live.place(after)
    # Who is cut off before anything came goes on from here too.
    yield ServerSentEvent(id=str(place), retry=RETRY_MILLISECONDS)
    async with contextlib.aclosing(live.behind(place)) as behind:
        async for events in behind:
            for event in await run_sync(_plain, app, events):
                if not is_known():
                    return  # shut out since
                yield ServerSentEvent(data=json.dumps(event, ensure_ascii=False), id=str(event["seq"]), event="log")


def _memory_of(app: Starlette) -> Memory:
    return app.state.memory  # type: ignore[no-any-return]


def _plain(app: Starlette, events: list[LiveEventV1]) -> list[dict[str, Any]]:
    memory = _memory_of(app)
    return [masked_plain(memory, event) for event in events]


def live_log(app: Starlette) -> LiveLog:
    """What watchers of an application share."""
    if not hasattr(app.state, "live_log"):
        app.state.live_log = LiveLog(app)
    return app.state.live_log  # type: ignore[no-any-return]


ROUTES: Final[tuple[BaseRoute, ...]] = (Route("/live", _live, methods=["GET"]),)
