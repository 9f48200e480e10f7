"""What is known of a cluster's tasks and conditions at some place of its order, and by which names and ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memory_assets.tasks.canonical import condition_id, condition_key, task_id, task_key
from memory_assets.tasks.likeness import STRICT_FLOOR, never_the_same
from memory_assets.tasks.model import Cluster, Declared, Likeness, Mention, PersonStatement, TaskClaim
from memory_assets.vocabulary import STAGES, DoneBasis, MatchMethod, Priority, Stage, TaskStatus

_CLOSED: frozenset[TaskStatus] = frozenset({"done", "cancelled"})


@dataclass(slots=True)
class Task:
    """A task as it stands.

    Attributes:
        name: the one that it was first heard of under.
        key_name: the one in its key, which is another where people merged tasks.
        title_name: of the title that it has now.
        names: all of them; true for one that only a merge brought here: it never gives the title.
        done_basis: of one that is done what settled it.
    """

    id: str
    key: str
    name: str
    key_name: str
    title_name: str
    project: str | None
    status: TaskStatus
    priority: Priority | None
    last_said: datetime
    stage: Stage = "raw"
    contested: bool = False
    names: dict[str, bool] = field(default_factory=dict)
    done_basis: DoneBasis | None = None

    @property
    def is_passed(self) -> bool:
        """Whether it was an order of one turn, and nobody spoke of it as work."""
        return self.status == "done" and self.done_basis == "turn_ended"

    def method(self, name: str) -> MatchMethod:
        """How the task is recognised by one of its names."""
        if name == self.key_name:
            return "exact"
        return "person" if self.names[name] else "alias"

    def carry(self, claim: TaskClaim) -> None:
        """What a claim carries, its task carries."""
        self.stage = max(self.stage, claim.stage, key=STAGES.index)
        self.contested = self.contested or claim.contested
        self.last_said = claim.occurred_at


@dataclass(slots=True)
class Condition:
    """What a task waits for, as it stands.

    Attributes:
        name: the one that it was made under.
        answered: a person said what it is, or that it is open: no title says otherwise.
        task: what it is by its title.
    """

    id: str
    key: str
    name: str
    text: str
    project: str | None
    last_said: datetime
    status: Literal["open", "resolved", "satisfied"] = "open"
    answered: bool = False
    task: Task | None = None

    @property
    def is_over(self) -> bool:
        """Whether nobody waits for it any more. Whoever does, says something new."""
        return self.status == "satisfied" or (self.task is not None and self.task.status == "cancelled")


@dataclass(frozen=True, slots=True)
class Address:
    """What an id stands for: its key, and the name in it."""

    key: str
    name: str


class Neighbours:
    """The names of a cluster that are enough alike to be taken for each other."""

    def __init__(self, likenesses: Mapping[tuple[str, str], Likeness]) -> None:
        self._of: dict[str, list[tuple[str, Likeness]]] = {}
        for (one, other), likeness in sorted(likenesses.items(), key=lambda pair: pair[0]):
            if likeness.similarity >= STRICT_FLOOR:
                self._of.setdefault(one, []).append((other, likeness))
                self._of.setdefault(other, []).append((one, likeness))

    def of(self, name: str) -> list[tuple[str, Likeness]]:
        """Always in the same order."""
        return self._of.get(name, [])


class Merges:
    """Which tasks and conditions of a cluster people said are others, whenever they said it."""

    def __init__(self, cluster: Cluster) -> None:
        self._into = cluster.merges
        self._addresses: dict[str, Address] = {}
        self._ids: dict[str, list[str]] = {}
        if cluster.merges:
            for entity_id, address in _addresses(cluster):
                if entity_id not in self._addresses:
                    self._addresses[entity_id] = address
                    self._ids.setdefault(address.name, []).append(entity_id)

    def __bool__(self) -> bool:
        return bool(self._into)

    def end(self, entity_id: str) -> str:
        """The id of what this one is."""
        return self._into.get(entity_id, entity_id)

    def address(self, entity_id: str) -> Address | None:
        """What the id of a task or condition stands for whose name is one of the cluster's. Nothing without any merge."""
        return self._addresses.get(entity_id)

    def ids(self, name: str) -> list[str]:
        """Of everything that the name can be the key of. None without any merge."""
        return sorted(self._ids.get(name, []))


class Tasks:
    """The tasks that are known so far."""

    def __init__(self, neighbours: Neighbours, merges: Merges) -> None:
        self._neighbours = neighbours
        self._merges = merges
        self._by_name: dict[str, list[Task]] = {}
        self._by_id: dict[str, Task] = {}

    def __iter__(self) -> Iterator[Task]:
        """In the order in which they became known."""
        return iter({task.id: task for task in self._by_id.values()}.values())

    def add(self, task: Task, *ids: str) -> None:
        """Known from here on, by all its names, its id and these; of tasks that recur under a name the newest is meant."""
        self._by_id[task.id] = task
        for entity_id in ids:
            self._by_id.setdefault(entity_id, task)
        for name in task.names:
            self._by_name.setdefault(name, []).append(task)

    def add_name(self, task: Task, name: str, name_id: str, *, merged: bool) -> None:
        """The task is known by this name too, and by the id that such a task would have."""
        task.names[name] = merged
        self._by_name.setdefault(name, []).append(task)
        self._by_id.setdefault(name_id, task)

    def called(self, name: str) -> Task | None:
        """The task with exactly this name; of several the newest that is not closed, else the newest."""
        tasks = self._by_name.get(name)
        if tasks is None:
            return None
        return next((task for task in reversed(tasks) if task.status not in _CLOSED), tasks[-1])

    def at(self, entity_id: str) -> Task | None:
        """The task with this id, which may be that of any of its names or of a task that was merged into it."""
        return self._by_id.get(self._merges.end(entity_id)) or self._by_id.get(entity_id)

    def like(self, name: str) -> list[tuple[Task, Likeness, str]]:
        """The tasks that have a name like this one: the likeness of the likest, and which that is.

        A task with any name that this one can never mean is none of them, however much another name of it is alike.
        """
        likest: dict[str, tuple[Task, Likeness, str]] = {}
        for other, likeness in self._neighbours.of(name):
            task = self.called(other)
            if task and (task.id not in likest or likeness.similarity > likest[task.id][1].similarity):
                likest[task.id] = (task, likeness, other)
        return [found for found in likest.values() if not any(never_the_same(name, other) for other in found[0].names)]


class Conditions:
    """The conditions that are known so far."""

    def __init__(self, neighbours: Neighbours, merges: Merges) -> None:
        self._neighbours = neighbours
        self._merges = merges
        self._by_name: dict[str, Condition] = {}
        self._by_id: dict[str, Condition] = {}

    def add(self, condition: Condition, name: str, *ids: str) -> None:
        """Known from here on, or by one name more, by its id and these."""
        for entity_id in (condition.id, *ids):
            self._by_id[entity_id] = condition
        self._by_name[name] = condition

    def called(self, name: str) -> Condition | None:
        """The condition with exactly this name."""
        return self._by_name.get(name)

    def at(self, entity_id: str) -> Condition | None:
        """The condition with this id, which may be one that was merged into it."""
        return self._by_id.get(self._merges.end(entity_id)) or self._by_id.get(entity_id)

    def like(self, name: str) -> list[tuple[Condition, Likeness]]:
        """The conditions that have a name like this one, with the likeness of the likest."""
        likest: dict[str, tuple[Condition, Likeness]] = {}
        for other, likeness in self._neighbours.of(name):
            condition = self._by_name.get(other)
            if condition and (condition.id not in likest or likeness.similarity > likest[condition.id][1].similarity):
                likest[condition.id] = (condition, likeness)
        return list(likest.values())


def _addresses(cluster: Cluster) -> Iterator[tuple[str, Address]]:
    project = cluster.project_key
    for item in cluster.items:
        match item:
            case TaskClaim(name=name) | Mention(name=name):
                occurrence = 1
            case PersonStatement(said=Declared(name=name, occurrence=occurrence)):
                pass
            case PersonStatement():
                continue
        for key in {task_key(project, name), task_key(project, name, occurrence)}:
            yield task_id(key), Address(key, name)
        key = condition_key(project, name)
        yield condition_id(key), Address(key, name)
