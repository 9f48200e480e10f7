"""What a person's sentence is that no phrase names: told, supposed, or decided."""

from __future__ import annotations

import re

from memory_assets.vocabulary import EntryType

_DESCRIBES = re.compile(
    r"^\W{0,3}(?i:(?:additionally|also|currently|right now|since|when|while|because|and|but|so)\b[\s,]{1,3})?"
    r"(?:(?i:the|this|there|it|these|those|our|my)|\w{1,60}\(\)|[a-z]{1,40}[A-Z]\w{1,60}|`[^`\n]{1,80}`)"
    r"\s(?:\S{1,60}\s){0,6}?(?:is|are|was|were|does|has|have|can|will|would|could|[a-z]{2,20}s)\b"
    r"|^\W{0,3}[A-Za-z][\w-]{1,30}(?: [\w-]{1,30}){0,2} (?:is|are|lives?|lands?)"
    r"(?: [\w-]{1,20})? (?:(?:in|at|under|by|from|via) |`)"
    r"|^\W{0,3}(?i:(?:ok(?:ay)?|k|so|well)\b[\s,]{1,3})?"
    r"(?i:i(?:['’]ve| have)? (?:ran|tried|saw|got|noticed|found|removed|added|changed|fixed)|here(?:['’]s| is| are)(?! what))\b"
)
"""A person's sentence that tells how something is or behaves, and decides nothing."""
_TELLS = re.compile(
    r"(?:깨[져졌지]|안 ?[되돼됩]|느[려리]|실패[하해했]|(?:오류|에러|버그)[가는]|죽[어었는]|멈[춰췄추])[^\n]{0,8}$"
    r"|(?:거든요?|[다라한간온된난는]대요?|[라으]래요?|더라고?요?|던데요?|(?<!까)는데요?"
    r"|나 ?봐요?|구나|거네요?|했네요?|올라와|나와|[았었했됐]어요?)[.!~ㅋㅎ]{0,4}\s?$"
    r"|\b(?i:(?:does|is)(?:n['’]?t| not)|fail(?:s|ed|ing)|silently|crash\w*|hangs?|broken|breaks)\b"
)
"""A person's sentence that tells what is broken, or in Korean why, what others say or how it was."""
_MAY_BE = re.compile(
    r"\b(?:might|may|could) (?:not |also |still |well )?(?:be|have|need|mean|fail|cause|lead)\b"
    r"|\bwould (?:improve|help|simplify|reduce)\b|수도 있|일지도|(?<![할될을갈볼줄올쓸])(?<![할될을갈볼줄올쓸]\s)거 ?같",
    re.IGNORECASE,
)
"""A person supposes how something is."""


def told(text: str) -> EntryType:
    """Of a person's sentence that no phrase names: a guess is found out, a description is so, all else is decided."""
    if _MAY_BE.search(text):
        return "insight"
    return "fact" if _DESCRIBES.match(text) or _TELLS.search(text) else "decision"
