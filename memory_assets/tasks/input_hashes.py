"""What an outcome rests on: a hash of all that was heard before and may have led to it.

Names that were not yet taken for each other have histories of their own, also where a later name brings them together. So a
claim that is heard last leaves every basis as it was, and it does not matter how widely a cluster was drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.tasks.matching import MATCH_POLICY_VERSION
from memory_assets.tasks.model import (
    Blocker,
    BlockersSaid,
    BlockerText,
    ConditionAnswered,
    Declared,
    Mention,
    PersonStatement,
    PrioritySaid,
    StatusSaid,
    TaskClaim,
)

RESOLVER_VERSION: Final = "3"


def chained_hash(basis: str, content: Any) -> str:
    """The basis with one thing more."""
    return sha256_hex(basis + canonical_json(content))


def content_of(item: TaskClaim | Mention | PersonStatement) -> list[Any]:
    """Everything of an item that an outcome may depend on.

    Stage and contest are no part of it: they weigh in where names are compared, and are counted there. The history is: what
    was read again under another one is said again.
    """
    match item:
        case TaskClaim():
            return [
                *("claim", item.claim_id, item.entry_id, item.chain_id, item.project, item.name, item.title),
                *(item.status, item.priority, _texts(item.blockers), item.evidence_aligned, item.sound),
                *(item.occurred_at.isoformat(), item.done_basis, item.done_named),
            ]
        case Mention(source=TaskClaim(chain_id=chain)):
            return ["mention", *item.key, chain, item.text, item.name, item.project, item.place[0].isoformat()]
        case Mention():
            return ["mention", *item.key, item.text, item.name, item.project, item.place[0].isoformat()]
        case PersonStatement():
            return [item.event_id, item.said_at.isoformat(), *_content_of_word(item)]


def content_of_blockers(blockers: Iterable[Blocker]) -> list[Any]:
    """Everything of what blockers turned out to be."""
    return [[blocker.kind, blocker.entity_id, blocker.text, blocker.confidence] for blocker in blockers]


class InputHashes:
    """The basis of each name as things are heard, shared by the names that were taken for each other."""

    def __init__(self, project_key: str) -> None:
        self._start = _start(project_key)
        self._parents: dict[str, str] = {}
        self._bases: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._parents

    def begin(self, name: str) -> None:
        """The name is heard for the first time."""
        self._parents[name] = name
        self._bases[name] = self._start

    def join(self, one: str, other: str) -> None:
        """From here on what is heard of one name matters to the other."""
        first, second = self._first(one), self._first(other)
        if first != second:
            bases = sorted((self._bases[first], self._bases.pop(second)))
            self._parents[second] = first
            self._bases[first] = chained_hash("", bases)

    def hear(self, name: str, content: Any) -> None:
        """One thing more is heard under the name."""
        first = self._first(name)
        self._bases[first] = chained_hash(self._bases[first], content)

    def basis(self, name: str) -> str:
        """Of everything that was heard so far and may matter to the name."""
        return self._bases[self._first(name)]

    def _first(self, name: str) -> str:
        parent = self._parents[name]
        while parent != name:
            grandparent = self._parents[parent]
            self._parents[name] = grandparent
            name, parent = parent, grandparent
        return name


@lru_cache(maxsize=1024)
def _start(project_key: str) -> str:
    return chained_hash("", [RESOLVER_VERSION, MATCH_POLICY_VERSION, project_key])


def _texts(blockers: Iterable[BlockerText]) -> list[list[str]]:
    return [[blocker.text, blocker.name] for blocker in blockers]


def _content_of_word(word: PersonStatement) -> list[Any]:
    match word.said:
        case Declared(_, name, title, project, status, priority, blockers, occurrence):
            return ["declared", name, title, project, status, priority, _texts(blockers), occurrence]
        case StatusSaid(task_id, status):
            return ["status", task_id, status]
        case PrioritySaid(task_id, priority):
            return ["priority", task_id, priority]
        case BlockersSaid(task_id, blockers):
            return ["blockers", task_id, _texts(blockers)]
        case ConditionAnswered(condition_id, satisfied, to_kind, to_id):
            return ["answered", condition_id, satisfied, to_kind, to_id]
