"""Units for the tests of the index."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.identifiers import sha256_hex
from memory_assets.text.lexical_text import search_text
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.units import LexicalHits, Unit, UnitFilter, UnitHit
from memory_assets.vectors.words import WordIndex

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


class Both:
    """The two tables of an index, filled together: what each of them promises is asked of both."""

    def __init__(self, folder: Path, version: str = "hashing-32-1", dimensions: int = 32) -> None:
        self.folder = folder
        self.words = WordIndex(folder)
        self.vectors = VectorIndex(folder, version, dimensions)
        self.tables = (self.words, self.vectors)

    def lexical_search(self, query: str, k: int, where: UnitFilter | None = None) -> LexicalHits:
        return self.words.lexical_search(query, k, where)

    def vector_search(self, vector: Vectors, k: int, where: UnitFilter | None = None, **more: Any) -> list[UnitHit]:
        return self.vectors.vector_search(vector, k, where, **more)

    def again(self) -> Both:
        """The same tables, opened anew."""
        return Both(self.folder, self.vectors.embedding_version, self.vectors.dimensions)

    def delete(self, unit_ids: Sequence[str]) -> None:
        for table in self.tables:
            table.delete(unit_ids)

    def drop(self) -> None:
        for table in self.tables:
            table.drop()

    def settle(self) -> bool:
        words, vectors = (table.settle() for table in self.tables)
        return words or vectors

    def maintain(self) -> bool:
        words, vectors = (table.maintain() for table in self.tables)
        return words or vectors

    def optimize(self) -> None:
        for table in self.tables:
            table.optimize()

    def prepare(self) -> None:
        for table in self.tables:
            table.prepare()

    def problems(self) -> list[str]:
        return [problem for table in self.tables for problem in table.problems()]

    def count(self) -> int:
        words, vectors = (table.count() for table in self.tables)
        assert words == vectors
        return words

    def ids(self) -> list[str]:
        words, vectors = (sorted(table.rows(["unit_id"])["unit_id"].to_pylist()) for table in self.tables)
        assert words == vectors
        return words


def store(index: Both, *units: Unit) -> None:
    """Units with their words and their hashed vectors into the index."""
    embedder = HashingEmbedder(index.vectors.dimensions)
    index.vectors.upsert(units, embedder.embed_documents([one.embed_text for one in units]), embedder.fingerprint)
    index.words.upsert(units)


def found(index: Both, query: str, k: int = 10) -> list[str]:
    """Ids of what a question finds by its own text."""
    return [hit.unit_id for hit in index.lexical_search(query, k).own]


if TYPE_CHECKING:
    from memory_assets.vectors.embedder import Vectors
