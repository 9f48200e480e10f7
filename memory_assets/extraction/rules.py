"""The embedded extractor: deterministic, without a model, Korean and English alike (requirement G-50).

Each sentence that a person or an agent said collects the weights of the phrases it holds and of the places it stands in
(``rules.toml``). The best sentences of a window become entries, each with the neighbours that say most beside it and with
what says the same elsewhere. A request is quoted with the sentence in which the agent reports its outcome, the cause of an
error with its fix, an answer with the option that it takes; the items of a todo tool are tasks. It quotes like any
extractor: what it proposes goes through the same aligner.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from memory_assets.extraction.cues import Rules, built_in_rules
from memory_assets.extraction.options import Option, chosen, options_of
from memory_assets.extraction.places import OWN_WORDS, words_of
from memory_assets.extraction.schema import EntryType, ExtractedEntry, Quote
from memory_assets.extraction.scoring import Scored, is_conversation, is_said, score_window
from memory_assets.extraction.selection import QUOTED_SENTENCES, REVERSAL, Choice, Selection
from memory_assets.extraction.titles import title_of
from memory_assets.extraction.todos import Todo, is_todo_call, todos_of
from memory_assets.extraction.windows import Window, shown_text
from memory_assets.sessions.model import Message

CODE_VERSION = "3"

_ANSWER_LENGTH = 160
_BLOCKER = re.compile(
    r"\b(?:blocked (?:on|by|until)|waiting (?:for|on)|stuck on)\s+(?P<after>[^.;,\n]{3,120})"
    r"|(?P<before>[^.;,\n]{2,80}?)(?:에 막혀|에 막혔|(?:을|를) 기다리|(?:이|가) 끝나야|때문에 막)",
    re.IGNORECASE,
)


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
    entries = [*_answers(messages, window, scored, selection), *_todos(messages, window, scored, selection)]
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
    done = any(one.status == "done" and one.spot.voice != "user" for one in choice.same[:1])
    status = main.status or ("done" if done else None)
    if main.spot.voice == "user" and done and status in ("pending", "in_progress"):
        status = "done"
    blocked_by = tuple(_blockers(text))
    return replace(
        entry,
        status="blocked" if blocked_by and status != "done" else status or "pending",
        priority=main.priority,
        blocked_by=blocked_by,
    )


def _type(main: Scored) -> EntryType:
    """What its phrases say; a person's sentence without one decides, an agent's tells what is so.

    An order in a document that a person pastes is a rule of that document, not a task of this session.
    """
    if main.spot.voice != "user":
        return main.entry_type or "fact"
    boxed = main.spot.sentence.shape in ("open_box", "done_box")
    if main.entry_type == "task" and not boxed and len(main.spot.message.text) >= OWN_WORDS:
        return "preference"
    return main.entry_type or "decision"


def _blockers(text: str) -> list[str]:
    """What a sentence says a task waits for, in the sentence's own words."""
    found = ((match.group("after") or match.group("before") or "").strip() for match in _BLOCKER.finditer(text))
    return [blocker for blocker in found if blocker]


# -- what belongs together


def _linked(choices: list[Choice], scored: Sequence[Scored]) -> list[Choice]:
    """Requests with their outcomes and causes with their fixes; an outcome that is cited is no entry of its own."""
    reports: dict[int, list[Scored]] = {}
    for one in scored:
        if one.spot.voice != "user" and one.status == "done" and one.score > _REPORT:
            reports.setdefault(one.turn, []).append(one)
    kept = list(choices)
    requests = Counter(choice.main.turn for choice in choices if _asks(choice.main))
    for choice in choices:
        main = choice.main
        asked = _asks(main)
        caused = main.spot.voice == "working" and main.entry_type == "insight"
        found = _reports(main, reports.get(main.turn, []), only_request=asked and requests[main.turn] == 1)
        report = max(found, key=lambda one: _fit(main, one), default=None)
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


# -- the items of a todo tool


def _todos(messages: Sequence[Message], window: Window, scored: Sequence[Scored], selection: Selection) -> list[ExtractedEntry]:
    calls = [i for i in range(window.start, window.end) if is_todo_call(messages[i]) and shown_text(messages[i])]
    return [_todo_entry(todo, scored, selection) for todo in todos_of(messages, calls, numbered=window.start == 0)]


def _todo_entry(todo: Todo, scored: Sequence[Scored], selection: Selection) -> ExtractedEntry:
    quotes = [Quote(todo.message_index, todo.quote)]
    words = words_of(todo.text)
    said = max(
        (one for one in scored if 2 * len(words & one.spot.words) >= max(3, len(words)) and not selection.is_used(one)),
        key=lambda one: (len(words & one.spot.words), one.score, -one.spot.message_index, -one.spot.position),
        default=None,
    )
    if said is not None:
        selection.use(said)
        quotes.append(Quote(said.spot.message_index, said.spot.sentence.text))
    return ExtractedEntry("task", title_of(todo.text), tuple(quotes), status=todo.status, priority=todo.priority)
