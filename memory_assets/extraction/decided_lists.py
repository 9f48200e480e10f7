"""What is listed as decided, under a heading that says so: each item is a decision, whatever it weighs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory_assets.extraction.completeness import is_torn
from memory_assets.extraction.outcomes import asks, only_plans
from memory_assets.extraction.scoring import Scored

MOST_ITEMS = 8
"""Items of a list that are kept, the first ones: a longer list is a document."""

_DECIDED = re.compile(
    r"^\W{0,4}(?:\d{1,2}[.)]\s)?(?:(?:the|our|user|key|main|core|final|important|design|architectur\w+|technical|product)\s){0,3}"
    r"decisions?(?:\s(?:made|taken|confirmed)|\s\(confirmed\))?\W{0,4}$"
    r"|^\W{0,4}what (?:was|we(?: have)?) decided\W{0,4}$"
    r"|^\W{0,4}(?:\d{1,2}[.)]\s)?(?:(?:주요|핵심|최종|적용된|사용자|설계)\s){0,3}(?:결정|확정)(?:\s?(?:사항|내용|들))?(?:\s\(확정\))?\W{0,4}$",
    re.IGNORECASE,
)
_SETTLED = re.compile(
    r"^\W{0,4}(?:so |ok(?:ay)?,? )?(?:the |your |our )?(?:\w+ )?decisions? (?:is|are) (?:now )?"
    r"(?:clear|settled|made|final|confirmed|set)\W{0,4}$"
    r"|^\W{0,4}(?:결정|방향)(?:이|은|은 모두|이 모두)? ?(?:정해졌|확정됐|확정되었|명확)(?:습니다|해졌습니다|합니다)\W{0,4}$",
    re.IGNORECASE,
)
"""An agent sums up what a person just answered, before it goes to work."""
_MARK = re.compile(r"[ \t]{0,40}(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_OPEN = re.compile(
    r"[?？]\W{0,4}$|^\W{0,4}(?:whether|none|nothing|n/a|tbd|to be decided)\b|\bnot (?:yet )?decided\b|여부\W{0,4}$|없음|미정",
    re.IGNORECASE,
)
"""What is still to be decided, and that there is nothing."""


def listed_as_decided(scored: Sequence[Scored]) -> Iterator[Scored]:
    """The items below such a heading that a person wrote or handed over, or with which an agent ends a turn; below the words by
    which it sums up a person's answers also those of a message on the way.

    The list ends with the next line that is no item of it. What an agent lists in a plan, or before it asks, is proposed.
    """
    count, under = 0, (-1, "")
    last = {one.spot.message_index: one.spot.sentence.text for one in scored}
    settled = -1
    for one in scored:
        sentence, spot = one.spot.sentence, one.spot
        if sentence.shape != "item":
            settled = spot.message_index if spot.voice != "user" and _SETTLED.match(sentence.text) else -1
        if settled != spot.message_index and (spot.voice == "working" or not _DECIDED.match(sentence.heading)):
            continue
        if spot.voice == "closing" and (only_plans(spot.message.text) or asks(last[spot.message_index])):
            continue
        if under != (spot.message_index, sentence.heading):
            count, under = 0, (spot.message_index, sentence.heading)
        if sentence.shape != "item":
            count = MOST_ITEMS if count else 0
        elif _begins_item(one):
            count += 1
            if count <= MOST_ITEMS and not (is_torn(sentence.text) or _OPEN.search(sentence.text)):
                yield one


def _begins_item(one: Scored) -> bool:
    """Whether a sentence is the first one of its line."""
    text, start = one.spot.message.text, one.spot.sentence.start
    return _MARK.fullmatch(text, text.rfind("\n", 0, start) + 1, start) is not None
