"""Which names belong together: links between names, followed over any number of steps.

Two names are linked when they are enough alike, when people merged what they are called by, or when one of them is the other's
id. All that is a function of what is said, so it does not matter in which order it was heard.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from memory_assets.tasks.canonical import name_hash
from memory_assets.tasks.likeness import STRICT_FLOOR
from memory_assets.tasks.model import Likeness
from memory_assets.tasks.names import Node

if TYPE_CHECKING:
    import duckdb

_NEIGHBOURS = f"""
SELECT f.project_key, f.name, n.name, l.method, l.similarity
FROM (
  SELECT project_key, one, other, method, similarity FROM name_likenesses WHERE similarity >= {STRICT_FLOOR}
  UNION ALL SELECT project_key, other, one, method, similarity FROM name_likenesses WHERE similarity >= {STRICT_FLOOR}) l
JOIN (SELECT node[1] AS project_key, node[2] AS name, node[3] AS name_hash
  FROM (SELECT unnest(from_json(?, '[["VARCHAR"]]')) AS node)) f ON f.project_key = l.project_key AND f.name_hash = l.one
JOIN task_names n ON n.project_key = l.project_key AND n.name_hash = l.other
"""


class NameLinks:
    """The names that were reached so far, in clusters of what is linked.

    Args:
        joined: names that people, or ids, say belong together; both ways.

    """

    def __init__(self, joined: Mapping[Node, Iterable[Node]]) -> None:
        self._alike: dict[Node, dict[Node, Likeness]] = {}
        self._joined = joined
        self._parents: dict[Node, Node] = {}
        self._members: dict[Node, list[Node]] = {}

    def reach(self, connection: duckdb.DuckDBPyConnection, start: Iterable[Node]) -> None:
        """Follow the links of these names, all of which are in use, over any number of steps."""
        waiting = [node for node in dict.fromkeys(start) if self._add(node)]
        while waiting:
            linked = _neighbours(connection, waiting)
            linked += [(node, other, None) for node in waiting for other in self._joined.get(node, ())]
            waiting = [other for other in dict.fromkeys(other for _, other, _ in linked) if self._add(other)]
            for node, other, likeness in linked:
                self._join(node, other)
                if likeness is not None:
                    self._like(node, other, likeness)

    def first(self, node: Node) -> Node:
        """The name that stands for the cluster of a name that was reached."""
        parent = self._parents[node]
        while parent != self._parents[parent]:
            self._parents[node] = parent = self._parents[parent]
        return parent

    def members(self, first: Node) -> list[Node]:
        """The names of a cluster."""
        return self._members[first]

    def likenesses(self, first: Node) -> dict[tuple[str, str], Likeness]:
        """Of the linked names of a cluster, the smaller first; by words where they say so, else by meaning."""
        return {
            (node[1], other[1]): likeness
            for node in self._members[first]
            for other, likeness in self._alike.get(node, {}).items()
            if node < other
        }

    def _add(self, node: Node) -> bool:
        if node in self._parents:
            return False
        self._parents[node] = node
        self._members[node] = [node]
        return True

    def _join(self, one: Node, other: Node) -> None:
        larger, smaller = self.first(one), self.first(other)
        if larger == smaller:
            return
        if len(self._members[larger]) < len(self._members[smaller]):
            larger, smaller = smaller, larger
        self._parents[smaller] = larger
        self._members[larger] += self._members.pop(smaller)

    def _like(self, node: Node, other: Node, likeness: Likeness) -> None:
        known = self._alike.setdefault(node, {}).get(other)
        if known is None or likeness.method == "lexical":
            self._alike[node][other] = likeness


def _neighbours(connection: duckdb.DuckDBPyConnection, nodes: Sequence[Node]) -> list[tuple[Node, Node, Likeness | None]]:
    asked = [(scope, name, name_hash(name)) for scope, name in nodes]
    rows = connection.execute(_NEIGHBOURS, [json.dumps(asked, ensure_ascii=False)]).fetchall()
    return [((scope, name), (scope, other), Likeness(method, similarity)) for scope, name, other, method, similarity in rows]
