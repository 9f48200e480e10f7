"""Whether a sentence says of what it names that it is merged, closed or done: said, not asked, wished or denied."""

from __future__ import annotations

import re
from typing import Literal

REACH = 90
"""How far from a reference the words that settle it are looked for, in characters."""

Side = Literal["before", "behind"]

_DONE = r"(?:merged|closed|done|landed|released|resolved|shipped|fixed|deployed|completed|finished)"
_POLITE = r"(?:음|다|습니다|어요?|네요?|죠|고|어서|으니|으므로)"
_WORK = r"(?:머지|병합|해결|배포|완료|릴리스|릴리즈|출시|반영|수정|종료)"
_NOT_YET = (
    r"(?!\s?(?:후|뒤|되면|하면|면|까지|시\b|대기|예정|필요|전|여부|인지|되어야|돼야|해야|안|못|[가-힣]{0,2}지\s?(?:않|못)))"
)

_BEHIND = re.compile(
    r"[\s)\]`'\"*,:–—-]{0,4}(?:\([^()\n]{1,60}\)\s?)?(?:(?:이|가|은|는|을|를|도|번)(?=\s)\s?)?"
    r"(?:(?:is|was|are|were|has|have|been|got|now|all|already|just|finally|both)\s+|(?:방금|이미|이제|드디어|오늘|어제|모두|둘\s?다|전부)\s+){0,4}"
    rf"(?:{_DONE}\b(?!\s+(?:yet|when|once|if|unless|until|as\s+soon|tomorrow|soon|later|by\s+tomorrow))"
    rf"|{_WORK}\s?(?:됨|됐{_POLITE}|되었{_POLITE}|했{_POLITE}|하였{_POLITE}|함|완료(?:됨|했{_POLITE}|됐{_POLITE})?)|완료|종료"
    rf"|닫(?:힘|혔{_POLITE}|았{_POLITE}|음)|끝(?:남|났{_POLITE}|냄|냈{_POLITE}))(?![가-힣])"
    rf"{_NOT_YET}",
    re.IGNORECASE,
)
_BEFORE = re.compile(rf"\b{_DONE}(?:\s+(?:the|our|my|in|by|via|with|upstream))?[\s:`(\[]{{1,3}}\Z", re.IGNORECASE)
_OPEN = re.compile(
    r"\b(?:if|when|once|until|till|after|before|unless|whether|wait(?:ing|s)?|blocked|should|shall|will|must|can|could|may|might"
    r"|would|needs?|not|never|no|to|be|being|gets?|want|hope|plan|let['’]?s|ensure|check|verify|isn['’]?t|wasn['’]?t|hasn['’]?t"
    r"|haven['’]?t|didn['’]?t|unless|assuming|expect)\b|n['’]t\b|아직|만약|안\s",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?。]\s|[\n;]")
_CLOSING = re.compile(r"[.!?。](?=\s|\Z)|[\n;]")
_QUESTION = re.compile(r"\?|(?:까|나요|는지|은지)\b")
_CONNECTED = re.compile(r"\s{0,2}(?:번)?(?:,|and|&|및|와|과|이랑|랑|,\s?and)?\s{0,2}")


def says_settled(text: str, start: int, end: int) -> Side | None:
    """Where the words stand that say that what ``text[start:end]`` names is settled; None where none say so."""
    before = text[max(0, start - REACH) : start]
    before = _SENTENCE.split(before)[-1]
    behind = text[end : end + REACH]
    if closing := _CLOSING.search(behind):
        behind = behind[: closing.end()]
    if _QUESTION.search(behind):
        return None
    if (said := _BEHIND.match(behind)) and said[0].strip() and not _OPEN.search(before):
        return "behind"
    if (said := _BEFORE.search(before)) and not _OPEN.search(before[: said.start()]):
        return "before"
    return None


def is_joined(between: str) -> bool:
    """Whether two references stand in one list: ``PR 1 and PR 2``."""
    return len(between) <= 12 and _CONNECTED.fullmatch(between) is not None and bool(between.strip())
