"""Fits the weights of ``memory_assets/search/answerability/answerability.toml``, judged on what they were not fitted on.

  python benchmarks/fit_answerability.py FOLDER --chats HOME --sessions HOME [--write]

The arguments are those of ``fit_ask.py``, and so are the questions; none of their texts is part of this repository.

Two logistic models are fitted: whether a unit that was found holds the answer, and whether what was found does. Each is fitted
without one conversation (of agent sessions without a fifth of them) and asked about what was left out; the figures printed are
of these. --write fits on everything and writes the file.

Printed: for a range of gates how many questions of each kind are said to be unknown; the area under the curve; and for a range
of numbers how many questions reach them, and of these how many have the right message among the first three hits.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from bench_session_questions import questions
from fit_ask import ANSWERABLE, HERE, Model, Place, opened

if TYPE_CHECKING:
    from memory_assets.results.citation import AnyCitationV1
    from memory_assets.search.answerability.evidence import Evidence
    from memory_assets.search.searcher import LookedUp, Searcher

FILE = HERE.parent / "memory_assets" / "search" / "answerability" / "answerability.toml"
VERSION = "1"
WEIGHTS = {
    "within": 0.5,
    "over_all": 1.0,
    "absent": 1.0,
    "adversarial": 1.6,
    "sessions": 2.0,
    "unanswerable": 5.0,
    "korean": 0.3,
}
"""Of a question of each kind, for the model of answerability: they are of very different number."""
GATES = {"within_a_project": 0.38, "over_all": 0.38, "enough_from": 0.8}
"""Chosen by the figures that this program prints."""
HEADING = "Made by benchmarks/fit_answerability.py of conversations and agent sessions. Not edited by hand."
FIRST = 3
UNIT_WEIGHTS = {"korean": 0.1, "over_all": 0.5}
"""Of a question's units, for the model of these, where it is not 1."""


@dataclass
class Example:
    """A question with what was found for it.

    Attributes:
        fold: what is left out together.
        right: by the id of each unit that is a hit, whether it cites a message that answers.
        is_first: whether one of the first three hits does, or what stands beside it.
    """

    kind: str
    fold: str
    evidence: Evidence
    right: Mapping[str, bool]
    is_first: bool
    grades: list[float] = field(default_factory=list)
    number: float = 0.0

    @property
    def signs(self) -> list[Mapping[str, float]]:
        from memory_assets.search.answerability.sureness import signs_of_unit

        return [signs_of_unit(self.evidence, unit, rank) for rank, unit in enumerate(self.evidence.units)]

    @property
    def all_signs(self) -> Mapping[str, float]:
        from memory_assets.search.answerability.sureness import signs_of_all

        return signs_of_all(self.evidence, self.grades)


def looked_up(searcher: Searcher, asked: Sequence[tuple[str, str | None]]) -> Iterator[LookedUp]:
    from memory_assets.ask.request import AskRequest
    from memory_assets.search.searcher import LookedUp

    for found in searcher.look_up_all([AskRequest(text, project=project).search() for text, project in asked]):
        assert isinstance(found, LookedUp), found
        yield found


def example(kind: str, fold: str, found: LookedUp, gold: Mapping[Place, Sequence[tuple[int, int]]]) -> Example:
    """A question.

    Args:
        gold: the messages that answer it, each with the characters that do; none for all of them.
    """
    hits = found.response.hits
    right = {hit.unit_id: _cites(hit.citations, gold) for hit in hits}
    first = any(_cites((*hit.citations, *hit.beside), gold) for hit in sorted(hits, key=lambda hit: hit.rank)[:FIRST])
    return Example(kind, fold, found.answerability.evidence, right, first)


def _cites(citations: Sequence[AnyCitationV1], gold: Mapping[Place, Sequence[tuple[int, int]]]) -> bool:
    for cited in citations:
        place = getattr(cited, "session_id", None), getattr(cited, "message_index", None)
        start, end = getattr(cited, "span_start", None), getattr(cited, "span_end", None)
        spans = gold.get(place)  # type: ignore[arg-type]
        if spans is not None and (not spans or start is None or any(start < b and a < end for a, b in spans)):
            return True
    return False


def of_chats(folder: Path, home: Path) -> Iterator[Example]:
    """The questions over conversations."""
    book = json.loads((folder / "gold.json").read_text(encoding="utf-8"))
    lines = [json.loads(line) for line in (folder / "questions.ndjson").read_text(encoding="utf-8").splitlines()]
    places: dict[tuple[str, str], Place] = {}
    for written, turn in book["turn_of"].items():
        session_id, _, index = written.rpartition("#")
        places[session_id.rpartition("-")[0], turn] = session_id, int(index)
    kinds = {"in": "within", "open": "over_all"}
    found = looked_up(opened(home), [(line["question"], line.get("project")) for line in lines])
    for line, one in zip(lines, found, strict=True):
        asked = book["ask"][line["id"]]
        conversation = line["id"].partition("/")[0]
        answers = [place for turn in asked["turns"] if (place := places.get((conversation, turn))) is not None]
        gold: dict[Place, list[tuple[int, int]]] = {place: [] for place in answers}
        yield example(kinds.get(asked["kind"], asked["kind"]), conversation, one, gold)


def of_sessions(home: Path, name: str, kind: str) -> Iterator[Example]:
    """The questions over agent sessions."""
    asked, searcher = questions(HERE / name), opened(home)
    with searcher.database.reading() as connection:
        rows = connection.execute("SELECT session_id, message_uid, message_index FROM messages").fetchall()
    index_of = {(session, uid): index for session, uid, index in reversed(rows)}
    for one, found in zip(asked, looked_up(searcher, [(each.query, None) for each in asked]), strict=True):
        gold: dict[Place, list[tuple[int, int]]] = defaultdict(list)
        for span in one.gold:
            if (index := index_of.get(span.message)) is not None:
                gold[span.message[0], index].append((span.start, span.end))
        fold = f"{kind} {int(sha256(str(one.messages[:1] or one.id).encode()).hexdigest(), 16) % 5}"
        yield example(kind if one.is_answerable else "unanswerable", fold, found, gold)


def unit_model(some: Sequence[Example]) -> Model:
    return Model(
        [
            (signs, float(one.right[unit.unit_id]), UNIT_WEIGHTS.get(one.kind, 1.0))
            for one in some
            if one.kind in ANSWERABLE
            for unit, signs in zip(one.evidence.units, one.signs, strict=True)
            if unit.unit_id in one.right
        ],
        1.0,
    )


def answer_model(some: Sequence[Example]) -> Model:
    return Model([(one.all_signs, float(one.kind in ANSWERABLE), WEIGHTS[one.kind]) for one in some if one.evidence.units], 1.0)


def left_out(some: Sequence[Example]) -> Iterator[tuple[list[Example], list[Example]]]:
    """What is fitted on, and what is asked about, fold by fold."""
    for fold in sorted({one.fold for one in some}):
        yield [one for one in some if one.fold != fold], [one for one in some if one.fold == fold]


def measure(some: Sequence[Example]) -> None:
    """The number of each question, by models that did not see it."""
    for fitted_on, rest in left_out(some):
        model = unit_model(fitted_on)
        for one in rest:
            one.grades = model.grades(one.signs)
    for fitted_on, rest in left_out(some):
        model = answer_model(fitted_on)
        for one in rest:
            one.number = model.grades([one.all_signs])[0] if one.evidence.units else 0.0


def report(some: Sequence[Example]) -> None:
    kinds = sorted({one.kind for one in some})
    print("unknown at   " + "".join(f"{kind:>14}" for kind in kinds))
    for gate in (0.3, 0.34, 0.38, 0.42, 0.46, 0.5, 0.54):
        shares = [fmean(one.number < gate for one in some if one.kind == kind) for kind in kinds]
        print(f"{gate:<13.2f}" + "".join(f"{share:>14.3f}" for share in shares))
    for yes, no in (("over_all", "absent"), ("within", "adversarial"), ("sessions", "unanswerable")):
        print(f"{yes} against {no}: AUC {area(some, yes, no):.3f}")
    both = [one for one in some if one.kind in ("sessions", "unanswerable", "korean", "over_all", "absent")]
    for enough in (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9):
        reach = [one for one in both if one.number >= enough]
        print(f"{enough:.2f} reached by {len(reach)} of {len(both)}, right in three {fmean(one.is_first for one in reach):.3f}")


def area(some: Sequence[Example], yes: str, no: str) -> float:
    from sklearn.metrics import roc_auc_score

    both = [one for one in some if one.kind in (yes, no)]
    return float(roc_auc_score([one.kind == yes for one in both], [one.number for one in both]))


def fitted(some: Sequence[Example]) -> str:
    """The file, fitted on everything; the second model on grades of models that did not see the question."""
    from memory_assets.search.answerability.sureness import SurenessCalibration, written

    models = unit_model(some).weights(), answer_model(some).weights()
    return written(SurenessCalibration(VERSION, *models, *GATES.values()), heading=HEADING)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--chats", type=Path, required=True)
    parser.add_argument("--sessions", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    told = parser.parse_args()
    some = [
        *of_chats(told.folder, told.chats),
        *of_sessions(told.sessions, "session_questions.ndjson", "sessions"),
        *of_sessions(told.sessions, "ask_korean_questions.ndjson", "korean"),
    ]
    measure(some)
    report(some)
    if told.write:
        FILE.write_text(fitted(some), encoding="utf-8")
        print(f"wrote {FILE.name}")


if __name__ == "__main__":
    main()
