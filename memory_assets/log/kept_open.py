"""A store that a run keeps open between one use and the next.

To open the file for writing costs 40 ms and for reading 20, with its write-ahead log read again; a run of seven stages does so
eighty times. So while a run goes on, its process keeps the file open and locked for a moment after each use, and the next use
finds it so. Whoever else wants the store is let in at once: the queue of writers stays free meanwhile, so all who wait can be
seen, and nobody waits for a process that does something else.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import duckdb

from memory_assets.log.errors import StoreError, StoreLockedError
from memory_assets.log.lock import ExclusiveHold

KEPT_SECONDS = 1.0
"""Longer than Dagster or LanceDB take between two uses: with a quarter of a second a turn of a session that is being written
opened the file two and a half times, a tenth of its CPU (measured)."""
_POLL_SECONDS = 0.01

Opened = AbstractContextManager[duckdb.DuckDBPyConnection]


class KeptOpen:
    """One connection of a process, used by one thread at a time.

    Args:
        hold: the exclusive lock.
        opened: opens the file, under that lock.
        timeout: seconds that a thread waits for another one of this process.
    """

    def __init__(self, hold: ExclusiveHold, opened: Callable[[], Opened], *, timeout: float) -> None:
        self._hold = hold
        self._opened = opened
        self._timeout = timeout
        self._in_use = threading.Lock()
        self._counting = threading.Lock()
        self._keepers = 0
        self._ended = threading.Event()
        self._watcher: threading.Thread | None = None
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._open = contextlib.ExitStack()
        self._until = 0.0
        # A child would inherit the file and its lock, and neither use them nor let them go.
        os.register_at_fork(before=_before_fork(weakref.ref(self)))

    @property
    def is_wanted(self) -> bool:
        """Whether somebody keeps the store open now."""
        return self._keepers > 0

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """Keep the store open between uses until the end of this; what is nested is one."""
        with self._counting:
            self._keepers += 1
            if self._keepers == 1:
                self._ended = threading.Event()
                self._watcher = threading.Thread(target=self._watch, args=(self._ended,), name="kept store", daemon=True)
                self._watcher.start()
        try:
            yield
        finally:
            with self._counting:
                self._keepers -= 1
                watcher = self._watcher if self._keepers == 0 else None
                if watcher is not None:
                    self._ended.set()
            if watcher is not None:
                watcher.join()

    @contextlib.contextmanager
    def used(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection of the caller's own, whose temporary tables last as long as this.

        Raises:
            StoreLockedError: another thread of this process, or another process, holds the store for too long.
            duckdb.Error: the file cannot be opened.
        """
        if not self._in_use.acquire(timeout=self._timeout):
            raise StoreLockedError(f"another part of this process holds the store; waited {self._timeout:g} s")
        try:
            with self._ready().cursor() as connection:
                yield connection
            self._until = time.monotonic() + KEPT_SECONDS
        except BaseException:
            self._close()  # what failed may have left it unusable
            raise
        finally:
            try:
                self._hold.rest()
                self._close_if_over()
            except BaseException:
                self._close()  # whatever is in the way of resting, nobody else is kept out by it
                raise
            finally:
                self._in_use.release()

    def _ready(self) -> duckdb.DuckDBPyConnection:
        if self._connection is not None and self._hold.resume():
            return self._connection
        self._close()
        self._hold.take()
        self._open.callback(self._hold.leave)
        self._connection = self._open.enter_context(self._opened())
        return self._connection

    def _close_if_over(self) -> None:
        if not self.is_wanted or time.monotonic() >= self._until or self._somebody_may_wait():
            self._close()

    def _somebody_may_wait(self) -> bool:
        try:
            return self._hold.somebody_waits()
        except (
            OSError,
            StoreError,
        ):  # the queue cannot be looked at, as with no file descriptor left: then it is better let go
            return True

    def _close(self) -> None:
        self._connection = None
        self._open.close()

    def close_if_idle(self) -> None:
        """Let the store go, unless a thread uses it now."""
        if self._in_use.acquire(blocking=False):
            try:
                self._close()
            finally:
                self._in_use.release()

    def _watch(self, ended: threading.Event) -> None:
        while not ended.wait(_POLL_SECONDS):
            if self._connection is not None and self._in_use.acquire(blocking=False):
                try:
                    with contextlib.suppress(Exception):  # what is closed badly is closed, and who watches goes on
                        self._close_if_over()
                finally:
                    self._in_use.release()
        with self._in_use:
            self._close()


def _before_fork(owner: weakref.ref[KeptOpen]) -> Callable[[], None]:
    def before() -> None:
        if (kept := owner()) is not None:
            kept.close_if_idle()

    return before
