"""An answer that a model wrote, taken apart and held to its evidence: what cannot be shown to stand there is struck.

A sentence is kept or struck as a whole: half a sentence may say the opposite. Within it each part rests on the marks that
stand right behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from memory_assets.ask.agreement import WhyTurned, disagreement
from memory_assets.ask.marks import MARK, mark_of, numbers_of, without_controls
from memory_assets.ask.stated_facts import Facts, dates_stand, facts_of, missing_name, missing_number
from memory_assets.evidence.aligner import Aligner
from memory_assets.evidence.model import AlignedEvidence

WhyStruck = Literal["no_mark", "unknown_mark", "no_words", "quote", "number", "date", "name"] | WhyTurned

QUOTED: Final = re.compile(r'"[^"\n]{1,600}"|“[^”\n]{1,600}”|‘[^’\n]{1,600}’|「[^」\n]{1,600}」|`[^`\n]{1,600}`')
_QUOTE_MARKS: Final = re.compile(r'["“”「」`]')
_MARKS: Final = rf"(?:\s{{0,3}}{MARK.pattern.replace('(', '(?:', 1)})"
_END: Final = re.compile(rf"(?:\n|(?<![A-Z])(?<!\b(?:Dr|Mr|Ms|vs))(?<!\bMrs)[.!?。…]+[\"'”’)」]{{0,3}}{_MARKS}{{0,8}}(?=\s|$))")
_LIST_MARK: Final = re.compile(r"^\s*(?:[-*•#>]+|[0-9]{1,2}[.)])\s+")
_WORD: Final = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class GivenEvidence:
    """What a model was shown under a number.

    Attributes:
        time: the date that it means, in words.
        speaker: who said it, by name; ``said_on`` when.
    """

    number: int
    text: str
    time: str | None = None
    speaker: str | None = None
    said_on: date | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a sentence with the numbers of the marks right behind it."""

    text: str
    marks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence, or a line, of an answer."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """Its words without its marks."""
        return " ".join("".join(part.text for part in self.parts).split())

    @property
    def marks(self) -> tuple[int, ...]:
        """The numbers of all its marks, each once."""
        return tuple(dict.fromkeys(number for part in self.parts for number in part.marks))

    @property
    def marked_text(self) -> str:
        """Its words, each mark where it stands."""
        return " ".join("".join(f"{part.text.rstrip()} {mark_of(part.marks)}" for part in self.parts).split())


@dataclass(frozen=True, slots=True)
class Struck:
    """A statement that does not hold, and why; ``what`` are its characters that stand in no cited evidence."""

    statement: Statement
    why: WhyStruck
    what: str = ""


@dataclass(frozen=True, slots=True)
class Verified:
    """What is left of an answer, and what is not."""

    kept: tuple[Statement, ...]
    struck: tuple[Struck, ...]

    @property
    def text(self) -> str:
        """The answer of what is left, a sentence after the other; empty where nothing is, which is no answer."""
        return " ".join(statement.marked_text for statement in self.kept)

    @property
    def cited(self) -> tuple[int, ...]:
        """The numbers of the evidence that it cites, as they first appear: these need a citation, and no others."""
        return tuple(dict.fromkeys(number for statement in self.kept for number in statement.marks))


def statements_of(text: str) -> tuple[Statement, ...]:
    """An answer's sentences with their marks, in order; a mark behind a full stop belongs to the sentence before it."""
    return tuple(Statement(tuple(_parts(sentence))) for sentence in _sentences(without_controls(text)))


def verified(statements: Sequence[Statement], evidence: Sequence[GivenEvidence], question: str = "") -> Verified:
    """The statements that hold, and those that are struck.

    Args:
        question: its words may be used as names; its numbers and dates are evidence of nothing.
    """
    checking = _Checking({one.number: one for one in evidence}, question)
    kept, struck = [], []
    for statement in statements:
        failure = checking.failure(statement)
        if failure is None:
            kept.append(statement)
        else:
            struck.append(failure)
    return Verified(tuple(kept), tuple(struck))


class _Checking:
    def __init__(self, evidence: dict[int, GivenEvidence], question: str) -> None:
        self._evidence = evidence
        self._question = question
        self._speakers = frozenset(one.speaker for one in evidence.values() if one.speaker)
        self._aligner = Aligner(fuzzy=False)
        self._facts: dict[tuple[int, ...], Facts] = {}

    def failure(self, statement: Statement) -> Struck | None:
        if not _WORD.search(statement.text):
            return Struck(statement, "no_words")
        for part in statement.parts:
            if (failed := self._of_part(part)) is not None:
                return Struck(statement, *failed)
        return None

    def _of_part(self, part: Part) -> tuple[WhyStruck, str] | None:
        if not part.marks:
            return ("no_mark", part.text.strip()) if _WORD.search(part.text) else None
        if unknown := [number for number in part.marks if number not in self._evidence]:
            return "unknown_mark", mark_of(unknown)
        cited = [self._evidence[number] for number in part.marks]
        if (quote := self._unplaced(part.text, cited)) is not None:
            return "quote", quote
        if (unsupported := _unsupported(part.text, self._facts_of(part.marks), self._question, self._speakers)) is not None:
            return unsupported
        return disagreement(part.text, _told(cited), self._question)

    def _facts_of(self, marks: tuple[int, ...]) -> Facts:
        """What the evidence of some marks states; it is read once, however many parts have these marks."""
        if marks not in self._facts:
            self._facts[marks] = _facts([self._evidence[number] for number in marks])
        return self._facts[marks]

    def _unplaced(self, text: str, cited: Sequence[GivenEvidence]) -> str | None:
        """A quote that stands in no cited evidence as it is; one that is not closed stands nowhere."""
        for match in QUOTED.finditer(text):
            quote = match[0][1:-1]
            if not any(self._stands(quote, one.text) for one in cited):
                return quote
        alone = _QUOTE_MARKS.search(QUOTED.sub("", text))
        return alone[0] if alone else None

    def _stands(self, quote: str, text: str) -> bool:
        for wanted in (quote, quote.rstrip(" .,!?…")):  # a sentence may be quoted with its own mark, or with the answer's
            match self._aligner.align([text], wanted, 0):
                case AlignedEvidence(method="exact" | "normalized", critical=False):
                    return True
                case _:
                    continue
        return False


def _unsupported(text: str, facts: Facts, question: str, speakers: frozenset[str]) -> tuple[WhyStruck, str] | None:
    rest, date_without = dates_stand(text, facts)
    if date_without is not None:
        return "date", date_without
    if (number := missing_number(rest, facts)) is not None:
        return "number", number
    if (name := missing_name(text, facts, question, speakers)) is not None:
        return "name", name
    return None


def _facts(cited: Sequence[GivenEvidence]) -> Facts:
    """What the cited evidence states: its text, the date that it means, when and by whom it was said."""
    return facts_of("\n".join(_told(cited)), [one.said_on for one in cited if one.said_on is not None])


def _told(cited: Sequence[GivenEvidence]) -> list[str]:
    return [part for one in cited for part in (one.text, one.time, one.speaker) if part]


def _sentences(text: str) -> Iterator[str]:
    """A text cut at line ends and full stops; none within a quote."""
    quoted = [match.span() for match in QUOTED.finditer(text)]
    begun = 0
    for end in _END.finditer(text):
        # The stop of a quote's last sentence stands within it, and ends the sentence that quotes.
        if any(low < end.start() < high and end.end() < high for low, high in quoted):
            continue
        yield from _worded(text[begun : end.end()])
        begun = end.end()
    yield from _worded(text[begun:])


def _worded(sentence: str) -> Iterator[str]:
    told = _LIST_MARK.sub("", sentence).strip()
    if told:
        yield told


def _parts(sentence: str) -> Iterator[Part]:
    """A sentence cut behind its marks; marks in a row are one, and what follows the last without a word belongs before it."""
    parts: list[Part] = []
    begun = 0
    for mark in MARK.finditer(sentence):
        text = sentence[begun : mark.start()]
        if parts and not _WORD.search(text):
            parts[-1] = Part(parts[-1].text + text.strip(), tuple(dict.fromkeys([*parts[-1].marks, *numbers_of(mark[0])])))
        else:
            parts.append(Part(text, numbers_of(mark[0])))
        begun = mark.end()
    rest = sentence[begun:]
    if parts and not _WORD.search(rest):
        parts[-1] = Part(parts[-1].text.rstrip() + rest.strip(), parts[-1].marks)
    else:
        parts.append(Part(rest, ()))
    yield from parts
