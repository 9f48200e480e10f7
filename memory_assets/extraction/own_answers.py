"""A person's answer, in words of their own, to a question that leaves it to them which way it is to be.

``720h. old AMIs bit us in the audit`` decides what "keep them, or recycle them after 30 days?" asks; the decision quotes both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory_assets.extraction.assent import CLOSES, TELLS_TO, YES
from memory_assets.extraction.options import options_of
from memory_assets.extraction.schema import ExtractedEntry, Quote
from memory_assets.extraction.sentence_context import stems_of, words_of
from memory_assets.extraction.titles import title_of
from memory_assets.sessions.model import Message
from memory_assets.tasks.one_turn import is_one_turn
from memory_assets.text.sentences import Sentence, sentences

_MOST_REPLY = 300
_ANSWER_LENGTH = 160
_ASKS_TO_DECIDE = re.compile(
    r"\b(?:which (?:do|would|one|way|should|of)|how (?:should|do you want|would you like)|what should)\b[^\n]*\?"
    r"|\b(?:do you|would you|should|shall|want)\b[^\n]*\bor\b[^\n]*\?"
    r"|\b(?:would|should|is|are|do)\b[^\n]*\d[^\n]*\b(?:suits?|ok(?:ay)?|fine|enough|be|do)\b[^\n]*\?"
    r"|(?:어떤|어느|무엇|뭘|뭐로|어떻게|언제|몇|아니면|또는)[^\n]*까요?\s?\?|\d[^\n]*(?:될|할|괜찮을|적당할|충분할)까요\s?\?",
    re.IGNORECASE,
)
"""An agent asks which way it is to be, and not how something is."""
_PROPOSES_VALUE = re.compile(
    r"(?:제안|추천)(?:합니다|드립니다|드려요|해요)|\bi(?:['’]d| would) (?:suggest|propose|recommend)\b", re.IGNORECASE
)
_DECLINES = re.compile(
    r"^\W{0,3}(?:(?:hm+|uh|음|아)\W{1,4})?(?:no|nope|nah|not|wait|stop|hold|skip|later|dunno|idk|i don['’]?t know"
    r"|아니|아뇨|ㄴㄴ|노노|잠깐|모르|글쎄|나중|됐)(?![a-z])|나중에|잠깐만?(?:요)?\b",
    re.IGNORECASE,
)
_BARE_YES = re.compile(rf"^\W{{0,3}}(?:{YES}\W{{0,4}}){{1,2}}", re.IGNORECASE)
_SHORT_ANSWER = 24
"""Characters of an answer that need no word of the question: there is room for little else."""
_OPENING = 60
"""Characters in which a reply says that it declines."""
_DIGIT = re.compile(r"\d")
_END = re.compile(r"[.!?…](?=\s|$)|\n")
_LAST_SENTENCES = 3
"""In which an agent asks for a choice, at the end of its message."""
_LISTED = re.compile(r"^[ \t]{0,4}(?:[-*+•]|\d{1,2}[.)])[ \t]{1,4}\S", re.MULTILINE)


def told_in_own_words(messages: Sequence[Message], asked: int, index: int) -> Iterator[ExtractedEntry]:
    """What a reply says that it is to be, with the question that left it to the person."""
    asking = _asked_to_decide(messages[asked].text)
    if asking is None:
        return
    has_options = bool(options_of(messages[asked].text))
    answer = _in_own_words(messages[index].text, asking, may_be_short=not has_options)
    if answer is not None:
        yield ExtractedEntry("decision", title_of(f"{asking.text} {answer}"), (Quote(index, answer), Quote(asked, asking.text)))


def _asked_to_decide(asked: str) -> Sentence | None:
    """The question at the end of a message that leaves a choice to the person, or what it proposes there."""
    last = sentences(asked)[-_LAST_SENTENCES:]
    asking = [one for one in last if _ASKS_TO_DECIDE.search(one.text)]
    return next(iter(asking or [one for one in last[-1:] if _PROPOSES_VALUE.search(one.text)]), None)


def _in_own_words(reply: str, asking: Sentence, *, may_be_short: bool) -> str | None:
    """What a short reply says that it is to be; None where it only agrees, declines, asks or goes on to something else.

    Args:
        may_be_short: a few words are an answer without a word or a number of the question.
    """
    text = reply.strip()
    if len(text) > _MOST_REPLY or _DECLINES.search(text[:_OPENING]) or CLOSES.match(text) or _LISTED.search(text):
        return None
    agreed = _BARE_YES.match(text)
    said = text[agreed.end() :] if agreed else text
    end = _END.search(said)
    head = said[: end.end()] if end else said
    if not words_of(head) or head.rstrip().endswith("?") or is_one_turn(head) or TELLS_TO.match(head):
        return None
    shared = stems_of(words_of(head)) & stems_of(words_of(asking.text))
    is_value = _DIGIT.search(head) is not None and _DIGIT.search(asking.text) is not None
    if not (shared or is_value or (may_be_short and len(head.strip()) <= _SHORT_ANSWER)):
        return None
    return text.splitlines()[0].strip()[:_ANSWER_LENGTH]
