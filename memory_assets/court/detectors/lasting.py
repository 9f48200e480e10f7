"""Orders that last by their form: something to be done or left, and what makes it hold for more than what is done just now.

Whoever says "from now on" is heard by ``orders``. Here the words are any: an activity of the one who is spoken to that comes
again ("whenever you touch a handler"), each thing that is made in it, a place taken whole, nothing and nobody, or that it is to
stay so. An order alone ("replace all tabs") is a task, and a scope alone ("it fails in every file") is told.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from memory_assets.court.detectors.cues import cue

_LEAD: Final = (
    r"(?:^|[.;!:] )\W{0,3}(?:(?:please|and|also|so|but|then|ok(?:ay)?|good|fine|right|oh|hm+|well|in general|generally|hold on"
    r"|one (?:more )?thing|side note|fyi|reminder|for your notes)\b[\s,.:!—–-]{1,4}){0,4}"
)
_NO_ACTIVITY: Final = (
    r"(?!(?:want|need|like|think|know|see|saw|have|had|find|found|get|got|are|were|did|can|could|will|would|should|must|may|just"
    r"|wrote|made|built|sent|ran|broke|took|gave|told|said|meant|mentioned|asked)\b)"
)
_UNLESS: Final = r"\b(?:without|unless|until|before|except)\b"
_AGAIN: Final = r"(?:whenever|(?:each|every|any) ?time|when|before|after|if|once)"
_BEGINS: Final = r"(?!(?:touch|start|begin|do|change|edit|write|build|code) any)"
_ACT: Final = (
    rf"(?:you|we) {_NO_ACTIVITY}{_BEGINS}[a-z]{{2,14}}(?<!ed)\b(?: [\w./-]{{1,20}}){{0,2}}? "
    r"(?:an?|any|anything|something|some|new|another|everything)\b"
)
_IMPERATIVE: Final = r"(?:DOES|[a-z]{2,12}(?:ate|ify|i[sz]e)|re(?!ally|ady|cent)[a-z]{3,12})(?<!s)\b"
_ALL_OF: Final = (
    r"(?:in|across|throughout|through|for|on) (?:any|every|each|all|the (?:whole|entire)|this|our)\b(?: (?:of )?(?:the|our))?"
    r"(?: [\w-]{2,16})? (?:repos?|repositor(?:y|ies)|code ?base|project|monorepo|files?|modules?|packages?|services?|code)\b"
)


# IMPERATIVE, WORK and TELLS_ME stand for lists of `cues.toml`.
_ENGLISH: Final = (
    # whenever you touch a handler regenerate …; run … before you hand anything over
    rf"{_LEAD}{_AGAIN} {_ACT}[^\n]{{0,60}}?[, ] ?(?:then )?IMPERATIVE",
    rf"{_LEAD}IMPERATIVE [^\n]{{2,80}}\b{_AGAIN} {_ACT}",
    # show me the plan with each index you add
    rf"{_LEAD}IMPERATIVE [^\n]{{2,60}}\b(?:with|for|in|on|to|after|before|of|near|beside) (?:each|every|any|all|whatever"
    rf"|anything|everything) (?:[\w-]{{2,20}} ){{0,3}}(?:that |which )?you {_NO_ACTIVITY}[a-z]{{2,14}}(?<!ed)\b",
    # it is to stay so, or holds for all
    r"\bkeep (?:it|them|things) (?:that|this) way\b|\b(?:make it|get into) (?:a|the) habit\b",
    r"\b(?:goes|holds|applies|counts) (?:for|to) (?:all|every|each|any|everyone|everybody|the (?:whole|entire))\b",
    # nothing goes in until the freeze is over; no change leaves without a review
    rf"{_LEAD}(?:nothing|nobody|no one|no (?:[\w-]{{2,16}} ){{0,2}}WORKs?) (?:ever )?"
    r"(?:goes?|gets?|lands?|leaves?|enters?|ships?|touch(?:es)?|push(?:es)?|merges?|deploys?|moves?|edits?|commits?"
    r"|is (?:merged|pushed|deployed|committed|released|changed|touched)) [^\n]{0,60}"
    rf"{_UNLESS}",
    # I don't want new packages in this repo; stop putting comments in any file; leave everything under gen/ alone
    r"\bi (?:don['’]t|do not|never|only) (?:ever )?(?:want|need|like|accept|take) [^\n]{3,60}"
    rf"(?:{_ALL_OF}|\bunless (?:we|i)\b|\b(?:any|every)where\b)",
    rf"{_LEAD}(?:stop|quit|avoid|no more|don['’]?t|do not|never) (?!do\b|touch anything\b)[^\n]{{3,100}}(?:{_ALL_OF}"
    r"|\banywhere\b(?! else))",
    rf"{_LEAD}(?:leave|keep) (?:everything|anything|all|whatever)\b(?: [\w./*-]{{1,30}}){{1,5}} "
    r"(?:alone|untouched|as (?:it )?is|be)\b",
    rf"{_LEAD}(?:hands off|(?:don['’]?t|do not|never) touch) (?:everything|anything|whatever) (?:in|under|below|inside)\b",
    rf"{_LEAD}hands off [^\n]{{2,60}}{_UNLESS}",
    # every query you write is to be explained; anything that people see sits behind a flag; that is how we do it
    r"\bi(?:['’]d like| want| expect| need) (?:each|every|all|any|everything|anything) (?:[\w-]{2,20} ){0,3}"
    rf"you {_NO_ACTIVITY}[a-z]{{2,14}}(?<!ed)(?: (?:me|us))? to\b",
    rf"{_LEAD}(?:anything|everything) (?:[\w-]{{2,20}} ){{1,4}}"
    r"(?:sits|stays|lives|belongs|goes (?:in|into|behind|through|to))\b",
    r"\bthat(?:['’]s| is) how we [a-z]{2,14}\b(?! (?:got|ended|it)\b)",
    rf"{_LEAD}(?:if|when|whenever) [^\n]{{3,60}}\bin the same (?:WORK)\b",
    # a fix without a test does not get merged; schema changes go past Dana first
    rf"{_LEAD}an? (?:[\w-]{{2,16}} ){{1,3}}(?:without|with|that) [^\n]{{3,50}} "
    r"(?:does(?:n['’]t| not)|never|won['’]t|will not|is(?:n['’]t| not)|can(?:not|['’]t)) (?:get |be |go )?"
    rf"(?:merged|released|deployed|reviewed|approved)\b",
    rf"{_LEAD}(?:[\w-]{{2,16}} ){{0,2}}WORKs? go(?:es)? (?:past|through|via|by|to) [^\n]{{2,40}}(?:\bfirst\b"
    r"|\bno exceptions?\b|\bbefore\b)",
)
_POINTS: Final = r"(?:이|그|저|요|여기|거기|지금|이번|일단|오늘|당장|나머지|아까|방금)"
_NOT_HERE: Final = rf"^(?!\W{{0,3}}{_POINTS}(?:거|건|게|것|번|쪽|걸)?(?=[\s은는이가]))"
_END: Final = r"[\s.!~]{0,4}\Z"
_NEGATED: Final = r"지 ?(?:마|말)(?:세요|시고|아요?|자|라|고|아 ?(?:주세요|줘요?))?"
_KOREAN: Final = (
    # nowhere, to nobody
    rf"(?:어디(?:서|에|에서)?도|아무 ?(?:데도|한테도)|누구(?:도|한테도)) [^\n]{{0,40}}{_NEGATED}",
    # a rule about things of a kind: …는 …하도록 해
    rf"{_NOT_HERE}[^\n]{{1,40}}[가-힣A-Za-z](?:은|는) [^\n]{{1,40}}"
    rf"(?<!되)도록 ?(?:해|하세요|하자|합시다|하십시오|해요)(?:야 ?해)?{_END}",
    # it is our rule; …할 때만 …하는 거야
    r"(?:는|은|인|지|한) (?:게|것이|걸|건|것은) (?:[가-힣A-Za-z]{1,8} ){0,3}(?:원칙|규칙|방침|컨벤션|약속|룰|관례|국룰)",
    rf"{_NOT_HERE}[^\n]{{1,40}}(?:은|는) [^\n]{{2,40}}(?:때만|에만|에서만|만|먼저|후에) "
    rf"[^\n]{{1,24}}는 (?:거야|거예요|거다|겁니다|거임){_END}",
    # not there but so: main에는 푸시하지 말고 PR로 올려
    r"(?:에는|에선|에서는|에다|엔) [^\n]{0,16}(?:WORK)[^\n]{0,10}지 ?말고 [^\n]{2,60}",
    # not without a review; what takes long is told before it is run
    r"없이(?:는)? [^\n]{0,16}(?:WORK)[^\n]{0,10}(?:안 ?(?:돼|됩니다|된다|됨|해|합니다|받)|못 ?(?:해|합니다))",
    r"(?:는|은|ㄴ|ㄹ) (?:건|것은|거는?|일은) [^\n]{0,20}기 ?전에(?:는|엔)? [^\n]{0,20}(?:TELLS_ME)",
    # whoever, whatever, wherever it is
    rf"(?:누가|뭘|무엇을|어디서|언제) [^\n]{{1,16}}든(?:지)?(?=[\s,])[^\n]{{2,60}}(?:{_NEGATED}|줘|세요|해|하자|둬){_END}",
)
_WHEN = re.compile(r"(?P<before>[^\n,.]{0,40}?)(?P<verb>[가-힣]{1,8}) ?(?:땐|때는|때엔|때에는|때마다|적엔)(?=[\s,])")
_CLAUSE = re.compile(r"(?<=[가-힣](?:데|고|만|서)) |(?<=[가-힣]지만) ")
_SUBJECT = re.compile(r"[가-힣](?:이|가) ")
_RIEUL: Final = 8
"""The number of the final consonant with which a Korean verb says what is still to come."""
_SYLLABLES: Final = 0xAC00
_FINALS: Final = 28
_HERE = re.compile(rf"^\W{{0,3}}{_POINTS}")


def lasts(text: str) -> bool:
    """Whether a person's sentence, which orders nothing from now on in so many words, orders something that lasts."""
    if any(pattern.search(text) for pattern in _english()):
        return True
    return any(pattern.search(text) for pattern in _korean()) or _whenever_in_korean(text)


@cache
def _english() -> tuple[re.Pattern[str], ...]:
    """Made when the first sentence is read: whoever imports this may hear no case."""
    imperative = _IMPERATIVE.replace("DOES", cue("order", "english_verbs").pattern)
    work = cue("order", "english_work").pattern
    told = (pattern.replace("IMPERATIVE", imperative).replace("WORK", work) for pattern in _ENGLISH)
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in told)


@cache
def _korean() -> tuple[re.Pattern[str], ...]:
    tells_me, work = (cue("order", name).pattern for name in ("korean_tells_me", "korean_work"))
    return tuple(re.compile(pattern.replace("TELLS_ME", tells_me).replace("WORK", work)) for pattern in _KOREAN)


def takes_all(text: str) -> bool:
    """Whether a sentence denies something of all and everybody: an ``until`` in it is no end of this turn."""
    return cue("order", "takes_all").search(text) is not None


def _whenever_in_korean(text: str) -> bool:
    """Whether something is ordered for each time that who is spoken to does something: ``건드릴 땐 먼저 얘기해줘``."""
    found = _WHEN.search(text)
    if found is None or not _is_to_come(found["verb"]):
        return False
    clause = _CLAUSE.split(found["before"])[-1]
    if _HERE.match(clause) or _SUBJECT.search(clause):
        return False
    behind = text[found.end() :]
    is_work = cue("order", "korean_works").search(found["verb"]) is not None
    return (is_work or cue("order", "korean_tells_me").search(behind) is not None) and (
        cue("order", "korean_orders").search(behind) is not None
    )


def _is_to_come(verb: str) -> bool:
    return (ord(verb[-1]) - _SYLLABLES) % _FINALS == _RIEUL
