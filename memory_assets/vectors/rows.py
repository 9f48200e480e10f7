"""Units as rows of the index's two tables, and rows as hits.

Both have what a search filters by and what a hit says; beside that one has the words, the other the vector.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memory_assets.moments import microseconds_of, moment_of
from memory_assets.vectors.errors import UnitRejectedError, cause_line
from memory_assets.vectors.units import Unit, UnitHit

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_assets.vectors.embedder import Vectors

LAYOUT = "4"
"""Changes whenever a table that an older version wrote has to be made anew. ``UNIT_RECIPE`` is raised with it, so that all
units are queued: whether a table has to be opened at all is asked of the queue."""

ONE_TABLE_LAYOUT = "3"
"""Of the table that held words and vector of a unit in one row."""

_LAYOUT_KEY = b"layout"
_MADE_KEY = b"made"

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
_ADDED_LATER = 2
"""Values at the end of a row that older versions did not write: origin and turn."""
_ALL = len(_HIT_FIELDS) + len(("occurred_at", OWN_TEXT)) + _ADDED_LATER

_COLUMNS = (
    "unit_id",
    "unit_kind",
    "project",
    "worktree",
    "session_id",
    "role",
    "stage",
    "occurred_at",
    "facets",
    "content_hash",
)
_OF_WORDS = ("speaker", OWN_TEXT, CONTEXT_TEXT)


def word_schema() -> pa.Schema:
    """The columns of the table that is searched by words."""
    import pyarrow as pa

    return _schema(
        pa.field("speaker", pa.string()),
        pa.field(OWN_TEXT, pa.string(), nullable=False),
        pa.field(CONTEXT_TEXT, pa.string(), nullable=False),
    )


def vector_schema(dimensions: int) -> pa.Schema:
    """The columns of a table that is searched by meaning."""
    import pyarrow as pa

    return _schema(
        pa.field("embed_hash", pa.string(), nullable=False),
        pa.field("fingerprint", pa.string(), nullable=False),
        pa.field("vector", pa.list_(pa.float32(), dimensions), nullable=False),
    )


def _schema(*more: pa.Field) -> pa.Schema:
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("unit_id", pa.string(), nullable=False),
            pa.field("unit_kind", pa.string(), nullable=False),
            pa.field("project", pa.string()),
            pa.field("worktree", pa.string()),
            pa.field("session_id", pa.string()),
            pa.field("role", pa.string()),
            pa.field("stage", pa.string(), nullable=False),
            pa.field("occurred_at", pa.timestamp("us", tz="UTC"), nullable=False),
            pa.field("facets", pa.list_(pa.string()), nullable=False),
            pa.field("content_hash", pa.string(), nullable=False),
            pa.field(HIT, pa.string(), nullable=False),
            *more,
        ],
        metadata={_LAYOUT_KEY: LAYOUT.encode()},
    )


def marked(schema: pa.Schema) -> pa.Schema:
    """The schema of a table that is made now, with a mark that no other table has."""
    return schema.with_metadata({**(schema.metadata or {}), _MADE_KEY: secrets.token_hex(8).encode()})


def mark_of(schema: pa.Schema) -> bytes:
    """The mark of a table: two tables of one name have two."""
    return bytes((schema.metadata or {}).get(_MADE_KEY, b""))


def layout_problem(schema: pa.Schema, wanted: pa.Schema, *, any_length: bool = False) -> str | None:
    """What a table has other than this version would write, in words; None where it is the same.

    Args:
        any_length: of the vectors, where only a loaded model knows it.
    """
    other = [
        field.name
        for field in wanted
        if (field.name not in schema.names if field.name == "vector" and any_length else field not in schema)
    ]
    if other:
        return f"columns {', '.join(other)}"
    stored = layout_of(schema)
    return None if stored == LAYOUT else f"layout {stored[:20]}, this version writes {LAYOUT}"


def layout_of(schema: pa.Schema) -> str:
    """The layout that a table says it has."""
    return bytes((schema.metadata or {}).get(_LAYOUT_KEY, b"1")).decode("utf-8", "replace")


def is_outdated(schema: pa.Schema) -> bool:
    """Whether an older version of this program wrote a table."""
    stored = layout_of(schema)
    return stored.isdigit() and int(stored) < int(LAYOUT)


def word_rows(units: Sequence[Unit]) -> pa.Table:
    """Units as rows of the table of words.

    Raises:
        UnitRejectedError: text that is no Unicode, a time without a zone.
    """
    return _table(units, {column: [getattr(unit, column) for unit in units] for column in _OF_WORDS}, word_schema())


def vector_rows(units: Sequence[Unit], vectors: Vectors, fingerprint: str, dimensions: int) -> pa.Table:
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
    more: dict[str, Any] = {
        "embed_hash": [unit.embed_hash for unit in units],
        "fingerprint": [fingerprint] * len(units),
        "vector": pa.FixedSizeListArray.from_arrays(flat, dimensions),
    }
    return _table(units, more, vector_schema(dimensions))


def _table(units: Sequence[Unit], more: dict[str, Any], schema: pa.Schema) -> pa.Table:
    import pyarrow as pa

    columns: dict[str, Any] = {column: [getattr(unit, column) for unit in units] for column in _COLUMNS}
    try:
        if any(unit.occurred_at.tzinfo is None for unit in units):
            raise ValueError("a time without a zone")
        columns[HIT] = [_packed(unit) for unit in units]
        return pa.table(columns | more, schema=schema)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise UnitRejectedError(f"cannot be stored: {cause_line(error)}") from error


def rows_of(found: pa.Table) -> list[Row]:
    """What each row of the column ``HIT`` says."""
    # One list of all: to read each by itself takes three times as long.
    return [_row(values) for values in json.loads(f"[{','.join(found[HIT].to_pylist())}]")]


def hit_of(row: Row, score: float) -> UnitHit:
    """The hit that a row is with a score."""
    *fields, own_text, origin, turn = row
    return UnitHit._make((*fields, score, own_text, origin, turn))


def _packed(unit: Unit) -> str:
    fields = [getattr(unit, field) for field in _HIT_FIELDS]
    return json.dumps([*fields, microseconds_of(unit.occurred_at), unit.own_text, unit.origin, unit.turn], ensure_ascii=False)


def _row(values: list[Any]) -> Row:
    # A row that was written before origins were kept says nothing of its own, and is of no template: those had no rows.
    values += [None] * (_ALL - len(values))
    *fields, microseconds, own_text, origin, turn = values
    # A tuple: thousands of them are kept, and the garbage collector looks at each list again and again.
    return (*fields, moment_of(microseconds), own_text, origin, turn)


def vector_matrix(column: pa.ChunkedArray, dimensions: int) -> Vectors:
    """A column of vectors, one row each."""
    import numpy as np

    flat = column.combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat, dtype=np.float32).reshape(-1, dimensions)
