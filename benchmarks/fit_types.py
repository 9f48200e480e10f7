"""Fits a model of the types of what an agent says, and holds it against the votes that ship, on projects left out.

  python benchmarks/fit_types.py SESSIONS_FOLDER [--gold GOLD_FOLDER]

A multinomial logistic model over the cues of a sentence, of the heading above it, of the sentences beside it and of its
message, and over its places. The ridge draws it to the votes. It judges the sentences of agents that meet a decision, fact or
insight of a reader and that nearly weigh enough to be kept. Nothing of it ships: see docs/extraction.md.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from annotated_sessions import AnnotatedSession, annotated_sessions, meet
from scipy.optimize import minimize

from memory_assets.extraction.cues import built_in_rules
from memory_assets.extraction.scoring import Read, read_window, score_window
from memory_assets.extraction.windows import windows

TYPES = ("decision", "fact", "insight")
NEARLY = -1.0
"""How far below what an entry needs a sentence may be."""
UNIT = 0.3
"""What a vote is worth in log-odds."""
RIDGES = (3.0, 10.0, 30.0, 100.0)
SEEN = 8
"""Sentences that have a feature, from which it is one."""
BESIDE = ("done", "is-done", "ko-done", "cause", "ko-cause", "missing", "ko-problem", "lead-in")
"""The cues that tell of the sentences around theirs."""


@dataclass(frozen=True)
class Spoken:
    """A sentence that a reader would keep: where it is from, its features, what the votes say, and what the reader says."""

    project: str
    features: frozenset[str]
    votes: tuple[float, ...]
    voted: str
    told: str


def spoken(session: AnnotatedSession) -> list[Spoken]:
    found: list[Spoken] = []
    rules = built_in_rules()
    for messages in session.talks:
        for window in windows(messages):
            scored = score_window(messages, window, rules)
            pairs = zip(read_window(messages, window, rules), scored, strict=True)
            for _, group in groupby(pairs, key=lambda pair: pair[0].spot.message_index):
                said = list(group)
                reads = [read for read, _ in said]
                for number, (read, one) in enumerate(said):
                    told = _told(session, read.spot.sentence.text)
                    if read.spot.voice != "user" and one.score >= NEARLY and told is not None:
                        votes = _votes(read)
                        found.append(Spoken(session.project, _features(reads, number), votes, one.entry_type or "fact", told))
    return found


def _told(session: AnnotatedSession, text: str) -> str | None:
    """The type of the first memory that a sentence meets, where it is one of those that are told apart."""
    met = (m.entry_type for m in session.memories if session.saw(text) and any(meet(text, quote) for quote in m.quotes))
    told = next(met, None)
    return told if told in TYPES else None


def _votes(read: Read) -> tuple[float, ...]:
    votes: dict[str, float] = defaultdict(float)
    for cue in (*read.cues, *read.on_heading):
        votes[cue.entry_type or ""] += cue.vote
    for place in read.places:
        for name, vote in built_in_rules().types.get(place, {}).items():
            votes[name] += vote
    return tuple(votes[name] for name in TYPES)


def _features(reads: list[Read], number: int) -> frozenset[str]:
    read = reads[number]
    found = {f"cue:{cue.name}" for cue in (*read.cues, *read.on_heading)} | {f"place:{place}" for place in read.places}
    for other, one in enumerate(reads):
        if other != number:
            where = "beside" if abs(other - number) == 1 else "message"
            found |= {f"{where}:{cue.name}" for cue in one.cues if cue.name in BESIDE}
    return frozenset(found)


def fitted(data: list[Spoken], ridge: float) -> tuple[dict[str, int], Any]:
    counts = Counter(name for one in data for name in one.features)
    column = {name: number for number, name in enumerate(sorted(name for name, count in counts.items() if count >= SEEN))}
    rows = rows_of(data, column)
    votes = UNIT * np.array([one.votes for one in data])
    told = np.array([[one.told == name for name in TYPES] for one in data], float)

    def loss(flat: Any) -> tuple[float, Any]:
        weights = flat.reshape(-1, len(TYPES))
        odds = votes + rows @ weights
        odds -= odds.max(1, keepdims=True)
        share = np.exp(odds) / np.exp(odds).sum(1, keepdims=True)
        total = -np.log((share * told).sum(1)).sum() + 0.5 * ridge * (weights**2).sum()
        return float(total), (rows.T @ (share - told) + ridge * weights).ravel()

    start = np.zeros(rows.shape[1] * len(TYPES))
    return column, minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300}).x.reshape(-1, len(TYPES))


def rows_of(data: list[Spoken], column: dict[str, int]) -> Any:
    rows = np.zeros((len(data), len(column) + 1))
    rows[:, -1] = 1
    for row, one in enumerate(data):
        rows[row, [column[name] for name in one.features if name in column]] = 1
    return rows


def right(data: list[Spoken], column: dict[str, int], weights: Any) -> int:
    odds = UNIT * np.array([one.votes for one in data]) + rows_of(data, column) @ weights
    return sum(TYPES[best] == one.told for best, one in zip(odds.argmax(1), data, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--gold", type=Path, help="a folder of further annotations, with quotes as text")
    arguments = parser.parse_args()
    data = [one for session in annotated_sessions(arguments.sessions, arguments.gold) for one in spoken(session)]
    most = Counter(one.told for one in data).most_common(1)[0][1]
    print(f"{len(data)} sentences: {most / len(data):.3f} are of the commonest type")
    print(f"the votes that ship        {sum(one.voted == one.told for one in data) / len(data):.3f} right")
    for ridge in RIDGES:
        count = 0
        for project in sorted({one.project for one in data}):
            model = fitted([one for one in data if one.project != project], ridge)
            count += right([one for one in data if one.project == project], *model)
        seen = right(data, *fitted(data, ridge))
        print(f"ridge {ridge:5.0f}, left out       {count / len(data):.3f} right, {seen / len(data):.3f} where it was fitted")


if __name__ == "__main__":
    main()
