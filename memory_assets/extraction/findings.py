"""What a person wants to be found out, and whether a sentence says what was found."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_assets.extraction.scoring import Scored
from memory_assets.tasks.done_phrases import is_guess

_NOT_FOUND = re.compile(
    r"\b(?:unclear|unknown|no idea|nothing (?:found|wrong)|under investigation|still (?:looking|investigating|open))\b"
    r"|(?:\bnot|n['’]t) (?:yet )?(?:clear|sure|known|know|find|found|reproduce|tell)\b"
    r"|\b(?:could not|couldn['’]t|unable to) (?:find|reproduce|determine|identify|tell|locate|confirm|verify|see|access)"
    r"|모르겠|알 수 없|불분명|명확하지 않|(?:찾|알아내|확인하|파악하)지 못|(?:파악|확인|재현)되지",
    re.IGNORECASE,
)
"""What says that nothing was found out."""
_LOOKS = re.compile(
    r"^\W{0,3}(?:(?:can|could|would) you |please |let['’]?s |so,? |ok(?:ay)?,? |i['’]ll |i will )?"
    r"(?:investigate|check(?! (?:in|out|into)\b)|review|examine|audit"
    r"|find out|figure out|look (?:at|into|for|why)|analy[sz]e|explain|why|compare|verify|research|dig into|take a look)\b"
    r"|(?:확인|조사|분석|검토|리뷰|파악|비교)(?:을|를)?\s?(?:해|하고|하겠|좀|부탁)|(?:찾아|알아)\s?(?:봐|줘|보고)|왜.{0,60}(?:지|까|나요?)\?",
    re.IGNORECASE,
)
_ASKS_WHY = re.compile(r"\bwhy\b|\bcauses?\b|\b(?:investigate|debug|diagnose)\b|왜|원인", re.IGNORECASE)
_ASKS_HOW_IT_IS = re.compile(
    r"^\W{0,3}(?:(?:so|and|but|ok(?:ay)?|hmm+|wait)\b[\s,:.…]{0,3}){0,2}"
    r"(?:why (?:is|are|was|were|does|did)|(?:where|how|who|when) (?:is|are|was|were)"
    r"|(?:where|how|which|who|when) (?:would|should|could|can|will|do|does|did) (?:i|we|you|it|this|that|they|the))\b"
    r"(?!n['’]t|\snot)"
    r"|^\W{0,3}(?:왜|어디(?:에|서|에서|로)?|어떻게)\s",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"(?:\broot cause\b(?! analysis)|^\W{0,3}(?:the )?cause\b)(?!\W{0,3}(?:is|was) (?:still|not|unclear|unknown|under)\b)"
    r"|원인(?:은|:|：)(?!\s?(?:아직|모르))",
    re.IGNORECASE,
)
_ALSO_CHANGES = re.compile(
    r"\bneeds? (?:a|an|some) (?:re)?(?:write|work|fix|clean-?up)\b"
    r"|(?:\b(?:and|then|please)|[,;]) (?:(?:then|also|please|just) )?(?:fix|refactor|rename|add|remove|delete|update|change"
    r"|implement|write|create|make|move|replace|merge|push|commit|deploy|clean|correct|migrate|install|upgrade|handle|apply"
    r"|resolve|improve|simplify|rewrite)\b"
    r"|(?:하고|해서|한 (?:뒤|다음|후)(?:에)?|보고|찾아서?|후에?)[^\n]{0,40}"
    r"(?:고쳐|고치|수정|추가|삭제|제거|변경|바꿔|바꾸|만들|적용|반영|구현|작성|정리|커밋|푸시|배포|해결|옮겨|개선)",
    re.IGNORECASE,
)
"""An order that changes something beside what it looks at."""


def asks_to_look(request: Scored) -> bool:
    """Whether a request is for something to be found out, and nothing else: what the agent finds is its outcome."""
    text = request.spot.sentence.text
    return _LOOKS.search(text) is not None and not also_changes(text)


def asks_how_it_is(text: str) -> bool:
    """Whether a sentence asks why, where or how something is, with or without a question mark: it decides nothing."""
    return _ASKS_HOW_IT_IS.match(text) is not None


def looks_and_changes(text: str) -> bool:
    """Whether a sentence orders to look at something, and to change what is found there."""
    return _LOOKS.search(text) is not None and also_changes(text)


def also_changes(text: str) -> bool:
    """Whether an order changes something, beside whatever it looks at."""
    return _ALSO_CHANGES.search(text) is not None


def names_the_cause(request: Scored, closing: Sequence[Scored]) -> bool:
    """Whether a message says what the cause is to a person who asked why, in whatever words."""
    return _ASKS_WHY.search(request.spot.sentence.text) is not None and any(
        _CAUSE.search(one.spot.sentence.text) and is_finding(one.spot.sentence.text) for one in closing
    )


def is_finding(text: str) -> bool:
    """Whether a sentence neither guesses nor says that nothing was found."""
    return not (is_guess(text) or _NOT_FOUND.search(text))
