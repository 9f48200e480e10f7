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
    NO_KIND,
    Change,
    ErrorKind,
    is_on_code,
    kind_of,
    names_change,
    passes_by_itself,
    tokens,
)
from memory_assets.court.detectors.command_lines import parts_of
from memory_assets.court.detectors.cues import cue
from memory_assets.court.detectors.speech import Language
from memory_assets.court.detectors.traffic import Step, quoted
from memory_assets.court.detectors.wording import cut, key_of, on_one_line, same_word
from memory_assets.court.findings import Finding, Quoted
from memory_assets.sessions.fix_words import names_cause, names_fix
from memory_assets.sessions.tool_calls import programs_of
from memory_assets.text.sentences import sentences

_WITHIN: Final = 10
"""Calls behind a failure in which it is tried again with another input."""
_AROUND: Final = 600
"""Characters of a result, around its telling line, that tell of which kind the error is."""

_IN_CODE = re.compile(r"(?:\S{1,200}\.\w{1,5}[:(]\d|error\[|error TS)")
_PROSE_FILE = re.compile(r"\.(?:md|mdx|txt|rst|adoc)\Z", re.IGNORECASE)
_FILTER = re.compile(
    r"\s{0,3}(?:2>&1\s{0,3})?\|\s{0,3}(?:tail|head|grep|rg|cat|tee|less|wc)\b[^|&;\n]{0,120}"
    r"|\s{0,3}2>(?:&1|/dev/null)"
)
_SILENCED = re.compile(r"\|\|\s{0,3}(?:true|:|echo|exit 0)|;\s{0,3}(?:true|echo|exit 0)\b|2>\s{0,3}/dev/null|\|\|")
_RUNNER_WORDS = "npx uv run poetry pipenv python python3 bunx pnpm yarn npm exec sudo docker compose"
_RUNNERS = frozenset(_RUNNER_WORDS.split())
_MANY_IN_ONE = """
test build install start git go make cargo kubectl gh aws gcloud az terraform helm brew apt apt-get systemctl uvx mise just rake
"""
_WHAT_IS_RUN = frozenset(_MANY_IN_ONE.split())
"""Programs and words under which many different things are run."""
_OTHER_FIELDS = re.compile(r'"(?:description|timeout)":(?:"(?:[^"\\]|\\.){0,400}"|\d{1,9}),?')
_COMPLAINS = re.compile(r"(?P<program>[a-z][\w-]{1,20}): ")
_FIELD = re.compile(r'"(\w{1,40})":')
_ALIKE: Final = 0.4
_ALIKE_OF_ONE_PROGRAM: Final = 0.2
_ALMOST: Final = 0.8
_COMPARED: Final = 300
_READ: Final = 3_000
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
    if _is_red(failed):
        return None
    kind = kind_of(failed.error.text) or kind_of(told) or NO_KIND
    for later in steps[number + 1 : number + 1 + _WITHIN]:
        if _person_acts(case, failed, later):
            return None
        if later.call.place < (failed.result.place if failed.result else 0):
            continue  # it was called at the same time
        if _is_alike(failed, later, kind):
            if later.outcome == "failed" and not (_is_red(later) and failed.error.text not in later.output):
                return None
            pair = _explained(case, failed, later, kind, told) if later.outcome in ("worked", "failed") else None
            if pair is not None or later.text == failed.text or later.files:
                return pair
        elif later.outcome == "worked" and _may_help(failed, later):
            return None
    return None


def _explained(case: Case, failed: Step, worked: Step, kind: ErrorKind, told: str) -> _Pair | None:
    if (
        failed.replaced is not None
        and worked.replaced is not None
        and not any(map(_is_almost, failed.replaced, worked.replaced))
    ):
        return None  # another place was edited
    change = _change(failed, worked)
    if change.failed == change.worked or (failed.error and failed.error.text in worked.output):
        return None
    if _SILENCED.search(_input(worked)) and not _SILENCED.search(_input(failed)):
        return None
    is_named = names_change(told, change)
    if passes_by_itself(told) and not is_named:
        return None
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
    around = kind_of(_told(step))
    if around is not None and around.name in ("missing program", "setting"):
        return False
    if _IN_CODE.match(step.error.text):
        return True
    invoked = kind_of(step.error.text)
    return is_on_code(step.output) and (invoked is None or invoked.name not in _OF_THE_CALL)


def _input(step: Step) -> str:
    """What a call was given, without what only cuts its output."""
    return _FILTER.sub(" ", step.command).strip() if step.command else step.text


def _change(failed: Step, worked: Step) -> Change:
    """What differs between two inputs: the commands, or where these are one what stands beside them."""
    if failed.command is not None and failed.command == worked.command:
        return Change(_OTHER_FIELDS.sub("", failed.text[:_READ]), _OTHER_FIELDS.sub("", worked.text[:_READ]))
    return Change(_input(failed), _input(worked))


def _is_alike(failed: Step, later: Step, kind: ErrorKind) -> bool:
    """Whether the later call tries the same as the failed one."""
    if (failed.command is None) != (later.command is None):
        return False
    if failed.command is None or later.command is None:
        return failed.tool == later.tool and (_shares_fields(failed, later) or _likeness(failed.text, later.text) >= _ALIKE)
    if (failed.programs and not later.programs) or _complains_behind_pipe(failed, later):
        return False  # it only looks at something, or leaves out who complained
    last, said = _last_programs(failed), tokens(later.command)
    if last & later.programs:
        return True
    asked = [set(name.split()) - _RUNNERS or set(name.split()) for name in last]
    if any(words <= said for words in asked) and not cue("call", "changes_more").search(later.command):
        return True
    if _names(last) & _names(later.programs):
        return True
    likeness = _likeness(_input(failed), _input(later))
    is_one = len(parts_of(failed.command)) == len(parts_of(later.command)) == 1
    if is_one and failed.command.split()[:1] == later.command.split()[:1]:
        return likeness >= _ALIKE_OF_ONE_PROGRAM
    if kind.name == "missing program" and _arguments(failed.command) == _arguments(later.command):
        return True
    return bool(later.programs) and likeness >= _ALIKE


def _complains_behind_pipe(failed: Step, later: Step) -> bool:
    """Whether it is a filter that complains (``grep: unrecognized option``), and the later call runs without it."""
    told = _COMPLAINS.match(failed.error.text) if failed.error else None
    if told is None or failed.command is None or later.command is None:
        return False
    is_filter = re.search(rf"\|\s{{0,3}}{re.escape(told['program'])}\b", failed.command) is not None
    return is_filter and told["program"] not in tokens(later.command)


def _arguments(command: str) -> list[str]:
    """What a short command is told, behind its program."""
    return command.split()[1:] if len(command) < _COMPARED else [command]


def _shares_fields(failed: Step, later: Step) -> bool:
    """Whether most fields of two calls of one tool are the same ones, and a value or a file of them."""
    left, right = frozenset(_FIELD.findall(failed.text[:_READ])), frozenset(_FIELD.findall(later.text[:_READ]))
    if not left <= right and len(left & right) * 2 < len(left | right):
        return False
    values = (tokens(failed.text) & tokens(later.text)) - left - right
    return failed.tool.startswith("mcp") or bool(values) or bool(_file_names(failed.text) & _file_names(later.text))


def _last_programs(step: Step) -> frozenset[str]:
    """What the last part of a command runs; what stands before it went well."""
    parts = parts_of(step.command or "")
    return next((programs for part in reversed(parts) if (programs := programs_of(part))), step.programs)


def _names(programs: frozenset[str]) -> frozenset[str]:
    return frozenset(word for program in programs for word in program.split()) - _RUNNERS - _WHAT_IS_RUN


def _likeness(first: str, second: str) -> float:
    left, right = tokens(first), tokens(second)
    return len(left & right) / max(1, len(left | right))


def _is_almost(first: str, second: str) -> bool:
    """Whether two texts are one but for a few characters."""
    left, right = first[:_COMPARED], second[:_COMPARED]
    return SequenceMatcher(None, left, right, autojunk=False).ratio() >= _ALMOST


def _same_thing(failed: Step, worked: Step) -> bool:
    """Whether both calls are about a thing of the same name: another file that is there is no lesson about the first."""
    if failed.programs:
        return True
    return bool(_file_names(failed.text) & _file_names(worked.text))


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
    failed, worked = _shown(pair.failed, pair.worked), _shown(pair.worked, pair.failed)
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


def _shown(step: Step, other: Step) -> str:
    """A call as a rule shows it; of an edit the file and the line in which it differs from the other one."""
    if step.replaced is None or other.replaced is None:
        return on_one_line(step.command or f"{step.tool} {step.text}")
    others = set(other.replaced[0].splitlines())
    lines = step.replaced[0].splitlines()
    line = next((one for one in lines if one not in others and one.strip()), lines[0] if lines else "")
    return f"{step.tool} {', '.join(path.rsplit('/', 1)[-1] for path in step.files)}: {on_one_line(line)}"
