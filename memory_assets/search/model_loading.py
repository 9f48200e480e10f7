"""An embedding model that is loaded beside everything else, for a process that answers somebody who waits."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from memory_assets.errors import MemoryAssetsError

if TYPE_CHECKING:
    from memory_assets.vectors.embedder import Embedder


class ModelLoading:
    """Loads a model once, in a thread of its own."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def is_on_its_way(self) -> bool:
        """Whether the model is not there yet but will be; the first to ask sets it off. Never waits.

        Once it was tried it is no more: a model that cannot be loaded says so to the search that wants it.
        """
        if self._embedder.is_ready:
            return False
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._load, name="embedding model", daemon=True)
                self._thread.start()
        return self._thread.is_alive()

    def _load(self) -> None:
        with contextlib.suppress(MemoryAssetsError):
            self._embedder.embed_query("ready")
