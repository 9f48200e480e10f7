"""Names that may be taken for each other, and all that is said under them: what a resolver needs to see at once.

Three kinds of clusters concern a fold. What is said under the *touched* names is resolved anew. So are the tasks that are said
to wait for something of these names, for that may be something else by now. Of what all those wait for it is enough to know
what it is: these clusters are followed only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.projections.explicit_links import ExplicitLinks, explicit_links
from memory_assets.projections.nodes import in_use
from memory_assets.projections.task_tables.claim_uses import ClaimUses
from memory_assets.projections.task_tables.name_links import NameLinks
from memory_assets.projections.task_tables.task_words import Spoken, read_words
from memory_assets.tasks.model import BlockersSaid, BlockerText, Cluster, Declared, Mention, PersonStatement, TaskClaim
from memory_assets.tasks.names import Node, is_task_id

if TYPE_CHECKING:
    import duckdb

Item = TaskClaim | Mention | PersonStatement

ITEMS_AT_ONCE = 20_000
"""Claims and mentions that are resolved at a time."""

# With it, whether nothing changed but who waits for what has the name.
_TOUCHED = """
SELECT project_key, name, (project_key, name) NOT IN (SELECT (project_key, name) FROM touched_titles)
FROM touched_names ORDER BY ALL
"""


@dataclass(frozen=True, slots=True)
class Touched:
    """Clusters that are complete for themselves.

    Attributes:
        resolved: their outcomes are folded anew.
        followed: what the blockers of ``resolved`` name beside that; only what their mentions turn out to be is needed. Of a
            name that nothing is said of but that tasks wait for it, no more mentions are among them than ``resolved`` has.
        names: every (project_key, name) whose outcomes go first.
    """

    resolved: tuple[Cluster, ...]
    followed: tuple[Cluster, ...]
    names: frozenset[Node]


def touched_clusters(connection: duckdb.DuckDBPyConnection, embedding_version: str) -> Iterator[Touched]:
    """The clusters that what was touched concerns, some 20,000 claims and mentions at a time. Behind ``fold_names``.

    Args:
        embedding_version: the configured one, of the likenesses by meaning.
    """
    quiet = {(scope, name): is_quiet for scope, name, is_quiet in connection.execute(_TOUCHED).fetchall()}
    if not quiet:
        return
    used = in_use(connection, quiet)
    gone = quiet.keys() - used
    said = explicit_links(connection, read_words(connection), used, gone)
    only_waited_for = {node for node in used - said.partners if quiet[node]}
    reading = _Reading(connection, said, embedding_version)
    gone |= said.left
    for firsts in reading.chunks(reading.concerned(sorted(used | said.partners), only_waited_for)):
        yield reading.touched(firsts, gone)
        gone = set()
    if gone:
        yield Touched((), (), frozenset(gone))


class _Reading:
    """Reads what is said under the names of clusters."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, said: ExplicitLinks, embedding_version: str) -> None:
        self._connection = connection
        self._said = said
        self._embedding_version = embedding_version
        self._web = NameLinks(said.joined)
        self._uses = ClaimUses(connection)
        self._words: dict[Node, list[Spoken]] = {}
        self._words_waiting: dict[Node, list[Spoken]] = {}
        for word in said.words:
            if word.node is not None:
                self._words.setdefault(word.node, []).append(word)
            for node in dict.fromkeys(word.waits_for):
                self._words_waiting.setdefault(node, []).append(word)

    def concerned(self, seeds: Sequence[Node], only_waited_for: Collection[Node]) -> list[Node]:
        """The first names of the clusters to be resolved: those of ``seeds``, and of the tasks that wait for something of them.

        Args:
            only_waited_for: those of the seeds of which nothing changed but who waits for them.
        """
        self._web.reach(self._connection, seeds)
        touched = self._nodes({self._web.first(node) for node in seeds})
        self._uses.read(touched)
        waiting = {
            owner
            for node in touched
            if not (node in only_waited_for and self._is_plain(node))
            for owner in self._who_waits(node)
        }
        self._web.reach(self._connection, sorted(waiting))
        firsts = {self._web.first(node) for node in (*seeds, *waiting)}
        self._uses.read(self._nodes(firsts))
        return sorted(firsts)

    def chunks(self, firsts: Sequence[Node]) -> Iterator[list[Node]]:
        """The clusters, as many at a time as hold some :data:`ITEMS_AT_ONCE` claims and mentions."""
        chunk: list[Node] = []
        weight = 0
        for first in firsts:
            chunk.append(first)
            weight += self._uses.count(self._web.members(first))
            if weight >= ITEMS_AT_ONCE:
                yield chunk
                chunk, weight = [], 0
        if chunk:
            yield chunk

    def touched(self, firsts: Sequence[Node], gone: Collection[Node]) -> Touched:
        """These clusters, and those of what their tasks wait for."""
        nodes = self._nodes(firsts)
        blocking = {other for node in nodes for other in self._waits_for(node)} - nodes
        self._web.reach(self._connection, sorted(blocking))
        followed = sorted({self._web.first(node) for node in blocking})
        beside = self._nodes(followed)
        self._uses.read(beside)
        plain = {node for node in beside if self._is_plain(node)}
        items = self._items(nodes, beside - plain, plain)
        resolved = [self._cluster(first, items.get(first, ())) for first in firsts]
        # The outcomes stand under the cluster's project, also those of an id that is named in another one.
        scopes = {first: cluster.project_key for first, cluster in zip(firsts, resolved, strict=True)}
        names = {(scope, name) for first, scope in scopes.items() for _, name in self._web.members(first)}
        return Touched(
            tuple(resolved),
            tuple(self._cluster(first, items.get(first, ())) for first in followed),
            frozenset(names.union(nodes, gone)),
        )

    def _is_plain(self, node: Node) -> bool:
        """Whether nothing is said of a name but that tasks wait for it: it is the same to each of them, whoever else waits."""
        return len(self._web.members(self._web.first(node))) == 1 and node not in self._words and not self._uses.is_title(node)

    def _who_waits(self, node: Node) -> Iterator[Node]:
        yield from self._uses.who_waits(node)
        yield from (word.node for word in self._waiting(node) if word.node is not None)

    def _waits_for(self, node: Node) -> Iterator[Node]:
        yield from self._uses.waits_for(node)
        for word in self._words.get(node, ()):
            yield from word.waits_for

    def _items(self, own: Collection[Node], whole: Collection[Node], plain: Collection[Node]) -> dict[Node, list[Item]]:
        """What is said under names, by the first names of their clusters.

        Args:
            own, whole: the names of which everything is wanted.
            plain: those of which only what the tasks of ``own`` say is.
        """
        items: dict[Node, list[Item]] = {}
        wanted = {*own, *whole}

        def take(node: Node, item: Item) -> None:
            items.setdefault(self._web.first(node), []).append(item)

        for scope, claim in self._uses.claims(wanted):
            title = (scope, claim.name)
            if title in wanted:
                take(title, claim)
            for node, mention in _mentions(claim, claim.blockers, scope, claim.project):
                if node in wanted or (title in own and node in plain):
                    take(node, mention)
        spoken = {word.word.event_id: word for node in wanted for word in (*self._words.get(node, ()), *self._waiting(node))}
        for _, word in sorted(spoken.items()):
            if word.node in wanted and word.node is not None:
                take(word.node, word.word)
            for node, mention in _mentions_of_word(word):
                if node in wanted or (word.node in own and node in plain):
                    take(node, mention)
        return items

    def _waiting(self, node: Node) -> Sequence[Spoken]:
        """The words that say that a task waits for something of this name."""
        return self._words_waiting.get(node, ())

    def _nodes(self, firsts: Iterable[Node]) -> set[Node]:
        return {node for first in firsts for node in self._web.members(first)}

    def _cluster(self, first: Node, items: Sequence[Item]) -> Cluster:
        members = self._web.members(first)
        likenesses = self._web.likenesses(first)
        by_meaning = any(likeness.method == "vector" for likeness in likenesses.values())
        return Cluster(
            # An id may be named in another project than that of its task.
            project_key=next((scope for scope, name in members if not is_task_id(name)), first[0]),
            items=tuple(items),
            likenesses=likenesses,
            merges=dict(merge for node in members for merge in self._said.merges.get(node, ())),
            embedding_version=self._embedding_version if by_meaning else "",
        )


def _mentions(
    source: TaskClaim | PersonStatement, blockers: Iterable[BlockerText], scope: str, project: str | None
) -> Iterator[tuple[Node, Mention]]:
    for number, blocker in enumerate(blockers):
        if blocker.name:
            yield (scope, blocker.name), Mention(source, number, blocker.text, blocker.name, project)


def _mentions_of_word(word: Spoken) -> Iterator[tuple[Node, Mention]]:
    if word.node is None:
        return
    scope = word.node[0]
    match word.word.said:
        case Declared(blockers=blockers, project=project):
            yield from _mentions(word.word, blockers, scope, project)
        case BlockersSaid(blockers=blockers):
            yield from _mentions(word.word, blockers, scope, None if scope == "default" else scope)
