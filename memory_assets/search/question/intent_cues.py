"""The phrases that tell what a question is after, in English and Korean, by how plainly they tell it.

``ASKS`` are forms of asking ("how do I", "언제"); ``ABOUT`` are words of the thing asked about that need no other ("traceback",
"환경 변수"); ``HINTS`` tell something only together. Every pattern is bounded, and reads a case-folded question with single
spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memory_assets.vocabulary import Intent

ASKS: Final = 3
ABOUT: Final = 2
HINTS: Final = 1

_TROUBLE = r"(?:errors?|bugs?|issues?|exceptions?|crash(?:es)?|failures?|problems?)"
_DO_KOREAN = (
    r"(?:하|해|할|쓰|써|쓸|사용|설정|설치|만들|만드|고치|고쳐|고칠|구현|적용|처리|연결|연동|실행|추가|바꾸|바꿔|바꿀|수정"
    r"|배포|작성|구성|접근|풀|테스트|확인|돌리|돌려|올리|올려|시작|등록|변경|삭제|호출|관리|짜|찾|넣|옮기|옮겨|막|피하|피해|복구|되돌|줄이|줄여"
    r"|늘리|늘려)"
)
_DID_KOREAN = r"(?:했|하기로|결정|논의|얘기|이야기|말했|말한|바꿨|바꾼|고쳤|고친|작업|만들었|만든|정했|정한|합의)"
_CODE_KOREAN = r"(?:함수|메서드|메소드|클래스|모듈|파일|코드|심볼|인터페이스|컴포넌트|로직|정의|구현|테이블|핸들러)"

_WORDS: Final[dict[Intent, dict[int, tuple[str, str]]]] = {
    "how_to_do": {
        ASKS: (
            r"how (?:to|do (?:i|we|you|one)|can (?:i|we|you|one)|could (?:i|we)|should (?:i|we|one)|would (?:i|we|you))"
            r"|steps? (?:to|for|required|needed)|(?:best|right|correct|recommended|proper|good|easiest) ways? (?:to|of)"
            r"|instructions? (?:for|to|on)|procedures? (?:for|to)|guide (?:to|for|on)|walk me through|show me how"
            r"|what(?:'s| is| are) the (?:process|procedure|steps|workflow|command)s?",
            rf"방법(?!론)|어떻게 ?{_DO_KOREAN}(?!기로)|(?:사용|설치|작성|활용|해결|설정|실행)법(?![가-힣]?[률원])"
            r"|[가-힣][는은할] ?법(?=[을이은도과?!., ]|$)|어떤 ?순서로|뭘 해야|무엇을 해야",
        ),
        ABOUT: (
            r"tutorials?|step[- ]by[- ]step|walkthroughs?|how-?to",
            r"(?<=[가-힣])려면(?![가-힣])|절차|가이드(?!라인)|튜토리얼|따라 ?하기|레시피|노하우|모범 ?사례",
        ),
        HINTS: (r"procedure|workflow|convention|best practices?", r"순서|단계|규칙|패턴|요령"),
    },
    "what_happened": {
        ASKS: (
            r"what happened|what(?:'s| has| is) happened|when (?:did|was|were|has|have|had)"
            r"|what did (?:we|i|you|they) (?:do|decide|say|discuss|change|agree|try|finish|talk)"
            r"|what (?:was|were|got|has been|have been) (?:done|decided|discussed|changed|said|agreed|tried)"
            r"|what have (?:we|i|you)|last time (?:we|i|you|they)|how did (?:it|that|this|they|things) (?:go|end|turn out)"
            r"|who (?:said|decided|changed|agreed)|(?:timeline|history|chronology) of",
            rf"(?<![가-힣])언제(?!나|든|까지나)|무슨 ?일(?!정)|어떤 일(?=[이을들은도 ?]|$)|(?:뭘|뭐|뭐를|무엇을|"
            rf"무얼) ?{_DID_KOREAN}"
            r"|어떻게 ?(?:됐|됐|되었|된 ?거|돼 ?가|되어 ?가|끝났|흘러|하기로|결정)|누가 ?(?:했|말|바꿨|결정|정했|만들었|고쳤)"
            r"|경위|어쩌다",
        ),
        ABOUT: (
            r"timeline|chronolog\w{1,5}|last time|previously|earlier (?:today|this week|session)",
            r"지난 ?번|저번에|이력(?!서)|히스토리|타임라인|연대기|그때|그 당시|회고",
        ),
        HINTS: (
            r"happened|history|decided|discussed|story",
            r"변경 ?사항|결정했|논의했|얘기했|이야기했|말했|했었|했더라|했지|기억나",
        ),
    },
    "known_issues": {
        ASKS: (
            r"why\b.{0,60}?\b(?:fail\w{0,4}|crash\w{0,3}|breaks?|broken?|not work\w{0,3}|hangs?|hung|slow|stuck|error\w{0,3})"
            r"|(?:fix(?:ed|es|ing)?|solved?|solving|resolved?|resolving|debug|troubleshoot|work(?:ed)? around|avoid(?:ed)?"
            r"|handled?)"
            rf" (?:[^ ]{{1,40}} ){{0,4}}{_TROUBLE}"
            r"|known (?:issues?|bugs?|problems?|limitations?|errors?)|gotchas?|pitfalls?|workarounds?|root causes?"
            r"|troubleshoot\w{0,3}|what(?:'s| is| was) wrong with|what went wrong",
            r"(?<![가-힣])왜.{0,30}?(?:실패|안 ?[되돼됐됨]|에러|오류|버그|죽|깨|멈추|멈췄|느려|느린|느리|터지|터졌|막히|막혔"
            r"|못 ?[하했]|않)"
            r"|(?:에러|오류|버그|문제|예외|장애|충돌|이슈)[가-힣]{0,2} ?(?:[가-힣]{1,4} ){0,2}?(?:해결|고치|고쳐|고칠|고친"
            r"|수정|대처|우회|원인)"
            r"|주의 ?(?:할 ?점|점|사항)|알려진 ?(?:문제|이슈|버그|오류)|트러블 ?슈팅|함정|실패 ?(?:원인|이유|사례)|우회 ?방법"
            r"|조심할",
        ),
        ABOUT: (
            r"errors?|bugs?|exceptions?|tracebacks?|stack ?traces?|regressions?|deadlocks?|segfaults?|memory leaks?"
            r"|not working|(?:does|is|did|was)(?:n't| not) work(?:ing)?|exit code|[a-z]\w{1,60}(?:error|exception)|enoent"
            r"|eacces|eaddrinuse|econnrefused",
            r"에러|오류|(?<![디햄])버그|예외(?!적)|장애(?!인|물)|크래시|실패|스택 ?트레이스|(?<![가-힣])안 ?[되돼됐됨됩]"
            r"|(?:작동|동작|실행|응답)(?:이|을|도)? ?(?:하지|되지|안) ?(?:않|하|해|됨|돼|되)?|먹통|삽질",
        ),
        HINTS: (
            r"crash(?:es|ed|ing)?|fail(?:s|ed|ing|ures?)?|issues?|problems?|broken|warnings?|flaky|hangs?|timeouts?|timed out",
            r"문제|이슈|경고|해결|충돌|느려|느린|깨[지졌진]|막[히혔힌]|타임아웃",
        ),
    },
    "environment": {
        ASKS: (
            r"(?:which|what) (?:[a-z]{2,20} )?(?:versions?|os|operating system|config(?:uration)?|settings|environment|env"
            r"|runtime)"
            r"|what (?:is|are) (?:[^ ]{1,40} ){0,3}(?:set to|configured (?:to|as|for))|(?:is|are|was) [^ ]{1,40} installed",
            r"(?:어떤|무슨|몇|어느) ?(?:[a-z]{2,20} ?)?(?:버전|환경|설정|운영 ?체제|os)"
            r"|(?:버전|환경|설정|설정값)[이은는]? ?(?:뭐|몇|무엇|어떻게 ?(?:돼|되어|됐)|어떤)",
        ),
        ABOUT: (
            r"versions?|(?:environment|env) (?:variables?|vars?|setup|settings?)|envvars?|\.env"
            r"|(?:dev|development|prod|production|staging|runtime|build|local|test) (?:env|environment)s?"
            r"|config(?:uration)?s?|settings|operating system|tool ?chain|docker ?file|pyproject|requirements\.txt"
            r"|package\.json",
            r"환경(?! ?(?:보호|오염|운동|단체|문제|미화|친화|부))(?<!친환경)|(?<!컨)버전|설정|운영 ?체제|의존성|스냅샷|설치된"
            r"|깔려",
        ),
        HINTS: (r"environment|env|installed|setup|dependenc(?:y|ies)|current(?:ly)?", r"설치|현재|세팅|사양"),
    },
    "code_structure": {
        ASKS: (
            r"where (?:is|are|do|does|did|can)\b.{0,60}?\b(?:defined?|implemented|declared|imported|instantiated|registered)"
            r"|where in (?:the )?(?:code|codebase|repo|repository|source)"
            r"|(?:which|what) (?:[a-z]{2,20} )?(?:files?|modules?|functions?|methods?|scripts?|structs?|director(?:y|ies)"
            r"|source files?)"
            r"|which class(?:es)? (?:implements?|handles?|does|do|contains?|extends?|inherits?|is responsible|defines?)"
            r"|who calls|callers? of|signature of|subclass(?:es)? of|inherits? from|call (?:graph|tree|sites?)"
            r"|(?:code|code ?base|folder|directory|project|module|package|repo(?:sitory)?|file|class) (?:structure|layout"
            r"|hierarchy)",
            rf"{_CODE_KOREAN}[가-힣]{{0,4}} ?(?:[^ ]{{1,20}} ){{0,3}}?(?:어디|어느)"
            r"|어디(?:에|에서|서)? ?(?:[가-힣]{1,6} ){0,1}?(?:정의|구현|선언|호출|임포트)"
            rf"|(?:어느|어떤|무슨) ?{_CODE_KOREAN}"
            r"|(?:코드|폴더|디렉토리|디렉터리|프로젝트|패키지|모듈|파일|클래스) ?구조|시그니처|호출(?:하는 ?곳|부(?![가-힣])"
            r"|처(?![가-힣]))",
        ),
        ABOUT: (
            r"(?:function|method|class|module|struct|interface|enum|decorator|file|symbol) (?:`[^`]{1,80}`"
            r"|[a-z0-9_]{0,60}[_.(:][a-z0-9_(:]{1,60})"
            r"|[a-z_][a-z0-9_]{2,60}\(\)|source code|codebase|call stack",
            r"함수(?!형)|메서드|메소드|상속|코드베이스|클래스 ?이름|소스 ?코드",
        ),
        HINTS: (
            r"functions?|methods?|modules?|implementation|refactor\w{0,4}",
            r"클래스|모듈|파일|코드|구현|정의|리팩터링|리팩토링",
        ),
    },
}

_PATTERNS: Final = tuple(
    (intent, strength, re.compile(rf"(?<![a-z0-9_])(?:{english})(?![a-z0-9_])|{korean}"))
    for intent, by_strength in _WORDS.items()
    for strength, (english, korean) in by_strength.items()
)


def cues_of(folded: str) -> Iterator[tuple[Intent, int, str]]:
    """Every phrase that tells something: the intent it speaks for, how plainly, and itself; each once for its strength."""
    for intent, strength, pattern in _PATTERNS:
        for phrase in dict.fromkeys(match[0].strip() for match in pattern.finditer(folded)):
            yield intent, strength, phrase
