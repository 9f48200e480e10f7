"""Many literals looked for at the cost of few: what several of them have in common is looked for first."""

from __future__ import annotations

from collections.abc import Iterable

# Shorter pieces stand in every text, and so would spare nothing; but for a mark that is rare.
_SHORTEST = 4
_RARE_MARKS = frozenset("$")


def grouped_literals(literals: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Each literal once, below a piece of it in lower case that a text in lower case holds wherever it holds the literal.

    The piece is the one that most of the remaining literals share. Literals whose lower case depends on what surrounds
    them stand below the empty text, which every text holds.
    """
    left = {literal: _pieces(literal) for literal in dict.fromkeys(literals)}
    groups: dict[str, tuple[str, ...]] = {}
    while left:
        counts: dict[str, int] = {}
        for pieces in left.values():
            for piece in pieces:
                counts[piece] = counts.get(piece, 0) + 1
        best = max(counts, key=lambda piece: (counts[piece], len(piece), piece))
        groups[best] = tuple(literal for literal, pieces in left.items() if best in pieces)
        left = {literal: pieces for literal, pieces in left.items() if best not in pieces}
    return groups


def _pieces(literal: str) -> frozenset[str]:
    if not all(char.isascii() or char.lower() == char.upper() for char in literal):
        return frozenset([""])
    lowered = literal.lower()
    length = min(_SHORTEST, len(lowered))
    starts = range(len(lowered))
    pieces = {lowered[start:end] for start in starts for end in range(start + length, len(lowered) + 1)}
    return frozenset(pieces | _RARE_MARKS.intersection(lowered))
