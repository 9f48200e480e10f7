"""Units for the tests of the index."""

from datetime import datetime

from memory_assets.identifiers import sha256_hex
from memory_assets.retrieval.lexical_text import search_text
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.units import Unit


def unit(
    unit_id: str,
    text: str,
    *,
    project: str | None = "shop",
    session_id: str | None = "s1",
    unit_kind: str = "passage",
    message_index: int | None = 0,
    occurred_at: datetime | None = None,
) -> Unit:
    return Unit(
        unit_id=unit_id,
        unit_kind=unit_kind,
        project=project,
        session_id=session_id,
        message_index=message_index,
        occurred_at=occurred_at,
        search_text=search_text(text),
        embed_text=text,
        content_hash=sha256_hex(text),
    )


def store(index: VectorIndex, *units: Unit) -> None:
    """Units with their hashed vectors into the index."""
    embedder = HashingEmbedder(index.dimensions)
    index.upsert(units, embedder.embed_documents([one.embed_text for one in units]), embedder.fingerprint)


def found(index: VectorIndex, query: str, k: int = 10) -> list[str]:
    return [hit.unit_id for hit in index.lexical_search(query, k)]
