"""What one call of an agent's todo tool says: items with their status, and updates of tasks by their numbers.

Calls are read as text, not as JSON: masking may have cut them, and what is quoted is quoted as it stands there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memory_assets.extraction.status_names import plain_name, priority_named, status_named
from memory_assets.sessions.model import Message
from memory_assets.text.half_characters import UNSTORABLE
from memory_assets.vocabulary import Priority, TaskStatus

LIST_TOOLS = frozenset({"todowrite", "todo_write", "update_plan", "updateplan", "write_todos"})
"""Tools that are told the whole list each time."""
ITEM_TOOLS = frozenset({"taskcreate", "task_create"})
"""Tools that are told one new task."""
UPDATE_TOOLS = frozenset({"taskupdate", "task_update"})
"""Tools that are told what is new of a task by its number."""
TODO_TOOLS = LIST_TOOLS | ITEM_TOOLS | UPDATE_TOOLS
SHOWN_CHARACTERS = 2_000
"""How much of a call an extractor sees, as a checklist."""

_MAX_CALL = 60_000
_MAX_PART = 200
_MAX_NUMBERS = 20
_STRING = r'"((?:[^"\\\x00-\x1f]|\\.){0,2000})"'
_CONTENT = re.compile(rf'"(?:content|step|subject|title)"\s{{0,3}}:\s{{0,3}}{_STRING}')
_STATUS = re.compile(r'"status"\s{0,3}:\s{0,3}"([a-zA-Z_ -]{2,20})"')
_PRIORITY = re.compile(r'"priority"\s{0,3}:\s{0,3}"([a-zA-Z0-9_ -]{2,20})"')
_NUMBER = re.compile(r'"(?:taskId|task_id|id)"\s{0,3}:\s{0,3}("?)([1-9]\d{0,4})\b\1')
_NUMBERS = re.compile(
    r'"(addBlockedBy|blockedBy|blocked_by|dependsOn|dependencies|addBlocks|blocks|removeBlockedBy)"\s{0,3}:\s{0,3}'
    r'\[([\s"\d,]{1,300})\]'
)
_DIGITS = re.compile(r"\b[1-9]\d{0,4}\b")
_ITEM = re.compile(r'\{(?:[^{}"]|"(?:[^"\\\x00-\x1f]|\\.){0,2000}"){0,200}\}')
_BOXES: dict[TaskStatus | None, str] = {
    "pending": " ", "in_progress": "~", "blocked": "!", "done": "x", "cancelled": "-", None: ".",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TaskUpdate:
    """What a call, or a line of a checklist, says of one task.

    Attributes:
        quote: verbatim text of the message; of an update that names no title the part with its number.
        text: what the task is called, without escapes; None where only its number is named.
        number: the number of the task that an update is about.
        place: the id of an item within its list.
        status: None where the call does not say, or an update says it in a word that is not known.
        unknown: such a word.
        waits_for, blocks, freed_of: numbers of tasks (of an item with a ``place``, ids of its list) that are said to be in its
            way, in whose way it is, and that are no longer.
        blocked_by: what it waits for in words of the message.
    """

    quote: str
    text: str | None
    number: int | None = None
    place: int | None = None
    status: TaskStatus | None = None
    unknown: str | None = None
    priority: Priority | None = None
    waits_for: tuple[int, ...] = ()
    blocks: tuple[int, ...] = ()
    freed_of: tuple[int, ...] = ()
    blocked_by: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[int, ...]:
        """Every number of a task that it names."""
        if self.place is not None:
            return ()
        own = (self.number,) if self.number is not None else ()
        return (*own, *self.waits_for, *self.blocks, *self.freed_of)


def is_todo_call(message: Message) -> bool:
    """Whether the message is a call of a todo tool."""
    return message.kind == "tool_call" and _tool(message) in TODO_TOOLS


def creates(message: Message) -> bool:
    """Whether the message is a call that makes one new task, which gets the next number."""
    return message.kind == "tool_call" and _tool(message) in ITEM_TOOLS


def updates(message: Message) -> bool:
    """Whether the message is a call that names a task by its number."""
    return message.kind == "tool_call" and _tool(message) in UPDATE_TOOLS


def checklist(message: Message) -> str:
    """A call's items as a checklist of at most ``SHOWN_CHARACTERS`` characters; each item as it stands in the call.

    All that an item's task depends on is in its line: status and priority in the box, in front of it ``+`` for a new task,
    ``*`` for an update, and the numbers that the call gives. The last line says where items are left out.
    """
    shown, is_whole = _told_in(_tool(message), message.text)
    return "\n".join([*(_line(told, _tool(message)) for told in shown), *([] if is_whole else ["…"])])


def told_in(message: Message) -> tuple[TaskUpdate, ...]:
    """What fits into the checklist: what is not shown is not read either, so that a window's hash tells all."""
    return _told_in(_tool(message), message.text)[0]


def is_whole_list(message: Message) -> bool:
    """Whether a call tells the whole list, and all of it is read: an item that is not in it is no longer on the list."""
    return _tool(message) in LIST_TOOLS and _told_in(_tool(message), message.text)[1]


@lru_cache(maxsize=64)  # the stages of a window ask for the same calls again and again
def _told_in(tool: str, text: str) -> tuple[tuple[TaskUpdate, ...], bool]:
    left = SHOWN_CHARACTERS
    shown: list[TaskUpdate] = []
    for told in _read(tool, text[:_MAX_CALL]):
        left -= len(_line(told, tool)) + 1
        if left < 0:
            return tuple(shown), False
        shown.append(told)
    return tuple(shown), len(text) <= _MAX_CALL


def _line(told: TaskUpdate, tool: str) -> str:
    mark = "+" if tool in ITEM_TOOLS else "*" if tool in UPDATE_TOOLS else "-"
    number = f" #{told.number or told.place}" if told.number or told.place else ""
    relations = "".join(
        f" {name} {' '.join(f'#{one}' for one in numbers)}"
        for name, numbers in (("waits for", told.waits_for), ("blocks", told.blocks), ("freed of", told.freed_of))
        if numbers
    )
    priority = f" {told.priority}" if told.priority else ""
    box = f"?{told.unknown}" if told.unknown else _BOXES[told.status]
    # A title that an update gives stands in its line as any other; "=" tells it from the part that names a number.
    title = "=" if tool in UPDATE_TOOLS and told.text is not None else ""
    return f"{mark}{number}{relations} [{box}{priority}] {title}{told.quote}"


def _read(tool: str, text: str) -> Iterator[TaskUpdate]:
    if tool in UPDATE_TOOLS:
        yield from _update(text)
    elif tool in ITEM_TOOLS:
        yield from _item(text, text)
    elif tool in LIST_TOOLS:
        for match in _ITEM.finditer(text):
            yield from _item(match.group(), text)


def _item(part: str, call: str) -> Iterator[TaskUpdate]:
    content = _CONTENT.search(part)
    if content is None or not content.group(1).strip():
        return
    place = _NUMBER.search(part) if part is not call else None
    status, unknown = _status(part)
    waits_for, blocks, freed_of = _relations(part)
    yield TaskUpdate(
        _quote(content, call),
        _unescaped(content.group(1)).strip(),
        place=int(place.group(2)) if place else None,
        status=status or "pending",
        unknown=unknown,
        priority=_priority(part),
        waits_for=waits_for,
        blocks=blocks,
        freed_of=freed_of,
    )


def _update(text: str) -> Iterator[TaskUpdate]:
    number = _NUMBER.search(text)
    if number is None:
        return
    content = _CONTENT.search(text)
    status, unknown = _status(text)
    said = _STATUS.search(text)
    relation = next(_NUMBERS.finditer(text), None)
    waits_for, blocks, freed_of = _relations(text)
    titled = content is not None and bool(content.group(1).strip())
    if not (titled or said or relation or _priority(text)):
        return
    yield TaskUpdate(
        _quote(content, text) if content is not None and titled else _part(text, number, said or relation),
        _unescaped(content.group(1)).strip() if content is not None and titled else None,
        number=int(number.group(2)),
        status=status,
        unknown=unknown,
        priority=_priority(text),
        waits_for=waits_for,
        blocks=blocks,
        freed_of=freed_of,
    )


def _quote(content: re.Match[str], call: str) -> str:
    """A title as it stands in a call; with the name of its field where the call says the same words elsewhere too."""
    quote = content.group(1).strip()
    return content.group() if call.count(quote) > 1 and len(content.group()) <= 2 * _MAX_PART else quote


def _part(text: str, number: re.Match[str], other: re.Match[str] | None) -> str:
    """The part of a call from a task's number to what is said of it; that alone when much stands between them."""
    if other is None:
        return number.group()
    part = text[min(number.start(), other.start()) : max(number.end(), other.end())]
    return part if len(part) <= _MAX_PART else other.group()


def _relations(text: str) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """The numbers of the tasks that this one waits for, that wait for it, and that it waits for no longer."""
    waits_for: list[int] = []
    blocks: list[int] = []
    freed_of: list[int] = []
    for match in _NUMBERS.finditer(text):
        name = match.group(1)
        found = [int(digits) for digits in _DIGITS.findall(match.group(2))[:_MAX_NUMBERS]]
        (freed_of if name == "removeBlockedBy" else blocks if name in ("addBlocks", "blocks") else waits_for).extend(found)
    return tuple(dict.fromkeys(waits_for)), tuple(dict.fromkeys(blocks)), tuple(dict.fromkeys(freed_of))


def _status(text: str) -> tuple[TaskStatus | None, str | None]:
    """The status that a call gives, or else its word for one that is not known."""
    found = _STATUS.search(text)
    if found is None:
        return None, None
    known = status_named(found.group(1))
    return (known, None) if known else (None, plain_name(found.group(1)))


def _priority(text: str) -> Priority | None:
    found = _PRIORITY.search(text)
    return priority_named(found.group(1)) if found else None


def _tool(message: Message) -> str:
    return (message.tool_name or "").lower()


def _unescaped(raw: str) -> str:
    try:
        text = json.loads(f'"{raw}"')
    except ValueError:
        return raw
    return UNSTORABLE.sub("", text) if isinstance(text, str) else raw
