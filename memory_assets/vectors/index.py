"""The search index: one LanceDB table an embedding version, a projection that can be thrown away (storage.md section 5).

A row holds what search needs and no more: tokens, not text. Rows written are found at once, by both legs, before any
index is brought up to date. Deleted rows stay in the files until the table is dropped and made anew.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memory_assets.errors import InvalidArgumentError
from memory_assets.retrieval.lexical_text import query_text
from memory_assets.vectors.errors import (
    REBUILD_HINT,
    FingerprintMismatchError,
    IndexCorruptError,
    IndexWriteError,
    UnitRejectedError,
    cause_line,
)
from memory_assets.vectors.filters import filter_sql, is_in
from memory_assets.vectors.rows import HIT_COLUMNS, hit_of, index_schema, unit_table, vector_matrix
from memory_assets.vectors.units import Unit, UnitFilter, UnitHit

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_assets.vectors.embedder import Vectors

_VERSION = re.compile(r"(?!.*\.\.)[a-z0-9][a-z0-9._-]{0,99}")
_FTS_COLUMN = "search_text"
_UPSERT_ROWS = 2000
_IDS_PER_CONDITION = 1000
# Readers that opened the table before a compaction go on reading the files that it replaced.
_KEEP_OLD_VERSIONS = timedelta(hours=1)
_MAX_FRAGMENTS = 64
_MIN_UNINDEXED_ROWS = 512


class VectorIndex:
    """The table ``units_{embedding_version}`` in a folder. Opened at the first use, always read at its newest version.

    Where there is no table yet, searches find nothing and the first write makes one.

    Args:
        folder: made by the first write.
        dimensions: length of the vectors; a function where only a loaded model knows it, asked when it is needed.

    Raises:
        InvalidArgumentError: the version is no name for a table.
    """

    def __init__(self, folder: Path, embedding_version: str, dimensions: int | Callable[[], int]) -> None:
        if not _VERSION.fullmatch(embedding_version):
            raise InvalidArgumentError(
                f"no embedding version: {embedding_version[:120]!r}", hint="Use a-z, 0-9, dot, underscore and hyphen."
            )
        self.folder = folder
        self.embedding_version = embedding_version
        self._dimensions = dimensions
        self.table_name = f"units_{embedding_version}"
        self._table: Any = None
        self._known_fingerprint: str | None = None

    @property
    def dimensions(self) -> int:
        """Length of the vectors."""
        return self._dimensions() if callable(self._dimensions) else self._dimensions

    def exists(self) -> bool:
        """Whether a table is there, readable or not."""
        return self._table_folder.is_dir() and any(self._table_folder.iterdir())

    def count(self) -> int:
        """Rows of the table; 0 without one."""
        table = self._open()
        if table is None:
            return 0
        with self._reading():
            return int(table.count_rows())

    def lexical_search(self, query: str, k: int, where: UnitFilter | None = None) -> list[UnitHit]:
        """The ``k`` best units by BM25 over their search text, best first; empty for a question without words.

        Args:
            query: as a person typed it; no character of it is an operator.

        Raises:
            IndexCorruptError: the table cannot be read.
        """
        tokens = query_text(query)
        table = self._open()
        if table is None or not tokens or k < 1:
            return []
        with self._reading():
            from lancedb.query import MatchQuery

            search = table.search(MatchQuery(tokens, _FTS_COLUMN), query_type="fts").select([*HIT_COLUMNS, "_score"])
            rows = _filtered(search, where).limit(k).to_list()
        return _best_first([hit_of(row, row["_score"]) for row in rows])

    def vector_search(self, vector: Vectors, k: int, where: UnitFilter | None = None) -> list[UnitHit]:
        """The ``k`` nearest units by cosine similarity, nearest first.

        Raises:
            IndexCorruptError: the table cannot be read.
        """
        table = self._open()
        if table is None or k < 1:
            return []
        with self._reading():
            search = table.search(vector).distance_type("cosine").select([*HIT_COLUMNS, "_distance"])
            rows = _filtered(search, where).limit(k).to_list()
        return _best_first([hit_of(row, 1.0 - row["_distance"]) for row in rows])

    def rows(self, columns: Sequence[str] = ("unit_id", "embedding_version", "content_hash")) -> pa.Table:
        """The named columns of every row, for parity with the store; add ``vector`` to compare values.

        Raises:
            IndexCorruptError: the table cannot be read.
        """
        table = self._open()
        if table is None:
            return index_schema(self.dimensions).empty_table().select(list(columns))
        with self._reading():
            return table.search().select(list(columns)).limit(None).to_arrow()

    def vectors_by_content(self, content_hashes: Sequence[str]) -> dict[str, Vectors]:
        """The stored vector for each of these content hashes that some row has.

        Raises:
            IndexCorruptError: the table cannot be read.
        """
        table = self._open()
        found: dict[str, Vectors] = {}
        if table is None:
            return found
        for some in _slices(content_hashes, _IDS_PER_CONDITION):
            with self._reading():
                search = table.search().where(is_in("content_hash", some)).select(["content_hash", "vector"])
                rows = search.limit(None).to_arrow()
                vectors = vector_matrix(rows["vector"], self.dimensions)
            found.update(zip(rows["content_hash"].to_pylist(), vectors, strict=True))
        return found

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
        last = {unit.unit_id: place for place, unit in enumerate(units)}
        for places in _slices(list(last.values()), _UPSERT_ROWS):
            batch = [units[place] for place in places]
            rows = unit_table(batch, vectors[places], self.embedding_version, fingerprint, self.dimensions)
            table = self._open_or_create()
            self._check_fingerprint(table, fingerprint)
            with self._writing():
                merge = table.merge_insert("unit_id").when_matched_update_all().when_not_matched_insert_all()
                merge.execute(rows)
            self._known_fingerprint = fingerprint

    def delete(self, unit_ids: Sequence[str]) -> None:
        """Take units out. Ids that are not there are none the worse for it.

        Raises:
            IndexCorruptError, IndexWriteError: the table cannot be read or written.
        """
        table = self._open()
        if table is None:
            return
        for some in _slices(unit_ids, _IDS_PER_CONDITION):
            with self._writing():
                table.delete(is_in("unit_id", some))

    def ensure_fts_index(self) -> None:
        """Make the full-text index where it is missing. New rows need no call: they are found from the moment of writing.

        Raises:
            IndexCorruptError, IndexWriteError: the table cannot be read or written.
        """
        self._add_fts_index(self._open_or_create())

    def maintain(self) -> bool:
        """Compact when it pays: after many commits, or when the rows behind the full-text index grew by a quarter.

        Rows behind the index are found by a scan, with weights of their own, so there should not be many. Each compaction
        rewrites the table, so it waits for growth in proportion: what a row costs stays the same as the table grows. To be
        called after writing.

        Returns:
            Whether it compacted.

        Raises:
            IndexCorruptError, IndexWriteError: the table cannot be read or written.
        """
        table = self._open()
        if table is None:
            return False
        with self._reading():
            statistics = table.stats()
            index = table.index_stats(f"{_FTS_COLUMN}_idx")
        unindexed = index.num_unindexed_rows if index else 0
        fragments = statistics["fragment_stats"]["num_fragments"]
        if fragments <= _MAX_FRAGMENTS and unindexed <= max(_MIN_UNINDEXED_ROWS, statistics["num_rows"] // 4):
            return False
        self.optimize()
        return True

    def optimize(self) -> None:
        """Merge small files, bring the full-text index up to date, drop what no reader of the last hour can need.

        Raises:
            IndexCorruptError, IndexWriteError: the table cannot be read or written.
        """
        table = self._open()
        if table is None:
            return
        with self._writing():
            table.optimize(cleanup_older_than=_KEEP_OLD_VERSIONS)

    def drop(self) -> None:
        """Remove the table with all its files, deleted rows and unreadable ones too. The next write makes a new one."""
        self._table = None
        self._known_fingerprint = None
        with self._writing():
            if self._table_folder.exists():
                shutil.rmtree(self._table_folder)

    @property
    def _table_folder(self) -> Path:
        return self.folder / f"{self.table_name}.lance"

    def _connect(self) -> Any:
        os.environ.setdefault("LANCE_LOG", "error")
        import lancedb

        # Zero: each read looks for the newest version, for another process may have written.
        return lancedb.connect(str(self.folder), read_consistency_interval=timedelta(0))

    def _open(self) -> Any:
        """The table, or None where there is none."""
        if self._table is None and self.exists():
            with self._reading():
                table = self._connect().open_table(self.table_name)
                self._check_schema(table.schema)
            self._table = table
        return self._table

    def _open_or_create(self) -> Any:
        if self._open() is None:
            with self._writing():
                self.folder.mkdir(parents=True, exist_ok=True)
                schema = index_schema(self.dimensions)
                table = self._connect().create_table(self.table_name, schema=schema, exist_ok=True)
            self._add_fts_index(table)
            self._table = table
        return self._table

    def _add_fts_index(self, table: Any) -> None:
        from lancedb.index import FTS

        # The text comes cut into tokens. No token is dropped, neither long ones nor stop words; words are stemmed, which
        # leaves digits and Hangul alone.
        words = FTS(base_tokenizer="whitespace", stem=True, remove_stop_words=False, max_token_length=None)
        with self._writing():
            if not any(_FTS_COLUMN in index.columns for index in table.list_indices()):
                table.create_index(_FTS_COLUMN, config=words)

    def _check_schema(self, schema: pa.Schema) -> None:
        # Where only a loaded model knows the vectors' length no reader asks for it: their column is known by its name.
        known = self._dimensions if isinstance(self._dimensions, int) else None
        wanted = index_schema(known or 1)
        missing = [
            field.name
            for field in wanted
            if (field.name not in schema.names if field.name == "vector" and known is None else field not in schema)
        ]
        if missing:
            raise IndexCorruptError(
                f"table {self.table_name} is of another layout (columns {', '.join(missing)})", hint=REBUILD_HINT
            )

    def _check_fingerprint(self, table: Any, fingerprint: str) -> None:
        if self._known_fingerprint is None:
            with self._reading():
                rows = table.search().select(["fingerprint"]).limit(1).to_list()
            self._known_fingerprint = rows[0]["fingerprint"] if rows else fingerprint
        if self._known_fingerprint != fingerprint:
            raise FingerprintMismatchError(
                f"table {self.table_name} holds vectors of another model or recipe "
                f"({self._known_fingerprint[:12]}, in use {fingerprint[:12]})",
                hint=REBUILD_HINT,
            )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (RuntimeError, OSError, ValueError) as error:
            raise IndexCorruptError(
                f"table {self.table_name} cannot be read: {cause_line(error)}", hint=REBUILD_HINT
            ) from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except (RuntimeError, OSError, ValueError) as error:
            reason = cause_line(error)
            if isinstance(error, OSError) or any(cause in str(error) for cause in _WRITE_CAUSES):
                hint = "Make room or mend the folder's rights, then run the same command again."
                raise IndexWriteError(f"table {self.table_name} cannot be written: {reason}", hint=hint) from error
            raise IndexCorruptError(f"table {self.table_name} cannot be written: {reason}", hint=REBUILD_HINT) from error


_WRITE_CAUSES = ("No space left", "ermission denied", "Read-only file system", "onflict", "oo many concurrent")

_Item = TypeVar("_Item")


def _filtered(search: Any, where: UnitFilter | None) -> Any:
    condition = filter_sql(where) if where else None
    return search.where(condition, prefilter=True) if condition else search


def _best_first(hits: list[UnitHit]) -> list[UnitHit]:
    """Ties in the order of ids: the same index gives the same list."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.unit_id))


def _slices(items: Sequence[_Item], size: int) -> Iterator[Sequence[_Item]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
