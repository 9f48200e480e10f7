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

from memory_assets.extraction.completeness import GO_ON
from memory_assets.extraction.schema import Quote, StatusAt
from memory_assets.extraction.scoring import Scored
from memory_assets.extraction.status_history import changes
from memory_assets.extraction.todos import Todo
from memory_assets.vocabulary import FINISHED, TaskStatus

_UNFINISHED = re.compile(
    r"\b(?:could(?: not|n['’]t)|unable to|failed to|(?:not|n['’]t) (?:yet )?work(?:ing)?\b"
    r"|(?:is|are) (?:still )?(?:missing|failing|left|open)|still (?:fails?|needs?|open)"
    r"|i(?: will|['’]ll)? leave\b|next,? i\b|step \w+ is done)"
    r"|실패(?:했|하였)|못 ?했|아직|남아 ?있|남은 (?:일|작업)|되지 않습니다",
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
    asking = [one for one in typed if one.entry_type == "task"]
    return max(asking or typed, key=lambda one: sum(cue.weight for cue in one.cues), default=None)


def is_left_open(request: Scored, closing: Iterable[Scored], *, only_request: bool) -> bool:
    """Whether the last words of a turn say of a request that it failed or that some of it is left.

    Of several requests it must be one that shares a word with what is said.
    """
    open_ends = [one for one in closing if _UNFINISHED.search(one.spot.sentence.text)]
    return any(only_request or request.spot.words & one.spot.words for one in open_ends)


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
