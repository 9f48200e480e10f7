"""What is listed as decided, under a heading that says so: each item is a decision, whatever it weighs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory_assets.extraction.completeness import is_torn
from memory_assets.extraction.scoring import Scored

MOST_ITEMS = 8
"""Items of a list that are kept; a longer one is a document."""

_DECIDED = re.compile(
    r"^\W{0,4}(?:\d{1,2}[.)]\s)?(?:[\w-]{1,20}\s){0,2}?decisions?(?:\s(?:made|taken|confirmed))?(?:\s\(confirmed\))?\W{0,4}$"
    r"|^\W{0,4}(?:what (?:was|we) (?:have )?decided|decided|confirmed)\W{0,4}$"
    r"|^\W{0,4}(?:[가-힣]{1,8}\s){0,2}(?:결정|확정)(?:\s?(?:사항|내용|들))?(?:\s\(확정\))?\W{0,4}$",
    re.IGNORECASE,
)


def listed_as_decided(scored: Sequence[Scored]) -> Iterator[Scored]:
    """The items below such a heading that a person wrote or handed over, or with which an agent ends a turn."""
    count = 0
    list_of: tuple[int, str] | None = None
    for one in scored:
        sentence = one.spot.sentence
        if sentence.shape != "item" or one.spot.voice == "working" or not _DECIDED.match(sentence.heading):
            continue
        place = (one.spot.message_index, sentence.heading)
        count = count + 1 if place == list_of else 1
        list_of = place
        if count <= MOST_ITEMS and not is_torn(sentence.text):
            yield one
