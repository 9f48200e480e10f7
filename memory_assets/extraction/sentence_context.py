"""Where a sentence stands: who says it, when in the turn, in what shape and size, and how it echoes the rest of the talk.

``rules.toml`` names these places and says what each is worth, as it does for the phrases.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memory_assets.sessions.model import Message
from memory_assets.text.english_words import inflected
from memory_assets.text.sentences import Sentence
from memory_assets.vocabulary import Origin

Voice = Literal["user", "working", "closing"]
"""Who speaks: a person, an agent at work, or an agent in its last message before the person speaks again."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,60}|[가-힣]{2,20}|\d{1,12}")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """the and for that this with was are not but you our from have has will can should would into its now also all any
        one let just when then than they there here what which where how why who use used using make sure new need like get
        got don does did more some only been were had out about your""",
    )
)
_LENGTHS = (15, 25, 40, 60, 90, 130, 200)
_CROWDS = (1, 3, 8, 20, 60)
_CONTEXT = 1_500
"""Characters of what a person said before the window that count as talk."""


def words_of(text: str) -> frozenset[str]:
    """The telling words of a text, cut to their stems: six Latin letters, two Korean syllables."""
    found = (word for word in _WORD.findall(text) if word.lower() not in _COMMON)
    return frozenset(word[:6].lower() if word.isascii() else word[:2] for word in found)


def stems_of(words: Iterable[str]) -> frozenset[str]:
    """Telling words as they are asked for and reported alike: ``push`` of ``pushed``."""
    return frozenset(inflected(word) for word in words)


@dataclass(frozen=True, slots=True)
class Spot:
    """A sentence of a message that an extractor reads.

    Attributes:
        message_index: counts the session's messages.
        origin: ``typed``, ``said`` or ``pasted``; what programs put there is not read.
        in_plan: it stands in a plan that a person hands over to be carried out.
        position, crowd: which sentence of how many of its message.
        words: its telling words.
    """

    message_index: int
    message: Message
    voice: Voice
    position: int
    crowd: int
    sentence: Sentence
    words: frozenset[str]
    origin: Origin
    in_plan: bool = False


class Talk:
    """What all sentences of a window have in common: how often each word is said, and which ones a person said."""

    def __init__(self, spots: Sequence[Spot], context: Iterable[str] = ()) -> None:
        self._said: Counter[str] = Counter()
        self._asked: Counter[str] = Counter()
        known: set[str] = set()
        for text in context:
            self._asked.update(words_of(text[:_CONTEXT]))
        for spot in spots:
            if spot.sentence.text in known:
                continue
            known.add(spot.sentence.text)
            self._said.update(spot.words)
            if spot.origin == "typed":
                self._asked.update(spot.words)

    def places(
        self, spot: Spot, *, opening: bool = False, after_error: bool = False, after_work: bool = False
    ) -> Iterator[str]:
        """The names of all the places that a sentence stands in."""
        voice, sentence = spot.voice, spot.sentence
        role = "user" if voice == "user" else "agent"
        length = len(sentence.text)
        yield voice
        if spot.origin == "pasted":
            yield "in a plan" if spot.in_plan else "pasted"
        yield f"{voice} {sentence.shape}"
        yield f"{voice} {_order(spot)}"
        yield f"{voice} of {_bucket(spot.crowd, _CROWDS)}"
        yield f"{role} length {_bucket(length, _LENGTHS)}"
        if opening:
            yield "opening"
        if voice == "closing":
            yield "closing after work" if after_work else "closing without work"
        if after_error:
            yield f"{voice} after error"
        if sentence.text.startswith(("**", "__")):
            yield f"{role} bold"
        yield from self._echoes(spot, role)

    def _echoes(self, spot: Spot, role: str) -> Iterator[str]:
        if not spot.words:
            return
        own = role == "user"
        asked = sum(self._asked[word] > own for word in spot.words)
        if asked >= 2:
            yield f"{role} echoes {'much' if asked >= 5 else 'some'}"
        if asked * 2 >= len(spot.words):
            yield f"{role} echoes half"
        again = sum(self._said[word] > 2 for word in spot.words)
        if again >= 2:
            yield f"central {'5 words' if again >= 5 else '3 words' if again >= 3 else '2 words'}"
        if again * 4 >= len(spot.words) * 3:
            yield "central all"


def _order(spot: Spot) -> str:
    if spot.crowd == 1:
        return "only"
    return "first" if spot.position == 0 else "last" if spot.position == spot.crowd - 1 else "middle"


def _bucket(value: int, bounds: tuple[int, ...]) -> str:
    return next((f"up to {bound}" for bound in bounds if value <= bound), f"over {bounds[-1]}")
