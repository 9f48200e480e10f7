"""Units as rows of the index's table, and rows as hits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memory_assets.vectors.errors import UnitRejectedError, cause_line
from memory_assets.vectors.units import Unit, UnitHit

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_assets.vectors.embedder import Vectors

HIT_COLUMNS = ["unit_id", "unit_kind", "project", "session_id", "message_index", "occurred_at"]


def index_schema(dimensions: int) -> pa.Schema:
    """The columns of a table of units."""
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("unit_id", pa.string(), nullable=False),
            pa.field("unit_kind", pa.string(), nullable=False),
            pa.field("project", pa.string()),
            pa.field("session_id", pa.string()),
            pa.field("message_index", pa.int32()),
            pa.field("occurred_at", pa.timestamp("us", tz="UTC")),
            pa.field("search_text", pa.string(), nullable=False),
            pa.field("content_hash", pa.string(), nullable=False),
            pa.field("embedding_version", pa.string(), nullable=False),
            pa.field("fingerprint", pa.string(), nullable=False),
            pa.field("vector", pa.list_(pa.float32(), dimensions), nullable=False),
        ]
    )


def unit_table(units: Sequence[Unit], vectors: Vectors, embedding_version: str, fingerprint: str, dimensions: int) -> pa.Table:
    """Units and their vectors as rows.

    Raises:
        UnitRejectedError: text that is no Unicode, a time without a zone, a vector of another length, zero or not finite.
    """
    import numpy as np
    import pyarrow as pa

    if vectors.shape != (len(units), dimensions):
        raise UnitRejectedError(f"{len(units)} units with vectors of shape {vectors.shape}, not of {dimensions}")
    finite = np.isfinite(vectors).all(axis=1) & vectors.any(axis=1)
    if not finite.all():
        raise UnitRejectedError(f"the embedding of unit {units[int(np.argmin(finite))].unit_id} is not finite or zero")
    flat = pa.array(np.ascontiguousarray(vectors, dtype=np.float32).ravel())
    columns: dict[str, Any] = {
        "unit_id": [unit.unit_id for unit in units],
        "unit_kind": [unit.unit_kind for unit in units],
        "project": [unit.project for unit in units],
        "session_id": [unit.session_id for unit in units],
        "message_index": [unit.message_index for unit in units],
        "occurred_at": [unit.occurred_at for unit in units],
        "search_text": [unit.search_text for unit in units],
        "content_hash": [unit.content_hash for unit in units],
        "embedding_version": [embedding_version] * len(units),
        "fingerprint": [fingerprint] * len(units),
        "vector": pa.FixedSizeListArray.from_arrays(flat, dimensions),
    }
    try:
        return pa.table(columns, schema=index_schema(dimensions))
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise UnitRejectedError(f"cannot be stored: {cause_line(error)}") from error


def hit_of(row: dict[str, Any], score: float) -> UnitHit:
    """A row of a search's result."""
    return UnitHit(**{column: row[column] for column in HIT_COLUMNS}, score=float(score))


def vector_matrix(column: pa.ChunkedArray, dimensions: int) -> Vectors:
    """A column of vectors, one row each."""
    import numpy as np

    flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat, dtype=np.float32).reshape(-1, dimensions)
