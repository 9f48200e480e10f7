"""The façade that all requests of the server share: opened once, and again when the settings file has changed."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.server.settings_print import settings_print

if TYPE_CHECKING:
    from memory_assets.memory import Memory


class WarmStore:
    """One façade for all threads; its index and its model are loaded behind the first request."""

    def __init__(
        self,
        home: Path,
        open_memory: Callable[[], Memory],
        *,
        overrides: Mapping[str, Any] | None = None,
        config_file: Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        """Hold a store.

        Args:
            open_memory: loads the settings and makes the façade.
            overrides, config_file, environ: what these settings are made of besides their file.
        """
        self.home = home
        self._open = open_memory
        self._made_of = (dict(overrides or {}), config_file, dict(os.environ if environ is None else environ))
        self._lock = threading.Lock()
        self._memory: Memory | None = None
        self._print = ""

    @property
    def print(self) -> str:
        """The hash of the settings as they are now; see ``server.settings_print``."""
        overrides, config_file, environ = self._made_of
        return settings_print(self.home, overrides, config_file, environ)

    @property
    def memory(self) -> Memory:
        """The façade, by the settings as they are now.

        Raises:
            ConfigInvalidError: the settings file cannot be used; it is tried again with each request.
        """
        now = self.print
        with self._lock:
            if self._memory is None or self._print != now:
                self._memory, self._print = self._open(), now
            return self._memory

    def warm_up(self) -> None:
        """Open the index and load the model; whatever is wrong is said to the request that meets it."""
        with contextlib.suppress(Exception):
            memory = self.memory
            memory.prepare()
            memory.search("warm", k=1, log=False)
