"""Orders that are over when the turn ends in which they were given: run the tests, commit this, go on, answer in Korean.

Nobody keeps them on a board: what they ask for is there when the agent has answered, or the person asks again. A sentence is
such an order as a whole or not at all; ``run the tests and fix what fails`` is work.
"""

from __future__ import annotations

import re

_LONGEST = 90
_ALL_OF_IT = (
    r"(?:\s+(?:all|the|these|those|this|that|it|them|everything|changes?|files?|work|code|current|we|have|made|so far|now|again"
    r"|and|then|please|to|up|origin|main|master|remote|branch|for me|first))*"
)
_ENGLISH = (
    rf"(?:run|rerun|re-run|execute|start|restart)(?:\s+(?:all|the|these|those|this|that|it|our|my|unit|integration|e2e|new|full|whole"
    r"|tests?|test|suite|linters?|lint|fmt|format(?:ter)?|build|checks?|ci|server|app|dev|script|example|examples|command|again"
    r"|now|and|,|for me|please|to show the output|locally))+",
    rf"(?:commit|push|stage|amend)(?:\s+and\s+(?:push|commit))?{_ALL_OF_IT}",
    r"(?:proceed|continue|go on|go ahead|carry on|keep going|resume|do (?:it|that|this|so)|try (?:it )?again|retry|next|yes|yep|ok(?:ay)?"
    r"|sure|start|begin|let['’]?s (?:go|do it|start|continue|proceed))(?:\s+(?:now|please|with (?:it|that|this)|ahead|then))*",
    r"(?:answer|reply|respond|speak|talk|write|explain)(?:\s+(?:it|this|that|to me|me))*\s+in\s+\w+",
    r"(?:show|tell|explain(?:\s+to)?|remind|help)\s+me\b(?:(?!\band\s+(?:then\s+)?(?:fix|add|make|create|write|update|remove|change|implement)\b).){0,70}",
    r"(?:look|have a look|take a look)(?:\s+(?:at\s+)?(?:it|this|that|here|again))*",
)
_KOREAN = (
    r"(?:(?:이제|그럼|일단|먼저|지금|다시|전부|모두|다|한번|한 번)\s?)*"
    r"(?:(?:수정(?:된|한)\s?(?:것|거|파일|내용|사항)(?:들)?|변경(?:된)?\s?(?:사항|것|내용|파일)?(?:들)?|이것|이거|그거|전체|현재까지)(?:을|를|은|는|도)?\s?)?"
    r"(?:(?:이제|전부|모두|다|다시)\s?)*(?:커밋|푸시|커밋\s?(?:하고|이랑)\s?푸시|커밋이랑)(?:도|까지|만)?\s?",
    r"(?:(?:이제|전체|모든|다시|유닛|단위|통합)\s?)*(?:테스트|빌드|린트|서버|앱|스크립트|예제)(?:를|을|도|만)?\s?(?:한번|한 번|다시|전부)?\s?(?:실행|구동|시작|돌려)(?:을|를)?\s?",
    r"(?:계속|진행|시작|이어서|재개|다음|그렇게|그대로|[A-Da-d1-9](?:번|안)?(?:으)?로|[1-9]번\s?방식(?:으)?로)\s?(?:진행|계속|시작)?(?:을|를)?\s?",
    r"(?:앞으로\s?)?(?:한글|한국어|국어|영어|영문|일본어)(?:로|으로)\s?(?:답변|대답|답|말|설명|얘기|이야기|작성|출력)?(?:을|를)?\s?(?:만)?\s?",
    r"(?:다시\s?)?(?:작업|시도)\s?",
)
_ASKS = r"(?:해\s?(?:줘|주세요|줄래\??|봐|봐줘|라|주라|달라)?(?:요)?|하자|합시다|할까\??|줘|주세요|하세요|부탁(?:해|합니다|드려요)?|ㄱㄱ|고고|응)?"
_ORDER = re.compile(
    rf"(?:(?:please|ok(?:ay)?|yes|now|then|and|also|great|good|can you|could you|would you|let['’]?s)[\s,.!]+)*(?:{'|'.join(_ENGLISH)})"
    rf"(?:[\s,]+(?:please|thanks|thank you))?|(?:{'|'.join(_KOREAN)}){_ASKS}",
    re.IGNORECASE,
)
_STANDING = re.compile(
    r"\b(?:always|never|from now on|every time|whenever|each time)\b|앞으로|항상|매번|절대|마다", re.IGNORECASE
)


def is_one_turn(text: str) -> bool:
    """Whether a person's sentence orders what is over with the turn; a standing order never is."""
    said = " ".join(text.split()).strip(" .!?~…")
    if not said or len(said) > _LONGEST or _STANDING.search(said):
        return False
    return _ORDER.fullmatch(said) is not None
