"""Which tasks, conditions and artifacts a fold has to look at beside those that sessions and people speak of."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.projections.nodes import touch
from memory_assets.projections.rows import insert_rows
from memory_assets.vocabulary import EntityKind

if TYPE_CHECKING:
    import duckdb

# The log does not tell of these, or not that they are settled.
_DUE_ARTIFACTS = """
INSERT INTO touched_artifacts
SELECT r.canonical_key FROM artifact_references r
LEFT JOIN entities e ON e.entity_type = 'artifact' AND e.entity_id = r.artifact_id
WHERE e.entity_id IS NULL OR (r.settles AND (e.current_json ->> '$.status') = 'open')
EXCEPT SELECT canonical_key FROM touched_artifacts
"""

# What a person's word alone names as a blocker goes with the last task that waits for it.
_BLOCKING = """
INSERT INTO touched_artifacts
SELECT canonical_key FROM entities WHERE entity_type = 'artifact' AND entity_id IN (
  SELECT dst_id FROM edges
  WHERE rel_type IN ('blocked_by', 'blocked_by_suggested') AND src_id IN (SELECT entity_id FROM touched_entities))
EXCEPT SELECT canonical_key FROM touched_artifacts
"""


@dataclass(frozen=True, slots=True)
class _Touched:
    """A row of ``touched_entities``; its columns."""

    entity_id: str
    entity_type: EntityKind


def entities_before(connection: duckdb.DuckDBPyConnection) -> dict[str, EntityKind]:
    """Every task and condition that another version of the folds made, with its type; all artifacts are touched.

    What is not made again goes.
    """
    connection.execute(
        """INSERT INTO touched_artifacts SELECT canonical_key FROM entities WHERE entity_type = 'artifact'
           EXCEPT SELECT canonical_key FROM touched_artifacts"""
    )
    return dict(connection.execute("SELECT entity_id, entity_type FROM entities WHERE entity_type <> 'artifact'").fetchall())


def touch_due(connection: duckdb.DuckDBPyConnection) -> None:
    """Touch what the log does not tell all of yet, whoever folded what it rests on."""
    touch(connection, connection.execute("SELECT project_key, name FROM task_names_due").fetchall())
    connection.execute(_DUE_ARTIFACTS)


@contextlib.contextmanager
def touched_entities(connection: duckdb.DuckDBPyConnection, touched: Mapping[str, EntityKind]) -> Iterator[None]:
    """The tasks and conditions that are folded anew, as the table ``touched_entities`` (entity_id, entity_type).

    What the tasks among them wait for by a person's word is touched too.
    """
    connection.execute("CREATE OR REPLACE TEMP TABLE touched_entities (entity_id VARCHAR, entity_type VARCHAR)")
    insert_rows(connection, "touched_entities", [_Touched(*entity) for entity in touched.items()])
    if blockers_were_said(connection):
        touch_what_blocks(connection)
    yield
    connection.execute("DROP TABLE touched_entities")


def touch_what_blocks(connection: duckdb.DuckDBPyConnection) -> None:
    """Touch the artifacts that the tasks in ``touched_entities`` wait for as their edges are now."""
    connection.execute(_BLOCKING)


def blockers_were_said(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether a person ever said what a task waits for: then artifacts may rest on that alone."""
    said = "SELECT 1 FROM task_words WHERE event_type IN ('task_declared', 'task_blockers_said') LIMIT 1"
    return bool(connection.execute(said).fetchall())
