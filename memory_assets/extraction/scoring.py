"""What each sentence of a window is worth: the weights of the phrases it holds and of the places it stands in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import groupby, zip_longest

from memory_assets.extraction.cues import Cue, Rules
from memory_assets.extraction.sentence_context import Spot, Talk, Voice, words_of
from memory_assets.extraction.task_state import priority_said, standing
from memory_assets.extraction.windows import Window, shown_text
from memory_assets.sessions.model import Message
from memory_assets.sessions.origins import hands_over_plan, origin_at, origins_of
from memory_assets.text.informal_english import spelled_out
from memory_assets.text.sentences import BOXES, sentences
from memory_assets.vocabulary import EntryType, Origin, Priority, TaskStatus

_ORDERING = frozenset({"imperative", "request", "ko-request", "dont-do", "ko-dont", "no-such-thing"})
"""Cues of a person who says what is to be done, or not."""
_SAYS_SO_AGAIN = 3.0
"""Taken off a sentence that only says that something was said before."""
_ONE_WORD = 12
"""Characters of a sentence that is no more than a word ("AGAIN.")."""
_ERROR_REACH = 6
"""How many messages after a tool's error an agent still speaks of it."""
_PROGRAMS: tuple[Origin, ...] = ("template", "tool")
"""Who writes nothing that is worth remembering."""
_TOLD_BEFORE = re.compile(
    r"\b(?:told|asked) you\b[^.\n]{0,30}\b(?:already|before|last time|too|twice|again)\b"
    r"|\bhow many times (?:do|must|should|have) i\b|\bi (?:already|just) (?:told|asked) you\b"
    r"|^\W*again[\s.!,]{1,4}(?:please )?(?:don't|stop|no)\b|^\W*again\W*$"
    r"|(?:지난번|저번|전번|아까)에?도\s?[^.\n]{0,12}(?:말|얘기|이야기|부탁|그랬)|말했(?:잖|었)"
    r"|몇 번(?:째|을|이나)?\s?(?:말|얘기)",
    re.IGNORECASE,
)
"""A person has said before how it is to be: it is no order of this turn."""
_STRAIGHT = str.maketrans("’‘“”", "''\"\"")


@dataclass(frozen=True, slots=True)
class Read:
    """A sentence with the cues that it and the heading above it hold, and the places it stands in.

    Attributes:
        turn: which turn of the window it is said in; a person's message begins one.
    """

    spot: Spot
    turn: int
    cues: tuple[Cue, ...]
    on_heading: tuple[Cue, ...]
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence with what its phrases and places say about it.

    Attributes:
        score: how far it is above what a sentence of its speaker needs to be kept; below zero it is not.
        is_repeated: a person orders it and says that it was ordered before.
    """

    spot: Spot
    score: float
    turn: int
    entry_type: EntryType | None
    cues: tuple[Cue, ...]
    is_repeated: bool = False

    @property
    def reports(self) -> bool:
        """Whether an agent's sentence says that something was done."""
        return _reports(self.spot, self.cues)

    @property
    def tells_done(self) -> bool:
        """Whether an agent's sentence says that something is done, in whatever words."""
        return self.spot.voice != "user" and standing(self.spot.sentence.text).status == "done"

    @property
    def status(self) -> TaskStatus | None:
        """The status that the sentence says; one that only a cue stands for where the phrase is not void."""
        said = standing(self.spot.sentence.text)
        return said.status or next((status for status in self._cued if status not in said.denied), None)

    @property
    def priority(self) -> Priority | None:
        """The priority that the sentence says; one that a person's own rules give goes first."""
        return priority_said(self.spot.sentence.text) or next((cue.priority for cue in self.cues if cue.priority), None)

    @property
    def _cued(self) -> list[TaskStatus]:
        return [cue.status for cue in self.cues if cue.status]

    def has(self, cue_name: str) -> bool:
        return any(cue.name == cue_name for cue in self.cues)


def _reports(spot: Spot, cues: Sequence[Cue]) -> bool:
    if spot.voice == "user" or all(cue.status != "done" for cue in cues):
        return False
    return "done" not in standing(spot.sentence.text).denied


def is_said(message: Message) -> bool:
    """Whether the message is what a person or an agent said to the other."""
    return message.kind == "said" and bool(shown_text(message))


def is_conversation(messages: Sequence[Message]) -> bool:
    """Whether people talk to people: at least two named ones, and no agent among them."""
    shown = [message for message in messages if shown_text(message)]
    return len({m.name for m in shown if m.name}) > 1 and all(m.role != "assistant" for m in shown)


def read_window(messages: Sequence[Message], window: Window, rules: Rules) -> Iterator[Read]:
    """All sentences of a window's own messages, in order; what stands before the window counts as talk only."""
    spots = list(_spots(messages, window))
    before = (m.text for m in messages[window.context_start : window.start] if m.role == "user" and is_said(m))
    talk = Talk(spots, before)
    errors = [index for index in range(window.start, window.end) if _is_shown_error(messages[index])]
    turns = turns_of(messages, window)
    found = [_cues_of(spot, rules) for spot in spots]
    worked = {turns[spot.message_index] for spot, (cues, _) in zip(spots, found, strict=True) if _reports(spot, cues)}
    for spot, (cues, on_heading) in zip(spots, found, strict=True):
        index = spot.message_index
        after_error = any(0 < index - error <= _ERROR_REACH for error in errors)
        opening = window.start == 0 and index == spots[0].message_index
        places = talk.places(spot, opening=opening, after_error=after_error, after_work=turns[index] in worked)
        yield Read(spot, turns[index], cues, on_heading, tuple(places))


def score_window(messages: Sequence[Message], window: Window, rules: Rules) -> list[Scored]:
    """What every sentence of a window is worth, in order."""
    people_only = is_conversation(messages[window.context_start : window.end])
    scored: list[Scored] = []
    reads = list(read_window(messages, window, rules))
    again = {place for place, read in enumerate(reads) if read.spot.origin == "typed" and _says_so(read.spot.sentence.text)}
    for place, read in enumerate(reads):
        spot = read.spot
        score = sum(cue.weight for cue in (*read.cues, *read.on_heading))
        entry_type = _type_of(read, rules)
        if people_only:
            score += _conversation_weight(spot, entry_type, rules)
        else:
            score += sum(rules.places.get(place, 0.0) for place in read.places)
            score -= rules.limits["user" if spot.voice == "user" else "assistant"]
        if spot.sentence.shape in BOXES.values() and spot.origin != "pasted":
            score, entry_type = max(score, 0.0) + 1.0, "task"
        told_before = spot.origin == "typed" and bool(again) and _was_told_before(reads, again, place)
        repeated = told_before and (any(cue.name in _ORDERING for cue in read.cues) or entry_type == "preference")
        if place in again and not repeated:
            score -= _SAYS_SO_AGAIN
        scored.append(Scored(spot, score, read.turn, "preference" if repeated else entry_type, read.cues, repeated))
    return scored


def _was_told_before(reads: Sequence[Read], again: Set[int], place: int) -> bool:
    """Whether a sentence says, or the one behind it, or a single word before it, that it was said before.

    Args:
        again: the places of the sentences that say so.
    """
    mine = reads[place].spot
    near = {
        one for one in (place - 1, place, place + 1) if one in again and reads[one].spot.message_index == mine.message_index
    }
    return any(one >= place or len(reads[one].spot.sentence.text) <= _ONE_WORD for one in near)


def _says_so(text: str) -> bool:
    return _TOLD_BEFORE.search(spelled_out(text).translate(_STRAIGHT)) is not None


def _spots(messages: Sequence[Message], window: Window) -> Iterator[Spot]:
    said = [index for index in range(window.start, window.end) if is_said(messages[index])]
    for index, later in zip_longest(said, said[1:]):
        message = messages[index]
        closing = not window.is_cut if later is None else messages[later].role == "user"
        voice: Voice = "user" if message.role == "user" else "closing" if closing else "working"
        stretches = origins_of(message)
        in_plan = voice == "user" and hands_over_plan(message.text)
        found = [
            (sentence, origin)
            for sentence in sentences(message.text)
            if (origin := origin_at(stretches, sentence.start)) not in _PROGRAMS
        ]
        for position, (sentence, origin) in enumerate(found):
            words = words_of(sentence.text)
            yield Spot(index, message, voice, position, len(found), sentence, words, origin, in_plan)


def _is_shown_error(message: Message) -> bool:
    """Of a tool's result alone: whatever else is shown is shown alike with an error and without, and hashed alike."""
    return message.kind == "tool_result" and message.is_error and bool(shown_text(message))


def turns_of(messages: Sequence[Message], window: Window) -> dict[int, int]:
    """Which turn of the window each of its messages belongs to; 0 is the one that it begins in."""
    turns: dict[int, int] = {}
    turn, speaker = 0, "assistant" if window.asked is not None else "user"
    for index in range(window.start, window.end):
        if is_said(messages[index]):
            turn += messages[index].role == "user" and speaker != "user"
            speaker = messages[index].role
        turns[index] = turn
    return turns


def longest_message(said: Iterable[Scored], request: Scored) -> list[Scored]:
    """All sentences of the message behind a request with most of them, the last of equals; ``said`` in its order."""
    longest: list[Scored] = []
    behind = (one for one in said if one.spot.message_index > request.spot.message_index)
    for _, said_at_once in groupby(behind, lambda one: one.spot.message_index):
        longest = max(list(said_at_once), longest, key=len)
    return longest


def _cues_of(spot: Spot, rules: Rules) -> tuple[tuple[Cue, ...], tuple[Cue, ...]]:
    """The cues that a sentence holds, and those that the heading above it holds."""
    text = spot.sentence.text.strip("*_ \t").translate(_STRAIGHT)
    if spot.voice == "user":
        text = spelled_out(text)
    heading = spot.sentence.heading.translate(_STRAIGHT)[:200]
    role = spot.message.role
    return rules.cues_in(text, role), rules.cues_in_heading(heading, role) if heading else ()


def _type_of(read: Read, rules: Rules) -> EntryType | None:
    """The type with the most votes, of phrases and of places; the first that was said when two have as many."""
    votes: dict[EntryType, float] = {}
    for cue in (*read.cues, *read.on_heading):
        if cue.entry_type is not None and cue.vote > 0:
            votes[cue.entry_type] = votes.get(cue.entry_type, 0.0) + cue.vote
    for place in read.places:
        for entry_type, vote in rules.types.get(place, {}).items():
            votes[entry_type] = votes.get(entry_type, 0.0) + vote
    return max(votes, key=lambda name: votes[name], default=None)


def _conversation_weight(spot: Spot, entry_type: EntryType | None, rules: Rules) -> float:
    """People who talk to each other have no turns of work: only the phrase counts, and whether it opens a message."""
    own = rules.conversation
    weight = own.get(entry_type or "", 0.0) - own.get("enough", 0.0)
    if spot.position == 0:
        weight += own.get("first", 0.0)
    if len(spot.sentence.text) < 40:
        weight += own.get("short", 0.0)
    return weight
