"""How many sessions teach a lesson: of cases that tell of the same session one counts.

A session may be heard twice: by itself, and in a bundle that a program made of it or in a session that goes on from it, each
with an id of its own. Nobody says so, but the words that they quote were said in the same second. Where one moment is the
same, the whole session is.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

Moment = tuple[datetime, str]
"""When something was said, and a hash of the words that are quoted of it."""


def moment_of(at: datetime, said: str) -> Moment:
    """A moment as every telling of it has it: programs cut the times of what they collect to seconds."""
    return at.replace(microsecond=0), said


def told_once(given: Iterable[tuple[str, Moment]]) -> dict[str, str]:
    """For each session the one by which it is counted: the first, by id, of all that tell of the same, in any order.

    Args:
        given: sessions and moments that they were heard of; of a moment without known words nothing follows.
    """
    first: dict[str, str] = {}

    def root(session: str) -> str:
        while first[session] != session:
            session = first[session]
        return session

    by_moment: dict[Moment, str] = {}
    for session, moment in given:
        first.setdefault(session, session)
        if not moment[1]:
            continue
        one, other = root(session), root(by_moment.setdefault(moment, session))
        first[max(one, other)] = min(one, other)
    return {session: root(session) for session in first}
