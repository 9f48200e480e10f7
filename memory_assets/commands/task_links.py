"""A person's word on what is what: two tasks that are one, a condition that is a task, or is met."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.commands.errors import NotPossibleError
from memory_assets.commands.outcomes import ConditionSpoken, TaskSpoken
from memory_assets.commands.said import command, masked, now, say, settle
from memory_assets.errors import AmbiguousIdError, InvalidArgumentError
from memory_assets.log.fetching import fetch
from memory_assets.log.payloads.task_words import ConditionAnswered, EntityMerged, EntityMergeReverted
from memory_assets.queries.conditions import condition_view
from memory_assets.queries.task_detail import get_task_detail
from memory_assets.results.tasks import ConditionView, MergeView
from memory_assets.search.entity_ids import Known, merges, one_entity
from memory_assets.tasks.canonical import project_key

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources
    from memory_assets.log.database import Database


def resolve(
    resources: Resources,
    given: str,
    *,
    to: str | None = None,
    satisfied: bool = False,
    by: str,
    note: str = "",
) -> ConditionSpoken:
    """Say what a condition is, that it is met, or with neither that it is open after all. The last word holds.

    Raises:
        InvalidArgumentError: both are given, or the condition itself.
        NotFoundError, AmbiguousIdError: of the condition, or what it is.
        NotPossibleError: conditions would lead in a circle, or a task would wait for itself.
    """
    if to is not None and satisfied:
        raise InvalidArgumentError("a condition is met or is something else", hint="either --to or --satisfied")
    settle(resources)
    with resources.database.reading() as connection:
        known = one_entity(connection, given, "condition")
        target = None if to is None else one_entity(connection, to, "task", "condition", "artifact")
        before = condition_view(connection, known.entity_id)
        if target is not None:
            _check_target(connection, before, target)
    so_already = _stands_so(before, target, satisfied=satisfied)
    if so_already:
        return ConditionSpoken(before, False, so_already)
    word = ConditionAnswered(
        condition_id=known.entity_id,
        satisfied=satisfied,
        to_kind=target.kind if target else None,
        to_id=target.entity_id if target else None,
        said_by=masked(resources, by, what="name"),
        note=masked(resources, note, what="note"),
    )
    say(resources, command(word, at=now(), project=known.project))
    return ConditionSpoken(_condition(resources.database, known.entity_id), True)


def merge(resources: Resources, given: str, into: str, *, by: str, note: str = "") -> TaskSpoken | ConditionSpoken:
    """Say that two tasks, or two conditions, are one: what was said of the first was said of ``into``, from the beginning.

    Raises:
        InvalidArgumentError: a task and a condition.
        NotFoundError, AmbiguousIdError
        NotPossibleError: they are one already, or of two projects.
    """
    settle(resources)
    with resources.database.reading() as connection:
        one = one_entity(connection, given, "task", "condition")
        other = one_entity(connection, into, "task", "condition")
    if one.kind != other.kind:
        raise InvalidArgumentError(
            f"a {one.kind} and a {other.kind} cannot be one",
            hint="`memory task resolve CONDITION --to TASK` says what a condition is",
        )
    if one.entity_id == other.entity_id:
        same = f"{given.strip()[:60]} and {into.strip()[:60]} are one {one.kind} already"
        raise NotPossibleError(
            same if given.strip() != into.strip() else f"a {one.kind} cannot be merged with itself",
            hint="name two: `memory tasks review` lists those that may be the same",
        )
    if project_key(one.project) != project_key(other.project):
        raise NotPossibleError(
            f"they belong to two projects, {project_key(one.project)} and {project_key(other.project)}",
            hint="`memory task set-blockers` makes one wait for the other",
        )
    word = EntityMerged(
        entity_type=one.kind,
        from_id=one.entity_id,
        into_id=other.entity_id,
        said_by=masked(resources, by, what="name"),
        note=masked(resources, note, what="note"),
    )
    say(resources, command(word, at=now(), project=one.project))
    return _spoken(resources.database, other)


def unmerge(resources: Resources, given: str, *, by: str, note: str = "") -> TaskSpoken | ConditionSpoken:
    """Take a merge back: what was merged stands on its own again.

    Args:
        given: the id, or its beginning, of the one that went into the other.

    Raises:
        AmbiguousIdError: several that were merged begin so.
        NotPossibleError: nothing that was merged has this id.
    """
    settle(resources)
    with resources.database.reading() as connection:
        merged = _merged(merges(connection), given)
        into = one_entity(connection, merged.into_id, "task", "condition")
    word = EntityMergeReverted(
        entity_type=into.kind,
        from_id=merged.from_id,
        into_id=merged.into_id,
        said_by=masked(resources, by, what="name"),
        note=masked(resources, note, what="note"),
    )
    say(resources, command(word, at=now(), project=into.project))
    with resources.database.reading() as connection:
        apart = one_entity(connection, merged.from_id, "task", "condition")
    return _spoken(resources.database, apart)


def _merged(told: list[MergeView], given: str) -> MergeView:
    text = given.strip()
    plain = text[4:] if text.startswith(("tsk_", "cnd_")) else text
    found = [merge for merge in told if plain and merge.from_id[4:].startswith(plain)]
    whole = [merge for merge in found if merge.from_id == text]
    if not found:
        raise NotPossibleError(
            f"nothing that begins with {text[:100]!r} was merged into anything",
            hint="`memory task show ID` lists what was merged into a task",
        )
    if len({merge.from_id for merge in found}) > 1 and not whole:
        raise AmbiguousIdError(
            f"{text!r} begins several ids: {', '.join(sorted({merge.from_id for merge in found})[:5])}", hint="give more of it"
        )
    return (whole or found)[-1]


def _check_target(connection: duckdb.DuckDBPyConnection, condition: ConditionView, target: Known) -> None:
    if target.entity_id == condition.condition_id:
        raise InvalidArgumentError("a condition cannot be itself", hint="name what it turned out to be")
    if any(task.task_id == target.entity_id for task in condition.tasks):
        raise NotPossibleError(
            f"the task {target.title[:100]!r} waits for this condition and would wait for itself",
            hint=f"`memory task set-blockers {target.entity_id[:12]}` says what it waits for",
        )
    steps = dict(fetch(connection, "SELECT src_id, dst_id FROM edges WHERE rel_type = 'resolves_to'"))
    reached, seen = target.entity_id, set()
    while reached in steps and reached not in seen:
        seen.add(reached)
        reached = steps[reached]
        if reached == condition.condition_id:
            raise NotPossibleError(
                f"{target.entity_id[:12]} turned out to be this condition: they would lead in a circle",
                hint=f"`memory task resolve {target.entity_id[:12]} --open` takes that back",
            )


def _stands_so(condition: ConditionView, target: Known | None, *, satisfied: bool) -> str:
    """That nothing would change, in words; empty where something would."""
    if target is not None:
        return "it is that already" if condition.resolved_to_id == target.entity_id else ""
    if satisfied:
        return "it is met already" if condition.status == "satisfied" else ""
    return "it is open already" if condition.status == "open" else ""


def _spoken(database: Database, known: Known) -> TaskSpoken | ConditionSpoken:
    with database.reading() as connection:
        if known.kind == "task":
            return TaskSpoken(get_task_detail(connection, known.entity_id), True)
        return ConditionSpoken(condition_view(connection, known.entity_id), True)


def _condition(database: Database, condition_id: str) -> ConditionView:
    with database.reading() as connection:
        return condition_view(connection, condition_id)
