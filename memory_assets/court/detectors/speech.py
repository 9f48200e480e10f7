"""What a person typed in a case, sentence by sentence, and what the agent said and did before it.

Only typed words count: what was pasted, what a program put there, what one agent tells another, and what a sentence quotes is
nobody's order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final, Literal

from memory_assets.court.case import Case, CaseEvent
from memory_assets.court.detectors.cues import cue
from memory_assets.court.findings import EvidencePart, Quoted
from memory_assets.sessions.origins import Stretch
from memory_assets.text.sentences import Sentence, sentences

Language = Literal["ko", "en"]

_MOST_READ: Final = 6_000
"""Characters of a message that are read: a person's orders stand at its beginning, and a document is none."""
_SHORT: Final = 20
"""Characters of a message that says something and is no sentence."""
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
        """The message as long as it is, with blanks where it was not typed or is quoted."""
        text = self.event.message.text[:_MOST_READ]
        kept = [" "] * len(text)
        for stretch in self.event.stretches:
            if stretch.origin == "typed":
                kept[stretch.start : stretch.end] = text[stretch.start : stretch.end]
        return without_quotes("".join(kept)[: len(text)])

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
    """What persons typed, in order."""
    found: list[Typed] = []
    for event in case.events:
        if event.actor != "human" or event.message.kind != "said":
            continue
        typed = [stretch for stretch in event.stretches if stretch.origin == "typed"]
        if typed and event.message.text.strip():
            found.append(Typed(event, len(found), tuple(_typed_sentences(event.message.text[:_MOST_READ], typed))))
    return found


def _typed_sentences(text: str, typed: Sequence[Stretch]) -> Iterator[Sentence]:
    """The sentences that stand in typed stretches; of a few words without a full stop, all of it."""
    found = sentences(text)
    for sentence in found:
        if any(stretch.start <= sentence.start and sentence.end <= stretch.end for stretch in typed):
            yield sentence
    words = text.strip()
    if not found and 1 < len(words) < _SHORT and len(typed) == 1:
        start = text.index(words)
        yield Sentence(start, start + len(words), words, "prose", "")


def language_of(case: Case) -> Language:
    """The language that the persons of a case write; of a case without persons, the agents."""
    for actor in ("human", "ai"):
        events = (event for event in case.events if event.actor == actor and event.message.kind == "said")
        text = " ".join(event.message.text[:400] for event in islice(events, 40))
        letters = len(_LETTER.findall(text))
        if letters:
            return "ko" if len(_HANGUL.findall(text)) * 4 >= letters else "en"
    return "en"


def said_before(case: Case, place: int, *, since: int) -> Sentence | None:
    """The last thing that the agent told the person before ``place``, its first sentence that tells something."""
    event = last_words(case, place, since=since)
    if event is None:
        return None
    told = [one for one in sentences(event.message.text[:_MOST_READ]) if one.shape in ("prose", "item")]
    return told[0] if told else None


def last_words(case: Case, place: int, *, since: int) -> CaseEvent | None:
    """The last message of the agent before ``place``."""
    for event in reversed(case.events[since:place]):
        if event.actor == "ai" and event.message.kind == "said" and not event.message.sidechain and event.message.text.strip():
            return event
    return None
