"""A person takes back what was asked for just before ("never mind", "not worth it… it's fine", "그냥 두자")."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from memory_assets.extraction.scoring import Scored

_TAKES_BACK = re.compile(
    r"^\W{0,3}(?:(?:actually|hmm+|ok(?:ay)?|no|nah|nope|wait|well|oh|아니|아냐|음|흠|아)\b[\s,.…-]{1,4}){0,2}"
    r"(?:never ?mind(?:\W{0,3}$|[,.!… ]+(?!about|the\b))|(?:it['’]?s |that['’]?s )?not worth it\b"
    r"|(?:let['’]?s |just |please ){0,2}(?:(?:forget|drop|scrap|skip|undo|revert) (?:it|that|this)(?: (?:change|one|idea))?"
    r"|leave (?:it|that|this)(?: (?:as (?:is|it (?:is|was))|alone|like that))?)\W{0,3}$"
    r"|그냥 (?:두자|둬|놔둬|두세요)|그만(?:두자|둬|하자)|하지 ?말자|없던 (?:걸|일)로 (?:하자|해)"
    r"|안 해도 (?:돼|될 것|됩니다|되겠))",
    re.IGNORECASE,
)


def takes_back(text: str) -> bool:
    """Whether a sentence takes back what was asked for, and asks for nothing else."""
    return _TAKES_BACK.match(text) is not None


def withdrawals(scored: Sequence[Scored]) -> Mapping[int, Scored]:
    """Of each turn that a person begins by taking something back the sentence that does: it is about the turn before."""
    first: dict[int, Scored] = {}
    for one in scored:
        if one.spot.voice == "user" and one.spot.origin == "typed":
            first.setdefault(one.turn, one)
    return {turn: one for turn, one in first.items() if takes_back(one.spot.sentence.text)}
