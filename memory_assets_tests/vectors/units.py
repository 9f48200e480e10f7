"""Units for the tests of the index."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memory_assets.identifiers import sha256_hex
from memory_assets.retrieval.lexical_text import search_text
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.units import Unit

DAY = datetime(2026, 2, 9, tzinfo=UTC)


def unit(unit_id: str, text: str, *, around: str = "", **fields: Any) -> Unit:
    """A passage that says ``text`` among ``around``, with other values where ``fields`` give them."""
    own_text = search_text(text)
    values: dict[str, Any] = {
        "unit_kind": "passage",
        "project": "shop",
        "worktree": "/home/one/shop",
        "session_id": "s1",
        "message_index": 0,
        "place": 0,
        "role": "user",
        "speaker": None,
        "stage": "observation",
        "status": "active",
        "confidence": 1.0,
        "occurred_at": DAY,
        "facets": (),
        "own_text": own_text,
        "context_text": f"{own_text} {own_text} {own_text} {search_text(around)}".strip(),
        "embed_text": text,
        "embed_hash": sha256_hex(text),
    } | fields
    return Unit(unit_id=unit_id, content_hash=sha256_hex(repr((unit_id, sorted(values.items())))), **values)


def store(index: VectorIndex, *units: Unit) -> None:
    """Units with their hashed vectors into the index."""
    embedder = HashingEmbedder(index.dimensions)
    index.upsert(units, embedder.embed_documents([one.embed_text for one in units]), embedder.fingerprint)


def found(index: VectorIndex, query: str, k: int = 10) -> list[str]:
    """Ids of what a question finds by its own text."""
    return [hit.unit_id for hit in index.lexical_search(query, k).own]
