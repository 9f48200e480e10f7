"""Questions for what the store keeps about something: what was decided of it, what is left to do, and whether a task is done.

``list_questions`` knows those that ask for all of it. Only a question that asks for nothing else is one: how a program behaves,
what happened when, or how something was done is searched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from memory_assets.ask.list_questions import bare_question
from memory_assets.search.answerability.asked_for import fits
from memory_assets.search.question.terms import query_terms

Kept = Literal["decision", "open", "state"]
"""Decisions that hold, tasks that are open, or tasks however they stand."""

MOST_CHARACTERS: Final = 120
"""Of a question; what is longer is a story, in which one stands."""
_LEAST_WORDS_OF_STATE: Final = 2
"""Of a task whose state is asked for: one word means any of them."""

_TOPIC: Final = r"(?P<topic>\S.*?)"
_ABOUT: Final = r"(?:with (?:respect|regard) to|about|on|for|regarding|concerning|with)"
_SHOW: Final = r"(?:list|show|give|tell)(?: me)? "
_WHEN: Final = r"(?: (?:already|yet|now|right now|finally|by now|so far|again|in the end|please))*"
_CHANGED: Final = (
    r"(?:fixed|resolved|solved|implemented|shipped|merged|renamed|rotated|migrated|removed|added|written|documented|deployed"
    r"|released|refactored|moved|updated|upgraded|rewritten|reverted)"
)
_CHANGE: Final = (
    r"(?:fix|resolve|solve|implement|ship|merge|rename|rotate|migrate|remove|add|document|deploy|release|refactor|move|update"
    r"|upgrade|revert|write|rewrite)"
)
_ENGLISH: Final[tuple[tuple[Kept, str], ...]] = (
    (
        "decision",
        r"(?:(?:do you )?remember |remind me )?what (?:did |have |had )?(?:i|we|you)(?: end up)?(?: already| finally)?"
        rf" (?:decid(?:ed?|ing)|agreed?(?: on)?|settled?(?: on)?|concluded?)(?: to do)?{_WHEN} {_ABOUT} {_TOPIC}{_WHEN}",
    ),
    (
        "decision",
        rf"what(?:['’]s| was| were| is| has been| have been){_WHEN} (?:decided|agreed|settled|concluded)(?: on)? {_ABOUT}"
        rf" {_TOPIC}{_WHEN}",
    ),
    (
        "decision",
        rf"(?:what(?:['’]s| is| are| was| were) |{_SHOW})?(?:all )?(?:the |my |our )?decisions?"
        rf"(?: (?:we|i|were|was) (?:made|took|taken))? {_ABOUT} {_TOPIC}{_WHEN}",
    ),
    (
        "decision",
        r"(?:what|which) decisions (?:(?:did|have) (?:i|we) (?:make|made|take|taken|have)|(?:were|was) (?:made|taken))"
        rf" {_ABOUT} {_TOPIC}{_WHEN}",
    ),
    (
        "open",
        r"what(?:(?:['’]s| is)(?: still)? (?:left|open|remaining)(?: to (?:do|be done))?| (?:still )?needs to be done"
        rf"| remains(?: to (?:do|be done))?) {_ABOUT} {_TOPIC}{_WHEN}",
    ),
    (
        "open",
        rf"(?:what (?:is|are) |which |{_SHOW})?(?:all )?(?:the |my |our )?(?:open|remaining|unfinished)"
        rf" (?:tasks|to-?dos|items|work)(?: are (?:there|left))? {_ABOUT} {_TOPIC}{_WHEN}",
    ),
    ("state", rf"(?:is|are|was|were|has|have) {_TOPIC}(?: been)?{_WHEN} (?:done|finished|completed?){_WHEN}"),
    # Of any other verb the verb says which task is meant.
    ("state", rf"(?:is|are|was|were|has|have) (?P<topic>\S.*? {_CHANGED}){_WHEN}"),
    ("state", rf"(?:did|have) (?:i|we|you)(?: already| finally)? (?:finish|complete|do)(?:e?d|ne)? {_TOPIC}{_WHEN}"),
    (
        "state",
        rf"(?:did|have) (?:i|we|you)(?: already| finally| ever)? (?P<topic>(?:{_CHANGE}|{_CHANGED}) \S.*?){_WHEN}",
    ),
    ("state", rf"(?:what(?:['’]s| is) )?the (?:status|progress) (?:of|on|with) {_TOPIC}{_WHEN}"),
)

_OF_KOREAN: Final = r"(?: ?에 ?(?:대해서?|관해서?)는?| ?(?:와|과)? ?관련(?:해서|하여|해)?는?)"
_ON_KOREAN: Final = r"(?: ?에 ?(?:대한|관한|대해서?)| ?(?:와|과)? ?관련(?:된|한|해서)?)"
_WHAT_KOREAN: Final = r"(?:뭘|뭐를?|뭐라고|무엇을|무얼|어떤 ?(?:걸|것을|결정을)|무슨 ?결정을|어떻게)"
_DECIDED_KOREAN: Final = (
    r"(?:(?:결정|합의)(?:했|하기로 ?했|을? ?내렸)|정(?:했|하기로 ?했)|내렸|하기로 ?(?:했|결정했|정했|합의했))"
    r"\S{0,4}(?: (?:알려|말해)\S{0,5})?"
)
_ASKS_KOREAN: Final = (
    r"(?:(?:이|가|은|는|을|를)? ?(?:뭐|무엇|뭔|있|남았|알려|보여|말해|어떤|목록)\S{0,6}(?: ?(?:있|돼|되|알려|보여)\S{0,6})?)?"
)
_PAST_KOREAN: Final = r"(?:나|니|지|냐|는지|어|을까|습니까|나요|어요|죠|지요)요?"
_KOREAN: Final[tuple[tuple[Kept, str], ...]] = (
    ("decision", rf"{_TOPIC}(?:{_OF_KOREAN}|은|는)? {_WHAT_KOREAN} ?{_DECIDED_KOREAN}"),
    ("decision", rf"{_TOPIC}{_ON_KOREAN}? ?(?:결정|합의) ?(?:사항|내용|한 ?(?:거|것|게|내용)){_ASKS_KOREAN}"),
    ("decision", rf"{_TOPIC}{_ON_KOREAN} ?(?:결정|합의){_ASKS_KOREAN}"),
    (
        "open",
        rf"{_TOPIC}{_ON_KOREAN} ?(?:남은|남아 ?있는|해야 ?할|할|미완료|안 ?끝난) ?(?:일|작업|것|거|게){_ASKS_KOREAN}",
    ),
    (
        "state",
        rf"{_TOPIC}(?:은|는|이|가|을|를)? (?:다 |이미 |벌써 |이제 )?(?:끝났|끝냈|(?:완료|마무리) ?(?:했|됐|되었))"
        rf"(?:{_PAST_KOREAN})",
    ),
    (
        "state",
        rf"(?P<topic>\S.*? (?:고쳤|고쳐졌|(?:해결|처리|구현|수정|추가|삭제|제거|배포|작성) ?(?:했|됐|되었)))(?:{_PAST_KOREAN})",
    ),
    (
        "state",
        rf"{_TOPIC}(?:의)? (?:작업 |일 )?(?:진행 ?상황|진행 ?상태)(?:가|이|은|는)? ?(?:어때|어떻|뭐|알려)\S{{0,6}}"
        r"(?: ?\S{1,4})?",
    ),
)
_POINTS: Final = re.compile(
    r"(?:it|this|that|these|those|they|(?:every|any|some|no)thing|all|any|some|there|here|we|you|i|he|she)(?: .*)?"
    r"|(?:[그이저](?:거|것|게|건)|다|모두|전부|뭐|뭐가|무엇|아직|이제|벌써|나|내가)(?: .*)?",
    re.IGNORECASE,
)
"""Begins with what says nothing of what is meant."""
_ASKS_MORE: Final = re.compile(
    r"\b(?:what|why|how|when|where|who|which|or|and|because|before|after|while|if|not|never|still|named|called|project)\b|n['’]t\b"
    r"|[.?!]\s|어떻게|무엇|무슨|뭘|뭐|누가|누구|언제|어디|어느|어떤|얼마|왜(?![가-힣])|몇(?=\s)"
    r"|(?:^|\s)(?:안|못|아직|어제|오늘)(?=\s)|\S(?:에서|으로)(?:\s|$)|[가-힣]로$|프로젝트",
    re.IGNORECASE,
)
"""Asks for more than the store keeps as a list: how, when and by whom, in which project, or whether not."""
_ARTICLE: Final = re.compile(r"^(?:(?:the|our|my|a|an|우리가?|저희가?)(?:\s+|$))+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AskedTopic:
    """What a question asks for, and about what."""

    kept: Kept
    topic: str


def asked_topic(question: str) -> AskedTopic | None:
    """What of the store's decisions and tasks a question asks about; None where it asks for anything else, which most do."""
    if len(question) > MOST_CHARACTERS:
        return None
    text = bare_question(question)
    for kept, pattern in _patterns():
        if (found := pattern.fullmatch(text)) is not None:
            topic = _ARTICLE.sub("", found["topic"].strip())
            return AskedTopic(kept, topic) if _is_topic(topic, kept) else None
    return None


def _is_topic(topic: str, kept: Kept) -> bool:
    if _POINTS.fullmatch(topic) or _ASKS_MORE.search(topic) or fits("time", topic):
        return False
    return len(query_terms(topic)) >= (_LEAST_WORDS_OF_STATE if kept == "state" else 1)


@cache
def _patterns() -> tuple[tuple[Kept, re.Pattern[str]], ...]:
    """Made when the first question is asked."""
    return tuple((kept, re.compile(pattern, re.IGNORECASE)) for kept, pattern in (*_ENGLISH, *_KOREAN))
