"""The first phase of the resolver: what a cluster's claims, mentions and words say of which task, and what that makes of it.

One pass in the order of the sessions' own clocks. Nothing that comes later changes what came of what was said before.
"""

from __future__ import annotations

from dataclasses import replace

from memory_assets.tasks.blockers import placeholder_id
from memory_assets.tasks.canonical import task_id, task_key
from memory_assets.tasks.cluster_state import Task
from memory_assets.tasks.consequences import Consequences
from memory_assets.tasks.model import (
    Blocker,
    BlockersSaid,
    Cluster,
    ConditionAnswered,
    ConditionMet,
    ConditionResolved,
    Declared,
    Linked,
    Mention,
    MentionKey,
    PersonStatement,
    Place,
    PrioritySaid,
    StatusSaid,
    TaskClaim,
)
from memory_assets.tasks.resolution_steps import Followed


def follow(cluster: Cluster) -> Followed:
    """What became of a cluster's claims, mentions and words; what its tasks wait for is left to ``finish``.

    The order of ``cluster.items`` says nothing. A word about a task or condition that is not known where it stands leads to
    nothing; every claim makes a task, is linked to one, or meets a condition.
    """
    following = _Following(cluster)
    for place, item in enumerate(sorted(cluster.items, key=_order)):
        match item:
            case TaskClaim():
                following.claim(place, item)
            case Mention():
                following.mention(place, item)
            case PersonStatement():
                following.word(place, item)
    follows = following.follows
    return Followed(
        cluster.project_key, following.mentions, tuple(follows.wanted), tuple(follows.drafted), tuple(follows.steps)
    )


def _order(item: TaskClaim | Mention | PersonStatement) -> tuple[Place, str, int]:
    """A claim or word, then what it mentions."""
    match item:
        case TaskClaim():
            return item.place, item.claim_id, -1
        case Mention():
            return item.place, *item.key
        case PersonStatement():
            return item.place, item.event_id, -1


class _Following:
    """The pass: whom each item speaks of, and what therefore follows."""

    def __init__(self, cluster: Cluster) -> None:
        self.mentions: dict[MentionKey, Blocker] = {}
        self.follows = Consequences(cluster)
        self._known = self.follows.known

    # -- what sessions say

    def claim(self, place: int, claim: TaskClaim) -> None:
        self.follows.hear(place, claim, claim.name)
        meant = self._known.task_meant(claim.name, claim.occurred_at)
        is_order = claim.done_basis == "turn_ended"
        if meant is None and claim.status == "done" and not is_order and self.follows.meets_a_condition(claim):
            return
        before = meant.task.status if meant else None
        if meant is None:
            key = task_key(self._known.project_key, claim.name)
            # Blocked by what nobody names, it is as pending as any other.
            asked = None if claim.status == "blocked" and not claim.blockers else claim.status
            task = self.follows.create(key, claim.title, claim.project, asked, claim.priority)
            if claim.status == "done" and claim.done_basis is not None:
                self.follows.settle(task, claim)
        else:
            task = meant.task
            self.follows.draft(Linked(task.id, claim.entry_id, meant.method, meant.score))
            self.follows.call(task, claim.title, merged=meant.merged)
            self.follows.move(task, claim)
            self.follows.set_priority(task, claim.priority)
        task.carry(claim)
        self.follows.step(task, before, self.follows.waits(claim.blockers, claim.project) or None)
        self.follows.recognise_conditions(task, [claim.name])

    def mention(self, place: int, mention: Mention) -> None:
        self.follows.hear(place, mention, mention.name)
        at = mention.place[0]
        condition = self._known.condition_called(mention.name)
        # Where a person said what the condition is, a title does not say it.
        named = None if condition and condition.answered else self._known.task_waited_for(mention.name, at)
        if named is not None:
            task, score = named
            self.mentions[mention.key] = Blocker("task", task.id, mention.text, score)
            return
        condition, score = self._known.condition_meant(mention.name, at) or (self.follows.make_condition(mention), 1.0)
        if condition.is_over:
            self.follows.open_condition(condition, mention.text, mention.project)
        condition.last_said = at
        self._known.conditions.add(condition, mention.name)
        self.mentions[mention.key] = Blocker("condition", condition.id, mention.text, score)

    # -- what people say

    def word(self, place: int, word: PersonStatement) -> None:
        match word.said:
            case Declared():
                self._declared(place, word, word.said)
            case ConditionAnswered():
                self._answered(place, word, word.said)
            case StatusSaid() | PrioritySaid() | BlockersSaid():
                task = self._known.tasks.at(word.said.task_id)
                if task is not None:
                    self.follows.hear(place, word, task.name)
                    self._said(task, word.said)
                    task.last_said = word.said_at

    def _said(self, task: Task, said: StatusSaid | PrioritySaid | BlockersSaid) -> None:
        match said:
            case StatusSaid(status=wanted):
                before = task.status
                self.follows.move_as_a_person(task, wanted)
                self.follows.step(task, before, None)
            case PrioritySaid(priority=priority):
                self.follows.set_priority(task, priority)
            case BlockersSaid(blockers=blockers):
                self.follows.step(task, task.status, self.follows.waits(blockers, task.project))

    def _declared(self, place: int, word: PersonStatement, said: Declared) -> None:
        self.follows.hear(place, word, said.name)
        key = task_key(self._known.project_key, said.name, said.occurrence)
        self._known.meet_id(said.name, task_id(key))
        task = self._known.tasks.at(task_id(key)) or (self._known.tasks.called(said.name) if said.occurrence == 1 else None)
        before = task.status if task else None
        if task is None:
            task = self.follows.create(key, said.title, said.project, said.status, said.priority)
        else:
            self.follows.draft(Linked(task.id, "", "person", 1.0))
            self.follows.call(task, said.title, merged=True)
            self.follows.set_priority(task, said.priority)
        # A new task is pending unless the person says otherwise: of one that is known that says nothing.
        if before is None or said.status != "pending":
            self.follows.move_as_a_person(task, said.status)
        task.last_said = word.said_at
        self.follows.step(task, before, self.follows.waits(said.blockers, said.project) or None)
        self.follows.recognise_conditions(task, [said.name])

    def _answered(self, place: int, word: PersonStatement, said: ConditionAnswered) -> None:
        said = replace(said, to_id=self._known.merges.end(said.to_id) if said.to_id else None)
        condition = self._known.conditions.at(said.condition_id)
        if condition is None:
            self._answered_placeholder(place, word, said)
            return
        self.follows.hear(place, word, condition.name, said.to_id)
        if said.satisfied:
            condition.status = "satisfied"
            condition.task = None
            self.follows.draft(ConditionMet(condition.id, "person"))
        elif said.to_kind and said.to_id:
            condition.status = "resolved"
            condition.task = None
            self.follows.draft(ConditionResolved(condition.id, said.to_kind, said.to_id, "person"))
        else:
            self.follows.open_condition(condition, condition.text, condition.project)
        # That it is met says nothing of what it is.
        condition.answered = not said.satisfied

    def _answered_placeholder(self, place: int, word: PersonStatement, said: ConditionAnswered) -> None:
        for task in self._known.tasks:
            if placeholder_id(self._known.project_key, task.key) == said.condition_id:
                self.follows.hear(place, word, task.name, said.to_id)
                self.follows.step(task, task.status, None, said)
