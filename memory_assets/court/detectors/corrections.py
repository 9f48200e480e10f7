"""What a person says against what the agent did.

With words that say so; or without any: by what is said to be wrong or expected of what the agent did, by the same request once
more, by an edit by hand. Whether it was a correction is told best by what follows: the agent concedes it, and edits again what
it had edited.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Final, Literal

from memory_assets.court.case import Case, CaseEvent
from memory_assets.court.detectors.causes import tokens
from memory_assets.court.detectors.cues import cue
from memory_assets.court.detectors.orders import is_order, polarity_of
from memory_assets.court.detectors.praise import is_praise
from memory_assets.court.detectors.speech import Language, Typed, last_words, reports
from memory_assets.court.detectors.traffic import Step, quoted
from memory_assets.court.detectors.wording import cut, key_of, on_one_line
from memory_assets.court.findings import Finding, Quoted
from memory_assets.extraction.completeness import asks_to_know
from memory_assets.extraction.sentence_context import words_of
from memory_assets.tasks.done_phrases import contradicts
from memory_assets.text.sentences import Sentence, sentences

_MOST_SENTENCES: Final = 3
_LONGEST: Final = 1_500
"""Typed characters from which a message is a new task, whatever its words."""
_SHORT: Final = 200
"""Characters of a message that says how it is, and has nothing of its own to ask for."""
_SHARED: Final = 2
"""Telling words that a sentence shares with what the agent did, where it speaks of it."""
_TELLING: Final = 5
"""Telling words from which a correction says by itself what it is about."""
_NEW_WORDS: Final = 2
"""Telling words that an answer adds to a correction where it says what that is about."""
_AGAIN: Final = 0.6
"""Share of the telling words of a request that a later message must have to be the same request again."""
_AGAIN_WORDS: Final = 4
_AGAIN_WITHIN: Final = 6
_SAME_CALL: Final = 0.6
"""Share of its words that a call has in common with one that it does again."""
_READ: Final = 3_000
_END: Final = 250
_ASKS = re.compile(r"[?？](?=\s|\Z)")
_HEARD: Final = 8
"""Of what the agent says after a message, so many utterances may concede it."""
_BLOCK_QUOTE = re.compile(r"\s{0,8}>\s{0,4}(?P<words>[^\n]{20,400})\n")


@dataclass(frozen=True)
class _Turn:
    """A message of a person with what the agent did before and after it.

    Attributes:
        since, until: the places of the person's messages around it.
        edits_again: whether the agent then edits a file that it had edited before.
        edits_same: whether it is one that it had edited right before the message, or removes one that it had written.
        runs_again: whether it runs at once, told otherwise, what it ran last.
    """

    case: Case
    message: Typed
    since: int
    until: int
    edits_again: bool
    edits_same: bool
    runs_again: bool
    plain: dict[Sentence, str] = field(default_factory=dict)

    @property
    def conceded(self) -> bool:
        """Whether the agent says that the person is right, or thinks so."""
        return self.concession is not None

    @cached_property
    def concession(self) -> Literal["said", "thought"] | None:
        """How the agent concedes: at the beginning of its answer, or in its thoughts alone."""
        thought = False
        for event in islice(self.answer(), _HEARD):
            if event.message.kind == "said" and cue("correction", "conceded").match(event.message.text[:300]):
                return "said"
            if event.message.kind == "thinking" and cue("correction", "understood").search(event.message.text[:600]):
                thought = True
        return "thought" if thought else None

    def answer(self) -> Iterator[CaseEvent]:
        """What the agent says and thinks before the person speaks again."""
        for event in self.case.events[self.message.place + 1 : self.until]:
            if event.actor == "ai" and event.message.kind in ("said", "thinking") and not event.message.sidechain:
                yield event

    @property
    def quotes_agent(self) -> bool:
        """Whether the message begins with a sentence of the agent, marked as quoted."""
        found = _BLOCK_QUOTE.match(self.message.event.message.text)
        words = last_words(self.case, self.message.place, since=self.since)
        return found is not None and words is not None and found["words"].strip() in words.message.text

    def done_words(self) -> frozenset[str]:
        """The telling words of what the agent said and did since the person spoke."""
        found: set[str] = set()
        for event in self.case.events[self.since + 1 : self.message.place]:
            if event.actor == "ai" and event.message.kind in ("said", "tool_call") and not event.message.sidechain:
                found |= words_of(event.message.text[:_READ])
        return frozenset(found)


def user_corrections(
    case: Case, steps: Sequence[Step], said: Sequence[Typed], language: Language, *, without: frozenset[int]
) -> Iterator[Finding]:
    """The corrections of a case, at most one a message.

    Args:
        without: places of messages that say something else already: why a call was refused.
    """
    for turn in _turns(case, steps, said):
        if turn.message.place in without:
            continue
        told = _correcting(turn, said)
        if told:
            yield _finding(turn, told, language)


def _turns(case: Case, steps: Sequence[Step], said: Sequence[Typed]) -> Iterator[_Turn]:
    """The messages that follow on something that the agent did."""
    edits = [step for step in steps if step.files and step.outcome == "worked"]
    places, called = [step.call.place for step in edits], [step.call.place for step in steps]
    first_edit: dict[str, int] = {}
    for step in edits:
        for path in step.files:
            first_edit.setdefault(path, step.call.place)
    for message in said[1:]:
        since = said[message.order - 1].place
        until = said[message.order + 1].place if message.order + 1 < len(said) else len(case.events)
        if not message.said or len(message.plain.strip()) > _LONGEST or not _agent_acted(case, since, message.place):
            continue
        behind = edits[bisect_right(places, message.place) : bisect_right(places, until)]
        before = edits[bisect_right(places, since) : bisect_right(places, message.place)]
        changed = {path for step in behind for path in step.files}
        again = any(first_edit[path] < message.place for path in changed)
        same = any(path in changed for step in before for path in step.files)
        answer = _between(steps, called, message.place, until)
        same = same or _unmakes(answer, {path.rsplit("/", 1)[-1] for path in first_edit if first_edit[path] < message.place})
        runs_again = _runs_again(_between(steps, called, since, message.place), answer)
        yield _Turn(case, message, since, until, again, same, runs_again, {one: message.plain_of(one) for one in message.said})


def _between(steps: Sequence[Step], places: Sequence[int], start: int, end: int) -> Sequence[Step]:
    return steps[bisect_right(places, start) : bisect_right(places, end)]


def _unmakes(answer: Sequence[Step], written: Collection[str]) -> bool:
    """Whether the agent removes, moves or restores a file that it had written."""
    commands = (step.command for step in answer if step.command and cue("correction", "unmakes").search(step.command))
    return any(name in command for command in commands for name in written)


def _runs_again(before: Sequence[Step], answer: Sequence[Step]) -> bool:
    """Whether the agent begins with what it ran last, told otherwise."""
    last = next((step for step in reversed(before) if step.programs), None)
    first = next(iter(answer), None)
    if last is None or first is None or last.command == first.command or last.programs != first.programs:
        return False
    old, new = tokens(last.text), tokens(first.text)
    return len(old & new) >= _SAME_CALL * max(len(old), len(new))


def _agent_acted(case: Case, since: int, place: int) -> bool:
    return any(event.actor == "ai" and not event.message.sidechain for event in case.events[since + 1 : place])


def _correcting(turn: _Turn, said: Sequence[Typed]) -> list[Sentence]:
    """The sentences of a message that correct."""
    message, plain = turn.message, turn.plain
    own = [one for one in message.said if plain[one].strip() and not _tells_otherwise(plain[one])]
    if not own and turn.edits_same:
        own = [one for one in message.said if reports(plain[one]) and not is_praise(plain[one])]
    if not own or cue("correction", "new_work").match(message.opening):
        return []
    clear = [one for one in own if cue("correction", "clear").search(plain[one]) and not _only_asks(plain[one])]
    if clear:
        return _from(message, clear[0])
    if cue("correction", "opens").match(message.opening) and not _answers_question(turn):
        return _from(message, message.said[0])
    by_hand = [one for one in own if cue("correction", "by_hand").search(plain[one])]
    if by_hand:
        return _from(message, by_hand[0])
    faint = [
        one for one in own if cue("correction", "faint").search(plain[one]) or cue("correction", "expects").search(plain[one])
    ]
    if turn.concession == "said" and (faint or not message.plain.rstrip().endswith("?")):
        return _from(message, faint[0] if faint else own[0])
    if turn.conceded and (told := [one for one in faint or own if not _only_wants(plain[one])]):
        return _from(message, told[0])
    if turn.quotes_agent and turn.edits_again:
        return _from(message, own[0])
    wrong = [one for one in own if contradicts(plain[one]) and not asks_to_know(plain[one])]
    if wrong and turn.edits_again:
        return _from(message, wrong[0])
    if cue("correction", "agrees").match(message.opening):
        return []
    if faint and turn.edits_again:
        done, least = turn.done_words(), 1 if turn.edits_same else _SHARED
        # Beside a request for something else a question is one, and corrects nothing.
        besides = any(cue("correction", "new_work").match(one.strip()) for one in plain.values())
        told = [one for one in faint if not (besides and plain[one].rstrip().endswith("?")) and not asks_to_know(plain[one])]
        about = [one for one in told if len(words_of(plain[one]) & done) >= least]
        if about:
            return _from(message, about[0])
    if len(message.plain.strip()) <= _SHORT:
        told = [one for one in _without_thanks(own, plain) if turn.edits_same or (turn.runs_again and _states(plain[one]))]
        if told and not any(_goes_on(plain[one]) for one in told):
            return _from(message, told[0])
    return [message.said[0]] if _asked_again(said, message) else []


def _only_wants(text: str) -> bool:
    """Whether a sentence asks to be told something, or for something to be looked at, and doubts nothing."""
    is_faint = cue("correction", "faint").search(text) is not None
    return cue("correction", "looks").match(text.strip()) is not None or (_only_asks_how(text) and not is_faint)


def _only_asks_how(text: str) -> bool:
    """Whether a sentence is a question that doubts nothing."""
    return text.rstrip().endswith(("?", "？")) and cue("correction", "doubts").search(text.strip()) is None


def _states(text: str) -> bool:
    """Whether a sentence says how something is, and asks for nothing."""
    return any(cue("correction", name).search(text) for name in ("states", "faint", "expects"))


def _without_thanks(own: Sequence[Sentence], plain: Mapping[Sentence, str]) -> Sequence[Sentence]:
    """The sentences behind thanks or praise where they want something otherwise all the same."""
    rest = [one for one in own if not cue("correction", "thanks").match(plain[one])]
    return rest if rest and cue("correction", "though").search(" ".join(plain[one] for one in rest)) else own


def _goes_on(text: str) -> bool:
    """Whether a sentence asks for something new, or to be told something, and puts nothing in the place of what was done."""
    text = text.strip()
    if cue("correction", "adds").search(text):
        return True
    if text.endswith(("?", "？")):
        return cue("correction", "doubts").search(text) is None
    return cue("correction", "requests").search(text) is not None and cue("correction", "contrasts").search(text) is None


def _tells_otherwise(text: str) -> bool:
    """Whether a sentence is no word on what was done: somebody else's, an order, praise, what would have been."""
    return reports(text) or is_order(text) or is_praise(text) or cue("correction", "supposes").search(text) is not None


def _only_asks(text: str) -> bool:
    """Whether a sentence asks to be told something; who asks why something was done says what was done."""
    return asks_to_know(text) and cue("correction", "asks_why").search(text) is None


def _answers_question(turn: _Turn) -> bool:
    """Whether a no is an answer to what the agent asked."""
    words = last_words(turn.case, turn.message.place, since=turn.since)
    return words is not None and _ASKS.search(words.message.text[-_END:]) is not None


def _from(message: Typed, first: Sentence) -> list[Sentence]:
    number = message.said.index(first)
    return list(message.said[number : number + _MOST_SENTENCES])


def _asked_again(said: Sequence[Typed], message: Typed) -> bool:
    """Whether a message asks for what an earlier one asked for."""
    words = words_of(message.plain)
    if len(words) < _AGAIN_WORDS or message.plain.rstrip().endswith("?"):
        return False
    for earlier in said[max(0, message.order - _AGAIN_WITHIN) : message.order]:
        before = words_of(earlier.plain)
        if len(before) >= _AGAIN_WORDS and len(words & before) >= _AGAIN * max(len(words), len(before)):
            return True
    return False


def _finding(turn: _Turn, told: list[Sentence], language: Language) -> Finding:
    message = turn.message
    words = on_one_line(" ".join(one.text for one in told))
    plain = message.plain[told[0].start : told[-1].end]
    before = _what_was_done(turn, words_of(plain))
    # Words that point at something, or ask, say only with the answer what they are about.
    answer = _answer_to(turn, words_of(plain)) if _is_open(plain) else None
    evidence = [*([before] if before else []), *(message.quoted(one.start, one.end, "remedy") for one in told)]
    rule = cut(words, 400)
    if answer is not None:
        evidence.append(answer)
        rule += f" → {cut(on_one_line(answer.quote), 240)}"
    elif before is not None and len(words_of(words)) < _TELLING:
        rule += (" (그 전: {})" if language == "ko" else " (after: {})").format(cut(on_one_line(before.quote), 160))
    sure = cue("correction", "clear").search(plain) or cue("correction", "opens").match(message.opening)
    confidence = (0.7 if sure else 0.5) + (0.1 if turn.conceded else 0.0)
    if answer is None and all(_only_asks_how(turn.plain[one]) for one in told):
        confidence -= 0.15  # a question, and nobody says what comes of it
    return Finding(
        kind="user_correction",
        role="coder",
        polarity=polarity_of(plain),
        severity="medium",
        title=cut(on_one_line(told[0].text), 120),
        rule=rule,
        trigger="",
        key=key_of(plain) or key_of(words),
        evidence=tuple(evidence),
        confidence=round(confidence, 2),
    )


def _is_open(text: str) -> bool:
    """Whether a person's words do not say by themselves what they are about."""
    points = cue("correction", "points").search(text) is not None
    return points or text.rstrip().endswith(("?", "？")) or len(words_of(text)) < _TELLING


def _answer_to(turn: _Turn, about: frozenset[str]) -> Quoted | None:
    """What the agent says the correction is: the first sentences of its answer that tell of the same, or concede it."""
    answers = (event for event in islice(turn.answer(), _HEARD) if event.message.kind == "said")
    for event in answers:
        text = event.message.text[:_READ]
        told = sentences(text)[:_MOST_SENTENCES]
        is_conceded = cue("correction", "conceded").match(text[:300]) is not None
        for number, one in enumerate(told):
            plain = cue("correction", "conceded").sub(" ", one.text)
            about_it = (is_conceded and number < 2) or not about.isdisjoint(words_of(plain))
            if about_it and _tells(plain) and len(words_of(plain) - about) >= _NEW_WORDS and len(words_of(plain)) > _NEW_WORDS:
                return quoted(event, one.start, one.end, "cause")
    return None


def _tells(text: str) -> bool:
    """Whether an agent's sentence says how something is: no plan, no question, no heading."""
    is_plan = cue("correction", "plans").match(text.lstrip(" ,.!—–:-")) is not None
    return not is_plan and not text.rstrip().endswith(":") and _ASKS.search(text) is None


def _what_was_done(turn: _Turn, about: frozenset[str]) -> Quoted | None:
    """What the agent said, or did, before it was corrected: of its last words the sentence that shares most."""
    words = last_words(turn.case, turn.message.place, since=turn.since + 1)
    if words is not None:
        told = sentences(words.message.text[:_READ])
        best = max(told, key=lambda one: (len(about & words_of(one.text)), -one.start), default=None)
        start, end = (best.start, best.end) if best else (0, min(len(words.message.text), 200))
        return quoted(words, start, end, "failure")
    between = turn.case.events[turn.since + 1 : turn.message.place]
    calls: list[CaseEvent] = [event for event in between if event.message.kind == "tool_call"]
    return quoted(calls[-1], 0, min(len(calls[-1].message.text), 300), "failure") if calls else None
