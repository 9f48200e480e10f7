"""Holds a court's findings against the planted sessions: precision and recall by kind, language and split.

python benchmarks/score_court.py --write FOLDER            the sessions as files, to be judged
python benchmarks/score_court.py FINDINGS [--split fit] [--list]

FINDINGS is JSON lines, ``-`` for standard input: ``{"session": …, "kind": …, "tool_use_ids": […], "message_indexes": […]}``;
``session`` is the planted name, and an index counts the messages that the project's reader makes of the file. ``role`` and
``polarity`` may be given.

A finding meets an expectation of its session when the kind is the same and it cites a decisive message. Each expectation is met
once; what meets none is false. What a court may find without being asked counts neither way.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from memory_assets.sessions.model import Message, SourceTaken
from memory_assets.sessions.reading import read_source
from memory_assets_tests.court.planted import Expectation, PlantedSession, Split, planted_sessions


@dataclass(frozen=True)
class Finding:
    """What a court says of a session, with the messages that it cites."""

    session: str
    kind: str
    tool_use_ids: frozenset[str] = frozenset()
    message_indexes: frozenset[int] = frozenset()
    role: str | None = None
    polarity: str | None = None


@dataclass(frozen=True)
class Judged:
    """A finding with what it met, or an expectation that nobody met.

    Attributes:
        outcome: ``right``, ``false``, ``missed``, or ``allowed`` for what counts neither way.
    """

    session: PlantedSession
    kind: str
    outcome: str
    finding: Finding | None
    expectation: Expectation | None


def read_planted(session: PlantedSession) -> tuple[Message, ...]:
    taken = read_source(f"{session.name}.jsonl", session.jsonl().encode(), explicit=True)
    if not isinstance(taken, SourceTaken) or len(taken.sessions) != 1:
        raise ValueError(f"{session.file}: {session.name} is not read as one session: {taken}")
    return taken.sessions[0].messages


def judge(sessions: Iterable[PlantedSession], findings: Sequence[Finding]) -> Iterator[Judged]:
    """What became of each finding and each expectation. Raises ValueError where a finding names no planted session."""
    known = {session.name for session in planted_sessions()}
    for finding in findings:
        if finding.session not in known:
            raise ValueError(f"a finding names the session {finding.session!r}, which is not planted")
    for session in sessions:
        yield from _judge_session(session, [finding for finding in findings if finding.session == session.name])


def _judge_session(session: PlantedSession, findings: Sequence[Finding]) -> Iterator[Judged]:
    messages = read_planted(session)
    fits = [[_meets(finding, one, session, messages) for one in session.expectations] for finding in findings]
    met = _matching(fits, [number for number, one in enumerate(session.expectations) if one.required])
    for number, finding in enumerate(findings):
        if number in met:
            yield Judged(session, finding.kind, "right", finding, session.expectations[met[number]])
            continue
        # What may be found may be found by several findings, as nobody is held to it.
        allowed = any(fit and not one.required for fit, one in zip(fits[number], session.expectations, strict=True))
        yield Judged(session, finding.kind, "allowed" if allowed else "false", finding, None)
    for number, one in enumerate(session.expectations):
        if one.required and number not in met.values():
            yield Judged(session, one.kind, "missed", None, one)


def _meets(finding: Finding, one: Expectation, session: PlantedSession, messages: Sequence[Message]) -> bool:
    if finding.kind != one.kind:
        return False
    calls = {session.tool_use_id(label.partition("-")[0]) for label in one.quotes}
    indexes = {index for label in one.quotes for index in session.indexes(label, messages)}
    return bool(finding.tool_use_ids & calls or finding.message_indexes & indexes)


def _matching(fits: Sequence[Sequence[bool]], wanted: Sequence[int]) -> dict[int, int]:
    """The expectation that each finding meets, as many as can be met, each by one finding."""
    finding_of: dict[int, int] = {}

    def take(finding: int, tried: set[int]) -> bool:
        for one in wanted:
            if fits[finding][one] and one not in tried:
                tried.add(one)
                if one not in finding_of or take(finding_of[one], tried):
                    finding_of[one] = finding
                    return True
        return False

    for finding in range(len(fits)):
        take(finding, set())
    return {finding: one for one, finding in finding_of.items()}


def table(judged: Sequence[Judged]) -> str:
    """A line for all, each split, each language of a split, and each kind."""
    groups: dict[str, Counter[str]] = {}
    for one in judged:
        split, language = one.session.split, one.session.language
        for group in ("all", split, f"{split} {language}", one.kind):
            groups.setdefault(group, Counter())[one.outcome] += 1
    kinds = {one.kind for one in judged}
    return "\n".join(_line(group, groups[group]) for group in sorted(groups, key=lambda group: (group in kinds, group)))


def _line(group: str, counts: Counter[str]) -> str:
    right, false, missed = counts["right"], counts["false"], counts["missed"]
    precision, recall = (f"{right / total:.3f}" if total else "-" for total in (right + false, right + missed))
    return f"{group:22s} precision {precision:5s} recall {recall:5s} right {right:3d} false {false:3d} missed {missed:3d}"


def agreement(judged: Sequence[Judged]) -> str:
    """How many right findings that name a role or a polarity name the expected one."""
    parts = []
    for field in ("role", "polarity"):
        right = [one for one in judged if one.outcome == "right" and getattr(one.finding, field) is not None]
        same = sum(getattr(one.finding, field) == getattr(one.expectation, field) for one in right)
        parts.append(f"{field} {same} of {len(right)}")
    return "as expected: " + ", ".join(parts)


def findings_of(lines: Iterable[str]) -> list[Finding]:
    return [_finding(json.loads(line)) for line in lines if line.strip()]


def _finding(said: dict[str, Any]) -> Finding:
    ids, indexes = said.get("tool_use_ids", ()), said.get("message_indexes", ())
    return Finding(said["session"], said["kind"], frozenset(ids), frozenset(indexes), said.get("role"), said.get("polarity"))


def write(folder: Path, sessions: Iterable[PlantedSession]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for session in sessions:
        (folder / f"{session.name}.jsonl").write_text(session.jsonl(), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("findings", nargs="?")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--split", choices=get_args(Split))
    parser.add_argument("--list", action="store_true", help="every false and missed finding too, but of those held out")
    arguments = parser.parse_args()
    sessions = [one for one in planted_sessions() if arguments.split in (None, one.split)]
    if arguments.write:
        write(arguments.write, sessions)
    if not arguments.findings:
        return
    text = sys.stdin.read() if arguments.findings == "-" else Path(arguments.findings).read_text(encoding="utf-8")
    judged = list(judge(sessions, findings_of(text.splitlines())))
    for one in judged:
        if arguments.list and one.outcome in ("false", "missed") and one.session.split not in ("held", "unseen"):
            said = one.expectation.quotes if one.expectation else one.finding
            print(f"{one.session.name}  {one.outcome:6s}  {one.kind}  {said}")
    print(table(judged))
    print(agreement(judged))


if __name__ == "__main__":
    main()
