"""Fits the weights of the embedded extractor's rules on annotated sessions, and says how they do on projects left out.

  python benchmarks/fit_extraction_rules.py SESSIONS_FOLDER [--gold GOLD_FOLDER] [--write]

The annotations of ``benchmarks/annotations`` are used, and those of GOLD_FOLDER. With --write the weights go into
memory_assets/extraction/rules.toml. The product itself holds numbers only and needs none of this.

A logistic model over the named cues and places. The ridge draws a cue to the vote that a person gave it (to its weight when
it has no type), a place to nothing. A weight of 1 in the rules is 0.3 in log-odds.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from annotated_sessions import AnnotatedSession, annotated_sessions, meet, seen_entries
from scipy.optimize import minimize
from score_extraction import line, tally

from memory_assets.extraction.cues import Rules, built_in_rules
from memory_assets.extraction.scoring import read_window
from memory_assets.extraction.windows import windows

UNIT = 0.3
FLOOR = -1.1
RIDGE = 100.0
MANY = 150
"""Sentences of a session from which each counts for less, so that a long one does not decide alone."""
RULES = Path(__file__).resolve().parents[1] / "memory_assets" / "extraction" / "rules.toml"


@dataclass
class Read:
    """The sentences of an annotated session: which cues and places each has, and whether a reader kept it."""

    session: AnnotatedSession
    names: list[list[str]]
    kept: np.ndarray[Any, Any]


def read(session: AnnotatedSession) -> Read:
    quotes = [quote for memory in session.memories for quote in memory.quotes]
    names, kept = [], []
    for messages in session.talks:
        for window in windows(messages):
            for one in read_window(messages, window, built_in_rules()):
                text = one.spot.sentence.text
                if session.saw(text):
                    places = [f"place:{place}" for place in one.places]
                    names.append([f"cue:{cue.name}" for cue in (*one.cues, *one.on_heading)] + places)
                    kept.append(any(meet(text, quote) for quote in quotes))
    return Read(session, names, np.array(kept, float))


def columns(data: list[Read]) -> list[str]:
    counts = Counter(name for one in data for names in one.names for name in set(names))
    places = {name for name, count in counts.items() if name.startswith("place:") and count >= 8}
    return sorted({f"cue:{cue.name}" for cue in built_in_rules().cues} | places)


def fit(data: list[Read], names: list[str]) -> Rules:
    place = {name: number for number, name in enumerate(names)}
    prior = {f"cue:{cue.name}": (cue.vote if cue.entry_type else cue.weight) * UNIT for cue in built_in_rules().cues}
    start = np.array([prior.get(name, 0.0) for name in names] + [-1.2])
    rows = np.zeros((sum(len(one.names) for one in data), len(names) + 1))
    rows[:, -1] = 1
    for row, found in enumerate(held for one in data for held in one.names):
        rows[row, [place[name] for name in found if name in place]] = 1
    kept = np.concatenate([one.kept for one in data])
    counts = np.concatenate([np.full(len(one.kept), (MANY / max(MANY, len(one.kept))) ** 0.5) for one in data])
    ridge = np.array([RIDGE] * len(names) + [0.001])

    def loss(weights: Any) -> tuple[float, Any]:
        odds = rows @ weights
        away = weights - start
        total = (counts * np.logaddexp(0, -odds * (2 * kept - 1))).sum() + 0.5 * (ridge * away**2).sum()
        return float(total), rows.T @ (counts * (1 / (1 + np.exp(-odds)) - kept)) + ridge * away

    weights = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300}).x / UNIT
    fitted = dict(zip(names, weights[:-1], strict=True))
    rules = built_in_rules()
    enough = round(float(FLOOR / UNIT - weights[-1]), 1)
    return dataclasses.replace(
        rules,
        cues=tuple(dataclasses.replace(cue, weight=round(float(fitted[f"cue:{cue.name}"]), 1)) for cue in rules.cues),
        places={name[6:]: round(float(weight), 1) for name, weight in fitted.items() if name.startswith("place:")},
        limits=rules.limits | {"user": enough, "assistant": enough},
    )


def report(title: str, data: list[Read], rules_for: Callable[[Read], Rules]) -> None:
    total: Counter[str] = Counter()
    for one in data:
        total.update(tally(one.session, seen_entries(one.session, rules_for(one)))["all"])
    print(line(title, total), flush=True)


def write(rules: Rules) -> None:
    text = RULES.read_text(encoding="utf-8")
    for cue in rules.cues:
        begin = text.index(f'name = "{cue.name}"\n')
        end = text.find("[[cue]]", begin) % (len(text) + 1)
        told = re.sub(r"^(weight = )\S+", rf"\g<1>{cue.weight}", text[begin:end], count=1, flags=re.M)
        text = text[:begin] + told + text[end:]
    for name in ("user", "assistant"):
        text = re.sub(rf"^({name} = )\S+", rf"\g<1>{rules.limits[name]}", text, count=1, flags=re.M)
    for name, weight in rules.places.items():
        text = re.sub(rf'^("{re.escape(name)}" = )\S+', rf"\g<1>{weight}", text, flags=re.M)
        if f'"{name}" = ' not in text and weight:
            print(f'a place that the file does not name: "{name}" = {weight}')
    RULES.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--gold", type=Path, help="a folder of further annotations, with quotes as text")
    parser.add_argument("--write", action="store_true", help="write the weights into rules.toml")
    arguments = parser.parse_args()
    data = [read(session) for session in annotated_sessions(arguments.sessions, arguments.gold)]
    names = columns(data)
    report("shipped", data, lambda _: built_in_rules())
    left_out = {one.session.project: fit([o for o in data if o.session.project != one.session.project], names) for one in data}
    report("projects left out", data, lambda one: left_out[one.session.project])
    rules = fit(data, names)
    report("fitted on all", data, lambda _: rules)
    if arguments.write:
        write(rules)


if __name__ == "__main__":
    main()
