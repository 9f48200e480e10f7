"""What a person typed in a case, sentence by sentence, and what the agent said and did before it.

Only typed words count: what was pasted, what a program put there, what one agent tells another, and what a sentence quotes is
nobody's order.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Final, Literal

from memory_assets.court.case import Case, CaseEvent
from memory_assets.court.detectors.cues import cue
from memory_assets.court.findings import EvidencePart, Quoted
from memory_assets.sessions.origins import Stretch
from memory_assets.text.sentences import MIN_LENGTH, Sentence, sentences

Language = Literal["ko", "en"]

_MOST_READ: Final = 6_000
"""Characters of a message that are read: a person's orders stand at its beginning, and a document is none."""
_SHORT: Final = 20
"""Characters of a message that says something and is no sentence."""
_OPENING: Final = 40
"""Characters of a message by which it is known again where a later one shows it."""
_REMEMBERED: Final = 40
_HANGUL = re.compile(r"[가-힣]")
_LETTER = re.compile(r"[A-Za-z가-힣]")
_QUOTED = re.compile(
    r"```[^`]{0,2000}```|`[^`\n]{1,300}`|\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|‘[^’\n]{1,300}’|「[^」\n]{1,300}」|『[^』\n]{1,300}』"
    r"|«[^»\n]{1,300}»|(?<![\w'])'[^'\n]{2,200}'(?!\w)|^[ \t]{0,3}>[^\n]*$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Typed:
    """A message that a person typed, at least in part.

    Attributes:
        order: which of the person's messages it is, from 0.
        said: the sentences of the stretches that the person typed.
    """

    event: CaseEvent
    order: int
    said: tuple[Sentence, ...]

    @property
    def place(self) -> int:
        """The event's place in the case."""
        return self.event.place

    @cached_property
    def plain(self) -> str:
        """The message up to the last sentence, with blanks where it was not typed or is quoted."""
        text, end = self.event.message.text, self.said[-1].end if self.said else 0
        pieces = (
            text[one.start : min(one.end, end)] if one.origin == "typed" else " " * (min(one.end, end) - one.start)
            for one in self.event.stretches
            if one.start < end
        )
        return without_quotes("".join(pieces))

    @cached_property
    def opening(self) -> str:
        """Its first words."""
        return self.plain.strip()[:200]

    def plain_of(self, sentence: Sentence) -> str:
        """A sentence with blanks where it quotes."""
        return self.plain[sentence.start : sentence.end]

    def quoted(self, start: int, end: int, part: EvidencePart) -> Quoted:
        """Characters of the message as evidence."""
        return Quoted(part, self.place, start, end, self.event.message.text[start:end])


def without_quotes(text: str) -> str:
    """A text with blanks where it quotes or shows code."""
    return _QUOTED.sub(lambda found: " " * len(found[0]), text)


def reports(text: str) -> bool:
    """Whether a sentence tells what somebody else said."""
    return cue("reports", "told").search(text) is not None


def typed_messages(case: Case) -> list[Typed]:
    """What persons typed, in order; without what shows an earlier message again, as the output of a program does."""
    found: list[Typed] = []
    openings: deque[str] = deque(maxlen=_REMEMBERED)
    for event in case.events:
        if event.actor != "human" or event.message.kind != "said":
            continue
        typed = tuple(stretch for stretch in event.stretches if stretch.origin == "typed")
        if typed and event.message.text.strip():
            text = event.message.text
            said = [one for one in _typed_sentences(text, typed) if not any(shown in one.text[1:] for shown in openings)]
            said = [one for one in said if cue("pasted", "lines").search(one.text) is None]
            found.append(Typed(event, len(found), tuple(said)))
            if len(opening := text[:_OPENING]) == _OPENING and "\n" not in opening:
                openings.append(opening)
    return found


def _typed_sentences(text: str, typed: Sequence[Stretch]) -> Iterator[Sentence]:
    """The sentences of typed stretches, as far as they are read; of a few words without a full stop, all of it."""
    left, told = _MOST_READ, False
    for stretch in typed:
        part = text[stretch.start : min(stretch.end, stretch.start + left)]
        left -= len(part)
        for one in _with_short_ones(part):
            told = True
            yield replace(one, start=one.start + stretch.start, end=one.end + stretch.start)
    words = text.strip()
    if not told and 1 < len(words) < _SHORT and len(typed) == 1:
        start = text.index(words)
        yield Sentence(start, start + len(words), words, "prose", "")


def _with_short_ones(text: str) -> Iterator[Sentence]:
    """The sentences of a text, and those between them that are too short for the cutter ("되돌려.", "Undo.")."""
    found = sentences(text)
    position = found[0].end if found else 0
    if found:
        yield found[0]
    for one in [*found[1:], None] if found else []:
        end = one.start if one is not None else len(text)
        between = text[position:end]
        words = between.strip()
        if 1 < len(words) < MIN_LENGTH and any(map(str.isalpha, words)):
            start = position + between.index(words)
            yield Sentence(start, start + len(words), words, "prose", "")
        if one is not None:
            yield one
            position = one.end


def language_of(case: Case) -> Language:
    """The language that the persons of a case write; of a case without persons, the agents."""
    for actor in ("human", "ai"):
        events = (event for event in case.events if event.actor == actor and event.message.kind == "said")
        text = " ".join(event.message.text[:400] for event in islice(events, 40))
        letters = len(_LETTER.findall(text))
        if letters:
            return "ko" if len(_HANGUL.findall(text)) * 4 >= letters else "en"
    return "en"


def last_words(case: Case, place: int, *, since: int) -> CaseEvent | None:
    """The last message of the agent before ``place``."""
    for event in reversed(case.events[since:place]):
        if event.actor == "ai" and event.message.kind == "said" and not event.message.sidechain and event.message.text.strip():
            return event
    return None
