"""Questions for what the store keeps about something: what was decided of it, what is left to do, and how a task stands.

``list_questions`` knows those that ask for all of it. What a question is about is any words; whether the store keeps anything
about it is seen when it is looked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

Kept = Literal["decision", "open", "state"]
"""Decisions that hold, tasks that are open, or tasks however they stand."""

MOST_CHARACTERS: Final = 120
"""Of a question; what is longer is a story, in which one stands."""
_POINTS: Final = re.compile(
    r"(?:it|this|that|these|those|they|(?:every|any|some|no)thing|all|any|some|there|here|we|you|i|he|she"
    r"|[그이저](?:거|것|게|건)|다|모두|전부|뭐|뭐가|무엇|아직|이제|벌써|우리|우리가|나|내가)(?: .*)?",
    re.IGNORECASE,
)
"""Begins with what says nothing of what is meant."""

_TOPIC: Final = r"(?P<topic>\S.*?)"
_ABOUT: Final = r"(?:about|on|for|regarding|concerning|with)"
_SHOW: Final = r"(?:(?:can|could) you )?(?:list|show|give|tell)(?: me)? "
_WHEN: Final = r"(?: (?:already|yet|now|finally|by now|so far))?"
_DONE: Final = r"(?:done|finished|fixed|completed?|resolved|solved|implemented|shipped|merged|closed)"
_DID: Final = r"(?:finish|fix|complete|resolve|solve|implement|ship|merge|close)(?:e?d)?"
_ENGLISH: Final[tuple[tuple[Kept, str], ...]] = (
    (
        "decision",
        rf"what (?:did|have|had) (?:i|we){_WHEN} (?:decided?|agreed?(?: on| to do)?|settled?(?: on)?|concluded?){_WHEN}"
        rf" {_ABOUT} {_TOPIC}",
    ),
    (
        "decision",
        rf"what (?:was|were|is|has been|have been){_WHEN} (?:decided|agreed|settled|concluded)(?: on)? {_ABOUT} {_TOPIC}",
    ),
    (
        "decision",
        rf"(?:what (?:is|are|was|were) |{_SHOW})?(?:all )?(?:the |my |our )?decisions?(?: (?:we|i) (?:made|took))?"
        rf" {_ABOUT} {_TOPIC}",
    ),
    ("decision", rf"(?:what|which) decisions (?:did|have) (?:i|we) (?:make|made|take|taken|have) {_ABOUT} {_TOPIC}"),
    (
        "open",
        r"what(?:(?:['’]s| is)(?: still)? (?:left|open)(?: to (?:do|be done))?| remains(?: to (?:do|be done))?)"
        rf" (?:about|on|for|regarding|with) {_TOPIC}",
    ),
    (
        "open",
        rf"(?:what (?:is|are) |which |{_SHOW})?(?:all )?(?:the |my |our )?(?:open|remaining|unfinished)"
        rf" (?:tasks|to-?dos|items|work)(?: are (?:there|left))? {_ABOUT} {_TOPIC}",
    ),
    ("state", rf"(?:is|are|was|were) {_TOPIC}{_WHEN} {_DONE}{_WHEN}"),
    # Of any other verb the verb says which task is meant.
    ("state", r"(?:is|are|was|were|has|have) (?P<topic>\S.*? (?:been )?\w{2,}ed)" + _WHEN),
    ("state", rf"(?:did|have|has) (?:i|we|you|anyone|anybody|somebody){_WHEN} {_DID} {_TOPIC}{_WHEN}"),
    (
        "state",
        r"(?:did|have|has) (?:i|we|you) (?!(?:already )?(?:decid|agree|sa[iy]|talk|discuss|mention|cho[os]|pick|settle|plan"
        rf"|want|have|know|think|need|get|got|ever))(?P<topic>\w+ \S.*?){_WHEN}",
    ),
    ("state", rf"what(?:['’]s| is) the (?:state|status|progress) (?:of|on|with) {_TOPIC}{_WHEN}"),
)

_OF_KOREAN: Final = r"(?: ?에 ?(?:대해서?|관해서?)는?| ?(?:와|과)? ?관련(?:해서|하여|해)?는?)"
_ON_KOREAN: Final = r"(?: ?에 ?(?:대한|관한)| ?(?:와|과)? ?관련(?:된|한)?)"
_ASKS_KOREAN: Final = (
    r"(?:이|가|은|는|을|를)? ?(?:뭐|무엇|뭔|있|알려|보여|말해|어떻게|어떤|목록)\S{0,6}(?: ?(?:있|돼|되|알려|보여)\S{0,6})?"
)
_PAST_KOREAN: Final = r"(?:나|니|지|냐|는지|어|을까|습니까|나요|어요|죠|지요)요?"
_KOREAN: Final[tuple[tuple[Kept, str], ...]] = (
    (
        "decision",
        rf"{_TOPIC}{_OF_KOREAN} (?:우리가? |내가 )?(?:뭘|뭐를?|무엇을|무얼|어떤 ?(?:걸|것을|결정을)|무슨 ?결정을|어떻게)"
        r" ?(?:결정|합의|정|하기로)\S{0,8}(?: ?(?:했|정했|결정했)\S{0,4})?",
    ),
    ("decision", rf"{_TOPIC}{_ON_KOREAN} ?(?:결정|합의)(?: ?사항| ?내용)?{_ASKS_KOREAN}"),
    ("open", rf"{_TOPIC}{_ON_KOREAN} ?(?:남은|남아 ?있는|해야 ?할|할|미완료|안 ?끝난) ?(?:일|작업|것|거|게){_ASKS_KOREAN}"),
    (
        "state",
        rf"{_TOPIC}(?:은|는|이|가|을|를)? (?:다 |이미 |벌써 |이제 )?"
        rf"(?:끝났|끝냈|고쳤|고쳐졌|(?:완료|해결|마무리|처리|구현|수정)(?: ?(?:했|됐|되었)))(?:{_PAST_KOREAN})",
    ),
    (
        "state",
        rf"{_TOPIC}(?:의)? ?(?:작업 |일 )?(?:진행 ?상황|진행 ?상태|상태)(?:가|이|은|는)? ?(?:어때|어떻|뭐|알려)\S{{0,6}}"
        r"(?: ?\S{1,4})?",
    ),
)
_ASKS: Final = re.compile(
    r"\b(?:what|why|how|when|where|who|which)\b|어떻게|무엇|무슨|뭘|뭐|누가|누구|언제|어디|어느|어떤|얼마|왜(?![가-힣])|몇(?=\s)",
    re.IGNORECASE,
)
"""What is about this asks for more than the store keeps as a list."""
_LEAD: Final = re.compile(r"^(?:(?:so|and|ok(?:ay)?|hey|hi|please|well|그럼|그래서|자|혹시)[, ]+)+", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"^(?:the|our|my|all)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AskedTopic:
    """What a question asks for, and about what."""

    kept: Kept
    topic: str


def asked_topic(question: str) -> AskedTopic | None:
    """What of the store's decisions and tasks a question asks about; None where it asks for anything else, which most do."""
    if len(question) > MOST_CHARACTERS:
        return None
    text = _LEAD.sub("", " ".join(question.split()).strip(" ?.!~？"))
    for kept, pattern in _patterns():
        if (found := pattern.fullmatch(text)) is not None:
            topic = _ARTICLE.sub("", found["topic"].strip())
            is_of_more = _POINTS.fullmatch(topic) or _ASKS.search(topic)
            return None if is_of_more else AskedTopic(kept, topic)
    return None


@cache
def _patterns() -> tuple[tuple[Kept, re.Pattern[str]], ...]:
    """Made when the first question is asked."""
    return tuple((kept, re.compile(pattern, re.IGNORECASE)) for kept, pattern in (*_ENGLISH, *_KOREAN))
