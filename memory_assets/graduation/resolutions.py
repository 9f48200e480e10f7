"""What people said of conflicts, and which of it is in force (issue item *conflicts*: reversible).

A resolution names all entries of either side, as they were. So it still fits when a side has grown, or was told anew by an
earlier session, and it goes when its entries go. Pure: times and ids come with the words.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Resolution = Literal["keep_newer", "keep_older", "both", "merge"]
RESOLUTIONS: tuple[Resolution, ...] = ("keep_newer", "keep_older", "both", "merge")


@dataclass(frozen=True, slots=True)
class Word:
    """What a person said of a conflict once.

    Attributes:
        resolution: None where an earlier one was taken back.
        older, newer: entry ids of the sides, older and newer as they were called then.
    """

    said_at: datetime
    event_id: str
    conflict_id: str
    resolution: Resolution | None
    older: frozenset[str]
    newer: frozenset[str]
    said_by: str
    note: str = ""

    def speaks_of(self, one: Set[str], other: Set[str]) -> bool:
        """Whether it is about these two sides, whichever is called the older."""
        return bool((self.older & one and self.newer & other) or (self.older & other and self.newer & one))

    def keeps(self, side: Set[str], other: Set[str]) -> bool:
        """Whether it sets ``other`` aside in favour of ``side``."""
        match self.resolution:
            case "keep_newer":
                return bool(self.newer & side and self.older & other)
            case "keep_older":
                return bool(self.older & side and self.newer & other)
            case _:
                return False


def in_force(words: Iterable[Word]) -> list[Word]:
    """The last word on each pair of sides, in the order in which they were said."""
    last: list[Word] = []
    for word in sorted(words, key=lambda word: (word.said_at, word.event_id)):
        last = [earlier for earlier in last if not word.speaks_of(earlier.older, earlier.newer)]
        last.append(word)
    return [word for word in last if word.resolution is not None]


def settled(word: Word, loser_said_at: datetime) -> bool:
    """Whether a resolution still holds: not when the side that it set aside was said again afterwards."""
    return word.resolution in ("both", "merge") or loser_said_at <= word.said_at
