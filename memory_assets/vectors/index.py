"""The search index: one LanceDB table an embedding version, a projection that can be thrown away (storage.md section 5).

A row holds what search needs and no more: tokens, not text. Rows written are found at once, by both legs, before any
index is brought up to date. Deleted rows stay in the files until the table is dropped and made anew.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memory_assets.errors import InvalidArgumentError
from memory_assets.retrieval.lexical_text import query_text
from memory_assets.vectors import upkeep
from memory_assets.vectors.errors import (
    REBUILD_HINT,
    FingerprintMismatchError,
    IndexCorruptError,
    IndexOutdatedError,
    IndexUnansweredError,
    UnitRejectedError,
)
from memory_assets.vectors.filters import is_in
from memory_assets.vectors.guard import PATIENCE, reading, writing
from memory_assets.vectors.lookup import KnownRows, lexical_hits, vector_hits
from memory_assets.vectors.rows import (
    index_schema,
    is_outdated,
    layout_problem,
    mark_of,
    marked,
    unit_table,
    vector_matrix,
)
from memory_assets.vectors.units import LexicalHits, Unit, UnitFilter, UnitHit

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_assets.vectors.embedder import Vectors

_VERSION = re.compile(r"(?!.*\.\.)[a-z0-9][a-z0-9._-]{0,99}")
_UPSERT_ROWS = 2000
_IDS_PER_CONDITION = 1000


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
        self._length = 0
        self._known_rows = KnownRows()
        self._known_speakers: tuple[tuple[bytes, int], frozenset[str]] | None = None
        self._known_fingerprint: tuple[bytes, str] | None = None

    @property
    def dimensions(self) -> int:
        """Length of the vectors."""
        return self._dimensions() if callable(self._dimensions) else self._dimensions

    def exists(self) -> bool:
        """Whether a table is there, readable or not.

        Raises:
            IndexUnreachableError: the folder cannot be looked into.
        """
        with reading(self.table_name):
            if not self._table_folder.is_dir():
                return self._table_folder.exists()
            # A first transaction alone is what a making that was killed leaves behind: the next write begins it again.
            return any(path.name != "_transactions" for path in self._table_folder.iterdir())

    def count(self) -> int:
        """Rows of the table; 0 without one."""
        return self._read(lambda table: int(table.count_rows()), lambda: 0)

    def lexical_search(self, query: str, k: int, where: UnitFilter | None = None) -> LexicalHits:
        """The ``k`` best units by BM25 over each of the two indexed fields, best first; none for a question without words.

        Args:
            query: as a person typed it; no character of it is an operator.

        Raises:
            IndexCorruptError: the table cannot be read.
        """
        tokens = query_text(query)
        if not tokens or k < 1:
            return LexicalHits((), ())
        return self._read(lambda table: lexical_hits(table, self._known_rows, tokens, k, where), lambda: LexicalHits((), ()))

    def vector_search(
        self, vector: Vectors, k: int, where: UnitFilter | None = None, *, fingerprint: str | None = None
    ) -> list[UnitHit]:
        """The ``k`` nearest units by cosine similarity, nearest first.

        Args:
            fingerprint: of the embedder that made the vector; what it is compared with is of the same, where it is given.

        Raises:
            FingerprintMismatchError: the table's vectors are of another model or recipe.
            IndexCorruptError: the table cannot be read, or its vectors are of another length.
        """
        if k < 1:
            return []

        def near(table: Any) -> list[UnitHit]:
            self._check_length(len(vector))
            if fingerprint is not None:
                self._check_fingerprint(table, fingerprint)
            return vector_hits(table, self._known_rows, vector, k, where)

        return self._read(near, list)

    def speakers(self) -> frozenset[str]:
        """Everybody who says a passage of the index.

        Raises:
            IndexCorruptError: the table cannot be read.
        """
        return self._read(self._speakers, frozenset)

    def _speakers(self, table: Any) -> frozenset[str]:
        state = mark_of(table.schema), table.version
        if self._known_speakers is None or self._known_speakers[0] != state:
            rows = table.search().where("speaker IS NOT NULL").select(["speaker"]).limit(None).to_arrow(timeout=PATIENCE)
            self._known_speakers = state, frozenset(rows["speaker"].unique().to_pylist())
        return self._known_speakers[1]

    def rows(self, columns: Sequence[str] = ("unit_id", "embedding_version", "content_hash")) -> pa.Table:
        """The named columns of every row, for parity with the store; add ``vector`` to compare values.

        Raises:
            IndexCorruptError: the table cannot be read.
        """
        return self._read(
            lambda table: table.search().select(list(columns)).limit(None).to_arrow(timeout=PATIENCE),
            lambda: index_schema(self.dimensions).empty_table().select(list(columns)),
        )

    def vectors_by_text(self, embed_hashes: Sequence[str]) -> dict[str, Vectors]:
        """The stored vector for each of these embedded texts, by its hash, that some row has.

        Raises:
            IndexCorruptError: the table cannot be read.
        """
        found: dict[str, Vectors] = {}
        for some in _slices(embed_hashes, _IDS_PER_CONDITION):
            found |= self._read(partial(self._vectors_by_text, some), dict)
        return found

    def _vectors_by_text(self, embed_hashes: Sequence[str], table: Any) -> dict[str, Vectors]:
        search = table.search().where(is_in("embed_hash", embed_hashes)).select(["embed_hash", "vector"])
        rows = search.limit(None).to_arrow(timeout=PATIENCE)
        vectors = vector_matrix(rows["vector"], self.dimensions)
        return dict(zip(rows["embed_hash"].to_pylist(), vectors, strict=True))

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
            with writing(self.table_name):
                merge = table.merge_insert("unit_id").when_matched_update_all().when_not_matched_insert_all()
                merge.execute(rows, timeout=PATIENCE)

    def delete(self, unit_ids: Sequence[str]) -> None:
        """Take units out. Ids that are not there are none the worse for it.

        Raises:
            IndexCorruptError, IndexWriteError: the table cannot be read or written.
        """
        table = self._open()
        if table is None:
            return
        for some in _slices(unit_ids, _IDS_PER_CONDITION):
            with writing(self.table_name):
                table.delete(is_in("unit_id", some))

    def prepare(self) -> None:
        """Open the table and read what the first search would wait for.

        Raises:
            IndexCorruptError: the table cannot be read.
        """

        def prepared(table: Any) -> None:
            for index in table.list_indices():
                table.prewarm_index(index.name)

        self._read(prepared, lambda: None)
        self.speakers()
        self.lexical_search("the", 1)

    def maintain(self) -> bool:
        """Bring the indexes up to date when the table grew by a quarter; to be called between the batches of a long writing.

        Returns:
            Whether it did.

        Raises:
            IndexCorruptError, IndexWriteError: the table cannot be read or written.
        """
        return self._update(more_to_come=True)

    def settle(self) -> bool:
        """Bring the indexes up to date where searches could tell; to be called when a writing is done.

        Afterwards scores do not depend on how the rows were written: no row is behind an index, and in a table of more
        than 20,000 rows not one in 200.

        Returns:
            Whether there was anything to do.

        Raises:
            IndexCorruptError, IndexWriteError: the table cannot be read or written.
        """
        return self._update(more_to_come=False)

    def _update(self, *, more_to_come: bool) -> bool:
        table = self._open()
        if table is None:
            return False
        with reading(self.table_name):
            due = upkeep.is_due(table, more_to_come=more_to_come)
        if due:
            self.optimize()
        return due

    def optimize(self) -> None:
        """Merge small files, bring every index up to date, index the vectors where there are enough, drop old versions.

        Raises:
            IndexCorruptError, IndexWriteError: the table cannot be read or written.
        """
        table = self._open()
        if table is None:
            return
        with writing(self.table_name):
            upkeep.update(table)

    def drop(self) -> None:
        """Remove the table with all its files, deleted rows and unreadable ones too. The next write makes a new one."""
        self._table = None
        self._known_speakers = None
        self._known_fingerprint = None
        with writing(self.table_name):
            if self._table_folder.is_dir():
                shutil.rmtree(self._table_folder)
            else:
                self._table_folder.unlink(missing_ok=True)

    def problems(self) -> list[str]:
        """What is wrong with the table, one sentence each; reads all of it."""
        try:
            return self._read(self._problems, list)
        except IndexCorruptError as error:
            return [f"{error}. {error.hint}"]

    def _problems(self, table: Any) -> list[str]:
        ids = table.search().select(["unit_id"]).limit(None).to_arrow(timeout=PATIENCE)["unit_id"]
        read = sum(
            batch.num_rows for batch in table.search().select(table.schema.names).limit(None).to_batches(timeout=PATIENCE)
        )
        # What is in pieces says so when it is read.
        for index in table.list_indices():
            table.prewarm_index(index.name)
        lexical_hits(table, KnownRows(), "the", 1, None)
        found = []
        if twice := len(ids) - len(ids.unique()):
            found.append(f"{twice} rows of {self.table_name} are there twice. {REBUILD_HINT}")
        if read != len(ids):
            found.append(f"of {len(ids)} rows of {self.table_name} {read} can be read. {REBUILD_HINT}")
        if missing := upkeep.missing_indexes(table):
            found.append(f"{self.table_name} has no index of {', '.join(missing)}. {REBUILD_HINT}")
        return found

    @property
    def _table_folder(self) -> Path:
        return self.folder / f"{self.table_name}.lance"

    def _connect(self) -> Any:
        # Read when the library is first imported: its warnings are about its own affairs.
        os.environ.setdefault("LANCEDB_LOG", "error")
        import lancedb

        # Zero: each read looks for the newest version, for another process may have written.
        return lancedb.connect(str(self.folder), read_consistency_interval=timedelta(0))

    def _read(self, work: Callable[[Any], _Item], nothing: Callable[[], _Item]) -> _Item:
        """What ``work`` makes of the table, or ``nothing`` where there is none.

        What cannot be read is opened once more: another process may have made the table anew.
        """
        for attempt in (1, 2):
            table = self._open()
            if table is None:
                break
            try:
                with reading(self.table_name):
                    return work(table)
            except IndexCorruptError as error:
                self._table = None
                if attempt == 2 or isinstance(error, IndexUnansweredError):
                    raise
        return nothing()

    def _open(self) -> Any:
        """The table, or None where there is none."""
        if self._table is None and self.exists():
            with reading(self.table_name):
                table = self._connect().open_table(self.table_name)
                schema = table.schema
            self._check_layout(schema)
            self._length = schema.field("vector").type.list_size
            self._table = table
        return self._table

    def _open_or_create(self) -> Any:
        if self._open() is None:
            with writing(self.table_name):
                self.folder.mkdir(parents=True, exist_ok=True)
                schema = marked(index_schema(self.dimensions))
                table = self._connect().create_table(self.table_name, schema=schema, exist_ok=True)
                upkeep.add_indexes(table)
            self._table, self._length = table, self.dimensions
        return self._table

    def _check_layout(self, schema: pa.Schema) -> None:
        # Where only a loaded model knows the vectors' length no reader asks for it.
        problem = layout_problem(schema, self._dimensions if isinstance(self._dimensions, int) else None)
        if problem is not None:
            kind = IndexOutdatedError if is_outdated(schema) else IndexCorruptError
            raise kind(f"table {self.table_name} is of another layout ({problem})", hint=REBUILD_HINT)

    def _check_length(self, length: int) -> None:
        if self._length != length:
            raise IndexCorruptError(
                f"table {self.table_name} holds vectors of {self._length} dimensions, not of {length}", hint=REBUILD_HINT
            )

    def _check_fingerprint(self, table: Any, fingerprint: str) -> None:
        # Another process may have made the table anew, with another model: then its mark is another one. All rows of a table
        # are of one model, so one is asked.
        with reading(self.table_name):
            mark = mark_of(table.schema)
            if self._known_fingerprint == (mark, fingerprint):
                return
            rows = table.search().select(["fingerprint"]).limit(1).to_list(timeout=PATIENCE)
        if rows and rows[0]["fingerprint"] == fingerprint:
            self._known_fingerprint = mark, fingerprint
        elif rows:
            raise FingerprintMismatchError(
                f"table {self.table_name} holds vectors of another model or recipe "
                f"({rows[0]['fingerprint'][:12]}, in use {fingerprint[:12]})",
                hint="`memory outbox reconcile` makes it again with the model in use; or name the former one in the settings.",
            )


_Item = TypeVar("_Item")


def _slices(items: Sequence[_Item], size: int) -> Iterator[Sequence[_Item]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
