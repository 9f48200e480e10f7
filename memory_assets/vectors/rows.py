"""Units as rows of the index's table, and rows as hits."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from memory_assets.vectors.errors import UnitRejectedError, cause_line
from memory_assets.vectors.units import Unit, UnitHit

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_assets.vectors.embedder import Vectors

LAYOUT = "3"
"""Changes whenever a table that an older version wrote has to be made anew."""

_LAYOUT_KEY = b"layout"
_MADE_KEY = b"made"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Row = tuple[Any, ...]
"""What a row says of its unit: the fields of a `UnitHit` without the score."""

OWN_TEXT = "own_text"
CONTEXT_TEXT = "context_text"
HIT = "hit"
"""What a hit says of its unit, as one JSON list: to read 300 rows of thirteen columns takes twice as long (measured)."""

_HIT_FIELDS = (
    "unit_id",
    "unit_kind",
    "project",
    "session_id",
    "message_index",
    "place",
    "role",
    "speaker",
    "stage",
    "status",
    "confidence",
)

_UNIT_COLUMNS = (
    "unit_id",
    "unit_kind",
    "project",
    "worktree",
    "session_id",
    "role",
    "speaker",
    "stage",
    "occurred_at",
    "facets",
    OWN_TEXT,
    CONTEXT_TEXT,
    "embed_hash",
    "content_hash",
)


def index_schema(dimensions: int) -> pa.Schema:
    """The columns of a table of units."""
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("unit_id", pa.string(), nullable=False),
            pa.field("unit_kind", pa.string(), nullable=False),
            pa.field("project", pa.string()),
            pa.field("worktree", pa.string()),
            pa.field("session_id", pa.string()),
            pa.field("role", pa.string()),
            pa.field("speaker", pa.string()),
            pa.field("stage", pa.string(), nullable=False),
            pa.field("occurred_at", pa.timestamp("us", tz="UTC"), nullable=False),
            pa.field("facets", pa.list_(pa.string()), nullable=False),
            pa.field(HIT, pa.string(), nullable=False),
            pa.field(OWN_TEXT, pa.string(), nullable=False),
            pa.field(CONTEXT_TEXT, pa.string(), nullable=False),
            pa.field("embed_hash", pa.string(), nullable=False),
            pa.field("content_hash", pa.string(), nullable=False),
            pa.field("embedding_version", pa.string(), nullable=False),
            pa.field("fingerprint", pa.string(), nullable=False),
            pa.field("vector", pa.list_(pa.float32(), dimensions), nullable=False),
        ],
        metadata={_LAYOUT_KEY: LAYOUT.encode()},
    )


def marked(schema: pa.Schema) -> pa.Schema:
    """The schema of a table that is made now, with a mark that no other table has."""
    return schema.with_metadata({**(schema.metadata or {}), _MADE_KEY: secrets.token_hex(8).encode()})


def mark_of(schema: pa.Schema) -> bytes:
    """The mark of a table: two tables of one name have two."""
    return bytes((schema.metadata or {}).get(_MADE_KEY, b""))


def layout_problem(schema: pa.Schema, dimensions: int | None) -> str | None:
    """What a table has other than this version would write, in words; None where it is the same.

    Args:
        dimensions: length of the vectors; None where only a loaded model knows it.
    """
    wanted = index_schema(dimensions or 1)
    other = [
        field.name
        for field in wanted
        if (field.name not in schema.names if field.name == "vector" and dimensions is None else field not in schema)
    ]
    if other:
        return f"columns {', '.join(other)}"
    stored = (schema.metadata or {}).get(_LAYOUT_KEY, b"1").decode("utf-8", "replace")
    return None if stored == LAYOUT else f"layout {stored[:20]}, this version writes {LAYOUT}"


def is_outdated(schema: pa.Schema) -> bool:
    """Whether an older version of this program wrote a table."""
    stored = (schema.metadata or {}).get(_LAYOUT_KEY, b"1")
    return stored.isdigit() and int(stored) < int(LAYOUT)


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
    columns: dict[str, Any] = {column: [getattr(unit, column) for unit in units] for column in _UNIT_COLUMNS}
    columns["embedding_version"] = [embedding_version] * len(units)
    columns["fingerprint"] = [fingerprint] * len(units)
    columns["vector"] = pa.FixedSizeListArray.from_arrays(flat, dimensions)
    try:
        if any(unit.occurred_at.tzinfo is None for unit in units):
            raise ValueError("a time without a zone")
        columns[HIT] = [_packed(unit) for unit in units]
        return pa.table(columns, schema=index_schema(dimensions))
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise UnitRejectedError(f"cannot be stored: {cause_line(error)}") from error


def rows_of(found: pa.Table) -> list[Row]:
    """What each row of the column ``HIT`` says."""
    return [_row(packed) for packed in found[HIT].to_pylist()]


def hit_of(row: Row, score: float) -> UnitHit:
    """The hit that a row is with a score."""
    *fields, own_text = row
    return _MAKE_HIT(*fields, score, own_text)


def _packed(unit: Unit) -> str:
    fields = [getattr(unit, field) for field in _HIT_FIELDS]
    microseconds = (unit.occurred_at - _EPOCH) // timedelta(microseconds=1)
    return json.dumps([*fields, microseconds, unit.own_text], ensure_ascii=False)


def _row(packed: str) -> Row:
    *fields, microseconds, own_text = json.loads(packed)
    # A tuple: thousands of them are kept, and the garbage collector looks at each list again and again.
    return (*fields, _EPOCH + timedelta(microseconds=microseconds), own_text)


_MAKE_HIT: Callable[..., UnitHit] = UnitHit


def vector_matrix(column: pa.ChunkedArray, dimensions: int) -> Vectors:
    """A column of vectors, one row each."""
    import numpy as np

    flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat, dtype=np.float32).reshape(-1, dimensions)
