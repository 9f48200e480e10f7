"""A store's court in PostgreSQL: what the settings choose, put together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.court_backend import schema
from memory_assets.court_backend.address import PostgresAddress
from memory_assets.court_backend.connecting import connected
from memory_assets.court_backend.court_rows import LessonText, StoredCourt
from memory_assets.court_backend.projector import Projected, project, stored_rows, take_out
from memory_assets.identifiers import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memory_assets.log.database import Database
    from memory_assets.vectors.embedder import Embedder, Vectors
    from memory_assets.vectors.index import VectorIndex


@dataclass(frozen=True, slots=True)
class PostgresState:
    """What is there.

    Attributes:
        server: its version, as it says it.
        extension: pgvector's version; None where it is not there.
        seq: the event that the tables rest on; None where there are none.
    """

    server: str
    extension: str | None
    is_searched_by_vectors: bool
    seq: int | None


class CourtInPostgres:
    """The tables of one store's court in one database.

    A store is known by the folder that it lies in: whoever moves it takes its tables over by a rebuild.
    """

    def __init__(self, address: PostgresAddress, database: Database, embedder: Embedder, index: VectorIndex) -> None:
        self.address = address
        self.source = StoredCourt(database)
        self._store = store_of(database.path)
        self._embedder = embedder
        self._index = index

    def project(self, *, rebuild: bool = False) -> Projected:
        """Bring PostgreSQL up to the store's tables; see ``projector.project``."""
        return project(self.address, self.source, self._embedder, self._vectors_of, store=self._store, rebuild=rebuild)

    def take_out(self) -> Projected:
        """Have PostgreSQL hold nothing that the store does not hold any more; see ``projector.take_out``."""
        return take_out(self.address, self.source, store=self._store)

    def differing(self) -> Mapping[str, int]:
        """How many rows of each table are not the same on both sides; only the tables that have any.

        Raises:
            PostgresUnavailableError, PostgresRefusedError: see there.
        """
        rows = self.source.rows()
        found: dict[str, int] = {}
        with connected(self.address) as connection:
            if schema.read_projection(connection, self.address) is None:
                return {table.name: len(table.rows) for table in rows.tables if table.rows}
            for table in rows.tables:
                mine, theirs = table.by_key(table.rows), table.by_key(stored_rows(connection, table))
                if different := sum(mine.get(key) != theirs.get(key) for key in mine.keys() | theirs.keys()):
                    found[table.name] = different
        return found

    def state(self) -> PostgresState:
        """What the server is and has; makes nothing.

        Raises:
            PostgresUnavailableError, PostgresRefusedError: see there.
        """
        with connected(self.address) as connection:
            version = schema.extension_version(connection)
            stored = schema.read_projection(connection, self.address)
            server = str(connection.execute("SHOW server_version").fetchall()[0][0])
        return PostgresState(server, version, schema.is_new_enough(version), stored.place.seq if stored else None)

    def _vectors_of(self, texts: Sequence[LessonText]) -> Vectors:
        """Vectors that the store's index has are taken from there; the model makes the others."""
        import numpy as np

        if not texts:
            return np.zeros((0, self._embedder.dimensions), dtype=np.float32)
        hashes = list({text.embed_hash for text in texts})
        is_same = self._index.fingerprint() == self._embedder.fingerprint
        known = dict(self._index.vectors_by_text(hashes)) if is_same else {}
        missing = {text.embed_hash: text.text for text in texts if text.embed_hash not in known}
        if missing:
            known |= dict(zip(missing, self._embedder.embed_documents(list(missing.values())), strict=True))
        found: Vectors = np.stack([known[text.embed_hash] for text in texts]).astype(np.float32)
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        return found


def store_of(path: Path) -> str:
    """The name of a store among others: a hash of where it lies, which says nothing of this machine."""
    return sha256_hex(str(path.resolve()))[:16]
