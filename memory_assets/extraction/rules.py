"""The embedded extractor: deterministic, without a model, Korean and English alike.

Each sentence that a person or an agent said collects the weights of the phrases it holds and of the places it stands in
(``rules.toml``). The best sentences of a window become entries, each with the neighbours that say most beside it and with
what says the same elsewhere. A request is quoted with the sentence in which the agent reports its outcome, the cause of an
error with its fix, an answer with the option that it takes; the items of a todo tool are tasks. It quotes like any
extractor: what it proposes goes through the same aligner.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from memory_assets.extraction.blockers import blockers_in
from memory_assets.extraction.completeness import also_orders, belongs_behind, leans_back
from memory_assets.extraction.cues import Rules, built_in_rules
from memory_assets.extraction.decided_lists import listed_as_decided
from memory_assets.extraction.findings import asks_how_it_is
from memory_assets.extraction.listed_tasks import BOXED, ListedTasks
from memory_assets.extraction.numbered_requests import called_by_points
from memory_assets.extraction.open_ends import open_ends
from memory_assets.extraction.outcomes import REPORT_SCORE, Outcome, best_report, only_plans, outcome_of
from memory_assets.extraction.replies import offer_carried_out, replies, takes_offer
from memory_assets.extraction.requests import asks_for_work, is_standing_order, progress_of, request_in, requests_of
from memory_assets.extraction.schema import ExtractedEntry, Quote, StatusAt
from memory_assets.extraction.scoring import Scored, is_conversation, longest_message, score_window, turns_of
from memory_assets.extraction.selection import REVERSAL, Choice, Selection, says_what_of
from memory_assets.extraction.sentence_context import words_of
from memory_assets.extraction.statements import told
from memory_assets.extraction.status_history import changes
from memory_assets.extraction.titles import title_behind, title_of
from memory_assets.extraction.todos import Todo
from memory_assets.extraction.windows import Window
from memory_assets.extraction.withdrawals import withdrawals
from memory_assets.extraction.works import Turns, announces_work, heads, named_before, stands_before, told_with, works_of
from memory_assets.sessions.model import Message
from memory_assets.text.suppositions import opens_supposed
from memory_assets.vocabulary import EntryType, TaskStatus

CODE_VERSION = "18"

_OPEN = re.compile(
    r"\b(?:could|should|would|might|may|if|recommend|propose|suggest|lean|want me|alternative|option|no|not|never|wrong"
    r"|issue|bug|problem|error)\b|n't\b|\bfail|수 있|좋겠|추천|제안|까요|않|없|문제|오류|버그",
    re.IGNORECASE,
)
"""What an agent's sentence holds that says of nothing that it was decided."""
_WAITS = re.compile(r"^\W{0,3}(?:still |now )?waiting (?:for|on)\b|^[^\n]{0,60}기다리(?:는 중|고 있)", re.IGNORECASE)
"""An agent on the way waits for its helpers and tools."""
_CONTEXT = re.compile(
    r"^\W{0,4}(?:\d{1,2}[.)]\s)?(?:the )?"
    r"(?:context|background|motivation|problems?|issues?|overview|current (?:state|behaviou?r)|배경|현황|문제점?|개요)\W{0,3}$",
    re.IGNORECASE,
)
"""The heading under which a plan tells how things are."""


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
    requests = requests_of(scored)
    entries = list(replies(messages, window, scored, selection))
    selection.answer(quote for entry in entries for quote in entry.evidence[1:])
    listed = ListedTasks(messages, window, scored, selection, rules)
    turns = turns_of(messages, window)
    steps = _steps_by_turn(listed.called, turns)
    later = {} if people_only else _require_requests(messages, requests, selection, steps, scored, window)
    for item in () if people_only else listed_as_decided(scored):
        selection.require_decided(item)
    selection.require_standing([] if people_only else [one for one in scored if is_standing_order(one)])
    by_number = {point.message_index for point in window.points}
    for one, left_open in () if people_only else open_ends(scored, is_cut=window.is_cut, by_number=by_number):
        if not selection.is_used(one):
            selection.use(one)
            entries.append(left_open)
    entries += _carried_on(messages, window, rules, steps, scored)
    entries += [listed.entry(todo) for todo in (*listed.written, *chain.from_iterable(steps.values()))]
    goes_on = max(turns.values(), default=0) if window.is_cut else None
    choices = _linked(selection.run(), scored, goes_on, later)
    _reversals(choices)
    kept = [choice for choice in choices if not _only_needs(choice)]
    entries = list(called_by_points([*_asked_by_replies(entries, kept, later, turns, scored)], window.points, scored))
    return sorted(entries, key=lambda entry: entry.evidence[0].message_index)


# -- what is chosen by its words


def _entry(choice: Choice) -> ExtractedEntry:
    main = choice.main
    entry_type: EntryType = "task" if choice.is_request else "decision" if choice.is_listed else _type(main)
    text = main.spot.sentence.text
    report = next((one for one in choice.same[:1] if one.reports), next(iter(choice.outcome), None))
    if entry_type == "decision" and main.spot.voice == "user" and asks_how_it_is(text):
        entry_type = "insight" if report is None else "task"  # what was done of it answers it
    progress = progress_of(choice.steps)
    said_in = (Quote(one.spot.message_index, one.spot.sentence.text) for one in choice.sentences)
    quotes = tuple(dict.fromkeys((*said_in, *progress.quotes)))
    entry = ExtractedEntry(entry_type, _title(choice, may_cut=entry_type != "task"), quotes)
    if entry_type == "decision":
        reason = next((one for one in choice.sentences[1:] if one.entry_type == "insight"), None)
        return replace(entry, reason=reason.spot.sentence.text if reason else None)
    if entry_type != "task":
        return entry
    said = main.status
    status: TaskStatus = said or "pending"
    if choice.is_request:
        said = "pending" if main.spot.in_plan or choice.steps else said or "pending"
    is_open = progress.leaves_open(report) or choice.is_left_open
    if (
        report is not None
        and not is_open
        and (said is None or ((choice.is_request or main.spot.voice == "user") and said in ("pending", "in_progress")))
    ):
        status = "done"
    blocked_by = blockers_in(text) if status == "blocked" else ()
    steps = [StatusAt(said, main.spot.message_index)] if said else []
    steps += progress.history
    if report is not None and steps and report.spot.message_index > main.spot.message_index and not is_open:
        steps.append(StatusAt(status, report.spot.message_index))
    if choice.withdrawn is not None and status != "done":
        steps.append(StatusAt("cancelled", choice.withdrawn.spot.message_index))
    if steps:
        status = steps[-1].status
    return replace(entry, status=status, priority=main.priority, blocked_by=blocked_by, history=changes(steps))


def _asked_by_replies(
    entries: Sequence[ExtractedEntry],
    choices: Sequence[Choice],
    later: Mapping[int, Sequence[int]],
    turns: Mapping[int, int],
    scored: Sequence[Scored],
) -> Iterator[ExtractedEntry]:
    """The entries of the choices, and those before.

    Who says yes to an offer asks for it, and decides nothing more: the words are quoted by the request that they go on with, or
    are one themselves.
    """
    decided = {entry.evidence[0]: entry for entry in entries if entry.entry_type == "decision"}
    begun = {turn: first for first, others in later.items() for turn in others}
    asked = [(_named(_entry(choice), decided), choice) for choice in choices]
    requests = {choice.main.turn for _, choice in asked if choice.is_request}
    asked_words = {choice.main.turn: choice.main.spot.words for _, choice in asked if choice.is_request}
    of_work: dict[int, list[Quote]] = {}
    own = {entry.evidence[0] for entry, _ in asked if entry.entry_type == "task"}
    for entry in entries:
        turn = turns[entry.evidence[0].message_index]
        offered = words_of(" ".join(quote.quote for quote in entry.evidence))
        first = begun.get(turn, turn if offered & asked_words.get(turn, frozenset()) else None)
        if takes_offer(entry) and first in requests:
            of_work.setdefault(first, []).extend(entry.evidence[:2])
        elif not (takes_offer(entry) and entry.evidence[0] in own):
            yield offer_carried_out(entry, (one for one in scored if one.turn == turn)) or entry
    for entry, choice in asked:
        agreed = of_work.get(choice.main.turn, []) if choice.is_request else []
        yield replace(entry, evidence=tuple(dict.fromkeys((*entry.evidence, *agreed))))


def _only_needs(choice: Choice) -> bool:
    """Whether an agent says on the way that something is needed or awaited: what it leaves open at the end is a task
    (``open_ends``)."""
    main = choice.main
    is_listed = main.spot.sentence.shape in BOXED
    waits = main.spot.voice == "working" and _WAITS.match(main.spot.sentence.text) is not None
    return not (choice.is_request or is_listed or main.spot.voice == "user") and (
        main.entry_type == "task" and (waits or main.status in (None, "pending"))
    )


def _named(entry: ExtractedEntry, decided: Mapping[Quote, ExtractedEntry]) -> ExtractedEntry:
    """A task that a reply asks for ("2번으로 해줘") is called by what the reply takes, and quotes it."""
    reply, *rest = entry.evidence
    decision = decided.get(reply)
    if entry.entry_type != "task" or decision is None:
        return entry
    quotes = dict.fromkeys((reply, *decision.evidence[1:2], *rest))
    return replace(entry, title=decision.title, evidence=tuple(quotes))


def _title(choice: Choice, *, may_cut: bool) -> str:
    """The sentence, behind the one that names what it points back at, or what an order is about, where both fit on a line."""
    main = choice.main
    before = next((one for one in choice.near[:1] if stands_before(one, main)), None)
    if before is None:
        return title_of(main.spot.sentence.text)
    leans = (
        heads(before, main) or leans_back(main)
        if choice.is_request
        else belongs_behind(main.spot.sentence.text) or says_what_of(main, before)
    )
    return _title_behind(before if leans else None, main, may_cut=may_cut)


def _title_behind(before: Scored | None, main: Scored, *, may_cut: bool = False) -> str:
    text = main.spot.sentence.text
    if before is None or (before.spot.sentence.shape == "heading" and not heads(before, main)):
        return title_of(text)
    return title_behind(before.spot.sentence.text, text, may_cut=may_cut)


def _type(main: Scored) -> EntryType:
    """What its phrases and places say; a person's sentence without one decides, or tells how something is; an agent's does.

    What an agent only proposes, supposes or finds wanting is no decision: the person's reply decides (``replies``).

    Preferences and tasks of this session come from words that the person typed: what a plan orders is decided with it, what
    another document orders is so in that document.
    """
    if main.spot.voice != "user":
        text, said = main.spot.sentence.text, main.spot.message.text
        proposes = main.entry_type == "decision" and (_OPEN.search(text) is not None or only_plans(said))
        return "insight" if proposes else main.entry_type or "fact"
    if main.entry_type == "task" and opens_supposed(main.spot.sentence.text) and not also_orders(main.spot.sentence.text):
        return "fact"
    if main.spot.origin == "typed" or main.spot.sentence.shape in BOXED:
        return main.entry_type or told(main.spot.sentence.text)
    if main.entry_type in ("task", "preference", None):
        return "decision" if main.spot.in_plan and _CONTEXT.match(main.spot.sentence.heading) is None else "fact"
    return main.entry_type


# -- what belongs together


def _linked(
    choices: list[Choice], scored: Sequence[Scored], goes_on: int | None, later: Mapping[int, Sequence[int]]
) -> list[Choice]:
    """Requests with their outcomes and causes with their fixes; an outcome that is cited is no entry of its own.

    Args:
        goes_on: the turn that goes on in the next window, which tells what becomes of its request (``_carried_on``).
        later: of a request's turn those in which the work on it goes on.
    """
    told = Turns(scored)
    kept = list(choices)
    requests = Counter(choice.main.turn for choice in choices if _is_request(choice))
    for choice in choices:
        main = choice.main
        end = max(later.get(main.turn, ()), default=main.turn)
        found = told.reports.get(end, [])
        if _is_request(choice):
            if end == goes_on:
                continue
            only_request = requests[end] == (end == main.turn)
            outcome = told.outcome_of(main, end, only_request=only_request)
            report, choice.outcome, choice.is_left_open = outcome.report, outcome.said, outcome.is_left_open
        elif (main.spot.voice == "working" and main.entry_type == "insight") or _decides(main):
            report = best_report(main, found, only_request=False)
        else:
            continue
        if report is None:
            continue
        found.remove(report)
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


def _decides(main: Scored) -> bool:
    """Whether a person decides in words of their own: what the agent did of it belongs to the decision."""
    return main.spot.origin == "typed" and main.spot.voice == "user" and _type(main) == "decision"


def _is_request(choice: Choice) -> bool:
    """Whether it is a plan that is handed over, or a request in a person's own words."""
    main = choice.main
    return choice.is_request or (main.spot.voice == "user" and main.entry_type == "task" and main.spot.origin == "typed")


# -- requests that are worked off by a list


def _steps_by_turn(called: Iterable[Todo], turns: Mapping[int, int]) -> dict[int, list[Todo]]:
    steps: dict[int, list[Todo]] = {}
    for todo in called:
        steps.setdefault(turns[todo.quotes[0].message_index], []).append(todo)
    return steps


def _require_requests(
    messages: Sequence[Message],
    requests: Mapping[int, Scored],
    selection: Selection,
    steps: dict[int, list[Todo]],
    scored: Sequence[Scored],
    window: Window,
) -> dict[int, list[int]]:
    """What a person asks for is a task of its turn; the items of the turn's list are its steps, and no tasks of their own.

    Returns:
        Of the turns of those requests the ones in which the work on them goes on.
    """
    taken_back = withdrawals(scored)
    found = works_of(
        messages, requests, scored, window, has_steps=steps.keys(), is_bound=selection.is_quoted, taken_back=taken_back
    )
    for work in found:
        turns = (work.request.turn, *work.later)
        beside = [one for one in told_with(work.request, scored) if not selection.is_used(one)]
        withdrawn = taken_back.get(max(turns) + 1)
        selection.require(work.request, [step for turn in turns for step in steps.pop(turn, ())], beside, withdrawn)
    return {work.request.turn: work.later for work in found}


def _carried_on(
    messages: Sequence[Message], window: Window, rules: Rules, steps: dict[int, list[Todo]], scored: Sequence[Scored]
) -> Iterator[ExtractedEntry]:
    """What a window says of the request of a turn that began before it: under its title it becomes one with the rest.

    The window in which the turn ends tells what became of it; those between tell how its list stands.
    """
    if window.asked is None:
        return
    asked = score_window(messages, Window(window.asked, window.asked + 1, window.asked), rules)
    announced = next((one for one in asked if announces_work(one)), None)
    request = request_in(asked) or announced
    if request is None or not (
        request is announced or 0 in steps or asks_for_work(request, math.inf, opens=window.asked_first)
    ):
        return
    # Of a list only what this window names is known.
    progress = replace(progress_of(steps.pop(0, [])), at_last_step=False)
    turn = [one for one in scored if one.turn == 0]
    if window.is_cut and len(turn) == len(scored):
        outcome = Outcome()
    else:
        closing = [one for one in turn if one.spot.voice == "closing"]
        reports = [one for one in turn if one.reports and one.score > REPORT_SCORE]
        asking = sum(one.spot.origin == "typed" and one.entry_type == "task" and one.score >= 0 for one in asked)
        longest = longest_message((one for one in turn if one.spot.voice != "user"), request)
        outcome = outcome_of(request, reports, closing, longest, only_request=asking < 2)
    report = outcome.report or outcome.told
    told = (one for one in (outcome.report, *outcome.said) if one is not None)
    quotes = [*(Quote(one.spot.message_index, one.spot.sentence.text) for one in told), *progress.quotes]
    if not quotes:
        return
    said: TaskStatus = request.status or "pending"
    history = list(progress.history)
    if report is not None and said in ("pending", "in_progress") and not (progress.leaves_open(report) or outcome.is_left_open):
        history.append(StatusAt("done", report.spot.message_index))
    status = history[-1].status if history else said
    title = _title_behind(named_before(request, asked), request)
    yield ExtractedEntry("task", title, tuple(quotes), status=status, history=changes(history))
