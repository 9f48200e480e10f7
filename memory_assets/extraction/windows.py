"""Cuts a session into windows of whole messages, so that a session of any length costs bounded calls.

Boundaries are found from the start: messages appended later change the last window at most, and a window that has not
changed has the same hash, so that a revision pays only for new windows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from memory_assets.extraction.points import Point, PointsBook
from memory_assets.extraction.question_calls import ASKING_TOOL, holds_answers, tells_answers
from memory_assets.extraction.question_calls import SHOWN_CHARACTERS as ANSWER_CHARACTERS
from memory_assets.extraction.todo_calls import checklist, is_todo_call
from memory_assets.extraction.todo_numbers import Numbered, numbered_tasks
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.sessions.model import Message
from memory_assets.sessions.origins import origins_of

WINDOW_CHARACTERS = 24_000
"""Characters of shown text that a window holds; one longer message makes a window of its own."""
OVERLAP_MESSAGES = 3
OVERLAP_CHARACTERS = 2_000
"""How much of what was shown before a window is repeated in front of it, as context."""
_INTERRUPTED = re.compile(r"^\W{0,3}request interrupted by user\b", re.IGNORECASE)
"""What an agent's program writes where the person stops it."""
_WORD = re.compile(r"[^\W\d_]{2,}")
"""Beside a command one or none is its argument; more are a request."""
_BARE_ORDER = re.compile(
    r"^\W{0,5}(?:(?:please|now|next|also|이것도?|이거도?|이 (?:문서|파일)도?|다음)\W{1,3})?"
    r"(?:[가-힣]{1,4}\s?(?:해\s?줘|해\s?주세요|부탁해요?|부탁드립니다)"
    r"|(?:fix|migrate|convert|handle|process|apply|update|translate|do) (?:it|this|that|the same)(?: one)?(?: too| as well)?"
    r"(?: please)?)\W{0,5}$",
    re.IGNORECASE,
)
"""An order that does not say what is to be worked on: the document above it is."""
ERROR_CHARACTERS = 400
"""A tool's error is shown up to this length; its other results, like thinking and injected text, are not shown."""


@dataclass(frozen=True, slots=True)
class Window:
    """Messages ``start`` to ``end`` of a session, half-open, and the context in front of them.

    Quotes may stand anywhere in ``[context_start, end)``. An entry is this window's own when its first quote stands in
    ``[start, end)``; one that quotes only the context belongs to the window before.

    Attributes:
        numbered: the titles behind the numbers by which the window's todo calls name tasks, wherever these were made.
        asked: the message, before the window, that says what is asked for in the turn that the window begins in: the person's,
            or, behind a command whose body is a template, the agent's first one; None where the window begins with the
            person's own words, or the session with the agent's.
        asked_first: whether that message is the first of the session in which a person speaks.
        points: the points of an agent's list that the window's messages name by their numbers, wherever it was made.
        is_cut: whether the next window begins with further words of the agent: the turn that this one ends in goes on there.
    """

    start: int
    end: int
    context_start: int
    numbered: Numbered = ()
    asked: int | None = None
    asked_first: bool = False
    is_cut: bool = False
    points: tuple[Point, ...] = ()

    def owns(self, message_index: int) -> bool:
        return self.start <= message_index < self.end


def shown_text(message: Message) -> str:
    """What an extractor sees of a message; empty when it sees nothing of it.

    Shown is what the person and the agent said to each other, what the person answered in a dialog, the beginning of a tool's
    error, and what a todo tool was told, as a short checklist. Talk between agents (side chains), thinking, injected text and
    other tool traffic is no source of memories.
    """
    if message.sidechain:
        return ""
    if message.kind == "said" and message.role in ("user", "assistant"):
        return message.text if message.text.strip() else ""
    if is_todo_call(message):
        return checklist(message)
    if holds_answers(message):
        return message.text[:ANSWER_CHARACTERS].strip()
    if message.kind == "tool_result" and message.is_error and not tells_answers(message):
        return message.text[:ERROR_CHARACTERS].strip()
    return ""


def quotable_texts(messages: Sequence[Message], first: int, end: int) -> list[str]:
    """The texts that a quote may stand in: what an extractor was shown of messages ``first`` to ``end``; the others empty.

    A text is the whole message where only its beginning was shown, so that spans count in the stored text.
    """
    texts = [""] * len(messages)
    for index in range(first, end):
        texts[index] = messages[index].text if shown_text(messages[index]) else ""
    return texts


def windows(messages: Sequence[Message], *, budget: int = WINDOW_CHARACTERS) -> list[Window]:
    """The windows of a session in order; every message is in exactly one; none when nothing is shown.

    A window is closed before a person speaks once it is three quarters full, and before any message that would
    overfill it.
    """
    if budget <= 0:
        raise ValueError("the budget of a window is a positive number of characters")
    lengths = [len(shown_text(message)) for message in messages]
    bounds: list[tuple[int, int]] = []
    start, filled = 0, 0
    for index, (message, length) in enumerate(zip(messages, lengths, strict=True)):
        over = filled + length > budget
        at_turn = message.role == "user" and message.kind == "said" and filled > budget * 3 // 4
        if length and filled and (over or at_turn):
            bounds.append((start, index))
            start, filled = index, 0
        filled += length
    if start < len(messages):
        bounds.append((start, len(messages)))
    numbered = numbered_tasks(messages, bounds)
    spoken = next((index for index, message in enumerate(messages) if lengths[index] and _is_said_by_person(message)), None)
    found: list[Window] = []
    book = PointsBook()
    for (low, high), known in zip(bounds, numbered, strict=True):
        points = book.read(
            (i, messages[i].role, messages[i].text) for i in range(low, high) if lengths[i] and messages[i].kind == "said"
        )
        if not any(lengths[low:high]):
            continue
        asked = _asked(messages, low, high)
        # A window ends before a message that is shown, whatever is said later; behind a list that is ticked off nothing may be.
        is_cut = high < len(messages) and messages[high].kind == "said" and not _is_said_by_person(messages[high])
        first = asked is not None and asked == spoken
        found.append(Window(low, high, _context(lengths, low), known, asked, first, is_cut, points))
    return found


def window_hash(messages: Sequence[Message], window: Window) -> str:
    """The hash of all that an extractor sees of a window: indexes, roles, kinds and shown texts, context included, the titles
    of the tasks and points that it names by number, the request that it goes on with, whether its last turn goes on behind it,
    and where a person broke in."""
    seen = [
        [index, messages[index].role, messages[index].kind, messages[index].name or "", text]
        for index in range(window.context_start, window.end)
        if (text := shown_text(messages[index]))
    ]
    numbered = {"numbered": [list(one) for one in window.numbered]} if window.numbered else {}
    asked = {"asked": _asked_seen(messages, window.asked, window.asked_first)} if window.asked is not None else {}
    is_cut = {"is_cut": True} if window.is_cut else {}
    broken = broken_into_at(messages, window.start, window.end)
    broken_into = {"broken_into": broken} if broken else {}
    points = (
        {"points": [[one.message_index, one.name, one.number, one.title] for one in window.points]} if window.points else {}
    )
    return sha256_hex(
        canonical_json({"start": window.start, "messages": seen} | numbered | asked | is_cut | broken_into | points)
    )


def _asked_seen(messages: Sequence[Message], asked: int, is_first: bool) -> list[object]:
    message = messages[asked]
    return [asked, shown_text(message), is_first, *([message.role] if message.role != "user" else [])]


def _is_said_by_person(message: Message) -> bool:
    return message.kind == "said" and message.role == "user"


def _asked(messages: Sequence[Message], start: int, end: int) -> int | None:
    """The last message before a window in which a person speaks, where the window does not begin with a person's words."""
    first = next((index for index in range(start, end) if shown_text(messages[index])), None)
    if first is None or _is_said_by_person(messages[first]):
        return None
    before = range(start - 1, -1, -1)
    said = (i for i in before if messages[i].kind == "said" and shown_text(messages[i]))
    begun = list(takewhile(lambda i: _is_said_by_person(messages[i]), dropwhile(lambda i: messages[i].role != "user", said)))
    typed = [i for i in begun if not is_command(messages[i])]
    if len(typed) == len(begun):
        return begun[0] if begun else None
    answers = (i for i in range(begun[0] + 1, start) if messages[i].kind == "said" and shown_text(messages[i]))
    return next((i for i in typed if len(_WORD.findall(messages[i].text)) > 1), next(answers, begun[0]))


def broken_into_at(messages: Sequence[Message], start: int, end: int) -> list[int]:
    """The messages by which a person answers a dialog in words of their own, or speaks where the agent was stopped."""
    spoken = (index for index in range(start, end) if _is_said_by_person(messages[index]) and shown_text(messages[index]))
    return [index for index in spoken if _is_waited_for(messages, start, index)]


def _is_waited_for(messages: Sequence[Message], start: int, index: int) -> bool:
    """Whether the agent was stopped just before a message, or asks in a dialog that has no answer."""
    for before in (messages[earlier] for earlier in range(index - 1, start - 1, -1)):
        if holds_answers(before) or before.kind not in ("injected", "tool_result", "tool_call"):
            return False
        if before.kind == "injected" and _INTERRUPTED.match(before.text):
            return True
        if before.kind == "tool_call":
            return (before.tool_name or "").lower() == ASKING_TOOL
    return False


def is_command(message: Message) -> bool:
    """Whether what a person said is the body of a command alone, or hands a document over with no more than "work on it": what
    the agent first answers says what it asks for."""
    stretches = origins_of(message)
    typed = " ".join(message.text[one.start : one.end] for one in stretches if one.origin == "typed")
    if typed and not _BARE_ORDER.match(typed):
        return False
    others = {stretch.origin for stretch in stretches} - {"typed"}
    return others == ({"pasted"} if typed else {"template"})


def _context(lengths: Sequence[int], start: int) -> int:
    """Where the context of a window begins: a few shown messages back, as long as they are short."""
    shown = characters = 0
    first = start
    for index in range(start - 1, -1, -1):
        if not lengths[index]:
            continue
        shown, characters = shown + 1, characters + lengths[index]
        if shown > OVERLAP_MESSAGES or characters > OVERLAP_CHARACTERS:
            break
        first = index
    return first
