"""What people's words, and ids in texts, say belongs together: merges in force, and the tasks that a blocker names outright."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.projections.task_tables.task_words import Spoken, Words, find_ids
from memory_assets.tasks.canonical import condition_id, condition_key, task_id, task_key
from memory_assets.tasks.merges import merges_in_force
from memory_assets.tasks.names import Node, is_task_id, placeholder_id

if TYPE_CHECKING:
    import duckdb

# Tasks' ids stand among the names; no normal form has an underscore.
_IDS_NAMED = "SELECT project_key, name FROM task_names WHERE name >= 'tsk_' AND name < 'tsk`'"


@dataclass(frozen=True, slots=True)
class ExplicitLinks:
    """What people's words, and ids in texts, link.

    Attributes:
        words: under each name.
        joined: names that belong together, both ways.
        partners: names in use that were or are linked so to something that was touched.
        merges: under each name what its ids are in the end.
        left: ids that texts of another project name, in the project where they belonged, as far as one of both went: what was
            said of them stands there.
    """

    words: tuple[Spoken, ...]
    joined: Mapping[Node, set[Node]]
    partners: frozenset[Node]
    merges: Mapping[Node, list[tuple[str, str]]]
    left: frozenset[Node]


def explicit_links(
    connection: duckdb.DuckDBPyConnection, words: Words, in_use: Collection[Node], gone: Collection[Node]
) -> ExplicitLinks:
    named = [(scope, name) for scope, name in connection.execute(_IDS_NAMED).fetchall()]
    outright = [*named, *(node for node in gone if is_task_id(node[1]))]
    if not words.spoken and not words.merges and not outright:
        return ExplicitLinks((), {}, frozenset(), {}, frozenset())
    nodes = dict(words.nodes)
    nodes.update(find_ids(connection, {name for _, name in outright}.difference(nodes)))
    into = merges_in_force(words.merges, nodes.keys())
    joined: dict[Node, set[Node]] = {}
    merges: dict[Node, list[tuple[str, str]]] = {}
    for one, other in into.items():
        _join(joined, nodes[one], nodes[other])
        merges.setdefault(nodes[one], []).append((one, other))
    for node in named:
        if node[1] in nodes:
            _join(joined, node, nodes[node[1]])
    # What went was linked to something too, and so was what people said is no longer one.
    ever: dict[Node, set[Node]] = {}
    all_nodes = nodes | {entity_id: node for node in gone for entity_id in _ids_of(node)}
    for merge in words.merges:
        if merge.from_id in all_nodes and merge.into_id in all_nodes:
            _join(ever, all_nodes[merge.from_id], all_nodes[merge.into_id])
    for node in outright:
        if node[1] in all_nodes:
            _join(ever, node, all_nodes[node[1]])
    partners = frozenset(_reached(ever, [*in_use, *gone]).difference(gone, in_use))
    at_home = [(node, all_nodes[node[1]]) for node in outright if node[1] in all_nodes]
    left = frozenset((home[0], node[1]) for node, home in at_home if not {node, home}.isdisjoint(gone))
    return ExplicitLinks(words.spoken, joined, partners, merges, left)


def _ids_of(node: Node) -> tuple[str, str, str]:
    return task_id(task_key(*node)), condition_id(condition_key(*node)), placeholder_id(*node)


def _join(links: dict[Node, set[Node]], one: Node, other: Node) -> None:
    if one != other:
        links.setdefault(one, set()).add(other)
        links.setdefault(other, set()).add(one)


def _reached(links: Mapping[Node, set[Node]], start: Iterable[Node]) -> set[Node]:
    found: set[Node] = set()
    waiting = [node for node in start if node in links]
    while waiting:
        node = waiting.pop()
        found.add(node)
        waiting += links[node] - found
    return found
