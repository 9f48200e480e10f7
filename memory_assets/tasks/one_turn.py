"""Orders that are over when the turn ends in which they were given: run the tests, commit this, go on, answer in Korean.

Nobody keeps them on a board: what they ask for is there when the agent has answered, or the person asks again. A sentence is
such an order as a whole or not at all; ``run the tests and fix what fails`` is work.
"""

from __future__ import annotations

import re

from memory_assets.text.informal_english import spelled_out

_LONGEST = 90

_WHAT_IS_RUN = (
    "all|the|these|those|this|that|it|them|our|my|unit|integration|e2e|new|full|whole|tests?|suite|linters?|lint|fmt|format"
    "|formatter|build|checks?|ci|server|app|dev|script|examples?|command|again|now|and|please|to show the output|locally"
)
_WHAT_IS_COMMITTED = (
    "all|the|these|those|this|that|it|them|everything|changes?|files?|work|code|current|we|have|made|so far|now|again|and|then"
    "|please|to|up|push|commit|origin|main|master|remote|branch|for me|first|re-?test|re-?run|run|tests?|ci|workflow|pipeline"
)
_BRANCH = "(?:the|our|my|its|your|parent|base|latest|upstream|origin|remote|main|master|develop|trunk|branch)"
_NOTHING_ELSE = r"(?:(?!\band\s+(?:then\s+)?(?:fix|add|make|create|write|update|remove|change|implement)\b).){0,70}"
_ENGLISH = (
    rf"(?:run|rerun|re-run|execute|start|restart)(?:,?\s+(?:{_WHAT_IS_RUN}))+",
    rf"(?:commit|push|stage|amend)(?:\s+(?:{_WHAT_IS_COMMITTED}))*",
    rf"(?:update|sync|pull|fetch)\s+(?:from|with)(?:\s+{_BRANCH})+",
    r"(?:proceed|continue|go on|go ahead|carry on|keep going|resume|do (?:it|that|this|so)|(?:try (?:it )?)?again|retry|next"
    r"|yes|yep|ok(?:ay)?|sure|start|begin|go)(?:\s+(?:now|please|with (?:it|that|this)|ahead|then))*",
    r"(?:answer|reply|respond|speak|talk|write|explain)(?:\s+(?:it|this|that|to me|me))*\s+in\s+\w+",
    rf"(?:show|tell|explain(?:\s+to)?|remind|help)\s+me\b{_NOTHING_ELSE}",
    r"(?:look|have a look|take a look)(?:\s+(?:at\s+)?(?:it|this|that|here|again))*",
)
_POLITE = (
    r"(?:(?:please|ok(?:ay)?|yes|yeah|yep|sure|now|then|and|also|great|good|can you|could you|would you|let['’]?s)[\s,.!]+)*"
)

_AGREES = r"(?:(?:어|응|네|넵|예|그래|좋아|오케이|ㅇㅇ)[\s,.!]+)*"
_SO_FAR = r"(?:(?:이제|그럼|일단|먼저|지금|다시|전체|전부|모든|모두|다|한번|한 번|유닛|단위|통합)\s?)*"
_CHANGES = (
    r"(?:(?:지금|여태|현재)까지\s?)?"
    r"(?:(?:(?:수정|변경|작업)(?:된|한)?\s?(?:사항|내용|파일|것|거)?(?:들)?|이것|이거|그거|현재까지)"
    r"(?:을|를|은|는|도|에 대해서?)?\s?)?"
    r"(?:정리(?:해서|하고)\s?)?"
)
_LANGUAGE = r"(?:한글|한국어|국어|영어|영문|일본어)(?:으?로)"
_KOREAN = (
    rf"{_SO_FAR}{_CHANGES}{_SO_FAR}(?:커밋|푸시)(?:\s?(?:하고|이랑|및|,)\s?(?:커밋|푸시))?(?:도|까지|만)?",
    rf"{_SO_FAR}(?:테스트|빌드|린트|서버|앱|스크립트|예제)(?:를|을|도|만)?\s?{_SO_FAR}(?:실행|구동|시작|돌려)(?:을|를)?",
    r"(?:계속|진행|시작|이어서|재개|다음|그렇게|그대로|[A-D1-9](?:번|안)?으?로|[1-9]번\s?방식으?로)\s?(?:진행|계속|시작)?(?:을|를)?",
    rf"{_LANGUAGE}\s?(?:답변|대답|답|말|설명|얘기|이야기|작성|출력)?(?:을|를)?\s?만?",
    r"(?:다시\s?)?(?:작업|시도)",
)
_ASKED = (
    r"\s?(?:해\s?(?:줘|주세요|줄래|봐|봐줘|라|달라)?(?:요)?|하자|합시다|할까|줘|주세요|하세요|부탁(?:해|합니다|드려요)?|ㄱㄱ)?"
)

_ORDER = re.compile(
    rf"{_POLITE}(?:{'|'.join(_ENGLISH)})(?:[\s,]+(?:please|thanks|thank you))?|{_AGREES}(?:{'|'.join(_KOREAN)}){_ASKED}",
    re.IGNORECASE,
)
_STANDING = re.compile(r"\b(?:always|never|from now on|every time|whenever|each time)\b|앞으로|항상|매번|절대", re.IGNORECASE)


def is_one_turn(text: str) -> bool:
    """Whether a person's sentence orders what is over with the turn; a standing order never is."""
    said = spelled_out(" ".join(text.split()).strip(" .!?~…"))
    if not said or len(said) > _LONGEST or is_standing(said):
        return False
    return _ORDER.fullmatch(said) is not None


def is_standing(text: str) -> bool:
    """Whether a person's sentence orders something from now on."""
    return _STANDING.search(text) is not None
