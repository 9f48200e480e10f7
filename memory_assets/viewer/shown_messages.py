"""Messages as a page shows them: by who wrote each stretch, with the cited words marked, long ones as far as one reads.

The cited message is shown as it is stored, character by character, so that what is marked is the quote. Any other is read as
the Markdown that agents write. A page has a bounded number of elements, whatever the messages hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from memory_assets.viewer.markdown_tree import Node, size_of, tree_of
from memory_assets.viewer.masking import Masked
from memory_assets.vocabulary import OF_OTHERS

if TYPE_CHECKING:
    from memory_assets.queries.session_pages import OriginStretch, ToldMessage
    from memory_assets.results.sessions import MessageView
    from memory_assets.viewer.masking import Mask

Segments = tuple[tuple[int, int], ...]

MOST_SHOWN: Final = 6_000
"""Characters of one message on the page of its session; the rest stands on a page of its own."""
AROUND: Final = 2_000
"""Characters that are shown before and behind cited words of a long message."""
MARGIN: Final = 5_000
"""Characters beside a part that are looked at with it when it is masked: a secret that the edge cuts would look like none."""
MOST_STRETCHES: Final = 24
LONG_STRETCH: Final = 900
"""Characters from which what somebody pasted is folded beside what was typed."""
MOST_ELEMENTS: Final = 1_000
"""Of the texts of a page; its frame has some 800 more at the most."""

_PRIVATE: Final = "PRIVATE"


@dataclass(frozen=True, slots=True)
class Piece:
    """Text that is shown in one way: ``text``, ``mark`` (cited), ``private`` or ``masked``."""

    kind: str
    text: Masked


@dataclass(frozen=True, slots=True)
class ShownStretch:
    """What one hand wrote: as Markdown where ``nodes`` are given, otherwise character by character.

    Attributes:
        is_folded: it is long, and beside words of the person or the agent.
    """

    origin: str
    length: int
    pieces: tuple[Piece, ...] = ()
    nodes: tuple[Node, ...] = ()
    is_folded: bool = False


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A message, or a part of it.

    Attributes:
        start, end: which characters are shown, of ``length``.
        is_folded: shown when it is asked for: what tools say, what was put there, what an agent thought.
        is_cited: the address names it; ``is_marked`` whether its words could be marked.
        was_masked: the policy takes out what is stored here, so that its characters cannot be counted.
        preview: the first words of what is folded.
    """

    message: MessageView
    stretches: tuple[ShownStretch, ...]
    start: int
    end: int
    length: int
    is_folded: bool
    is_cited: bool
    is_marked: bool
    was_masked: bool
    preview: Masked

    @property
    def origins(self) -> tuple[str, ...]:
        """Who wrote it, each once."""
        return tuple(dict.fromkeys(stretch.origin for stretch in self.stretches))


class Budget:
    """How many elements a page may still have."""

    def __init__(self, most: int = MOST_ELEMENTS) -> None:
        self.left = most

    def takes(self, count: int) -> bool:
        """Whether there is room for so many; they are taken then."""
        if count > self.left:
            return False
        self.left -= count
        return True


def shown_message(
    told: ToldMessage,
    mask: Mask,
    budget: Budget,
    *,
    cited: Segments | None = None,
    part: tuple[int, int] | None = None,
) -> ShownMessage:
    """A message for a page.

    Args:
        cited: the characters that the address names; empty for the whole message, None where it names another one.
        part: which characters are shown; None for the beginning, or what stands around the cited words.
    """
    text = told.message.text
    start, end = part or _window(len(text), cited)
    whole, offset = _masked(text, start, end, mask)
    if offset is None:
        start, end = max(0, start - MARGIN), min(len(text), end + MARGIN)
        stretches: tuple[ShownStretch, ...] = (_verbatim(told.stretches[0].origin, whole, 0, (), mask, budget),)
    else:
        stretches = tuple(_stretches(told.stretches, whole, start, end, mask, budget, cited))
    return ShownMessage(
        message=told.message,
        stretches=stretches,
        start=start,
        end=end,
        length=len(text),
        is_folded=cited is None and part is None and _is_quiet(told.message, stretches),
        is_cited=cited is not None,
        is_marked=bool(cited) and offset is not None,
        was_masked=offset is None,
        preview=Masked(" ".join(whole[:300].split())[:120]),
    )


def _is_quiet(message: MessageView, stretches: Sequence[ShownStretch]) -> bool:
    """Whether nobody wrote it for somebody to read."""
    return message.kind != "said" or all(stretch.origin in ("template", "tool") for stretch in stretches)


def _window(length: int, cited: Segments | None) -> tuple[int, int]:
    if length <= MOST_SHOWN:
        return 0, length
    if not cited or cited[-1][1] <= MOST_SHOWN:
        return 0, MOST_SHOWN
    return max(0, cited[0][0] - AROUND), min(length, cited[-1][1] + AROUND)


def _masked(text: str, start: int, end: int, mask: Mask) -> tuple[Masked, int | None]:
    """A part of a text and where it begins; None for where, and more than the part, where something in it is masked now."""
    around = text[max(0, start - MARGIN) : end + MARGIN]
    masked = mask(around)
    return (Masked(text[start:end]), start) if masked == around else (masked, None)


def _stretches(
    stretches: Sequence[OriginStretch], text: str, start: int, end: int, mask: Mask, budget: Budget, cited: Segments | None
) -> Iterator[ShownStretch]:
    """The stretches of a part, each in its own way; too many of them are shown as one."""
    within = [
        replace(one, start=max(one.start, start), end=min(one.end, end))
        for one in stretches
        if one.start < end and one.end > start
    ]
    if len(within) > MOST_STRETCHES:
        within = [replace(within[0], end=within[-1].end)]
    for one in within:
        words = Masked(text[one.start - start : one.end - start])
        if cited is None and one.origin != "tool":
            nodes = tree_of(words)
            if budget.takes(size_of(nodes)):
                is_folded = len(within) > 1 and one.origin in OF_OTHERS and len(words) > LONG_STRETCH
                yield ShownStretch(one.origin, len(words), nodes=_spelled(nodes, mask), is_folded=is_folded)
                continue
        yield _verbatim(one.origin, words, one.start, cited or (), mask, budget)


def _verbatim(origin: str, text: str, start: int, cited: Segments, mask: Mask, budget: Budget) -> ShownStretch:
    """A stretch as it is stored, the cited characters marked; ``start`` is where it begins in its message."""
    pieces: list[Piece] = []
    place = 0
    for low, high in ((max(0, first - start), min(len(text), last - start)) for first, last in cited):
        if low < high:
            pieces += _plain(text[place:low], mask, budget)
            pieces.append(Piece("mark", Masked(text[low:high])))
            place = high
    pieces += _plain(text[place:], mask, budget)
    return ShownStretch(origin, len(text), tuple(pieces))


def _plain(text: str, mask: Mask, budget: Budget) -> list[Piece]:
    """Text that is not cited, with what masking left of something as a piece of its own."""
    marker: re.Pattern[str] = mask.policy.marker
    if not text:
        return []
    found = list(marker.finditer(text))
    if not budget.takes(2 * len(found)):
        return [Piece("text", Masked(text))]
    pieces: list[Piece] = []
    place = 0
    for match in found:
        if match.start() > place:
            pieces.append(Piece("text", Masked(text[place : match.start()])))
        kind = "private" if match[0][1:-1] == _PRIVATE else "masked"
        pieces.append(Piece(kind, Masked(match[0])))
        place = match.end()
    if place < len(text):
        pieces.append(Piece("text", Masked(text[place:])))
    return pieces


def _spelled(nodes: Sequence[Node], mask: Mask) -> tuple[Node, ...]:
    """Nodes whose text says what is private in it. It is masked again: Markdown's escapes hid nothing that it shows."""
    spelled: list[Node] = []
    for node in nodes:
        if node.kind == "text" and f"[{_PRIVATE}]" in node.text:
            before, *rest = node.text.split(f"[{_PRIVATE}]")
            spelled.append(Node("text", mask(before)))
            for after in rest:
                spelled += [Node("private"), Node("text", mask(after))]
        else:
            spelled.append(replace(node, text=mask(node.text), children=_spelled(node.children, mask)))
    return tuple(spelled)
