"""The tasks of a window's todo calls and checklists: each once, with what became of it and the words that say so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter

from memory_assets.extraction.schema import Quote, StatusAt
from memory_assets.extraction.sentence_context import words_of
from memory_assets.extraction.status_history import changes
from memory_assets.extraction.todo_calls import TaskUpdate
from memory_assets.vocabulary import FINISHED, Priority, TaskStatus

_MOST_NOTES = 2
"""Further quotes of what a task waits for, or is called anew."""


@dataclass(frozen=True, slots=True)
class Todo:
    """One task of a list.

    Attributes:
        quotes: where it is named first, then one for each step of its history that stands elsewhere.
        text: what it is called, the latest wording.
        status: None where only something else is said of a task that was named before.
        history: see ``schema.ExtractedEntry``.
    """

    quotes: tuple[Quote, ...]
    text: str
    status: TaskStatus | None
    priority: Priority | None = None
    blocked_by: tuple[str, ...] = ()
    history: tuple[StatusAt, ...] = ()


@dataclass(slots=True, eq=False)
class _Growing:
    """A task while the calls are read."""

    first: Quote
    text: str
    steps: list[StatusAt] = field(default_factory=list)
    said: dict[int, Quote] = field(default_factory=dict)
    notes: list[Quote] = field(default_factory=list)
    priority: Priority | None = None
    waits_for: dict[str, _Growing] = field(default_factory=dict)
    blocked_by: dict[str, None] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        return bool(self.steps) and self.steps[-1].status not in FINISHED

    def take(self, index: int, told: TaskUpdate) -> None:
        """What a message says of the task itself."""
        self.priority = told.priority or self.priority
        self.blocked_by.update(dict.fromkeys(told.blocked_by))
        if told.text is not None and _key(told.text) != _key(self.text):
            self.text = told.text
            self.notes.append(Quote(index, told.quote))
        if told.status is None:
            return
        if self.steps and self.steps[-1].message_index == index:
            self.steps.pop()  # of what one message says the last word counts
        if not self.steps or self.steps[-1].status != told.status:
            self.steps.append(StatusAt(told.status, index))
            self.said[index] = Quote(index, told.quote)

    def wait_for(self, other: _Growing, quote: Quote) -> None:
        if other is not self and self.waits_for.setdefault(_key(other.text), other) is other:
            self.notes.append(quote)


class _Book:
    """The tasks of a window by title, by the id within their list, and by number."""

    def __init__(self, numbered: Mapping[int, str]) -> None:
        self.tasks: list[_Growing] = []
        self._numbered = numbered
        self._by_title: dict[str, _Growing] = {}
        self._by_place: dict[int, _Growing] = {}
        self._list: list[_Growing] = []

    def lists(self, index: int, told: Sequence[TaskUpdate]) -> None:
        """A call tells the whole list anew: of the open items that it names no longer, one that stands there in other words is
        called so, and others are dropped. A list of other things begins a new one and says nothing of the one before."""
        titles = [_key(one.text or "") for one in told]
        now = {task for title in titles if (task := self._by_title.get(title)) is not None}
        gone = [] if now.isdisjoint(self._list) else [task for task in self._list if task not in now and task.is_open]
        for task in gone:
            place = self._list.index(task)
            places = (place, place - len(self._list) + len(told))
            new = [number for number, title in enumerate(titles) if title not in self._by_title]
            named = next(
                (number for number in new if _renamed(task.text, titles[number], by=1 if number in places else 2)), None
            )
            if named is not None:
                self._by_title[titles[named]] = task
            else:
                task.take(index, replace(told[0], text=None, status="cancelled", priority=None, blocked_by=()))

    def listed(self, tasks: Sequence[_Growing]) -> None:
        """What is on the list now."""
        self._list = list(dict.fromkeys(tasks))

    def task(self, index: int, told: TaskUpdate) -> _Growing | None:
        """The task that is told of, a new one where it is not known; a number that nobody gave a title means none."""
        title = told.text if told.number is None else self._numbered.get(told.number, told.text)
        if title is None:
            return None
        found = self._by_title.get(_key(title))
        before = self._by_place.get(told.place) if told.place is not None else None
        if found is None and before is not None and _renamed(before.text, title):
            found = before
        if found is None:
            found = _Growing(Quote(index, told.quote), title)
            self.tasks.append(found)
        for name in (title, told.text or title):
            self._by_title.setdefault(_key(name), found)
        if told.place is not None:
            self._by_place[told.place] = found
        return found

    def other(self, index: int, told: TaskUpdate, number: int) -> _Growing | None:
        """Another task that is named by its number, or by its id where items have ids."""
        if told.place is not None:
            return self._by_place.get(number)
        return self.task(index, TaskUpdate(told.quote, None, number))


def todos_of(told: Iterable[tuple[int, TaskUpdate]], numbered: Mapping[int, str], whole: Set[int] = frozenset()) -> list[Todo]:
    """Every task that is told of, once, in the order of first appearance.

    Args:
        told: message indexes, ascending, and what is said there.
        numbered: the titles behind the numbers that the calls name (``todo_numbers``).
        whole: the messages that tell the whole list.
    """
    book = _Book(numbered)
    spoken_of: set[_Growing] = set()
    for index, of_message in groupby(told, key=itemgetter(0)):
        said = [one for _, one in of_message]
        if index in whole:
            book.lists(index, said)
        lines = [(one, task) for one in said if (task := book.task(index, one)) is not None]
        if index in whole:
            book.listed([task for _, task in lines])
        spoken_of.update(task for _, task in lines)
        for one, task in lines:
            task.take(index, one)
            _relate(book, index, one, task)
    # What is only named as another's blocker is no task of this window.
    return [_whole(task) for task in book.tasks if task in spoken_of or spoken_of.intersection(task.waits_for.values())]


def _relate(book: _Book, index: int, told: TaskUpdate, task: _Growing) -> None:
    quote = Quote(index, told.quote)
    for number in told.waits_for:
        if (other := book.other(index, told, number)) is not None:
            task.wait_for(other, quote)
    for number in told.blocks:
        if (other := book.other(index, told, number)) is not None:
            other.wait_for(task, quote)
    for number in told.freed_of:
        if (other := book.other(index, told, number)) is not None:
            task.waits_for = {name: one for name, one in task.waits_for.items() if one is not other}


def _whole(task: _Growing) -> Todo:
    history = changes(task.steps)
    steps = [task.said[step.message_index] for step in history]
    quotes = dict.fromkeys((task.first, *(quote for quote in steps if quote.message_index != task.first.message_index)))
    quotes |= dict.fromkeys(task.notes[:_MOST_NOTES])
    return Todo(
        tuple(quotes),
        task.text,
        task.steps[-1].status if task.steps else None,
        task.priority,
        tuple(dict.fromkeys((*task.blocked_by, *(other.text for other in task.waits_for.values())))),
        history,
    )


def _renamed(before: str, after: str, *, by: int = 1) -> bool:
    """Whether an item is the same task in other words: it shares half of them at the same place, two thirds elsewhere.

    Args:
        by: 1 for half of the words, 2 for two thirds.
    """
    one, other = words_of(before), words_of(after)
    return (by + 1) * len(one & other) >= by * max(len(one), len(other), 1)


def _key(text: str) -> str:
    return " ".join(text.casefold().split())
