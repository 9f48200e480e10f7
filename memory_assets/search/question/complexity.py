"""How deep a question has to be searched.

The factors are read from cues in English and Korean alike: ``JWT란?`` gives 0.06 (one word, one entity), a long Korean question
with several entities, times and causes 0.8.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memory_assets.search.question.entities import query_entities
from memory_assets.search.question.plain_question import plain
from memory_assets.search.question.time_cues import time_words
from memory_assets.vocabulary import Strategy

WEIGHTS: Final = (0.2, 0.25, 0.2, 0.25, 0.1)
"""Of words, entities, time, reasoning and breadth; together 1."""

MANY_WORDS: Final = 20
MANY_ENTITIES: Final = 5
SIMPLE_BELOW: Final = 0.3
COMPLEX_FROM: Final = 0.7

_MULTI_HOP: Final = re.compile(
    r"(?<![a-z0-9_])(?:why|because|compar\w{1,6}|versus|vs|differ(?:s|ed|ence|ences|ent)?|relat(?:ed|es|ion|ions|ionship"
    r"|ionships)"
    r"|caus(?:e|es|ed)|reasons?|impact\w{0,3}|affect\w{0,3}|effects? (?:of|on)|lead(?:s|ing)? to|led to|result(?:s|ed)? (?:in"
    r"|of)"
    r"|depend(?:s|ed|encies|ency|ing)?|trade-?offs?|as a result|consequen\w{2,5}|in common|both|change history|history of"
    r"|evol(?:ve|ved|ution)|changed? (?:since|over|between|after)|how (?:did|does|do|has|have)\b.{0,60}?\b(?:influenc\w{1,3}"
    r"|chang\w{1,3}))"
    r"(?![a-z0-9_])"
    r"|(?<![가-힣])왜(?![곡소가])|비교|차이|관계|관련|그래서|때문|원인|영향|이유|변경 ?(?:이력|내역|과정)|변화|인과|의존|연관"
    r"|결과적|과정에서|경위"
    r"|공통점|장단점|둘 ?다|각각|대비(?!책)|따라(?:서| 달라)"
)
_BROAD: Final = re.compile(
    r"(?<![a-z0-9_])(?:all|every(?:thing|one|body)?|entire|whole|overall|overview|summar(?:y|ies|i[sz]e[sd]?)|across|complete"
    r"|full"
    r"|in general|list (?:of|the|all)|end[- ]to[- ]end|big picture|each)(?![a-z0-9_])"
    r"|전체|모든|모두|전부|전반|요약|총정리|정리해|개요|목록|통틀어|처음부터 ?끝|일체|흐름"
)


@dataclass(frozen=True, slots=True)
class Complexity:
    """How complex a question is, 0 to 1, and what made it so.

    Attributes:
        words: counted between white space; 20 count as many.
        entities: what the question names; 5 count as many.
        temporal, multi_hop, broad: the cues of time, reasoning and breadth that were found; empty where there is none.
        why: each factor that adds something, with what it adds, for people.
    """

    score: float
    words: int
    entities: tuple[str, ...]
    temporal: tuple[str, ...]
    multi_hop: tuple[str, ...]
    broad: tuple[str, ...]
    why: tuple[str, ...]


def complexity(query: str, *, entities: Sequence[str] | None = None) -> Complexity:
    """The complexity of a question; ``entities`` stands in the place of what the question's writing shows it to name."""
    text = plain(query)
    folded = text.casefold()
    words = len(text.split())
    named = tuple(entities) if entities is not None else tuple(entity.text for entity in query_entities(text))
    temporal, multi_hop, broad = time_words(text), _each(_MULTI_HOP, folded), _each(_BROAD, folded)
    factors = (
        (f"{words} words", min(words / MANY_WORDS, 1.0)),
        ("names " + ", ".join(named), min(len(named) / MANY_ENTITIES, 1.0)),
        ("time: " + ", ".join(temporal), float(bool(temporal))),
        ("reasoning: " + ", ".join(multi_hop), float(bool(multi_hop))),
        ("breadth: " + ", ".join(broad), float(bool(broad))),
    )
    parts = [weight * factor for weight, (_, factor) in zip(WEIGHTS, factors, strict=True)]
    why = tuple(f"+{part:.2f} {text}" for part, (text, _) in zip(parts, factors, strict=True) if part)
    # A sum of decimals is not to fall below a border that it stands on.
    return Complexity(round(math.fsum(parts), 9), words, named, temporal, multi_hop, broad, why)


def dynamic_k(score: float, base: int = 10, delta: float = 3.0, low: int = 5, high: int = 50) -> int:
    """How many results a question of this complexity is given: ``base * (1 + delta * score)`` in whole ones, within bounds.

    By default 0.1 gives 13 and 0.8 gives 34, and k lies between 10 and 40: the bounds guard other settings.
    """
    return max(low, min(high, math.floor(round(base * (1 + delta * score), 9))))


def strategy(score: float) -> Strategy:
    """How to search: ``simple`` with a small k, ``standard`` with both legs, ``complex`` with the graph's neighbours as well.

    A simple question is hybrid too: ``JWT token`` is a case for exact words.
    """
    if score < SIMPLE_BELOW:
        return "simple"
    return "standard" if score < COMPLEX_FROM else "complex"


def _each(pattern: re.Pattern[str], folded: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(match[0] for match in pattern.finditer(folded)))
