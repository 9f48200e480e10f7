"""The embedded extractor: deterministic, without a model, Korean and English alike.

Each sentence that a person or an agent said collects the weights of the phrases it holds and of the places it stands in
(``rules.toml``). The best sentences of a window become entries, each with the neighbours that say most beside it and with
what says the same elsewhere. A request is quoted with the sentence in which the agent reports its outcome, the cause of an
error with its fix, an answer with the option that it takes; the items of a todo tool are tasks. It quotes like any
extractor: what it proposes goes through the same aligner.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

from memory_assets.extraction.blockers import blockers_in
from memory_assets.extraction.cues import Rules, built_in_rules
from memory_assets.extraction.options import Option, chosen, options_of
from memory_assets.extraction.schema import ExtractedEntry, Quote, StatusAt
from memory_assets.extraction.scoring import Scored, is_conversation, is_said, score_window
from memory_assets.extraction.selection import QUOTED_SENTENCES, REVERSAL, Choice, Selection
from memory_assets.extraction.sentence_context import OWN_WORDS, words_of
from memory_assets.extraction.status_history import changes
from memory_assets.extraction.titles import title_of
from memory_assets.extraction.todo_calls import TaskUpdate, is_todo_call, told_in
from memory_assets.extraction.todos import Todo, todos_of
from memory_assets.extraction.windows import Window, shown_text
from memory_assets.sessions.model import Message
from memory_assets.tasks.naming import task_title
from memory_assets.text.sentences import Shape
from memory_assets.vocabulary import EntryType, TaskStatus

CODE_VERSION = "4"

_ANSWER_LENGTH = 160
_MOST_LINES = 300
"""Checkboxes of a window that are tasks whatever their number; of further ones the best sentences are chosen."""
_MOST_HOLDING = 500
"""Sentences of a window that may hold a word by which the sentence that speaks of a task is found."""
_TASK_LINE = re.compile(
    r"^(?:\W{0,3}(?:TODO|FIXME|To-?do)\W{0,2}\s?[:：]|(?:할 ?일|해야 할 일|남은 일)\s?[:：])\s{0,4}(?=\S\S)", re.IGNORECASE
)
_BOXED: dict[Shape, TaskStatus] = {
    "open_box": "pending", "begun_box": "in_progress", "blocked_box": "blocked", "done_box": "done", "dropped_box": "cancelled",
}  # fmt: skip


def extract_window(messages: Sequence[Message], window: Window, rules: Rules | None = None) -> list[ExtractedEntry]:
    """The entries of a window, in the order of their first quotes; the same input gives the same entries.

    Args:
        messages: the whole session; message indexes of the quotes count from its start.
        rules: the package's own when left out.
    """
    rules = rules or built_in_rules()
    scored = score_window(messages, window, rules)
    people_only = is_conversation(messages[window.context_start : window.end])
    selection = Selection(scored, rules, people_only=people_only, opening=window.start == 0)
    entries = [*_answers(messages, window, scored, selection), *_todos(messages, window, scored, selection, rules)]
    choices = _linked(selection.run(), scored)
    _reversals(choices)
    entries.extend(_entry(choice) for choice in choices)
    return sorted(entries, key=lambda entry: entry.evidence[0].message_index)


# -- what is chosen by its words


def _entry(choice: Choice) -> ExtractedEntry:
    main = choice.main
    entry_type = _type(main)
    text = main.spot.sentence.text
    quotes = tuple(Quote(one.spot.message_index, one.spot.sentence.text) for one in choice.sentences)
    entry = ExtractedEntry(entry_type, title_of(text), quotes)
    if entry_type == "decision":
        reason = next((one for one in choice.sentences[1:] if one.entry_type == "insight"), None)
        return replace(entry, reason=reason.spot.sentence.text if reason else None)
    if entry_type != "task":
        return entry
    said = main.status
    report = next((one for one in choice.same[:1] if one.reports), choice.outcome)
    status: TaskStatus = said or "pending"
    if report is not None and (said is None or (main.spot.voice == "user" and said in ("pending", "in_progress"))):
        status = "done"
    blocked_by = blockers_in(text) if status == "blocked" else ()
    steps = [StatusAt(said, main.spot.message_index)] if said else []
    if report is not None and steps and report.spot.message_index > main.spot.message_index:
        steps.append(StatusAt(status, report.spot.message_index))
    return replace(entry, status=status, priority=main.priority, blocked_by=blocked_by, history=changes(steps))


def _type(main: Scored) -> EntryType:
    """What its phrases say; a person's sentence without one decides, an agent's tells what is so.

    An order in a document that a person pastes is a rule of that document, not a task of this session.
    """
    if main.spot.voice != "user":
        return main.entry_type or "fact"
    boxed = main.spot.sentence.shape in _BOXED
    if main.entry_type == "task" and not boxed and len(main.spot.message.text) >= OWN_WORDS:
        return "preference"
    return main.entry_type or "decision"


# -- what belongs together


def _linked(choices: list[Choice], scored: Sequence[Scored]) -> list[Choice]:
    """Requests with their outcomes and causes with their fixes; an outcome that is cited is no entry of its own."""
    reports: dict[int, list[Scored]] = {}
    for one in scored:
        if one.score > _REPORT and one.reports:
            reports.setdefault(one.turn, []).append(one)
    last: dict[int, list[Scored]] = {}
    for one in scored:
        if one.spot.voice == "closing":
            last.setdefault(one.turn, []).append(one)
    kept = list(choices)
    requests = Counter(choice.main.turn for choice in choices if _asks(choice.main))
    for choice in choices:
        main = choice.main
        asked = _asks(main)
        caused = main.spot.voice == "working" and main.entry_type == "insight"
        found = _reports(main, reports.get(main.turn, []), only_request=asked and requests[main.turn] == 1)
        report = max(found, key=lambda one: _fit(main, one), default=None)
        if report is None and asked and main.status != "blocked":
            # No report that weighs as one, but the agent's last word in that turn says that it is done.
            done = _reports(main, last.get(main.turn, []), only_request=requests[main.turn] == 1)
            choice.outcome = max((one for one in done if one.tells_done), key=lambda one: _fit(main, one), default=None)
        if report is None or not (asked or caused):
            continue
        reports[main.turn].remove(report)
        if all(one is not report for one in choice.sentences):
            choice.same.insert(0, report)
            kept = [other for other in kept if other.main is not report]
    return kept


def _reversals(choices: Sequence[Choice]) -> None:
    """A decision that takes an earlier one back quotes it: the one with which it shares most words."""
    decided: list[Scored] = []
    for choice in choices:
        main = choice.main
        if main.has(REVERSAL):
            shared = [(len(main.spot.words & one.spot.words), number) for number, one in enumerate(decided)]
            count, number = max(shared, default=(0, 0))
            if count >= 1:
                choice.same.insert(0, decided[number])
        if main.entry_type in ("decision", "preference"):
            decided.append(main)


_REPORT = -6.0
"""How far below what an entry needs a report may be and still be cited."""


def _asks(main: Scored) -> bool:
    """Whether the sentence is a request in a person's own words."""
    return main.spot.voice == "user" and main.entry_type == "task" and len(main.spot.message.text) < OWN_WORDS


def _reports(main: Scored, reports: Sequence[Scored], *, only_request: bool) -> list[Scored]:
    """The sentences that may say what became of it: they share a word with it, unless nothing else was asked for."""
    later = [one for one in reports if one.spot.message_index > main.spot.message_index]
    if only_request:
        return [one for one in later if one.spot.voice == "closing"] or later
    return [one for one in later if main.spot.words & one.spot.words]


def _fit(main: Scored, report: Scored) -> tuple[int, float, int, int]:
    """How well a report suits: by the words that it shares, then by its score; the first of equals."""
    shared = len(main.spot.words & report.spot.words)
    return shared, report.score, -report.spot.message_index, -report.spot.position


# -- answers to a question that listed options


def _answers(
    messages: Sequence[Message], window: Window, scored: Sequence[Scored], selection: Selection
) -> list[ExtractedEntry]:
    entries: list[ExtractedEntry] = []
    said: dict[int, list[Scored]] = {}
    for one in scored:
        said.setdefault(one.spot.message_index, []).append(one)
    asked: int | None = None
    for index in range(window.context_start, window.end):
        message = messages[index]
        if not is_said(message):
            continue
        if message.role == "assistant":
            asked = index
        elif asked is not None and window.owns(index):
            options = options_of(messages[asked].text)
            taken = chosen(message.text, options) if options else []
            if taken:
                takes = _taking(said.get(index, []), taken, options)
                answer = takes.spot.sentence.text if takes is not None else _first_line(message.text)
                quotes = (Quote(index, answer), *(Quote(asked, option.text) for option in taken))
                entries.append(ExtractedEntry("decision", title_of(taken[0].text), quotes[:QUOTED_SENTENCES]))
                if takes is not None:
                    selection.use(takes)
            asked = None
    return entries


def _taking(said: Sequence[Scored], taken: list[Option], options: list[Option]) -> Scored | None:
    """The sentence of an answer that takes the options, when one does alone ("Not 1. Use 2."); else its first."""
    alone = (one for one in said if chosen(one.spot.sentence.text, options) == taken)
    return next(alone, said[0] if said else None)


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0].strip()[:_ANSWER_LENGTH]


# -- the items of lists: of a todo tool, and of people's and agents' own


def unknown_statuses(messages: Sequence[Message], window: Window) -> Counter[str]:
    """Words for a status that a todo tool was told and nobody knows, with how often; their tasks stay as they were."""
    told = (one for index in _calls(messages, window) for one in told_in(messages[index]))
    return Counter(one.unknown for one in told if one.unknown is not None)


def _todos(
    messages: Sequence[Message], window: Window, scored: Sequence[Scored], selection: Selection, rules: Rules
) -> list[ExtractedEntry]:
    told = [(index, one) for index in _calls(messages, window) for one in told_in(messages[index])]
    lines = ((one, line) for one in scored if (line := _listed(one, rules)) is not None)
    for one, line in islice(lines, _MOST_LINES):
        told.append((one.spot.message_index, line))
        selection.use(one)
    told.sort(key=lambda pair: pair[0])
    holding: dict[str, list[int]] = {}
    for number, one in enumerate(scored if told else ()):
        for word in one.spot.words:
            holding.setdefault(word, []).append(number)
    return [_todo_entry(todo, scored, holding, selection) for todo in todos_of(told, dict(window.numbered))]


def _calls(messages: Sequence[Message], window: Window) -> list[int]:
    return [i for i in range(window.start, window.end) if is_todo_call(messages[i]) and shown_text(messages[i])]


def _listed(one: Scored, rules: Rules) -> TaskUpdate | None:
    """The task of a checkbox or of a line that is called one; what a person pastes is a document, not a list of tasks."""
    sentence = one.spot.sentence
    marked = _TASK_LINE.match(sentence.text)
    box = _BOXED.get(sentence.shape)
    if box is None and marked is None:
        return None
    if one.spot.voice == "user" and len(one.spot.message.text) > rules.limits["pasted_length"]:
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


def _todo_entry(
    todo: Todo, scored: Sequence[Scored], holding: Mapping[str, Sequence[int]], selection: Selection
) -> ExtractedEntry:
    """The task of a list, with the sentence that has most of its words; ``holding`` says which sentences hold a word."""
    first, *later = todo.quotes
    words = words_of(todo.text)
    # A word that all sentences hold tells none of them.
    shared = Counter(number for word in words if len(held := holding.get(word, ())) <= _MOST_HOLDING for number in held)
    enough = [(-count, -scored[number].score, number) for number, count in shared.items() if 2 * count >= max(3, len(words))]
    number = next((number for _, _, number in sorted(enough) if not selection.is_used(scored[number])), None)
    quotes = [first]
    if number is not None:
        said = scored[number]
        selection.use(said)
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
