"""How far an entry is trusted once other sessions and people have spoken.

The session alone carries an entry up to verified, and that is never taken from it. What is *shown* is lower while the entry is
contested, set aside or demoted, and higher where it is certified. Pure: a function of facts that the fold gathers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory_assets.graduation.policy import Promoted, PromotionFacts, Refused, decide
from memory_assets.vocabulary import STAGES, Stage

EntryStatus = Literal["active", "contested", "deprecated"]


@dataclass(frozen=True, slots=True)
class Demotion:
    """Entries that say the same count for no more than ``to_stage`` since ``at``, by age or by a person's word."""

    at: datetime
    event_id: str
    to_stage: Stage
    by_person: bool = False


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A person vouched for them at ``at``: for ``to_stage``, where it says certified; any lifts an earlier demotion to it."""

    at: datetime
    event_id: str
    to_stage: Stage


def spoken(event_type: str, event_id: str, at: datetime, to_stage: Stage, *, by_person: bool) -> Demotion | Confirmation:
    """A command about entries as what it means for their standing.

    Args:
        event_type: ``promotion_confirmed`` or ``entries_demoted``.
        by_person: of a demotion, that age was not its reason.
    """
    if event_type == "promotion_confirmed":
        return Confirmation(at, event_id, to_stage)
    return Demotion(at, event_id, to_stage, by_person)


def ceiling(demotions: Sequence[Demotion], confirmations: Sequence[Confirmation], last_said_at: datetime) -> Stage:
    """The highest stage that may be shown of entries that were demoted.

    A demotion by age ends when they are said again afterwards; each ends with a person's later confirmation. A later one
    counts anew.
    """
    lowest: Stage = "certified"
    for demotion in demotions:
        if last_said_at > demotion.at and not demotion.by_person:
            continue
        lifted = [later.to_stage for later in confirmations if (later.at, later.event_id) > (demotion.at, demotion.event_id)]
        lowest = lower(lowest, max((demotion.to_stage, *lifted), key=STAGES.index))
    return lowest


def vouched_for(demotions: Sequence[Demotion], confirmations: Sequence[Confirmation]) -> Confirmation | None:
    """The first confirmation for certified that no later demotion has taken back."""
    last = max(((demotion.at, demotion.event_id) for demotion in demotions), default=None)
    return next(
        (word for word in confirmations if word.to_stage == "certified" and (last is None or (word.at, word.event_id) > last)),
        None,
    )


def certification(
    entry_id: str, checker: str | None, *, sessions: int, confirmed: bool, contested: bool, highest: Stage
) -> Promoted | Refused:
    """Whether a verified entry is certified, with every gate.

    Args:
        checker: who verified it, as it stands behind its stage.
        sessions: those whose aligned evidence says the same.
        highest: what :func:`ceiling` says.
    """
    name, _, version = (checker or "").partition(" ")
    facts = PromotionFacts(
        entry_id=entry_id,
        stage="verified",
        aligned_quotes=sessions,
        checker="idris2" if name == "idris2" else "embedded",
        checker_version=version,
        supporting_sessions=sessions,
        user_confirmed=confirmed,
        open_conflicts=int(contested),
        demoted=highest != "certified",
    )
    return decide(facts, "certified")


def shown_stage(granted: Stage, status: EntryStatus, *, certified: bool, ceiling: Stage) -> Stage:
    """What is shown of an entry of which the session alone carries ``granted``."""
    stage: Stage = "certified" if certified and granted == "verified" else granted
    stage = lower(stage, ceiling)
    return stage if status == "active" else lower(stage, "candidate")


def lower(one: Stage, other: Stage) -> Stage:
    """The lower of two stages."""
    return min(one, other, key=STAGES.index)
