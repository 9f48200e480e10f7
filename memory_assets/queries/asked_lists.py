"""The lists that a question may ask for; see ``ask.listing.Lists``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.queries.entries import list_entries
from memory_assets.queries.tasks import list_tasks

if TYPE_CHECKING:
    import duckdb

    from memory_assets.results.memories import EntryView
    from memory_assets.results.tasks import TaskView
    from memory_assets.vocabulary import EntryType


class AskedLists:
    """Tasks and entries of a store."""

    def tasks(self, connection: duckdb.DuckDBPyConnection, *, status: str, project: str | None, limit: int) -> list[TaskView]:
        return list_tasks(connection, status=status, project=project, limit=limit)

    def entries(
        self, connection: duckdb.DuckDBPyConnection, *, entry_type: EntryType, project: str | None, limit: int
    ) -> list[EntryView]:
        found, _ = list_entries(connection, entry_type=entry_type, project=project, limit=limit, with_context=False)
        return found
