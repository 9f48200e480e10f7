"""The second phase of the resolver: what the tasks of a cluster wait for.

A task that is blocked waits for something, be it a placeholder; one that is done waits for nothing; none waits for itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from memory_assets.tasks.blockers import UNKNOWN, named_artifacts, placeholder, placeholder_key
from memory_assets.tasks.canonical import condition_id
from memory_assets.tasks.errors import BlockerNotFollowedError
from memory_assets.tasks.input_hashes import chained_hash, content_of_blockers
from memory_assets.tasks.model import (
    Blocker,
    BlockerRejected,
    BlockersSet,
    ConditionAnswered,
    ConditionMade,
    ConditionMet,
    ConditionResolved,
    Created,
    Linked,
    Mention,
    MentionKey,
    Moved,
    Outcome,
    Rejected,
    Reprioritized,
    Result,
    Retitled,
    TaskClaim,
)
from memory_assets.tasks.resolution_steps import Drafted, Followed, Step

Blockers = tuple[Blocker, ...]

_ORDER: dict[type[Result], int] = {
    Created: 0,
    Linked: 0,
    Retitled: 1,
    Moved: 2,
    Rejected: 2,
    Reprioritized: 3,
    BlockerRejected: 4,
    BlockersSet: 5,
    ConditionMade: 6,
    ConditionResolved: 6,
    ConditionMet: 6,
}


def finish(followed: Followed, found: Mapping[MentionKey, Blockers]) -> list[Outcome]:
    """All outcomes of a cluster in their order: by what led to them, of that first what became of the task, its blockers last.

    Args:
        found: what the mentions in ``followed.wanted`` turned out to name, each in its own cluster.

    Raises:
        BlockerNotFollowedError: when ``found`` leaves one out.
    """
    drafted = list(followed.drafted)
    standings: dict[str, _Standing] = {}
    for step in followed.steps:
        named = [(mention, _named(mention, followed, found)) for mention in step.waits or ()]
        drafted += _stepped(step, named, standings.setdefault(step.task_id, _Standing()), followed.project_key)
    drafted.sort(key=lambda draft: (draft.place, _ORDER[type(draft.result)]))
    numbers: Counter[str] = Counter()
    outcomes = []
    for draft in drafted:
        outcomes.append(Outcome(draft.result, draft.source, draft.name, draft.basis, numbers[draft.basis]))
        numbers[draft.basis] += 1
    return outcomes


@dataclass(slots=True)
class _Standing:
    """What a task waits for.

    Attributes:
        suggested: what it may wait for beside, since it was last said what it waits for.
        has_placeholder: a condition was made once that stands for an unknown blocker.
    """

    known: Blockers = ()
    suggested: Blockers = ()
    has_placeholder: bool = False


def _named(mention: Mention, followed: Followed, found: Mapping[MentionKey, Blockers]) -> Blockers:
    if not mention.name:
        return named_artifacts(mention.text, followed.project_key)
    if mention.key in found:
        return found[mention.key]
    raise BlockerNotFollowedError(
        f"what {mention.key[0]} waits for (number {mention.key[1]}) was looked up in no cluster",
        hint="follow the cluster of its name before the task's cluster is finished",
    )


def _stepped(step: Step, named: list[tuple[Mention, Blockers]], standing: _Standing, project_key: str) -> list[Drafted]:
    """What follows from one step, and what the task waits for from there on."""
    told = [content_of_blockers(blockers) for _, blockers in named]
    rests_on = [told, content_of_blockers(standing.known), content_of_blockers(standing.suggested), standing.has_placeholder]
    if step.answer is not None:
        results = _answered(step, step.answer, standing, project_key)
    elif step.after == "done":
        results = [BlockerRejected(step.task_id, mention.text, "done-has-no-blockers") for mention, _ in named]
        standing.known = standing.suggested = ()
    else:
        results = _waiting(step, named, standing, project_key)
    basis = chained_hash(step.basis, rests_on) if results else ""
    return [Drafted(step.place, result, step.source, step.name, basis) for result in results]


def _waiting(step: Step, named: list[tuple[Mention, Blockers]], standing: _Standing, project_key: str) -> list[Result]:
    itself = [mention for mention, blockers in named if any(blocker.entity_id == step.task_id for blocker in blockers)]
    results: list[Result] = [BlockerRejected(step.task_id, mention.text, "blocks-itself") for mention in itself]
    others: dict[str, Blocker] = {}
    for blocker in (blocker for _, blockers in named for blocker in blockers if blocker.entity_id != step.task_id):
        others.setdefault(blocker.entity_id, blocker)
    accepted = tuple(others.values())
    is_sure = not isinstance(step.source, TaskClaim) or step.source.sound

    waits_for = standing.known
    if is_sure and (accepted or step.waits == ()):
        waits_for = accepted
    elif step.waits is None and step.before == "blocked" != step.after:
        waits_for = ()
    if step.after != "blocked":
        waits_for = tuple(blocker for blocker in waits_for if not blocker.auto_placeholder)
    elif not waits_for:
        waits_for = (placeholder(project_key, step.task_key),)
    if _ids(waits_for) != _ids(standing.known):
        results.append(BlockersSet(step.task_id, "replace", waits_for))
        if any(blocker.auto_placeholder for blocker in waits_for):
            results.append(_placeholder_made(step, project_key))
            standing.has_placeholder = True
        standing.known, standing.suggested = waits_for, ()

    if not is_sure and not _ids(accepted) <= _ids(standing.known) | _ids(standing.suggested):
        results.append(BlockersSet(step.task_id, "suggest", accepted))
        standing.suggested += accepted
    return results


def _answered(step: Step, said: ConditionAnswered, standing: _Standing, project_key: str) -> list[Result]:
    """A person says what the unknown blocker is. Where there never was one nothing follows."""
    if not standing.has_placeholder:
        return []
    if said.satisfied:
        return [ConditionMet(said.condition_id, "person")]
    if said.to_kind and said.to_id:
        return [ConditionResolved(said.condition_id, said.to_kind, said.to_id, "person")]
    return [_placeholder_made(step, project_key)]


def _placeholder_made(step: Step, project_key: str) -> ConditionMade:
    key = placeholder_key(project_key, step.task_key)
    return ConditionMade(condition_id(key), key, UNKNOWN, step.project, auto_placeholder=True)


def _ids(blockers: Blockers) -> set[str]:
    return {blocker.entity_id for blocker in blockers}
