"""What is measured of a passage, of a sentence and of all that was found, as numbers that a grade is made of.

Each function gives a sign its name; ``calibration`` gives it its weight. All are between 0 and about 3, so that weights can be
compared, and none depends on how many other passages were found but for the rank.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from memory_assets.search.answerability.asked_for import fits, named
from memory_assets.search.answerability.question import tokens_of

if TYPE_CHECKING:
    from memory_assets.search.answerability.passages import Passage, Quotable
    from memory_assets.search.answerability.question import Question

Signs = Mapping[str, float]

_LONG: Final = 600
"""Characters from which a passage is as long as counts."""
_LEAST_WORDS: Final = 4


def is_question(text: str) -> bool:
    """Whether a sentence asks, by its mark."""
    return text.rstrip("\"'”’)]*` ").endswith(("?", "？"))


def signs_of_passage(question: Question, passage: Passage, rank: int, best: float) -> Signs:
    """Of how well a passage answers.

    Args:
        rank: of its hit, from 0.
        best: the best hit's score.
    """
    said = tokens_of(passage.text[passage.start : passage.end])
    before = tokens_of(passage.before)
    sentences = passage.sentences
    asking = sum(is_question(one.text) for one in sentences) / len(sentences) if sentences else 0.0
    stated = [one.text for one in sentences if not is_question(one.text)]
    vector = passage.hit.legs.get("vector")
    return {
        "score": passage.hit.score / best if best > 0 else 0.0,
        "rank": 1.0 / (1 + rank),
        "relevance": passage.hit.relevance,
        "cosine": max(0.0, vector.score) if vector else 0.0,
        "held": question.held(said),
        "held_with_before": question.held(said | before),
        "answers_a_question": question.held(before) if is_question(passage.before) else 0.0,
        "said_by_another": float(bool(question.names) and passage.speaker not in question.names),
        "nobody_named": float(not question.names),
        "asking": asking,
        "best_sentence": max(map(question.held_in, stated), default=0.0),
        "fits": float(fits(question.asked_for, passage.text[passage.start : passage.end])),
        "length": min(1.0, math.log1p(passage.end - passage.start) / math.log1p(_LONG)),
        "is_remembered": float(passage.hit.unit_kind != "passage"),
        "is_of_others": float(passage.hit.origin in ("pasted", "template", "tool")),
    }


def signs_of_sentence(question: Question, passage: Passage, place: int, grade: float, is_best: bool) -> Signs:
    """Of how much of the answer a sentence says.

    Args:
        place: of the sentence in its passage.
        grade: of the passage.
        is_best: whether it is the best one.
    """
    sentence: Quotable = passage.sentences[place]
    tokens = tokens_of(sentence.text)
    asked = frozenset(token for word in question.words for token in word.term.tokens)
    words = len(sentence.text.split())
    kind = question.asked_for
    held = question.held(tokens)
    return {
        "grade": grade,
        "log_grade": math.log(grade + 1e-3),
        "of_the_best": float(is_best),
        "held": held,
        "held_squared": held * held,
        "asking": float(is_question(sentence.text)),
        "new": math.log1p(len(tokens - asked)),
        "words": math.log1p(words),
        "short": float(words < _LEAST_WORDS),
        "first": float(place == 0),
        "heading": float(sentence.shape == "heading"),
        "item": float(sentence.shape == "item"),
        "fits": float(fits(kind, sentence.text)),
        "fits_a_time": float(kind == "time" and fits(kind, sentence.text)),
        "names": min(3, named(sentence.text)) / 3 if kind in ("person", "place", "other") else 0.0,
    }
