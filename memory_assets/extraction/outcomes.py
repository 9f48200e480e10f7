"""What becomes of a request in its turn: the report that ends it, what was found out, or what is said to be left of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from memory_assets.extraction.completeness import points_back
from memory_assets.extraction.findings import asks_to_look, is_finding, names_the_cause
from memory_assets.extraction.scoring import Scored
from memory_assets.extraction.sentence_context import stems_of
from memory_assets.extraction.task_state import standing
from memory_assets.extraction.titles import title_of
from memory_assets.extraction.work_lists import work_listed_below
from memory_assets.tasks.done_phrases import all_tests_pass

REPORT_SCORE = -6.0
"""How far below what an entry needs a report may be and still be cited."""

_FAILS = re.compile(
    r"\b(?:could not|unable to|(?<!which )(?<!that )(?<!had )failed to|(?:is|are) still failing"
    r"|still (?:fail(?:s|ing)?\b(?! (?:gracefully|safely|closed|as (?:expected|intended))\b)|broken))"
    r"|\bcouldn['’]t|(?:\bnot|n['’]t) (?:yet )?work(?:ing)?\b"
    r"|실패(?:했(?!던)|하였(?!던)|합|한다)|못 ?했(?!던)|아직|(?<!이제 )(?<!더 이상 )되지 않습니다|(?<!면 )안 됩니다",
    re.IGNORECASE,
)
"""An agent says that it did not succeed."""
_NOT_DONE = re.compile(r"\bnot\b|n['’]t\b|\bfail|\bskip|않|못|실패|생략|보류", re.IGNORECASE)
_LEFT = re.compile(
    r"\b(?:(?:is|are) (?:still )?(?:missing|failing|left|open)|still (?:needs?|open)"
    r"|i(?: will|['’]ll)? leave\b(?![^.\n]{0,80}\bas (?:it|they) (?:is|are|was|were)\b)|next,? i\b|step \w+ is done)"
    r"|남아 ?있|남은 (?:일|작업)(?![^.\n]{0,30}(?:했|됐|되었|완료|끝))",
    re.IGNORECASE,
)
"""An agent says that something is left to do."""
_TICKED = re.compile(r"^\W{0,4}[✓✔✅☑]")
"""An item of a list that is ticked off."""
_IS_SO_NO_MORE = re.compile(
    r"^\W{0,3}no\b|\b(?:old|previous|former|original)\b|\b(?:any ?more|any longer)\b|\b(?:when|if|whenever) \w+ \w+ is\b"
    r"|이제|더 이상",
    re.IGNORECASE,
)
"""What fails or is missing is told of the past, or of a case."""
_DID = re.compile(r"^\W{0,3}(?:(?:i|we)(?:['’]ve| have)? )?[a-z]+ed\b|(?:했|됐|되었|하였)습니다\W{0,3}$", re.IGNORECASE)
_BUT = re.compile(r"\b(?:but|however|though|except|still)\b|지만|다만|아직|는데", re.IGNORECASE)
_SUMS_UP = re.compile(
    r"^\W{0,3}here(?:['’]s| is| are) (?:a (?:short |quick )?(?:summary|overview) of )?"
    r"(?:what (?:i(?:['’]ve)?|we(?:['’]ve)?|was|has been)?\s?"
    r"(?:changed|did|done|implemented|fixed|added|updated)\b|(?:all )?the changes\b(?! (?:needed|required|i|we)\b))"
    r"|^\W{0,3}(?:주요 |전체 )?(?:변경|수정|작업)\s?(?:사항|내용|결과)(?:은|는)?\s?(?:다음|아래|요약|입니다)",
    re.IGNORECASE,
)
"""An agent begins to tell what it did."""
_KOREAN_PLAN = r"(?:계획|플랜)(?:을|이|은|를)?\s?(?:작성|준비|수립)[^.\n]{0,12}(?:완료|했습니다|됐습니다|되었습니다|마쳤)"
_ONLY_PLANS = re.compile(
    rf"\b(?:the|my|this) plan (?:is|has been) (?:now )?(?:ready|written|drafted)\b|{_KOREAN_PLAN}", re.IGNORECASE
)
"""An agent says that a plan is written, and of no plan that it goes on with."""
_PLANNED = re.compile(
    r"\b(?:the|my|this) plan (?:is|has been|was) (?:now )?(?:ready|written|complete\w*|updated|saved|drafted)\b"
    rf"|{_KOREAN_PLAN}|\bready to (?:be )?(?:implement|execute|start implement)\w*|실행(?:할)? 준비가",
    re.IGNORECASE,
)
"""An agent says that a plan is made: nothing of it is done."""
_OF_THE_PLAN = re.compile(
    r"\b(?:work|steps?|tasks?|changes?|phases?|items?|everything)\b[^.\n]{0,30}\b(?:from|of|in) (?:the|my|this) plan\b",
    re.IGNORECASE,
)
"""What is complete is what the plan asks for."""
_ASKS_FOR_PLAN = re.compile(r"\b(?:plan|design|propos\w+|draft|spec)\b|계획|플랜|설계|제안|방안", re.IGNORECASE)
_OPENS_DONE = re.compile(
    r"^\W{0,6}(?:(?:all|it['’]s|that['’]s) )?(?:done|finished|completed?|fixed|implemented|all set)\W{0,3}"
    r"(?:(?<=[.!✅])\s|[—–]\s|\n|$)"
    r"|^\W{0,6}(?:(?:수정|반영|적용|처리|작업)\s?)?(?:완료|끝)\W{0,3}(?:(?<=[.!✅])\s|\n|$)",
    re.IGNORECASE,
)
"""A word with which an agent's message says that it is done; what it then says is how it is now."""
_ENDS_ALL = re.compile(
    r"(?<!almost )(?<!nearly )(?<!not )\b(?:all|everything)\b(?! but\b)[^.\n]{0,80}"
    r"\b(?:is|are|has been|have been) (?:now )?(?:complete|completed|done|finished|implemented|in place)\b"
    r"|(?:모두|모든|전부|전체)[^.\n]{0,40}(?:완료|끝났|마쳤|마무리)",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"^\W{0,3}(?:(?:now|next|then|first)\b,? )?(?:let me (?!know\b|be\b|explain\b|sum)"
    r"|i(?:['’]ll| will) (?:now |first )?(?:start|begin|write|create|update(?! you)|check|fix|look|read|run|add)\b)"
    r"(?![^\n]{0,200}\b(?:if|whenever|once) you\b)"
    r"|(?:^|[.!]\s)(?:이제|그럼|먼저|다음으로)\s[^\n]{2,60}겠습니다[.:]?$",
    re.IGNORECASE,
)
"""An agent says what it is about to do."""
_ANNOUNCES_LIST = re.compile(r"^\W{0,3}(?:what|here(?:['’]s)?|the following|다음)\b", re.IGNORECASE)
_ASKS = re.compile(r"\?\W{0,4}$|(?:까|나|가|래)요\W{0,3}$")
_CODE = re.compile(r"^[ \t]{0,8}```.*?^[ \t]{0,8}```", re.MULTILINE | re.DOTALL)
_PART = re.compile(r"(?<=[.!?])\s|\n")
_TO_COME = re.compile(
    r"^\W{0,3}(?:but|however|except)\b"
    r"|\b(?:yet|before i|next|so far|let me know|waiting for|under ?way|running|remains?|remaining|tomorrow|later"
    r"|i need|(?:need|requires?) (?:your|you)|please (?:send|give|upload|provide|tell|paste|share)"
    r"|(?:i(?:['’]ll| will| can| could| am going to)|we(?:['’]ll| will)))\b"
    r"|(?:\bnot|n['’]t) (?:touch|start|run)|\bi (?:can['’]?t|cannot|couldn['’]t|could not|was unable|am unable)"
    r"|아직|그대로|나중에|내일|모르겠|면 됩니다|못 ?[했하]|(?:보내|알려|올려)\s?(?:줘|주)|기다리|(?:하겠|할게|쓰겠|겠습니다)",
    re.IGNORECASE,
)
"""What an agent says beside "Done." or tests that pass where what was asked for is still to come."""
_DID_NOT = re.compile(
    r"\bi (?:can['’]?t|cannot|couldn['’]t|could not|was unable|am unable|will (?:go on|continue|start)|need)\b|못 ?했습니다",
    re.IGNORECASE,
)
"""A reviewer who has not read what was to be reviewed."""
_ORDERS_REVIEW = re.compile(
    r"^\W{0,3}(?:(?:can|could|would) you |please |let['’]?s |so,? |ok(?:ay)?,? |(?:i['’]ll|i will|i['’]m going to) )?"
    r"(?:now |first |also |carefully |please ){0,2}(?:review|examine|audit|assess|analy[sz]e|compare|summari[sz]e)\b"
    r"|\b(?:do|give|provide|write|perform|make|want|need)\b[^.\n]{0,30}\b(?:review|audit|analysis|summary|comparison)\b"
    r"|(?:검토|리뷰|분석|비교|요약)(?:을|를)?\s?(?:해|하[고겠기여자]|부탁|좀)",
    re.IGNORECASE,
)
"""Who wants a review, and does not speak of one."""
_IS_PLAN = re.compile(r"\b(?:plan|steps)\b|계획|단계|순서", re.IGNORECASE)
_READS_ON = re.compile(
    r"\b(?:i['’]ll|i will|let me) (?:now |then )?(?:go on|continue|start|proceed|move on|read|look at|review)\b"
    r"|\b(?:the )?(?:rest|remaining|remainder|(?:other|second|next) (?:half|part|files?|one))\b"
    r"|나머지|이어서|계속[^.\n]{0,12}(?:겠|까요|할게)|수 없습니다|(?:다음|남은) (?:파일|부분)",
    re.IGNORECASE,
)
"""A reviewer who reads on."""
_LONG_ANSWER = 8
"""Sentences of a message that is the review that was asked for."""
_NAMES_A_FAILURE = re.compile(r"^\W{0,6}failed to\b", re.IGNORECASE)
"""What an item of such a list may be called: the message that is logged now, the case that is handled."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a turn says of a request.

    Attributes:
        report: the agent's sentence that weighs as a report of it.
        told: where none does, the agent's last word that says that it is done, or what was found out.
        listed: what one of them announces ("Both are fixed:"): of the items below it the one that says most of it.
        is_left_open: whether the last words of the turn say that it failed, or that some of it is left.
    """

    report: Scored | None = None
    told: Scored | None = None
    listed: Scored | None = None
    is_left_open: bool = False

    @property
    def said(self) -> tuple[Scored, ...]:
        """What is quoted of it beside the report."""
        return tuple(one for one in (self.told, self.listed) if one is not None)


def says_not_done(text: str) -> bool:
    """Whether words of a report say of what they speak of that it was not done, whatever else they say."""
    return _NOT_DONE.search(text) is not None


def outcome_of(
    request: Scored,
    reports: Sequence[Scored],
    closing: Sequence[Scored],
    longest: Sequence[Scored],
    *,
    only_request: bool,
    asks_why: bool = True,
) -> Outcome:
    """What the agent says of a request in its turn.

    Args:
        reports: the sentences of the turn that report something, closing ones among them.
        closing: all sentences of the agent's last message of the turn.
        longest: all sentences of its longest message behind the request, as far as the window has the turn: a review that was
            asked for may have something said behind it.
        only_request: whether nothing else was asked for in the turn.
        asks_why: whether a cause that is named in the turn can be the one that was asked for.
    """
    is_open = is_left_open(request, closing, only_request=only_request)
    goes_to_work = _goes_to_work(closing)
    telling = [one for one in reports if not _OPENS_DONE.match(one.spot.sentence.text)]
    report = best_report(request, telling, only_request=only_request)
    if report is not None or request.status == "blocked":
        return _with_what_it_announces(Outcome(report, is_left_open=is_open or goes_to_work), request, closing)
    told = best_report(request, _told_done(closing), only_request=only_request)
    if told is None and asks_to_look(request):
        found = [
            one for one in closing if one.entry_type == "insight" and one.score >= 0 and is_finding(one.spot.sentence.text)
        ]
        found = [one for one in found if not one.spot.sentence.text.endswith((":", "："))] or found
        answers = only_request or (asks_why and names_the_cause(request, closing))
        told = (_review_told(request, closing) if only_request else None) or best_report(request, found, only_request=answers)
        # What is missing or fails is what was found.
        is_open = is_open and told is None
        if told is None and only_request and not _goes_on(longest, closing):
            told = _review_told(request, longest)
            goes_to_work = goes_to_work and told is None  # the review is given, whatever is looked at behind it
    return _with_what_it_announces(Outcome(told=told, is_left_open=is_open or goes_to_work), request, closing)


def _with_what_it_announces(outcome: Outcome, request: Scored, closing: Sequence[Scored]) -> Outcome:
    """The outcome with the item that it announces, which takes the place of what says nothing itself."""
    said = outcome.report or outcome.told
    below = _said_below(request, said, closing)
    if below is not None and said is not None and _only_points(said):
        return Outcome(told=below, is_left_open=outcome.is_left_open)
    return replace(outcome, listed=below)


def _said_below(request: Scored, report: Scored | None, closing: Sequence[Scored]) -> Scored | None:
    """What a report announces ("Here's what changed:", "Both are fixed:"): the item below it with most words of the request."""
    if report is None or not (_only_points(report) or report.spot.sentence.text.rstrip("*_ ").endswith((":", "："))):
        return None
    done = [one for one in work_listed_below(report, closing) if not _only_points(one)]
    below = [one for one in done if not is_left_open(one, [one], only_request=True)]
    return max(below, key=lambda one: (len(request.spot.words & one.spot.words), -one.spot.position), default=None)


def _goes_on(review: Sequence[Scored], closing: Sequence[Scored]) -> bool:
    """Whether a message is the plan of a review, or what is said at the end says that some of it is still to come."""
    if any(_IS_PLAN.search(one.spot.sentence.text) for one in review[:2]):
        return True
    return any(pattern.search(one.spot.sentence.text) for one in closing for pattern in (_DID_NOT, _READS_ON, _ASKS))


def _review_told(request: Scored, closing: Sequence[Scored]) -> Scored | None:
    """Where a review was asked for and a message is one, its first sentence that speaks of what was to be reviewed.

    A review is long and has parts; what is still to come of it, nobody writes into one.
    """
    if _ORDERS_REVIEW.search(request.spot.sentence.text) is None or len(closing) < _LONG_ANSWER:
        return None
    parts = [one for one in closing if one.spot.sentence.shape in ("item", "heading")]
    if len(parts) * 3 < len(closing):
        return None
    if sum(_ASKS.search(one.spot.sentence.text) is not None for one in closing) * 3 > len(closing):
        return None
    if any(_DID_NOT.search(one.spot.sentence.text) for one in closing):
        return None
    found = [one for one in closing if is_finding(one.spot.sentence.text) and not _only_points(one)]
    return next((one for one in found if request.spot.words & one.spot.words), None) or next(iter(found), None)


def _told_done(closing: Sequence[Scored]) -> list[Scored]:
    """The sentences of the last words that say that something is done.

    Where none does, behind a bare "Done." all that say how it is now, else those that say that the tests pass: where nothing is
    asked and nothing is said to come.
    """
    done = [
        one
        for one in closing
        if (one.tells_done and not _OPENS_DONE.match(one.spot.sentence.text)) or _SUMS_UP.match(one.spot.sentence.text)
    ]
    if done or not closing:
        return done
    message = closing[0].spot.message.text
    if _OPENS_DONE.match(message):
        said = [one for one in closing if one.spot.sentence.shape != "heading" and is_finding(one.spot.sentence.text)]
        told = [one for one in said if not one.spot.sentence.text.rstrip("*_").endswith(":")] or said
    else:
        told = [one for one in closing if all_tests_pass(one.spot.sentence.text)]
    return told if told and _is_the_end(message) else []


def best_report(main: Scored, reports: Sequence[Scored], *, only_request: bool) -> Scored | None:
    """The sentence that says best what became of it: one that shares a word with it.

    Of the last words of a turn in which nothing else was asked for, one that shares none will do as well. The one that
    shares most words, then the one that weighs most; the first of equals. A heading, what announces a list and what stands in
    brackets are taken where there is nothing else.
    """
    later = [one for one in reports if one.spot.message_index > main.spot.message_index]
    closing = [one for one in later if only_request and one.spot.voice == "closing"]
    may = closing or [one for one in later if main.spot.words & one.spot.words]

    def fit(one: Scored) -> tuple[bool, int, float, int, int]:
        shared = len(main.spot.words & one.spot.words)
        return not _only_points(one), shared, one.score, -one.spot.message_index, -one.spot.position

    return max(may, key=fit, default=None)


def _only_points(one: Scored) -> bool:
    """Whether a sentence only says what stands below it or beside it."""
    text = one.spot.sentence.text.rstrip("*_ ")
    announces = text.endswith((":", "：")) and not (one.tells_done and _ANNOUNCES_LIST.match(text) is None)
    return one.spot.sentence.shape == "heading" or announces or text.startswith(("(", "（"))


def is_left_open(request: Scored, closing: Sequence[Scored], *, only_request: bool) -> bool:
    """Whether the last words of a turn say of a request that it failed or that some of it is left.

    An open end speaks of it that shares a word with it, or points back ("it still fails") at a sentence that does. Where
    nothing else was asked for, every open end does, unless it says of another subject that something is left while a sentence
    that shares a word with the request says that this is done.
    """
    asked = stems_of(request.spot.words)
    wants_more = not (request.spot.in_plan or _ASKS_FOR_PLAN.search(request.spot.sentence.text))
    reported = any(one.tells_done and asked & stems_of(one.spot.words) for one in closing)
    lists_done = False
    for number, one in enumerate(closing):
        text = one.spot.sentence.text
        ends = _ends_in(text)
        if one.spot.sentence.shape != "item":
            lists_done = _lists_done(one)
        elif ends.is_ticked or (lists_done and _NAMES_A_FAILURE.match(text)):
            continue
        only_planned = wants_more and ends.plans
        fails = only_planned or ends.fails
        if not only_planned and (not (fails or ends.leaves) or _is_told_done(one)):
            continue
        back = points_back(text)
        named = stems_of(one.spot.words) | (stems_of(closing[number - 1].spot.words) if back and number else frozenset())
        if asked & named or (only_request and (fails or back or not reported)):
            return True
    return False


class _Ends(NamedTuple):
    """What an agent's sentence says of how work ended: that only its plan is made, that it failed, that some is left."""

    plans: bool
    fails: bool
    leaves: bool
    is_ticked: bool


@lru_cache(maxsize=1 << 10)  # each request of a turn asks the same last words
def _ends_in(text: str) -> _Ends:
    return _Ends(
        plans=_PLANNED.search(text) is not None and _OF_THE_PLAN.search(text) is None,
        fails=_FAILS.search(text) is not None,
        leaves=_LEFT.search(text) is not None,
        is_ticked=_TICKED.match(text) is not None,
    )


def _lists_done(one: Scored) -> bool:
    """Whether a sentence says of what is listed below it that it was done."""
    text = one.spot.sentence.text
    if one.spot.sentence.shape != "heading" and not text.rstrip("*_ ").endswith((":", "：")):
        return False
    title = title_of(text)
    return _DID.match(title) is not None and standing(title).status == "done"


def _goes_to_work(closing: Sequence[Scored]) -> bool:
    """Whether the last words of a turn say what the agent does next: it was stopped, or goes on elsewhere."""
    return bool(closing) and _NEXT.search(closing[-1].spot.sentence.text) is not None


def _is_told_done(one: Scored) -> bool:
    """Whether what fails or is missing in a sentence is what was mended, or is so no more."""
    text = one.spot.sentence.text
    if _IS_SO_NO_MORE.search(text):
        return True
    told = (one.tells_done or one.reports) and _DID.search(text) is not None
    return told and _BUT.search(text) is None


def ends_all(report: Scored) -> bool:
    """Whether an agent's last words say that all is done, or that the tests pass, and that nothing is to come."""
    said = report.spot.message.text
    ends = _ENDS_ALL.search(report.spot.sentence.text) is not None or all_tests_pass(said)
    return ends and _is_the_end(said)


def _is_the_end(said: str) -> bool:
    """Whether a message, code aside, neither asks nor says that something is to come; the shortest question counts."""
    parts = _PART.split(_CODE.sub("", said))
    return not any(_ASKS.search(part) or _TO_COME.search(part) for part in parts)


def only_plans(said: str) -> bool:
    """Whether an agent's message says that a plan is made: what is in it nobody has decided yet."""
    return _ONLY_PLANS.search(said) is not None and _OF_THE_PLAN.search(said) is None


def asks(text: str) -> bool:
    """Whether an agent's sentence asks the person something."""
    return _ASKS.search(text) is not None
