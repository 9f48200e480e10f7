"""How well a question in one language finds text in the other, beside the same question in the text's own language.

  python benchmarks/bench_crossed.py [--locomo FOLDER] [--locomo-home HOME] [--sessions FOLDER] [--sessions-home HOME]
                                     [--mode lexical] [--misses]

Two sets, written by hand before anything of the bridge was:

  crossed_locomo_questions.ndjson   questions about English chats put in Korean, as a Korean would ask them, spread over the six
                                    conversations and the four categories that have an answer. FOLDER is prepared as for
                                    ``bench_locomo.py``, which also says what is measured of each question.
  crossed_session_questions.ndjson  English questions about Korean turns of coding sessions and Korean ones about English turns,
                                    each beside the question in the turn's own language, in the form of
                                    ``korean_questions.ndjson``.

Neither the chats nor the sessions are part of this repository: without a folder, or a home that has them, nothing is measured.
What is printed for each set is recall@10 of the crossed questions, of the same questions in the text's own language, and the
first as a share of the second. The half of the questions that nothing was tuned on is printed for itself: ``held out`` are the
conversations and sessions of `HELD_OUT`.

Bars: a share of .50 of the chats, of .60 of the sessions.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import bench_korean
import bench_locomo

if TYPE_CHECKING:
    from memory_assets.settings import Settings

LOCOMO_QUESTIONS = Path(__file__).with_name("crossed_locomo_questions.ndjson")
SESSION_QUESTIONS = Path(__file__).with_name("crossed_session_questions.ndjson")
LOCOMO_BAR = 0.50
SESSION_BAR = 0.60
HELD_OUT = ("conv-30", "conv-42", "conv-49", *"02468ace")
"""Conversations by their name, sessions by the last character of their id."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A question's recall@10, crossed and in the language of the text."""

    id: str
    query: str
    group: str
    crossed: float
    own: float

    @property
    def is_held_out(self) -> bool:
        return (self.group if self.group.startswith("conv-") else self.group[-1:]) in HELD_OUT


def print_shares(title: str, measured: Sequence[Measured], bar: float) -> None:
    """A line for all and one for each half."""
    print(f"{title:34s}  questions  crossed      own    share")
    halves = {
        "all": measured,
        "tuned on": [one for one in measured if not one.is_held_out],
        "held out": [one for one in measured if one.is_held_out],
    }
    for label, some in halves.items():
        if not some:
            continue
        crossed, own = fmean(one.crossed for one in some), fmean(one.own for one in some)
        share = crossed / own if own else 0.0
        told = ("" if share >= bar else "   BELOW") if label != "tuned on" else ""
        print(f"  {label:32s}  {len(some):9d}   {crossed:6.3f}   {own:6.3f}   {share:6.3f}   bar {bar:.2f}{told}")


def print_misses(measured: Sequence[Measured]) -> None:
    """What was found in its own language and not crossed; of the half that was tuned on."""
    for one in measured:
        if one.crossed < one.own and not one.is_held_out:
            print(f"  {one.id:14s} {one.crossed:.2f} of {one.own:.2f}  {one.query}")


def of_locomo(settings: Settings, folder: Path, mode: str) -> list[Measured]:
    """The chats' questions."""
    book = json.loads((folder / "gold.json").read_text(encoding="utf-8"))
    own_lines = {
        line["id"]: line for line in map(json.loads, (folder / "queries.ndjson").read_text(encoding="utf-8").splitlines())
    }
    asked = [json.loads(line) for line in LOCOMO_QUESTIONS.read_text(encoding="utf-8").splitlines()]
    ids = [f"{one['conversation']}/{one['question']}" for one in asked]
    korean = [own_lines[id] | {"query": one["korean"]} for id, one in zip(ids, asked, strict=True)]
    english = [own_lines[id] for id in ids]

    def recalls(lines: Sequence[Mapping[str, str]]) -> dict[str, float]:
        answers = bench_locomo.ask(settings, [json.dumps(line, ensure_ascii=False) for line in lines], mode, "weighted")
        gold = book["gold"]
        return {id: bench_locomo.measured(answers[id], set(gold[id]["turns"]), book["turn_of"])["R@10"] for id in ids}

    crossed, own = recalls(korean), recalls(english)
    return [Measured(id, one["korean"], one["conversation"], crossed[id], own[id]) for id, one in zip(ids, asked, strict=True)]


def of_sessions(settings: Settings, mode: str) -> dict[str, list[Measured]]:
    """The sessions' questions, by their kind."""
    from memory_assets.configuration import Resources

    told = [json.loads(line) for line in SESSION_QUESTIONS.read_text(encoding="utf-8").splitlines()]
    # Some transcripts number their messages: only with the session an id names one.
    places = {(one.session_id, one.message_uid): one.place for one in bench_korean.passages(Resources(settings).database)}
    if missing := [one["id"] for one in told if (one["session_id"], one["message_uid"]) not in places]:
        sys.exit(f"{len(missing)} questions are not about these sessions, the first is {missing[0]}")

    def recalls(field: str) -> dict[str, float]:
        asked = [
            bench_korean.Question(
                one["id"], one[field], one["kind"], None, one["session_id"], (one["message_uid"], *one["also"])
            )
            for one in told
        ]
        right = {one.id: [places[one.session_id, uid] for uid in one.message_uids] for one in asked}
        hits = bench_korean.ask(settings, asked, mode)  # type: ignore[arg-type]
        return {one.id: float(bench_korean.rank_of(right[one.id], hits[one.id]) is not None) for one in asked}

    crossed, own = recalls("query"), recalls("same_language")
    found: dict[str, list[Measured]] = {}
    for one in told:
        measured = Measured(one["id"], one["query"], one["session_id"], crossed[one["id"]], own[one["id"]])
        found.setdefault(one["kind"], []).append(measured)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--locomo", type=Path, help="a folder with prepared conversations")
    parser.add_argument("--locomo-home", type=Path, help="a store that has them")
    parser.add_argument("--sessions", type=Path, help="the folder of sessions to import")
    parser.add_argument("--sessions-home", type=Path, help="a store that has them")
    parser.add_argument("--mode", default="lexical", choices=("auto", "hybrid", "lexical", "vector"))
    parser.add_argument("--misses", action="store_true", help="print what was found in its own language only")
    given = parser.parse_args()
    if given.locomo is None and given.sessions is None and given.sessions_home is None:
        print("not measured: name a folder with prepared conversations, or one of sessions")
        return
    os.environ.setdefault("MEMORY_EMBEDDING_MODEL", "hashing")
    os.environ.pop("DAGSTER_HOME", None)
    from memory_assets.defs.run import import_paths
    from memory_assets.settings import load_settings

    if given.locomo is not None:
        with tempfile.TemporaryDirectory(prefix="memory-crossed-") as scratch:
            settings = load_settings({"home": str(given.locomo_home or scratch)})
            if given.locomo_home is None:
                import_paths(settings, [given.locomo / "sessions"], project=None)
            chats = of_locomo(settings, given.locomo, given.mode)
        print_shares("Korean questions, English chats", chats, LOCOMO_BAR)
        if given.misses:
            print_misses(chats)
    if given.sessions is not None or given.sessions_home is not None:
        with bench_korean.store(given.sessions, given.sessions_home) as settings:
            by_kind = of_sessions(settings, given.mode)
        print_shares("both, coding sessions", [one for some in by_kind.values() for one in some], SESSION_BAR)
        for kind, some in by_kind.items():
            print_shares(kind, some, SESSION_BAR)
            if given.misses:
                print_misses(some)


if __name__ == "__main__":
    sys.exit(main())
