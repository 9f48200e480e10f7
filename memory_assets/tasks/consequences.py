"""What follows for a task, or for a condition, from what was heard last."""

from __future__ import annotations

from collections.abc import Iterable

from memory_assets.tasks.canonical import condition_id, condition_key, task_id
from memory_assets.tasks.cluster_state import Address, Condition, Task
from memory_assets.tasks.input_hashes import content_of
from memory_assets.tasks.likeness import lexical_likeness
from memory_assets.tasks.model import (
    BlockerText,
    Cluster,
    ConditionAnswered,
    ConditionMade,
    ConditionMet,
    ConditionResolved,
    Created,
    Mention,
    Moved,
    PersonStatement,
    Rejected,
    Reprioritized,
    Result,
    Retitled,
    TaskClaim,
)
from memory_assets.tasks.name_resolution import Meaning
from memory_assets.tasks.resolution_steps import Drafted, Step
from memory_assets.tasks.transitions import initial_status, path, refusal
from memory_assets.vocabulary import DoneBasis, Priority, TaskStatus


class Consequences:
    """What is known, and what followed so far. Each change of what is known drafts its outcome.

    Attributes:
        wanted: what tasks wait for and what some cluster has to say what it is.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.known = Meaning(cluster)
        self.drafted: list[Drafted] = []
        self.steps: list[Step] = []
        self.wanted: list[Mention] = []
        self._place = 0
        self._source: TaskClaim | PersonStatement
        self._name = ""

    def hear(self, place: int, item: TaskClaim | Mention | PersonStatement, name: str, *more: str | None) -> None:
        """Something is said under a name. What is drafted from here on follows from it."""
        self._place = place
        self._source = item.source if isinstance(item, Mention) else item
        self._name = name
        self.known.hear(name, content_of(item), *more)

    def draft(self, result: Result) -> None:
        """Something follows from what was heard last."""
        self.drafted.append(Drafted(self._place, result, self._source, self._name, self.known.basis(self._name)))

    # -- what follows for a task

    def create(
        self, key: str, title: str, project: str | None, requested: TaskStatus | None, priority: Priority | None
    ) -> Task:
        """A new task, with this key or that of the task that it was merged into."""
        own_id = task_id(key)
        into_id = self.known.merges.end(own_id)
        # What a merge goes into may be forgotten: then the first of those that were merged stands for it.
        into = self.known.merges.address(into_id) or Address(key, self._name)
        status = initial_status(requested)
        task = Task(
            id=into_id if into.key != key else own_id,
            key=into.key,
            name=self._name,
            key_name=into.name,
            title_name=self._name,
            project=project,
            status=status,
            priority=priority,
            last_said=self._source.place[0],
            names={into.name: False} | {self._name: self._name != into.name},
        )
        self.known.tasks.add(task, own_id, into_id)
        # What a person asks for is done at once, and waits for nobody.
        asked = requested if isinstance(self._source, TaskClaim) else status
        self.draft(Created(task.id, task.key, title, project, status, asked, priority))
        return task

    def call(self, task: Task, title: str, *, merged: bool) -> None:
        """The task is called so: by a name that may be new, and by another title where not only the spelling is another."""
        if self._name not in task.names:
            self.known.tasks.add_name(task, self._name, self.known.task_id(self._name), merged=merged)
        if self._name == task.title_name or task.names[self._name] or lexical_likeness(self._name, task.title_name) == 1:
            return
        task.title_name = self._name
        self.draft(Retitled(task.id, title))

    def move(self, task: Task, claim: TaskClaim) -> None:
        """The task moves as a claim says; or the table refuses it; or it stays, as the claim bears nothing out."""
        current, requested = task.status, claim.status
        if requested is None or requested == current or (requested == "blocked" and not claim.blockers):
            return
        if claim.done_basis == "turn_ended":
            return  # whatever else it is, it is no mere order
        if requested == "done" and current != "cancelled" and claim.done_basis is not None:
            self.settle(task, claim)
        elif task.is_passed:
            # It is work after all, and takes the legal way back.
            self._walk(task, requested)
        elif rule := refusal(current, requested, evidence_aligned=claim.evidence_aligned):
            self.draft(Rejected(task.id, current, requested, rule))
        else:
            self._walk(task, requested, "said_again" if requested == "done" else None)

    def settle(self, task: Task, claim: TaskClaim) -> None:
        """The task is done by what settles the claim, on the legal path."""
        self._walk(task, "done", claim.done_basis, claim.done_named)

    def move_as_a_person(self, task: Task, wanted: TaskStatus) -> None:
        """The task moves as a person says, on the legal path."""
        before = task.status
        self._walk(task, wanted, "person")
        if before == "cancelled" and wanted != before:
            self.recognise_conditions(task, task.names)

    def _walk(self, task: Task, wanted: TaskStatus, basis: DoneBasis | None = None, named: str | None = None) -> None:
        for status in path(task.status, wanted):
            is_done = status == "done"
            task.done_basis = basis if is_done else None
            self.draft(Moved(task.id, task.status, status, task.done_basis, named if is_done else None))
            task.status = status

    def set_priority(self, task: Task, priority: Priority | None) -> None:
        """The task counts for so much, where that was said and is new."""
        if priority is not None and priority != task.priority:
            self.draft(Reprioritized(task.id, task.priority, priority))
            task.priority = priority

    def waits(self, blockers: Iterable[BlockerText], project: str | None) -> tuple[Mention, ...]:
        """What was heard last says that a task waits for this."""
        return tuple(Mention(self._source, number, said.text, said.name, project) for number, said in enumerate(blockers))

    def step(
        self,
        task: Task,
        before: TaskStatus | None,
        waits: tuple[Mention, ...] | None,
        answer: ConditionAnswered | None = None,
    ) -> None:
        """Leave what the task waits for to the second phase, where there is anything to say of it."""
        turns = before != task.status and not {before, task.status}.isdisjoint({"blocked", "done"})
        if waits is None and answer is None and not turns:
            return
        self.wanted += [mention for mention in waits or () if mention.name]
        self.steps.append(
            Step(
                place=self._place,
                task_id=task.id,
                task_key=task.key,
                project=task.project,
                name=self._name,
                source=self._source,
                basis=self.known.basis(self._name),
                before=before,
                after=task.status,
                waits=waits,
                answer=answer,
            )
        )

    # -- what follows for a condition

    def meets_a_condition(self, claim: TaskClaim) -> bool:
        """Whether a claim that something is done speaks of what was waited for, and of no task. Said again it is met again."""
        condition, _ = self.known.condition_meant(claim.name, claim.occurred_at) or (None, 0)
        if condition is None or condition.status == "resolved":
            return False
        condition.status = "satisfied"
        condition.last_said = claim.occurred_at
        self.draft(ConditionMet(condition.id, "entry"))
        return True

    def make_condition(self, mention: Mention) -> Condition:
        """A new condition, with the key of its name or that of the condition that it was merged into."""
        key = condition_key(self.known.project_key, mention.name)
        own_id = condition_id(key)
        into_id = self.known.merges.end(own_id)
        into = self.known.merges.address(into_id)
        condition = Condition(
            id=into_id if into else own_id,
            key=into.key if into else key,
            name=mention.name,
            text=mention.text,
            project=mention.project,
            last_said=mention.place[0],
        )
        self.known.conditions.add(condition, mention.name, own_id, into_id)
        self.open_condition(condition, mention.text, mention.project)
        return condition

    def open_condition(self, condition: Condition, text: str, project: str | None) -> None:
        """Somebody waits for it, for the first time or again."""
        condition.status = "open"
        condition.answered = False
        condition.task = None
        self.draft(ConditionMade(condition.id, condition.key, text, project))

    def recognise_conditions(self, task: Task, names: Iterable[str]) -> None:
        """Open conditions with one of the names, or one that means the same, turn out to be the task."""
        for name in names:
            for other in (task.id, *self.known.names_like(name)):
                condition = self.known.conditions.called(other)
                if condition is None or condition.status != "open" or condition.answered:
                    continue
                named = self.known.task_waited_for(other, self._source.place[0])
                if named and named[0] is task:
                    condition.status, condition.task = "resolved", task
                    self.draft(ConditionResolved(condition.id, "task", task.id, "title"))
