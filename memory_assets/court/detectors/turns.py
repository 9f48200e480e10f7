"""What an agent did before and after a message: it edits or runs again what it had edited or run, or concedes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Final, Literal

from memory_assets.court.case import Case, CaseEvent
from memory_assets.court.detectors.causes import tokens
from memory_assets.court.detectors.command_lines import parts_of, piped, words_of_line
from memory_assets.court.detectors.cues import cue
from memory_assets.court.detectors.speech import Typed, last_words, without_quotes
from memory_assets.court.detectors.traffic import Step
from memory_assets.extraction.sentence_context import words_of
from memory_assets.text.sentences import Sentence

HEARD: Final = 8
"""Of what the agent says after a message, so many utterances may concede it."""
READ: Final = 3_000
"""Characters of an utterance that are read."""
_LONGEST: Final = 1_500
"""Typed characters from which a message is a new task, whatever its words."""
_RECENT: Final = 3
"""Messages of the person back to which an edit may be what a word is about."""
_SAME_CALL: Final = 0.6
"""Share of its words that a call has in common with one that it does again."""
_NOTHING: Final[frozenset[str]] = frozenset()
_INVERSE: Final = {
    verb: frozenset(inverse.split())
    for verbs, inverse in {
        "i install add get": "uninstall un remove rm purge delete",
        "apply create new": "delete destroy rm remove",
        "commit": "reset revert",
        "mkdir touch cp ln": "rm rmdir unlink",
        "enable": "disable",
        "start up run": "stop down kill rm",
    }.items()
    for verb in verbs.split()
}
"""What a command does, and what takes it back."""
_OF_THE_LAST: Final = ("commit",)
"""What is taken back without being named."""
_MOST_PARTS: Final = 20
_LEAST_STEM: Final = 3
_BLOCK_QUOTE = re.compile(r"\s{0,8}>\s{0,4}(?P<words>[^\n]{20,400})\n")


@dataclass(frozen=True)
class Turn:
    """A message of a person with what the agent did before and after it.

    Attributes:
        since, until: the places of the person's messages around it.
        edits_again: whether the agent then edits a file that it had edited before.
        edits_same: whether it is one that it had edited right before the message, or removes one that it had written.
        replaces: whether it takes out again what it had put into such a file, and does more than add to it.
        runs_again: whether it runs at once, told otherwise, what it ran last.
        undoes: whether it runs what undoes what it ran before ("npm rm x" behind "npm i x"), or writes another file in the
            place of one that it had written.
        acts: whether it changes a file at all.
    """

    case: Case
    message: Typed
    since: int
    until: int
    edits_again: bool
    edits_same: bool
    replaces: bool
    runs_again: bool
    undoes: bool
    acts: bool
    plain: dict[Sentence, str] = field(default_factory=dict)

    @property
    def conceded(self) -> bool:
        """Whether the agent says that the person is right, or thinks so."""
        return self.concession is not None

    @cached_property
    def concession(self) -> Literal["said", "thought"] | None:
        """How the agent concedes: at the beginning of its answer, or in its thoughts alone."""
        thought = False
        for event in islice(self.answer(), HEARD):
            # What stands in quotes is a draft, and said to nobody here.
            if event.message.kind == "said" and cue("correction", "conceded").match(without_quotes(event.message.text[:300])):
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
                found |= words_of(event.message.text[:READ])
        return frozenset(found)


def turns_of(case: Case, steps: Sequence[Step], said: Sequence[Typed]) -> Iterator[Turn]:
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
        recent = edits[bisect_right(places, said[max(0, message.order - _RECENT)].place) : bisect_right(places, since)]
        changed = {path for step in behind for path in step.files}
        again = any(first_edit[path] < message.place for path in changed)
        same = any(path in changed for step in before for path in step.files)
        answer = _between(steps, called, message.place, until)
        unmakes = _unmakes(answer, {path.rsplit("/", 1)[-1] for path in first_edit if first_edit[path] < message.place})
        did = _between(steps, called, since, message.place)
        runs_again = _runs_again(did, answer)
        undoes = _undoes(did, answer) or _writes_in_its_place(before, behind)
        replaces = unmakes or (same and _replaces(before, behind)) or _takes_out(recent, behind)
        plain = {one: message.plain_of(one) for one in message.said}
        yield Turn(case, message, since, until, again, same or unmakes, replaces, runs_again, undoes, bool(behind), plain)


def _between(steps: Sequence[Step], places: Sequence[int], start: int, end: int) -> Sequence[Step]:
    return steps[bisect_right(places, start) : bisect_right(places, end)]


def _unmakes(answer: Sequence[Step], written: Collection[str]) -> bool:
    """Whether the agent removes, moves or restores a file that it had written."""
    commands = (step.command for step in answer if step.command and cue("correction", "unmakes").search(step.command))
    return any(name in command for command in commands for name in written)


def _replaces(before: Sequence[Step], behind: Sequence[Step]) -> bool:
    """Whether an edit takes out what an earlier one put in; who writes a file anew does so, and who adds to it does not."""
    for step in behind:
        for earlier in before:
            if set(step.files).isdisjoint(earlier.files):
                continue
            if step.replaced is None or earlier.replaced is None:
                return True
            taken, put = tokens(step.replaced[0]), tokens(step.replaced[1])
            if not taken <= put and not (taken - put).isdisjoint(tokens(earlier.replaced[1])):
                return True
    return False


def _takes_out(recent: Sequence[Step], behind: Sequence[Step]) -> bool:
    """Whether an edit takes out of a file what an earlier one, some messages ago, put into it; who adds to it does not."""
    for step in behind:
        taken, put = (tokens(text) for text in step.replaced or ("", ""))
        for earlier in recent if not taken <= put else ():
            if not set(step.files).isdisjoint(earlier.files) and (taken - put) & tokens(earlier.put_text):
                return True
    return False


def _undoes(before: Sequence[Step], answer: Sequence[Step]) -> bool:
    """Whether a command takes back what one before it did, to the same thing."""
    done = [words for step in before for words in _lines(step)]
    for later in (words for step in answer for words in _lines(step)):
        for earlier in done:
            verbs = [verb for verb in earlier[:3] if not _INVERSE.get(verb, _NOTHING).isdisjoint(later[:3])]
            if verbs and (verbs[0] in _OF_THE_LAST or set(_told(earlier)) & set(_told(later))):
                return True
    return False


def _lines(step: Step) -> list[list[str]]:
    """The words of each line that a command runs."""
    lines = [line for part in parts_of(step.command or "")[:_MOST_PARTS] for line in piped(part)]
    return [words for line in lines[:_MOST_PARTS] if (words := words_of_line(line))]


def _told(words: Sequence[str]) -> list[str]:
    """What a command is told, without its program, its verb and its options."""
    return [word.strip("'\"") for word in words[1:] if not word.startswith("-") and word not in _INVERSE and len(word) > 1]


def _writes_in_its_place(before: Sequence[Step], behind: Sequence[Step]) -> bool:
    """Whether a file is written beside one that was just written, by its name up to the first dot."""
    wrote = {_stem(path): path for step in before if step.replaced is None for path in step.files}
    return any(
        wrote.get(_stem(path), path) != path for step in behind if step.replaced is None for path in step.files if _stem(path)
    )


def _stem(path: str) -> str:
    folder, _, name = path.rpartition("/")
    stem = name.split(".", 1)[0]
    return f"{folder}/{stem}" if len(stem) >= _LEAST_STEM else ""


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
