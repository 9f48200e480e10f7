"""What units of the search stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list

if TYPE_CHECKING:
    import duckdb

_SOURCES = f"SELECT unit_kind, source_id FROM memory_units WHERE unit_id IN {IN_LIST} ORDER BY unit_id"


def unit_sources(connection: duckdb.DuckDBPyConnection, unit_ids: Sequence[str]) -> list[tuple[str, str]]:
    """The kind of each unit and the id of what it stands for, as deliveries are counted by."""
    return [(kind, source_id) for kind, source_id in fetch(connection, _SOURCES, [json_list(unit_ids)])]
