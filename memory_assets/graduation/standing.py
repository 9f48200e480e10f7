"""How far an entry is trusted once other sessions and people have spoken (requirements G-170, G-173, G-174; X-03).

The session alone carries an entry up to verified, and that is never taken from it. What is *shown* is lower while the entry is
contested, set aside or demoted, and higher where it is certified. Pure: a function of facts that the fold gathers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory_assets.graduation.stages import STAGES, Stage

EntryStatus = Literal["active", "contested", "deprecated"]


@dataclass(frozen=True, slots=True)
class Demotion:
    """Entries that say the same count for no more than ``to_stage`` since ``at``, by age or by a person's word."""

    at: datetime
    event_id: str
    to_stage: Stage


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A person vouched for them at ``at``: for ``to_stage``, where it says certified; any lifts an earlier demotion to it."""

    at: datetime
    event_id: str
    to_stage: Stage


def ceiling(demotions: Sequence[Demotion], confirmations: Sequence[Confirmation], last_said_at: datetime) -> Stage:
    """The highest stage that may be shown of entries that were demoted.

    A demotion ends when they are said again afterwards, or confirmed by a person; a later one counts anew.
    """
    lowest: Stage = "certified"
    for demotion in demotions:
        if last_said_at > demotion.at:
            continue
        lifted = [later.to_stage for later in confirmations if (later.at, later.event_id) > (demotion.at, demotion.event_id)]
        lowest = lower(lowest, max((demotion.to_stage, *lifted), key=STAGES.index))
    return lowest


def shown_stage(granted: Stage, status: EntryStatus, *, certified: bool, ceiling: Stage) -> Stage:
    """What is shown of an entry of which the session alone carries ``granted``."""
    stage: Stage = "certified" if certified and granted == "verified" else granted
    stage = lower(stage, ceiling)
    return stage if status == "active" else lower(stage, "candidate")


def lower(one: Stage, other: Stage) -> Stage:
    """The lower of two stages."""
    return min(one, other, key=STAGES.index)
