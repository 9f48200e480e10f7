"""What a name means at some place of a cluster's order: which task, which condition."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_assets.tasks.canonical import condition_id, condition_key, task_id, task_key
from memory_assets.tasks.cluster_state import Condition, Conditions, Merges, Neighbours, Task, Tasks
from memory_assets.tasks.input_hashes import InputHashes
from memory_assets.tasks.matching import Known, match
from memory_assets.tasks.model import Cluster
from memory_assets.tasks.names import is_task_id
from memory_assets.vocabulary import MatchMethod


@dataclass(frozen=True, slots=True)
class TaskMeant:
    """The task that a name means.

    Attributes:
        merged: only a merge brought the name to this task.
    """

    task: Task
    method: MatchMethod
    score: float
    merged: bool = False


class Meaning:
    """The tasks and conditions of a cluster that are known so far, and what names mean by them.

    Whatever may weigh in a decision is heard by the history of the name first.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.project_key = cluster.project_key
        self.neighbours = Neighbours(cluster.likenesses)
        self.merges = Merges(cluster)
        self.tasks = Tasks(self.neighbours, self.merges)
        self.conditions = Conditions(self.neighbours, self.merges)
        self._embedding_version = cluster.embedding_version
        self._histories = InputHashes(cluster.project_key)
        self._task_ids: dict[str, str] = {}
        self._name_of_id: dict[str, str] = {}

    def hear(self, name: str, *content: Any) -> None:
        """Something is said under a name; of a new one it matters which known names it may be taken for."""
        if name not in self._histories:
            self._meet(name)
        for one in content:
            self._histories.hear(name, one)

    def basis(self, name: str) -> str:
        """The hash of everything that was heard so far and may matter to the name."""
        return self._histories.basis(name)

    def task_id(self, name: str) -> str:
        """The id of the first task with this name, if there is one."""
        if name not in self._task_ids:
            self._task_ids[name] = task_id(task_key(self.project_key, name))
        return self._task_ids[name]

    def meet_id(self, name: str, entity_id: str) -> None:
        """The name is that of an id: whoever speaks of the id, or of one that was merged with it, speaks of the name."""
        into_id = self.merges.end(entity_id)
        if into_id != entity_id:
            into = self.merges.address(into_id)
            self._histories.hear(name, [entity_id, into_id, into.key if into else None])
            if into and into.name not in self._histories:
                self._meet(into.name)
        self._histories.join(name, self._name_of_id.setdefault(into_id, name))

    def task_meant(self, name: str, at: datetime) -> TaskMeant | None:
        """The task that a name means: exactly, by a merge, or so like one of its names that there is no doubt."""
        task = self.tasks.called(name)
        if task is not None:
            return TaskMeant(task, task.method(name), 1.0, task.names[name])
        into_id = self.merges.end(self.task_id(name))
        if into_id == self.task_id(name):
            return self._task_like(name, at)
        task, into = self.tasks.at(into_id), self.merges.address(into_id)
        if task is None and into is not None:
            like = self._task_like(into.name, at)
            task = like.task if like else None
        elif task is None:
            return self._task_like(name, at)
        return TaskMeant(task, "person", 1.0, merged=True) if task else None

    def task_waited_for(self, name: str, at: datetime) -> tuple[Task, float] | None:
        """The task that a blocker of this name is, and how surely; nobody waits for a cancelled one by its name alone."""
        named = self.tasks.at(name)  # the name of a text that names a task outright is that task's id
        if named is not None:
            return named, 1.0
        meant = self.task_meant(name, at)
        return (meant.task, meant.score) if meant and meant.task.status != "cancelled" else None

    def condition_called(self, name: str) -> Condition | None:
        """The condition with exactly this name, or the one that such a condition was merged into."""
        condition = self.conditions.called(name)
        if condition is None and self.merges:
            return self.conditions.at(condition_id(condition_key(self.project_key, name)))
        return condition

    def condition_meant(self, name: str, at: datetime) -> tuple[Condition, float] | None:
        """The condition that a name means, exactly or beyond doubt, and how surely."""
        condition = self.condition_called(name)
        if condition is not None:
            return condition, 1.0
        likely = self.conditions.like(name)
        # A condition is a text and no claim: of it nothing but likeness and time can be doubted.
        found = match([Known(one.id, likeness, "certified", False, "pending", one.last_said) for one, likeness in likely], at)
        return next((one, found.score) for one, _ in likely if one.id == found.known.task_id) if found else None

    def names_like(self, name: str) -> list[str]:
        """The names under which a condition may stand that is a task of this name."""
        return [name, self.task_id(name), *(other for other, _ in self.neighbours.of(name))]

    def _task_like(self, name: str, at: datetime) -> TaskMeant | None:
        likely = self.tasks.like(name)
        if not likely:
            return None
        self._histories.hear(name, [[task.id, task.stage, task.contested] for task, _, _ in likely])
        found = match(
            [Known(one.id, alike, one.stage, one.contested, one.status, one.last_said) for one, alike, _ in likely], at
        )
        if found is None:
            return None
        task, likeness, by = next(one for one in likely if one[0].id == found.known.task_id)
        return TaskMeant(task, likeness.method, found.score, task.names[by])

    def _meet(self, name: str) -> None:
        self._histories.begin(name)
        for other, likeness in self.neighbours.of(name):
            if other in self._histories:
                self._histories.join(name, other)
                measured_by = self._embedding_version if likeness.method == "vector" else None
                self._histories.hear(name, [other, likeness.method, likeness.similarity, measured_by])
        for entity_id in [name] if is_task_id(name) else self.merges.ids(name) or [self.task_id(name)]:
            self.meet_id(name, entity_id)
