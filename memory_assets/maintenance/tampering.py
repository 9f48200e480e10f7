"""What `memory fsck` sees of tables that were changed by hand: the schema, and each row that a replay gives otherwise."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.errors import MemoryAssetsError
from memory_assets.log.schema import schema_differences
from memory_assets.projections.fold import PROJECTOR, folded_with
from memory_assets.projections.rebuild import Difference, replay

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources
    from memory_assets.log.database import Database

# Where the fold says how far it came, and an event that it did not come to, or none.
_OFFSETS = """SELECT o.projector_name, o.last_seq FROM projection_offsets o LEFT JOIN events e ON e.seq = o.last_seq
  WHERE o.projector_name <> ? OR (o.last_seq <> 0 AND e.seq IS NULL)
    OR o.last_event_id IS DISTINCT FROM e.event_id OR o.last_ts IS DISTINCT FROM e.ts"""


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A row of a derived table that is not what the log gives."""

    table: str
    session_id: str | None
    entry_id: str | None
    detail: str


@dataclass(frozen=True, slots=True)
class Compared:
    """What comparing the tables with a replay gave.

    Attributes:
        rows: how many were compared.
        changed: those that differ, the first of each table; ``differing`` counts all, table by table.
    """

    rows: int
    changed: tuple[ChangedRow, ...]
    differing: Mapping[str, int]


def schema_defects(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """What of the schema is not as the migrations make it, a sentence each."""
    return [f"{name} is not what the migrations make" for name in schema_differences(connection)]


def offset_defects(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """What of the fold's own place in the log cannot be, a sentence each."""
    rows = connection.execute(_OFFSETS, [PROJECTOR]).fetchall()
    return [f"projection_offsets: {name} at event {seq} is no place where a fold ended" for name, seq in rows]


def versions_of_tables(connection: duckdb.DuckDBPyConnection, resources: Resources) -> Mapping[str, str] | None:
    """The stages' versions that the tables were folded with; None where another program, or other settings, folded them."""
    stored = dict(connection.execute("SELECT event_type, stage_version FROM configured_versions").fetchall())
    candidates: list[Mapping[str, str]] = [stored]
    # What the settings ask for may be something that cannot be used: `memory doctor` says why.
    with contextlib.suppress(MemoryAssetsError):
        candidates.append(resources.configured_versions)
    if not connection.execute("SELECT 1 FROM projection_offsets").fetchall():
        return next(filter(None, reversed(candidates)), None)  # nothing was folded: of no event any versions give nothing
    return next((versions for versions in candidates if versions and folded_with(connection, versions)), None)


def compare_tables(database: Database, versions: Mapping[str, str]) -> Compared:
    """Replay the events that the tables were folded from and compare every derived table in all columns."""
    report = replay(database, versions)
    by_row: dict[tuple[str, str], list[Difference]] = {}
    for difference in report.differences:
        by_row.setdefault((difference.table, difference.key), []).append(difference)
    changed = tuple(
        ChangedRow(table, parts[0].session_id, parts[0].entry_id, _told(table, key, parts))
        for (table, key), parts in by_row.items()
    )
    return Compared(sum(report.tables.values()), changed, report.differing)


def _told(table: str, key: str, parts: list[Difference]) -> str:
    match parts[0]:
        case Difference(column="(row)", stored=None):
            return f"{table}: the row of {key} is gone"
        case Difference(column="(row)"):
            return f"{table}: the log gives no row of {key}"
    columns = ", ".join(f"{part.column} is {_short(part.stored)}, the log says {_short(part.replayed)}" for part in parts[:3])
    return f"{table} of {key}: {columns}{' …' if len(parts) > 3 else ''}"


def _short(value: str | None) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
