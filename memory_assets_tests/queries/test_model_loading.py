"""A model that is loaded beside the answers: once, without anybody waiting, and no longer promised once it was tried."""

from __future__ import annotations

import threading
from typing import Any

from memory_assets.search.model_loading import ModelLoading
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.errors import EmbedderUnavailableError


class Slow(HashingEmbedder):
    """Ready once it is let go; or never."""

    def __init__(self, *, broken: bool = False) -> None:
        super().__init__()
        self.is_ready, self.broken, self.times, self.go = False, broken, 0, threading.Event()

    def embed_query(self, text: str) -> Any:
        self.times += 1
        assert self.go.wait(10)
        if self.broken:
            raise EmbedderUnavailableError("there is no model")
        self.is_ready = True
        return super().embed_query(text)


def finished(loading: ModelLoading) -> None:
    assert loading._thread is not None
    loading._thread.join(10)


def test_nobody_waits_and_it_is_loaded_once() -> None:
    embedder = Slow()
    loading = ModelLoading(embedder)
    assert all(loading.is_on_its_way() for _ in range(5))
    embedder.go.set()
    finished(loading)
    assert not loading.is_on_its_way() and embedder.times == 1


def test_what_cannot_be_loaded_is_promised_no_longer() -> None:
    embedder = Slow(broken=True)
    loading = ModelLoading(embedder)
    assert loading.is_on_its_way()
    embedder.go.set()
    finished(loading)
    assert not loading.is_on_its_way() and not embedder.is_ready


def test_what_needs_no_loading_is_ready() -> None:
    assert not ModelLoading(HashingEmbedder()).is_on_its_way()
