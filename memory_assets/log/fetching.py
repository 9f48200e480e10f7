"""Rows as the records want them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from memory_assets.errors import AmbiguousIdError, NotFoundError

if TYPE_CHECKING:
    import duckdb

Parameters = Sequence[object] | Mapping[str, object]


def fetch(connection: duckdb.DuckDBPyConnection, statement: str, parameters: Parameters = ()) -> list[tuple[Any, ...]]:
    """All rows, with times aware: the store keeps UTC without saying so."""
    return [
        tuple(value.replace(tzinfo=UTC) if isinstance(value, datetime) else value for value in row)
        for row in connection.execute(statement, parameters).fetchall()
    ]


def counts(connection: duckdb.DuckDBPyConnection, statement: str) -> dict[str, int]:
    """A two-column result as a mapping; what has no name is counted as ``-``."""
    return {"-" if key is None else str(key): int(count) for key, count in connection.execute(statement).fetchall()}


def scalar(connection: duckdb.DuckDBPyConnection, statement: str, parameters: Parameters = ()) -> Any:
    """The one value of a statement that always gives a row."""
    row = connection.execute(statement, parameters).fetchone()
    assert row is not None, statement
    return row[0]


def storable(text: str) -> str:
    """A text that DuckDB takes: halves of surrogate pairs, which it does not and which nothing stored has, become U+FFFD."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def full_id(connection: duckdb.DuckDBPyConnection, ids: str, given: str, *, what: str, listed_by: str, prefix: str = "") -> str:
    """The id that was meant by an id or its beginning, with or without its typed prefix.

    Args:
        ids: a statement that gives every id as its one column ``id``.
        what: what such an id names, for the messages; ``listed_by`` is the command that lists them.

    Raises:
        NotFoundError, AmbiguousIdError: nothing, or several things, begin with it.
    """
    text = storable(given).strip()
    # The prefix alone, or the beginning of it, names nothing, however few ids there are.
    plain = "" if prefix.startswith(text) else text
    typed = text if text.startswith(prefix) else f"{prefix}{text}"
    rows = fetch(
        connection,
        f"""SELECT id, id IN ($plain, $typed) AS is_whole FROM ({ids})
            WHERE ($plain <> '' AND starts_with(id, $plain)) OR ($typed <> $prefix AND starts_with(id, $typed))
            ORDER BY is_whole DESC, id LIMIT 6""",
        {"plain": plain, "typed": typed, "prefix": prefix},
    )
    if not rows:
        raise NotFoundError(f"there is no {what} {given[:100]!r}", hint=f"`{listed_by}` lists what there is")
    if rows[0][1] or len(rows) == 1:
        return str(rows[0][0])
    raise AmbiguousIdError(
        f"{given!r} begins several ids: {', '.join(row[0] for row in rows[:5])}{' …' if len(rows) > 5 else ''}",
        hint="give more of it",
    )
