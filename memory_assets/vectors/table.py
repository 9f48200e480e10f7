"""A table of units in LanceDB: opened late, read at its newest version, written by one, mended or dropped as a whole.

A projection that can be thrown away. Rows written are found at once, before any index is brought up to date. Deleted rows
stay in the files until the table is dropped and made anew.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memory_assets.errors import InvalidArgumentError
from memory_assets.vectors import upkeep
from memory_assets.vectors.driver_errors import PATIENCE, reading, writing
from memory_assets.vectors.errors import REBUILD_HINT, IndexCorruptError, IndexOutdatedError, IndexUnansweredError
from memory_assets.vectors.filters import is_in
from memory_assets.vectors.library import lancedb, waited_for
from memory_assets.vectors.lookup import KnownRows
from memory_assets.vectors.rows import is_outdated, layout_problem, marked

if TYPE_CHECKING:
    import pyarrow as pa

_NAME = re.compile(r"(?!.*\.\.)[a-z0-9][a-z0-9._-]{0,99}")
_UPSERT_ROWS = 2000
_IDS_PER_CONDITION = 1000

# Each read looks for the newest version, for another process may have written.
_NEWEST = timedelta(0)

_Item = TypeVar("_Item")


class UnitTable:
    """A table in a folder. Opened at the first use, always read at its newest version.

    Where there is no table yet, searches find nothing and the first write makes one.

    Args:
        folder: made by the first write.
        name: of the table.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.table_name = name
        self._table: Any = None
        self._asked_table: Any = None
        self._session: Any = None
        self._known_rows = KnownRows()

    def _schema(self) -> pa.Schema:
        """The columns of a table that is made now."""
        raise NotImplementedError

    def _problem(self, schema: pa.Schema) -> str | None:
        """What a table that is there has other than this version would write, in words."""
        return layout_problem(schema, self._schema())

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

    def rows(self, columns: Sequence[str] = ("unit_id", "content_hash")) -> pa.Table:
        """The named columns of every row, for parity with the store; add ``vector`` to compare values.

        Raises:
            IndexCorruptError: the table cannot be read.
        """
        return self._read(
            lambda table: table.search().select(list(columns)).limit(None).to_arrow(timeout=PATIENCE),
            lambda: self._schema().empty_table().select(list(columns)),
        )

    def _write(
        self,
        rows: Sequence[_Item],
        made: Callable[[Sequence[_Item]], pa.Table],
        admit: Callable[[Any], None] = lambda table: None,
    ) -> None:
        """Each row in the place of the one that has its id, in commits that are there whole or not at all.

        Args:
            made: makes the rows of a commit.
            admit: raises where the table is none that these rows belong into.
        """
        for some in slices(rows, _UPSERT_ROWS):
            fresh = made(some)
            table = self._open_or_create()
            admit(table)
            with writing(self.table_name):
                merge = table.merge_insert("unit_id").when_matched_update_all().when_not_matched_insert_all()
                merge.execute(fresh, timeout=PATIENCE)

    def delete(self, unit_ids: Sequence[str]) -> None:
        """Take units out. Ids that are not there are none the worse for it.

        Raises:
            IndexCorruptError, IndexWriteError: the table cannot be read or written.
        """
        table = self._open()
        if table is None:
            return
        for some in slices(unit_ids, _IDS_PER_CONDITION):
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

    def maintain(self) -> bool:
        """Bring the indexes up to date when a quarter of the table is behind them: between the batches of a long writing.

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
        self._close()
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
        self._try_out(table)
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

    def connect(self) -> Any:
        """The folder as LanceDB has it."""
        return lancedb().connect(str(self.folder), read_consistency_interval=_NEWEST, session=self._shared_session())

    def _shared_session(self) -> Any:
        """What is read of the indexes, for both ways to ask the table."""
        self._session = self._session or lancedb().Session()
        return self._session

    def _asked(self) -> Any:
        """The table for those who wait once, for an answer or for several.

        The table that is opened as ever waits for five steps of each, two of which look for the newest version: half as much
        again (7.1 ms of CPU for both fields of words, and 4.8; measured among 100,000 units).
        """
        if self._asked_table is None:
            self._asked_table = waited_for(self._opened_to_ask())
        return self._asked_table

    async def _opened_to_ask(self) -> Any:
        session = self._shared_session()
        library = lancedb()
        connection = await library.connect_async(str(self.folder), read_consistency_interval=_NEWEST, session=session)
        return await connection.open_table(self.table_name)

    def _close(self) -> None:
        self._table = self._asked_table = None

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
                self._close()
                if attempt == 2 or isinstance(error, IndexUnansweredError):
                    raise
        return nothing()

    def _open(self) -> Any:
        """The table, or None where there is none."""
        if self._table is None and self.exists():
            with reading(self.table_name):
                table = self.connect().open_table(self.table_name)
                schema = table.schema
            self._check_layout(schema)
            self._table = table
        return self._table

    def _open_or_create(self) -> Any:
        if self._open() is None:
            schema = marked(self._schema())
            with writing(self.table_name):
                self.folder.mkdir(parents=True, exist_ok=True)
                table = self.connect().create_table(self.table_name, schema=schema, exist_ok=True)
                upkeep.add_indexes(table)
            self._table = table
        return self._table

    def _check_layout(self, schema: pa.Schema) -> None:
        if (problem := self._problem(schema)) is not None:
            kind = IndexOutdatedError if is_outdated(schema) else IndexCorruptError
            raise kind(f"table {self.table_name} is of another layout ({problem})", hint=REBUILD_HINT)

    def _try_out(self, table: Any) -> None:
        """Ask the table something, so that what is in pieces says so."""


def checked_name(name: str) -> str:
    """A name that a table can have.

    Raises:
        InvalidArgumentError: it is none.
    """
    if not _NAME.fullmatch(name):
        raise InvalidArgumentError(f"no embedding version: {name[:120]!r}", hint="Use a-z, 0-9, dot, underscore and hyphen.")
    return name


def slices(items: Sequence[_Item], size: int) -> Iterator[Sequence[_Item]]:
    """The items, so many at a time."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
