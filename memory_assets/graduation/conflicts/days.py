"""The day of the week that a statement gives what comes back every week: a rule, and no one event."""

from __future__ import annotations

import re
from typing import Final

from memory_assets.graduation.conflicts.aspect import Aspect, form_of
from memory_assets.graduation.conflicts.reading import Reading, content_words, listed

_DAYS: Final = {
    **{f"{day}day": f"{day}day" for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")},
    "월요일": "monday",
    "화요일": "tuesday",
    "수요일": "wednesday",
    "목요일": "thursday",
    "금요일": "friday",
    "토요일": "saturday",
    "일요일": "sunday",
}
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_KOREAN_DAY = r"[월화수목금토일]요일"
_NAMED = re.compile(rf"\b{_DAY}s?\b|(?<![가-힣]){_KOREAN_DAY}")
# What is held once a week or so: on one day it is not on another. What is released is so where it is said of many times, and
# of anything else only "only" says so.
_HELD = r"(?:meeting|standup|stand-up|retro|retrospective|sync|planning|sprint review|maintenance window|newsletter|payday)"
_RELEASED = r"(?:demo|release|deploy|deployment|rollout|backup|code freeze)"
_AT = r"(?: at [\w: ]{1,12})?[.!]?$"
_EVENT = re.compile(
    rf"^\W{{0,3}}(?:the |our )?(?:[a-z-]{{2,20}} ){{0,3}}(?:{_HELD} (?:is|takes place|happens|goes out|starts)"
    rf" (?:only )?on {_DAY}"
    rf"|(?:{_HELD}|{_RELEASED}) (?:is|takes place|happens|goes out|starts) (?:always |only )?(?:on {_DAY}s|every {_DAY})"
    rf"|(?:{_HELD}|{_RELEASED})s (?:are|take place|happen|go out|start) (?:always |only )?(?:on|every) {_DAY}s?){_AT}"
)
_PRACTICE = re.compile(
    r"^\W{0,3}(?:we (?:always |only )?)?(?:deploy|release|ship|publish|meet)\b(?: [\w-]{1,20}){0,4} "
    rf"(?:only )?(?:on {_DAY}s|every {_DAY})[.!]?$"
)
_ONLY = re.compile(
    rf"^\W{{0,3}}(?:we )?(?:only [a-z]{{2,20}} (?:[\w-]{{1,20}} ){{0,4}}?on|[a-z]{{2,20}} .{{0,60}}\bonly on) {_DAY}s[.!]?$"
)
_HELD_KOREAN = r"(?:회의|미팅|스탠드업|회고|배포|릴리스|릴리즈|백업|점검)"
_DONE_KOREAN = r"(?:한다|합니다|해요|하다|진행한다|연다|정한다)"
_EVENT_KOREAN = re.compile(
    rf"{_HELD_KOREAN}일?[은는] (?:항상 |매주 )?{_KOREAN_DAY}(?:에만|에|마다|이다|입니다|로|으로)?"
    rf"(?: (?:\d{{1,2}}시에 )?{_DONE_KOREAN})?[.!]?$"
)
_PRACTICE_KOREAN = re.compile(
    rf"^\W{{0,3}}(?:우리는 )?(?:매주 {_KOREAN_DAY}(?:에|마다)?|{_KOREAN_DAY}(?:마다|에만)) (?:[\w가-힣-]{{1,20}} ){{0,3}}?"
    rf"{_HELD_KOREAN}[을를]? ?{_DONE_KOREAN}[.!]?$"
)
_MORE_THAN_ONE = re.compile(
    r"\b(?:also|and|or|either|both|too|sometimes|usually|often|other|this|except|extra)\b|또한|또는|가끔|격주|보통|[가-힣]도 "
)
_SAID_OF_IT = listed("only every weekly each take place happen go out start 매주 마다 마다에 진행")


def weekly(said: Reading) -> list[Aspect]:
    """The one day of the week that the subject is given."""
    named = _NAMED.findall(said.plain)
    if len(named) != 1 or said.denials or said.never or _MORE_THAN_ONE.search(said.plain):
        return []
    if not any(tells.search(said.plain) for tells in (_EVENT, _PRACTICE, _ONLY, _EVENT_KOREAN, _PRACTICE_KOREAN)):
        return []
    day = _DAYS[named[0].removesuffix("s")]
    rest = content_words(tuple(word for word in said.words if not word.startswith(tuple(_DAYS)) and word not in _SAID_OF_IT))
    return [Aspect(form_of("weekday", rest), day, named[0])] if rest else []
