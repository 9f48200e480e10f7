"""What an agent lists under words that announce it ("Here's what changed:"): the work that it did, item by item."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from memory_assets.extraction.open_lists import OPEN_LIST
from memory_assets.extraction.scoring import Scored

_MOST_BELOW = 8
"""Sentences below one that announces a list in which what it announces is looked for."""
_IS_LEFT = re.compile(
    r"\b(?:left|remain\w*|open|next|to ?do|known|limits?|limitations?|caveats?|not|later)\b|남[은아]|다음|한계|주의",
    re.IGNORECASE,
)
"""What stands under such words was not done."""
_NAMED_FIRST = re.compile(r"^(?:\*\*[^*\n]{1,80}\*\*|`[^`\n]{1,80}`)\s?(?:[—–:：-]|\()")
"""A paragraph that begins with the name of what it tells of, in bold or as code."""


def work_listed_below(report: Scored, closing: Sequence[Scored]) -> Iterator[Scored]:
    """The items below a report in its message, under headings or with a name in bold, as far as nothing else is listed: what is
    left to do, or is known not to work, ends it. What was decided on the way is no work, nor is what is pending.

    Args:
        closing: all sentences of the agent's last message of a turn.
    """
    if _IS_LEFT.search(report.spot.sentence.text):
        return
    said = [one for one in closing if one.spot.message is report.spot.message and one.spot.position > report.spot.position]
    for one in takewhile(_lists_work, said[:_MOST_BELOW]):
        if one.entry_type != "decision" and one.status in (None, "done"):
            yield one


def _lists_work(one: Scored) -> bool:
    sentence = one.spot.sentence
    if sentence.shape == "item":
        return True
    names = sentence.shape == "heading" or _NAMED_FIRST.match(sentence.text) is not None
    return names and not (_IS_LEFT.search(sentence.text) or OPEN_LIST.match(sentence.text))
