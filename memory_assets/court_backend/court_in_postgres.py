"""A store's court in PostgreSQL: what the settings choose, put together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.court_backend import schema
from memory_assets.court_backend.connecting import connected
from memory_assets.court_backend.court_rows import LessonText, Place, StoredCourt
from memory_assets.court_backend.projector import Projected, identity_of, project, stored_rows, stored_vectors, take_out
from memory_assets.identifiers import sha256_hex
from memory_assets.postgres.address import PostgresAddress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from psycopg import Connection

    from memory_assets.log.database import Database
    from memory_assets.vectors.embedder import Embedder, Vectors
    from memory_assets.vectors.index import VectorIndex


@dataclass(frozen=True, slots=True)
class PostgresState:
    """What is there.

    Attributes:
        server: its version, as it says it.
        extension: pgvector's version; None where it is not there.
        place: the event that the tables rest on; None where there are none.
        is_whole: whether each lesson has a vector of the model in use.
    """

    server: str
    extension: str | None
    is_searched_by_vectors: bool
    place: Place | None
    is_whole: bool


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

        Of vectors it is compared what they are of; that a vector is another one is found by no comparison.

        Raises:
            PostgresUnavailableError, PostgresRefusedError: see there.
        """
        rows = self.source.rows()
        found: dict[str, int] = {}
        with connected(self.address) as connection:
            stored = schema.read_projection(connection, self.address)
            if stored is None or stored.layout != schema.layout_of(rows.tables):
                return {table.name: len(table.rows) for table in rows.tables if table.rows}
            for table in rows.tables:
                mine, theirs = table.by_key(table.rows), table.by_key(stored_rows(connection, table))
                if different := sum(mine.get(key) != theirs.get(key) for key in mine.keys() | theirs.keys()):
                    found[table.name] = different
            found |= self._differing_vectors(connection, rows.texts)
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
            is_whole = stored is not None and stored.is_readable and self._has_all_vectors(connection)
        place = stored.place if stored is not None else None
        return PostgresState(server, version, schema.is_new_enough(version), place, is_whole)

    def _differing_vectors(self, connection: Connection[Any], texts: Sequence[LessonText]) -> dict[str, int]:
        wanted = {text.unit_id: identity_of(text) for text in texts}
        found: dict[str, int] = {}
        for table in schema.vector_tables(connection):
            have = stored_vectors(connection, table)
            if different := sum(wanted.get(key) != have.get(key) for key in wanted.keys() | have.keys()):
                found[table.name] = different
        return found

    def _has_all_vectors(self, connection: Connection[Any]) -> bool:
        whole = schema.vector_tables(connection, whole=True)
        return any(table.fingerprint == self._embedder.fingerprint for table in whole)

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
