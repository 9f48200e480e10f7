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

from memory_assets.extraction.completeness import GO_ON, asks_to_know
from memory_assets.extraction.schema import Quote, StatusAt
from memory_assets.extraction.scoring import Scored
from memory_assets.extraction.status_history import changes
from memory_assets.extraction.todos import Todo
from memory_assets.tasks.one_turn import is_one_turn
from memory_assets.text.english_words import inflected
from memory_assets.vocabulary import FINISHED, TaskStatus

_UNFINISHED = re.compile(
    r"\b(?:could(?: not|n['’]t)|unable to|failed to|(?:not|n['’]t) (?:yet )?work(?:ing)?\b"
    r"|(?:is|are) (?:still )?(?:missing|failing|left|open)|still (?:fails?|needs?|open)"
    r"|i(?: will|['’]ll)? leave\b|next,? i\b|step \w+ is done)"
    r"|실패(?:했|하였)|못 ?했|아직|남아 ?있|남은 (?:일|작업)|되지 않습니다",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"^\W{0,3}(?:(?:yes|yeah|yep|yup|sure|ok(?:ay)?|no|nope|lgtm|thanks?|agreed)\b"
    r"|(?:응|어|네|넵|예|그래|좋아|아니|맞아|오케이)(?![가-힣])|(?:[A-E]|\d{1,2})(?:번|안|\W|$))",
    re.IGNORECASE,
)
_NOTES = re.compile(r"^\W{0,3}(?:note|fyi|ps|참고)\b\W", re.IGNORECASE)
"""What a person adds to a request."""
_TELLING_WORDS = 5
"""Telling words beyond which a sentence names what is meant; of several that do, the first is the request."""
_OPENING = 40
"""Characters in which a message says that it is an answer."""
_ASKS_ENOUGH = -1.0
"""How far below what an entry needs a sentence that asks may be: somebody worked on it."""
_MUCH_WORK = 4
"""Messages of the agent in a turn from which the person's words that opened the session are a request."""
_LOOKS = re.compile(
    r"^\W{0,3}(?:(?:can|could|would) you |please |let'?s |so,? |ok(?:ay)?,? )?(?:investigate|check|review|find out|figure out"
    r"|look (?:at|into|for|why)|analy[sz]e|explain|why|compare|verify|research|dig into|take a look)\b"
    r"|(?:확인|조사|분석|검토|리뷰|파악|비교)(?:을|를)?\s?(?:해|하고|좀|부탁)|(?:찾아|알아)\s?(?:봐|줘|보고)|왜.{0,60}(?:지|까|나요?)\?",
    re.IGNORECASE,
)
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
    asking = [one for one in whole if one.entry_type == "task" and not _NOTES.match(one.spot.sentence.text)]
    return max(asking, key=_asking, default=None) or max(whole, key=_telling, default=None)


def _asking(one: Scored) -> float:
    """How much the phrases of a sentence say that something is asked for."""
    return sum(cue.vote for cue in one.cues if cue.entry_type == "task")


def _telling(one: Scored) -> int:
    """How much a sentence says of its own: of a message that only tells what is wrong, the one that names most."""
    return min(_TELLING_WORDS, len(one.spot.words))


def asks_for_work(request: Scored, answers: int, *, opens: bool) -> bool:
    """Whether a person's sentence is a task of the turn that it begins.

    Its phrases ask for something; or it opens the session and the agent then works much, whatever its words are. An answer
    ("yes, let's do that", "1, 2 and 3") belongs to what it answers; an order such as "commit this" is over with the turn.

    Args:
        answers: how many messages the agent says in that turn: it speaks between its calls of tools.
        opens: whether the turn is the first one of the session.
    """
    spot = request.spot
    if spot.in_plan:
        return True
    if spot.origin != "typed" or _ANSWERS.match(spot.message.text[:_OPENING]) or is_one_turn(spot.sentence.text):
        return False
    if request.entry_type == "task":
        return request.score >= _ASKS_ENOUGH and not asks_to_know(spot.sentence.text)
    return opens and request.entry_type != "preference" and answers >= _MUCH_WORK


def is_left_open(request: Scored, closing: Iterable[Scored], *, only_request: bool) -> bool:
    """Whether the last words of a turn say of a request that it failed or that some of it is left.

    Of several requests it must be one that shares a word with what is said. An end that shares none with the only request
    is another matter where a sentence that does says that it is done.
    """
    last = list(closing)
    open_ends = [one for one in last if _UNFINISHED.search(one.spot.sentence.text)]
    asked = _stems(request)
    if any(asked & _stems(one) for one in open_ends):
        return True
    return only_request and bool(open_ends) and not any(one.tells_done and asked & _stems(one) for one in last)


def _stems(one: Scored) -> frozenset[str]:
    """The words of a sentence as they are asked for and reported alike: ``push`` of ``pushed``."""
    return frozenset(inflected(word) for word in one.spot.words)


def asks_to_look(request: Scored) -> bool:
    """Whether a request is for something to be found out: what the agent finds is its outcome."""
    return _LOOKS.search(request.spot.sentence.text) is not None


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
    """

    quotes: tuple[Quote, ...]
    history: tuple[StatusAt, ...]

    @property
    def is_open(self) -> bool:
        """Whether a step is known that is not through."""
        return bool(self.history) and self.history[-1].status not in FINISHED


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
    return Progress(tuple(quotes)[:_MOST_QUOTES], changes(kept) or tuple(kept[:1]))


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
