"""What a sentence says that its task waits for, in the sentence's own words, English and Korean."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_assets.extraction.task_state import is_waiting

MOST_CHARACTERS = 200
"""A blocker is a thing with a name, never a paragraph."""
MOST_BLOCKERS = 6
_MOST = 600
"""Characters of a sentence that are read."""

# Each repetition is bounded, and what is taken ends at the first mark that can end it.
_END = (
    r"(?=\s{0,2}(?:$|[;!?\n)\]]|\.(?:\s|$)|\s[—–-]\s"
    r"|,?\s(?:so|but|because|since|while|which|before|then|and (?:then|we|i|so|it|can)|right now|at the moment|for now)\b"
    r"|,\s(?:we|i|it|the rest)\b))"
)
_WHAT = r"(?P<what>[^\s,.;!?:][^\n;!?]{0,260}?)"
_AFTER = re.compile(
    r"(?:\bblocked (?:on|by|until|for|behind|waiting (?:for|on))|\bwait(?:ing|s)? (?:for|on|until)"
    r"|\bstuck (?:on|waiting for|until|behind)|\b(?:depends?|depending|dependent) on|\bon hold (?:until|for|pending)"
    r"|\bcan(?:'t|not| not) (?:[^\s.;!?]{1,30} ){0,10}?(?:until|before|without)|\b(?:not|isn't) possible (?:until|before)"
    r"|(?:\bblocked by|\bblockers?|\bdepends on|블로커|막힌 이유|선행 ?작업)\s?[:：])\s{1,3}"
    rf"{_WHAT}{_END}",
    re.IGNORECASE,
)
_DEED = r"(?:완료|머지|병합|승인|배포|확정|발급|해결|준비|공개|결정|합의|종료|통과|구현|수정|적용|릴리스|개통|설치|생성)"
_SUBJECT_OF = rf"(?:(?:[이가을를은는]|부터)(?:\s{_DEED}[이가을를]?)?)?\s?"
_WORDS = r"\s(?:[^\s.;!?]{1,20} )"
_BEFORE = re.compile(
    r"(?P<stuck>\s?(?:에서|에|으로|로 ?인해|로)\s?막(?:혀|혔|힘|힌)|\s?에 블[락록])"
    r"|(?P<awaited>[을를만도]?\s?기다(?:리|려)|[을를]?\s대기\s?(?:중|상태))"
    rf"|(?P<cause>\s?때문에(?={_WORDS}{{0,4}}(?:못|막|진행 ?불가|대기)))"
    rf"|(?P<lack>[이가은는도]?\s?(?:없어서|안 ?[나와돼]{{1,2}}서|못 ?받아서)(?={_WORDS}{{0,4}}(?:못|막|진행)))"
    rf"|(?P<must>{_SUBJECT_OF}(?:되어|돼|되|끝나|나와|와|받아|풀려|있어|내려와|올라와|해)야만?"
    rf"(?={_WORDS}{{0,5}}?(?:가능|수 있|시작|진행)))"
    rf"|(?P<till>{_SUBJECT_OF}(?:되기|끝나기|나오기|받기)?\s?전(?:까지|에는)"
    rf"(?={_WORDS}{{0,3}}(?:못|불가|대기|수 없|안 ?[됨돼])))"
    rf"|(?P<until>{_SUBJECT_OF}(?:될|끝날|나올|올|받을|풀릴|할)\s?때까지"
    rf"(?={_WORDS}{{0,3}}(?:못|불가|대기|보류|멈|수 없|기다|안 ?[됨돼])))"
)
_REACH = 160
_CLAUSE = re.compile(
    r"[.!?;\n:：—–]\s|[고서데만니며]\s{0,2},\s"
    r"|(?:[았었했됐됬]고|지만|는데|인데|므로|이라서?|느라|니까|해서|아직|지금|현재)\s",
    re.I,
)
_TOPIC = re.compile(r"^(?:[^\s,]{1,30}\s){0,4}?[^\s,]{0,29}[^\s하되있없같많작좋주오가보쓰받리지르르][은는]\s(?=\S)")
_SUBJECT = re.compile(r"^(?:[^\s,]{1,30}\s){0,2}?[^\s,]{1,29}[가-힣][이가]\s(?=\S)")
_NO_SUBJECT = re.compile(r"(?:평가|추가|허가|인가|원가|증가|참가|휴가|국가|차이|사이|페이|아이|데이|레이|높이|길이|깊이)\s$")
_SPLIT = re.compile(
    r"\s{0,3},\s{1,3}(?:and\s{1,3}(?:also\s)?(?:on\s|for\s|by\s)?)?|\s{0,3}(?<=[가-힣)\]\d])\s및\s{1,3}"
    r"|(?<=[가-힣])(?<!결)(?<!효)(?<!성)(?<!통)(?<!초)(?<!경)(?<!학)[과와]\s{1,3}|\s(?:이랑|하고)\s|(?<=[가-힣\d])(?:이랑|랑)\s|\s&\s"
)
_AND = re.compile(r"\s{1,3}and\s{1,3}(?:also\s)?(?:on\s|for\s|by\s)?", re.IGNORECASE)
_INFINITIVE = re.compile(r"\sto\s[a-z]", re.IGNORECASE)
_EDGES = " \t*_`\"'“”‘’([{<-–—:：,."
_LAST = " \t*_\"'“”‘’,.:;!~"
_NOTHING = frozenset(
    {"it", "this", "that", "these", "those", "them", "something", "someone", "you", "me", "us", "anything", "everything",
     "now", "later", "today", "more", "too", "the", "a", "an",
     "또", "계속", "다시", "것", "거", "이", "그", "저", "다", "더", "좀",
     "이것", "이거", "그것", "그거", "저것", "뭔가", "이게", "그게", "아직", "지금", "현재"}
)  # fmt: skip


def blockers_in(text: str) -> tuple[str, ...]:
    """What the task of a sentence waits for; empty where it waits for nothing, or does not say for what.

    Each is verbatim text of the sentence, of at most ``MOST_CHARACTERS`` characters; several that stand together in a list
    are taken apart.
    """
    straight = text[:_MOST].replace("’", "'")
    found: dict[str, None] = {}
    for start, end in (*_behind(straight), *_in_front(straight)):
        for low, high in _apart(straight, start, end):
            said = text[low:high]
            if said.casefold() not in _NOTHING and any(c.isalnum() for c in said) and len(said) <= MOST_CHARACTERS:
                found.setdefault(said)
    kept = [one for one in found if not any(one != other and one in other for other in found)]
    return tuple(kept[:MOST_BLOCKERS])


def _behind(text: str) -> Iterator[tuple[int, int]]:
    """Spans behind an English phrase of waiting."""
    for match in _AFTER.finditer(text):
        if is_waiting(text, match):
            yield match.span("what")


def _in_front(text: str) -> Iterator[tuple[int, int]]:
    """Spans in front of a Korean one, from the beginning of their clause."""
    floor = 0
    for match in _BEFORE.finditer(text):
        if match.start() < floor or not is_waiting(text, match):
            continue
        start = max(floor, match.start() - _REACH)
        for clause in _CLAUSE.finditer(text, start, match.start()):
            start = clause.end()
        for lead in (_TOPIC, _SUBJECT if match.lastgroup in ("stuck", "cause", "awaited", "lack") else None):
            cut = lead.match(text[start : match.start()]) if lead is not None else None
            if cut is not None and not (lead is _SUBJECT and _NO_SUBJECT.search(cut.group())):
                start += cut.end()
        floor = match.end()
        if start < match.start():
            yield start, match.start()


def _apart(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The things of a list, each without the marks around it."""
    cuts = [match.span() for match in _SPLIT.finditer(text, start, end)]
    if not _INFINITIVE.search(text[start:end]):
        cuts = sorted([*cuts, *(match.span() for match in _AND.finditer(text, start, end))])
    low = start
    for cut, behind in [*cuts, (end, end)]:
        if cut >= low:
            yield _trimmed(text, low, cut)
            low = behind


def _trimmed(text: str, low: int, high: int) -> tuple[int, int]:
    while low < high and (text[low].isspace() or text[low] in _EDGES):
        low += 1
    while high > low and (text[high - 1].isspace() or text[high - 1] in _LAST):
        high -= 1
    return low, high
