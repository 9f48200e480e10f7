"""Where a damaged quote may stand: pieces of it that are intact, found with ``str.find``.

A quote of which at most ``n`` characters differ, cut into ``n + 1`` pieces, has one that is intact. Each piece that is
found votes for the place at which the quote would begin; places with many votes are looked at first.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

FEW_PIECES = 8
"""Pieces of the first look: long ones, which stand in few places."""
MIN_PIECE = 3
_MAX_HITS = 48
"""Places of one piece that are looked at: a piece that stands everywhere says nothing."""


@dataclass(frozen=True, slots=True)
class PieceHit:
    """A piece of the quote, ``quote[offset:offset + length]``, found at ``position``."""

    offset: int
    length: int
    position: int

    @property
    def end(self) -> int:
        return self.offset + self.length


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that several pieces point at.

    Attributes:
        hits: the pieces in the order of the quote and of the text, none overlapping another.
        pieces: into how many the quote was cut: at least ``pieces - len(hits)`` characters differ.
    """

    hits: tuple[PieceHit, ...]
    pieces: int

    @property
    def least_edits(self) -> int:
        return self.pieces - len(self.hits)


def piece_hits(quote: str, text: str, pieces: int) -> list[PieceHit]:
    """Where the pieces of a quote stand; cut into fewer where they would be shorter than three characters."""
    pieces = piece_count(quote, pieces)
    bounds = [len(quote) * number // pieces for number in range(pieces + 1)]
    hits: list[PieceHit] = []
    for low, high in itertools.pairwise(bounds):
        piece = quote[low:high]
        position = text.find(piece)
        for _ in range(_MAX_HITS):
            if position < 0:
                break
            hits.append(PieceHit(low, high - low, position))
            position = text.find(piece, position + 1)
    return hits


def piece_count(quote: str, pieces: int) -> int:
    """Into how many pieces a quote is cut when so many are asked for."""
    return max(1, min(pieces, len(quote) // MIN_PIECE))


def candidates(hits: list[PieceHit], pieces: int, drift: int) -> list[Candidate]:
    """The places that pieces of a quote point at, those with the most votes first, then the earliest.

    Args:
        pieces: into how many the quote was cut.
        drift: how far characters that are missing or too many may shift one piece against another.
    """
    buckets: dict[int, list[PieceHit]] = {}
    for hit in hits:
        buckets.setdefault((hit.position - hit.offset) // (drift + 1), []).append(hit)
    chains = [
        _chain([*buckets[number], *buckets.get(number + 1, ())])
        for number in buckets
        if number + 1 in buckets or number - 1 not in buckets
    ]
    best = sorted(chains, key=lambda chain: (-len(chain), chain[0].position))
    return [Candidate(tuple(chain), pieces) for chain in best]


def _chain(hits: list[PieceHit]) -> list[PieceHit]:
    """Of the hits around one diagonal, one a piece, in order: those nearest to where most of them point."""
    diagonals = sorted(hit.position - hit.offset for hit in hits)
    middle = diagonals[len(diagonals) // 2]
    hits.sort(key=lambda hit: (hit.offset, abs(hit.position - hit.offset - middle)))
    chain: list[PieceHit] = []
    for hit in hits:
        if not chain or (hit.offset >= chain[-1].end and hit.position >= chain[-1].position + chain[-1].length):
            chain.append(hit)
    return chain
