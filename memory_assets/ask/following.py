"""How a question of a conversation is read: by its own words, then with those of what it follows on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memory_assets.search.answerability.question import Question, understood
from memory_assets.search.question.speakers import named_speakers
from memory_assets.search.question.terms import query_terms

if TYPE_CHECKING:
    from memory_assets.ask.request import AskRequest
    from memory_assets.search.searcher import LookedUp


_POINTS_BACK: Final = re.compile(
    r"그(?:것|거|건|게|걸|때|곳|분|쪽|럼|래서|러면|런데|렇게|중에?)(?:[은는이가을를의도만]|에|에서|로|부터|까지)?"
    r"|거긴|거기(?:[는가도]|서|에서)?|걔[는가를]?|그녀[는가를]?|one|ones|also|too|else|more|then|again",
    re.IGNORECASE,
)
"""Words that only say what the question follows on."""


def readings(request: AskRequest, found: LookedUp) -> Iterator[Question]:
    """A question as it may be meant, the nearest reading first.

    One that follows on another is searched with the words of the last answer. By these alone everything that was said of the
    matter would seem to answer it, so it is read by its own words first, and with the others only where nothing in it is new
    ("when was that?").
    """
    question = understood(request.question, found)
    if request.conversation is None or not request.conversation.last_answer:
        yield question
        return
    own = _of_its_own(question)
    yield own
    # Where a word of it was never said, the words of the last answer cannot answer it.
    if all(word.is_seen for word in own.words):
        yield question


def is_unheard(question: Question) -> bool:
    """Whether a question has words of its own, and nothing that was found has any of them."""
    return bool(question.words) and not any(word.is_seen for word in question.words)


def _of_its_own(question: Question) -> Question:
    """The question without the words and names that stand in the last answer alone."""
    texts = {term.text for term in query_terms(question.text)}
    words = tuple(word for word in question.words if word.term.text in texts and not _POINTS_BACK.fullmatch(word.term.text))
    return replace(question, words=words, names=named_speakers(question.text, question.names))
