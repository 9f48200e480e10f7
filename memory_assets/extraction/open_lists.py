"""The lists under whose headings an agent says what is open: next steps, suggestions, what remains."""

from __future__ import annotations

import re

from memory_assets.extraction.sentence_context import words_of
from memory_assets.extraction.titles import title_of
from memory_assets.text.sentences import sentences

MOST_ITEMS = 8
"""Items of a list that are tasks; a longer one is a document."""
_WHICH = (
    r"(?:(?:the|top|most|minor|important|further|other|additional|optional|possible|suggested|\d{1,2}(?:[–-]\d{1,2})?)[ -])"
    r"{0,4}"
)
OPEN_LIST = re.compile(
    r"^\W{0,3}(?:\d{1,2}[.)] )?[*_]{0,2}(?:"
    r"(?:suggested |recommended |possible |immediate )?next steps?"
    r"|(?:remaining|outstanding|unresolved|deferred) (?:work|tasks?|items?|steps?|issues?|problems?|questions?)"
    r"|open (?:tasks?|items?|issues?|points|ends)|still (?:to do|open|missing)"
    r"|what(?:['’]s| is) (?:left|next|missing|still open)"
    r"|follow[- ]?ups?(?: (?:work|tasks?|items?))?|action items?|to[- ]?dos?|not (?:yet )?(?:done|addressed|implemented)"
    rf"|{_WHICH}(?:suggestions?|improvements?|nits?|recommended (?:changes|fixes|improvements?))|future (?:work|improvements?)"
    r"|(?:다음|남은|후속|추가|향후|해야 ?할|권장|개선|보완|미완료|미해결)\s?"
    r"(?:단계|작업|할 ?일|일|문제|과제|조치|사항|점|제안|개선)"
    r"|할 ?일|제안(?: ?사항)?"
    r")[*_]{0,2}\s?(?:\([^)\n]{0,40}\))?\W{0,3}$",
    re.IGNORECASE,
)
HEADING_LINE = re.compile(
    r"^[ \t]{0,3}(?:#{1,6}[ \t]+(?=\S)|(?=\*\*[^*\n]{2,120}\*\*:?[ \t]*$))(?P<text>[^\n]{1,200})", re.MULTILINE
)
_ITS_NUMBER = re.compile(r"(?:^|\n) ?(?P<number>\d{1,2})[.)][ \t]{1,4}$")
_BEFORE = 10
"""Characters before an item in which its number stands."""
_BOLD_HEAD = re.compile(r"^(?:\d{1,2}[.)] )?(?P<head>(?P<mark>\*\*|__)[^*_\n]{8,120}(?P=mark))(?=\s?[:：—–-]|$)")


def numbered_points(text: str) -> dict[int, str]:
    """The numbered items that a message lists under a heading of open ends: of each number what the task that it leaves open is
    called."""
    if not any(OPEN_LIST.match(found["text"]) for found in HEADING_LINE.finditer(text)):
        return {}
    points: dict[int, str] = {}
    for sentence in sentences(text):
        if sentence.shape != "item" or OPEN_LIST.match(sentence.heading) is None:
            continue
        begun = _ITS_NUMBER.search(text[max(0, sentence.start - _BEFORE) : sentence.start])
        if begun is not None and int(begun["number"]) in points:
            return {}  # two lists, and a number means one of either
        if begun is not None:
            points[int(begun["number"])] = title_of(head_of(sentence.text))
    return points if len(points) <= MOST_ITEMS else {}


def head_of(text: str) -> str:
    """Of an item that opens with what it is called, in bold, that name."""
    head = _BOLD_HEAD.match(text)
    return head["head"] if head is not None and len(words_of(head["head"])) > 1 else text
