"""The word that a screen shows for how far something is trusted: what was proved of it, and no more.

The log and its tables keep the stages. A stage is a step of a road, and a reader takes ``verified`` for *true*; the word says
what holds instead: its words were found nowhere yet (*unproved*), they stand there (*quoted*), proof and policy let them pass
(*held*), a person vouched for them or several sessions say them (*confirmed*). Each word includes the ones before it.
"""

from __future__ import annotations

from memory_assets.graduation.policy import SUPPORTING_SESSIONS
from memory_assets.vocabulary import Assurance


def assurance_of(stage: str | None, *, supporting_sessions: int = 0, vouched_for: bool = False) -> Assurance:
    """The word for a memory or an entry.

    What is below verified is quoted at the most, whoever vouches for it: contested, set aside or demoted it is not held.

    Args:
        stage: as it is shown, which conflicts and demotions have lowered; None of what never had one.
        supporting_sessions: those whose aligned and proved evidence says it.
        vouched_for: a person did, and nothing has taken that back since.
    """
    match stage:
        case "certified":
            return "confirmed"
        case "verified":
            return "confirmed" if vouched_for or supporting_sessions >= SUPPORTING_SESSIONS else "held"
        case "candidate" | "working":
            return "quoted"
        case _:
            return "unproved"


def assurance_of_task(stage: str | None, *, supporting_sessions: int = 0) -> Assurance:
    """The word for a task. One of which no session speaks is a person's word, and that confirms it.

    Args:
        stage: the highest of what sessions claim; of a person's word it is candidate.
        supporting_sessions: those with words that speak of it.
    """
    if stage == "candidate" and not supporting_sessions:
        return "confirmed"
    return assurance_of(stage, supporting_sessions=supporting_sessions)
