"""Evidence retrieval over long English chats: how often the turns that answer a question are found, without a language model.

  python benchmarks/bench_locomo.py FOLDER [--home HOME] [--mode auto lexical] [--fusion weighted] [--by-project]

FOLDER holds ``sessions/`` (chat.v1 files), ``queries.ndjson`` (``{"id", "query", "project"}`` a line) and ``gold.json``
(``gold``: by question the turns that answer it and its category; ``turn_of``: by ``session#message`` the turn's id), as the
LoCoMo conversations are prepared; they are no part of this repository, and without a folder nothing is measured. The sessions
are imported into an empty store, or --home is a store that has them (made where there is none). Every question is asked as
``memory search --bulk -k 50`` asks it, of the whole store, within its project.

Printed for each mode, beside the bars set for it: the share of the right turns among the first 5, 10 and 50 that the hits
cite, NDCG at 10, recall at 10 of the questions that need several turns, and the share that 1,000 delivered tokens hold
(characters of the snippets / 4). The hybrid is to be no worse than its lexical leg on any of them: where both are asked, each
difference is printed, with --by-project for each conversation.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory_assets.results.search import BulkSearchItemV1
    from memory_assets.settings import Settings

BARS = {"R@5": 0.70, "R@10": 0.80, "R@50": 0.91, "NDCG@10": 0.59, "multi-hop R@10": 0.44, "R@1000tok": 0.70}
DEPTH = 50
BUDGET = 1000


def ask(settings: Settings, lines: Sequence[str], mode: str, fusion: str) -> dict[str, BulkSearchItemV1]:
    """By the id of each question: its answer."""
    from memory_assets.memory import Memory, SearchRequest

    defaults = SearchRequest("", mode=mode, fusion=fusion, k=DEPTH, log=False)  # type: ignore[arg-type]
    return {item.id: item for item in Memory(settings).bulk_search(lines, defaults=defaults)}


def measured(item: BulkSearchItemV1, wanted: set[str], turn_of: Mapping[str, str]) -> dict[str, float]:
    """One question's numbers. A hit that cites several turns takes as many places."""
    ranked: list[str] = []
    spent, paid = 0, set()
    for hit in item.response.hits if item.response else ():
        turns = [turn_of.get(f"{one.session_id}#{one.message_index}") for one in hit.citations if one.kind == "message"]
        spent += math.ceil(len(hit.snippet) / 4)
        for turn in turns:
            if turn and turn not in ranked:
                ranked.append(turn)
            if turn and spent <= BUDGET:
                paid.add(turn)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(wanted))))
    gain = sum(1 / math.log2(place + 2) for place, turn in enumerate(ranked[:10]) if turn in wanted)
    recalls = {f"R@{depth}": len(wanted.intersection(ranked[:depth])) / len(wanted) for depth in (5, 10, 50)}
    return {**recalls, "NDCG@10": gain / ideal, "R@1000tok": len(wanted & paid) / len(wanted)}


def scores(answers: Mapping[str, BulkSearchItemV1], book: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """The mean of each number: over all questions, and by project."""
    taken: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for question, gold in book["gold"].items():
        row = measured(answers[question], set(gold["turns"]), book["turn_of"])
        if gold["category"] == "multi-hop":
            row["multi-hop R@10"] = row["R@10"]
        for group in ("all", gold["project"]):
            for name, value in row.items():
                taken[group][name].append(value)
    return {group: {name: fmean(values) for name, values in rows.items()} for group, rows in taken.items()}


def print_scores(mode: str, of_mode: Mapping[str, Mapping[str, float]], count: int) -> None:
    """A line a number, beside its bar."""
    print(f"{mode}: {count} questions")
    for name, bar in BARS.items():
        value = of_mode["all"][name]
        print(f"  {name:15s} {value:.4f}   bar {bar:.2f}{'' if value >= bar else '   BELOW'}")


def print_differences(
    one: Mapping[str, Mapping[str, float]], other: Mapping[str, Mapping[str, float]], *, by_project: bool
) -> None:
    """How much better both legs are than the lexical one alone."""
    for group in one if by_project else ("all",):
        print(f"  {group:10s}", "  ".join(f"{name} {one[group][name] - other[group][name]:+.4f}" for name in BARS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--home", type=Path)
    parser.add_argument("--mode", nargs="+", default=["auto", "lexical"], choices=("auto", "hybrid", "lexical", "vector"))
    parser.add_argument("--fusion", default="weighted", choices=("weighted", "zscore", "rrf"))
    parser.add_argument("--by-project", action="store_true")
    given = parser.parse_args()
    if given.folder is None:
        print("not measured: name a folder with prepared conversations")
        return
    from memory_assets.log.database import STORE_FILE_NAME
    from memory_assets.settings import load_settings

    try:
        book = json.loads((given.folder / "gold.json").read_text(encoding="utf-8"))
        lines = (given.folder / "queries.ndjson").read_text(encoding="utf-8").splitlines()
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}; name a folder with prepared conversations")
    with tempfile.TemporaryDirectory(prefix="memory-locomo-") as scratch:
        settings = load_settings({"home": str(given.home or scratch)})
        if not (settings.store_folder / STORE_FILE_NAME).exists():
            from memory_assets.defs.run import import_paths

            import_paths(settings, [given.folder / "sessions"], project=None)
        taken = {mode: scores(ask(settings, lines, mode, given.fusion), book) for mode in given.mode}
    for mode, of_mode in taken.items():
        print_scores(mode, of_mode, len(book["gold"]))
    if len(taken) > 1 and "lexical" in taken:
        print(f"{given.mode[0]} minus lexical")
        print_differences(taken[given.mode[0]], taken["lexical"], by_project=given.by_project)


if __name__ == "__main__":
    sys.exit(main())
