"""Rows into a table: a few as one JSON text, many as columns.

To hand DuckDB a table of columns costs 2 ms, however small it is: it looks for pandas, which nothing of ours installs. A text
costs half of that (measured), and the fold of one session writes a dozen times.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

FEW = 400
"""Rows from which on columns are faster."""

# By the type that a field is declared with; everything else is text.
_TYPES = {"int": "BIGINT", "float": "DOUBLE", "bool": "BOOLEAN", "datetime": "TIMESTAMP"}


def insert_rows(connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Any]) -> None:
    """Insert dataclasses of one kind, whose fields are columns of the table. Times are UTC, without saying so."""
    if not rows:
        return
    types = {field.name: _TYPES.get(str(field.type).removesuffix(" | None"), "VARCHAR") for field in fields(rows[0])}
    if len(rows) < FEW:
        told = [{name: _plain(getattr(row, name)) for name in types} for row in rows]
        connection.execute(
            f"INSERT INTO {table} BY NAME SELECT unnest(from_json(?, ?), recursive := true)",
            [json.dumps(told, ensure_ascii=False), json.dumps([types])],
        )
        return
    connection.register("new_rows", _columns(rows, types))
    connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM new_rows")
    connection.unregister("new_rows")


def _plain(value: object) -> object:
    return value.isoformat(" ") if isinstance(value, datetime) else value


def _columns(rows: Sequence[Any], types: dict[str, str]) -> pa.Table:
    import pyarrow as pa

    arrow = {"BIGINT": pa.int64(), "DOUBLE": pa.float64(), "BOOLEAN": pa.bool_(), "TIMESTAMP": pa.timestamp("us")}
    return pa.table(
        {name: pa.array([getattr(row, name) for row in rows], arrow.get(kind, pa.string())) for name, kind in types.items()}
    )
