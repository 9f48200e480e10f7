"""Fits the weights of the embedded extractor's rules on annotated sessions, and says how they do on those left out.

  python benchmarks/fit_extraction_rules.py GOLD_FOLDER SESSIONS_FOLDER SCORE_PY [--write]

GOLD_FOLDER holds a JSON file for each annotated session (its "file", "annotator", "entries" and what was "visible"), SCORE_PY
is the program that scores an extractor against them; its rule of when a quote meets a memory is used here too. With --write
the weights go into memory_assets/extraction/rules.toml. The product itself holds numbers only and needs none of this.

A logistic model over the named cues and places. The ridge draws a cue to the vote that a person gave it (to its weight when
it has no type), a place to nothing. A weight of 1 in the rules is 0.3 in log-odds.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import importlib.util
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from memory_assets.evidence.aligner import Aligner
from memory_assets.evidence.model import AlignedEvidence
from memory_assets.extraction.aligned_entries import align_entry
from memory_assets.extraction.cues import Rules, built_in_rules
from memory_assets.extraction.dedupe import merge_entries
from memory_assets.extraction.rules import extract_window
from memory_assets.extraction.scoring import read_window
from memory_assets.extraction.windows import windows
from memory_assets.sessions.model import Message, SourceTaken
from memory_assets.sessions.reading import read_source

UNIT = 0.3
FLOOR = -1.1
RIDGE = 100.0
MANY = 150
"""Sentences of a session from which each counts for less, so that a long one does not decide alone."""
RULES = Path(__file__).resolve().parents[1] / "memory_assets" / "extraction" / "rules.toml"


@dataclass
class Annotated:
    name: str
    gold: dict[str, Any]
    talks: list[tuple[Message, ...]]
    names: list[list[str]]
    kept: np.ndarray[Any, Any]


def load(gold_folder: Path, sessions: Path, score: Any) -> list[Annotated]:
    meets = functools.lru_cache(None)(score.meet)
    found = []
    for path in sorted(gold_folder.glob("*.json")):
        gold = json.loads(path.read_text())
        if gold["annotator"] not in "ABC":
            continue
        outcome = read_source(gold["file"], (sessions / gold["file"]).read_bytes())
        assert isinstance(outcome, SourceTaken)
        talks = [session.messages for session in outcome.sessions]
        quotes = [one["quote"] for entry in gold["entries"] for one in (entry, *entry.get("also", []))]
        seen = score.fold(" ".join(gold["visible"])) if gold.get("visible") else None
        names, kept = [], []
        for messages in talks:
            for window in windows(messages):
                for read in read_window(messages, window, built_in_rules()):
                    spot = read.spot
                    if seen is None or score.fold(spot.message.text)[:100] in seen:
                        places = [f"place:{place}" for place in read.places]
                        names.append([f"cue:{cue.name}" for cue in (*read.cues, *read.on_heading)] + places)
                        kept.append(any(meets(spot.sentence.text, quote) for quote in quotes))
        found.append(Annotated(Path(gold["file"]).name, gold, talks, names, np.array(kept, float)))
    return found


def columns(data: list[Annotated]) -> list[str]:
    counts = Counter(name for one in data for names in one.names for name in set(names))
    places = {name for name, count in counts.items() if name.startswith("place:") and count >= 8}
    return sorted({f"cue:{cue.name}" for cue in built_in_rules().cues} | places)


def fit(data: list[Annotated], names: list[str]) -> Rules:
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


def met(one: Annotated, rules: Rules, score: Any) -> Counter[str]:
    quotes: list[list[str]] = []
    for messages in one.talks:
        texts, aligner, aligned = [message.text for message in messages], Aligner(), []
        for window in windows(messages):
            aligned += [align_entry(aligner, texts, entry) for entry in extract_window(messages, window, rules)]
        for item in merge_entries(aligned):
            quotes.append([found.matched_text for found in item.evidence if isinstance(found, AlignedEvidence)])
    if one.gold.get("visible"):
        seen = score.fold(" ".join(one.gold["visible"]))
        quotes = [found for found in quotes if any(score.fold(quote) in seen for quote in found)]
    memories = one.gold["entries"]
    edges = {
        number: [
            other
            for other, memory in enumerate(memories)
            if any(score.meet(q, told["quote"]) for q in found[:3] for told in (memory, *memory.get("also", [])))
        ]
        for number, found in enumerate(quotes)
    }
    owner = score.matching(edges, list(edges))
    must = [number for number, memory in enumerate(memories) if memory["importance"] == 3]
    return Counter(found=len(quotes), gold=len(memories), met=len(owner), must=len(must), kept=sum(n in owner for n in must))


def report(title: str, data: list[Annotated], rules_for: Callable[[Annotated], Rules], score: Any) -> None:
    total: Counter[str] = Counter()
    for one in data:
        total.update(met(one, rules_for(one), score))
    f1 = 2 * total["met"] / max(1, total["found"] + total["gold"])
    precision, recall = total["met"] / max(1, total["found"]), total["met"] / max(1, total["gold"])
    must = total["kept"] / max(1, total["must"])
    print(f"{title}: F1 {f1:.3f}, precision {precision:.3f}, recall {recall:.3f}, must-keep {must:.3f}")


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
    parser.add_argument("gold", type=Path)
    parser.add_argument("sessions", type=Path)
    parser.add_argument("score", type=Path)
    parser.add_argument("--write", action="store_true", help="write the weights into rules.toml")
    arguments = parser.parse_args()
    spec = importlib.util.spec_from_file_location("score", arguments.score)
    assert spec is not None and spec.loader is not None
    score = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    data = load(arguments.gold, arguments.sessions, score)
    names = columns(data)
    report("the shipped rules", data, lambda _: built_in_rules(), score)
    report("each session by rules fitted on the others", data, lambda one: fit([o for o in data if o is not one], names), score)
    rules = fit(data, names)
    report("rules fitted on all", data, lambda _: rules, score)
    if arguments.write:
        write(rules)


if __name__ == "__main__":
    main()
