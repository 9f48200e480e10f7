"""The answerer without a model: a few quotes, the best first, within so many words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from memory_assets.ask.line_signs import lines_of
from memory_assets.ask.request import MOST_WORDS
from memory_assets.ask.said_dates import Language, date_meant, said_on
from memory_assets.ask.windows import windows_of
from memory_assets.search.answerability.signs import is_question, signs_of_sentence
from memory_assets.text.particles import is_hangul
from memory_assets.text.reasons import names_cause

if TYPE_CHECKING:
    from memory_assets.ask.line_signs import Line
    from memory_assets.search.answerability.calibration import Calibration
    from memory_assets.search.answerability.passages import Passage, Quotable
    from memory_assets.search.answerability.question import Question

MOST_PASSAGES: Final = 3
"""Messages that an answer quotes."""
_LOOKED_AT: Final = 6
"""Passages whose sentences are looked at."""
_WORTH: Final = 0.15
"""A further message is quoted where its best sentence is worth so much of the best of all."""
_AS_ANSWER: Final = 0.3
"""What a question is worth as an answer, beside a statement."""
_FEWEST_WORDS: Final = 3
"""A sentence of fewer answers only where it has a word of the question."""
_OVERHEAD: Final = 4
"""Words that a quote costs beside its own: of two that say as much the shorter one is better, but not for ever."""

Graded = Sequence[tuple["Passage", float]]


@dataclass(frozen=True, slots=True)
class Quote:
    """Characters of a message, as an answer shows them.

    Attributes:
        start, end: half-open, code points of ``passage.text``.
        time: the date that they mean, where the question asks for a time.
    """

    passage: Passage
    start: int
    end: int
    time: str | None

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A sentence that may be quoted.

    Attributes:
        density: what it is worth beside its length.
    """

    passage: Passage
    place: int
    worth: float
    density: float

    @property
    def text(self) -> str:
        return self.passage.sentences[self.place].text

    @property
    def words(self) -> int:
        return len(self.text.split())


def language_of(question: str) -> Language:
    """The language that a question is answered in."""
    return "ko" if any(map(is_hangul, question)) else "en"


def quotes_for(question: Question, graded: Graded, known: Calibration, *, most_words: int = MOST_WORDS) -> list[Quote]:
    """The quotes that answer; none where nothing can be quoted. Of a conversation whose speakers have names the best message
    comes first and its quotes in its order, of messages of agents the best window; of both a cause where one is asked for.

    Args:
        graded: passages with their grades, best first.
        most_words: of all quotes with their dates together. The best sentence is quoted whatever its length.
    """
    quotes = _quotes_for(question, graded, known, most_words)
    if question.asked_for != "reason":
        return quotes
    # Who asks why tells again what happened, and so do the words that are nearest to the question.
    cause = next((quote for quote in quotes if names_cause(quote.text)), None)
    return quotes if cause is None else [cause, *(quote for quote in quotes if quote is not cause)]


def _quotes_for(question: Question, graded: Graded, known: Calibration, most_words: int) -> list[Quote]:
    # A person who corrects an agent has a name, and makes no conversation of people of its session.
    first = next((passage for passage, _ in graded if not passage.is_correction), None)
    if first is not None and first.speaker is None:
        return _windows(question, graded, known, most_words)
    candidates = sorted(_candidates(question, graded, known), key=lambda one: -one.density)
    if not candidates:
        return []
    best = max(one.worth for one in candidates)
    taken: list[_Candidate] = []
    passages: list[Passage] = []
    left = most_words
    # First which messages, then what else they say, as far as it goes.
    for one in (*candidates, *candidates):
        is_new = one.passage not in passages
        if one in taken or (is_new and (one.worth < _WORTH * best or len(passages) >= MOST_PASSAGES)):
            continue
        cost = one.words + (len((_time(question, one.passage, (one.text,)) or "").split()) if is_new else 0)
        if cost > left and taken:
            continue
        taken.append(one)
        left -= cost
        if is_new:
            passages.append(one.passage)
    return [quote for passage in passages for quote in _quotes(question, passage, taken)]


def _windows(question: Question, graded: Graded, known: Calibration, most_words: int) -> list[Quote]:
    quotes = []
    for window in windows_of(_scored(question, graded, known), most_words):
        passage = window.passage
        time = _time(question, passage, [one.text for one in passage.lines[window.first : window.last + 1]])
        quotes.append(Quote(passage, window.start, window.end, time))
    return quotes


def _scored(question: Question, graded: Graded, known: Calibration) -> list[tuple[Line, float]]:
    """The lines that may be quoted with their scores; of a correction the best one as good as the best that it corrects."""
    looked_at = [(one, grade) for passage, grade in graded for one in (passage, *passage.instead_of)]
    scored = [(line, known.line.score(line.signs)) for line in lines_of(question, looked_at)]
    best: dict[int, float] = {}
    for line, score in scored:
        best[id(line.passage)] = max(score, best.get(id(line.passage), score))
    missing = {
        id(passage): max((best[id(part)] for part in passage.instead_of if id(part) in best), default=of_it) - of_it
        for passage, _ in graded
        if (of_it := best.get(id(passage))) is not None
    }
    return [(line, score + max(0.0, missing[of_it])) for line, score in scored if (of_it := id(line.passage)) in missing]


def _candidates(question: Question, graded: Graded, known: Calibration) -> Iterator[_Candidate]:
    for rank, (passage, grade) in enumerate(graded[:_LOOKED_AT]):
        candidates = list(_of_passage(question, passage, known, grade, is_best=rank == 0))
        for corrected in passage.instead_of:
            candidates = _as_good_as(candidates, list(_of_passage(question, corrected, known, grade, is_best=rank == 0)))
        yield from candidates


def _of_passage(
    question: Question, passage: Passage, known: Calibration, grade: float, *, is_best: bool
) -> Iterator[_Candidate]:
    for place, sentence in enumerate(passage.sentences):
        # What a person said instead of something answers where that did, however few its words are.
        if _says_nothing(question, sentence) and not passage.is_correction:
            continue
        worth = known.sentence.grade(signs_of_sentence(question, passage, place, grade, is_best))
        worth *= _AS_ANSWER if is_question(sentence.text) else 1.0
        yield _Candidate(passage, place, worth, worth / math.sqrt(len(sentence.text.split()) + _OVERHEAD))


def _as_good_as(candidates: Sequence[_Candidate], corrected: Sequence[_Candidate]) -> list[_Candidate]:
    """The sentences of a correction, the best of them worth as much as the best of those that it corrects."""
    best = max(candidates, key=lambda one: one.density, default=None)
    if best is None or not corrected:
        return list(candidates)
    worth = max(best.worth, *(one.worth for one in corrected))
    density = max(best.density, *(one.density for one in corrected))
    return [replace(one, worth=worth, density=density) if one is best else one for one in candidates]


def _says_nothing(question: Question, sentence: Quotable) -> bool:
    """Whether it is a heading, or a word or two of politeness: "Thanks, Melanie!"."""
    if sentence.shape == "heading":
        return True
    return len(sentence.text.split()) < _FEWEST_WORDS and not question.held_in(sentence.text)


def _quotes(question: Question, passage: Passage, taken: Sequence[_Candidate]) -> Iterator[Quote]:
    """What was taken of a message; sentences beside each other are one quote."""
    mine = sorted((one for one in taken if one.passage is passage), key=lambda one: one.place)
    time = _time(question, passage, [one.text for one in mine])
    start = mine[0].place
    for one, following in zip(mine, (*mine[1:], None), strict=True):
        if following is not None and following.place == one.place + 1:
            continue
        yield Quote(passage, passage.sentences[start].start, passage.sentences[one.place].end, time)
        time = None  # said once for a message
        if following is not None:
            start = following.place


_DURATION: Final = re.compile(r"\bhow long\b|얼마나 (?:오래|걸)", re.IGNORECASE)


def _time(question: Question, passage: Passage, quoted: Sequence[str]) -> str | None:
    """The date that a message means, where the question asks for one: as the quoted sentences say it, else as others of the
    message do, else when it was said."""
    if question.asked_for != "time" and not _DURATION.search(question.text):
        return None
    language = language_of(question.text)
    texts = [*quoted, *(sentence.text for sentence in passage.sentences if sentence.text not in quoted)]
    meant = (date_meant(text, passage.said_at, language) for text in texts)
    return next((told for told in meant if told is not None), said_on(passage.said_at, language))
