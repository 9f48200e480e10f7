"""A question to be answered, and within what."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memory_assets.search.request import SearchRequest
from memory_assets.vocabulary import AskedMode

MOST_WORDS: Final = 45
"""Words of an answer, dates and names included."""

SEARCHED: Final = 20
"""Hits that an answer is looked for in."""


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question.

    Attributes:
        project: only what was said in this project; None for the whole store.
        mode: how to search.
        most_words: of the quotes together, dates and names included.
        now: aware; what "last week" is counted from. None for the clock.
    """

    question: str
    project: str | None = None
    mode: AskedMode = "auto"
    most_words: int = MOST_WORDS
    now: datetime | None = None

    def search(self) -> SearchRequest:
        """What is searched for it. What a person is shown of an answer is not counted as a hit that was shown."""
        return SearchRequest(self.question, mode=self.mode, k=SEARCHED, project=self.project, log=False, now=self.now)
