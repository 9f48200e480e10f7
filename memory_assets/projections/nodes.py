"""Names as a parameter of a statement, and the collection of those that a fold touches.

A few names travel as one JSON text: to register a table costs 2 ms more each time (measured).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from memory_assets.tasks.names import Node

if TYPE_CHECKING:
    import duckdb

NODES = """(SELECT node[1] AS project_key, node[2] AS name FROM (SELECT unnest(from_json(?, '[["VARCHAR"]]')) AS node))"""
"""Names as a relation of `project_key` and `name`, with :func:`nodes_json` as the parameter."""


def nodes_json(nodes: Iterable[Node]) -> str:
    """The parameter that belongs to :data:`NODES`."""
    return json.dumps(list(nodes), ensure_ascii=False)


def touch(connection: duckdb.DuckDBPyConnection, nodes: Iterable[Node], *, only_waited_for: bool = False) -> None:
    """Something else is said under these names than before.

    Args:
        only_waited_for: no more than that a task waits for what has the name, or does not any more.
    """
    asked = list(nodes)
    if not asked:
        return
    for table in ("touched_names",) if only_waited_for else ("touched_names", "touched_titles"):
        connection.execute(f"INSERT INTO {table} SELECT * FROM {NODES} EXCEPT SELECT * FROM {table}", [nodes_json(asked)])


def in_use(connection: duckdb.DuckDBPyConnection, nodes: Iterable[Node]) -> set[Node]:
    """Those of the names that have a row."""
    rows = connection.execute(
        f"SELECT n.project_key, n.name FROM task_names n JOIN {NODES} w ON w.project_key = n.project_key AND w.name = n.name",
        [nodes_json(nodes)],
    ).fetchall()
    return {(scope, name) for scope, name in rows}
