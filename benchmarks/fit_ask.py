"""Fits the weights of ``memory_assets/search/answerability/calibration.toml``, each judged on what it was not fitted on.

  python benchmarks/fit_ask.py FOLDER --chats HOME --sessions HOME [--write]

FOLDER holds ``questions.ndjson`` and ``gold.json`` as the program that scores `memory ask` over LoCoMo prepares them, and the
store --chats has its sessions; the store --sessions has the agent sessions that ``session_questions.ndjson`` and
``ask_korean_questions.ndjson`` ask about. None of these texts is part of this repository.

Three logistic models are fitted: whether a passage holds the answer, how much of the answer a sentence says, and whether what
was found can hold the answer. Each is fitted without one conversation (of agent sessions without a fifth of them) and asked
about what was left out; the figures printed are of these. --write fits on everything and writes the file.

Printed: the share of the right messages among the first 1, 2 and 3 passages, as search ranks them and as the model does; of
conversations how much of the answer the quotes hold and how many of the messages that they cite are right, of agent sessions
how often the gold words stand in the first quote and in the first three; for a range of gates how many questions of each kind
are refused; and the area under the curve of answerability.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from bench_session_questions import questions

if TYPE_CHECKING:
    from memory_assets.ask.extractive import Quote
    from memory_assets.results.search import SearchResponseV1
    from memory_assets.search.answerability.calibration import Weights
    from memory_assets.search.answerability.passages import Passage
    from memory_assets.search.answerability.question import Question
    from memory_assets.search.searcher import Searcher
    from memory_assets.text.sentences import Sentence

HERE = Path(__file__).parent
FILE = HERE.parent / "memory_assets" / "search" / "answerability" / "calibration.toml"
VERSION = "1"
GATES = {"within_a_project": 0.38, "over_all": 0.38}
LOOKED_AT = 6
SIGNS_LEFT_OUT = frozenset(("by_meaning",))
"""Of whether there is an answer: that a store has vectors says nothing of a question."""
ANSWERABLE = ("within", "over_all", "sessions", "korean")
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

Place = tuple[str, int]


@dataclass
class Asked:
    """A question with what was found for it.

    Attributes:
        fold: what is left out together.
        says: how much of the answer a sentence of a passage says, 0 to 1.
        gold: the answer of a conversation's question, or the words that hold it in agent sessions.
        passages: the signs of each; ``sentences`` those of the first ones by their grades; ``answer`` of everything.
    """

    kind: str
    fold: str
    question: Question
    found: list[Passage]
    response: SearchResponseV1
    wanted: int
    right: list[bool]
    says: Callable[[Passage, Sentence], float]
    gold: tuple[str, ...] = ()
    passages: list[Mapping[str, float]] = field(default_factory=list)
    grades: list[float] = field(default_factory=list)
    sentences: list[tuple[Mapping[str, float], float]] = field(default_factory=list)
    answer: Mapping[str, float] = field(default_factory=dict)
    answerability: float = 0.0
    quotes: list[Quote] = field(default_factory=list)

    @property
    def weight(self) -> float:
        return {"korean": 0.1, "over_all": 0.5}.get(self.kind, 1.0)


def looked_up(searcher: Searcher, asked: Sequence[tuple[str, str | None]]) -> Iterator[tuple[Question, list[Passage], Any]]:
    """Each question with its passages and its search, as an answer begins with them."""
    from memory_assets.ask.request import AskRequest
    from memory_assets.search.answerability.passages import passages_of
    from memory_assets.search.answerability.question import understood
    from memory_assets.search.searcher import LookedUp

    requests = [AskRequest(text, project=project).search() for text, project in asked]
    for (text, _), found in zip(asked, searcher.look_up_all(requests), strict=True):
        assert isinstance(found, LookedUp), found
        with searcher.database.reading() as connection:
            yield understood(text, found), passages_of(connection, found.response.hits), found.response


def of_chats(folder: Path, home: Path) -> Iterator[Asked]:
    """The questions over conversations."""
    book = json.loads((folder / "gold.json").read_text(encoding="utf-8"))
    lines = [json.loads(line) for line in (folder / "questions.ndjson").read_text(encoding="utf-8").splitlines()]
    found = looked_up(opened(home), [(line["question"], line.get("project")) for line in lines])
    kinds = {"in": "within", "open": "over_all"}
    for line, (question, passages, response) in zip(lines, found, strict=True):
        gold = book["ask"][line["id"]]
        wanted = set(gold["turns"])
        right = [book["turn_of"].get(f"{one.place[0]}#{one.place[1]}") in wanted for one in passages]

        def says(passage: Passage, sentence: Sentence, answer: str = str(gold["answer"] or "")) -> float:
            return shared(sentence.text, answer)

        yield Asked(
            kinds.get(gold["kind"], gold["kind"]),
            line["id"].partition("/")[0],
            question,
            passages,
            response,
            len(wanted),
            right,
            says,
            (str(gold["answer"] or ""),),
        )


def of_sessions(home: Path, name: str, kind: str) -> Iterator[Asked]:
    """The questions over agent sessions."""
    asked = questions(HERE / name)
    searcher = opened(home)
    with searcher.database.reading() as connection:
        rows = connection.execute("SELECT session_id, message_uid, message_index FROM messages").fetchall()
    index_of = {(session, uid): index for session, uid, index in reversed(rows)}
    for one, (question, passages, response) in zip(asked, looked_up(searcher, [(q.query, None) for q in asked]), strict=True):
        gold: dict[Place, list[tuple[int, int]]] = defaultdict(list)
        for span in one.gold:
            if (index := index_of.get(span.message)) is not None:
                gold[span.message[0], index].append((span.start, span.end))
        right = [any(start < p.end and end > p.start for start, end in gold.get(p.place, ())) for p in passages]

        def says(passage: Passage, sentence: Sentence, gold: Mapping[Place, list[tuple[int, int]]] = gold) -> float:
            spans = gold.get(passage.place, [])
            return max((max(0, min(b, sentence.end) - max(a, sentence.start)) / (b - a) for a, b in spans), default=0.0)

        texts = {p.place: p.text for p in passages}
        held = tuple(texts[place][a:b] for place, spans in gold.items() if place in texts for a, b in spans)
        fold = f"{kind} {int(sha256(str(one.messages[:1] or one.id).encode()).hexdigest(), 16) % 5}"
        yield Asked(kind if one.is_answerable else "unanswerable", fold, question, passages, response, 1, right, says, held)


def opened(home: Path) -> Searcher:
    from memory_assets.memory import Memory
    from memory_assets.settings import load_settings

    return Memory(load_settings({"home": str(home)})).asker.searcher


def shared(said: str, answer: str) -> float:
    """The share of an answer's words that a text has."""
    have, want = Counter(words(said)), Counter(words(answer))
    return sum((have & want).values()) / max(1, sum(want.values()))


def words(text: str) -> list[str]:
    from memory_assets.search.question.terms import stem

    return [stem(word) for word in re.findall(r"\w+", text.lower().replace(",", "")) if word not in ("a", "an", "the", "and")]


class Model:
    """A logistic model over signs, of rows with a share of truth and a weight."""

    def __init__(self, rows: Sequence[tuple[Mapping[str, float], float, float]], strength: float) -> None:
        import numpy as np
        from sklearn.linear_model import LogisticRegression

        self.names = [name for name in rows[0][0] if name not in SIGNS_LEFT_OUT]
        signs = np.array([[row[0][name] for name in self.names] for row in rows])
        truth, weight = np.array([row[1] for row in rows], dtype=float), np.array([row[2] for row in rows])
        both = np.vstack([signs, signs])
        label = np.r_[np.ones(len(rows)), np.zeros(len(rows))]
        counted = np.r_[truth * weight, (1 - truth) * weight]
        kept = counted > 0
        self.fitted = LogisticRegression(C=strength, max_iter=5000).fit(both[kept], label[kept], sample_weight=counted[kept])

    def grades(self, signs: Sequence[Mapping[str, float]]) -> list[float]:
        if not signs:
            return []
        return [float(one) for one in self.fitted.predict_proba([[s[name] for name in self.names] for s in signs])[:, 1]]

    def weights(self) -> Weights:
        from memory_assets.search.answerability.calibration import Weights

        coefficients = (float(one) for one in self.fitted.coef_[0])
        return Weights(float(self.fitted.intercept_[0]), dict(zip(self.names, coefficients, strict=True)))

    def section(self, name: str) -> str:
        lines = [f"{sign} = {value:.4f}\n" for sign, value in zip(self.names, self.fitted.coef_[0], strict=True)]
        return f"[{name}]\nintercept = {self.fitted.intercept_[0]:.4f}\n{''.join(lines)}\n"


def passage_model(asked: Sequence[Asked]) -> Model:
    rows = [
        (signs, float(right), one.weight)
        for one in asked
        if one.kind in ANSWERABLE
        for signs, right in zip(one.passages, one.right, strict=True)
    ]
    return Model(rows, 1.0)


def sentence_model(asked: Sequence[Asked]) -> Model:
    rows = [
        (signs, truth, one.weight)
        for one in asked
        if one.kind in ("within", "sessions", "korean")
        for signs, truth in one.sentences
    ]
    return Model(rows, 0.5)


def answer_model(asked: Sequence[Asked]) -> Model:
    return Model([(one.answer, float(one.kind in ANSWERABLE), WEIGHTS[one.kind]) for one in asked if one.answer], 1.0)


def left_out(asked: Sequence[Asked]) -> Iterator[tuple[list[Asked], list[Asked]]]:
    """What is fitted on, and what is asked about, fold by fold."""
    for fold in sorted({one.fold for one in asked}):
        yield [one for one in asked if one.fold != fold], [one for one in asked if one.fold == fold]


def measure(asked: Sequence[Asked]) -> None:
    """Fill in the signs of everything; those that need grades get them from models that did not see the question."""
    from memory_assets.ask.extractive import quotes_for
    from memory_assets.search.answerability.calibration import Calibration
    from memory_assets.search.answerability.signs import signs_of_answer, signs_of_passage, signs_of_sentence

    for one in asked:
        best = max((passage.hit.score for passage in one.found), default=0.0)
        one.passages = [signs_of_passage(one.question, passage, passage.hit.rank - 1, best) for passage in one.found]
    for fitted_on, rest in left_out(asked):
        model = passage_model(fitted_on)
        for one in rest:
            one.grades = model.grades(one.passages)
    for one in asked:
        ranked = sorted(zip(one.found, one.grades, strict=True), key=lambda pair: -pair[1])
        if one.kind in ANSWERABLE:
            one.sentences = [
                (signs_of_sentence(one.question, passage, place, grade, rank == 0), one.says(passage, sentence))
                for rank, (passage, grade) in enumerate(ranked[:LOOKED_AT])
                for place, sentence in enumerate(passage.sentences)
            ]
        one.answer = signs_of_answer(one.question, one.response, ranked) if ranked else {}
    for fitted_on, rest in left_out(asked):
        model, of_sentences = answer_model(fitted_on), sentence_model(fitted_on).weights()
        known = Calibration(VERSION, of_sentences, of_sentences, of_sentences, *GATES.values())
        for one in rest:
            one.answerability = model.grades([one.answer])[0] if one.answer else 0.0
            ranked = sorted(zip(one.found, one.grades, strict=True), key=lambda pair: -pair[1])
            one.quotes = quotes_for(one.question, ranked, known)


def report(asked: Sequence[Asked]) -> None:
    for kind in ("within", "sessions", "korean"):
        some = [one for one in asked if one.kind == kind]
        if not some:
            continue
        by_search = [fmean(min(1.0, sum(one.right[:k]) / one.wanted) for one in some) for k in (1, 2, 3)]
        by_grade = []
        for k in (1, 2, 3):
            order = [sorted(range(len(one.found)), key=lambda place, one=one: -one.grades[place])[:k] for one in some]
            pairs = zip(some, order, strict=True)
            by_grade.append(fmean(min(1.0, sum(one.right[at] for at in best) / one.wanted) for one, best in pairs))
        pairs = zip((1, 2, 3), by_search, by_grade, strict=True)
        shown = "  ".join(f"@{k} {before:.3f} -> {after:.3f}" for k, before, after in pairs)
        print(f"{kind:<14}{len(some):>5} questions, right messages {shown}")
        print(f"{'':<14}{of_quotes(kind, some)}")
    kinds = sorted({one.kind for one in asked})
    print("refused at   " + "".join(f"{kind:>14}" for kind in kinds))
    for gate in (0.3, 0.34, 0.38, 0.42, 0.46, 0.5):
        shares = [fmean(one.answerability < gate for one in asked if one.kind == kind) for kind in kinds]
        print(f"{gate:<13.2f}" + "".join(f"{share:>14.3f}" for share in shares))
    for yes, no in (("over_all", "absent"), ("within", "adversarial"), ("sessions", "unanswerable")):
        print(f"{yes} against {no}: AUC {area(asked, yes, no):.3f}")


def of_quotes(kind: str, some: Sequence[Asked]) -> str:
    """How good the quotes of some questions are, none of which is refused."""
    if kind != "within":
        shows = [[any(words_of(gold) in words_of(q.text) for gold in one.gold) for q in one.quotes] for one in some]
        first, three = (fmean(any(each[:k]) for each in shows) for k in (1, 3))
        return f"gold words in the first quote {first:.3f}, in three {three:.3f}"
    held = fmean(shared(" ".join(f"{q.time or ''} {q.text}" for q in one.quotes), one.gold[0]) for one in some)
    cited = [{quote.passage.place for quote in one.quotes} for one in some]
    right = [{p.place for p, good in zip(one.found, one.right, strict=True) if good} for one in some]
    precise = fmean(len(c & r) / len(c) for c, r in zip(cited, right, strict=True) if c)
    complete = fmean(min(1.0, len(c & r) / one.wanted) for c, r, one in zip(cited, right, some, strict=True))
    return f"answer held {held:.3f}, cited messages right {precise:.3f}, right messages cited {complete:.3f}"


def words_of(text: str) -> str:
    """A text with single blanks."""
    return " ".join(text.split())


def area(asked: Sequence[Asked], yes: str, no: str) -> float:
    from sklearn.metrics import roc_auc_score

    some = [one for one in asked if one.kind in (yes, no)]
    return float(roc_auc_score([one.kind == yes for one in some], [one.answerability for one in some]))


def written(asked: Sequence[Asked]) -> str:
    gates = "".join(f"{name} = {value}\n" for name, value in GATES.items())
    return (
        "# Made by benchmarks/fit_ask.py of conversations and agent sessions. Not edited by hand.\n"
        f'version = "{VERSION}"\n\n'
        + passage_model(asked).section("passage")
        + sentence_model(asked).section("sentence")
        + answer_model(asked).section("answer")
        + f"[gates]\n{gates}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--chats", type=Path, required=True)
    parser.add_argument("--sessions", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    told = parser.parse_args()
    asked = [
        *of_chats(told.folder, told.chats),
        *of_sessions(told.sessions, "session_questions.ndjson", "sessions"),
        *of_sessions(told.sessions, "ask_korean_questions.ndjson", "korean"),
    ]
    measure(asked)
    report(asked)
    if told.write:
        FILE.write_text(written(asked), encoding="utf-8")
        print(f"wrote {FILE.name}")


if __name__ == "__main__":
    main()
