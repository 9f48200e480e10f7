"""What kind of answer a question asks for, by its words, in English and Korean."""

from __future__ import annotations

import re
from typing import Final, Literal

from memory_assets.search.question.plain_question import plain
from memory_assets.text.reasons import gives_reason, names_cause

AskedFor = Literal["time", "number", "person", "place", "reason", "other"]

_SPELLED: Final[tuple[tuple[AskedFor, str], ...]] = (
    (
        "time",
        r"\bwhen\b(?! (?:you|we|i|they|he|she|it|the|a|an)\b.*,)|\b(?:what|which) (?:date|day|month|year|time|week)\b"
        r"|\bhow long ago\b|\bsince when\b|언제(?!나|든)|몇 ?(?:월|일|년|시)(?!간)|며칠에|무슨 ?요일",
    ),
    (
        "number",
        r"\bhow (?:many|much|long|old|often|big|large|far|fast)\b|\bwhat (?:number|percentage|amount|size)\b|몇|얼마",
    ),
    ("reason", r"\bwhy\b|\bwhat (?:made|caused|motivated|inspired)\b|\b(?:cause|reason)\b|왜(?![가-힣])|이유|원인|때문"),
    ("person", r"\bwho(?:m|se)?\b|누가|누구|누군"),
    (
        "place",
        r"\bwhere\b|\b(?:what|which) (?:city|country|place|state|town|file|folder|directory|path)\b"
        r"|어디|어느 ?(?:파일|폴더)",
    ),
)
_KINDS: Final = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _SPELLED)

_TIMES: Final = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|(?:last|next|this|past) (?:night|week|month|year|weekend|summer|winter|spring"
    r"|fall|autumn|morning|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|since|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|january|february|april|june|july|august|september|october|november|december|20\d\d)\b"
    r"|어제|오늘|내일|그제|모레|지난|다음 ?(?:주|달)|이번 ?(?:주|달)|\d+월|\d+일|20\d\d|작년|올해|전에",
    re.IGNORECASE,
)
_NUMBERS: Final = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|dozen|hundred|couple|several|few|half)\b"
    r"|[한두세네] ?(?:개|번|명|시간|달|주|가지)|하나|둘|셋",
    re.IGNORECASE,
)
_NAMES: Final = re.compile(r"(?<=[a-z,;:] )[A-Z][\w-]+|\"[^\"\n]{2,60}\"|“[^”\n]{2,60}”|`[^`\n]{2,60}`|\b[A-Z]{2,}\b")
_PLACES: Final = re.compile(
    r"\b(?:in|at|to|from|near) (?:the )?[A-Z]\w+|[\w.-]+/[\w./-]+"
    r"|\b[\w-]+\.(?:py|ts|js|tsx|md|toml|json|sql|sh|yml|yaml|rs|go)\b"
    r"|[가-힣]+(?:에서|으로)(?=\s)",
)


def asked_for(question: str) -> AskedFor:
    """What a question asks for; the first kind whose words it has."""
    text = plain(question)
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), "other")


def asks_why(question: str) -> bool:
    """Whether a question asks for a reason."""
    return asked_for(question) == "reason"


def fits(kind: AskedFor, text: str) -> bool:
    """Whether a text has what a question of this kind asks for: a time, a number, a name, a place, a reason."""
    match kind:
        case "time":
            return _TIMES.search(text) is not None
        case "number":
            return _NUMBERS.search(text) is not None
        case "person":
            return _NAMES.search(text) is not None
        case "place":
            return _PLACES.search(text) is not None
        case "reason":
            return gives_reason(text) or names_cause(text)
        case "other":
            return False


def named(text: str) -> int:
    """How many names a text has: capitalised words inside a sentence, words between quotation marks or backticks."""
    return len(_NAMES.findall(text))
