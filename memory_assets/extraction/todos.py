"""What an agent writes into its todo tool: each item a task, with the status that the tool was told last."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memory_assets.extraction.schema import Priority, TaskStatus
from memory_assets.sessions.model import Message

LIST_TOOLS = frozenset({"todowrite", "todo_write", "update_plan", "updateplan", "write_todos"})
"""Tools that are told the whole list each time."""
ITEM_TOOLS = frozenset({"taskcreate", "task_create"})
"""Tools that are told one new task."""
UPDATE_TOOLS = frozenset({"taskupdate", "task_update"})
"""Tools that are told the new status of a task by its number."""
SHOWN_CHARACTERS = 2_000
"""How much of a call an extractor sees, as a checklist."""

_MAX_CALL = 60_000
_STRING = r'"((?:[^"\\\x00-\x1f]|\\.){0,2000})"'
_CONTENT = re.compile(rf'"(?:content|step|subject|title)"\s{{0,3}}:\s{{0,3}}{_STRING}')
_STATUS = re.compile(r'"status"\s{0,3}:\s{0,3}"([a-zA-Z_ -]{2,20})"')
_PRIORITY = re.compile(r'"priority"\s{0,3}:\s{0,3}"(low|medium|high|critical)"', re.IGNORECASE)
_NUMBER = re.compile(r'"(?:taskId|task_id|id)"\s{0,3}:\s{0,3}"?([1-9]\d{0,4})\b')
_ITEM = re.compile(r'\{(?:[^{}"]|"(?:[^"\\\x00-\x1f]|\\.){0,2000}"){0,200}\}')
_STATUSES: dict[str, TaskStatus] = {
    "pending": "pending",
    "todo": "pending",
    "open": "pending",
    "in_progress": "in_progress",
    "inprogress": "in_progress",
    "active": "in_progress",
    "blocked": "blocked",
    "completed": "done",
    "complete": "done",
    "done": "done",
    "cancelled": "cancelled",
    "canceled": "cancelled",
    "deleted": "cancelled",
}
_BOXES: dict[TaskStatus, str] = {"pending": " ", "in_progress": "~", "blocked": "!", "done": "x", "cancelled": "-"}


@dataclass(frozen=True, slots=True)
class Todo:
    """One item of a todo list.

    Attributes:
        message_index: the call that named it first; ``quote`` is its text as it stands there, JSON escapes and all.
        text: the same without escapes.
    """

    message_index: int
    quote: str
    text: str
    status: TaskStatus
    priority: Priority | None = None


def is_todo_call(message: Message) -> bool:
    """Whether the message is a call of a todo tool."""
    return message.kind == "tool_call" and _tool(message) in LIST_TOOLS | ITEM_TOOLS | UPDATE_TOOLS


def checklist(message: Message) -> str:
    """A call's items as a checklist of at most ``SHOWN_CHARACTERS`` characters; each item as it stands in the call.

    All that an item's task depends on is in its line: status and priority in the box, ``+`` in front of a new task, which has
    a number, and the number that an update gives.
    """
    update = _update(message)
    if update is not None:
        return f"- #{update[0]} [{_BOXES[update[1]]}]"
    return "\n".join(_line(todo, message) for todo in _shown(message, 0))


def todos_of(messages: Sequence[Message], indexes: Sequence[int], *, numbered: bool) -> list[Todo]:
    """Every item that these calls name, once, with its latest status and priority, in the order of first appearance.

    Args:
        numbered: the calls are the session's first, so that its n-th new task is the one that is called number n.
    """
    known: dict[str, Todo] = {}
    numbers: list[str] = []
    for index in indexes:
        update = _update(messages[index])
        if update is not None and numbered and update[0] <= len(numbers):
            key = numbers[update[0] - 1]
            known[key] = replace(known[key], status=update[1])
        for todo in _shown(messages[index], index):
            key = " ".join(todo.text.casefold().split())
            first = known.get(key)
            known[key] = todo if first is None else replace(first, status=todo.status, priority=todo.priority or first.priority)
            if _tool(messages[index]) in ITEM_TOOLS:
                numbers.append(key)
    return list(known.values())


def _shown(message: Message, index: int) -> Iterator[Todo]:
    """The items that fit into the checklist: what is not shown is not read either, so that a window's hash tells all."""
    left = SHOWN_CHARACTERS
    for todo in _items(message, index):
        left -= len(_line(todo, message)) + 1
        if left < 0:
            return
        yield todo


def _line(todo: Todo, message: Message) -> str:
    mark = "+" if _tool(message) in ITEM_TOOLS else "-"
    priority = f" {todo.priority}" if todo.priority else ""
    return f"{mark} [{_BOXES[todo.status]}{priority}] {todo.quote}"


def _items(message: Message, index: int) -> Iterator[Todo]:
    text = message.text[:_MAX_CALL]
    if _tool(message) in ITEM_TOOLS:
        yield from _item(text, index)
    elif _tool(message) in LIST_TOOLS:
        for match in _ITEM.finditer(text):
            yield from _item(match.group(), index)


def _update(message: Message) -> tuple[int, TaskStatus] | None:
    """The number and the new status of a task."""
    if _tool(message) not in UPDATE_TOOLS:
        return None
    number, status = _NUMBER.search(message.text[:_MAX_CALL]), _STATUS.search(message.text[:_MAX_CALL])
    told = _told(status.group(1)) if status else None
    return (int(number.group(1)), told) if number and told else None


def _tool(message: Message) -> str:
    return (message.tool_name or "").lower()


def _item(text: str, index: int) -> Iterator[Todo]:
    content = _CONTENT.search(text)
    if content is None or not content.group(1).strip():
        return
    status, priority = _STATUS.search(text), _PRIORITY.search(text)
    yield Todo(
        index,
        content.group(1).strip(),
        _unescaped(content.group(1)).strip(),
        (_told(status.group(1)) if status else None) or "pending",
        _priority(priority.group(1).lower()) if priority else None,
    )


def _told(status: str) -> TaskStatus | None:
    return _STATUSES.get(status.lower().replace("-", "_").replace(" ", "_"))


def _priority(name: str) -> Priority | None:
    match name:
        case "low" | "medium" | "high" | "critical":
            return name
    return None


def _unescaped(raw: str) -> str:
    try:
        text = json.loads(f'"{raw}"')
    except ValueError:
        return raw
    return text if isinstance(text, str) else raw
