"""What people said of tasks and conditions: events of no session, each about the ids that it names.

No session that is forgotten takes a word along; a word about an id that nobody knows any more does nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory_assets.log.payloads.catalogue import PAYLOADS
from memory_assets.log.payloads.task_words import (
    ConditionAnswered,
    EntityMerged,
    EntityMergeReverted,
    TaskBlockersSaid,
    TaskDeclared,
    TaskMoveAccepted,
    TaskPrioritySaid,
    TaskStatusSaid,
)
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.projections.nodes import touch
from memory_assets.projections.task_tables.name_likenesses import fold_likenesses
from memory_assets.tasks import model
from memory_assets.tasks.canonical import project_key
from memory_assets.tasks.merges import MergeWord
from memory_assets.tasks.model import BlockerText, PersonStatement
from memory_assets.tasks.names import Node, blocker_text, placeholder_id, title_name
from memory_assets.tasks.naming import task_title

if TYPE_CHECKING:
    import duckdb

    from memory_assets.log.payloads.base import Payload

_WORDS = tuple(
    payload.event_type
    for payload in (
        TaskDeclared,
        TaskStatusSaid,
        TaskPrioritySaid,
        TaskBlockersSaid,
        TaskMoveAccepted,
        EntityMerged,
        EntityMergeReverted,
        ConditionAnswered,
    )
)

_MERGES = (EntityMerged.event_type, EntityMergeReverted.event_type)

_ANY_WORD = f"SELECT 1 FROM events WHERE seq > ? AND session_id IS NULL AND event_type IN {_WORDS} LIMIT 1"

_NEW_WORDS = f"""
INSERT INTO task_words
SELECT event_id, event_type,
  coalesce(payload_json ->> '$.task_id', payload_json ->> '$.from_id', payload_json ->> '$.condition_id'),
  coalesce(payload_json ->> '$.into_id', payload_json ->> '$.to_id'), payload_json ->> '$.said_by',
  coalesce(payload_json ->> '$.note', ''), coalesce(occurred_at, ts), payload_json
FROM events WHERE session_id IS NULL AND event_type IN {_WORDS} AND seq > ? RETURNING event_id
"""

_ADDRESSES = """
WITH asked AS (SELECT unnest(from_json(?, '["VARCHAR"]')) AS id)
SELECT a.id, n.project_key, n.name FROM asked a JOIN task_names n ON n.task_id = a.id
UNION ALL SELECT a.id, n.project_key, n.name FROM asked a JOIN task_names n ON n.condition_id = a.id
UNION ALL SELECT a.id, n.project_key, n.name FROM asked a JOIN task_names n ON n.placeholder_id = a.id
"""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A word and the names that it is about.

    Attributes:
        node: the name of what it is about; None where nobody knows the id.
        waits_for: the names of what it says a task waits for.
    """

    word: PersonStatement
    node: Node | None
    waits_for: tuple[Node, ...]

    @property
    def is_declared(self) -> bool:
        """Whether the word gives the name itself, and not an id."""
        return isinstance(self.word.said, model.Declared)


@dataclass(frozen=True, slots=True)
class Words:
    """Everything that people said.

    Attributes:
        spoken: in the order in which it was said, without merges.
        merges: likewise.
        nodes: of each id that a word names, and that belongs to a name in use, that name.
    """

    spoken: tuple[Spoken, ...] = ()
    merges: tuple[MergeWord, ...] = ()
    nodes: Mapping[str, Node] = field(default_factory=dict)


def fold_task_words(connection: duckdb.DuckDBPyConnection, since: int) -> None:
    """Fold what people said, and what an embedder measured of names, behind an offset, and touch the names that it is about.

    From 0 on everything is folded anew, and every name that was known before is touched.
    """
    if since == 0:
        touch(connection, connection.execute("SELECT project_key, name FROM task_names").fetchall())
        for table in ("task_words", "name_likenesses", "task_names"):
            connection.execute(f"DELETE FROM {table}")
    if connection.execute(_ANY_WORD, [since]).fetchall():
        _touch_named(connection, {row[0] for row in connection.execute(_NEW_WORDS, [since]).fetchall()})
    fold_likenesses(connection, since)


def read_words(connection: duckdb.DuckDBPyConnection) -> Words:
    """What people said of what is known now: ``task_names`` tells what that is."""
    rows = connection.execute(
        "SELECT event_id, event_type, occurred_at, payload_json FROM task_words ORDER BY occurred_at, event_id"
    ).fetchall()
    if not rows:
        return Words()
    payloads = [
        (event_id, said_at.replace(tzinfo=UTC), PAYLOADS[event_type].model_validate_json(payload))
        for event_id, event_type, said_at, payload in rows
    ]
    nodes = _nodes(connection, [payload for _, _, payload in payloads])
    spoken = (_spoken(event_id, said_at, payload, nodes) for event_id, said_at, payload in payloads)
    merges = (_merge(payload) for _, _, payload in payloads)
    return Words(
        tuple(word for word in spoken if word is not None), tuple(merge for merge in merges if merge is not None), nodes
    )


def names_said(words: Words, claimed: Collection[Node]) -> set[Node]:
    """The names that people use: of what they declared, and what they said that tasks wait for which somebody knows.

    Args:
        claimed: those of the words' names that claims use.
    """
    names = {word.node for word in words.spoken if word.node is not None and word.is_declared}
    waiting = [word for word in words.spoken if word.waits_for]
    while waiting:
        known = [word for word in waiting if word.node in names or word.node in claimed]
        names.update(node for word in known for node in word.waits_for)
        if not known:
            break
        waiting = [word for word in waiting if word not in known]
    return names


def find_ids(connection: duckdb.DuckDBPyConnection, ids: Iterable[str]) -> dict[str, Node]:
    """The names in use that these ids of tasks and conditions belong to."""
    rows = connection.execute(_ADDRESSES, [json_list(sorted(ids))]).fetchall()
    return {found: (scope, name) for found, scope, name in rows}


def _touch_named(connection: duckdb.DuckDBPyConnection, new: Collection[str]) -> None:
    words = read_words(connection)
    spoken = [word for word in words.spoken if word.word.event_id in new]
    touch(connection, [word.node for word in spoken if word.node is not None])
    touch(connection, [node for word in spoken for node in word.waits_for], only_waited_for=True)
    merged = connection.execute(
        f"""SELECT DISTINCT unnest([entity_id, other_id]) FROM task_words
            WHERE event_type IN {_MERGES} AND event_id IN {IN_LIST}""",
        [json_list(new)],
    ).fetchall()
    touch(connection, [words.nodes[entity_id] for (entity_id,) in merged if entity_id in words.nodes])


def _nodes(connection: duckdb.DuckDBPyConnection, payloads: Sequence[Payload]) -> dict[str, Node]:
    nodes = find_ids(connection, {entity_id for payload in payloads for entity_id in _ids(payload)})
    for payload in payloads:
        if isinstance(payload, TaskDeclared):
            node = _declared_node(payload)
            nodes[payload.task_id] = node
            nodes[placeholder_id(*node, payload.occurrence)] = node
    return nodes


def _ids(payload: Payload) -> tuple[str, ...]:
    match payload:
        case EntityMerged() | EntityMergeReverted():
            return (payload.from_id, payload.into_id)
        case ConditionAnswered():
            return (payload.condition_id,)
        case TaskDeclared() | TaskStatusSaid() | TaskPrioritySaid() | TaskBlockersSaid() | TaskMoveAccepted():
            return (payload.task_id,)
        case _:
            return ()


def _declared_node(payload: TaskDeclared) -> Node:
    return project_key(payload.project), title_name(payload.title)


def _merge(payload: Payload) -> MergeWord | None:
    match payload:
        case EntityMerged():
            return MergeWord(payload.from_id, payload.into_id)
        case EntityMergeReverted():
            return MergeWord(payload.from_id, payload.into_id, is_reverted=True)
        case _:
            return None


def _spoken(event_id: str, said_at: datetime, payload: Payload, nodes: Mapping[str, Node]) -> Spoken | None:
    ids = _ids(payload)
    node = nodes.get(ids[0])
    said: model.Said
    blockers: tuple[BlockerText, ...] = ()
    match payload:
        case TaskDeclared():
            node = _declared_node(payload)
            blockers = tuple(blocker_text(text, node[0]) for text in payload.blockers)
            said = model.Declared(
                payload.task_id,
                node[1],
                task_title(payload.title),
                payload.project,
                payload.status,
                payload.priority,
                blockers,
                payload.occurrence,
            )
        case TaskStatusSaid():
            said = model.StatusSaid(payload.task_id, payload.status)
        case TaskMoveAccepted():
            said = model.StatusSaid(payload.task_id, payload.status, payload.event_id)
        case TaskPrioritySaid():
            said = model.PrioritySaid(payload.task_id, payload.priority)
        case TaskBlockersSaid():
            # Which project a text speaks of is known with the task alone.
            blockers = tuple(blocker_text(text, node[0]) for text in payload.blockers) if node else ()
            said = model.BlockersSaid(payload.task_id, blockers)
        case ConditionAnswered():
            said = model.ConditionAnswered(payload.condition_id, payload.satisfied, payload.to_kind, payload.to_id)
        case _:
            return None
    waits_for = tuple((node[0], blocker.name) for blocker in blockers if blocker.name) if node else ()
    return Spoken(PersonStatement(event_id, said_at, said), node, waits_for)
