"""How a person agrees: words of yes, orders to do what was said, thanks."""

from __future__ import annotations

import re

YES = (
    r"(?:(?:yes|yeah|yep|yup|sure|ok(?:ay)?|agreed|absolutely|definitely|lgtm|sounds good)\b"
    r"|(?:응|어|네|넵|예|그래|좋아(?:요)?|오케이|ㅇㅇ|ㅇㅋ|맞아(?:요)?)(?![가-힣]))"
)
_THAT = r"(?:it|that|this|these|them)"
DO_IT = (
    rf"(?:(?:please )?(?:do (?:{_THAT}|so)|go (?:ahead|for it)|let'?s (?:do|go with|use|try) {_THAT}|make it so|proceed"
    rf"|(?:fix|add|implement) {_THAT}|your way is fine|works for me)\b|please do\b(?=[\s.!]*$)"
    r"|(?:그렇게|그대로|그걸로|그거로|그 방[법식]으로)\s?(?:해|하자|하죠|합시다|진행|가자|부탁)(?:해)?(?:\s?(?:줘|주세요))?"
    r"|(?:해|수정해|진행해|추가해|고쳐|바꿔)\s?(?:줘|주세요))"
)
TELLS_TO = re.compile(DO_IT, re.IGNORECASE)
CLOSES = re.compile(r"^\W{0,3}(?:ok(?:ay)?|좋아(?:요)?|네)?\W{0,3}(?:thanks?|thank you|고마워|감사)", re.IGNORECASE)
"""A person who thanks is done with it, whatever was offered."""
