"""What a case leaves open: a call of which no result is known, and a question that nobody answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from memory_assets.court.case import Case
from memory_assets.court.detectors.cues import cue
from memory_assets.court.detectors.speech import Language, Typed
from memory_assets.court.detectors.traffic import Step, quoted
from memory_assets.court.detectors.wording import cut, key_of, on_one_line, same_word
from memory_assets.court.findings import Finding, Quoted
from memory_assets.extraction.completeness import asks_to_know
from memory_assets.extraction.sentence_context import words_of
from memory_assets.text.sentences import Sentence, sentences

_READ: Final = 4_000
_ANSWERED: Final = 1
"""Telling words that a reply shares with the question that it answers."""
_SHORT_REPLY: Final = 60
"""Characters of a reply that answers whatever was asked last."""


def missing_results(case: Case, steps: Sequence[Step], language: Language) -> Iterator[Finding]:
    """Calls behind which the case goes on without their result, each tool once."""
    if not any(step.result is not None for step in steps):
        return  # the format tells no results
    told: set[str] = set()
    for step in steps:
        name = same_word(step.programs, step.tool)
        if step.outcome == "missing" and name not in told and _goes_on(case, step):
            told.add(name)
            yield _missing(step, name, language)


def unanswered_questions(case: Case, said: Sequence[Typed], language: Language) -> Iterator[Finding]:
    """What the agent asked and the person passed over, and what the person asked and the agent passed over."""
    for message in said:
        behind = said[message.order + 1].place if message.order + 1 < len(said) else len(case.events)
        question = _asked_by_person(message)
        if question is not None and not _agent_speaks(case, message.place, behind) and behind > message.place + 1:
            yield _unanswered(message.quoted(question.start, question.end, "question"), "coder", language)
    for message in said[1:]:
        asked = _asked_by_agent(case, message)
        if asked is not None and not _answers(message, asked.quote):
            yield _unanswered(asked, "user", language)


def _goes_on(case: Case, step: Step) -> bool:
    """Whether the agent goes on behind a call, and nobody stopped it."""
    behind = [event for event in case.events[step.call.place + 1 :] if not event.message.sidechain]
    if any(event.message.kind == "injected" and event.message.text.startswith("[Request interrupted") for event in behind[:4]):
        return False
    return any(event.actor == "ai" and event.message.kind == "said" for event in behind)


def _asked_by_person(message: Typed) -> Sentence | None:
    asked = [one for one in message.said if message.plain_of(one).rstrip().endswith(("?", "？"))]
    return next((one for one in asked if asks_to_know(message.plain_of(one))), None)


def _agent_speaks(case: Case, start: int, end: int) -> bool:
    return any(event.actor == "ai" and event.message.kind == "said" for event in case.events[start + 1 : end])


def _asked_by_agent(case: Case, message: Typed) -> Quoted | None:
    """The question with which the agent ends its words right before a message."""
    event = next((one for one in reversed(case.events[: message.place]) if one.message.kind in ("said", "tool_result")), None)
    if event is None or event.actor != "ai" or not event.message.text.rstrip().endswith(("?", "？")):
        return None
    text = event.message.text
    told = sentences(text[-_READ:])
    if not told:
        return None
    shift = max(0, len(text) - _READ)
    last = told[-1]
    if (
        not last.text.rstrip().endswith(("?", "？"))
        or cue("question", "offers").search(last.text)
        or not cue("question", "asks_person").search(last.text)
    ):
        return None
    return quoted(event, last.start + shift, last.end + shift, "question")


def _answers(message: Typed, question: str) -> bool:
    text = message.event.message.text.strip()
    if len(text) <= _SHORT_REPLY and not text.endswith("?"):
        return True
    return len(words_of(text) & words_of(question)) >= _ANSWERED


def _missing(step: Step, name: str, language: Language) -> Finding:
    call = cut(on_one_line(step.command or f"{step.tool} {step.text}"), 120)
    if language == "ko":
        title, rule = (
            f"결과가 없는 호출: {cut(call, 80)}",
            f"`{call}`의 결과가 기록에 없다: 그 결과에 기대기 전에 다시 확인한다.",
        )
    else:
        title, rule = f"No result of {cut(call, 80)}", f"The result of `{call}` is not known: check it before building on it."
    return Finding(
        "missing_result",
        "coder",
        "do",
        "low",
        cut(title, 120),
        rule,
        "",
        key_of(f"{name} result"),
        (step.quoted_call("question"),),
        0.4,
    )


def _unanswered(question: Quoted, role: str, language: Language) -> Finding:
    asked = on_one_line(question.quote)
    if language == "ko":
        title, rule = f"답이 없는 질문: {cut(asked, 100)}", f"이 질문에는 답이 없었다: {cut(asked, 300)}"
    else:
        title, rule = f"Not answered: {cut(asked, 100)}", f"This question was not answered: {cut(asked, 300)}"
    return Finding("unanswered_question", role, "do", "low", cut(title, 120), rule, "", key_of(asked), (question,), 0.4)
