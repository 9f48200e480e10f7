"""What the detectors of the court find: in the planted sessions, and in real ones that a reader labelled.

  python benchmarks/score_detectors.py [--split fit]     the planted sessions
  python benchmarks/score_detectors.py --real FOLDER     the files of `court_labels.jsonl`, with what they cost
  python benchmarks/score_detectors.py --findings        findings as `score_court.py` reads them

A labelled file is for fitting where the last digit of its name's SHA-256 is even; what it gets wrong is listed. The others
are for the number alone. A finding is right where a lesson of its kind has a message in common with it.

Bars: planted precision >= .95 and recall >= .90; labelled precision >= .60 and recall >= .40; <= 0.2 CPU-seconds for 1,000
messages.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

BENCHMARKS = Path(__file__).resolve().parent
sys.path[:0] = [str(BENCHMARKS), str(BENCHMARKS.parent)]

from score_court import Finding, judge, read_planted, table  # noqa: E402

from memory_assets.court.case import Case, case_of  # noqa: E402
from memory_assets.court.detectors import findings_of  # noqa: E402
from memory_assets.identifiers import sha256_hex  # noqa: E402
from memory_assets.sessions.model import SourceTaken  # noqa: E402
from memory_assets.sessions.reading import read_source  # noqa: E402
from memory_assets_tests.court.planted import PlantedSession, Split, planted_sessions  # noqa: E402


def planted_findings(sessions: Iterable[PlantedSession]) -> Iterator[Finding]:
    """What is found in planted sessions."""
    for session in sessions:
        case = case_of(session.name, None, read_planted(session))
        for found in findings_of(case):
            places = frozenset(quote.place for quote in found.evidence)
            yield Finding(session.name, found.kind, frozenset(), places, found.role, found.polarity)


@dataclass
class Counts:
    """Of a group: findings that are right and wrong, lessons that were found and missed, messages and CPU-seconds."""

    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    messages: int = 0
    seconds: float = 0.0

    def line(self, name: str, kind: str | None = None) -> str:
        """Precision and recall of a kind, or of all."""
        right, wrong, found, missed = (
            sum(count for key, count in counter.items() if kind in (None, key))
            for counter in (self.right, self.wrong, self.found, self.missed)
        )
        precision = f"{right / (right + wrong):.3f}" if right + wrong else "-"
        recall = f"{found / (found + missed):.3f}" if found + missed else "-"
        return (
            f"{name:36s} precision {precision:5s} recall {recall:5s} right {right} wrong {wrong} found {found} missed {missed}"
        )


def labels() -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The lessons of each labelled session."""
    told: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in (BENCHMARKS / "court_labels.jsonl").read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        lessons = told.setdefault((label["session"], label["session_id"]), [])
        if label.get("is_lesson"):
            lessons.append(label)
    return told


def is_for_fitting(name: str) -> bool:
    """Whether a file may be looked at when detectors are changed."""
    return int(sha256_hex(name)[-1], 16) % 2 == 0


def real_cases(folder: Path) -> Iterator[tuple[str, Case]]:
    """The sessions of the labelled files."""
    for name in sorted({name for name, _ in labels()}):
        taken = read_source(name, (folder / name).read_bytes(), explicit=True)
        if isinstance(taken, SourceTaken):
            for session in taken.sessions:
                yield name, case_of(session.session_id, session.project, session.messages)


def real(folder: Path) -> None:
    """Prints the scores of the labelled files."""
    counts = {True: Counts(), False: Counts()}
    lessons = labels()
    for name, case in real_cases(folder):
        fitting = is_for_fitting(name)
        _count(counts[fitting], name, case, lessons.get((name, case.session_id), []), listed=fitting)
    for fitting, told in (("fit", counts[True]), ("left out", counts[False])):
        print(told.line(fitting))
        for kind in sorted({*told.right, *told.wrong, *told.found, *told.missed}):
            print(told.line(f"  {fitting} {kind}", kind))
        cost = 1000 * told.seconds / max(1, told.messages)
        print(f"  {fitting}: {cost:.3f} CPU-seconds for 1,000 messages ({told.messages} messages)")


def _count(counts: Counts, name: str, case: Case, lessons: list[dict[str, Any]], *, listed: bool) -> None:
    begun = time.process_time()
    findings = findings_of(case)
    counts.seconds += time.process_time() - begun
    counts.messages += len(case.events)
    met: set[int] = set()
    for finding in findings:
        places = {quote.place for quote in finding.evidence}
        for quote in finding.evidence:
            assert case.events[quote.place].message.text[quote.start : quote.end] == quote.quote, (name, quote)
        told = [number for number, one in enumerate(lessons) if one["kind"] == finding.kind and places & _messages(one)]
        met.update(told)
        (counts.right if told else counts.wrong)[finding.kind] += 1
        if listed and not told:
            print(f"wrong   {name[:30]} {finding.kind} {sorted(places)} {finding.title}")
    for number, lesson in enumerate(lessons):
        (counts.found if number in met else counts.missed)[lesson["kind"]] += 1
        if listed and number not in met:
            print(f"missed  {name[:30]} {lesson['kind']} {sorted(_messages(lesson))} {lesson['lesson'][:80]}")


def _messages(label: dict[str, Any]) -> set[int]:
    return {one["message"] for one in label["evidence"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--real", type=Path)
    parser.add_argument("--findings", action="store_true")
    parser.add_argument("--split", choices=get_args(Split))
    arguments = parser.parse_args()
    planted = [one for one in planted_sessions() if arguments.split in (None, one.split)]
    if arguments.findings:
        for one in planted_findings(planted):
            told = {"session": one.session, "kind": one.kind, "message_indexes": sorted(one.message_indexes)}
            print(json.dumps({**told, "role": one.role, "polarity": one.polarity}, ensure_ascii=False))
    elif arguments.real:
        real(arguments.real)
    else:
        print(table(list(judge(planted, list(planted_findings(planted))))))


if __name__ == "__main__":
    main()
