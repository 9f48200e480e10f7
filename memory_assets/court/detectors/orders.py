"""Orders for all that follows: "앞으로는 …", "always …", typed by a person.

What happens always ("it always fails", "항상 실패해") is told and not ordered; what is wanted this once is over with the turn.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from memory_assets.court.detectors.cues import cue
from memory_assets.court.detectors.lasting import lasts, takes_all
from memory_assets.court.detectors.speech import Typed, reports
from memory_assets.court.detectors.wording import cut, key_of, on_one_line
from memory_assets.court.findings import Finding, Polarity
from memory_assets.extraction.completeness import asks_to_know
from memory_assets.text.sentences import Sentence

_SHORTEST: Final = 6
_HANGUL = re.compile(r"[가-힣]")
_TOLD: Final = 60
"""Characters at whose beginning a sentence says who told so."""
_DASHES: Final = ",;:.—–-("
_OTHER_FORM = re.compile(r"(?:(?<!s)s|ed)\Z")
"""What ends a verb that tells, and does not order."""


def standing_orders(said: Sequence[Typed], *, corrections: Collection[int] = ()) -> Iterator[Finding]:
    """The orders of a case, each sentence one.

    Args:
        corrections: places of messages that correct: how we do it (``we don't use axios``) is said there of what was done.
    """
    for message in said:
        for number, sentence in enumerate(message.said):
            plain = message.plain_of(sentence)
            if is_order(plain) or (message.place not in corrections and tells_habit(plain)):
                yield _finding(message, number)


def is_order(text: str) -> bool:
    """Whether a person's sentence, without what it quotes, orders something from now on."""
    text = text.strip()
    if (
        len(text) < _SHORTEST
        or (text.endswith("?") and not cue("order", "polite").search(text))
        or cue("order", "this_once").search(text)
        or cue("order", "may_be").search(text)
        or reports(text[:_TOLD])
        or asks_to_know(text)
        or (cue("order", "ends").search(text) and not takes_all(text))
    ):
        return False
    return _english(text) or _korean(text) or lasts(text)


def tells_habit(text: str) -> bool:
    """Whether a person's sentence says how we do it."""
    told = cue("order", "habits").search(text.strip()) is not None
    is_short = any(cue("order", name).search(text) for name in ("this_once", "ends"))
    return told and not reports(text[:_TOLD]) and not asks_to_know(text) and not is_short


def _english(text: str) -> bool:
    if cue("order", "english_each").search(text) or cue("order", "english_in_a_case").search(text):
        return True
    if cue("order", "english_from_now").search(text):
        if cue("order", "english_orders").search(text):
            return True
        return _HANGUL.search(text) is not None and not cue("order", "korean_tells").search(text)
    if cue("order", "english_tells").search(text):
        return False
    ever = cue("order", "english_ever").finditer(text)
    return any(not _OTHER_FORM.search(found["verb"]) and not _is_noun(text, found) for found in ever)


def _is_noun(text: str, ever: re.Match[str]) -> bool:
    """Whether what follows on a never behind a dash or a comma ends the sentence: "we fetch the session, never logs"."""
    return ever[0][0] in _DASHES and not text[ever.end("verb") :].strip(" .!)")


def _korean(text: str) -> bool:
    if cue("order", "korean_tells").search(text) and not cue("order", "korean_imperative").search(text):
        return False
    if cue("order", "korean_of_all").search(text):
        return True
    if cue("order", "korean_from_now").search(text):
        return True
    if not cue("order", "korean_orders").search(text) or _is_of_the_product(text):
        return False
    if cue("order", "korean_ever").search(text):
        return True
    return cue("order", "korean_must").search(text) is not None and cue("order", "korean_in_a_case").search(text) is not None


def _is_of_the_product(text: str) -> bool:
    """Whether a Korean sentence says how something has to be, and speaks of nothing that is made in the work."""
    if any(cue("order", name).search(text) for name in ("korean_imperative", "korean_made")):
        return False
    return cue("order", "korean_topic").search(text) is not None and cue("order", "korean_has_to").search(text) is not None


def polarity_of(text: str) -> Polarity:
    """Whether an order says what to do, or what not to."""
    return "dont" if cue("order", "dont").search(text) else "do"


def _finding(message: Typed, number: int) -> Finding:
    sentence = message.said[number]
    told = on_one_line(sentence.text)
    rule = told if len(told) <= 400 else cut(told, 400)
    quotes = [message.quoted(sentence.start, sentence.end, "order")]
    if told.endswith((":", "：")):
        quotes += [message.quoted(one.start, one.end, "order") for one in _items(message.said[number + 1 :])]
        rule = " ".join([rule, *(on_one_line(one.quote) for one in quotes[1:])])
    return Finding(
        kind="standing_order",
        role="coder",
        polarity=polarity_of(message.plain_of(sentence)),
        severity="medium",
        title=cut(told, 120),
        rule=rule,
        trigger="",
        key=key_of(message.plain_of(sentence)) or key_of(told),
        evidence=tuple(quotes),
        confidence=0.85,
    )


def _items(behind: Sequence[Sentence]) -> Iterator[Sentence]:
    for sentence in behind[:6]:
        if sentence.shape != "item":
            return
        yield sentence
