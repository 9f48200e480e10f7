"""Calls that a person refused, with the reason that the person gave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from memory_assets.court.case import Case
from memory_assets.court.detectors.corrections import answer_to
from memory_assets.court.detectors.cues import cue
from memory_assets.court.detectors.orders import is_order, tells_habit
from memory_assets.court.detectors.speech import Language, Typed
from memory_assets.court.detectors.traffic import Step
from memory_assets.court.detectors.turns import Turn, turns_of
from memory_assets.court.detectors.wording import cut, key_of, on_one_line, same_word
from memory_assets.court.findings import Finding, Quoted, Severity
from memory_assets.court.telling import Words, literals
from memory_assets.extraction.completeness import asks_to_know
from memory_assets.extraction.sentence_context import words_of
from memory_assets.text.sentences import Sentence

_PLANS = frozenset(("exitplanmode", "enterplanmode"))
"""Tools by which an agent shows a plan."""
_QUESTIONS = frozenset(("askuserquestion", "ask_user", "request_user_input"))
"""Tools by which an agent asks: who refuses them answers in other words, and this answer holds for the question alone."""
_LOOKS = frozenset(("read", "grep", "glob", "ls", "read_file", "list_directory"))
"""Tools that only look at files here: who refuses them without a word wants something else now."""
_OF_THIS_CALL: Final = 0.4
"""How sure a refusal is that holds for the one call: it is claimed, and no policy that ships makes a lesson of it."""
_DOUBTED: Final = 0.6
"""How sure one is whose words ask, and the agent says that they ask with reason."""
_BEFORE: Final = 3
"""Events before a refused call that belong to it: what the agent says it is about, and a plan that it has written."""
_SHOWN: Final = 4_000
_LEAST_WORDS: Final = 2
"""Of a sentence that says something of what it names: a name alone was pasted."""


def refusing_messages(case: Case, steps: Sequence[Step], said: Sequence[Typed]) -> dict[int, Typed]:
    """Of each refused call, by its place, what the person typed instead."""
    found: dict[int, Typed] = {}
    for step in steps:
        if step.outcome != "refused" or step.result is None:
            continue
        reason = next((message for message in said if message.place > step.result.place), None)
        if reason is not None and not _agent_acts(case, step.result.place, reason.place):
            found[step.call.place] = reason
    return found


def refused_calls(
    case: Case, steps: Sequence[Step], said: Sequence[Typed], reasons: dict[int, Typed], language: Language
) -> Iterator[Finding]:
    """The refused calls: each with how sure it is that something is learned from it for another day."""
    told: set[int] = set()
    for step in steps:
        if step.outcome != "refused":
            continue
        reason = reasons.get(step.call.place)
        if reason is not None and reason.place in told:
            continue  # several calls of one turn are refused at once
        dangerous = cue("call", "dangerous").search(step.command or "") is not None
        tool, is_told = step.tool.lower(), reason is not None and bool(reason.said)
        if tool in _QUESTIONS or (not is_told and tool in _PLANS | _LOOKS):
            continue  # a plan that is not taken up is as often one that is carried out in another session
        if reason is not None:
            told.add(reason.place)
            if reason.said and not _why(reason):
                continue  # the person lets it go on after all
        sure = _confidence(case, step, reason, dangerous=dangerous)
        answer = None
        if sure == _OF_THIS_CALL and reason is not None and (doubt := _doubt(turns_of(case, steps, said), reason)) is not None:
            sure, answer = _DOUBTED, answer_to(doubt, words_of(doubt.message.plain))
        yield _finding(step, reason, language, sure, answer, dangerous=dangerous)


def _why(reason: Typed) -> list[Sentence]:
    """What of the person's words says why a call was refused: a yes is no reason."""
    return [sentence for sentence in reason.said if cue("refusal", "approves").search(reason.plain_of(sentence)) is None]


def _confidence(case: Case, step: Step, reason: Typed | None, *, dangerous: bool) -> float:
    """How sure it is that a refusal holds for another day.

    A person wants to be asked before a dangerous call. Any other is turned down for what is asked or wanted just now, unless
    the person states something of it: where a refusal is given its reason, or by the name of what the agent was about.
    """
    stated = [one for one in _why(reason) if _states(reason.plain_of(one))] if reason is not None else []
    if dangerous:
        return 0.8 if reason is not None and _why(reason) else 0.5
    if reason is None or not stated:
        return _OF_THIS_CALL
    is_given_with_it = step.result is not None and reason.event.message.text.strip() in step.result.message.text
    orders = any(_orders(reason.plain_of(one)) for one in stated)
    holds = is_given_with_it or orders or _speaks_of(case, step, [one.text for one in stated])
    return 0.8 if holds else _OF_THIS_CALL


def _doubt(turns: Iterable[Turn], reason: Typed) -> Turn | None:
    """What the person asked in the place of a reason, where the agent says that the doubt was right."""
    asked = (turn for turn in turns if turn.message.place == reason.place)
    return next((turn for turn in asked if turn.concession == "said"), None)


def _orders(text: str) -> bool:
    """Whether a sentence is an order for later calls too: what is done always, how we do it, what is not to be done."""
    return is_order(text) or tells_habit(text) or cue("order", "dont").search(text) is not None


def _states(text: str) -> bool:
    """Whether a sentence says how something is or has to be, and does not ask, or tell what the person is doing."""
    is_just_now = cue("refusal", "just_now").search(text) and not cue("order", "dont").search(text)
    is_told = len([word for word in text.split() if any(map(str.isalpha, word)) and not literals(word)]) >= _LEAST_WORDS
    return is_told and not text.rstrip().endswith(("?", "？")) and not is_just_now and not asks_to_know(text)


def _speaks_of(case: Case, step: Step, telling: Sequence[str]) -> bool:
    """Whether sentences name a file or another literal of the refused call, or of what the agent showed right before it."""
    shown = [one.message.text[:_SHOWN] for one in case.events[max(0, step.call.place - _BEFORE) : step.call.place + 1]]
    said = Words(shown)
    return any(said.say(name) for text in telling for name in literals(text))


def _agent_acts(case: Case, start: int, end: int) -> bool:
    return any(event.actor == "ai" and not event.message.sidechain for event in case.events[start + 1 : end])


def _finding(
    step: Step, reason: Typed | None, language: Language, confidence: float, answer: Quoted | None, *, dangerous: bool
) -> Finding:
    call = cut(on_one_line(step.command or f"{step.tool} {', '.join(step.files) or step.text}"), 160)
    words = _why(reason)[:3] if reason else []
    why = on_one_line(" ".join(sentence.text for sentence in words))
    evidence: list[Quoted] = [step.quoted_call("failure")]
    if reason is not None:
        evidence += [reason.quoted(sentence.start, sentence.end, "remedy") for sentence in words]
    elif step.result is not None:
        line = step.result.message.text.split("\n", 1)[0][:200]
        evidence.append(Quoted("cause", step.result.place, 0, len(line), line))
    if answer is not None:
        evidence.append(answer)
        why = f"{why} → {cut(on_one_line(answer.quote), 160)}"
    if language == "ko":
        title = f"거부됨: {cut(call, 60)} — {why}" if why else f"거부됨: {call}"
        rule = f"{cut(why, 300)} (거부된 호출: `{call}`)" if why else f"`{call}`: 실행하기 전에 먼저 묻는다."
        trigger = f"`{cut(call, 80)}`"
    else:
        title = f"Refused: {cut(call, 60)} — {why}" if why else f"Refused: {call}"
        rule = f"{cut(why, 300)} (refused: `{call}`)" if why else f"Ask before `{call}`."
        trigger = f"`{cut(call, 80)}`"
    severity: Severity = "high" if dangerous else "medium"
    return Finding(
        kind="refused_call",
        role="planner" if step.tool.lower() in _PLANS else "coder",
        polarity="dont",
        severity=severity,
        title=cut(title, 120),
        rule=rule,
        trigger=trigger,
        key=key_of(f"{same_word(step.programs, step.tool)} {why}"),
        evidence=tuple(evidence),
        confidence=confidence,
    )
