"""A person's answer, in words of their own, to a question that leaves it to them which way it is to be.

``720h. old AMIs bit us in the audit`` decides what "keep them, or recycle them after 30 days?" asks; the decision quotes both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory_assets.extraction.assent import CLOSES, TELLS_TO, YES
from memory_assets.extraction.completeness import also_orders
from memory_assets.extraction.schema import ExtractedEntry, Quote
from memory_assets.extraction.sentence_context import stems_of, words_of
from memory_assets.extraction.titles import title_of
from memory_assets.sessions.model import Message
from memory_assets.sessions.origins import origins_of
from memory_assets.tasks.one_turn import is_one_turn
from memory_assets.text.chat_commands import only_tells_program
from memory_assets.text.sentences import Sentence, sentences

_MOST_REPLY = 300
_ANSWER_LENGTH = 160
_ASKS_TO_DECIDE = re.compile(
    r"\b(?:which (?:do you|would you|one|way|should)|how (?:many|much|long)\b[^\n?]{0,40}\b(?:should|do you want)"
    r"|what should (?:it|the|its))\b[^\n]*\?"
    r"|\b(?:do you want|would you (?:like|prefer|rather)|should (?:i|we|it|they)|shall (?:i|we))\b[^\n]*\bor\b[^\n]*\?"
    r"|\b(?:would|should)\b[^\n]*\d[^\n]*\b(?:suits?|ok(?:ay)?|fine|enough|be|do)\b[^\n]*\?|\bshould\b[^\n]*\bbe\b[^\n]*\d[^\n]*\?"
    r"|(?:어떤|어느|무엇|뭘|뭐로|어떻게|몇|아니면|또는)[^\n]*(?:[할둘쓸갈]|지울|유지할|바꿀|정할|만들|나눌|올릴)까요\s?\?"
    r"|\d[^\n]*(?:될|할|괜찮을|적당할|충분할)까요\s?\?",
    re.IGNORECASE,
)
"""An agent asks which way it is to be, and not how something is."""
_ASKS_WHAT_NEXT = re.compile(r"\b(?:next|anything else|stop here|proceed)\b|다음|도와", re.IGNORECASE)
_OFFERS_WAYS = re.compile(r"\bor\b|아니면|또는|\bvs\b|중 ?(?:에서)?\s?(?:무엇|어떤|어느)", re.IGNORECASE)
_PROPOSES_VALUE = re.compile(
    r"\d[^\n]*(?:제안|추천)(?:합니다|드립니다|드려요|해요)|\bi(?:['’]d| would) (?:suggest|propose|recommend)\b[^\n]*\d",
    re.IGNORECASE,
)
_DECLINES = re.compile(
    r"^\W{0,3}(?:(?:hm+|uh|음|아)\W{1,4})?(?:no|nope|nah|not|wait|stop|hold|skip|later|dunno|idk"
    r"|아니|아뇨|ㄴㄴ|노노|잠깐|글쎄|나중|됐)(?![a-z])"
    r"|\b(?:none|neither|either|whatever|you decide|up to you|think about|let me|check with|later|actually no|don['’]?t know)\b"
    r"|나중에|잠깐만|모르|몰라|알아서|아무거나|생각 ?(?:좀 )?해|아직|싫|별로",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^\W*(?:what|why|how|where|when|who|which|did|does|do|is|are|can|could|explain|see|show|tell)\b"
    r"|(?:뭐|뭔|왜|어떻게|어디|언제)\S*|보여 ?줘|설명해|\?\s*$",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\b(?:fail\w*|errors?|broken|crash\w*|returns?|traceback|is (?:stopped|slow|too)|are|was|were|has|have|had"
    r"|needs?|costs?|locks?"
    r"|tried|deleted|already|dislike|hate|anything but|right\W*$)\b"
    r"|에러|오류|얼마|느[려리]|비[싸쌌]|짧|길어|많아|안 ?[되돼써쓰]|[하되]면\s|[:$]\s",
    re.IGNORECASE,
)
"""A reply that tells how something is, or that speaks against it."""
_NO = re.compile(r"^\W{0,3}(?:hm+\W{1,4})?(?:no|nope|nah|아니|아뇨)[,.]?\s{1,3}(?=\S)", re.IGNORECASE)
"""In front of what is wanted instead: ``no, recycle them after 60 days``."""
_BARE_YES = re.compile(rf"^\W{{0,3}}(?:{YES}\W{{0,4}}){{1,2}}", re.IGNORECASE)
_VALUE = re.compile(
    r"^\W*(?:make it |set it to |keep it at )?[~<>]?\d[\w.%-]*(?:\s?[A-Za-z가-힣]{1,12})?(?=\s*$|[.,;!\n])", re.IGNORECASE
)
_NAMED = re.compile(r"^\W*[\w./`-]{2,40}(?:\s[\w./`-]{2,20})?\s?(?:으)?로(?=\s*$|[.,!\n])")
_MOST_HEAD = 120
_SHORT = 24
"""Characters of a second sentence that answers where the first one speaks against the other way."""
_HEADS = re.compile(r"[^\s][^\n]*?(?:[.!?…](?=\s|$)|(?=\n)|$)")
_LAST_SENTENCES = 3
"""In which an agent asks for a choice, at the end of its message."""
_LISTED = re.compile(r"^[ \t]{0,4}(?:[-*+•]|\d{1,2}[.)])[ \t]{1,4}\S", re.MULTILINE)


def told_in_own_words(messages: Sequence[Message], asked: int, index: int) -> Iterator[ExtractedEntry]:
    """What a reply says that it is to be, with the question that left it to the person."""
    asking = _asked_to_decide(messages[asked].text)
    answer = _in_own_words(messages[index].text, asking) if asking is not None else None
    if asking is not None and answer is not None and all(one.origin == "typed" for one in origins_of(messages[index])):
        yield ExtractedEntry("decision", title_of(f"{asking.text} {answer}"), (Quote(index, answer), Quote(asked, asking.text)))


def _asked_to_decide(asked: str) -> Sentence | None:
    """The question at the end of a message that leaves a choice to the person, or the value that it proposes there."""
    last = sentences(asked)[-_LAST_SENTENCES:]
    asking = [one for one in last if _ASKS_TO_DECIDE.search(one.text) and not _ASKS_WHAT_NEXT.search(one.text)]
    return next(iter(asking or [one for one in last[-1:] if _PROPOSES_VALUE.search(one.text)]), None)


def _in_own_words(reply: str, asking: Sentence) -> str | None:
    """What a short reply says that it is to be: a value, a name in Korean ("workmanager로"), or one of the ways that are asked
    about; None where it only agrees, declines, asks, orders, or tells how something is."""
    text = reply.strip()
    if (
        len(text) > _MOST_REPLY
        or CLOSES.match(text)
        or _LISTED.search(text)
        or only_tells_program(text.splitlines()[0] if text else "")
    ):
        return None
    agreed = _BARE_YES.match(text) or _NO.match(text)
    said = text[agreed.end() :] if agreed else text
    first, *others = _HEADS.findall(said)[:2] or [""]
    if _DECLINES.search(first) or _ASKS.search(first) or is_one_turn(first) or TELLS_TO.match(first):
        return None
    if not (_is_answer(first, asking) or any(len(other) <= _SHORT and _is_answer(other, asking) for other in others)):
        return None
    # The answer begins behind a yes that has a line of its own.
    line = text.splitlines()[0] if agreed is None or "\n" not in text[: agreed.end()] else said.splitlines()[0]
    return line.strip()[:_ANSWER_LENGTH]


def _is_answer(said: str, asking: Sentence) -> bool:
    """Whether a sentence is a value, a name in Korean, or one of the ways that a question names."""
    if _TELLS.search(said) or _ASKS.search(said) or _DECLINES.search(said):
        return False
    if _VALUE.match(said) or _NAMED.match(said):
        return True
    shared = stems_of(words_of(said)) & stems_of(words_of(asking.text))
    return bool(shared) and len(said) <= _MOST_HEAD and _OFFERS_WAYS.search(asking.text) is not None and not also_orders(said)
