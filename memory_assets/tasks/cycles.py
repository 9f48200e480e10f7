"""Circles of waiting: what waits for each other, found in two passes over the edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Neighbours = Mapping[str, Sequence[str]]


def circles(waits_for: Iterable[tuple[str, str]]) -> list[frozenset[str]]:
    """The sets of nodes of which each waits for all others of its set, however long the way, and those that wait for
    themselves: the strongly connected components of the edges.
    """
    edges = list(waits_for)
    after, before = _neighbours(edges), _neighbours((other, one) for one, other in edges)
    # What is finished last reaches everything of its circle; whatever of the rest reaches it belongs to that (Kosaraju).
    assigned: set[str] = set()
    found = []
    for root in reversed(_in_order_of_finishing(after)):
        circle = _reachable(root, before, assigned)
        if len(circle) > 1 or (circle and root in after.get(root, ())):
            found.append(frozenset(circle))
    return found


def _neighbours(edges: Iterable[tuple[str, str]]) -> Neighbours:
    found: dict[str, list[str]] = {}
    for one, other in edges:
        found.setdefault(one, []).append(other)
    return found


def _in_order_of_finishing(neighbours: Neighbours) -> list[str]:
    """Depth first, each node behind all that it reaches; without recursion, for a chain may be as long as the log."""
    seen: set[str] = set()
    finished = []
    for root in neighbours:
        path = [(root, iter(neighbours[root]))] if root not in seen else []
        seen.add(root)
        while path:
            node, waiting = path[-1]
            deeper = next((other for other in waiting if other not in seen), None)
            if deeper is None:
                finished.append(node)
                path.pop()
            else:
                seen.add(deeper)
                path.append((deeper, iter(neighbours.get(deeper, ()))))
    return finished


def _reachable(root: str, neighbours: Neighbours, assigned: set[str]) -> list[str]:
    """The nodes on the way from ``root`` that belong to no circle yet; they are assigned to this one."""
    waiting = [root]
    found = []
    while waiting:
        node = waiting.pop()
        if node not in assigned:
            assigned.add(node)
            found.append(node)
            waiting += neighbours.get(node, ())
    return found
