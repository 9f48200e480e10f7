"""Which words of a piece of evidence a statement rests on: what a reader is shown to judge it by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.ask.stated_facts import telling
from memory_assets.ask.statements import QUOTED, Statement
from memory_assets.evidence.aligner import Aligner
from memory_assets.evidence.model import AlignedEvidence
from memory_assets.search.answerability.question import tokens_of

if TYPE_CHECKING:
    from memory_assets.ask.packing import Piece

Span = tuple[int, int]
"""Half-open, code points of the message."""


def support_of(statement: Statement, piece: Piece) -> Span:
    """The shortest run of sentences that holds what the statement quotes of a piece and the words that it shares with it.

    Where it shares none, as in another language, it is the whole piece.
    """
    spans = [*_quoted(statement, piece), *_sharing(tokens_of(telling(statement.text)), piece)]
    if not spans:
        return piece.start, piece.end
    return min(start for start, _ in spans), max(end for _, end in spans)


def _quoted(statement: Statement, piece: Piece) -> list[Span]:
    """Where the quotes of a statement stand in a piece, those that stand there."""
    aligner = Aligner(fuzzy=False)
    spans = []
    for match in QUOTED.finditer(statement.text):
        for quote in (match[0][1:-1], match[0][1:-1].rstrip(" .,!?…")):
            found = aligner.align([piece.given.text], quote, 0)
            if isinstance(found, AlignedEvidence):
                spans.append((piece.start + found.span_start, piece.start + found.span_end))
                break
    return spans


def _sharing(words: frozenset[str], piece: Piece) -> list[Span]:
    """Sentences that together hold all words that the piece shares with the statement: the one with most first."""
    sentences = [one for one in piece.passage.sentences if piece.start <= one.start and one.end <= piece.end]
    held = {one: tokens_of(one.text) & words for one in sentences}
    missing = frozenset().union(*held.values())
    spans = []
    while missing:
        best = max(sentences, key=lambda one: len(held[one] & missing))
        missing -= held[best]
        spans.append((best.start, best.end))
    return spans
