"""Filters as the index's SQL. Ids and names are data: every value becomes a quoted literal, in this one place."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from memory_assets.vectors.units import UnitFilter


def filter_sql(where: UnitFilter) -> str | None:
    """The condition of a filter; None when it lets everything pass."""
    conditions = []
    if where.project is not None:
        conditions.append(f"project = {text_literal(where.project)}")
    if where.unit_kinds:
        conditions.append(is_in("unit_kind", where.unit_kinds))
    if where.session_ids:
        conditions.append(is_in("session_id", where.session_ids))
    if where.since is not None:
        conditions.append(f"occurred_at >= {_time_literal(where.since)}")
    if where.until is not None:
        conditions.append(f"occurred_at < {_time_literal(where.until)}")
    return " AND ".join(conditions) or None


def is_in(column: str, values: Iterable[str]) -> str:
    """``column IN (…)`` for at least one value. The column is a name of ours, never data."""
    return f"{column} IN ({', '.join(text_literal(value) for value in values)})"


def text_literal(value: str) -> str:
    """A SQL string literal. What is no Unicode (lone surrogates) becomes U+FFFD, and so matches nothing that is stored."""
    encodable = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return "'" + encodable.replace("'", "''") + "'"


def _time_literal(value: datetime) -> str:
    return f"TIMESTAMP '{value.astimezone(UTC).isoformat(timespec='microseconds').replace('+00:00', 'Z')}'"
