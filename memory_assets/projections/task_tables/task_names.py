"""The names that claims, blockers and people use, each once a project.

Which rows there are is a function of the claims and words as they stand, and what a row holds is one of the name alone: so
neither the order of sessions nor a rebuild makes a difference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.projections.nodes import NODES, in_use, nodes_json, touch
from memory_assets.projections.task_tables.claim_uses import ClaimUses
from memory_assets.projections.task_tables.name_likenesses import compare_by_words, forget_names
from memory_assets.projections.task_tables.task_words import Words, names_said, read_words
from memory_assets.tasks.canonical import condition_id, condition_key, name_hash, task_id, task_key
from memory_assets.tasks.likeness import lexical_keys, tokens
from memory_assets.tasks.names import Node, is_task_id, placeholder_id

if TYPE_CHECKING:
    import duckdb


def fold_names(connection: duckdb.DuckDBPyConnection) -> None:
    """Make and remove the rows of touched names, and what hangs on them; whatever that touches is touched."""
    touched = _touched(connection)
    if not touched:
        return
    uses = ClaimUses(connection)
    claimed = _claimed(connection)
    uses.read(touched - claimed)
    claimed |= {node for node in touched - claimed if uses.count([node])}
    known = in_use(connection, touched)
    _make(connection, sorted(claimed - known))
    said: set[Node] = set()
    # People name ids: they are looked up among all names, also those that go with this fold or that only people use.
    while (words := read_words(connection)).spoken:
        touch(connection, _waited_for(words, touched), only_waited_for=True)
        touched = _touched(connection)
        spoken_of = {word.node for word in words.spoken if word.node is not None}
        unsure = (touched | spoken_of) - claimed
        uses.read(unsure)
        claimed |= {node for node in unsure if uses.count([node])}
        said = names_said(words, claimed)
        known = in_use(connection, touched)
        new = (said & touched) - known
        if not new:
            break
        _make(connection, sorted(new))
    _remove(connection, sorted((known & touched) - claimed - said))


def _touched(connection: duckdb.DuckDBPyConnection) -> set[Node]:
    return {(scope, name) for scope, name in connection.execute("SELECT project_key, name FROM touched_names").fetchall()}


def _claimed(connection: duckdb.DuckDBPyConnection) -> set[Node]:
    """The names that new claims use, but for those that other claims have left."""
    rows = connection.execute("SELECT project_key, name FROM changed_names GROUP BY ALL HAVING bool_and(is_new)").fetchall()
    return {(scope, name) for scope, name in rows}


def _waited_for(words: Words, touched: set[Node]) -> set[Node]:
    """What people said that touched tasks wait for: whether that counts depends on who else speaks of the tasks."""
    found: set[Node] = set()
    while new := {node for word in words.spoken if word.node in touched for node in word.waits_for} - found:
        found |= new
        touched = touched | new
    return found


def _make(connection: duckdb.DuckDBPyConnection, nodes: list[Node]) -> None:
    import pyarrow as pa

    if not nodes:
        return
    # An id that a text names outright is like nothing.
    keys = {node: [] if is_task_id(node[1]) else sorted(lexical_keys(node[1])) for node in nodes}
    text, numbers = pa.string(), pa.list_(pa.int64())
    table = pa.table(
        {
            "project_key": pa.array([scope for scope, _ in nodes], text),
            "name": pa.array([name for _, name in nodes], text),
            "task_id": pa.array([task_id(task_key(*node)) for node in nodes], text),
            "condition_id": pa.array([condition_id(condition_key(*node)) for node in nodes], text),
            "placeholder_id": pa.array([placeholder_id(*node) for node in nodes], text),
            "name_hash": pa.array([name_hash(name) for _, name in nodes], text),
            "lexical_keys": pa.array(keys.values(), numbers),
            "tokens": pa.array([[] if is_task_id(name) else sorted(tokens(name)) for _, name in nodes], numbers),
        }
    )
    connection.register("new_names", table)
    connection.execute("INSERT INTO task_names BY NAME SELECT * FROM new_names")
    connection.unregister("new_names")
    compare_by_words(connection, keys)


def _remove(connection: duckdb.DuckDBPyConnection, nodes: list[Node]) -> None:
    if nodes:
        connection.execute(
            f"DELETE FROM task_names WHERE (project_key, name) IN (SELECT (project_key, name) FROM {NODES})",
            [nodes_json(nodes)],
        )
        forget_names(connection, nodes)
