"""A person's word on how far a memory is trusted, and demotion by age.

A person vouches, and the gates decide: nobody's word opens the gates of the proof, the evidence or an open conflict.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memory_assets.commands.errors import NotPossibleError
from memory_assets.commands.said import command, masked, now, say, settle
from memory_assets.errors import InvalidArgumentError, NotFoundError, check_word
from memory_assets.graduation.decay import Aged, DueDemotion, HalfLife, due
from memory_assets.graduation.policy import POLICY_VERSION
from memory_assets.log.payloads.graduation import EntriesDemoted, EntryPromotionRejected, PromotionConfirmed
from memory_assets.queries.entries import one_entry
from memory_assets.queries.promotions import Ladder, ladders
from memory_assets.vocabulary import STAGES, Stage

if TYPE_CHECKING:
    from memory_assets.configuration import Resources
    from memory_assets.log.database import Database
    from memory_assets.settings import Settings

SPOKEN_STAGES: tuple[Stage, ...] = ("candidate", "verified", "certified")
BY_A_PERSON = "person"


@dataclass(frozen=True, slots=True)
class Spoken:
    """What came of a person's word.

    Attributes:
        reached: whether the memory is at ``to_stage`` now.
        reason: why it is not; empty where it is.
        gates: the gates to that stage as they stand.
    """

    memory: Ladder
    from_stage: Stage
    to_stage: Stage
    reached: bool
    reason: str
    gates: dict[str, bool]


@dataclass(frozen=True, slots=True)
class Demotions:
    """What the half-life policy lets go down at ``as_of``; written to the log only where ``applied``."""

    as_of: datetime
    policy_version: str
    applied: bool
    demotions: tuple[tuple[Ladder, DueDemotion], ...]


def ladder_of(database: Database, given: str) -> Ladder:
    """Where the memory of an entry stands, by entry id, its beginning, or ``mem:`` address.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    with database.reading() as connection:
        entry = one_entry(connection, given)
        found = ladders(connection, memory_id=entry.memory_id) if entry.memory_id else []
    if not found:
        raise NotFoundError(
            f"the entry {entry.entry_id} is no memory: no quote of it was found, or its session does not say it any more",
            hint="`memory entries show` says more of it",
        )
    return found[0]


def promote(resources: Resources, given: str, stage: str, *, by: str, note: str = "") -> Spoken:
    """Vouch for a memory, so that it may rise, or say that it counts for less.

    Up to certified a person's word is one of two ways in, and up to verified it lifts an earlier demotion; every other gate
    stays. A refusal is logged.

    Raises:
        InvalidArgumentError: a stage that nobody's word leads to.
        NotFoundError, AmbiguousIdError: of the memory.
        NotPossibleError: it is there already, or was set aside.
    """
    to_stage = _spoken_stage(stage)
    settle(resources)
    before = ladder_of(resources.database, given)
    if before.stage == to_stage:
        raise NotPossibleError(
            f"{before.citation} is {to_stage} already", hint="`memory promote review` says what waits for what"
        )
    if before.status == "deprecated":
        raise NotPossibleError(
            f"{before.citation} was set aside when a conflict was resolved",
            hint="`memory conflicts list --status resolved` shows it; `memory conflicts reopen` takes it back",
        )
    at = now()
    word: EntriesDemoted | PromotionConfirmed
    if STAGES.index(to_stage) < STAGES.index(before.stage):
        word = EntriesDemoted(
            entry_ids=list(before.entry_ids),
            from_stage=before.stage,
            to_stage=to_stage,
            policy_version=BY_A_PERSON,
            demoted_by=masked(resources, by),
            note=masked(resources, note),
        )
    else:
        word = PromotionConfirmed(
            entry_ids=list(before.entry_ids),
            to_stage="certified" if to_stage == "certified" else "verified",
            confirmed_by=masked(resources, by),
            note=masked(resources, note),
        )
    say(resources, command(word, at=at, project=before.project))
    after = ladder_of(resources.database, before.entry_ids[0])
    if after.stage == to_stage:
        return Spoken(after, before.stage, to_stage, True, "", after.gates)
    reason = after.waits_for if after.next_stage == to_stage else f"{after.stage.capitalize()} does not lead to {to_stage}"
    refusal = EntryPromotionRejected(
        entry_id=after.entry_ids[0],
        from_stage=after.stage,
        to_stage=to_stage,
        policy_version=POLICY_VERSION,
        checker=after.checker or "",
        gates=after.gates,
        reason=reason,
    )
    say(resources, command(refusal, at=at, project=after.project))
    return Spoken(after, before.stage, to_stage, False, reason, after.gates)


def _spoken_stage(given: str) -> Stage:
    check_word("stage", given, STAGES)
    if given not in SPOKEN_STAGES:
        raise InvalidArgumentError(
            f"nobody's word makes a memory {given}: its evidence does", hint=f"one of {', '.join(SPOKEN_STAGES)}"
        )
    return next(stage for stage in SPOKEN_STAGES if stage == given)


def demote_by_age(resources: Resources, *, as_of: datetime | None = None, apply: bool = False, by: str = "") -> Demotions:
    """What the half-life policy lets go down; nothing is written unless ``apply``.

    Args:
        as_of: the time to count ages to, now by default. Not later than now where it is applied.

    Raises:
        InvalidArgumentError: to be applied as of a time to come.
    """
    at = now()
    if apply and as_of is not None and as_of > at:
        raise InvalidArgumentError("a demotion as of a time to come cannot be applied", hint="leave --apply out to see it")
    settle(resources)
    policy = half_life(resources.settings)
    with resources.database.reading() as connection:
        found = {ladder.memory_id: ladder for ladder in ladders(connection) if ladder.status == "active"}
    told = (Aged(ladder.memory_id, ladder.entry_type, ladder.stage, ladder.since) for ladder in found.values())
    demotions = tuple((found[demotion.memory_id], demotion) for demotion in due(told, policy, as_of or at))
    if apply and demotions:
        spoken_at = as_of or at
        words = [
            EntriesDemoted(
                entry_ids=list(ladder.entry_ids),
                from_stage=demotion.from_stage,
                to_stage=demotion.to_stage,
                policy_version=policy.version,
                age_days=demotion.age_days,
                demoted_by=masked(resources, by),
            )
            for ladder, demotion in demotions
        ]
        projects = (ladder.project for ladder, _ in demotions)
        say(resources, *(command(word, at=spoken_at, project=of) for word, of in zip(words, projects, strict=True)))
    return Demotions(as_of or at, policy.version, apply, demotions)


def half_life(settings: Settings) -> HalfLife:
    """The numbers of the settings as a policy."""
    chosen = settings.aging
    return HalfLife(
        days={
            "decision": chosen.decision_days,
            "fact": chosen.fact_days,
            "insight": chosen.insight_days,
            "preference": chosen.preference_days,
            "reference": chosen.reference_days,
            "task": chosen.task_days,
        },
        floor=chosen.floor,
    )
