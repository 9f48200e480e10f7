"""What an agent leaves open: the items that it lists under a heading of open ends, and what its last words leave to do.

A review says what is to be improved, a report what remains. Such an item is a task even where it is a noun phrase. What the
person takes up in the next message belongs to that request, and is no task of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence
from itertools import islice

from memory_assets.extraction.completeness import is_torn
from memory_assets.extraction.open_lists import HEADING_LINE, MOST_ITEMS, OPEN_LIST, head_of
from memory_assets.extraction.schema import ExtractedEntry, Quote, StatusAt
from memory_assets.extraction.scoring import Scored
from memory_assets.extraction.sentence_context import words_of
from memory_assets.extraction.titles import title_of

_NEXT = re.compile(r"\bnext\b|다음", re.IGNORECASE)
"""What comes next: so it is until the person says something else."""
_NUMBERED = re.compile(r"\W{0,3}\d{1,2}[.)]\s")
_ONLY_A_THOUGHT = re.compile(
    r"^\W{0,6}(?:\d{1,2}[.)]\W{0,4})?"
    r"(?:optional(?:ly)?|consider|maybe|perhaps|nice to have|none|no\b|not needed|고려|없음|필요 ?없)",
    re.IGNORECASE,
)
_LEFT_TO_DO = re.compile(
    r"\b(?:ready|left) (?:for (?:you to )?|to (?:be )?)(?:commit|review|merge|push|deploy)\w*"
    r"|\bfor you to (?:review|commit|test|verify|check|merge|push|decide|run)\b"
    r"|\bstill (?:needs?|has|have) to be \w+|\b(?:remains?|is left) to be \w+"
    r"|^\W{0,3}(?:it['’]?s |it is )?(?:also )?(?:still )?worth (?:still |also )?(?!noting|mentioning|flagging|it\b)\w+ing\b"
    r"|\b(?:tackle|handle|address|fix|revisit|do) (?:it |this |that |them )?(?:next|later|separately)\b"
    r"|\bin a (?:follow[- ]?up|later|separate) (?:pr|change|commit|step)\b"
    r"|(?:나중에|추후|별도로)[^.\n]{0,30}(?:해야|필요|하면 됩니다|할 수 있습니다)"
    r"|(?:아직|따로)[^.\n]{0,20}(?:남아 ?있|해야 합니다)"
    r"|(?:커밋|푸시|배포|머지|테스트|검토|확인)(?:은|는|이|가|만)?\s?(?:아직|남아|남았)",
    re.IGNORECASE,
)
"""What an agent's last words leave to be done."""
_OF_NOTHING = re.compile(
    r"\b(?:no|nothing|none|if|when|once|wh(?:y|ether)|optional(?:ly)?)\b|n['’]t\b|\?|없|면 |필요에 따라|필요 ?시", re.IGNORECASE
)
_TAKES_UP = re.compile(
    r"\b(?:all|them|these|those|both|your|yours|suggest\w*|recommend\w*|feedback|review|points?|items?)\b"
    r"|(?:^|\s)[#(]?\d{1,2}(?=[\s,;)]|$)"
    r"|제안|의견|이야기|말한|얘기|전부|모두|이것|그것|위의|반영",
    re.IGNORECASE,
)
_DASH = re.compile(r"\s[–—-]\s")
_TELLING = 3
"""Telling words from which a part of a sentence says by itself what is left."""
_TAKES_WORDS = 2
"""Telling words that what a person says next shares with an item that it takes up."""


def open_ends(
    scored: Sequence[Scored], *, is_cut: bool, by_number: Container[int] = ()
) -> Iterator[tuple[Scored, ExtractedEntry]]:
    """The tasks that an agent leaves open, each with the sentence that says so.

    Args:
        is_cut: whether the last turn goes on behind these sentences.
        by_number: the messages in which a person names some of them by number: those become one with the request (``points``).
    """
    spoken: dict[int, list[Scored]] = {}
    for one in scored:
        spoken.setdefault(one.spot.message_index, []).append(one)
    said_next: list[Scored] = []
    for number, said in enumerate(reversed(spoken.values())):
        if said[0].spot.voice == "user":
            said_next = said
            continue
        is_last = number == 0 and not is_cut
        items = list(islice(_listed(said, is_last=is_last), MOST_ITEMS))
        names = bool(said_next) and said_next[0].spot.message_index in by_number
        if names or not _is_taken_up(items, said_next):
            yield from ((one, _task(one, head_of(one.spot.sentence.text))) for one in items)
        if is_last:
            yield from ((one, _task(one, _clause(one))) for one in said if one not in items and _is_left_to_do(one))


def _listed(said: Sequence[Scored], *, is_last: bool) -> Iterator[Scored]:
    """Of an agent's message the first sentences of the items that stand under a heading of open ends."""
    headings = [found for found in HEADING_LINE.finditer(said[0].spot.message.text) if not _NUMBERED.match(found["text"])]
    starts = [found.start() for found in headings]
    for one in said:
        sentence = one.spot.sentence
        above = sentence.heading
        if sentence.shape == "heading" and _NUMBERED.match(sentence.text):
            number = bisect_right(starts, sentence.start) - 1
            above = headings[number]["text"] if number >= 0 else ""
        elif sentence.shape != "item":
            continue
        if OPEN_LIST.match(above) is None or (_NEXT.search(above) is not None and not is_last):
            continue
        if _begins_item(one) and not (one.reports or one.tells_done or _ONLY_A_THOUGHT.match(sentence.text)):
            yield one


def _begins_item(one: Scored) -> bool:
    """Whether a sentence is the first one of an item that stands under no other item."""
    text, start = one.spot.message.text, one.spot.sentence.start
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return re.fullmatch(r" ?(?:#{1,6}|[-*+•]|\d{1,3}[.)])[ \t]+|\W{0,3}", before) is not None


def _is_taken_up(items: Sequence[Scored], said_next: Sequence[Scored]) -> bool:
    """Whether what the person says next is about these items."""
    typed = [one for one in said_next if one.spot.origin == "typed"][:2]
    if any(_TAKES_UP.search(one.spot.sentence.text) for one in typed):
        return True
    return any(len(one.spot.words & item.spot.words) >= _TAKES_WORDS for one in typed for item in items)


def _is_left_to_do(one: Scored) -> bool:
    text = one.spot.sentence.text
    return _LEFT_TO_DO.search(text) is not None and _OF_NOTHING.search(text) is None and not is_torn(text)


def _clause(one: Scored) -> str:
    """The part of a sentence, between dashes, that says what is left to do."""
    text = one.spot.sentence.text
    parts = (part.strip() for part in _DASH.split(text) if _LEFT_TO_DO.search(part))
    return next((part for part in parts if len(words_of(part)) >= _TELLING), text)


def _task(one: Scored, quote: str) -> ExtractedEntry:
    index = one.spot.message_index
    return ExtractedEntry(
        "task", title_of(quote), (Quote(index, quote),), status="pending", history=(StatusAt("pending", index),)
    )
