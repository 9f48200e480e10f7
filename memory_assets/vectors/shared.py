"""Vectors that several machines have together: what one of them embedded no other needs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from memory_assets.vectors.embedder import Vectors


class SharedVectors(Protocol):
    """Vectors by the hash of the embedded text and the model's fingerprint.

    They save work and nothing rests on them: where they cannot be had there are none, and nothing is raised.
    """

    def of_texts(self, embed_hashes: Sequence[str], fingerprint: str, dimensions: int) -> dict[str, Vectors]:
        """Those that somebody shared, by the hash of their text; each float32 and of that length."""
        ...

    def share(self, vectors: Mapping[str, Vectors], fingerprint: str) -> None:
        """Give them to the others; what they have already stays as it is."""
        ...
