"""A question to be answered, and within what."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from memory_assets.search.request import SearchRequest
from memory_assets.vocabulary import AskedMode

if TYPE_CHECKING:
    from memory_assets.ask.conversation import Conversation

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
        multi_hop: whether it is taken apart and answered in several hops.
        log: whether what the answer cites is counted as cited.
        conversation: what the question is asked in; None where it stands alone.
    """

    question: str
    project: str | None = None
    mode: AskedMode = "auto"
    most_words: int = MOST_WORDS
    now: datetime | None = None
    conversation: Conversation | None = None
    multi_hop: bool = False
    log: bool = True

    def search(self) -> SearchRequest:
        """What is searched for it. What a person is shown of an answer is not counted as a hit that was shown."""
        query = self.conversation.searched(self.question) if self.conversation else self.question
        return SearchRequest(query, mode=self.mode, k=SEARCHED, project=self.project, log=False, now=self.now)
