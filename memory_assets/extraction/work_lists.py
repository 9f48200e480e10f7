"""What an agent lists under words that announce it ("Here's what changed:"): the work that it did, item by item."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from memory_assets.extraction.open_lists import OPEN_LIST
from memory_assets.extraction.scoring import Scored

_MOST_BELOW = 8
"""Sentences below one that announces a list in which what it announces is looked for."""
_NOT_DONE = re.compile(
    r"^[\W\d]{0,8}(?:known|still|remain\w*|left|open|next|to ?do|future|follow[- ]?ups?|later|defer\w*|skip\w*|pending|blocked"
    r"|out of scope|limitations?|caveats?|not (?:done|yet|covered|included|addressed|fixed|in scope)|won['’]t|fail\w*)\b"
    r"|^[\W\d]{0,8}(?:남은|다음 ?(?:단계|작업|할)|한계|보류|미완|미해결|향후|추후|제외|실패|생략|주의)",
    re.IGNORECASE,
)
"""How a heading or a name begins under which nothing was done."""
_ANNOUNCES_LEFT = re.compile(
    r"\b(?:left|remain(?:s|ing)?|to do|missing)\W{0,4}$"
    r"|(?:남은|남아 ?있는)\s?(?:것|일|작업|점|문제|항목|사항)[^\n]{0,10}[:：]\W*$",
    re.IGNORECASE,
)
"""A sentence that announces what is left."""
_OPEN_ITEM = re.compile(r"^\W{0,4}[❌✗✘🚫⛔☐⬜]")
"""An item that begins with a sign of no, or an empty box; what words say to be open is pending."""
_NAMED_FIRST = re.compile(r"^(?:\*\*[^*\n]{1,80}\*\*|`[^`\n]{1,80}`)\s?(?:[—–:：-]|\()")
"""A paragraph that begins with the name of what it tells of, in bold or as code."""


def work_listed_below(report: Scored, closing: Sequence[Scored]) -> Iterator[Scored]:
    """The items below a report in its message, under headings or with a name in bold, as far as nothing else is listed: what is
    left to do, or is known not to work, ends it. What was decided on the way is no work, nor is what is pending.

    Args:
        closing: all sentences of the agent's last message of a turn.
    """
    if _ANNOUNCES_LEFT.search(report.spot.sentence.text):
        return
    said = [one for one in closing if one.spot.message is report.spot.message and one.spot.position > report.spot.position]
    for one in takewhile(_lists_work, said[:_MOST_BELOW]):
        is_open = one.status not in (None, "done") or _OPEN_ITEM.match(one.spot.sentence.text)
        if one.entry_type != "decision" and not is_open:
            yield one


def _lists_work(one: Scored) -> bool:
    sentence = one.spot.sentence
    if sentence.shape == "item":
        return True
    names = sentence.shape == "heading" or _NAMED_FIRST.match(sentence.text) is not None
    return names and not (_NOT_DONE.match(sentence.text) or OPEN_LIST.match(sentence.text))
