"""How well the embedded extractor finds memories in annotated sessions, and what it says of the tasks among them.

  python benchmarks/score_task_fields.py GOLD_FOLDER SESSIONS_FOLDER SCORE_PY [--annotator A,B,C] [--show]

GOLD_FOLDER holds a JSON file for each annotated session, SCORE_PY is the program that scores an extractor against them; its
rules of when a quote meets a memory, and of one to one, are used here too. A task of the gold is compared with the entry of
type task that meets it: the same status, the same priority (of those that the reader gave one, and of those without), and
whether what it waits for shares words. With --show every difference is printed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_assets.evidence.aligner import Aligner
from memory_assets.evidence.model import AlignedEvidence
from memory_assets.extraction.aligned_entries import align_entry
from memory_assets.extraction.dedupe import merge_entries
from memory_assets.extraction.rules import extract_window
from memory_assets.extraction.schema import ExtractedEntry
from memory_assets.extraction.sentence_context import words_of
from memory_assets.extraction.windows import quotable_texts, windows
from memory_assets.sessions.model import Message, SourceTaken
from memory_assets.sessions.reading import read_source


@dataclass(frozen=True)
class Found:
    """An entry with the texts that its quotes were found as."""

    entry: ExtractedEntry
    quotes: tuple[str, ...]


def found_in(messages: tuple[Message, ...]) -> Iterator[Found]:
    """The entries of a session as they are materialized."""
    aligner, aligned = Aligner(), []
    for window in windows(messages):
        texts = quotable_texts(messages, window.context_start, window.end)
        aligned += [align_entry(aligner, texts, entry) for entry in extract_window(messages, window)]
    for item in merge_entries(aligned):
        yield Found(item.entry, tuple(one.matched_text for one in item.evidence if isinstance(one, AlignedEvidence)))


def compared(gold: dict[str, Any], found: list[Found], score: Any, tally: Counter[str], *, show: bool) -> None:
    """Adds one session's counts to the tally."""
    memories = gold["entries"]

    def meets(one: Found, memory: dict[str, Any]) -> bool:
        told = [memory["quote"], *(also["quote"] for also in memory.get("also", []))]
        return any(score.meet(quote, text) for quote in one.quotes[:3] for text in told)

    edges = {i: [j for j, memory in enumerate(memories) if meets(one, memory)] for i, one in enumerate(found)}
    owner = score.matching(edges, list(edges))
    tally.update(found=len(found), gold=len(memories), met=len(owner))
    tally["must"] += sum(memory["importance"] == 3 for memory in memories)
    tally["must_met"] += sum(memories[j]["importance"] == 3 for j in owner)
    for j, memory in enumerate(memories):
        language = score.language(memory["quote"])
        tally.update({f"gold {language}": 1, f"met {language}": j in owner})
    for one in found:
        tally[f"found {score.language(one.quotes[0] if one.quotes else '')}"] += 1
        tally["task entries"] += one.entry.entry_type == "task"
    for j, i in _tasks(memories, found, edges, score).items():
        _fields(memories[j], found[i].entry, score.language(memories[j]["quote"]), tally, show=show)
    tally["gold tasks"] += sum(memory["type"] == "task" for memory in memories)


def _tasks(memories: list[dict[str, Any]], found: list[Found], edges: dict[int, list[int]], score: Any) -> dict[int, int]:
    """Which entry is which task of the gold, by their numbers: first by the quote that carries both, then by any."""
    mine = [i for i in edges if found[i].entry.entry_type == "task"]
    pairs: dict[int, int] = {}
    for main in (True, False):
        free = {
            i: [
                j
                for j in edges[i]
                if memories[j]["type"] == "task"
                and j not in pairs
                and (not main or score.meet(found[i].quotes[0], memories[j]["quote"]))
            ]
            for i in mine
            if i not in pairs.values()
        }
        pairs |= score.matching(free, list(free))
    return pairs


def _fields(memory: dict[str, Any], entry: ExtractedEntry, language: str, tally: Counter[str], *, show: bool) -> None:
    told = memory["task"]
    agrees = entry.status == told["status"]
    given = "given" if told["priority"] else "none given"
    tally.update({"tasks compared": 1, f"tasks compared {language}": 1, "status": agrees, f"status {language}": agrees})
    tally.update({f"priority {given}": 1, f"priority {given}, same": entry.priority == told["priority"]})
    waits = bool(told["blocked_by"])
    shared = any(words_of(text) & words_of(other) for text in told["blocked_by"] for other in entry.blocked_by)
    tally.update({f"blockers {'given' if waits else 'none given'}": 1})
    tally["blockers given, shared" if waits else "blockers none given, none"] += shared if waits else not entry.blocked_by
    if show and not (agrees and entry.priority == told["priority"] and bool(entry.blocked_by) == waits):
        print(f"gold {told['status']}/{told['priority']}/{told['blocked_by']}: {memory['title']}")
        print(f"     {entry.status}/{entry.priority}/{list(entry.blocked_by)}: {' | '.join(q.quote for q in entry.evidence)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("sessions", type=Path)
    parser.add_argument("score", type=Path)
    parser.add_argument("--annotator", default="A,B,C")
    parser.add_argument("--show", action="store_true", help="print every difference between a gold task and its entry")
    arguments = parser.parse_args()
    spec = importlib.util.spec_from_file_location("score", arguments.score)
    assert spec is not None and spec.loader is not None
    score = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    tally: Counter[str] = Counter()
    for path in sorted(arguments.gold.glob("*.json")):
        gold = json.loads(path.read_text(encoding="utf-8"))
        if gold["annotator"] not in arguments.annotator.split(","):
            continue
        outcome = read_source(gold["file"], (arguments.sessions / gold["file"]).read_bytes())
        assert isinstance(outcome, SourceTaken)
        found = [one for session in outcome.sessions for one in found_in(session.messages)]
        if gold.get("visible"):  # keep to what the reader saw
            seen = score.fold(" ".join(gold["visible"]))
            found = [one for one in found if any(score.fold(quote) in seen for quote in one.quotes)]
        compared(gold, found, score, tally, show=arguments.show)
    precision, recall = (tally["met"] / max(1, tally[of]) for of in ("found", "gold"))
    f1 = 2 * tally["met"] / max(1, tally["found"] + tally["gold"])
    must = tally["must_met"] / max(1, tally["must"])
    print(f"F1 {f1:.3f}, precision {precision:.3f}, recall {recall:.3f}, must-keep {must:.3f}")
    for language in ("en", "ko"):
        both = tally[f"found {language}"] + tally[f"gold {language}"]
        print(f"F1 {language} {2 * tally[f'met {language}'] / max(1, both):.3f}")
    for what in (
        "found", "task entries", "gold tasks", "tasks compared", "status", "tasks compared en", "status en",
        "tasks compared ko", "status ko", "priority given", "priority given, same", "priority none given",
        "priority none given, same",
        "blockers given", "blockers given, shared", "blockers none given", "blockers none given, none",
    ):  # fmt: skip
        print(f"{what:28} {tally[what]}")


if __name__ == "__main__":
    main()
