"""Holds the embedded extractor against annotated sessions: what it finds, what of it a reader would keep, under which type.

python benchmarks/score_extraction.py SESSIONS_FOLDER [--gold GOLD_FOLDER] [--each]
python benchmarks/score_extraction.py --written [--each]    the sessions of benchmarks/written, which need no folder
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from annotated_sessions import (
    AnnotatedSession,
    annotated_sessions,
    language,
    matched,
    quotes_of,
    seen_entries,
    written_sessions,
)

from memory_assets.extraction.aligned_entries import AlignedEntry

Tally = Counter[str]


def tally(session: AnnotatedSession, entries: list[AlignedEntry]) -> dict[str, Tally]:
    """Counts for the session and, under ``ko``, ``en`` and ``type:…``, for parts of it."""
    owner = matched(session, entries)
    counts: dict[str, Tally] = defaultdict(Counter)
    for number, memory in enumerate(session.memories):
        met = number in owner
        same = met and entries[owner[number]].entry.entry_type == memory.entry_type
        must = memory.importance == 3
        for part in ("all", memory.language, f"type:{memory.entry_type}"):
            counts[part].update(gold=1, met=met, same=same, must=must, kept=must and met)
    wanted = set(owner.values())
    typed = {entry: number for number, entry in owner.items()}
    for number, entry in enumerate(entries):
        kind = entry.entry.entry_type
        right = number in wanted and session.memories[typed[number]].entry_type == kind
        for part in ("all", language(quotes_of(entry)[0])):
            counts[part].update(found=1)
        counts[f"type:{kind}"].update(said=1, right=right, said_met=number in wanted)
    return counts


def line(title: str, counts: Tally) -> str:
    found, gold, met = counts["found"], counts["gold"], counts["met"]
    shares = {
        "F1": share(2 * met, found + gold),
        "precision": share(met, found),
        "recall": share(met, gold),
        "same type": share(2 * counts["same"], found + gold),
        "must-keep": share(counts["kept"], counts["must"]),
    }
    told = "  ".join(f"{name} {value:.3f}" for name, value in shares.items())
    return f"{title:24s} {told}  ({found} found, {gold} wanted)"


def type_line(name: str, counts: Tally) -> str:
    said = counts["said"]
    return (
        f"{name:12s} recall {share(counts['met'], counts['gold']):.2f} of {counts['gold']}, with its type"
        f" {share(counts['same'], counts['gold']):.2f};  of {said} called so {share(counts['right'], said):.2f} right,"
        f" {share(counts['said_met'], said):.2f} wanted"
    )


def share(part: int, whole: int) -> float:
    return part / max(1, whole)


def report(sessions: Iterable[AnnotatedSession], *, each: bool) -> None:
    total: dict[str, Tally] = defaultdict(Counter)
    for session in sessions:
        counts = tally(session, seen_entries(session))
        group = "written" if not session.raw.get("file") else "annotations" if "tasks" in session.raw else "gold"
        for part, found in counts.items():
            total[part].update(found)
            total[f"{group} {part}"].update(found)
        if each:
            print(line(session.name[-24:], counts["all"]))
    for part in (
        "all",
        "ko",
        "en",
        *(f"{group} {one}" for group in ("annotations", "gold", "written") for one in ("all", "ko", "en")),
    ):
        if part in total:
            print(line(part, total[part]))
    for part in sorted(total):
        if part.startswith("type:"):
            print(type_line(part[5:], total[part]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", type=Path, nargs="?")
    parser.add_argument(
        "--written", action="store_true", help="the sessions that ship with the benchmarks, instead of a folder's"
    )
    parser.add_argument("--gold", type=Path, help="a folder of further annotations, with quotes as text")
    parser.add_argument("--each", action="store_true", help="a line for each session too")
    arguments = parser.parse_args()
    if (arguments.sessions is None) is not arguments.written:
        parser.error("name a folder of sessions, or --written")
    found = written_sessions() if arguments.written else annotated_sessions(arguments.sessions, arguments.gold)
    report(found, each=arguments.each)


if __name__ == "__main__":
    main()
