"""What other machines write, taken over as soon as they have: open pages show it, and the next question finds it there."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from memory_assets.log.database import Database

_SECONDS_OF_A_WAIT: Final = 60.0
_SECONDS_BEHIND_A_FAILURE: Final = 5.0
_SECONDS_TO_END: Final = 2.0
_LOGGER = logging.getLogger(__name__)


class Following:
    """Follows the log that a store mirrors, in a thread of its own; for a store without one it does nothing.

    Args:
        database: the store, by the settings as they are now.
    """

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="following the shared log", daemon=True)

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def end(self) -> None:
        """Listen no more."""
        self._ended.set()
        self._thread.join(_SECONDS_TO_END)

    def _work(self) -> None:
        while not self._ended.is_set():
            try:
                is_up = self._follow()
            except Exception as error:  # whatever it is, it may pass, and whoever asks something is told
                _LOGGER.info("the shared log is not followed now: %s", error)
                is_up = False
            if not is_up:
                self._ended.wait(_SECONDS_BEHIND_A_FAILURE)

    def _follow(self) -> bool:
        """Whether the mirror has all of it now."""
        mirror = self._database().mirror
        if not mirror.store.is_shared:
            return False
        if mirror.wait(_SECONDS_OF_A_WAIT, self._ended):
            self._database().follow(patiently=True)
            return mirror.away is None
        return True
