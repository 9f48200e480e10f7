"""A judge of whether an answer follows from its evidence: off by default, and no answer without one where one is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from memory_assets.ask import entailment
from memory_assets.ask.request import AskRequest
from memory_assets.memory import Memory
from memory_assets.results.answer import AnswerV1
from memory_assets.settings import load_settings
from memory_assets_tests.ask.test_asking import store
from memory_assets_tests.extraction.provider import Provider, serving

pytestmark = pytest.mark.long

QUESTION = "What is the greyhound of Jonas called?"


class Overlapping:
    """A judge that counts words: what the premise has of the hypothesis."""

    def score(self, premise: str, hypothesis: str) -> float:
        said = set(hypothesis.lower().replace(".", "").split())
        return len(said & set(premise.lower().replace(".", "").split())) / len(said)


class Broken:
    def score(self, premise: str, hypothesis: str) -> float:
        raise RuntimeError("no weights")


class Odd:
    def score(self, premise: str, hypothesis: str) -> float:
        return float("nan")


def unmade() -> Overlapping:
    raise RuntimeError("no such file")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store(tmp_path_factory.mktemp("judged")).settings.home


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    with serving() as served:
        yield served


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Judges as a package would bring them."""

    def entry_points(group: str, name: str) -> list[EntryPoint]:
        known = {"overlapping": "Overlapping", "broken": "Broken", "odd": "Odd", "unmade": "unmade", "missing": "Missing"}
        return [EntryPoint(name, f"{__name__}:{known[name]}", group)] if group == entailment.GROUP and name in known else []

    monkeypatch.setattr(entailment, "entry_points", entry_points)
    entailment._judge.cache_clear()
    yield
    entailment._judge.cache_clear()


def ask(home: Path, provider: Provider | None = None, *, nli: str | None = None, threshold: float = 0.5) -> AnswerV1:
    chosen: dict[str, object] = {"nli": nli, "nli_threshold": threshold}
    if provider is not None:
        chosen |= {"model": "openai/tiny", "api_base": provider.base}
    memory = Memory(load_settings({"home": home, "embedding": {"model": "hashing"}, "ask": chosen}))
    return memory.ask(AskRequest(QUESTION, project="home", mode="lexical"))


@pytest.mark.parametrize("name", [None, "unknown", "missing", "unmade"])
def test_where_a_judge_is_asked_for_and_missing_nothing_is_answered(home: Path, provider: Provider, name: str | None) -> None:
    provider.plan = ["The greyhound of Jonas is called Biscuit [1]."]
    for answer in (ask(home, nli=name), ask(home, provider, nli=name)):
        assert not answer.grounded and answer.refusal_reason == "nli_model_unavailable" and answer.notes
        assert answer.citations and all(cited.marker is None for cited in answer.citations)
    assert not provider.requests  # nobody is paid for an answer that cannot be given


@pytest.mark.long
@pytest.mark.parametrize("name", ["broken", "odd"])
def test_a_judge_that_fails_lets_nothing_pass(home: Path, provider: Provider, name: str) -> None:
    provider.plan = ["The greyhound of Jonas is called Biscuit [1]."]
    answer = ask(home, provider, nli=name)
    assert not answer.grounded and answer.refusal_reason == "nli_model_unavailable" and "[1]" not in answer.answer
    assert answer.usage.prompt_tokens > 0 and all(claim.is_struck for claim in answer.claims)


def test_an_answer_that_follows_is_given_with_its_score(home: Path, provider: Provider) -> None:
    provider.plan = ["I adopted a greyhound called Biscuit [1]."]
    answer = ask(home, provider, nli="overlapping", threshold=0.9)
    assert answer.grounded and answer.verification is not None
    assert answer.verification.nli_score == 1.0 and answer.verification.nli_passed and answer.verification.nli_threshold == 0.9


def test_an_answer_that_does_not_follow_is_refused(home: Path, provider: Provider) -> None:
    provider.plan = ["The greyhound of Jonas is called Biscuit [1]."]
    answer = ask(home, provider, nli="overlapping", threshold=0.95)
    assert not answer.grounded and answer.refusal_reason == "nli_verification_failed"
    assert answer.verification is not None and answer.verification.nli_passed is False
    assert [claim.why for claim in answer.claims] == ["nli"] and "[1]" not in answer.answer


def test_quotes_are_judged_as_well(home: Path) -> None:
    answer = ask(home, nli="overlapping", threshold=0.5)
    assert answer.grounded and answer.model.id == "extractive" and answer.verification is not None


def test_nobody_is_asked_by_default(home: Path) -> None:
    assert ask(home, nli="broken", threshold=0).verification is None
