"""What sessions and people say of tasks, told in a test: claims and words, what follows, and the board that it makes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memory_assets.tasks.canonical import normalize, task_id, task_key
from memory_assets.tasks.model import (
    Blocker,
    BlockerRejected,
    BlockersSaid,
    BlockersSet,
    BlockerText,
    Cluster,
    ConditionMade,
    ConditionMet,
    ConditionResolved,
    Created,
    Declared,
    Likeness,
    Linked,
    Mention,
    Moved,
    Outcome,
    PersonStatement,
    Rejected,
    Reprioritized,
    Retitled,
    Said,
    TaskClaim,
)
from memory_assets.tasks.references import references_in
from memory_assets.tasks.resolver import finish, follow
from memory_assets.vocabulary import DoneBasis, Priority, Stage, TaskStatus

PROJECT = "shop"
START = datetime(2026, 3, 1, 9, 0)

Source = TaskClaim | PersonStatement
Alike = Mapping[tuple[str, str], float]
"""How alike two titles are by their words."""


def tid(title: str, occurrence: int = 1) -> str:
    """The id of the task with this title."""
    return task_id(task_key(PROJECT, normalize(title), occurrence))


def texts(waits: Iterable[str]) -> tuple[BlockerText, ...]:
    return tuple(BlockerText(text, _name_of(text)) for text in waits)


def _name_of(text: str) -> str:
    if references_in(text, PROJECT, is_blocker=True):
        return ""
    return text if text.startswith("tsk_") else normalize(text)


def claim(
    title: str,
    status: TaskStatus | None = None,
    minute: int = 0,
    *,
    waits: Iterable[str] = (),
    priority: Priority | None = None,
    aligned: bool = True,
    sound: bool = True,
    stage: Stage = "candidate",
    contested: bool = False,
    number: int = 0,
    done_basis: DoneBasis | None = None,
    done_named: str | None = None,
) -> TaskClaim:
    """What a session says at a minute of the story."""
    return TaskClaim(
        claim_id=f"ent_{minute:03}_{number}",
        entry_id=f"ent_{minute:03}_{number}",
        project=PROJECT,
        name=normalize(title),
        title=title,
        status=status,
        priority=priority,
        blockers=texts(waits),
        evidence_aligned=aligned,
        sound=aligned and sound,
        stage=stage,
        contested=contested,
        occurred_at=START + timedelta(minutes=minute),
        session_id=f"s{minute % 3}",
        message_index=minute,
        ordinal=number,
        step=0,
        event_id=f"ev_{minute:03}_{number}",
        chain_id=f"chain_{minute % 3}",
        done_basis=done_basis,
        done_named=done_named,
    )


def word(said: Said, minute: int, number: int = 0) -> PersonStatement:
    """What a person says at a minute of the story."""
    return PersonStatement(f"ev_word_{minute:03}_{number}", START + timedelta(minutes=minute), said)


def declared(
    title: str,
    status: TaskStatus = "pending",
    *,
    waits: Iterable[str] = (),
    priority: Priority | None = None,
    occurrence: int = 1,
) -> Declared:
    return Declared(tid(title, occurrence), normalize(title), title, PROJECT, status, priority, texts(waits), occurrence)


def mentions(source: Source) -> Iterator[Mention]:
    """What a claim or word says that a task waits for, where a cluster has to say what that is."""
    said = source if isinstance(source, TaskClaim) else source.said
    if isinstance(said, TaskClaim | Declared | BlockersSaid):
        for number, blocker in enumerate(said.blockers):
            if blocker.name:
                yield Mention(source, number, blocker.text, blocker.name, PROJECT)


def likenesses(alike: Alike) -> dict[tuple[str, str], Likeness]:
    named = {tuple(sorted((normalize(one), normalize(other)))): value for (one, other), value in alike.items()}
    return {(one, other): Likeness("lexical", value) for (one, other), value in named.items()}


def cluster(sources: Iterable[Source], alike: Alike | None = None, merges: Mapping[str, str] | None = None) -> Cluster:
    """Everything in one cluster, what is waited for included."""
    told = list(sources)
    items = [*told, *(mention for source in told for mention in mentions(source))]
    return Cluster(PROJECT, tuple(items), likenesses(alike or {}), dict(merges or {}), "a-model-1")


def outcomes(*clusters: Cluster) -> list[Outcome]:
    """What follows from clusters that are complete for themselves."""
    followed = [follow(one) for one in clusters]
    found = {key: (blocker,) for one in followed for key, blocker in one.mentions.items()}
    return [outcome for one in followed for outcome in finish(one, found)]


def told(*sources: Source, alike: Alike | None = None, merges: Mapping[str, str] | None = None) -> Board:
    """The board when everything is said."""
    return replay(outcomes(cluster(sources, alike, merges)))


# -- a replay of outcomes, as plain as can be


@dataclass
class TaskState:
    title: str
    key: str
    status: TaskStatus
    priority: Priority | None
    requested: TaskStatus | None
    done_basis: DoneBasis | None = None
    claims: list[str] = field(default_factory=list)
    blockers: tuple[Blocker, ...] = ()
    suggestions: tuple[Blocker, ...] = ()


@dataclass
class ConditionState:
    text: str
    status: str = "open"
    is_placeholder: bool = False


@dataclass
class Board:
    """What outcomes add up to, and a line for each of them in the words of the story."""

    tasks: dict[str, TaskState] = field(default_factory=dict)
    conditions: dict[str, ConditionState] = field(default_factory=dict)
    history: list[str] = field(default_factory=list)

    def task(self, title: str) -> TaskState:
        return next(task for task in self.tasks.values() if task.title == title)

    def statuses(self) -> dict[str, str]:
        return {task.title: task.status for task in self.tasks.values()}

    def waits_for(self, title: str) -> list[str]:
        return [self.called(blocker) for blocker in self.task(title).blockers]

    def called(self, blocker: Blocker) -> str:
        """``task: its title``, ``condition: its text`` or ``artifact: what was said``."""
        match blocker.kind:
            case "task":
                return f"task: {self.tasks[blocker.entity_id].title}"
            case "condition":
                return f"condition: {self.conditions[blocker.entity_id].text}"
            case "artifact":
                return f"artifact: {blocker.text}"

    def open_conditions(self) -> list[str]:
        return [condition.text for condition in self.conditions.values() if condition.status == "open"]


def replay(said: Iterable[Outcome]) -> Board:
    board = Board()
    for outcome in said:
        _apply(board, outcome)
    return board


def _apply(board: Board, outcome: Outcome) -> None:
    tasks, conditions, history = board.tasks, board.conditions, board.history
    match outcome.result:
        case Created(task_id, key, title, _, status, requested, priority):
            tasks[task_id] = TaskState(title, key, status, priority, requested, claims=[outcome.source.event_id])
            history.append(f"{title}: created {status}")
        case Linked(task_id, _, method, _):
            tasks[task_id].claims.append(outcome.source.event_id)
            history.append(f"{tasks[task_id].title}: spoken of ({method})")
        case Retitled(task_id, title):
            history.append(f"{tasks[task_id].title}: now {title}")
            tasks[task_id].title = title
        case Moved(task_id, before, after, done_basis):
            tasks[task_id].status, tasks[task_id].done_basis = after, done_basis
            if after == "done":
                tasks[task_id].blockers = tasks[task_id].suggestions = ()
            history.append(f"{tasks[task_id].title}: {before} > {after}")
        case Rejected(task_id, before, after, _):
            history.append(f"{tasks[task_id].title}: {before} x {after}")
        case Reprioritized(task_id, before, after):
            tasks[task_id].priority = after
            history.append(f"{tasks[task_id].title}: priority {before} > {after}")
        case BlockersSet(task_id, "replace", blockers):
            tasks[task_id].blockers = blockers
            tasks[task_id].suggestions = ()
            history.append(f"{tasks[task_id].title}: waits for {[blocker.text for blocker in blockers]}")
        case BlockersSet(task_id, _, blockers):
            tasks[task_id].suggestions += blockers
            history.append(f"{tasks[task_id].title}: may wait for {[blocker.text for blocker in blockers]}")
        case BlockerRejected(task_id, text, rule):
            history.append(f"{tasks[task_id].title}: {text} refused, {rule}")
        case ConditionMade(condition_id, _, text, _, is_placeholder):
            conditions[condition_id] = ConditionState(text, "open", is_placeholder)
            history.append(f"condition {text}")
        case ConditionResolved(condition_id, _, to_id, resolved_by):
            conditions[condition_id].status = to_id
            history.append(f"condition {conditions[condition_id].text}: is {_title(board, to_id)} ({resolved_by})")
        case ConditionMet(condition_id, satisfied_by):
            conditions[condition_id].status = "satisfied"
            history.append(f"condition {conditions[condition_id].text}: met ({satisfied_by})")


def _title(board: Board, entity_id: str) -> str:
    return board.tasks[entity_id].title if entity_id in board.tasks else entity_id
