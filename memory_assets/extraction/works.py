"""What a window's requests ask for, each with the turns in which it is worked on.

A person who only agrees to what the agent proposes ("yes, let's do that", "계속해줘") goes on with the request before it: what
the agent then does and reports is done for that request. Where no request is open, the reply itself asks for what it takes. A
command whose body is a template is known by what the agent says that it will do.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from memory_assets.extraction.completeness import (
    GO_ON,
    also_orders,
    asks_of_what_is_told,
    asks_to_know,
    leans_back,
    only_looks_next,
)
from memory_assets.extraction.outcomes import REPORT_SCORE, Outcome, asks, outcome_of
from memory_assets.extraction.requests import MUCH_WORK, asks_for_work, is_answer, says_wrong
from memory_assets.extraction.scoring import Scored, is_said, longest_message, turns_of
from memory_assets.extraction.sentence_context import stems_of
from memory_assets.extraction.windows import Window, broken_into_at, is_command
from memory_assets.sessions.model import Message
from memory_assets.tasks.done_phrases import thanks
from memory_assets.tasks.one_turn import is_one_turn

_ANNOUNCES = re.compile(
    r"^\W{0,3}(?:(?:sure|ok(?:ay)?|great|perfect|now|first|then)\b[\s,.!]{1,3}){0,2}"
    r"(?:i['’]ll|i will|i['’]m going to|let me) (?:now |first )?"
    r"|^[^\n]{2,160}(?:하|드리)겠습니다[.!]?$",
    re.IGNORECASE,
)
_GOAL = re.compile(r"^\W{0,4}(?:goals?|objectives?|purpose|목표|목적)[*_]{0,2}\s?[:：]", re.IGNORECASE)
_TAKES_WORDS = 3
"""Telling words that a request shares with what it takes up."""
_FAILS = re.compile(
    r"\b(?:fail\w*|errors?|wrong|slow|broken|breaks|bugs?|crash\w*|hangs?|freez\w*|leaks?)\b|오류|에러|실패|버그|느리|느려|깨[져지]|죽[어는]",
    re.IGNORECASE,
)
"""A person tells of something that is broken, and answers nothing."""
_SCOLDS = re.compile(
    r"^\W{0,3}(?:why (?:so|do|did|are|is|would)\b[^\n]{0,120}[!?]|(?:do|did|have|are)n['’]t you\b[^\n]{0,120}[!?]"
    r"|왜 (?:이렇게|자꾸|또|계속)\s[^\n]{0,80}[!?]\s*$)",
    re.IGNORECASE,
)
"""A person finds fault with how an agent works, and goes on with what it works on."""
_GUESSES = re.compile(r"\bbecause\b|때문", re.IGNORECASE)
_LAST_WORDS = 3
"""Sentences at the end of a message in one of which it asks."""
_BESIDE = 2
"""How many sentences away from a request a person tells what it is about."""


@dataclass(slots=True)
class Work:
    """A request, and the later turns in which the work on it goes on."""

    request: Scored
    later: list[int] = field(default_factory=list)


class Turns:
    """What the agent says in the turns of a window.

    Attributes:
        reports: of each turn the sentences that report something.
        closing: of each turn all sentences of the agent's last message.
        said: of each turn all sentences of the agent.
        questions: the turns in which the person asks to be told something, and agrees to nothing.
        guessed: the turns in which a person asks whether something is the cause.
    """

    def __init__(self, scored: Iterable[Scored]) -> None:
        self.reports: dict[int, list[Scored]] = {}
        self.closing: dict[int, list[Scored]] = {}
        self.said: dict[int, list[Scored]] = {}
        self.guessed: set[int] = set()
        spoken: set[tuple[int, int]] = set()
        asked: set[int] = set()
        agreed: set[int] = set()
        for one in scored:
            if one.score > REPORT_SCORE and one.reports:
                self.reports.setdefault(one.turn, []).append(one)
            if one.spot.voice == "closing":
                self.closing.setdefault(one.turn, []).append(one)
            if one.spot.voice != "user":
                spoken.add((one.turn, one.spot.message_index))
                self.said.setdefault(one.turn, []).append(one)
            else:
                if asks_to_know(one.spot.sentence.text):
                    asked.add(one.turn)
                    if _GUESSES.search(one.spot.sentence.text):
                        self.guessed.add(one.turn)
                if is_answer(one) or one.has(GO_ON):
                    agreed.add(one.turn)
        self.answers: Counter[int] = Counter(turn for turn, _ in spoken)
        self.questions = asked - agreed

    def outcome_of(self, request: Scored, turn: int, *, only_request: bool) -> Outcome:
        """What a turn tells of a request.

        From the turn on in which the person asks something, what is told of the request says so by its words; or it is what
        was found out, where the person asked whether something is the cause.
        """
        found, closing = self.reports.get(turn, []), self.closing.get(turn, [])
        longest = longest_message(self.said.get(turn, ()), request)
        if self.questions.isdisjoint(range(request.turn + 1, turn + 1)):
            return outcome_of(request, found, closing, longest, only_request=only_request)
        outcome = outcome_of(request, found, closing, longest, only_request=False, asks_why=turn in self.guessed)
        told = outcome.report or outcome.told
        is_cause = turn in self.guessed and outcome.report is None
        return outcome if told is None or is_cause or _speaks_of(told, request) else Outcome()

    def goes_on(self, said: Scored, going: Scored, *, is_asked: bool) -> bool:
        """Whether a person who begins a turn so wants nothing new of an agent that works on a request: it is a question, or an
        answer, which speaks of what the agent said last or of the request.

        Args:
            is_asked: the agent waits for a word, whatever it said last.
        """
        text = said.spot.sentence.text
        scolds = _SCOLDS.match(text) is not None and said.entry_type != "task" and not also_orders(text)
        if asks_to_know(text) or scolds:
            return True
        before = next((self.closing[turn] for turn in range(said.turn - 1, going.turn - 1, -1) if turn in self.closing), [])
        asked = is_asked or any(asks(one.spot.sentence.text) for one in before[-_LAST_WORDS:])
        if not asked or said.entry_type == "task" or also_orders(text) or _FAILS.search(text):
            return False
        known = stems_of(going.spot.words).union(*(stems_of(one.spot.words) for one in before))
        return not known.isdisjoint(stems_of(said.spot.words))

    def is_done(self, request: Scored, turn: int) -> bool:
        """Whether a turn tells that a request is done, and not that something is left of it."""
        outcome = self.outcome_of(request, turn, only_request=True)
        return (outcome.report is not None or outcome.told is not None) and not outcome.is_left_open


def _speaks_of(one: Scored, request: Scored) -> bool:
    """Whether a report has three of a request's telling words, or half of them."""
    asked = stems_of(request.spot.words)
    shared = len(asked & stems_of(one.spot.words))
    return shared > 0 and (shared >= _TAKES_WORDS or shared * 2 >= len(asked))


def works_of(
    messages: Sequence[Message],
    requests: Mapping[int, Scored],
    scored: Sequence[Scored],
    window: Window,
    *,
    has_steps: Set[int],
    is_bound: Callable[[Scored], bool],
    taken_back: Collection[int],
) -> list[Work]:
    """The requests of a window that are tasks, in order.

    Args:
        requests: of each turn what the person says by which it is known.
        has_steps: the turns in which the agent keeps a list.
        is_bound: whether a sentence is quoted already, as a reply with what it takes.
        taken_back: the turns in which the person takes a request back.
    """
    turns = Turns(scored)
    bound = {one.turn: one for one in scored if one.spot.voice == "user" and is_bound(one)}
    announced = dict(_announced(messages, scored, window))
    turn_of = turns_of(messages, window)
    broken_into = {turn_of[index] for index in broken_into_at(messages, window.start, window.end)}
    opening = min(requests, default=0) if window.start == 0 else None
    last = max((one.turn for one in scored), default=0)
    end = max((last, *has_steps))
    found: list[Work] = []
    going: Work | None = None
    before: Scored | None = None
    for turn in range(min((*requests, *announced), default=0), end + 1):
        said = requests.get(turn) if turn not in announced else None
        request = said or bound.get(turn) or announced.get(turn)
        goes_on = said is None or is_answer(said) or said.has(GO_ON) or is_bound(said)
        if said is not None and going is not None and turn not in taken_back:
            begins_list = turn in has_steps and has_steps.isdisjoint((going.request.turn, *going.later))
            goes_on = goes_on or (not begins_list and turns.goes_on(said, going.request, is_asked=turn in broken_into))
        if going is None and request is None and before is not None and turn in has_steps:
            found.append(going := Work(before))  # a list behind a bare yes is for what was asked before it
        if going is not None and goes_on and turn not in announced:
            going.later.append(turn)
        elif request is not None and (
            turn in has_steps
            or turn in announced
            or (
                is_bound(request)
                and (turns.answers[turn] >= MUCH_WORK or turn in turns.reports or turns.is_done(request, turn))
            )
            or (not is_bound(request) and _asks(request, turns, window, opens=turn == opening, is_last=turn == last))
        ):
            found.append(going := Work(request))
        elif turns.answers[turn] or turn in taken_back:
            going = None  # words to which the agent says nothing, such as a command's, end nothing
        before = request
        if going is not None and turns.is_done(going.request, turn):
            going = None
    return found


def _asks(request: Scored, turns: Turns, window: Window, *, opens: bool, is_last: bool) -> bool:
    # A turn that fills a window is much work.
    answers = math.inf if window.is_cut and is_last else turns.answers[request.turn]
    return asks_for_work(request, answers, opens=opens, is_told_done=turns.is_done(request, request.turn))


def _announced(messages: Sequence[Message], scored: Iterable[Scored], window: Window) -> Iterator[tuple[int, Scored]]:
    """The turns that a command begins whose body is a template, or a document that is handed over without a word, each with
    what the agent first says that it will do."""
    turns = turns_of(messages, window)
    commands: dict[int, set[int]] = {}
    for index in range(window.start, window.end):
        message = messages[index]
        if is_said(message) and message.role == "user" and is_command(message):
            commands.setdefault(turns[index], set()).add(index)
    answers: dict[int, int] = {}
    for one in scored:
        if one.turn not in commands:
            continue
        if one.spot.voice == "user":
            if one.spot.message_index not in commands[one.turn]:
                del commands[one.turn]  # the person says by words what is asked for
            continue
        is_first = answers.setdefault(one.turn, one.spot.message_index) == one.spot.message_index
        if is_first and announces_work(one):
            del commands[one.turn]
            yield one.turn, one


def announces_work(one: Scored) -> bool:
    """Whether an agent says that it will do something that is not over with the turn."""
    text = one.spot.sentence.text
    announces = _ANNOUNCES.match(text) if one.spot.voice != "user" else None
    return announces is not None and not only_looks_next(text) and not is_one_turn(text[announces.end() :])


def told_with(request: Scored, said: Sequence[Scored]) -> list[Scored]:
    """What is quoted beside a request: the goal of a plan; what names its object; what says as well that something is wrong,
    where the person only tells that; what the agent said before and the person takes up; the order that the agent takes up in
    its own words."""
    spot = request.spot
    if spot.voice != "user":
        return [one for one in said if one.turn == request.turn and one.spot.origin == "typed"][:1]
    if spot.in_plan:
        plan = (one for one in said if one.spot.message_index == spot.message_index)
        return [one for one in plan if one is not request and _GOAL.match(one.spot.sentence.text)][:1]
    named = named_before(request, said)
    if named is not None:
        return [named]
    wrong = [one for one in said if request.entry_type != "task" and one is not request and _tells_as_well(one, request)]
    if wrong:
        return [min(wrong, key=lambda one: (abs(one.spot.position - spot.position), one.spot.position))]
    return [one for one in (_taken_up(request, said),) if one is not None]


def named_before(request: Scored, said: Sequence[Scored]) -> Scored | None:
    """The sentence before a request that leans back on it ("change that"), or the heading of the document that it hands over;
    what is a memory of its own stays one."""
    spot = request.spot
    first = next((one for one in said if _is_heading_above(one, request)), None)
    if first is not None and heads(first, request):
        return first
    if not leans_back(request):
        return None
    place = (spot.message_index, 0 if asks_of_what_is_told(request) else spot.position - 1)
    before = next((one for one in said if (one.spot.message_index, one.spot.position) == place), None)
    if before is None or before.spot.origin != "typed" or before.entry_type in ("decision", "preference"):
        return None
    names = before.spot.sentence.shape == "prose" and len(before.spot.words) >= _TAKES_WORDS
    return before if names and not thanks(before.spot.sentence.text) else None


def stands_before(one: Scored, main: Scored) -> bool:
    """Whether a sentence may name what another speaks of: it is right before it, or heads what an order hands over."""
    mine, of_main = (one.spot.message_index, one.spot.position), (main.spot.message_index, main.spot.position)
    is_told = mine == (of_main[0], 0) and asks_of_what_is_told(main)
    return is_told or mine == (of_main[0], of_main[1] - 1) or heads(one, main)


def heads(one: Scored, order: Scored) -> bool:
    """Whether a sentence is a heading of the document that a person hands over with a bare order ("수정해줘", "fix this")."""
    return _is_heading_above(one, order) and is_command(order.spot.message)


def _is_heading_above(one: Scored, order: Scored) -> bool:
    mine, of_order = one.spot, order.spot
    is_heading = (mine.origin, mine.sentence.shape, of_order.origin) == ("pasted", "heading", "typed")
    return is_heading and mine.message_index == of_order.message_index


def _tells_as_well(one: Scored, request: Scored) -> bool:
    """Whether a sentence near a request says that something is wrong."""
    return (
        one.spot.message_index == request.spot.message_index
        and one.spot.origin == "typed"
        and one.entry_type in (None, "fact", "insight")
        and says_wrong(one)
        and abs(one.spot.position - request.spot.position) <= _BESIDE
    )


def _taken_up(request: Scored, said: Sequence[Scored]) -> Scored | None:
    """The sentence of the agent's message before a request that says most of what is asked for."""
    spot = request.spot
    before = [one for one in said if one.spot.message_index < spot.message_index]
    if not before or before[-1].spot.voice != "closing":
        return None
    last = [one for one in before if one.spot.message_index == before[-1].spot.message_index]
    best = max(last, key=lambda one: (len(spot.words & one.spot.words), -one.spot.position))
    return best if len(spot.words & best.spot.words) >= max(_TAKES_WORDS, len(spot.words) / 2) else None
