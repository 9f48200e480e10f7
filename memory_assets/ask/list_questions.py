"""Questions that ask for a list that the store keeps: what is open, what was decided, what a person wants from now on.

Only a question that asks for nothing else is one. What it is about is nothing, or what may be the name of a project.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

Listed = Literal["open", "blocked", "in_progress", "decision", "preference"]

_NAME: Final = r"[\w./@+&#()'\"`‘’“”-]+"
_QUOTATION_MARKS: Final = "'\"`‘’“”"
_THIS: Final = frozenset(("this", "our", "my", "the", "current", "이", "그", "우리", "저희", "내", "현재"))
"""Names no project: what is meant is where the question is asked."""

_RULES_ENGLISH: Final = r"(?:preferences|standing orders|rules|conventions)"
_TASKS_ENGLISH: Final = r"(?:tasks?|things?|items?|to-?dos?|work)"
_NOW_ENGLISH: Final = r"(?: (?:now|still|right now|currently|at the moment|so far|yet|here|please))?"
_IN_ENGLISH: Final = (
    rf"(?: (?:in|for|at)(?: the)?(?: project| repo(?:sitory)?)? (?P<project>{_NAME}(?: {_NAME}){{0,3}}?)"
    r"(?: project| repo(?:sitory)?)?)?"
)
_STATES_ENGLISH: Final[dict[Listed, str]] = {
    "open": r"(?:open|left(?: (?:over|undone|to do|to be done))?|unfinished|undone|pending|outstanding|remaining"
    r"|to (?:be done|do)|incomplete|not (?:yet )?(?:done|finished|completed?)(?: yet)?)",
    "blocked": "blocked",
    "in_progress": "in progress",
}
_OF_A_STATE_ENGLISH: Final = (
    rf"(?:what|which)(?: {_TASKS_ENGLISH})?(?:['’]s| is| are){_NOW_ENGLISH} STATE{_NOW_ENGLISH}",
    rf"(?:what(?:['’]s| is| are)|which are)(?: the| my| our)? STATE {_TASKS_ENGLISH}",
    rf"(?:is there|are there|do (?:we|i) have)(?: any(?:thing)?| something)?(?: {_TASKS_ENGLISH})?{_NOW_ENGLISH} STATE"
    rf"(?: {_TASKS_ENGLISH})?{_NOW_ENGLISH}",
    rf"is (?:anything|something){_NOW_ENGLISH} STATE",
    rf"(?:(?:list|show|give|tell)(?: me)? )?(?:all )?(?:the |my |our )?STATE {_TASKS_ENGLISH}",
)
_OTHERS_ENGLISH: Final[tuple[tuple[Listed, str], ...]] = (
    ("open", rf"what(?: {_TASKS_ENGLISH})?(?: still)? remains?(?: (?:open|undone|to do|to be done))?"),
    ("open", r"what (?:do|should) (?:i|we)(?: still)? (?:have|need)(?: left)? to (?:do|finish)"),
    ("open", r"what(?: still| else)? needs to be (?:done|finished)|what else is left(?: to do)?|whats left(?: to do)?"),
    ("open", r"(?:what are )?(?:my|our) (?:tasks|to-?dos?)|(?:(?:list|show|give)(?: me)? )?(?:my |our |the )?to-?do list"),
    ("open", rf"(?:list|show|give)(?: me)? (?:my|our) {_TASKS_ENGLISH}|any open {_TASKS_ENGLISH}"),
    ("open", rf"(?:can|could) you (?:list|show|give|tell)(?: me)? (?:all )?(?:the |my |our )?open {_TASKS_ENGLISH}"),
    ("decision", r"what (?:did|have) (?:i|we)(?: already)? (?:decided?|agreed?(?: on| to)?|settled? on)"),
    ("decision", r"(?:what|which) decisions (?:were|are|have been|did we|have we) (?:made|make|taken|take|there)"),
    ("decision", r"what (?:was|has been|have been|were) decided|what were (?:the|our) decisions"),
    ("decision", r"(?:what|which) decisions (?:do|did) (?:i|we) (?:have|make|take)"),
    ("decision", r"(?:what are |(?:list|show|give|tell)(?: me)? )?(?:all )?(?:the |my |our )?decisions(?: (?:made|taken))?"),
    ("preference", rf"what (?:are|were) (?:my|our) {_RULES_ENGLISH}"),
    (
        "preference",
        rf"(?:what|which) {_RULES_ENGLISH} (?:do|did|have) (?:i|we) (?:have|set|given?|got)",
    ),
    (
        "preference",
        rf"(?:list|show|give|tell)(?: me)? (?:all )?(?:(?:my|our|the) )?{_RULES_ENGLISH}",
    ),
)

_TASKS_KOREAN: Final = r"(?:할 ?일|일|작업|태스크|과제|투두)"
_IN_KOREAN: Final = (
    r"(?:(?:이|우리|저희|현재|지금)? ?(?:프로젝트|저장소)(?:에서는|에서|에는|에|의)? "
    r"|(?!(?:아직|지금까지|지금|현재|이제|여기|우리가?|저희가?|할|내가?|나의|제가?)[ 은는])"
    rf"(?P<project>{_NAME}(?: {_NAME}){{0,2}}?)(?: ?프로젝트| ?저장소)?(?:에서는|에서|에는|에|의) )?"
    r"(?:(?:아직|지금까지|지금|현재|이제|우리가?|저희가?|내가|제가|여기서|여기) ?){0,2}"
)
_ASKS_KOREAN: Final = (
    r"(?:이|가|은|는|들이|들은|들|을|를|에는)?(?: ?(?:뭐|무엇|뭔|어떤|무슨|어느)\S{0,6}"
    r"| ?있(?:어|나|니|는지|습니까|을까)\S{0,3}"
    r"| ?(?:알려|보여|말해)\S{0,6}| ?목록\S{0,4})?(?: ?있\S{0,5}| ?(?:알려|보여)\S{0,6})?"
)
_WHAT_KOREAN: Final = r"(?:뭘|뭐를|뭐|무엇을|무얼|어떤 ?(?:걸|것을|결정을)|무슨 ?결정을)"
_STATES_KOREAN: Final[dict[Listed, str]] = {
    "open": r"(?:남은|남아 ?있는|(?:다 )?안 ?끝난|끝나지 ?않은|못 ?(?:한|끝낸)|미완료(?:된|인)?|미완성|열린|열려 ?있는"
    r"|해야 ?할|하지 ?않은)",
    "blocked": r"(?:막힌|막혀 ?있는)",
    "in_progress": r"(?:진행 ?중인|하고 ?있는|하던)",
}
_SAYS_KOREAN: Final[dict[Listed, str]] = {
    "open": r"(?:남았|남아 ?있|(?:다 )?안 ?끝났|끝나지 ?않았|열려 ?있)",
    "blocked": r"(?:막혔|막혀 ?있)",
    "in_progress": r"(?:진행 ?중|진행되고 ?있)",
}
_OF_A_STATE_KOREAN: Final = (
    rf"STATE (?:{_TASKS_KOREAN}|거|것|게){_ASKS_KOREAN}",
    rf"(?:뭐|뭐가|무엇이|무슨 {_TASKS_KOREAN}이|어떤 {_TASKS_KOREAN}(?:이|가)?"
    rf"|{_TASKS_KOREAN}(?:이|은|가)? ?(?:뭐|뭐가|무엇이)) ?(?:아직 )?SAYS\S{{0,5}}",
)
_OTHERS_KOREAN: Final[tuple[tuple[Listed, str], ...]] = (
    ("open", r"할 ?일(?:이|은|들|들이|을)? ?(?:뭐|무엇|뭔|있|알려|보여|목록)\S{0,6}(?: ?(?:있|알려|보여)\S{0,6})?"),
    ("open", r"(?:남은|못 ?끝낸|안 ?끝난) ?일(?:이|은|들이?|을)? ?(?:뭐|무엇|뭔|있|알려|보여|목록)\S{0,6}"),
    ("decision", rf"{_WHAT_KOREAN} ?(?:결정|합의)(?:했|하기로 ?했|한 ?거|한 ?건)\S{{0,4}}"),
    ("decision", rf"{_WHAT_KOREAN} ?(?:정했|하기로 ?(?:했|결정|정|합의))\S{{0,5}}"),
    ("decision", r"결정(?:들)?(?:이|은)? ?(?:뭐|무엇|목록|알려|보여)\S{0,6}"),
    ("decision", rf"(?:결정|합의)(?: ?사항| ?내용|(?:한|된|했던|됐던) ?(?:것|거|게|건|내용|사항)?){_ASKS_KOREAN}"),
    ("preference", rf"(?:내|나의|우리|제) ?(?:선호|취향|규칙|원칙|지침)(?:들)?{_ASKS_KOREAN}"),
    (
        "preference",
        r"(?:내가|제가|우리가) (?:(?:항상|늘|앞으로|계속) )?(?:지켜 ?달라고|지키라고|따르라고|하라고|해 ?달라고) ?(?:한|했던)"
        rf" ?(?:것|거|게|건|규칙){_ASKS_KOREAN}",
    ),
    ("preference", rf"지켜야 ?(?:할|하는) ?(?:것|거|게|건|규칙|원칙){_ASKS_KOREAN}"),
)
_LEAD: Final = re.compile(r"^(?:(?:so|and|ok(?:ay)?|hey|hi|please|well|그럼|그래서|자|혹시)[, ]+)+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AskedList:
    """The list that a question asks for.

    Attributes:
        project: as the question names it; None where it names none, or the one where it is asked ("in this repo").
    """

    listed: Listed
    project: str | None


def asked_list(question: str) -> AskedList | None:
    """The list that a question asks for; None where it asks for anything else, which most do."""
    text = bare_question(question)
    for listed, pattern in _patterns():
        if (found := pattern.fullmatch(text)) is not None:
            named = (found["project"] or "").strip(_QUOTATION_MARKS)
            return AskedList(listed, None if named.casefold() in _THIS else named or None)
    return None


def bare_question(question: str) -> str:
    """A question in one line, without its mark and the word that it begins with."""
    return _LEAD.sub("", " ".join(question.split()).strip(" ?.!~？"))


@cache
def _patterns() -> tuple[tuple[Listed, re.Pattern[str]], ...]:
    """Made when the first question is asked."""
    english: list[tuple[Listed, str]] = list(_OTHERS_ENGLISH)
    for listed, state in _STATES_ENGLISH.items():
        english += [(listed, pattern.replace("STATE", state)) for pattern in _OF_A_STATE_ENGLISH]
    korean: list[tuple[Listed, str]] = list(_OTHERS_KOREAN)
    for listed, state in _STATES_KOREAN.items():
        says = _SAYS_KOREAN[listed]
        korean += [(listed, pattern.replace("STATE", state).replace("SAYS", says)) for pattern in _OF_A_STATE_KOREAN]
    spelled = [
        *((listed, rf"{pattern}{_NOW_ENGLISH}{_IN_ENGLISH}{_NOW_ENGLISH}") for listed, pattern in english),
        *((listed, _IN_KOREAN + pattern) for listed, pattern in korean),
    ]
    return tuple((listed, re.compile(pattern, re.IGNORECASE)) for listed, pattern in spelled)
