"""A question that listed options, and the answer that takes one of them ("2번으로", "yes, do B", "the second one")."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_ASKS = re.compile(r"\?|까요|나요|세요|할래|어느|어떤|골라|선택해")
_PROPOSES = re.compile(
    r"\b(?:lean(?:ing)? to|recommend\w*|options|(?:two|three|four|several|\d) ways|ways to|alternatives|choices|go with)\b"
    r"|추천|선택지|(?:방법|방식|안)(?:은|이|을)? ?(?:두|세|네|\d) ?가지|(?:두|세|네) ?가지",
    re.IGNORECASE,
)
"""An agent lists ways without a question, right before the list or behind it."""
_REPORTS = re.compile(r"\b(?:fixed|done|pass(?:es|ed)?|passing)\b|완료|수정했|고쳤", re.IGNORECASE)
_AROUND = 200
"""Characters before a list of options in which it is announced."""
_OPTION = re.compile(
    r"^[ \t]{0,12}(?:[-*+•][ \t]{1,4}|#{1,6}[ \t]{1,4})?(?:\*\*|__)?"
    r"(?:(?:option|choice|approach|plan|alternative|방법|옵션|선택지|방안|안)[ \t]{0,2})?"
    r"(?P<label>[1-9]|[A-Ea-e])(?:안|번)?(?:\*\*|__)?[.):：](?:\*\*|__)?[ \t]{1,4}(?P<body>\S[^\n]{1,400})$",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE = re.compile(
    r"(?:(?<!\w)\((?P<letter>[1-5a-e])\)|\*\*\(?(?P<label>[1-5A-E])[.):]?\*\*[.):]?)[ \t]{1,4}"
    r"(?P<body>[^\n]{1,300}?)"
    r"(?=[,;.?]?\s{1,4}(?:(?:or|and|또는|아니면)\s)?(?:\([1-5a-e]\)\s|\*\*\(?[1-5A-E][.):]?\*\*)|[.?](?:\s|$)|\n|$)"
)
"""Options within a line: ``(a) … (b) …``, ``**A** …, **B** …``."""
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
    r"(?:(?:do|go with|go for|going with|use|try|pick|choose|take|prefer|like|want|start with|plan(?: out)?|implement)\s{1,3})?"
    r"(?:the\s)?(?:fix(?:es)? for\s)?"
)
_NOUN = r"(?:option|choice|approach|plan|alternative|number|no\.|방법|옵션|선택지|방안)"
_LIST_MARK = r"(?:번|안)?(?=\s{0,2}(?:$|[.,!)~:;–—-]|방식|방법|안))"
_TAKES = r"(?:do|go with|go for|use|try|pick|choose|take|plan(?: out)?|implement|let'?s (?:do|go with|use|try))"
_ALONE = r"(?![0-9A-Za-z_%/$]|[.:]\d)"
_AND = rf"(?:\s{{0,2}}(?:,|and\b|&|\+|과|와|이?랑|하고)\s{{0,2}}(?P<other>[1-9]){_ALONE}(?:번|안(?!\s?[되돼됩]))?)?"
_NTH = "first|1st|former|second|2nd|latter|third|3rd|fourth|4th|fifth|5th|last"
_ANSWERS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_LEAD}{_VERB}{_NOUN}?\s{{0,2}}\#?(?P<label>[1-9]){_ALONE}(?:번|안(?!\s?[되돼됩]))?{_AND}",
        rf"{_LEAD}{_VERB}{_NOUN}\s{{1,2}}(?P<label>[A-E])\b",
        rf"{_LEAD}{_TAKES}\s{{1,2}}(?P<label>[A-E])\b",
        rf"{_LEAD}(?P<label>(?-i:[A-E]))(?:(?:안|번)?(?:으로|로)(?=\s|$)|{_LIST_MARK})",
        rf"{_LEAD}(?P<label>[A-E])\s?(?:안|번)?(?:으로|로)(?=\s|$)",
        rf"{_LEAD}(?P<label>(?-i:[A-E]))(?=(?:은|는|이|가|를|을|만|도)?\s?(?:말고|대신|빼고|보다|별로|낫|나아|좋))",
        rf"{_LEAD}(?P<label>(?-i:[A-E]))(?=\s(?:now|first|please|pls|it is|for now|then)\s{{0,2}}"
        r"(?:$|[.,!;]|(?:please|and|but)\b))",
        r"^\s{0,4}(?P<label>[A-E])\s{0,4}$",
        rf"{_LEAD}{_VERB}(?P<ordinal>{_NTH})\s(?:one|option|choice|approach|plan)\b",
        rf"{_LEAD}{_VERB}(?<=the\s)(?P<ordinal>{_NTH})(?=\s{{0,2}}(?:$|[.,!;]))",
        rf"{_LEAD}(?P<ordinal>첫|두|세|네|다섯)\s?번째",
        rf"{_LEAD}(?P<ordinal>첫째|둘째|셋째|넷째|다섯째|마지막)(?=\s?(?:거|것|걸|방법|안|옵션|방안|로|으로))",
    )
)

_CLAUSE_END = re.compile(
    r"[.,;!?:~)–—\n]+|(?:^|(?<=\w))\s+(?=(?:but|because|since|so|and)\b)|(?<=[하가]고)\s|(?<=[하가]는데)\s", re.IGNORECASE
)
_REFUSED_FOR = re.compile(
    r"^\s{0,2}(?:은|는|이|가|(?:으로|로)?\s?[하가]지)?\s{0,2}(?:말고|대신에?|빼고|제외하고|보다는?|아니고|아니라)(?=\s|,|$)[\s,]{0,3}"
)
_RATHER_THAN = re.compile(
    r"^\s{1,2}(?:instead of|rather than|over|not)\s{1,2}(?:the\s|option\s)?\W?(?:[1-9]\b|[A-E]\b|second|first|third)",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"\b(?:no|not|never|none|nope|cannot|bad|worse|worst|wrong|out|wait|hate|dislike|terrible|awful|broken|fails|failing|ugly|too|avoid|skip"
    r"|except|drop|reject|against|without|instead|why|what|how|which|whether|unless|if|or|maybe|later|slow|slower|risky|dont"
    r"|isnt|wont)\b|n't\b"
    r"|말고|말자|말아|말죠|마라|마세요|지\s?마|빼|제외|싫|별로|아니|아닌|아냐|못|없|않|대신|왜|까요|나요|[할을될]까|하면"
    r"|어떻게|어때|어떨|뭐|무슨|차이|틀[렸려린]|나쁘|나빠|문제|위험|이상[하해한]|느리|느려|취소|반대|보류|나중|한데|지만|은데|(?<![하가])는데"
    r"|(?:^|\s|[은는이가])안\s?[되돼됩좋하할한해써쓰쓸맞]",
    re.IGNORECASE,
)
_GOOD = r"(?:all\s)?(?:good|fine|ok|okay|great|better|best|perfect|right|nice|it|the (?:best|one|way|right|better)\b.{0,20})"
_FOR_IT = re.compile(
    rf"^\s{{0,3}}(?:$|(?:please|pls|plz|thanks|thank you|then|first|now|for|with|as well|it is|wins"
    rf"|makes sense|works(?= for (?:me|us)\b)"
    rf"|(?:is|'s|would be|(?:look|seem|feel|sound)s?)\s(?:like\s)?{_GOOD}|because|since|so|but|and)\b"
    r"|(?:방식|방법|방안|옵션|안|거|것|걸|게|케이스|항목)?(?:이|가|은|는|을|를|만|도)?(?:으로|로)?(?:요|만)?\s{0,2}"
    r"(?:$|하|해|할|합|한|함|가자|가죠|가고|가는데|간다|갈게|갑시다|진행|부탁|선택|고를|고르|골라|좋|나아|나을|낫|맞|괜찮|추천|결정|확정"
    r"|적용|구현|먼저|시작|써|쓰자|쓸게|ㄱ|고고|오케이|ok))",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"^\W{0,4}(?:(?:but|and)\s)?(?:no,? wait|wait,? no|wait|no|nope|nah|actually|scratch that|on second thought|oops|i mean"
    r"|rather|아니야?|아니다|아냐|아 아니|잠깐만?)(?!\w)[\s,.!]{0,4}",
    re.IGNORECASE,
)
_DOUBT = re.compile(r"\?|낫|에러|오류|별로")
_UNDECIDED = re.compile(r"\b(?:let me think|not sure|undecided)\b|생각해 ?볼|고민", re.IGNORECASE)
_LISTED = re.compile(r"^[ \t]{0,4}(?:[1-9]|[A-E])[.)][ \t]", re.MULTILINE)
_MAX_CLAUSES = 12


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a question; ``text == message[start:end]``."""

    label: str
    text: str


def options_of(asked: str) -> list[Option]:
    """The last list of options in a message that asks for a choice; empty when it lists fewer than two."""
    text = asked[-_MAX_ASKED:]
    asks = _ASKS.search(text) is not None
    if not asks and (_REPORTS.search(text) or not _PROPOSES.search(text)):
        return []
    fences = [match.start() for match in _FENCE.finditer(text)]
    listed = _in_turn(match for match in _OPTION.finditer(text) if sum(start < match.start() for start in fences) % 2 == 0)
    options = listed if len(listed) >= 2 else _in_turn(_INLINE.finditer(text))
    return options if len(options) >= 2 and (asks or _is_announced(text, options)) else []


def _is_announced(text: str, options: list[Option]) -> bool:
    """Whether the words around a list say that these are ways to choose from."""
    first, last = text.find(options[0].text), text.rfind(options[-1].text) + len(options[-1].text)
    return _PROPOSES.search(text[max(0, first - _AROUND) : first] + "\n" + text[last:]) is not None


def _in_turn(matches: Iterable[re.Match[str]]) -> list[Option]:
    """The last options that count from the first label without a gap."""
    options: list[Option] = []
    for match in matches:
        named = match.groupdict()
        label = (named["label"] or named["letter"]).upper()
        if label in ("1", "A"):
            options = []
        elif not options or ord(label) != ord(options[-1].label) + 1:
            continue
        options.append(Option(label, _first_sentence(match.group("body"))))
    return options


def chosen(answer: str, options: list[Option]) -> list[Option]:
    """The options that an answer takes: one, two when it names two, none when it takes none.

    Clause by clause: one that names options takes them when nothing follows in it, or only what approves. What it refuses or
    doubts is not taken, and gives way to what a later clause takes; a question takes nothing.
    """
    said = answer.strip()[:_MAX_ANSWER].replace("’", "'")
    if len(_LISTED.findall(said)) > 1:
        return []  # answers to several questions
    if _UNDECIDED.search(said):
        return []
    marked = _LISTED.match(said)
    if marked is not None and _named(said[marked.end() :], options):
        said = said[marked.end() :]  # an answer in a list of one, not the option of that number
    taken: list[Option] = []
    refused = False
    for _ in range(_MAX_CLAUSES):
        back = _TAKEN_BACK.match(said)
        if back is not None and (back.end() == len(said) or _named(said[back.end() :], options)):
            taken, refused, said = [], True, said[back.end() :]
        found = _named(said, options)
        if found is None:
            if not taken and not refused:
                return []
            said = _behind(said)
        else:
            names, rest = found
            other = _REFUSED_FOR.match(rest)
            clause = _CLAUSE_END.split(rest, maxsplit=1)[0]
            asks = rest[len(clause) :].lstrip().startswith("?")
            if asks:
                return []
            if other is not None:
                refused, said = True, rest[other.end() :]
                continue
            if _RATHER_THAN.match(clause) or (_approves(clause, instead=refused) and not _doubted(clause, rest)):
                if taken and taken != names:
                    return []  # more than one is praised
                taken = names
            elif _AGAINST.search(clause):
                refused = True
                if any(option in taken for option in names):
                    return []
            elif not taken:
                return []
            said = _behind(rest)
        if not said:
            break
    return taken


def _approves(clause: str, *, instead: bool) -> bool:
    """Whether the rest of a clause that names an option takes it; "instead" does so once another one is refused."""
    rest = re.sub(r"\binstead\b", "", clause, flags=re.IGNORECASE) if instead else clause
    return _FOR_IT.match(rest.rstrip()) is not None and _AGAINST.search(rest) is None


def _doubted(clause: str, rest: str) -> bool:
    """Whether what takes an option goes on to doubt it ("A로 하는데 B가 더 낫지 않아?")."""
    if not clause.endswith("는데"):
        return False
    going_on = re.split(r"[.!\n]", rest[len(clause) :], maxsplit=1)[0]
    return _AGAINST.search(going_on) is not None or _DOUBT.search(going_on) is not None


def _behind(said: str) -> str:
    """What follows the clause that a text begins with."""
    parts = _CLAUSE_END.split(said, maxsplit=1)
    return parts[1].lstrip() if len(parts) > 1 else ""


def _named(said: str, options: list[Option]) -> tuple[list[Option], str] | None:
    """The options that a text begins to speak of, and the rest of it."""
    for pattern in _ANSWERS:
        match = pattern.match(said)
        if match is None:
            continue
        groups = match.groupdict()
        if ordinal := groups.get("ordinal"):
            name = ordinal.lower()
            place = _ORDINALS[name if name in _ORDINALS else f"{name}번째"]
            found = [options[place]] if -1 <= place < len(options) else []
        else:
            labels = [label.upper() for label in (groups.get("label"), groups.get("other")) if label]
            found = [option for label in labels for option in options if option.label == label]
        return (found, said[match.end() :]) if found else None
    return None


def _first_sentence(body: str) -> str:
    text = body.rstrip()
    if len(text) <= _MAX_OPTION:
        return text
    cut = max(text.rfind(mark, 40, _MAX_OPTION) for mark in (". ", "; ", ", ", " "))
    return text[: cut if cut > 0 else _MAX_OPTION].rstrip(" ,;")
