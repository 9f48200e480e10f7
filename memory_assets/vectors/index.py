"""The tables of vectors: one an embedding version, a row a unit that has its vector.

A unit without a row here waits for its vector, and is found by its words alone until then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.vectors.driver_errors import PATIENCE, reading
from memory_assets.vectors.errors import REBUILD_HINT, FingerprintMismatchError, IndexCorruptError, UnitRejectedError
from memory_assets.vectors.filters import is_in
from memory_assets.vectors.lookup import vector_hits
from memory_assets.vectors.rows import layout_problem, mark_of, vector_matrix, vector_rows, vector_schema
from memory_assets.vectors.table import UnitTable, checked_name, slices
from memory_assets.vectors.units import Unit, UnitFilter, UnitHit

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_assets.vectors.embedder import Vectors

_HASHES_PER_CONDITION = 1000


class VectorIndex(UnitTable):
    """The table ``vectors_{embedding_version}`` in a folder.

    Args:
        folder: made by the first write.
        dimensions: length of the vectors; a function where only a loaded model knows it, asked when it is needed.

    Raises:
        InvalidArgumentError: the version is no name for a table.
    """

    def __init__(self, folder: Path, embedding_version: str, dimensions: int | Callable[[], int]) -> None:
        super().__init__(folder, f"vectors_{checked_name(embedding_version)}")
        self.embedding_version = embedding_version
        self._dimensions = dimensions
        self._known_fingerprint: tuple[bytes, str] | None = None

    @property
    def dimensions(self) -> int:
        """Length of the vectors."""
        return self._dimensions() if callable(self._dimensions) else self._dimensions

    def vector_search(
        self,
        vector: Vectors,
        k: int,
        where: UnitFilter | None = None,
        *,
        fingerprint: str | None = None,
        exact: bool = False,
    ) -> list[UnitHit]:
        """The ``k`` nearest units by cosine similarity, nearest first.

        Args:
            exact: compare with every unit that the filter lets pass, whatever that costs.
            fingerprint: of the embedder that made the vector; what it is compared with is of the same, where it is given.

        Raises:
            FingerprintMismatchError: the table's vectors are of another model or recipe.
            IndexCorruptError: the table cannot be read, or its vectors are of another length.
        """
        if k < 1:
            return []

        def near(table: Any) -> list[UnitHit]:
            self._check_length(table, len(vector))
            if fingerprint is not None:
                self._check_fingerprint(table, fingerprint)
            return vector_hits(table, self._asked(), self._known_rows, vector, k, where, exact=exact)

        return self._read(near, list)

    def vectors_by_text(self, embed_hashes: Sequence[str]) -> dict[str, Vectors]:
        """The stored vector for each of these embedded texts, by its hash, that some row has.

        Raises:
            IndexCorruptError: the table cannot be read.
        """
        found: dict[str, Vectors] = {}
        for some in slices(embed_hashes, _HASHES_PER_CONDITION):
            found |= self._read(partial(self._vectors_by_text, some), dict)
        return found

    def _vectors_by_text(self, embed_hashes: Sequence[str], table: Any) -> dict[str, Vectors]:
        search = table.search().where(is_in("embed_hash", embed_hashes)).select(["embed_hash", "vector"])
        rows = search.limit(None).to_arrow(timeout=PATIENCE)
        vectors = vector_matrix(rows["vector"], _length(table))
        return dict(zip(rows["embed_hash"].to_pylist(), vectors, strict=True))

    def fingerprint(self) -> str | None:
        """Of the model that made the vectors; None where there are none.

        Raises:
            IndexCorruptError: the table cannot be read.
        """
        return self._read(_fingerprint, lambda: None)

    def upsert(self, units: Sequence[Unit], vectors: Vectors, fingerprint: str) -> None:
        """Store units with their vectors, each in the place of the row that has its id. Again changes nothing.

        The last of several units with one id wins. A batch is one commit: it is there whole or not at all.

        Args:
            vectors: one row a unit.
            fingerprint: of the embedder; one for the whole table.

        Raises:
            UnitRejectedError: the units cannot be stored as they are; nothing of this call's failing batch is.
            FingerprintMismatchError: the table's vectors are of another model or recipe.
            IndexCorruptError, IndexWriteError: the table cannot be read or written.
        """
        if len(vectors) != len(units):
            raise UnitRejectedError(f"{len(units)} units with {len(vectors)} vectors")
        if not len(units):
            return
        # Whose vectors are there already need no loaded model to be known by their length.
        length = vectors.shape[1] if callable(self._dimensions) else self._dimensions

        def made(places: Sequence[int]) -> pa.Table:
            return vector_rows([units[place] for place in places], vectors[list(places)], fingerprint, length)

        def admit(table: Any) -> None:
            self._check_length(table, length)
            self._check_fingerprint(table, fingerprint)

        self._write(list({unit.unit_id: place for place, unit in enumerate(units)}.values()), made, admit)

    def drop(self) -> None:
        self._known_fingerprint = None
        super().drop()

    def _schema(self) -> pa.Schema:
        return vector_schema(self.dimensions)

    def _problem(self, schema: pa.Schema) -> str | None:
        # Where only a loaded model knows the vectors' length no reader asks for it.
        known = isinstance(self._dimensions, int)
        return layout_problem(schema, vector_schema(self.dimensions if known else 1), any_length=not known)

    def _check_length(self, table: Any, length: int) -> None:
        if (stored := _length(table)) != length:
            raise IndexCorruptError(
                f"table {self.table_name} holds vectors of {stored} dimensions, not of {length}", hint=REBUILD_HINT
            )

    def _check_fingerprint(self, table: Any, fingerprint: str) -> None:
        # Another process may have made the table anew, with another model: then its mark is another one. All rows of a table
        # are of one model, so one is asked.
        with reading(self.table_name):
            mark = mark_of(table.schema)
            if self._known_fingerprint == (mark, fingerprint):
                return
            stored = _fingerprint(table)
        if stored == fingerprint:
            self._known_fingerprint = mark, fingerprint
        elif stored is not None:
            raise FingerprintMismatchError(
                f"table {self.table_name} holds vectors of another model or recipe ({stored[:12]}, in use {fingerprint[:12]})",
                hint="`memory outbox reconcile` makes it again with the model in use; or name the former one in the settings.",
            )


def _length(table: Any) -> int:
    return int(table.schema.field("vector").type.list_size)


def _fingerprint(table: Any) -> str | None:
    rows = table.search().select(["fingerprint"]).limit(1).to_list(timeout=PATIENCE)
    return str(rows[0]["fingerprint"]) if rows else None
