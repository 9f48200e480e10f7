"""The tasks of a fold: resolved, folded and made searchable, once behind all of its sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.projections.task_tables.artifacts import fold_artifacts
from memory_assets.projections.task_tables.candidates import fold_candidates
from memory_assets.projections.task_tables.cycles import fold_cycles
from memory_assets.projections.task_tables.name_likenesses import forget_vectors
from memory_assets.projections.task_tables.task_entities import fold_entities
from memory_assets.projections.task_tables.task_names import fold_names
from memory_assets.projections.task_tables.task_words import fold_task_words
from memory_assets.projections.task_tables.touched_entities import entities_before, touch_due, touched_entities
from memory_assets.projections.tasks import resolve_tasks
from memory_assets.projections.unit_tables.outbox import enqueue
from memory_assets.projections.unit_tables.units import close_touched_units, fold_task_units

if TYPE_CHECKING:
    import duckdb

    from memory_assets.log.batches import Appended, Build


def fold_board(
    connection: duckdb.DuckDBPyConnection, since: int, embedding_version: str, *, resolve: bool, build: Build | None
) -> list[Appended]:
    """Fold the tasks, conditions and artifacts that sessions have touched, or people behind ``since``.

    Args:
        since: how far the tables had come; 0 folds everything anew.
        resolve: append the outcomes that are missing, whoever folded what they rest on.
        build: the run that appends them.
    """
    fold_task_words(connection, since)
    before = entities_before(connection) if since == 0 else {}
    if resolve:
        touch_due(connection)
    fold_names(connection)
    if since == 0:
        forget_vectors(connection)
    resolved = resolve_tasks(connection, embedding_version, resolve=resolve, build=build)
    with touched_entities(connection, before | resolved.touched):
        fold_entities(connection, resolved.histories, resolved.former)
        appended = [*resolved.appended, *fold_artifacts(connection, resolve=resolve, build=build)]
        fold_candidates(connection)
        appended += fold_cycles(connection, resolve=resolve, build=build)
        fold_task_units(connection)
    enqueue(connection, embedding_version)
    close_touched_units(connection)
    return appended
