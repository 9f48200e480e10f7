"""A person's word on a conflict: which side holds, and that it was taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from memory_assets.commands.errors import NotPossibleError
from memory_assets.commands.said import command, masked, now, say, settle
from memory_assets.errors import check_word
from memory_assets.graduation.resolutions import RESOLUTIONS, Resolution
from memory_assets.log.payloads.graduation import ConflictReopened, ConflictResolved
from memory_assets.projections.statements import forms_of
from memory_assets.queries.conflicts import ConflictView, one_conflict

if TYPE_CHECKING:
    from memory_assets.configuration import Resources

__all__ = ["RESOLUTIONS", "reopen_conflict", "resolve_conflict"]


class _Sides(TypedDict):
    older_ids: list[str]
    newer_ids: list[str]
    older_forms: list[str]
    newer_forms: list[str]


def resolve_conflict(resources: Resources, given: str, resolution: str, *, by: str, note: str = "") -> ConflictView:
    """Say which side of a conflict holds; a later word replaces an earlier one. The conflict as it stands afterwards.

    Raises:
        InvalidArgumentError: there is no such resolution.
        NotFoundError, AmbiguousIdError: of the conflict's id.
        NotPossibleError: two types of entries, or two states of a task, cannot be merged.
    """
    chosen = _resolution(resolution)
    conflict = _current(resources, given)
    if chosen == "merge":
        _check_merge(conflict)
    word = ConflictResolved(
        conflict_id=conflict.conflict_id,
        resolution=chosen,
        **_sides(resources, conflict),
        resolved_by=masked(resources, by),
        note=masked(resources, note),
    )
    say(resources, command(word, at=now(), project=conflict.project))
    with resources.database.reading() as connection:
        return one_conflict(connection, conflict.conflict_id)


def reopen_conflict(resources: Resources, given: str, *, by: str, note: str = "") -> ConflictView:
    """Take a resolution back. The conflict as it stands afterwards.

    Raises:
        NotFoundError, AmbiguousIdError: of the conflict's id.
        NotPossibleError: nobody has resolved it.
    """
    conflict = _current(resources, given)
    if conflict.status != "resolved":
        raise NotPossibleError(
            f"the conflict {conflict.conflict_id} is open", hint=f"`memory conflicts resolve {given} --as …` resolves it"
        )
    word = ConflictReopened(
        conflict_id=conflict.conflict_id,
        **_sides(resources, conflict),
        reopened_by=masked(resources, by),
        note=masked(resources, note),
    )
    say(resources, command(word, at=now(), project=conflict.project))
    with resources.database.reading() as connection:
        return one_conflict(connection, conflict.conflict_id)


def _current(resources: Resources, given: str) -> ConflictView:
    settle(resources)
    with resources.database.reading() as connection:
        return one_conflict(connection, given)


def _sides(resources: Resources, conflict: ConflictView) -> _Sides:
    """Both sides as they are now: their entries, and what one says and the other does not."""
    with resources.database.reading() as connection:
        older, newer = (forms_of(connection, side.entries) for side in (conflict.older, conflict.newer))
    return {
        "older_ids": sorted(conflict.older.entries),
        "newer_ids": sorted(conflict.newer.entries),
        "older_forms": sorted(older - newer),
        "newer_forms": sorted(newer - older),
    }


def _resolution(given: str) -> Resolution:
    check_word("resolution", given, RESOLUTIONS)
    return next(resolution for resolution in RESOLUTIONS if resolution == given)


def _check_merge(conflict: ConflictView) -> None:
    if conflict.conflict_type == "status_clash":
        raise NotPossibleError("a task that is done is not one that is cancelled", hint="keep one of them")
    if conflict.older.entry_type != conflict.newer.entry_type:
        raise NotPossibleError(
            f"a {conflict.older.entry_type} and a {conflict.newer.entry_type} cannot be one memory", hint="keep one, or both"
        )
