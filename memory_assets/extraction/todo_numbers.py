"""How a session's todo tool numbers its tasks: the titles behind the numbers that a stretch of messages names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memory_assets.extraction.todo_calls import creates, told_in, updates
from memory_assets.sessions.model import Message

Numbered = tuple[tuple[int, str], ...]
"""Numbers with the titles of their tasks, in the order of the numbers."""

_CREATED = re.compile(r"\bTask #([1-9]\d{0,4}) created\b")
_ANSWER = 200


def numbered_tasks(messages: Sequence[Message], stretches: Iterable[tuple[int, int]]) -> list[Numbered]:
    """For each stretch of a session, half open, in order and without gaps: the tasks that its calls name by number.

    A task's number is what the tool answered, else the next one; its title the one that it had when the stretch began, or
    was made with in it. What stands behind a stretch changes nothing of it.
    """
    book = _Book()
    return [book.read(messages, low, high) for low, high in stretches]


class _Book:
    def __init__(self) -> None:
        self._titles: dict[int, str] = {}
        self._last = 0
        self._waiting: dict[str, tuple[int, str]] = {}

    def read(self, messages: Sequence[Message], low: int, high: int) -> Numbered:
        named: set[int] = set()
        renamed: dict[int, str] = {}
        for index in range(low, high):
            message = messages[index]
            if message.sidechain:
                continue
            if message.kind == "tool_result":
                self._answered(message)
            elif creates(message):
                for told in told_in(message):
                    self._made(message, told.text or "")
                    named.update(told.named)
            elif updates(message):
                for told in told_in(message):
                    named.update(told.named)
                    if told.number is not None and told.text is not None:
                        renamed[told.number] = told.text
        found = tuple((number, self._titles[number]) for number in sorted(named) if number in self._titles)
        self._titles.update(renamed)
        return found

    def _made(self, message: Message, title: str) -> None:
        self._last += 1
        self._titles[self._last] = title
        if message.tool_use_id is not None:
            self._waiting[message.tool_use_id] = (self._last, title)

    def _answered(self, message: Message) -> None:
        """The tool's own number for a task, which may count on from an earlier session."""
        if message.tool_use_id not in self._waiting:
            return
        counted, title = self._waiting.pop(message.tool_use_id)
        told = _CREATED.search(message.text[:_ANSWER])
        if told is None or int(told.group(1)) == counted:
            return
        if self._titles.get(counted) == title:
            del self._titles[counted]
        self._titles[int(told.group(1))] = title
        self._last = max(self._last, int(told.group(1)))
