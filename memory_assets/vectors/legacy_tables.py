"""Tables of an older version of this program, which held a unit's words and vector in one row: their vectors are brought over.

To embed again what was embedded would take hours where a copy takes seconds. The old table goes once the new one is whole, and
nobody reads it before.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.errors import InvalidArgumentError
from memory_assets.vectors.driver_errors import PATIENCE, reading, writing
from memory_assets.vectors.errors import IndexCorruptError, IndexUnansweredError, IndexUnreachableError
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.rows import ONE_TABLE_LAYOUT, layout_of, marked, vector_schema
from memory_assets.vectors.writer_lock import only_writer

if TYPE_CHECKING:
    import pyarrow as pa

_FOLDER = re.compile(r"units_(.+)\.lance")


def former_tables(folder: Path) -> dict[str, Path]:
    """The tables of the older form in a folder, by their embedding version."""
    if not folder.is_dir():
        return {}
    return {found[1]: path for path in sorted(folder.iterdir()) if (found := _FOLDER.fullmatch(path.name))}


def bring_over(folder: Path, *, lock_folder: Path, wait_seconds: float) -> tuple[str, ...]:
    """Copy the vectors of every table of the older form into one of today's, and remove it; the versions brought over.

    What cannot be read, or is older still, is removed without: the next drain makes its vectors again.

    Raises:
        IndexBusyError: another process is writing to one of them.
        IndexWriteError, IndexUnansweredError, IndexUnreachableError: it stays where it is.
    """
    brought = []
    for version, path in former_tables(folder).items():
        with only_writer(lock_folder, version, wait_seconds=wait_seconds):
            if not path.exists():
                continue  # whoever was waited for has done it
            try:
                index = VectorIndex(folder, version, lambda: 0)
                if not index.exists():
                    _copy(index, path.stem)
                    brought.append(version)
            except (IndexUnansweredError, IndexUnreachableError):
                raise
            except (IndexCorruptError, InvalidArgumentError):
                pass
            with writing(path.stem):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    return tuple(brought)


def _copy(index: VectorIndex, name: str) -> None:
    connection = index.connect()
    with reading(name):
        former = connection.open_table(name)
        if layout_of(former.schema) != ONE_TABLE_LAYOUT:
            raise IndexCorruptError(f"table {name} is of a form that nothing is brought over from")
        schema = marked(vector_schema(former.schema.field("vector").type.list_size))
        batches = former.search().select(schema.names).limit(None).to_batches(timeout=PATIENCE)
        # One commit: a table that is there is whole.
        connection.create_table(index.table_name, data=_cast(batches, schema), schema=schema, mode="overwrite")
    index.settle()


def _cast(batches: Any, schema: pa.Schema) -> pa.RecordBatchReader:
    import pyarrow as pa

    def made() -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from pa.Table.from_batches([batch]).select(schema.names).cast(schema).to_batches()

    return pa.RecordBatchReader.from_batches(schema, made())
