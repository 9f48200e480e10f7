"""Golden questions answered by a real store: what is said, cited and refused, recorded, and compared with what was before."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.ask.evaluation import measured
from memory_assets.ask.request import AskRequest
from memory_assets.commands.evaluation import evaluate_answers
from memory_assets.errors import NotFoundError
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.log.payloads.question_result import QuestionResult
from memory_assets.memory import Memory
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import verify
from memory_assets.queries.answers import list_answers
from memory_assets.queries.evaluation import compared_runs
from memory_assets.results.evaluation import EvalRunV1
from memory_assets.search.errors import GoldenInvalidError
from memory_assets.search.evaluation.golden import parse_golden
from memory_assets.search.evaluation.measures import aggregate, area_under_curve
from memory_assets.settings import load_settings
from memory_assets_tests.ask.test_asking import store

GOLDEN = """
suite: home
bars: {answer_recall: 0.5, refused: 0.5, mrr: 1.0}
questions:
  - id: greyhound
    query: When did Jonas adopt a greyhound?
    project: home
    mode: lexical
    answer: [two years ago, 19 May 2023]
    expected: ["session:pottery#m=3", "session:pottery#m=1"]
    forbidden: [Zanzibar, "session:uploads#m=0"]
  - id: retries
    query: 재시도는 몇 번까지 하지?
    project: home
    mode: lexical
    answer: 다섯 번
  - {id: helicopter, query: Which insurance covers the helicopter?, project: home, mode: lexical, unanswerable: true}
  - {id: of-search, query: of search alone, contains: [Redis]}
"""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store(tmp_path_factory.mktemp("asked")).settings.home


@pytest.fixture
def memory(filled: Path, tmp_path: Path) -> Iterator[Memory]:
    home = tmp_path / "home"
    shutil.copytree(filled, home)
    memory = Memory(load_settings({"home": home, "embedding": {"model": "hashing"}}))
    with memory.database.kept_open():
        yield memory


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    file = tmp_path / "golden.yaml"
    file.write_text(GOLDEN, encoding="utf-8")
    return file


def evaluated(memory: Memory, golden: Path, *, mode: str | None = None, unless_known: bool = False) -> EvalRunV1:
    return evaluate_answers(memory.asker.searcher, golden, mode=mode, unless_known=unless_known)


def test_a_run_measures_what_is_said_cited_and_refused(memory: Memory, golden: Path) -> None:
    found = evaluated(memory, golden)
    greyhound, retries, helicopter, of_search = found.questions
    # One of two expected messages is cited, and one of two citations is expected; of two ways to say it the nearer counts.
    assert (greyhound.answer_recall, greyhound.answered, greyhound.refused) == (1.0, 1.0, None)
    assert (greyhound.citation_precision, greyhound.citation_recall, greyhound.forbidden_hits) == (0.5, 0.5, 0)
    assert (retries.answer_recall, retries.citation_precision, retries.citation_recall) == (1.0, None, None)
    assert (helicopter.refused, helicopter.answered, helicopter.answer_recall) == (1.0, None, None)
    assert helicopter.answerability is not None and helicopter.answerability < (greyhound.answerability or 0)
    assert of_search.skipped and found.passed and found.reasons == ()
    assert found.aggregate == aggregate(_results(found)) and found.aggregate["auc"] == 1.0
    assert (found.aggregate["answered"], found.aggregate["refused"], found.aggregate["scored"]) == (1.0, 1.0, 3.0)
    assert found.config["of"] == "answers" and found.config["answerer"].startswith("extractive-v")


def _results(found: EvalRunV1) -> list[QuestionResult]:
    return [
        QuestionResult(
            one.id, "", one.k, one.delivered, forbidden=one.forbidden_hits, skipped=one.skipped,
            answer_recall=one.answer_recall, citation_precision=one.citation_precision, citation_recall=one.citation_recall,
            answered=one.answered, refused=one.refused, answerability=one.answerability,
        )
        for one in found.questions
    ]  # fmt: skip


@pytest.mark.long
def test_neither_question_nor_answer_is_kept(memory: Memory, golden: Path) -> None:
    evaluated(memory, golden)
    with memory.database.reading() as connection:
        told = repr(connection.execute("SELECT payload_json FROM events WHERE event_type = 'eval_run_recorded'").fetchall())
    for words in ("greyhound?", "Biscuit", "May", "다섯", "insurance", "session:"):
        assert words not in told
    assert memory.read(list_answers).total == 0
    assert verify(memory.database, memory.resources.configured_versions).equal


@pytest.mark.long
def test_what_is_answered_no_more_is_a_regression_and_the_questions_are_named(memory: Memory, golden: Path) -> None:
    first = evaluated(memory, golden)
    assert evaluated(memory, golden, unless_known=True) == first
    forget = NewEvent(SessionForgotten(reason="asked"), session_id="pottery", inputs=("now",))
    EventLog(memory.database).append([forget])
    catch_up(memory.database, memory.resources.configured_versions, resolve=True)
    worse = evaluated(Memory(memory.settings), golden, unless_known=True)
    assert worse.baseline_run_id == first.run_id and not worse.passed
    assert any(reason.startswith("answer_recall fell from 1.000 to 0.") for reason in worse.reasons)
    assert worse.questions[0].gone == 2
    changed = memory.read(compared_runs, golden=golden)
    assert [(one.id, one.better) for one in changed.questions if not one.better] == [("greyhound", False)]
    assert changed.before.run_id == first.run_id


def test_runs_of_answers_and_of_search_are_not_compared_with_each_other(memory: Memory, golden: Path) -> None:
    evaluated(memory, golden)
    of_search = memory.evaluate(golden)
    assert of_search.baseline_run_id is None and "answer_recall" not in of_search.aggregate
    assert all("answer_recall" not in reason for reason in of_search.reasons)
    assert of_search.questions[2].skipped and not of_search.questions[3].skipped
    with pytest.raises(NotFoundError):
        memory.read(compared_runs, golden=golden)
    assert evaluated(memory, golden).baseline_run_id is not None
    assert evaluated(memory, golden, mode="hybrid").baseline_run_id is None


def test_a_question_that_cannot_be_asked_is_measured_as_missed() -> None:
    suite = parse_golden("questions: [{query: a, answer: b}, {query: c, unanswerable: true}]")
    failed = [measured(question, GoldenInvalidError("no")) for question in suite.questions]
    assert [(one.answer_recall, one.answered, one.refused, bool(one.error)) for one in failed] == [
        (0.0, 0.0, None, True),
        (None, None, 0.0, True),
    ]


def test_a_file_that_expects_no_answer_is_refused(memory: Memory, golden: Path) -> None:
    golden.write_text("questions: [{query: x, contains: [y]}]")
    with pytest.raises(GoldenInvalidError, match="no question expects an answer"):
        evaluated(memory, golden)


def test_a_refusal_has_said_nothing_and_cited_nothing(memory: Memory) -> None:
    (question,) = parse_golden(
        "questions: [{query: helicopter, answer: greyhound, expected: ['session:pottery#m=3']}]"
    ).questions
    answer = memory.ask(AskRequest("Which insurance covers the helicopter?", project="home", mode="lexical"))
    found = measured(question, answer)
    assert (found.answer_recall, found.answered, found.citation_precision, found.citation_recall) == (0.0, 0.0, None, None)


def test_the_area_under_the_curve_counts_pairs() -> None:
    def one(answerability: float, *, can: bool) -> QuestionResult:
        return QuestionResult(
            "q", "h", 1, answered=1.0 if can else None, refused=None if can else 1.0, answerability=answerability
        )

    told = [one(0.9, can=True), one(0.4, can=True), one(0.4, can=False), one(0.1, can=False)]
    assert area_under_curve(told) == (1 + 1 + 0.5 + 1) / 4
    assert area_under_curve(told[:2]) is None and area_under_curve([]) is None
