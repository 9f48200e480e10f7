"""A tool failed, and the same tool worked with another input: the lesson is the input.

It is none where something else may be what helped: a file that was edited, something that was installed, started or fetched, a
person who did something, the time that passed. And none where what differs does not explain the error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from memory_assets.court.case import Case
from memory_assets.court.detectors.causes import (
    Change,
    ErrorKind,
    is_on_code,
    kind_of,
    names_change,
    passes_by_itself,
    tokens,
)
from memory_assets.court.detectors.cues import cue
from memory_assets.court.detectors.speech import Language
from memory_assets.court.detectors.traffic import Step, quoted
from memory_assets.court.detectors.wording import cut, key_of, on_one_line, same_word
from memory_assets.court.findings import Finding, Quoted
from memory_assets.sessions.fix_words import names_cause, names_fix
from memory_assets.text.sentences import sentences

_WITHIN: Final = 10
"""Calls behind a failure in which it is tried again with another input."""
_AROUND: Final = 600
"""Characters of a result, around its telling line, that tell of which kind the error is."""

_PROSE_FILE = re.compile(r"\.(?:md|mdx|txt|rst|adoc)\Z", re.IGNORECASE)
_FILTER = re.compile(
    r"\s{0,3}(?:2>&1\s{0,3})?\|\s{0,3}(?:tail|head|grep|rg|cat|tee|less|wc)\b[^|&;\n]{0,120}"
    r"|\s{0,3}2>(?:&1|/dev/null)"
)
_SILENCED = re.compile(r"\|\|\s{0,3}(?:true|:|echo|exit 0)|;\s{0,3}(?:true|echo|exit 0)\b|2>\s{0,3}/dev/null|\|\|")
_LOOKS = frozenset(("read", "glob", "grep", "ls", "list", "view", "cat", "search", "find", "notebookread", "fetch"))
_RUNNERS = frozenset(
    [
        "npx",
        "uv",
        "run",
        "poetry",
        "pipenv",
        "python",
        "python3",
        "bunx",
        "pnpm",
        "yarn",
        "npm",
        "exec",
        "sudo",
        "docker",
        "compose",
    ]
)
_ALIKE: Final = 0.4
_ALMOST: Final = 0.8
_COMPARED: Final = 300
_OF_THE_CALL: Final = ("missing program", "option", "place", "quoting", "name")
"""Kinds of errors that a program has with its call, and not with the code that it looks at."""


@dataclass(frozen=True, slots=True)
class _Pair:
    failed: Step
    worked: Step
    change: Change
    kind: ErrorKind
    is_named: bool
    cause: Quoted | None


def changed_inputs(case: Case, steps: Sequence[Step], language: Language) -> Iterator[Finding]:
    """The inputs that failed and the ones that worked instead, each of these once."""
    by_worked: dict[int, _Pair] = {}
    for number, step in enumerate(steps):
        if step.outcome == "failed" and (pair := _pair(case, steps, number)) is not None:
            by_worked[pair.worked.call.place] = pair
    for pair in by_worked.values():
        yield _finding(pair, language)


def _pair(case: Case, steps: Sequence[Step], number: int) -> _Pair | None:
    failed = steps[number]
    if failed.error is None:
        return None
    told = _told(failed)
    if passes_by_itself(told) or _is_red(failed):
        return None
    kind = kind_of(failed.error.text) or kind_of(told)
    if kind is None:
        return None
    for later in steps[number + 1 : number + 1 + _WITHIN]:
        if _person_acts(case, failed, later):
            return None
        if later.call.place < (failed.result.place if failed.result else 0):
            continue  # it was called at the same time
        if _is_alike(failed, later):
            if later.outcome == "failed" and not (_is_red(later) and failed.error.text not in later.output):
                return None
            if later.outcome in ("worked", "failed"):
                return _explained(case, failed, later, kind, told)
        elif later.outcome == "worked" and _may_help(failed, later):
            return None
    return None


def _explained(case: Case, failed: Step, worked: Step, kind: ErrorKind, told: str) -> _Pair | None:
    if failed.replaced is not None and worked.replaced is not None and not _is_almost(failed.replaced[0], worked.replaced[0]):
        return None  # another place was edited
    change = Change(_input(failed), _input(worked))
    if change.failed == change.worked or (failed.error and failed.error.text in worked.output):
        return None
    if _SILENCED.search(_input(worked)) and not _SILENCED.search(_input(failed)):
        return None
    is_named = names_change(told, change)
    if failed.replaced is None and not (is_named or (kind.answers(change) and kind.name != "name")):
        return None
    if kind.name == "place" and not _same_thing(failed, worked):
        return None
    return _Pair(failed, worked, change, kind, is_named, _said_cause(case, failed, worked))


def _told(step: Step) -> str:
    """The error's line and what stands around it."""
    if step.error is None or step.result is None:
        return ""
    text, line = step.result.message.text, step.error
    return text[max(0, line.start - _AROUND) : line.end + _AROUND]


def _is_red(step: Step) -> bool:
    """Whether the step failed because of the code that it looked at."""
    if step.error is None or step.result is None or step.command is None:
        return False
    if not is_on_code(step.output):
        return False
    invoked, around = kind_of(step.error.text), kind_of(_told(step))
    is_missing = around is not None and around.name == "missing program"
    return not is_missing and (invoked is None or invoked.name not in _OF_THE_CALL)


def _input(step: Step) -> str:
    """What a call was given, without what only cuts its output."""
    return _FILTER.sub(" ", step.command) if step.command else step.text


def _is_alike(failed: Step, later: Step) -> bool:
    """Whether the later call tries the same as the failed one."""
    if (failed.command is None) != (later.command is None):
        return False
    if failed.command is not None:
        if failed.programs & later.programs:
            return True
        names, later_names = _names(failed), _names(later)
        if names & later_names:
            return True
        return bool(later.programs) and _likeness(_input(failed), _input(later)) >= _ALIKE
    return failed.tool == later.tool and _likeness(failed.text, later.text) >= _ALIKE


def _names(step: Step) -> frozenset[str]:
    words = {word for program in step.programs for word in program.split()} - _RUNNERS
    return frozenset(word for word in words if word not in ("test", "build", "install", "start", "git", "go", "make", "cargo"))


def _likeness(first: str, second: str) -> float:
    left, right = tokens(first), tokens(second)
    return len(left & right) / max(1, len(left | right))


def _is_almost(first: str, second: str) -> bool:
    """Whether two texts are one but for a few characters."""
    left, right = first[:_COMPARED], second[:_COMPARED]
    return SequenceMatcher(None, left, right, autojunk=False).ratio() >= _ALMOST


def _same_thing(failed: Step, worked: Step) -> bool:
    """Whether both calls are about a thing of the same name: another file that is there is no lesson about the first."""
    if failed.command is None or failed.tool.lower() in _LOOKS:
        left, right = _file_names(failed.text), _file_names(worked.text)
        return bool(left & right)
    return bool(failed.programs)


def _file_names(text: str) -> frozenset[str]:
    return frozenset(token.rsplit("/", 1)[-1].lower() for token in tokens(text) if "/" in token or "." in token)


def _may_help(failed: Step, later: Step) -> bool:
    """Whether a call between the two may be what helped."""
    if later.files:
        return any(_is_related(failed, path) for path in later.files)
    return later.command is not None and cue("call", "changes_more").search(later.command) is not None


def _is_related(failed: Step, path: str) -> bool:
    """Whether an edited file may have to do with a failure: any that is more than prose, or that the failure names."""
    name = path.rsplit("/", 1)[-1]
    return _PROSE_FILE.search(path) is None or name in failed.text or name in failed.output


def _person_acts(case: Case, failed: Step, later: Step) -> bool:
    return any(event.actor == "human" for event in case.events[failed.call.place + 1 : later.call.place])


def _said_cause(case: Case, failed: Step, worked: Step) -> Quoted | None:
    """The sentence in which the agent says what it was, or what helps."""
    if failed.result is None or failed.error is None:
        return None
    for event in case.events[failed.result.place + 1 : worked.call.place]:
        if event.actor == "ai" and event.message.kind == "said" and not event.message.sidechain:
            for one in sentences(event.message.text[:2_000]):
                if len(one.text) >= 15 and (names_cause(one.text) or names_fix(one.text, failed.error.text)):
                    return quoted(event, one.start, one.end, "cause")
    return None


def _finding(pair: _Pair, language: Language) -> Finding:
    failed, worked = _shown(pair.failed), _shown(pair.worked)
    error = on_one_line(pair.failed.error.text if pair.failed.error else "")
    if language == "ko":
        title = f"{cut(failed, 40)} 실패({cut(error, 40)}) → {cut(worked, 40)}"
        rule = f'`{cut(failed, 160)}`이(가) "{cut(error, 160)}" 오류로 실패하면, `{cut(worked, 160)}`처럼 입력을 바꿔 실행한다.'
        trigger = f'"{cut(error, 160)}" 오류가 날 때'
    else:
        title = f"{cut(failed, 40)} fails ({cut(error, 40)}) → {cut(worked, 40)}"
        rule = f'When `{cut(failed, 160)}` fails with "{cut(error, 160)}", run `{cut(worked, 160)}` instead.'
        trigger = f'"{cut(error, 160)}"'
    if pair.cause is not None:
        rule = f"{rule} {on_one_line(pair.cause.quote)}"
    evidence = [pair.failed.quoted_error(), pair.cause, pair.worked.quoted_call("remedy")]
    confidence = 0.55 + 0.15 * pair.is_named + 0.1 * (pair.cause is not None)
    return Finding(
        kind="changed_input",
        role="coder",
        polarity="do",
        severity="low",
        title=cut(title, 120),
        rule=rule,
        trigger=trigger,
        key=key_of(f"{same_word(pair.failed.programs, pair.failed.tool)} {pair.failed.error.tag if pair.failed.error else ''}"),
        evidence=tuple(one for one in evidence if one is not None),
        confidence=round(confidence, 2),
    )


def _shown(step: Step) -> str:
    return on_one_line(step.command or f"{step.tool} {step.text}")
