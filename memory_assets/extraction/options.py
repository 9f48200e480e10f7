"""A question that listed options, and the answer that takes one of them ("2번으로", "yes, do B", "the second one")."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ASKS = re.compile(r"\?|까요|나요|세요|할래|어느|어떤|골라|선택해")
_OPTION = re.compile(
    r"^[ \t]{0,12}(?:[-*+•][ \t]{1,4}|#{1,6}[ \t]{1,4})?(?:\*\*|__)?"
    r"(?:(?:option|choice|approach|plan|alternative|방법|옵션|선택지|방안|안)[ \t]{0,2})?"
    r"(?P<label>[1-9]|[A-Ea-e])(?:안|번)?(?:\*\*|__)?[.):：](?:\*\*|__)?[ \t]{1,4}(?P<body>\S[^\n]{2,400})$",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(r"^[ \t]{0,12}(?:```|~~~)", re.MULTILINE)
_MAX_ASKED = 20_000
_MAX_ANSWER = 400
_MAX_OPTION = 200

_ORDINALS = {
    "first": 0, "1st": 0, "former": 0, "second": 1, "2nd": 1, "latter": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3,
    "fifth": 4, "5th": 4, "last": -1,
    "첫": 0, "첫번째": 0, "두번째": 1, "세번째": 2, "네번째": 3, "다섯번째": 4, "마지막": -1,
    "첫째": 0, "둘째": 1, "셋째": 2, "넷째": 3, "다섯째": 4,
}  # fmt: skip
_LEAD = (
    r"^\W{0,4}(?:(?:ok|okay|yes|yeah|yep|sure|right|hmm|i think|응|어|네|넵|예|그래|그럼|좋아|좋아요|음)[\s,.!:~]{1,4}){0,3}"
)
_VERB = (
    r"(?:(?:let'?s|we'?ll|i'?ll|i(?:'d)?|please|can we|could we)\s{1,3})?"
    r"(?:(?:do|go with|go for|going with|use|try|pick|choose|take|prefer|like|want|start with)\s{1,3})?(?:the\s)?"
)
_NOUN = r"(?:option|choice|approach|plan|alternative|number|no\.|방법|옵션|선택지|방안)"
_ENDS = (
    r"(?=\s{0,3}(?:$|[.,!)~:;–—-]|번|안\b|안으로|로\b|으로|(?:is|please|looks|seems|sounds|but|and|then|since|because|with|for|it"
    r"|please|first|방식|방법)\b))"
)
_LIST_MARK = r"(?:번|안)?(?=\s{0,2}(?:$|[.,!)~:;–—-]|방식|방법|안))"
_GOES_ON = r"(?!\s+(?!(?:please|then|for|because|since|and|but|as)\b)[a-z])"
_TAKES = r"(?:do|go with|go for|use|try|pick|choose|take|let'?s (?:do|go with|use|try))"
_AND = r"(?:\s{0,2}(?:,|and|&|\+|과|와|랑|하고)\s{0,2}(?P<other>[1-9])(?:번|안)?)?"
_NTH = "first|1st|former|second|2nd|latter|third|3rd|fourth|4th|fifth|5th|last"
_ANSWERS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_LEAD}{_VERB}{_NOUN}?\s{{0,2}}\#?(?P<label>[1-9])(?:번|안)?{_AND}{_ENDS}",
        rf"{_LEAD}{_VERB}{_NOUN}\s{{1,2}}(?P<label>[A-E])\b",
        rf"{_LEAD}{_TAKES}\s{{1,2}}(?P<label>[A-E])\b{_GOES_ON}",
        rf"{_LEAD}(?P<label>(?-i:[A-E]))(?:(?:안|번)?(?:으로|로)(?=\s|$)|{_LIST_MARK})",
        r"^\s{0,4}(?P<label>[A-E])\s{0,4}$",
        rf"{_LEAD}{_VERB}(?P<ordinal>{_NTH})\s(?:one|option|choice|approach|plan)\b",
        rf"{_LEAD}(?P<ordinal>첫|두|세|네|다섯)\s?번째",
        rf"{_LEAD}(?P<ordinal>첫째|둘째|셋째|넷째|다섯째|마지막)\s?(?:거|것|걸|방법|안|옵션|방안|로|으로)",
    )
)


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a question; ``text == message[start:end]``."""

    label: str
    text: str


def options_of(asked: str) -> list[Option]:
    """The last list of options in a message that asks for a choice; empty when it lists fewer than two."""
    text = asked[-_MAX_ASKED:]
    if not _ASKS.search(text):
        return []
    fences = [match.start() for match in _FENCE.finditer(text)]
    options: list[Option] = []
    for match in _OPTION.finditer(text):
        if sum(start < match.start() for start in fences) % 2:
            continue
        label = match.group("label").upper()
        if label in ("1", "A"):
            options = []
        elif not options or ord(label) != ord(options[-1].label) + 1:
            continue
        options.append(Option(label, _first_sentence(match.group("body"))))
    return options if len(options) >= 2 else []


def chosen(answer: str, options: list[Option]) -> list[Option]:
    """The options that an answer takes: one, two when it names two, none when it takes none."""
    said = answer.strip()[:_MAX_ANSWER].replace("’", "'")
    for pattern in _ANSWERS:
        match = pattern.match(said)
        if match is None:
            continue
        groups = match.groupdict()
        if ordinal := groups.get("ordinal"):
            name = ordinal.lower()
            place = _ORDINALS[name if name in _ORDINALS else f"{name}번째"]
            return [options[place]] if -1 <= place < len(options) else []
        labels = [label.upper() for label in (groups.get("label"), groups.get("other")) if label]
        return [option for label in labels for option in options if option.label == label]
    return []


def _first_sentence(body: str) -> str:
    text = body.rstrip()
    if len(text) <= _MAX_OPTION:
        return text
    cut = max(text.rfind(mark, 40, _MAX_OPTION) for mark in (". ", "; ", ", ", " "))
    return text[: cut if cut > 0 else _MAX_OPTION].rstrip(" ,;")
