"""Golden questions asked of a real store, recorded, and compared with what was before."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_assets.configuration import Resources
from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.memory import Memory
from memory_assets.projections.rebuild import verify
from memory_assets.queries.evaluation import compared_runs
from memory_assets.queries.golden_file import golden_path, write_golden
from memory_assets.search.errors import GoldenInvalidError
from memory_assets.search.request import SearchRequest
from memory_assets.search.searcher import Searcher
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.filled_store import fill
from memory_assets_tests.filled_store import test_settings as store_settings

GOLDEN = """
suite: shop
questions:
  - id: cache
    query: 캐시는 어디로 옮기기로 했나
    expected: ["session:shop-1#m=1"]
    must_contain: [재시작이 빠르기]
    forbidden: [MySQL]
  - id: database
    query: Which PostgreSQL do the orders keep?
    contains: [PostgreSQL 16]
  - id: unanswered
    query: 아무것도 바라지 않는 물음
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fill(tmp_path_factory.mktemp("filled")).home


@pytest.fixture
def memory(filled: Path, home: Path) -> Iterator[Memory]:
    shutil.copytree(filled, home)
    memory = Memory(store_settings(home))
    with memory.database.kept_open():
        yield memory


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    file = tmp_path / "golden.yaml"
    file.write_text(GOLDEN, encoding="utf-8")
    return file


def with_settings(settings: Settings, **evaluation: Any) -> Memory:
    return Memory(load_settings({"home": settings.home, "embedding": {"model": "hashing"}, "evaluation": evaluation}))


def test_a_run_measures_records_and_passes(memory: Memory, golden: Path) -> None:
    found = memory.evaluate(golden)
    assert found.passed and found.reasons == () and found.baseline_run_id is None
    assert [question.id for question in found.questions] == ["cache", "database", "unanswered"]
    cache, database, unanswered = found.questions
    assert (cache.hit_at_k, cache.must_contain, cache.forbidden_hits, cache.k) == (1.0, 1.0, 0, 10)
    assert database.hit_at_k == 1.0 and database.must_contain is None and unanswered.skipped
    assert (found.aggregate["scored"], found.aggregate["skipped"], found.aggregate["hit_at_k"]) == (2, 1, 1.0)
    assert found.config["embedding_version"] == "hashing-256-1"
    again = memory.evaluate(golden)
    assert again.passed and again.baseline_run_id == found.run_id != again.run_id


def test_no_question_and_no_answer_is_kept(memory: Memory, golden: Path) -> None:
    memory.evaluate(golden)
    with memory.database.reading() as connection:
        told = repr(connection.execute("SELECT payload_json FROM events WHERE event_type = 'eval_run_recorded'").fetchall())
        told += repr(connection.execute("SELECT * FROM eval_runs").fetchall())
    for words in ("캐시", "PostgreSQL", "재시작", "MySQL", "session:", "아무것도"):
        assert words not in told
    assert "cache" in told


def test_it_does_not_count_as_shown(memory: Memory, golden: Path) -> None:
    memory.evaluate(golden)
    assert memory.stats().deliveries == 0
    memory.search("캐시")
    assert memory.stats().deliveries > 0


@pytest.mark.long
def test_a_replay_gives_the_runs_again(memory: Memory, golden: Path) -> None:
    memory.evaluate(golden)
    golden.write_text(GOLDEN.replace("PostgreSQL 16]", "MongoDB]").replace("suite: shop", "suite: shop\nbars: {mrr: 1.0}"))
    assert not memory.evaluate(golden).passed
    assert verify(memory.database, Resources(memory.settings).configured_versions).equal


def test_bars_and_failures_keep_it_from_passing(memory: Memory, golden: Path) -> None:
    golden.write_text(GOLDEN + "    contains: [nowhere]\n" + "bars: {recall_at_k: 0.9, forbidden_hits: 0}\n", encoding="utf-8")
    found = memory.evaluate(golden)
    assert [reason.split(" ")[0] for reason in found.reasons] == ["recall_at_k"]
    golden.write_text(GOLDEN.replace("MySQL", "Redis"), encoding="utf-8")
    assert any("forbidden" in reason for reason in memory.evaluate(golden).reasons)
    # A question that nobody can answer fails alone.
    golden.write_text(GOLDEN.replace("    query: 캐시는", "    query: '...'\n    # 캐시는"), encoding="utf-8")
    failed = memory.evaluate(golden)
    assert failed.reasons and failed.questions[0].error == "invalid_argument" and failed.questions[1].hit_at_k == 1.0


@pytest.mark.long
def test_what_grew_worse_than_the_last_run_that_passed_is_a_regression(memory: Memory, golden: Path) -> None:
    best = memory.search("PostgreSQL 16 orders", mode="lexical", log=False).hits[0]
    wanted = best.id or best.citations[0].uri
    golden.write_text(f"questions: [{{id: orders, mode: lexical, query: PostgreSQL 16 orders, expected: ['{wanted}']}}]")
    first = memory.evaluate(golden)
    assert first.passed and first.aggregate["mrr"] == 1.0
    for _ in range(3):
        memory.feedback(best.unit_id, "wrong", by="me")
    strict = with_settings(memory.settings, tolerance=0.0)
    worse = strict.evaluate(golden)
    assert worse.baseline_run_id == first.run_id
    assert not worse.passed and worse.reasons[0].startswith("mrr fell from ")
    # A run that did not pass is no baseline.
    assert strict.evaluate(golden).baseline_run_id == first.run_id
    change = next(
        one
        for one in strict.read(compared_runs, first.run_id, worse.run_id, golden=golden_path(strict.settings)).questions
        if not one.better
    )
    assert change.changes[0].metric == "mrr" and change.changes[0].gain < 0
    assert with_settings(memory.settings, tolerance=1.0).evaluate(golden).passed


def test_other_modes_are_other_suites(memory: Memory, golden: Path) -> None:
    memory.evaluate(golden)
    lexical = memory.evaluate(golden, mode="lexical", k=1)
    assert lexical.baseline_run_id is None and {question.k for question in lexical.questions[:2]} == {1}
    assert memory.evaluate(golden, mode="lexical", k=1).baseline_run_id == lexical.run_id


def test_addresses_that_name_nothing_are_missed_and_counted(memory: Memory, golden: Path) -> None:
    golden.write_text('questions: [{query: Redis, expected: ["mem:zzzzzz", "session:no#m=0", "session:shop-1#m=1&c=0-9999"]}]')
    found = memory.evaluate(golden)
    assert (found.questions[0].gone, found.questions[0].recall_at_k, found.suite) == (3, 1 / 3, "golden")


def test_runs_are_compared_question_by_question(memory: Memory, golden: Path) -> None:
    with pytest.raises(NotFoundError):
        memory.read(compared_runs, golden=golden_path(memory.settings))
    one = memory.evaluate(golden)
    with pytest.raises(NotFoundError):
        memory.read(compared_runs, golden=golden_path(memory.settings))
    golden.write_text(GOLDEN.replace("PostgreSQL 16]", "MongoDB]"), encoding="utf-8")
    two = memory.evaluate(golden)
    found = memory.read(compared_runs, golden=golden)
    # The changed question is another one.
    assert (found.before.run_id, found.after.run_id, found.common) == (one.run_id, two.run_id, 1)
    assert found.only_before == found.only_after == ("database",) and found.questions == ()
    assert found.after.questions[0].query == "캐시는 어디로 옮기기로 했나"
    named = memory.read(compared_runs, two.run_id[:12], one.run_id, golden=golden_path(memory.settings))
    assert (named.before.run_id, named.after.run_id) == (two.run_id, one.run_id)
    assert named.after.questions[0].query == ""
    with pytest.raises(InvalidArgumentError):
        memory.read(compared_runs, one.run_id, golden=golden_path(memory.settings))
    with pytest.raises(NotFoundError):
        memory.read(compared_runs, one.run_id, "evl_ffffffff", golden=golden_path(memory.settings))


def test_unless_known_asks_nothing_twice(memory: Memory, golden: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = memory.evaluate(golden, unless_known=True)
    asked: list[str] = []
    real = Searcher.search

    def search(self: Searcher, request: SearchRequest, **how: Any) -> Any:
        asked.append(request.query)
        return real(self, request, **how)

    monkeypatch.setattr(Searcher, "search", search)
    assert memory.evaluate(golden, unless_known=True) == first and asked == []
    golden.write_text(GOLDEN + "  - {query: more, contains: [x]}\n", encoding="utf-8")
    assert memory.evaluate(golden, unless_known=True).run_id != first.run_id and len(asked) == 3
    memory.feedback("session:shop-1#m=1", "used", by="me")
    asked.clear()
    memory.evaluate(golden, unless_known=True)
    assert len(asked) == 3
    # Another release may search otherwise: that is what is to be found out.
    monkeypatch.setattr("memory_assets.commands.evaluation.__version__", "9.9.9")
    again = memory.evaluate(golden, unless_known=True)
    assert len(asked) == 6 and again.config["version"] == "9.9.9" and again.baseline_run_id is not None


def test_a_first_file_is_made_of_memories_and_asks_for_what_is_there(memory: Memory, home: Path) -> None:
    written = memory.read(write_golden, golden_path(memory.settings))
    file = home / "golden.yaml"
    assert (written.path, written.questions) == (str(file), 4) and file.stat().st_mode & 0o777 == 0o600
    found = memory.evaluate()
    assert found.aggregate["hit_at_k"] == 1.0 and found.aggregate["gone"] == 0 and found.suite == "golden"
    assert any("캐시" in question.query for question in found.questions)
    before = file.read_text()
    with pytest.raises(InvalidArgumentError):
        memory.read(write_golden, golden_path(memory.settings))
    assert file.read_text() == before
    memory.read(write_golden, golden_path(memory.settings), count=1, force=True)
    assert file.read_text().count("- query") == 1


@pytest.mark.parametrize(("text", "told"), [(None, "there is no file"), ("questions: []", "expects"), ("a: [", "line")])
def test_a_file_that_asks_nothing_is_refused(memory: Memory, tmp_path: Path, text: str | None, told: str) -> None:
    file = tmp_path / "odd.yaml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(GoldenInvalidError, match=told):
        memory.evaluate(file)


def test_a_file_without_a_name_is_called_after_itself(memory: Memory, tmp_path: Path) -> None:
    question = "questions: [{query: Redis, contains: [Redis]}]"
    for name, suite in (("mine.yaml", "mine"), ("나의 질문.yaml", "file_")):
        (tmp_path / name).write_text(question)
        found = memory.evaluate(tmp_path / name)
        assert found.suite.startswith(suite) and "질문" not in found.suite
