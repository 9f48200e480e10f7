"""Gates chosen by golden questions of a real store, and what search and answers make of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.ask.request import AskRequest
from memory_assets.commands.calibration import calibrate, reset
from memory_assets.memory import Memory
from memory_assets.search.answerability.own_gates import FILE
from memory_assets.search.answerability.sureness import shipped
from memory_assets.search.errors import GoldenInvalidError
from memory_assets.search.request import SearchRequest
from memory_assets.settings import load_settings
from memory_assets_tests.ask.test_asking import store

ASKED = ("When did Jonas adopt a greyhound?", "재시도는 몇 번까지 하지?", "When did Mina go to the pottery workshop?")
UNKNOWN = ("Which insurance covers the helicopter?", "Who painted the zeppelin?", "우주 정거장 임대료는 얼마야?")


def suite(*, project: str | None, times: int = 2) -> str:
    where = f", project: {project}" if project else ""
    lines = [
        f"  - {{id: {kind}-{number}-{time}, query: '{query}{' ' * time}', mode: lexical{where}, {told}}}"
        for kind, queries, told in (("a", ASKED, "answer: x"), ("u", UNKNOWN, "unanswerable: true"))
        for number, query in enumerate(queries)
        for time in range(times)
    ]
    return "\n".join(["suite: gates", "questions:", *lines, ""])


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
    return tmp_path / "golden.yaml"


def test_a_gate_is_chosen_written_and_gone_by(memory: Memory, golden: Path) -> None:
    golden.write_text(suite(project="home"), encoding="utf-8")
    tried = calibrate(memory.searcher, golden, most_wrong=0.0)
    within, over_all = tried.scopes
    assert (within.scope, within.answerable, within.unanswerable) == ("within_a_project", 6, 6)
    assert within.after is not None and within.after.refused_wrongly == 0.0 and within.after.refused_rightly > 0.5
    assert over_all.after is None and over_all.before.gate == shipped().gate_over_all and over_all.answerable == 0
    assert tried.written_to is None and not (memory.settings.home / FILE).exists()

    kept = calibrate(memory.searcher, golden, most_wrong=0.0, write=True)
    assert kept.scopes == tried.scopes and kept.written_to == str(memory.settings.home / FILE)
    asked = memory.asker.ask(AskRequest(ASKED[0], project="home", mode="lexical", log=False))
    assert asked.retrieval.score_gate == within.after.gate != shipped().gate_within and asked.grounded
    over_the_store = memory.asker.ask(AskRequest(ASKED[0], mode="lexical", log=False))
    assert over_the_store.retrieval.score_gate == shipped().gate_over_all


def test_search_and_answers_go_by_the_store_s_own_gate(memory: Memory) -> None:
    """A gate that nothing reaches."""
    asked = SearchRequest(ASKED[0], project="home", mode="lexical", log=False)
    assert (before := memory.searcher.search(asked).retrieval) is not None and before.known
    (memory.settings.home / FILE).write_text(
        f'version = "own"\nweights = "{shipped().version}"\n[gates]\nwithin_a_project = 1.0\n'
    )
    assert (behind := memory.searcher.search(asked).retrieval) is not None and not behind.known
    refused = memory.asker.ask(AskRequest(ASKED[0], project="home", mode="lexical", log=False))
    assert not refused.grounded and refused.retrieval.score_gate == 1.0
    assert reset(memory.settings.home) and not reset(memory.settings.home)
    assert (again := memory.searcher.search(asked).retrieval) is not None and again == before


def test_too_few_questions_choose_nothing(memory: Memory, golden: Path) -> None:
    golden.write_text(suite(project="home", times=1), encoding="utf-8")
    with pytest.raises(GoldenInvalidError, match="so few questions"):
        calibrate(memory.searcher, golden, most_wrong=0.1, write=True)
    assert not (memory.settings.home / FILE).exists()


def test_nothing_is_recorded(memory: Memory, golden: Path) -> None:
    golden.write_text(suite(project=None), encoding="utf-8")
    with memory.database.reading() as connection:
        before = connection.execute("SELECT count(*) FROM events").fetchall()
    calibrate(memory.searcher, golden, most_wrong=0.5)
    with memory.database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM events").fetchall() == before
