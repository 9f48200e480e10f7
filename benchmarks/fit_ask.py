"""Fits the weights of ``memory_assets/search/answerability/calibration.toml``, each judged on what it was not fitted on.

  python benchmarks/fit_ask.py FOLDER --chats HOME --sessions HOME [--write]

FOLDER holds ``questions.ndjson`` and ``gold.json`` as the program that scores `memory ask` over LoCoMo prepares them, and the
store --chats has its sessions; the store --sessions has the agent sessions that ``session_questions.ndjson`` and
``ask_korean_questions.ndjson`` ask about. None of these texts is part of this repository.

Two logistic models are fitted: whether a passage holds the answer, and how much of the answer a sentence says; and, of agent
sessions, in which of all lines that were found the answer stands: under these weights the right line is to be the likeliest,
which no threshold for each line alone can say. Each is fitted without one
conversation (of agent sessions without a fifth of them) and asked about what was left out; the figures printed are of these.
--write fits on everything and writes the file.

Printed: the share of the right messages among the first 1, 2 and 3 passages, as search ranks them and as the model does; of
conversations how much of the answer the quotes hold and how many of the messages that they cite are right, of agent sessions
how often the gold words stand in the first quote and in the first three. What is refused, ``fit_answerability.py`` fits.
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
    from memory_assets.ask.line_signs import Line
    from memory_assets.search.answerability.calibration import Weights
    from memory_assets.search.answerability.passages import Passage, Quotable
    from memory_assets.search.answerability.question import Question
    from memory_assets.search.searcher import Searcher

HERE = Path(__file__).parent
FILE = HERE.parent / "memory_assets" / "search" / "answerability" / "calibration.toml"
VERSION = "2"
LOOKED_AT = 6
ANSWERABLE = ("within", "over_all", "sessions", "korean")
LINE_WEIGHTS = {"sessions": 1.0, "korean": 0.5}
"""Of a question of each kind, for the lines: there are more Korean ones, and of fewer sessions."""
LINE_PENALTY = 10.0
LEAST_PART = 13
"""Characters of a line that is part of the gold words."""

Place = tuple[str, int]


@dataclass
class Asked:
    """A question with what was found for it.

    Attributes:
        fold: what is left out together.
        says: how much of the answer a sentence of a passage says, 0 to 1.
        gold: the answer of a conversation's question, or the words that hold it in agent sessions.
        passages: the signs of each; ``sentences`` those of the first ones by their grades; ``lines`` of agent sessions, each
            with whether it has the gold words.
    """

    kind: str
    fold: str
    question: Question
    found: list[Passage]
    wanted: int
    right: list[bool]
    says: Callable[[Passage, Quotable], float]
    gold: tuple[str, ...] = ()
    passages: list[Mapping[str, float]] = field(default_factory=list)
    grades: list[float] = field(default_factory=list)
    sentences: list[tuple[Mapping[str, float], float]] = field(default_factory=list)
    lines: list[tuple[Line, float]] = field(default_factory=list)
    quotes: list[Quote] = field(default_factory=list)

    @property
    def weight(self) -> float:
        return {"korean": 0.1, "over_all": 0.5}.get(self.kind, 1.0)


def looked_up(searcher: Searcher, asked: Sequence[tuple[str, str | None]]) -> Iterator[tuple[Question, list[Passage]]]:
    """Each question with its passages and its search, as an answer begins with them."""
    from memory_assets.ask.request import AskRequest
    from memory_assets.search.answerability.passages import passages_of
    from memory_assets.search.answerability.question import understood
    from memory_assets.search.searcher import LookedUp

    requests = [AskRequest(text, project=project).search() for text, project in asked]
    for (text, _), found in zip(asked, searcher.look_up_all(requests), strict=True):
        assert isinstance(found, LookedUp), found
        with searcher.database.reading() as connection:
            yield understood(text, found), passages_of(connection, found.response.hits)


def of_chats(folder: Path, home: Path) -> Iterator[Asked]:
    """The questions over conversations."""
    book = json.loads((folder / "gold.json").read_text(encoding="utf-8"))
    lines = [json.loads(line) for line in (folder / "questions.ndjson").read_text(encoding="utf-8").splitlines()]
    found = looked_up(opened(home), [(line["question"], line.get("project")) for line in lines])
    kinds = {"in": "within", "open": "over_all"}
    for line, (question, passages) in zip(lines, found, strict=True):
        gold = book["ask"][line["id"]]
        wanted = set(gold["turns"])
        right = [book["turn_of"].get(f"{one.place[0]}#{one.place[1]}") in wanted for one in passages]

        def says(passage: Passage, sentence: Quotable, answer: str = str(gold["answer"] or "")) -> float:
            return shared(sentence.text, answer)

        yield Asked(
            kinds.get(gold["kind"], gold["kind"]),
            line["id"].partition("/")[0],
            question,
            passages,
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
    for one, (question, passages) in zip(asked, looked_up(searcher, [(q.query, None) for q in asked]), strict=True):
        gold: dict[Place, list[tuple[int, int]]] = defaultdict(list)
        for span in one.gold:
            if (index := index_of.get(span.message)) is not None:
                gold[span.message[0], index].append((span.start, span.end))
        right = [any(start < p.end and end > p.start for start, end in gold.get(p.place, ())) for p in passages]

        def says(passage: Passage, sentence: Quotable, gold: Mapping[Place, list[tuple[int, int]]] = gold) -> float:
            spans = gold.get(passage.place, [])
            return max((max(0, min(b, sentence.end) - max(a, sentence.start)) / (b - a) for a, b in spans), default=0.0)

        texts = {p.place: p.text for p in passages}
        held = tuple(texts[place][a:b] for place, spans in gold.items() if place in texts for a, b in spans)
        fold = f"{kind} {int(sha256(str(one.messages[:1] or one.id).encode()).hexdigest(), 16) % 5}"
        yield Asked(kind if one.is_answerable else "unanswerable", fold, question, passages, 1, right, says, held)


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

        self.names = list(rows[0][0])
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
        return section(name, self.weights())


def section(name: str, weights: Weights) -> str:
    """Weights as a part of the file."""
    lines = [f"{sign} = {value:.4f}\n" for sign, value in weights.of.items()]
    return f"[{name}]\nintercept = {weights.intercept:.4f}\n{''.join(lines)}\n"


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
        if one.kind == "within"  # of agent sessions lines are quoted
        for signs, truth in one.sentences
    ]
    return Model(rows, 0.5)


def line_weights(asked: Sequence[Asked]) -> Weights:
    """Of lines, the weights under which one that holds the answer is the likeliest among all lines of its question."""
    import numpy as np
    from scipy.optimize import minimize

    from memory_assets.search.answerability.calibration import Weights

    some = [one for one in asked if any(right for _, right in one.lines)]
    names = list(some[0].lines[0][0].signs)
    signs = np.array([[line.signs[name] for name in names] for one in some for line, _ in one.lines])
    right = np.array([share for one in some for _, share in one.lines])
    lengths = [len(one.lines) for one in some]
    starts = np.r_[0, np.cumsum(lengths)[:-1]]
    question = np.repeat(np.arange(len(some)), lengths)
    counted = np.array([LINE_WEIGHTS[one.kind] for one in some])
    spread = signs.std(0) + 1e-9
    scaled = (signs - signs.mean(0)) / spread

    def loss(weights: Any) -> tuple[float, Any]:
        scores = scaled @ weights
        grown = np.exp(scores - np.maximum.reduceat(scores, starts)[question])
        total, good = np.add.reduceat(grown, starts), np.add.reduceat(grown * right, starts) + 1e-12
        slope = (grown / total[question] - grown * right / good[question]) * counted[question]
        penalty = LINE_PENALTY * float(weights @ weights)
        return float((counted * np.log(total / good)).sum()) + penalty, scaled.T @ slope + 2 * LINE_PENALTY * weights

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    return Weights(0.0, {name: float(weight) for name, weight in zip(names, found / spread, strict=True)})


def left_out(asked: Sequence[Asked]) -> Iterator[tuple[list[Asked], list[Asked]]]:
    """What is fitted on, and what is asked about, fold by fold."""
    for fold in sorted({one.fold for one in asked}):
        yield [one for one in asked if one.fold != fold], [one for one in asked if one.fold == fold]


def measure(asked: Sequence[Asked]) -> None:
    """Fill in the signs of everything; those that need grades get them from models that did not see the question."""
    from memory_assets.ask.extractive import quotes_for
    from memory_assets.ask.line_signs import lines_of
    from memory_assets.search.answerability.calibration import Calibration
    from memory_assets.search.answerability.signs import signs_of_passage, signs_of_sentence

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
        if one.kind in LINE_WEIGHTS:
            one.lines = [(line, holds_gold(line, one.gold)) for line in lines_of(one.question, ranked)]
    for fitted_on, rest in left_out(asked):
        of_sentences, of_lines = sentence_model(fitted_on).weights(), line_weights(fitted_on)
        known = Calibration(VERSION, of_sentences, of_sentences, of_lines)
        for one in rest:
            ranked = sorted(zip(one.found, one.grades, strict=True), key=lambda pair: -pair[1])
            one.quotes = quotes_for(one.question, ranked, known)


def holds_gold(line: Line, gold: Sequence[str]) -> float:
    """Whether a line has the gold words, or is most of a line among them."""
    said = words_of(line.passage.lines[line.number].text)
    return float(any(words_of(one) in said or (len(said) >= LEAST_PART and said in words_of(one)) for one in gold))


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


def written(asked: Sequence[Asked]) -> str:
    return (
        "# Made by benchmarks/fit_ask.py of conversations and agent sessions. Not edited by hand.\n"
        f'version = "{VERSION}"\n\n'
        + passage_model(asked).section("passage")
        + sentence_model(asked).section("sentence")
        + section("line", line_weights(asked)).rstrip()
        + "\n"
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
