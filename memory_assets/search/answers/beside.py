"""What stands beside a hit and may say what was asked for in its place.

Who asks has the words of a question, who replies the answer; and of a long message one passage has the words, another the
answer. Both are looked for among what the index found for the question, so that they cost no look into it and pass its filter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_assets.search.answers.hydration import FoundUnit
    from memory_assets.search.ranking.ranking import RankedHit
    from memory_assets.vectors.units import UnitHit

Place = tuple[str | None, int | None]


class FoundPassages:
    """The passages of a ranking by where they stand. What a program put there (a template) stands beside nothing."""

    def __init__(self, ranked: Iterable[RankedHit]) -> None:
        self._at: dict[Place, UnitHit] = {}
        self._of_message: dict[Place, list[UnitHit]] = {}
        for hit in (one.hit for one in ranked):
            if hit.place is not None:
                self._at[hit.session_id, hit.place] = hit
                self._of_message.setdefault((hit.session_id, hit.message_index), []).append(hit)

    def beside(self, unit: FoundUnit) -> tuple[str, ...]:
        """The unit ids of what stands beside a unit: of a passage the best other one of its message, and what is said next;
        of what cites messages what is said next behind the first of them."""
        if not unit.cited:
            return ()
        first = unit.cited[0]["session_id"], unit.cited[0]["message_index"]
        return self._beside(first, unit.unit_id if unit.is_passage else None, () if unit.is_passage else unit.places)

    def likely_beside(self, hit: UnitHit) -> tuple[str, ...]:
        """The same, as far as the index knows what a unit cites: the message that it begins with."""
        return self._beside((hit.session_id, hit.message_index), hit.unit_id if hit.unit_kind == "passage" else None, ())

    def _beside(self, first: Place, passage: str | None, cited: Collection[Place]) -> tuple[str, ...]:
        """What stands beside a message.

        Args:
            passage: of the message; None for what cites it, and other messages too.
        """
        passages = self._of_message.get(first, [])
        if passage is not None:
            here = next((hit for hit in passages if hit.unit_id == passage), None)
            others = [hit.unit_id for hit in passages if hit is not here][:1]
        else:
            here, others = max(passages, key=_place, default=None), []
        if here is None:
            return ()
        following = self._at.get((here.session_id, _place(here) + 1))
        if following is None or (following.session_id, following.message_index) in cited:
            return tuple(others)
        return tuple(dict.fromkeys([*others, following.unit_id]))


def _place(hit: UnitHit) -> int:
    return hit.place if hit.place is not None else -1
