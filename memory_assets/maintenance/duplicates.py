"""Memories that look alike, found without the rule that groups them: so that `memory audit` can find it wanting.

The rule asks which words are the same; here letters are counted. All memories of one project and type are compared with each
other, a block of rows at a time, so that the memory that it takes stays bounded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

ALIKE = 0.85
"""Equal letters of the longer text (normalized Levenshtein), in the text's order or with its words sorted."""

MOST_COMPARED = 4_000
"""Of a larger group so many memories, chosen by their ids, are compared with all of it: the rate is an estimate then."""

_ROWS = 256
_CHARACTERS = 400
_NOT_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class ComparedMemory:
    """A memory as it is compared."""

    memory_id: str
    citation: str
    title: str
    quote: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories that look alike; ``by_quote`` where their quotes do and their titles less."""

    one: ComparedMemory
    other: ComparedMemory
    similarity: float
    by_quote: bool


def folded(text: str) -> str:
    """Letters and digits in one case, a space between words."""
    return _NOT_WORD.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()


def compared(group: Sequence[ComparedMemory]) -> list[ComparedMemory]:
    """Those of a group that are compared with all the others. An id is a hash: its order is no order of anything."""
    return sorted(group, key=lambda told: told.memory_id)[:MOST_COMPARED]


def alike(group: Sequence[ComparedMemory]) -> Iterator[Pair]:
    """The pairs of a group that look alike, each once; of a large group those with a member of :func:`compared`."""
    if len(group) < 2:
        return
    import numpy as np
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    members = sorted(group, key=lambda told: told.memory_id)
    titles, quotes = [folded(told.title) for told in members], [folded(told.quote)[:_CHARACTERS] for told in members]
    # What has no letters is like nothing else: its row number stands for it.
    views = [
        [text or f"\x00{number}" for number, text in enumerate(texts)]
        for texts in (titles, [_sorted_words(text) for text in titles], quotes, [_sorted_words(text) for text in quotes])
    ]
    for start in range(0, min(len(members), MOST_COMPARED), _ROWS):
        end = min(start + _ROWS, MOST_COMPARED, len(members))
        scores = [
            process.cdist(
                view[start:end],
                view[start:],
                scorer=Levenshtein.normalized_similarity,
                score_cutoff=ALIKE,
                dtype=np.float32,
            )
            for view in views
        ]
        best = np.maximum.reduce(scores)
        by_title = np.maximum(scores[0], scores[1])
        for row, column in np.argwhere(best >= ALIKE).tolist():
            if column > row:
                similarity = float(best[row, column])
                by_quote = float(by_title[row, column]) < ALIKE
                yield Pair(members[start + row], members[start + column], round(similarity, 3), by_quote)


def _sorted_words(text: str) -> str:
    return " ".join(sorted(text.split()))
