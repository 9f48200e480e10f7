"""What an English title says of how far its task has come, at its beginning and at its end.

Every function takes away one such part, or gives the text back as it is. What the task is about stays: ``Show orders that are
in progress``, ``Mark a todo as done`` and ``Resume the upload`` say nothing of their own status.
"""

from __future__ import annotations

import re

REACH = 240
"""How far from either end of a text its status is looked for."""

_QUALIFIED = r"(?:(?:now|all|already|still|currently|finally|almost|nearly|not|yet|actually)\s+){0,3}"
_HELD = r"(?:blocked|stuck|held up|waiting)(?:\s+(?:on|by|for|until|because|due to|behind)\b[^()\[\]]{1,160})?"
_STATE = (
    r"(?:done|finished|completed?|in[ -]progress|wip|todo|to do|pending|cancell?ed|deferred|postponed|on hold|under ?way"
    rf"|ongoing|tbd|started|for later|later|{_HELD})(?:\s+(?:yet|now|already))?"
)
_END = r"[\s.!…]*\Z"

LABEL = (
    r"todo|to[- ]do|done|wip|in[ -]progress|doing|fixme|tbd|blocked|pending|completed?|finished|cancell?ed|later"
    r"|next(?: up| steps?)?|remaining(?: work| tasks?)?|still (?:open|to do)|follow[- ]?up|deferred|postponed|on hold"
    r"|skipped|action item|task"
)

_BUSY = r"(?:still|also|just|now|then|already|currently|actively|really|successfully)\s+"
_NOT_DENIED = r"(?!not\b|never\b|be\b|have\b)"
_LEADS = re.compile(
    r"(?:later|next|now|finally|then)\s*,\s+"
    r"|(?:please|let['’]?s|let us)\s+(?=\w)"
    rf"|(?:can|could|would|will)\s+you\s+(?:please\s+|{_BUSY}){{0,2}}(?=\w)"
    rf"|(?:we|i|you|they|someone)\s+(?:{_BUSY}){{0,3}}"
    rf"(?:need\s+to|have\s+to|must|should|ought\s+to|want\s+to|plan\s+to|will|would\s+like\s+to|(?:am|are)\s+going\s+to)\s+{_NOT_DENIED}"
    rf"|(?:i|we)['’](?:ll\s+|(?:m|re)\s+going\s+to\s+){_NOT_DENIED}"
    rf"|(?:still\s+|also\s+){{0,2}}(?:needs?\s+to|have\s+to|going\s+to|remember\s+to|do(?:n['’]t|\s+not)\s+forget\s+to"
    rf"|make\s+sure\s+to|plan(?:ning)?\s+to|want\s+to)\s+{_NOT_DENIED}"
    rf"|(?:(?:i['’]m|i\s+am|we['’]re|we\s+are)\s+)?(?:{_BUSY}){{0,2}}working\s+on\s+(?=\w)"
    rf"|(?:i|we)(?:['’]ve|\s+have)?\s+(?:{_BUSY}){{0,2}}(?!(?:need|feed|speed|seed)\b)(?=\w{{2,20}}ed\s)"
    r"|(?:finished|completed|done\s+with)\s+(?=(?:the|my|our|this|that)\s|\w{2,20}ing\s)"
    r"|(?:(?:i|we)\s+)?(?:started|starting|began|continued?|continuing)\s+(?:to\s+(?=\w)|(?=\w{2,20}ing\s))",
    re.IGNORECASE,
)
_ASKED = re.compile(r"(?:can|could|would|will)\s+you\b", re.IGNORECASE)

_SET_OFF = re.compile(
    rf"\s*(?:[(\[]\s*{_QUALIFIED}{_STATE}\s*[)\]]|(?:\s[-–—|:]|[,;:]|\s(?:→|->))\s*(?:(?:is|are|was|were)\s+)?{_QUALIFIED}{_STATE}){_END}",
    re.IGNORECASE,
)
_SAID = re.compile(
    rf"\s+(?:is|are|was|were|has\s+been|have\s+been|remains?)\s+{_QUALIFIED}(?:not\s+)?{_STATE}{_END}", re.IGNORECASE
)
_BARE = re.compile(
    r"\s+(?:done|finished|completed|in\s+progress|wip|(?:for\s+)?later|not\s+(?:yet\s+)?(?:done|finished|started)(?:\s+yet)?"
    r"|blocked(?:\s+(?:on|until)\s[^()\[\]]{1,160}|\s+by\s+(?:pr|pull request|issue|#|https?:|[A-Z]{2,9}-[0-9])"
    rf"[^()\[\]]{{0,160}})?){_END}",
    re.IGNORECASE,
)
# What stands before a status makes it part of a clause, or the object of the task.
_CLAUSE = re.compile(
    r"\b(?:that|which|who|whom|whose|if|whether|when|until|while|after|before|once|because|unless|how|what|why|where|as|is|are"
    r"|was|were|been|being|to|for|not|or|and|never|sooner|get|gets|getting|keep|leave)\b",
    re.IGNORECASE,
)
_LAST_WORD_OF_A_PHRASE = re.compile(
    r"(?:\b(?:as|is|are|be|been|being|to|for|not|or|and|of|with|a|an|the|get|gets|getting|than|say|says|saying)|[\"'“‘`])\Z",
    re.IGNORECASE,
)
_ABOUT_STATUS = re.compile(
    r"\b(?:mark|marks|marked|marking|set|sets|setting|flag|flagged|labels?|states?|status(?:es)?|show|display|filter|list|detect|keep"
    r"|leave|verify|check|ensure|confirm|assert|make sure|wait|handle|allow|report|count|sort|toggle|hide)\b",
    re.IGNORECASE,
)

# `Save for later` and `Buy now, pay later` are what is to be made.
_FOR_LATER = re.compile(
    r"(?:\b(?:(?:save[ds]?|saving|remind)(?:\s+(?:\w{1,20}\s+)?\w{1,20})?|(?:read|watch|pay|snooze)(?:\s+it)?)|[\"'“‘`])\s*\Z",
    re.IGNORECASE,
)
_LATER = re.compile(r"\blater\b", re.IGNORECASE)
# `Add column: done` makes another one than `Add column: blocked`; `Bug: the job is stuck` is what is wrong.
_NAMED = re.compile(
    r"\A(?:add|create|rename|remove|delete|insert|new)\b.{0,120}\b(?:columns?|lanes?|tabs?|badges?|chips?|filters?|options?|enum|values?"
    r"|tags?)\s*\Z",
    re.IGNORECASE,
)
_IS_A_BUG = re.compile(r"(?:bug|issue|problem|error|fix(?:es)?)\s*(?:\([^()]{1,40}\)\s*)?[:：]", re.IGNORECASE)
_FINISHED = re.compile(r"\b(?:done|finished|completed?)\b", re.IGNORECASE)


def without_lead(text: str) -> str:
    """Without ``we still need to``, ``let's``, ``finished`` and the like at the beginning."""
    lead = _LEADS.match(text, 0, REACH)
    if lead is None:
        return text
    rest = text[lead.end() :]
    return rest.rstrip("? ") if _ASKED.match(text) else rest


def without_tail(text: str) -> str:
    """Without ``is done``, ``(in progress)``, ``, blocked on the review`` and the like at the end."""
    start = max(0, len(text) - REACH)
    if tail := _SET_OFF.search(text, start):
        is_named = _NAMED.match(text, 0, tail.start())
        return text if is_named or _is_about_status(text, tail.start()) or _is_for_later(text, tail) else text[: tail.start()]
    if tail := _SAID.search(text, start):
        about = _CLAUSE.search(text, start, tail.start()) or _is_about_status(text, tail.start())
        is_a_bug = _IS_A_BUG.match(text) and not _FINISHED.search(tail[0])
        return text if about or is_a_bug else text[: tail.start()]
    if tail := _BARE.search(text, start):
        before = text[start : tail.start()]
        about = _LAST_WORD_OF_A_PHRASE.search(before) or _CLAUSE.search(before) or _is_about_status(text, tail.start())
        return text if about or _is_for_later(text, tail) else text[: tail.start()]
    return text


def _is_for_later(text: str, tail: re.Match[str]) -> bool:
    before = text[max(0, tail.start() - REACH) : tail.start()]
    return _LATER.search(tail[0]) is not None and _FOR_LATER.search(before) is not None


def _is_about_status(text: str, end: int) -> bool:
    return _ABOUT_STATUS.search(text, 0, min(end, REACH)) is not None


_WAITS = re.compile(
    r"(?:(?:it|this|that|we|i)\s+)?(?:(?:is|are|am|was|were|it['’]s|we['’]re|i['’]m)\s+)?(?:(?:still|currently|now|all)\s+){0,2}"
    r"(?:(?:blocked|stuck|held\s+up|hanging)\s+(?:on|by|until|because\s+of|due\s+to|behind)"
    r"|(?:waiting|waits?)\s+(?:for|on|until)|depend(?:s|ent|ing)?\s+(?:up)?on|pending|until|after|once|unless|needs?|requires?|by)\s+"
    r"(?=\S)",
    re.IGNORECASE,
)
_COMES_ABOUT = re.compile(
    r"\s+(?:(?:(?:has|have|had|needs?|must|should|will|is|are|gets?|to|be|been|being|first)\s+){0,4}"
    r"(?:merged|finished|done|completed?|approved|released|deployed|landed|ready|available|resolved|fixed|closed|answered|reviewed"
    r"|published|shipped|signed\s+off|in\s+place)|(?:to\s+)?(?:lands?|merges?|finish(?:es)?|completes?|ships?|arrives?|come)"
    rf"|is\s+(?:in|up|out|over|back|there|pending))(?:\s+first)?{_END}",
    re.IGNORECASE,
)
_FIRST = re.compile(rf"\s+(?:first|pending){_END}", re.IGNORECASE)


def without_waiting(text: str) -> str:
    """What a text says that is waited for, without saying that it is: ``until the review is done`` is ``the review``."""
    if waits := _WAITS.match(text, 0, REACH):
        return text[waits.end() :]
    start = max(0, len(text) - REACH)
    for end in (_COMES_ABOUT, _FIRST):
        if found := end.search(text, start):
            return text[: found.start()]
    return text
