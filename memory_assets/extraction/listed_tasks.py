"""The tasks of lists: what a todo tool is told, checkboxes, and lines that are called a task."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from memory_assets.extraction.blockers import blockers_in
from memory_assets.extraction.cues import Rules
from memory_assets.extraction.schema import ExtractedEntry, Quote
from memory_assets.extraction.scoring import Scored
from memory_assets.extraction.selection import Selection
from memory_assets.extraction.sentence_context import words_of
from memory_assets.extraction.titles import title_of
from memory_assets.extraction.todo_calls import TaskUpdate, is_todo_call, is_whole_list, told_in
from memory_assets.extraction.todos import Todo, todos_of
from memory_assets.extraction.windows import Window, shown_text
from memory_assets.sessions.model import Message
from memory_assets.tasks.naming import task_title
from memory_assets.text.sentences import Shape
from memory_assets.vocabulary import TaskStatus

_MOST_LINES = 300
"""Checkboxes of a window that are tasks whatever their number; of further ones the best sentences are chosen."""
_MOST_HOLDING = 500
"""Sentences of a window that may hold a word by which the sentence that speaks of a task is found."""
_TASK_LINE = re.compile(
    r"^(?:\W{0,3}(?:TODO|FIXME|To-?do)\W{0,2}\s?[:：]|(?:할 ?일|해야 할 일|남은 일)\s?[:：])\s{0,4}(?=\S\S)", re.IGNORECASE
)
BOXED: dict[Shape, TaskStatus] = {
    "open_box": "pending", "begun_box": "in_progress", "blocked_box": "blocked", "done_box": "done", "dropped_box": "cancelled",
}  # fmt: skip


def unknown_statuses(messages: Sequence[Message], window: Window) -> Counter[str]:
    """Words for a status that a todo tool was told and nobody knows, with how often; their tasks stay as they were."""
    told = (one for index in _calls(messages, window) for one in told_in(messages[index]))
    return Counter(one.unknown for one in told if one.unknown is not None)


class ListedTasks:
    """The tasks of a window's lists.

    Attributes:
        called: those that a todo tool was told of.
        written: those that people and agents wrote down themselves.
    """

    def __init__(
        self, messages: Sequence[Message], window: Window, scored: Sequence[Scored], selection: Selection, rules: Rules
    ) -> None:
        self._scored = scored
        self._selection = selection
        calls = _calls(messages, window)
        told = [(index, one) for index in calls for one in told_in(messages[index])]
        lines = ((one, line) for one in scored if (line := _listed(one, rules)) is not None)
        for one, line in islice(lines, _MOST_LINES):
            told.append((one.spot.message_index, line))
            selection.use(one)
        told.sort(key=lambda pair: pair[0])
        self._holding: dict[str, list[int]] = {}
        for number, one in enumerate(scored if told else ()):
            for word in one.spot.words:
                self._holding.setdefault(word, []).append(number)
        self.called: list[Todo] = []
        self.written: list[Todo] = []
        whole = {index for index in calls if is_whole_list(messages[index])}
        for todo in todos_of(told, dict(window.numbered), whole):
            called = any(quote.message_index in calls for quote in todo.quotes)
            (self.called if called else self.written).append(todo)

    def entry(self, todo: Todo) -> ExtractedEntry:
        """The task of a list, with the sentence that has most of its words."""
        first, *later = todo.quotes
        said = self._spoken_of(todo)
        quotes = [first]
        if said is not None:
            self._selection.use(said)
            quotes.append(Quote(said.spot.message_index, said.spot.sentence.text))
        return ExtractedEntry(
            "task",
            title_of(todo.text),
            (*quotes, *later),
            status=todo.status,
            priority=todo.priority,
            blocked_by=todo.blocked_by,
            history=todo.history,
        )

    def _spoken_of(self, todo: Todo) -> Scored | None:
        words = words_of(todo.text)
        # A word that all sentences hold tells none of them.
        told = (held for word in words if len(held := self._holding.get(word, ())) <= _MOST_HOLDING)
        shared = Counter(number for held in told for number in held)
        enough = [
            (-count, -self._scored[number].score, number) for number, count in shared.items() if 2 * count >= max(3, len(words))
        ]
        found = (self._scored[number] for _, _, number in sorted(enough))
        return next((one for one in found if not self._selection.is_used(one)), None)


def _calls(messages: Sequence[Message], window: Window) -> list[int]:
    return [i for i in range(window.start, window.end) if is_todo_call(messages[i]) and shown_text(messages[i])]


def _listed(one: Scored, rules: Rules) -> TaskUpdate | None:
    """The task of a checkbox or of a line that is called one; what a person hands over is a document, not a list of tasks."""
    sentence = one.spot.sentence
    marked = _TASK_LINE.match(sentence.text)
    box = BOXED.get(sentence.shape)
    if box is None and marked is None:
        return None
    long = one.spot.voice == "user" and len(one.spot.message.text) > rules.limits["pasted_length"]
    if long or one.spot.origin == "pasted":
        return None
    status = box or one.status or "pending"
    title = sentence.text[marked.end() :] if marked else sentence.text
    if box == "pending" and one.status in ("in_progress", "blocked", "cancelled"):
        status = one.status
    blocked_by = blockers_in(sentence.text) if status == "blocked" else ()
    if status != box and not blocked_by and not _says_its_status(title):
        status = "pending"
    return TaskUpdate(sentence.text, title, status=status, priority=one.priority, blocked_by=blocked_by)


def _says_its_status(title: str) -> bool:
    """Whether a title says how far its task has come, which is no part of its name: ``Handle cancelled orders`` does not."""
    return task_title(title) != unicodedata.normalize("NFC", " ".join(title.split()))
