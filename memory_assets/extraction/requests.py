"""What a person asks for in a turn, and the items of the todo list by which an agent works it off.

A plan that a person hands over, and a request behind which the agent keeps a list, are one task each: the items are its steps,
and what becomes of them says how far it has come.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from memory_assets.extraction.completeness import GO_ON, also_orders, asks_to_know
from memory_assets.extraction.findings import looks_and_changes
from memory_assets.extraction.outcomes import ends_all
from memory_assets.extraction.schema import Quote, StatusAt
from memory_assets.extraction.scoring import Scored
from memory_assets.extraction.status_history import changes
from memory_assets.extraction.todos import Todo
from memory_assets.tasks.done_phrases import thanks
from memory_assets.tasks.one_turn import is_one_turn, is_standing
from memory_assets.text.suppositions import opens_supposed
from memory_assets.vocabulary import FINISHED, TaskStatus

_ANSWERS = re.compile(
    r"^\W{0,3}(?:(?:yes|yeah|yep|yup|sure|ok(?:ay)?|nope|lgtm|thanks?|agreed)\b"
    r"|no(?=\W*$|[,.!;])|(?:응|어|네|넵|예|그래|좋아|아니|맞아|오케이)(?![가-힣])|(?:[A-E]|\d{1,2})(?:번|안)(?=\W|$|으?로|이|은|방식))",
    re.IGNORECASE,
)
_CHOOSES = re.compile(
    r"^\W{0,3}(?:(?:option |and |or |& )?(?:[A-E]|\d{1,2})(?!\w)[\s,.;)&+]{0,4}){1,20}"
    r"(?:\W{0,3}(?:please|do|both|it|is|fine|good|works?|thanks|로|으로|해|줘|해줘|부탁|부탁해)){0,3}\W{0,3}$",
    re.IGNORECASE,
)
"""An answer of numbers or letters: nothing else is said in it but a word or two."""
_ASKS_ANEW = re.compile(
    r"^\W{0,3}\S{1,8}\W{1,3}(?:(?:and|but|so|then)\W{1,3})?(?:now|next|instead|also|please|(?:can|could|would) you"
    r"|let['’]?s (?!(?:do|go|use|try|proceed|start|continue|keep|see|make it)\b)\w"
    r"|(?:이제|그리고|다음|대신|추가로|그럼 이제)(?=[\s,]))"
    r"|^[^\n]{0,200}[,;.…]\s{0,2}(?:(?:and|but|also|separately|additionally|then|now|next)\b,?\s){0,2}(?:can|could|would) you"
    r" (?:please )?(?!do (?:it|that|this|so)\b)\w"
    r"|^[^\n]{1,80}[.!…,]\s{0,2}(?:그리고|추가로|또한?|이제|다음으로)\s\S",
    re.IGNORECASE,
)
"""What follows an answer's first words where the message goes on to something else."""
_NOTES = re.compile(r"^\W{0,3}(?:note|fyi|ps|참고)\b\W", re.IGNORECASE)
"""What a person adds to a request, beside guesses of why it is so."""
_TELLING_WORDS = 5
"""Telling words beyond which a sentence names what is meant; of several that do, the first is the request."""
_OPENING = 40
"""Characters in which a message says that it is an answer."""
_ASKS_ENOUGH = -1.0
"""How far below what an entry needs a sentence that asks may be: somebody worked on it."""
_WRONG = re.compile(
    r"\b(?:not|never|no longer|fail\w*|errors?|wrong\w*|slow\w*|broken|breaks?|missing|incorrect\w*|unexpected\w*|bugs?"
    r"|crash\w*|conflicts?|issues?|problems?|should(?:n['’]t)?|flaky|hangs?)\b|n['’]t\b"
    r"|않|없|못|안 |오류|에러|실패|문제|느리|느려|이상|깨[져지]",
    re.IGNORECASE,
)
"""What says that something is not as it should be."""
_IN_A_CASE = re.compile(r"\b(?:when|if|before|after|each|every|any)\b|경우|때|마다|전에|[후뒤]에|면(?=\s)", re.IGNORECASE)
"""What makes an order one for each time that something is so."""
_FEW_WORDS = 2
"""Telling words that a person's sentence has at least that says what is wrong: a greeting has none."""
ASKS_BACK = "asks-back"
"""The cue of a person who wants to be asked or told before something happens."""
NO_SUCH_THING = "no-such-thing"
"""The cue of a person who wants none of something ("no emojis please")."""
_BUILDS = re.compile(
    r"^\W{0,3}(?:please |can you |could you )?(?:add|write|build|create|make|implement|show)\b|알림을?\s?(?:보내|추가|띄|줄)",
    re.IGNORECASE,
)
MUCH_WORK = 4
"""Messages of the agent in a turn from which the person's words that began it are a request."""
_MOST_QUOTES = 6
"""Quotes of a request's steps; the further ones add nothing to what is known of it."""


def request_in(said: Sequence[Scored]) -> Scored | None:
    """The sentence of one message by which its request is known; None where the person asks for nothing.

    Of a plan its heading; else what asks in the person's own words, the sentence whose phrases say so most. It depends on
    the message alone, so that every window finds the same one.
    """
    planned = [one for one in said if one.spot.in_plan and one.spot.origin == "pasted"]
    if planned:
        return next((one for one in planned if one.spot.sentence.shape == "heading"), planned[0])
    typed = [one for one in said if one.spot.origin == "typed" and not one.has(GO_ON)]
    whole = [one for one in typed if not one.spot.sentence.text.rstrip().endswith((":", "："))] or typed
    asking = [one for one in whole if one.entry_type == "task" and not _only_notes(one.spot.sentence.text)]
    return max(asking, key=_asking, default=None) or max(whole, key=_telling, default=None)


def _only_notes(text: str) -> bool:
    return _NOTES.match(text) is not None or (opens_supposed(text) and not also_orders(text))


def _asking(one: Scored) -> tuple[bool, bool, float]:
    """How much the phrases of a sentence say that something is asked for; an answer that stands beside it asks for less, and so
    does what only asks to be told something."""
    return not is_answer(one), not asks_to_know(one.spot.sentence.text), _asked_by_phrases(one)


def _asked_by_phrases(one: Scored) -> float:
    return sum(cue.vote for cue in one.cues if cue.entry_type == "task")


def _orders(one: Scored) -> bool:
    return _asked_by_phrases(one) > 0


def _telling(one: Scored) -> tuple[bool, int]:
    """How much a sentence says of its own: of a message that only tells what is wrong, the one that says it and names most."""
    words = len(one.spot.words)
    return words >= _FEW_WORDS and says_wrong(one), min(_TELLING_WORDS, words)


def asks_for_work(request: Scored, answers: float, *, opens: bool, is_told_done: bool = False) -> bool:
    """Whether a person's sentence is a task of the turn that it begins.

    Its phrases ask for something; or the agent then works much, and it says that something is wrong, or opens the session.
    An answer ("yes, let's do that", "1, 2 and 3") belongs to what it answers; an order such as "commit this" is over with
    the turn.

    Args:
        answers: how many messages the agent says in that turn: it speaks between its calls of tools.
        opens: whether the turn is the first one of the session.
        is_told_done: whether the agent's last words of that turn say that it is done.
    """
    spot = request.spot
    if spot.in_plan:
        return True
    text = spot.sentence.text
    if spot.origin != "typed" or is_one_turn(text) or asks_to_know(text) or is_answer(request):
        return False
    much = answers >= MUCH_WORK
    if request.entry_type == "task":
        return request.score >= _ASKS_ENOUGH or also_orders(text) or much
    if request.entry_type == "preference":
        stands = (
            request.is_repeated
            or request.has(NO_SUCH_THING)
            or is_standing(text)
            or _asks_back(request)
            or _IN_A_CASE.search(text)
        )
        return _orders(request) and not stands
    if thanks(text) or len(spot.words) < _FEW_WORDS:
        return False
    orders = also_orders(text) or looks_and_changes(text)
    tells_wrong = says_wrong(request) and request.entry_type != "decision"
    return ((orders or opens or tells_wrong) and much) or (tells_wrong and is_told_done)


def is_standing_order(one: Scored) -> bool:
    """Whether a person orders in own words what is to be so from now on, or to be asked or told before something happens."""
    spot = one.spot
    if one.entry_type != "preference" or spot.voice != "user" or spot.origin != "typed" or asks_to_know(spot.sentence.text):
        return False
    stands = is_standing(spot.sentence.text) and _orders(one) and not says_wrong(one)
    return one.is_repeated or _asks_back(one) or stands


def _asks_back(one: Scored) -> bool:
    """Whether a person wants to be asked or told, and wants nothing built that tells somebody."""
    return one.has(ASKS_BACK) and _BUILDS.search(one.spot.sentence.text) is None


def says_wrong(one: Scored) -> bool:
    """Whether a sentence says that something is not as it should be."""
    return _WRONG.search(one.spot.sentence.text) is not None


def is_answer(request: Scored) -> bool:
    """Whether a sentence is an answer to what the agent said: one that opens with one, or a message of numbers."""
    spot = request.spot
    if _CHOOSES.match(spot.message.text):
        return True
    begins = (spot.sentence.text, *([spot.message.text] if spot.position == 0 else []))
    return any(_ANSWERS.match(said[:_OPENING]) is not None and _ASKS_ANEW.match(said) is None for said in begins)


def requests_of(scored: Iterable[Scored]) -> dict[int, Scored]:
    """The request of each turn that has one: of several messages in a row the last one's."""
    messages: dict[int, list[Scored]] = {}
    turns: dict[int, int] = {}
    for one in scored:
        if one.spot.voice == "user":
            messages.setdefault(one.spot.message_index, []).append(one)
            turns[one.turn] = one.spot.message_index
    found = {turn: request_in(messages[index]) for turn, index in turns.items()}
    return {turn: one for turn, one in found.items() if one is not None}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a request has come by the items of its list.

    Attributes:
        quotes: of the items, those first that the history needs.
        history: what they say of the request, in the order of the messages.
        at_last_step: whether all are through but the one that is under way: the tick behind it is often forgotten.
    """

    quotes: tuple[Quote, ...]
    history: tuple[StatusAt, ...]
    at_last_step: bool = False

    @property
    def is_open(self) -> bool:
        """Whether a step is known that is not through."""
        return bool(self.history) and self.history[-1].status not in FINISHED

    def leaves_open(self, report: Scored | None) -> bool:
        """Whether a step is open beside what an agent reports: not the last one, where it says that all of it is done."""
        ends = self.at_last_step and report is not None and report.spot.voice == "closing" and ends_all(report)
        return self.is_open and not ends


def progress_of(steps: Sequence[Todo]) -> Progress:
    """A request is in progress from the first step that is, and done with the last one; open steps keep it open."""
    told = sorted((step.message_index, number, step.status) for number, todo in enumerate(steps) for step in _told(todo))
    standing: dict[int, TaskStatus] = {}
    history: list[StatusAt] = []
    needed: dict[int, Quote] = {}
    quoted = {(quote.message_index, number): quote for number, todo in enumerate(steps) for quote in todo.quotes}
    for index, of_message in groupby(told, key=itemgetter(0)):
        changed = list(of_message)
        standing.update((number, status) for _, number, status in changed)
        whole = _whole(standing, len(steps))
        if not history or history[-1].status != whole:
            history.append(StatusAt(whole, index))
            found = (quoted[index, number] for _, number, _ in changed if (index, number) in quoted)
            if (quote := next(found, None)) is not None:
                needed[index] = quote
    kept = [step for step in history if step.message_index in needed]
    quotes = dict.fromkeys((*needed.values(), *(todo.quotes[0] for todo in steps)))
    is_open = [status for status in standing.values() if status not in FINISHED]
    at_last_step = len(standing) == len(steps) > 1 and is_open == ["in_progress"]
    return Progress(tuple(quotes)[:_MOST_QUOTES], changes(kept) or tuple(kept[:1]), at_last_step)


def _told(todo: Todo) -> tuple[StatusAt, ...]:
    """The statuses that an item was given, each with the message that says so."""
    if todo.history or todo.status is None:
        return todo.history
    return (StatusAt(todo.status, todo.quotes[0].message_index),)


def _whole(standing: Mapping[int, TaskStatus], count: int) -> TaskStatus:
    """What the statuses of the items say of the whole."""
    statuses = list(standing.values())
    if len(statuses) == count and all(status in FINISHED for status in statuses):
        return "done" if "done" in statuses else "cancelled"
    return "pending" if all(status == "pending" for status in statuses) else "in_progress"
