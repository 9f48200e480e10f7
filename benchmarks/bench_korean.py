"""How well a Korean question finds the turn that answers it, by the form that the question has.

  python benchmarks/bench_korean.py [SESSIONS_FOLDER] [--home HOME] [--mode lexical hybrid] [--misses] [--dump FILE]

The sessions are imported into an empty store, or taken from the store of --home as they are there; with neither there is
nothing to measure, for the texts are no part of this repository: its sample sessions are others. Every question of
``korean_questions.ndjson`` is asked of all that the store holds, English passages, memories and tasks too. Printed are recall@1
and recall@10 (of the questions; one is answered by a hit that cites the message that it was written for, or one that says the
same, its ``also``) and the mean reciprocal rank, 0 from the eleventh place on: over all questions and by their kind. With
--misses, also what was not found first. With --dump nothing is asked: the passages of kind ``said`` and the questions with the
places of their answers go into one JSON file, to try rankings on.

The questions were written by hand over Korean and Korean-English turns of coding sessions, short ones and long answers, each
after reading the passage, as an engineer would type it: one to six words, no sentence of the text. A line names its passage by
the id that the transcript gave the message. What two plain BM25 rankings put before the answer was then read too: where it
answers as well it became an ``also``, and questions that turned out to fit several turns were reworded or left out, so the
scores of such rankings are a little too good. Two in five questions are about a dozen long answers. The kinds are:

  particles         the nouns of the text behind other particles (로그를, 로그가, 로그에서), some with a changed verb
  short             words of one and two syllables, as few as tell the passage from others
  spacing           words joined that the text parts, or parted that it joins
  mixed             Latin words among Korean ones, often with a particle behind them (API에서)
  paraphrase-light  whole questions with other verb endings and near words

Bars, of the lexical search: recall@1 >= .96, recall@10 >= .99.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_assets.log.database import Database
    from memory_assets.settings import Settings
    from memory_assets.vocabulary import AskedMode

QUESTIONS = Path(__file__).with_name("korean_questions.ndjson")
KINDS = ("particles", "short", "spacing", "mixed", "paraphrase-light")
DEPTH = 10
RECALL_AT_1_BAR = 0.96
RECALL_AT_10_BAR = 0.99

Place = tuple[str, int]
"""A session's id and the index of a message in it."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the messages that answer it: first the one that it was written for."""

    id: str
    query: str
    kind: str
    project: str | None
    session_id: str
    message_uids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A message of a store."""

    session_id: str
    message_index: int
    message_uid: str
    role: str
    text: str
    ts: str | None

    @property
    def place(self) -> Place:
        return self.session_id, self.message_index


def questions() -> list[Question]:
    """The set, in its order."""
    told = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    return [
        Question(
            one["id"], one["query"], one["kind"], one.get("project"), one["session_id"], (one["message_uid"], *one["also"])
        )
        for one in told
    ]


def passages(database: Database) -> list[Passage]:
    """What people and agents said, in its order."""
    with database.reading() as connection:
        rows = connection.execute(
            """SELECT session_id, message_index, message_uid, role, text, ts FROM messages
               WHERE kind = 'said' ORDER BY session_id, message_index"""
        ).fetchall()
    return [
        Passage(session_id, index, uid, role, text, said_at.isoformat() if said_at else None)
        for session_id, index, uid, role, text, said_at in rows
    ]


def answers(asked: Sequence[Question], among: Sequence[Passage]) -> dict[str, list[Place]]:
    """Where each question is answered. Ends the program where a message is missing: the sessions are not those of the set."""
    places: dict[str, list[Place]] = {}
    for passage in among:
        places.setdefault(passage.message_uid, []).append(passage.place)
    found = {one.id: [place for uid in one.message_uids for place in places.get(uid, [])] for one in asked}
    missing = [one.id for one in asked if len(found[one.id]) != len(one.message_uids) or found[one.id][0][0] != one.session_id]
    if missing:
        sys.exit(f"{len(missing)} questions are not about these sessions, the first is {missing[0]}")
    return found


def ask(settings: Settings, asked: Sequence[Question], mode: AskedMode) -> dict[str, list[list[Place]]]:
    """By the id of each question: the messages that each hit cites, best hit first. As ``memory search --bulk`` asks."""
    from memory_assets.memory import Memory, SearchRequest

    lines = [json.dumps({"id": one.id, "query": one.query, "project": one.project}, ensure_ascii=False) for one in asked]
    defaults = SearchRequest("", mode=mode, k=DEPTH, log=False)
    return {
        item.id: [
            [(citation.session_id, citation.message_index) for citation in hit.citations if citation.kind == "message"]
            for hit in (item.response.hits if item.response else ())
        ]
        for item in Memory(settings).bulk_search(lines, defaults=defaults)
    }


def rank_of(right: Sequence[Place], hits: Sequence[Sequence[Place]]) -> int | None:
    """The place of the first hit that cites a right message, from 1; None where there is none."""
    wanted = set(right)
    return next((rank for rank, cited in enumerate(hits[:DEPTH], 1) if wanted.intersection(cited)), None)


def print_scores(asked: Sequence[Question], ranks: dict[str, int | None], mode: str) -> None:
    """A line for all and one for each kind."""
    print(f"{mode}: {len(asked)} questions           recall@1  recall@10    MRR")
    for label in ("all", *KINDS):
        some = [ranks[one.id] for one in asked if label in ("all", one.kind)]
        first = sum(rank == 1 for rank in some) / len(some)
        ten = sum(rank is not None for rank in some) / len(some)
        reciprocal = sum(1 / rank for rank in some if rank is not None) / len(some)
        bars = f"   bars {RECALL_AT_1_BAR} and {RECALL_AT_10_BAR}" if label == "all" and mode == "lexical" else ""
        print(f"  {label:17s} {len(some):4d}          {first:6.3f}     {ten:6.3f} {reciprocal:6.3f}{bars}")


def print_misses(asked: Sequence[Question], ranks: dict[str, int | None]) -> None:
    """The questions whose answer was not the first hit."""
    for one in asked:
        if (rank := ranks[one.id]) != 1:
            print(f"  {one.id:20s} {'not among ten' if rank is None else f'place {rank}':13s} {one.query}")


def dump(path: Path, among: Sequence[Passage], asked: Sequence[Question], right: dict[str, list[Place]]) -> None:
    """Everything that a ranking needs to be tried without a store."""
    told = {
        "passages": [
            {
                "session_id": one.session_id,
                "message_index": one.message_index,
                "message_uid": one.message_uid,
                "role": one.role,
                "text": one.text,
                "ts": one.ts,
            }
            for one in among
        ],
        "questions": [
            {
                "id": one.id,
                "query": one.query,
                "project": one.project,
                "kind": one.kind,
                "session_id": one.session_id,
                "message_uid": one.message_uids[0],
                "message_index": right[one.id][0][1],
                "also": [{"session_id": session_id, "message_index": index} for session_id, index in right[one.id][1:]],
            }
            for one in asked
        ],
    }
    path.write_text(json.dumps(told, ensure_ascii=False, indent=1), encoding="utf-8")
    print(f"{len(among)} passages and {len(asked)} questions written to {path}")


@contextmanager
def store(sessions: Path | None, home: Path | None) -> Iterator[Settings]:
    """The settings of the store to ask: the one there is, or an empty one with the sessions imported."""
    from memory_assets.defs.run import import_paths
    from memory_assets.settings import load_settings

    if home is not None:
        yield load_settings({"home": str(home)})
        return
    assert sessions is not None
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings({"home": str(Path(folder) / "home")})
        import_paths(settings, [sessions], project=None)
        yield settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", type=Path, nargs="?", help="the folder to import")
    parser.add_argument("--home", type=Path, help="a store that has the sessions, asked as it is")
    parser.add_argument("--mode", nargs="+", choices=("lexical", "vector", "hybrid", "auto"), default=["lexical"])
    parser.add_argument("--misses", action="store_true", help="print what was not found first")
    parser.add_argument("--dump", type=Path, metavar="FILE", help="write passages and questions as JSON, and ask nothing")
    given = parser.parse_args()
    if given.sessions is None and given.home is None:
        print("not measured: the sessions that the questions are about are not shipped; give their folder, or --home")
        return
    os.environ.setdefault("MEMORY_EMBEDDING_MODEL", "hashing")
    os.environ.pop("DAGSTER_HOME", None)
    from memory_assets.configuration import Resources

    with store(given.sessions, given.home) as settings:
        asked, among = questions(), passages(Resources(settings).database)
        right = answers(asked, among)
        if given.dump is not None:
            dump(given.dump, among, asked, right)
            return
        for mode in given.mode:
            hits = ask(settings, asked, mode)
            ranks = {one.id: rank_of(right[one.id], hits[one.id]) for one in asked}
            print_scores(asked, ranks, mode)
            if given.misses:
                print_misses(asked, ranks)


if __name__ == "__main__":
    main()
