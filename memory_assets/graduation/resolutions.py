"""What people said of conflicts, and which of it is in force.

A resolution names all entries of either side, as they were, and whoever said the same by then (docs/decisions/0044). So it
still fits when a side has grown, or was told anew by an earlier session, and it goes when its entries go. Pure: times and ids
come with the words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Resolution = Literal["keep_newer", "keep_older", "both", "merge"]
RESOLUTIONS: tuple[Resolution, ...] = ("keep_newer", "keep_older", "both", "merge")


@dataclass(frozen=True, slots=True)
class ConflictCommand:
    """What a person said of a conflict once.

    Attributes:
        resolution: None where an earlier one was taken back.
        older, newer: entry ids of the sides, older and newer as they were called then.
        corrects: the newer side is what the person says instead.
    """

    said_at: datetime
    event_id: str
    conflict_id: str
    resolution: Resolution | None
    older: frozenset[str]
    newer: frozenset[str]
    said_by: str
    note: str = ""
    corrects: bool = False

    def speaks_of(self, one: Set[str], other: Set[str]) -> bool:
        """Whether it is about these two sides, whichever is called the older: each side that it names is on one of them."""
        return self._tells_apart(one, other) or self._tells_apart(other, one)

    def keeps(self, side: Set[str], other: Set[str]) -> bool:
        """Whether it sets ``other`` aside in favour of ``side``."""
        match self.resolution:
            case "keep_newer":
                return self._tells_apart(other, side)
            case "keep_older":
                return self._tells_apart(side, other)
            case _:
                return False

    def names(self, entry_id: str) -> bool:
        """Whether it was said with this entry in view."""
        return entry_id in self.older or entry_id in self.newer

    def _tells_apart(self, older: Set[str], newer: Set[str]) -> bool:
        # What it names on one side may have come to stand on both since: then it is about other sides than these.
        return bool(self.older & older and self.newer & newer) and not (self.older & newer or self.newer & older)


def in_force(words: Iterable[ConflictCommand]) -> list[ConflictCommand]:
    """The last word on each pair of sides, in the order in which they were said; one that takes another back among them."""
    last: list[ConflictCommand] = []
    for word in sorted(words, key=lambda word: (word.said_at, word.event_id)):
        last = [earlier for earlier in last if not word.speaks_of(earlier.older, earlier.newer)]
        last.append(word)
    return last


def settles(word: ConflictCommand, one: Mapping[str, datetime], other: Mapping[str, datetime]) -> bool:
    """Whether a resolution settles the conflict of two sides.

    Not where it made one memory of sides that are two again, and not once the side that it set aside was said again by an
    entry that it does not name.

    Args:
        one, other: the sides: when each of their entries was said.
    """
    if word.resolution in (None, "merge") or not word.speaks_of(one.keys(), other.keys()):
        return False
    loser = other if word.keeps(one.keys(), other.keys()) else one if word.keeps(other.keys(), one.keys()) else {}
    return not any(at > word.said_at and not word.names(entry_id) for entry_id, at in loser.items())
