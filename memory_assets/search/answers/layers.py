"""Which hits are worth more than their line in the index, and the layers within one budget.

Three layers: the *index* (what there is, about 50 tokens a hit), the *timeline* (what was said around it, about 150) and
the *details* (the full text, about 500). A hit is opened by itself only where it is plainly the one; the rest waits to be
asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from memory_assets.search.answers.budget import Cut, Fitted, fit
from memory_assets.vocabulary import DisclosureReason

INDEX_TOKENS: Final = 50
TIMELINE_TOKENS: Final = 150
DETAILS_TOKENS: Final = 500
MOST_EXPANDED: Final = 3

SINGLE_FROM: Final = 0.92
WINNER_FROM: Final = 0.85
WINNER_GAP: Final = 0.1
HIGH_FROM: Final = 0.8


@dataclass(frozen=True, slots=True)
class Expansion:
    """What of the hits to open, by id, and why.

    Attributes:
        timeline: of these what was said around them.
        details: of these the full text.
    """

    reason: DisclosureReason
    timeline: tuple[str, ...] = ()
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Layers:
    """The three layers under one cap. A layer's texts are in the order of what they were made of; one without room is empty."""

    index: tuple[Cut, ...]
    timeline: Mapping[str, Cut]
    details: Mapping[str, Cut]
    tokens: int


def expansion(hits: Sequence[tuple[str, float]], *, asked: Sequence[str] = (), most: int = MOST_EXPANDED) -> Expansion:
    """What to open of some hits by the first rule that holds.

    A single hit is opened from a relevance of .92 on; the best of several from .85 on if the next is .1 behind; of three or
    more hits of .8 or more only the surroundings are shown, for nothing says which of them is meant.

    Args:
        hits: (id, relevance from 0 to 1). Relevance decides, not their order: a search's score is no confidence.
        asked: ids that somebody asked for: they alone are opened, whatever their relevance.
        most: at the most so many are opened.
    """
    if asked:
        chosen = tuple(dict.fromkeys(asked))[:most]
        return Expansion("explicit_ids", chosen, chosen)
    if not hits:
        return Expansion("no_results")
    ranked = sorted(hits, key=lambda hit: -hit[1])
    best, relevance = ranked[0]
    if len(ranked) == 1 and relevance >= SINGLE_FROM and most:
        return Expansion("high_confidence_single", (best,), (best,))
    # A difference of decimals is not to fall below a border that it stands on.
    if len(ranked) > 1 and relevance >= WINNER_FROM and round(relevance - ranked[1][1], 9) >= WINNER_GAP and most:
        return Expansion("clear_winner", (best,), (best,))
    high = [found for found, sure in ranked if sure >= HIGH_FROM]
    if len(high) >= 3 and most:
        return Expansion("ambiguous_multiple_high", tuple(high[: min(3, most)]))
    return Expansion("low_confidence" if relevance < HIGH_FROM else "no_expansion_rule_matched")


def layered(
    index: Sequence[str],
    cap: int,
    *,
    timeline: Mapping[str, str] | None = None,
    details: Mapping[str, str] | None = None,
) -> Layers:
    """The texts of all layers under one hard cap: the index first, then the timelines, and what is left for the details.

    Args:
        cap: tokens of all layers together.
        timeline, details: texts by the id that they were opened for, the more important first.
    """
    around, full = timeline or {}, details or {}
    first = fit(index, cap, each=INDEX_TOKENS)
    second = fit([*around.values()], cap - first.tokens, each=TIMELINE_TOKENS)
    third = fit([*full.values()], cap - first.tokens - second.tokens, each=DETAILS_TOKENS)
    return Layers(
        index=first.texts,
        timeline=_by_id(around, second),
        details=_by_id(full, third),
        tokens=first.tokens + second.tokens + third.tokens,
    )


def _by_id(texts: Mapping[str, str], fitted: Fitted) -> dict[str, Cut]:
    return dict(zip(texts, fitted.texts, strict=True))
