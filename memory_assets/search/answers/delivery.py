"""Which of the hits are delivered, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.results.search import WindowV1
from memory_assets.search.question.intents import intent_weights

if TYPE_CHECKING:
    from memory_assets.results.search import SearchHitV1
    from memory_assets.search.question.plan import Plan


def within_budget(budget: int | None, hits: list[SearchHitV1]) -> list[SearchHitV1]:
    """The first hits that a budget pays for; one that is too dear is left out, and what is cheaper behind it is not."""
    if budget is None:
        return hits
    kept: list[SearchHitV1] = []
    left = budget
    for hit in hits:
        if hit.tokens <= left:
            kept.append(hit.model_copy(update={"rank": len(kept) + 1}))
            left -= hit.tokens
    return kept


def in_order(plan: Plan, hits: list[SearchHitV1]) -> list[SearchHitV1]:
    """What happened is told in the order of time, where that was asked for; the rank still says how good a hit is."""
    if not intent_weights(plan.intent.intent, asked=plan.intent_asked).by_time:
        return hits
    return sorted(hits, key=lambda hit: (hit.ts is None, hit.ts, hit.rank))


def window_of(plan: Plan) -> WindowV1 | None:
    """The time that a question speaks of, as it is printed."""
    if (window := plan.window) is None:
        return None
    return WindowV1(since=window.since, until=window.until, cue=window.cue, kind=window.kind)
