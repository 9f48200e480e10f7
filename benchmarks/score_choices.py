"""Holds the embedded extractor against annotated choices: options that were put to a person, and the reply that chose.

python benchmarks/score_choices.py SESSIONS_FOLDER [--list]

Right is a choice of which one entry (a decision, preference or task) quotes the reply and an option that it takes; of one in
the person's own words, one that quotes the reply; of one that was broken off, one of which no entry quotes an option. Inverted
is one of which an entry quotes the reply and an option that was refused, and none that was taken; or that was broken off, and
an entry quotes an option all the same. A quote may span several options, as one of the question does.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from annotated_sessions import AnnotatedSession, annotated_sessions, language, seen_entries

from memory_assets.evidence.model import AlignedEvidence
from memory_assets.extraction.aligned_entries import AlignedEntry

Span = Sequence[int]
Judgement = Literal["right", "inverted", "missing"]


def judged(choice: dict[str, Any], entries: Sequence[AlignedEntry]) -> Judgement:
    options: list[Span] = choice["options"]
    own_words = choice["chosen"] == "free"
    taken = [] if own_words else [options[number] for number in choice["chosen"]]
    refused = [options[number] for number in choice["rejected"]]
    decided = [entry for entry in entries if entry.entry.entry_type in ("decision", "preference", "task")]
    replied = [entry for entry in decided if _quotes(entry, choice["reply"])]
    if any(_takes(entry, refused) and not _takes(entry, taken) for entry in replied):
        return "inverted"
    if not choice["chosen"]:
        return "inverted" if any(_takes(entry, options) for entry in decided) else "right"
    if own_words:
        return "right" if replied else "missing"
    return "right" if any(_takes(entry, taken) for entry in replied) else "missing"


def _takes(entry: AlignedEntry, options: Sequence[Span]) -> bool:
    return any(_quotes(entry, option) for option in options)


def _quotes(entry: AlignedEntry, span: Span) -> bool:
    index, start, end = span
    return any(
        isinstance(found, AlignedEvidence)
        and found.message_index == index
        and found.span_start < end
        and start < found.span_end
        for found in entry.evidence
    )


def score(session: AnnotatedSession) -> list[tuple[str, Judgement, str]]:
    """For each choice its language, what became of it, and its reply."""
    if not session.raw.get("choices"):
        return []
    entries, messages = seen_entries(session), session.talks[0]
    found = []
    for choice in session.raw["choices"]:
        index, start, end = choice["reply"]
        reply = messages[index].text[start:end]
        asked = messages[choice["question"][0]].text[choice["question"][1] : choice["question"][2]]
        found.append((language(f"{asked} {reply}"), judged(choice, entries), reply))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--list", action="store_true", help="a line for each choice too")
    arguments = parser.parse_args()
    counts: dict[str, Counter[str]] = {"all": Counter(), "ko": Counter(), "en": Counter()}
    for session in annotated_sessions(arguments.sessions):
        for spoken, judgement, reply in score(session):
            counts["all"][judgement] += 1
            counts[spoken][judgement] += 1
            if arguments.list:
                print(f"{session.name}  {judgement:8s}  {' '.join(reply.split())[:100]}")
    for part, count in counts.items():
        total = sum(count.values())
        right = count["right"] / max(1, total)
        print(f"{part:4s} {total} choices: right {count['right']} ({right:.2f}), inverted {count['inverted']}")


if __name__ == "__main__":
    main()
