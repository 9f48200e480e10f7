"""A store that stays open for a moment after it was read.

To open it costs 10 ms, and what was read before has to be read from the file again: together more than most questions take.
So whoever answers one question after another lets the store linger. It goes on holding the readers' lock for a fraction of a
second, unless a writer comes: then it lets go at once.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress

from memory_assets.log.errors import StoreError
from memory_assets.log.lock import StoreLock

LINGER_SECONDS = 0.25
_POLL_SECONDS = 0.01


class KeepAlive:
    """Keeps what ``opened`` opens for :data:`LINGER_SECONDS` after the last question, in a thread of its own."""

    def __init__(self, lock: StoreLock, opened: Callable[[], AbstractContextManager[object]]) -> None:
        self._lock = lock
        self._opened = opened
        self._guard = threading.Lock()
        self._until = 0.0
        self._holds = False
        self._thread: threading.Thread | None = None

    def extend(self) -> None:
        """Linger from now on. To be called while the store is open; never waits for anybody, and never fails."""
        with self._guard:
            self._until = time.monotonic() + LINGER_SECONDS
            if self._holds:
                return
            self._holds = True
            settled = threading.Event()
            if self._thread is None:
                # A process that ends under a thread inside DuckDB is aborted.
                atexit.register(self.end)
            self._thread = threading.Thread(target=self._hold, args=(settled,), name="lingering store", daemon=True)
            self._thread.start()
        settled.wait(_POLL_SECONDS)

    def end(self) -> None:
        """Linger no more; returns when the store is let go."""
        with self._guard:
            self._until = 0.0
            thread = self._thread
        if thread is not None:
            thread.join()

    def _hold(self, settled: threading.Event) -> None:
        # A store that cannot be opened says so to whoever asks it something.
        try:
            with suppress(StoreError), self._lock.shared_if_free() as is_held:
                if is_held:
                    with self._opened():
                        settled.set()
                        self._wait()
        finally:
            settled.set()
            with self._guard:
                self._holds = False

    def _wait(self) -> None:
        while time.monotonic() < self._until and not self._lock.writer_waits():
            time.sleep(_POLL_SECONDS)
