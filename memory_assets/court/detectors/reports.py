"""An agent's report that claims more than is known: that something is done right behind its failure, or that all checks pass
though it edited files after the last one and the next one fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from memory_assets.court.case import Case, CaseEvent
from memory_assets.court.detectors.cues import cue
from memory_assets.court.detectors.speech import Language
from memory_assets.court.detectors.traffic import Step, quoted
from memory_assets.court.detectors.wording import cut, key_of, on_one_line, same_word
from memory_assets.court.findings import Finding, Quoted
from memory_assets.text.sentences import Sentence, sentences

_READ: Final = 3_000


def unchecked_reports(case: Case, steps: Sequence[Step], language: Language) -> Iterator[Finding]:
    """The reports of a case that were not checked, each once."""
    number = 0
    for event in case.events:
        while number < len(steps) and steps[number].call.place < event.place:
            number += 1
        if event.actor != "ai" or event.message.kind != "said" or event.message.sidechain or not number:
            continue
        report = _report(event)
        if report is None:
            continue
        evidence = _after_failure(steps[number - 1], event) or _before_failure(steps, number, report)
        if evidence is not None:
            yield _finding(evidence[0], evidence[1], quoted(event, report.start, report.end, "cause"), language)


def _report(event: CaseEvent) -> Sentence | None:
    """The sentence in which the agent reports that something is done, of a message that speaks of no failure."""
    text = event.message.text[:_READ]
    if not cue("report", "done").search(text) or cue("report", "admits").search(text):
        return None
    return next((one for one in sentences(text) if cue("report", "done").search(one.text)), None)


def _after_failure(step: Step, event: CaseEvent) -> tuple[Step, Quoted] | None:
    """The failure right before a report that does not speak of it."""
    if step.result is None or step.result.place > event.place or event.place - step.result.place > 2:
        return None
    if step.outcome == "failed" and (error := step.quoted_error()) is not None:
        return step, error
    unfinished = cue("report", "unfinished").match(step.output)
    if unfinished is None:
        return None
    return step, quoted(step.result, unfinished.start(), unfinished.end(), "failure")


def _before_failure(steps: Sequence[Step], number: int, report: Sentence) -> tuple[Step, Quoted] | None:
    """The check that fails right behind a report that all checks pass, where something was edited after the last one."""
    if not cue("report", "checks_pass").search(report.text):
        return None
    edited = False
    for step in reversed(steps[max(0, number - 30) : number]):
        if _checks(step):
            break
        edited = edited or bool(step.files)
    else:
        return None
    later = next((step for step in steps[number : number + 8] if _checks(step) or step.files), None)
    if not edited or later is None or later.files or later.outcome != "failed":
        return None
    error = later.quoted_error()
    return (later, error) if error is not None else None


def _checks(step: Step) -> bool:
    return step.command is not None and cue("call", "checks").search(step.command) is not None


def _finding(step: Step, failure: Quoted, report: Quoted, language: Language) -> Finding:
    call, said = cut(on_one_line(step.command or step.tool), 100), cut(on_one_line(report.quote), 160)
    error = cut(on_one_line(failure.quote), 120)
    if language == "ko":
        title = f"확인하지 않은 보고: {said}"
        rule = f'`{call}`의 결과("{error}")를 확인하기 전에는 "{said}"라고 보고하지 않는다.'
    else:
        title = f"Reported without a check: {said}"
        rule = f'Do not report "{said}" before the result of `{call}` is known: it was "{error}".'
    return Finding(
        kind="missing_result",
        role="coder",
        polarity="dont",
        severity="medium",
        title=cut(title, 120),
        rule=rule,
        trigger="",
        key=f"{same_word(step.programs, step.tool)} {key_of(report.quote)}",
        evidence=(failure, report),
        confidence=0.5,
    )
