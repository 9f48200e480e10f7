"""The search index written anew: of each table the rows that say what a unit says now, in files that never held another.

Deleted rows stay in LanceDB's files until a table is made anew. Vectors are copied, and none is made again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.log.sql import WORDS
from memory_assets.vectors import upkeep
from memory_assets.vectors.driver_errors import PATIENCE, reading, writing
from memory_assets.vectors.errors import IndexCorruptError
from memory_assets.vectors.library import lancedb
from memory_assets.vectors.rows import marked

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_SUFFIX = ".lance"
_OF_VECTORS = "vectors_"

# A row that is not in the new table is written again by the next drain.
_WAITS = """
UPDATE vector_outbox SET status = 'pending', error = NULL, attempts = 0, next_attempt_at = NULL
WHERE embedding_version = ? AND status = 'done' AND item_id NOT IN (SELECT unit_id FROM copied_rows)
"""


def write_new_index(old: Path, new: Path, connection: duckdb.DuckDBPyConnection) -> dict[str, tuple[int, int]]:
    """Copy every table of an index; of each the rows that it had and those that were copied.

    A table that cannot be read is left behind, and made again by the next drain.

    Args:
        connection: on the new store, whose units say which rows stay; its queue is brought in line.

    Raises:
        IndexWriteError: the new folder cannot be written.
    """
    import pyarrow as pa

    units = connection.execute("SELECT unit_id || ' ' || content_hash FROM memory_units").fetchall()
    staying = pa.array([row[0] for row in units], pa.string())
    counts: dict[str, tuple[int, int]] = {}
    new.mkdir(mode=0o700, parents=True)
    for path in sorted(old.glob(f"*{_SUFFIX}")) if old.is_dir() else ():
        name = path.name.removesuffix(_SUFFIX)
        copied: list[str] = []
        try:
            counts[name] = _copy(old, new, name, staying, copied), len(copied)
        except IndexCorruptError:
            counts[name] = 0, 0
        version = WORDS if name == WORDS else name.removeprefix(_OF_VECTORS)
        connection.register("copied_rows", pa.table({"unit_id": pa.array(copied, pa.string())}))
        connection.execute(_WAITS, [version])
        connection.unregister("copied_rows")
    return counts


def _copy(old: Path, new: Path, name: str, staying: pa.Array, copied: list[str]) -> int:
    """Copy the rows that stay, and name them in ``copied``; how many rows there were."""
    with reading(name):
        table = lancedb().connect(str(old)).open_table(name)
        count, schema = table.count_rows(), table.schema
        batches = table.search().select(schema.names).limit(None).to_batches(timeout=PATIENCE)
    with writing(name):
        made = (
            lancedb().connect(str(new)).create_table(name, data=_kept(batches, schema, staying, copied), schema=marked(schema))
        )
        upkeep.update(made)
    return int(count)


def _kept(batches: Any, schema: pa.Schema, staying: pa.Array, copied: list[str]) -> pa.RecordBatchReader:
    import pyarrow as pa
    import pyarrow.compute as pc

    def made() -> Iterator[pa.RecordBatch]:
        for batch in batches:
            named = pc.binary_join_element_wise(batch["unit_id"], batch["content_hash"], " ")
            kept = batch.filter(pc.is_in(named, value_set=staying))
            copied.extend(kept["unit_id"].to_pylist())
            yield from pa.Table.from_batches([kept]).select(schema.names).cast(schema).to_batches()

    return pa.RecordBatchReader.from_batches(schema, made())
