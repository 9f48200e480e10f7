"""The façade as the tools of one server share it: opened once, warmed up in the background, asked from several threads."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from memory_assets.memory import Memory


class Store:
    """One façade for all calls.

    Attributes:
        asked: set when the client has asked for something; the handshake is over then.
    """

    def __init__(self, open_memory: Callable[[], Memory]) -> None:
        self.asked = anyio.Event()
        self._open = open_memory
        self._lock = threading.Lock()
        self._memory: Memory | None = None

    @property
    def memory(self) -> Memory:
        """The façade. Settings that cannot be used raise at every call, until somebody mends them."""
        with self._lock:
            if self._memory is None:
                self._memory = self._open()
            return self._memory

    def warm_up(self) -> None:
        """Open what the first search would wait for; whatever is wrong is said to the call that meets it."""
        with contextlib.suppress(Exception):
            self.memory.prepare()
