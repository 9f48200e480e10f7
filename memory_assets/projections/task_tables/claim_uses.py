"""Which claims use a name, as their title or for what they wait for, and those claims themselves."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC
from typing import TYPE_CHECKING, Any

from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.projections.nodes import NODES, nodes_json
from memory_assets.tasks.model import BlockerText, TaskClaim
from memory_assets.tasks.names import Node

if TYPE_CHECKING:
    import duckdb

# What a title's claim waits for, or whose claim waits for the name.
_USED = f"""
WITH wanted AS MATERIALIZED (SELECT * FROM {NODES})
SELECT t.project_key, t.name, t.claim_id, t.blocker_names, NULL AS owner FROM task_claims t
JOIN wanted w ON w.project_key = t.project_key AND w.name = t.name
UNION ALL
SELECT t.project_key, t.blocker, t.claim_id, NULL, t.name
FROM (SELECT claim_id, project_key, name, unnest(blocker_names) AS blocker FROM task_claims WHERE len(blocker_names) > 0) t
JOIN wanted w ON w.project_key = t.project_key AND w.name = t.blocker
"""

_CLAIMS = """
SELECT claim_id, entry_id, project, name, title, status, priority, blocked_by, blocker_names, evidence_aligned, sound, stage,
  contested, occurred_at, session_id, message_index, ordinal, step, source_event_id, chain_id, done_basis,
  done_named, project_key
FROM task_claims WHERE claim_id IN"""

# For so many ids the index is asked (3 ms for 80 claims among 20,000; measured); for more all columns of the table are read.
_IDS_ASKED = 500
_PLAIN_ID = re.compile(r"[\w#-]+")


class ClaimUses:
    """What was read so far of who uses which names."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._titled: dict[Node, list[str]] = {}
        self._waiting: dict[Node, list[tuple[str, Node]]] = {}
        self._blockers: dict[Node, set[Node]] = {}

    def read(self, nodes: Iterable[Node]) -> None:
        """Read who uses these names, as titles and for what is waited for."""
        new = {node for node in nodes if node not in self._titled}
        if not new:
            return
        self._titled.update((node, []) for node in new)
        self._waiting.update((node, []) for node in new)
        for scope, name, claim_id, blockers, owner in self._connection.execute(_USED, [nodes_json(new)]).fetchall():
            if owner is not None:
                self._waiting[scope, name].append((claim_id, (scope, owner)))
                continue
            self._titled[scope, name].append(claim_id)
            if blockers:
                self._blockers.setdefault((scope, name), set()).update((scope, blocker) for blocker in blockers if blocker)

    def is_title(self, node: Node) -> bool:
        """Whether a claim has this title."""
        return bool(self._titled[node])

    def waits_for(self, node: Node) -> Collection[Node]:
        """The names of what the tasks of this name wait for."""
        return self._blockers.get(node, ())

    def who_waits(self, node: Node) -> Iterator[Node]:
        """The names of the tasks that wait for something of this name."""
        return (owner for _, owner in self._waiting[node])

    def count(self, nodes: Iterable[Node]) -> int:
        """How many claims and mentions have these names."""
        return sum(len(self._titled[node]) + len(self._waiting[node]) for node in nodes)

    def claims(self, nodes: Iterable[Node]) -> Iterator[tuple[str, TaskClaim]]:
        """The claims that use one of these names, each with its project's key."""
        ids: dict[str, None] = {}
        for node in nodes:
            ids.update(dict.fromkeys(self._titled[node]))
            ids.update(dict.fromkeys(claim_id for claim_id, _ in self._waiting[node]))
        if ids:
            yield from ((row[-1], _claim(row)) for row in self._claim_rows(ids))

    def _claim_rows(self, ids: Collection[str]) -> list[tuple[Any, ...]]:
        if len(ids) <= _IDS_ASKED and all(map(_PLAIN_ID.fullmatch, ids)):
            asked = ", ".join(f"'{claim_id}'" for claim_id in ids)
            return self._connection.execute(f"{_CLAIMS} ({asked})").fetchall()
        return self._connection.execute(f"{_CLAIMS} {IN_LIST}", [json_list(ids)]).fetchall()


def _claim(row: tuple[Any, ...]) -> TaskClaim:
    claim_id, entry_id, project, name, title, status, priority, texts, names = row[:9]
    aligned, sound, stage, contested, said_at = row[9:14]
    return TaskClaim(
        claim_id,
        entry_id,
        project,
        name,
        title,
        status,
        priority,
        tuple(map(BlockerText, texts, names)),
        aligned,
        sound,
        stage,
        contested,
        said_at.replace(tzinfo=UTC),
        *row[14:-1],
    )
