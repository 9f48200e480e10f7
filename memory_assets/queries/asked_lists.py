"""The lists that a question may ask for; see ``ask.listing.Lists``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory_assets.queries.entries import entries_at, list_entries
from memory_assets.queries.tasks import list_tasks, tasks_by_id

if TYPE_CHECKING:
    import duckdb

    from memory_assets.results.memories import EntryView
    from memory_assets.results.tasks import TaskView
    from memory_assets.vocabulary import EntryType, Stage


class AskedLists:
    """Tasks and entries of a store.

    Args:
        quiet_after: how many later sessions of its project that do not speak of a task make it quiet.
    """

    def __init__(self, quiet_after: int) -> None:
        self._quiet_after = quiet_after

    def tasks(self, connection: duckdb.DuckDBPyConnection, *, status: str, project: str | None, limit: int) -> list[TaskView]:
        return list_tasks(connection, status=status, project=project, limit=limit, quiet_after=self._quiet_after)

    def entries(
        self, connection: duckdb.DuckDBPyConnection, *, entry_type: EntryType, stage: Stage, project: str | None, limit: int
    ) -> list[EntryView]:
        chosen = {"entry_type": entry_type, "stage": stage, "project": project}
        return list_entries(connection, **chosen, limit=limit, with_context=False)[0]

    def tasks_of(self, connection: duckdb.DuckDBPyConnection, ids: Sequence[str]) -> list[TaskView]:
        return tasks_by_id(connection, ids, quiet_after=self._quiet_after)

    def entries_of(self, connection: duckdb.DuckDBPyConnection, addresses: Sequence[str]) -> list[EntryView]:
        return entries_at(connection, addresses)
