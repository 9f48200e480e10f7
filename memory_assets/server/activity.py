"""Whether anybody still wants the server: when it was asked last, and what it is answering or doing now."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.types import ASGIApp, Receive, Scope, Send


class Activity:
    """What goes on. To be told from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._under_way = 0
        self._last = clock()

    @contextmanager
    def going_on(self, *, is_wanted: bool = True) -> Iterator[None]:
        """Something is being answered or done.

        Args:
            is_wanted: somebody asked for it; what the server does by itself does not make it wanted.
        """
        with self._lock:
            self._under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1
            if is_wanted:
                self.note()

    def note(self) -> None:
        """Something happened that somebody wanted."""
        with self._lock:
            self._last = self._clock()

    def idle_seconds(self) -> float:
        """For how long nothing has gone on; 0 while something does."""
        with self._lock:
            return 0.0 if self._under_way else self._clock() - self._last


class CountedRequests:
    """An application whose requests count as activity for as long as they are answered: a page that listens keeps it alive."""

    def __init__(self, application: ASGIApp, activity: Activity) -> None:
        self._application = application
        self._activity = activity

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        with self._activity.going_on():
            await self._application(scope, receive, send)
