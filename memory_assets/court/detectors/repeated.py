"""The same failure again and again: it was tried once more without another idea of what it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from memory_assets.court.case import Case
from memory_assets.court.detectors.causes import tokens
from memory_assets.court.detectors.speech import Language
from memory_assets.court.detectors.traffic import Step, quoted
from memory_assets.court.detectors.wording import cut, key_of, on_one_line, same_word
from memory_assets.court.findings import Finding, Quoted
from memory_assets.sessions.fix_words import names_cause
from memory_assets.text.sentences import sentences

_FROM: Final = 3
"""Times from which a failure is one that is repeated."""
_WITH_DIGITS = re.compile(r"\S*[0-9#]\S*")
"""What another run has another of: an id, a place, a time."""
_BEHIND: Final = 30
"""Events behind the last time in which its cause may be told."""


def repeated_failures(case: Case, steps: Sequence[Step], language: Language) -> Iterator[Finding]:
    """The failures that came at least three times without an end between them."""
    runs: dict[str, list[Step]] = {}
    ended_by: dict[str, set[str]] = {}  # the runs that a success of a program, or of a tool, ends
    for step in steps:
        if step.outcome == "failed" and step.error is not None and (tag := _WITH_DIGITS.sub("#", step.error.tag)):
            name = f"{min((one.split()[0] for one in step.programs), default='')} {tag} {_about(step)}"
            runs.setdefault(name, []).append(step)
            for what in _what_ran(step):
                ended_by.setdefault(what, set()).add(name)
        elif step.outcome == "worked":
            for what in _what_ran(step):
                for name in ended_by.pop(what, ()):
                    if len(runs.get(name, ())) < _FROM:
                        runs.pop(name, None)
    for run in runs.values():
        if len(run) >= _FROM:
            yield _finding(case, run, language)


def _about(step: Step) -> str:
    """What a tool was asked for, where its error does not say: to guess three files is not to try one thing three times."""
    if step.command is not None or (step.error is not None and "/" in step.error.text):
        return ""
    return " ".join(sorted(token for token in tokens(step.text) if "." in token or "/" in token)[:3])


def _what_ran(step: Step) -> Iterable[str]:
    """The programs of a call, or its tool: the same that ran well ends what it failed with."""
    return step.programs or (f"tool {step.tool}",)


def _finding(case: Case, run: Sequence[Step], language: Language) -> Finding:
    first, last = run[0], run[-1]
    error = on_one_line(first.error.text if first.error else "")
    call = cut(on_one_line(first.command or first.tool), 80)
    cause = _cause(case, last)
    evidence = [first.quoted_error(), last.quoted_error(), cause]
    why = on_one_line(cause.quote) if cause else ""
    if language == "ko":
        title = f"같은 실패 {len(run)}번: {cut(error, 80)}"
        rule = f'`{call}`: "{cut(error, 160)}"(으)로 두 번 실패하면 원인을 먼저 찾는다.'
        rule += f" {cut(why, 200)}" if why else ""
        trigger = f'"{cut(error, 120)}"'
    else:
        title = f"The same failure {len(run)} times: {cut(error, 80)}"
        rule = f'`{call}`: look for the cause after the second "{cut(error, 160)}".'
        rule += f" {cut(why, 200)}" if why else ""
        trigger = f'"{cut(error, 120)}"'
    return Finding(
        kind="repeated_failure",
        role="coder",
        polarity="dont",
        severity="medium",
        title=cut(title, 120),
        rule=rule,
        trigger=trigger,
        key=key_of(f"{same_word(first.programs, first.tool)} {first.error.tag if first.error else ''}"),
        evidence=tuple(dict.fromkeys(one for one in evidence if one is not None)),
        confidence=0.6 + 0.1 * (cause is not None),
    )


def _cause(case: Case, last: Step) -> Quoted | None:
    """The sentence behind the last time that says what it was."""
    start = last.result.place + 1 if last.result else last.call.place + 1
    for event in case.events[start : start + _BEHIND]:
        if event.message.kind == "said" and not event.message.sidechain and event.actor in ("ai", "human"):
            for one in sentences(event.message.text[:2_000]):
                if len(one.text) >= 20 and names_cause(one.text):
                    return quoted(event, one.start, one.end, "remedy")
    return None
