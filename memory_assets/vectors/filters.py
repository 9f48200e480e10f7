"""Filters as the index's SQL. Ids and names are data: every value becomes a quoted literal, in this one place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from memory_assets.vectors.units import UnitFilter


def filter_sql(where: UnitFilter) -> str | None:
    """The condition of a filter; None when it lets everything pass."""
    return " AND ".join(_conditions(where)) or None


def _conditions(where: UnitFilter) -> Iterator[str]:
    if where.project is not None:
        yield f"project = {text_literal(where.project)}"
    if where.worktree is not None:
        yield _is_in_folder("worktree", where.worktree)
    for column, values in (
        ("unit_kind", where.unit_kinds),
        ("session_id", where.session_ids),
        ("unit_id", where.unit_ids),
        ("role", where.roles),
        ("stage", where.stages),
    ):
        if values:
            yield is_in(column, values)
    if where.facets:
        yield f"array_has_all(facets, [{_literals(where.facets)}])"
    if where.since is not None:
        yield f"occurred_at >= {_time_literal(where.since)}"
    if where.until is not None:
        yield f"occurred_at < {_time_literal(where.until)}"


def is_in(column: str, values: Iterable[str]) -> str:
    """``column IN (…)`` for at least one value. The column is a name of ours, never data."""
    return f"{column} IN ({_literals(values)})"


def text_literal(value: str) -> str:
    """A SQL string literal. What is no Unicode (lone surrogates) becomes U+FFFD, and so matches nothing that is stored."""
    encodable = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return "'" + encodable.replace("'", "''") + "'"


def _literals(values: Iterable[str]) -> str:
    return ", ".join(text_literal(value) for value in values)


def _is_in_folder(column: str, folder: str) -> str:
    """The folder itself or one below it; a folder of which it is only the name's beginning is another one."""
    inner = folder.rstrip("/")
    # '0' follows '/': what begins with the folder and a slash lies between the two, and a sorted index finds it.
    below = f"{column} >= {text_literal(inner + '/')} AND {column} < {text_literal(inner + '0')}"
    return f"({column} = {text_literal(inner)} OR ({below}))"


def _time_literal(value: datetime) -> str:
    return f"TIMESTAMP '{value.astimezone(UTC).isoformat(timespec='microseconds').replace('+00:00', 'Z')}'"
