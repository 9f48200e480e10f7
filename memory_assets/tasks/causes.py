"""What keeps a task from outside: somebody, an artifact, a condition that has a name.

An agent that waits for its own helpers or tools says so a dozen times a session (``Waiting for the other three``), and of a
program that waits it is said as well (``it's waiting for the timeout``). That blocks no task.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memory_assets.tasks.done_evidence import FoundQuote
from memory_assets.tasks.references import named_task, references_in

_OWN_WAITING = re.compile(
    r"\A\W{0,6}(?:(?:now|ok(?:ay)?|so|i['’]m|i am|we['’]re|just|still)[\s,]+){0,3}wait(?:ing)?\b"
    r"|(?:기다리는\s?중|기다리고\s?있|대기\s?중|기다립니다|기다리겠)",
    re.IGNORECASE,
)
_WAITING_PROGRAM = re.compile(
    r"\b(?:it|call|process|thread|request|server|client|code|loop|startup)(?:['’]s|\sis)\s(?:\w+\s){0,3}waiting\b",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(
    r"\b(?:approvals?|approve|sign-?off|decisions?|answers?|reply|replies|feedback|confirmation|permission|access|credentials?|legal"
    r"|review(?:s|ers?)?|teams?|customers?|clients?|vendors?|maintainers?|managers?|owners?|you|your)\b"
    r"|승인|결재|검토|리뷰|답변|회신|결정|확인|허가|권한|팀|님|대리|과장|부장|차장|고객|담당",
    re.IGNORECASE,
)
_NAMELESS = re.compile(
    r"(?:(?:the|all|some|any|its?|my|our|these|those|this|that|other|others|rest|remaining|last|next|first|few|both|them|they|more"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|\d+|of|to|for|it|results?|outputs?|agents?|sub-?agents?|helpers?|tasks?"
    r"|tools?|commands?|process(?:es)?|jobs?|scripts?|background|runs?|finish|complete|completion|return|response|something|here"
    r"|unknown|build|tests?|slices?|batch(?:es)?|workers?)\W*)+"
    r"|(?:(?:나머지|다른|그|이|저|것|거|들|그것|이것|모두|전부|에이전트|서브에이전트|작업|결과|명령|완료|응답|개|두|세|네|하나|둘|셋|를|을|이|가|의)\W*)+",
    re.IGNORECASE,
)


def named_causes(blockers: Iterable[str], quotes: Sequence[FoundQuote], project_key: str) -> list[str]:
    """Those of the texts of what a task is said to wait for that name something outside.

    What a todo tool is told is named. Where an agent speaks of its own waiting, or anybody of a program's, only an artifact, a
    task by its id, or somebody's word counts.
    """
    if any(quote.speaker == "todo_tool" for quote in quotes):
        return list(blockers)
    waits = any(
        (quote.speaker == "agent" and _OWN_WAITING.search(quote.text)) or _WAITING_PROGRAM.search(quote.text)
        for quote in quotes
    )
    return [text for text in blockers if _names_something(text, project_key, waits=waits)]


def _names_something(text: str, project_key: str, *, waits: bool) -> bool:
    if named_task(text):
        return True
    kinds = {reference.kind for reference in references_in(text, project_key, is_blocker=True)}
    if waits:
        # A file that an agent waits for is one that it is about to read or write itself.
        return bool(kinds - {"file"}) or _SOMEBODY.search(text) is not None
    return bool(kinds) or (bool(text.strip()) and _NAMELESS.fullmatch(text.strip()) is None)
