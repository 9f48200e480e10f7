"""Answers of a model over a real server and a real store: what holds is grounded, what does not is struck, and it can fail."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_assets.ask.conversation import Conversation, Turn
from memory_assets.ask.request import AskRequest
from memory_assets.errors import InvalidArgumentError
from memory_assets.memory import Memory
from memory_assets.results.answer import AnswerV1
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.ask.test_asking import FIRST, SECOND, store
from memory_assets_tests.extraction.provider import Asked, Planned, Provider, Reply, serving

QUESTION = "What is the greyhound of Jonas called?"
QUOTE = "I adopted a greyhound called Biscuit last Friday."


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store(tmp_path_factory.mktemp("asked of a model")).settings.home


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    with serving() as served:
        yield served


def settings(home: Path, provider: Provider, **ask: Any) -> Settings:
    chosen = {"model": "openai/tiny", "api_base": provider.base, "silence_seconds": 5, "timeout_seconds": 10} | ask
    return load_settings({"home": home, "embedding": {"model": "hashing"}, "ask": chosen})


def ask(home: Path, provider: Provider, *plan: Planned, question: str = QUESTION, **chosen: Any) -> AnswerV1:
    provider.plan = list(plan)
    return Memory(settings(home, provider, **chosen)).ask(AskRequest(question, project="home", mode="lexical"))


def number_of(asked: Asked, words: str) -> int:
    """The number under which a model is shown some words."""
    fences = re.findall(r"<<<evidence (\d+) \w+>>>\n(.*?)\n<<<end", asked["messages"][1]["content"], re.DOTALL)
    return next(int(number) for number, text in fences if words in text)


def telling(*sentences: str) -> Planned:
    """A model that says some sentences, each with the mark of the greyhound where it says ``[n]``."""
    return lambda asked: " ".join(sentences).replace("[n]", f"[{number_of(asked, 'Biscuit')}]")


def check(answer: AnswerV1) -> None:
    """Each mark has its citation and the other way round; each citation is its characters; each claim has its quotes."""
    texts = {("pottery", place): text for place, (_, text) in enumerate(FIRST)}
    texts |= {("uploads", place): text for place, (_, text) in enumerate(SECOND)}
    marked = [cited for cited in answer.citations if cited.marker is not None]
    assert {cited.marker for cited in marked} == set(re.findall(r"\[\d+\]", answer.answer))
    for cited in answer.citations:
        span = cited.citation
        assert span.kind == "message"
        assert texts[span.session_id, span.message_index][span.span_start : span.span_end] == span.quote
    quotes = {cited.marker: cited.citation.quote or "" for cited in marked}
    for claim in answer.claims:
        assert claim.is_struck or (claim.markers and answer.grounded) or answer.refusal_reason == "llm_stream_aborted"
        assert not (claim.is_struck and (claim.markers or claim.quotes))
        assert all(quote in quotes[mark] for mark, quote in zip(claim.markers, claim.quotes, strict=True))
    assert not answer.grounded or any(not claim.is_struck for claim in answer.claims)


def test_what_holds_is_the_answer_and_cites_its_words(home: Path, provider: Provider) -> None:
    answer = ask(home, provider, telling("The greyhound of Jonas is called Biscuit [n]."))
    check(answer)
    assert answer.grounded and re.fullmatch(r"The greyhound of Jonas is called Biscuit\. \[\d+\]", answer.answer)
    assert answer.claims[0].quotes == (QUOTE,)
    assert answer.model.id == "openai/tiny" and answer.prompt_template_version == "memory-ask-v1"
    assert answer.verification is not None and (answer.verification.kept, answer.verification.struck) == (1, 0)
    assert answer.usage.prompt_tokens > 0 and answer.usage.cost_usd is None


@pytest.mark.parametrize(
    ("lie", "why"),
    [
        ("He paid 40 dollars [n].", "number: 40"),
        ("He adopted it on 3 May 2023 [n].", "date: 3 May 2023"),
        ("Mallory adopted it [n].", "name: Mallory"),
        ("It sleeps.", "no_mark"),
        ("It sleeps [99].", "unknown_mark"),
        ('He said "a greyhound called Biscuits" [n].', "quote"),
        ("It sleeps [", "no_mark"),
    ],
)
def test_what_does_not_hold_is_struck_and_listed(home: Path, provider: Provider, lie: str, why: str) -> None:
    answer = ask(home, provider, telling("The greyhound is called Biscuit [n].", lie))
    check(answer)
    struck = [claim for claim in answer.claims if claim.is_struck]
    assert answer.grounded and len(struck) == 1 and (struck[0].why or "").startswith(why)
    assert lie.partition(" [")[0].rstrip(".") not in answer.answer


def test_where_nothing_holds_the_quotes_answer_and_say_so(home: Path, provider: Provider) -> None:
    answer = ask(home, provider, "The greyhound is called Rex [1]. It cost 40 dollars [2].")
    check(answer)
    assert answer.grounded and QUOTE in answer.answer and answer.model.id == "extractive"
    assert "said nothing that its evidence says" in answer.notes[0]
    assert [claim.text for claim in answer.claims if claim.is_struck] == ["The greyhound is called Rex.", "It cost 40 dollars."]


@pytest.mark.parametrize(
    ("planned", "why"),
    [
        (429, "asked too often"),
        (500, "500"),
        (404, "no such model"),
        (401, "the key"),
        (Reply(""), "nothing"),
    ],
)
def test_a_model_that_fails_leaves_the_quotes_and_says_so(home: Path, provider: Provider, planned: Planned, why: str) -> None:
    answer = ask(home, provider, planned)
    check(answer)
    assert answer.grounded and QUOTE in answer.answer and answer.model.id == "extractive"
    assert "openai/tiny" in answer.notes[0] and why in answer.notes[0] and "quotes alone" in answer.notes[0]


def test_a_silent_model_leaves_the_quotes(home: Path, provider: Provider) -> None:
    answer = ask(home, provider, 3.0, silence_seconds=0.3)
    assert answer.grounded and QUOTE in answer.answer and "in time" in answer.notes[0]


def test_a_model_of_no_provider_leaves_the_quotes(home: Path, provider: Provider) -> None:
    answer = ask(home, provider, model="nonsense")
    assert answer.grounded and "there is no provider of this name" in answer.notes[0] and not provider.requests


def test_a_model_that_cannot_answer_refuses_with_what_was_nearest(home: Path, provider: Provider) -> None:
    answer = ask(home, provider, "The evidence is not sufficient to answer.")
    check(answer)
    assert not answer.grounded and answer.refusal_reason == "llm_self_judge"
    assert answer.citations and all(cited.marker is None for cited in answer.citations)


def test_below_the_gate_no_model_is_asked(home: Path, provider: Provider) -> None:
    answer = ask(home, provider, "It is covered [1].", question="Which insurance covers the helicopter?")
    assert not answer.grounded and not provider.requests and answer.model.id == "extractive"


def test_a_question_is_answered_in_its_language(home: Path, provider: Provider) -> None:
    def korean(asked: Asked) -> str:
        return f"재시작이 빠르기 때문에 Redis로 옮기기로 했습니다 [{number_of(asked, 'Redis')}]."

    answer = ask(home, provider, korean, question="왜 캐시를 Redis로 옮기기로 했지?")
    check(answer)
    assert answer.grounded and "Redis로" in answer.answer
    assert "Answer in Korean" in provider.requests[0]["messages"][0]["content"]


def test_a_stopped_answer_keeps_what_was_said_and_is_not_grounded(home: Path, provider: Provider) -> None:
    provider.plan = [Reply(chunks=("The greyhound is called ", "Biscuit [1]. ", "It paid [", "2", "] [77]"))]
    asker = Memory(settings(home, provider)).asker
    heard: list[str] = []

    def hear(piece: str) -> None:
        heard.append(piece)
        if len(heard) == 3:
            raise KeyboardInterrupt

    answer = asker.ask(AskRequest(QUESTION, project="home", mode="lexical"), hear)
    check(answer)
    assert not answer.grounded and answer.refusal_reason == "llm_stream_aborted"
    assert answer.answer == "The greyhound is called Biscuit [1]. It paid"


def test_a_draft_shows_only_marks_that_are_whole_and_known(home: Path, provider: Provider) -> None:
    provider.plan = [Reply(chunks=("It is [", "1", "] and [9", "9] so \x1b[2J[", "1"))]
    heard: list[str] = []
    Memory(settings(home, provider)).asker.ask(AskRequest(QUESTION, project="home", mode="lexical"), heard.append)
    assert "".join(heard) == "It is [1] and [?] so [2J"
    assert all("[" not in re.sub(r"\[(?:1|\?)\]", "", piece) for piece in heard[:-1])


def test_evidence_that_gives_orders_stays_within_its_fence(home: Path, provider: Provider) -> None:
    ask(home, provider, telling("Biscuit [n]."))
    rules, data = provider.requests[0]["messages"]
    assert rules["role"] == "system" and "Biscuit" not in rules["content"] and QUOTE in data["content"]


def test_a_budget_that_does_not_hold_the_question_is_an_error(home: Path, provider: Provider) -> None:
    with pytest.raises(InvalidArgumentError, match=r"ask\.prompt_tokens"):
        ask(home, provider, "x", prompt_tokens=100)
    assert not provider.requests


def test_a_small_budget_leaves_evidence_out(home: Path, provider: Provider) -> None:
    ask(home, provider, telling("Biscuit [n]."))
    ask(home, provider, telling("Biscuit [n]."), prompt_tokens=560)
    first, second = (asked["messages"][1]["content"].count("<<<evidence") for asked in provider.requests)
    assert 0 < second < first


def test_without_a_model_the_answer_is_the_same_as_ever(home: Path, provider: Provider) -> None:
    plain = Memory(load_settings({"home": home, "embedding": {"model": "hashing"}}))
    answer = plain.ask(AskRequest(QUESTION, project="home", mode="lexical"))
    told = answer.model_dump(mode="json")
    assert "verification" not in told and set(told["usage"]) == {"prompt_tokens", "completion_tokens", "latency_ms"}
    assert not provider.requests


def test_a_day_has_its_limit_and_shows_what_is_left(home: Path, provider: Provider) -> None:
    said = telling("The greyhound is called Biscuit [n].")
    first = ask(home, provider, said, model="openai/gpt-4o-mini", usd_per_day=1.0)
    assert first.model.id == "openai/gpt-4o-mini" and 0 < (first.usage.cost_usd or 0) < 0.01
    assert first.usage.left_today_usd == pytest.approx(1.0 - (first.usage.cost_usd or 0))
    asked = len(provider.requests)
    for limits in ({"usd_per_day": 1e-6}, {"usd_per_call": 1e-6}, {"model": "openai/tiny", "usd_per_call": 1.0}):
        answer = ask(home, provider, said, **{"model": "openai/gpt-4o-mini", **limits})
        assert answer.grounded and answer.model.id == "extractive" and "was not asked" in answer.notes[0]
    assert len(provider.requests) == asked


def test_earlier_turns_are_sent_as_far_as_the_budget_goes_and_are_no_evidence(home: Path, provider: Provider) -> None:
    turns = (Turn("Who is Rex?", "Rex is a parrot of 99 years."), Turn("older " * 400, ""))
    talk = Conversation("pets", 2, turns)
    provider.plan = [telling("The greyhound is called Biscuit [n].", "Rex is 99 years old [n].")]
    memory = Memory(settings(home, provider, prompt_tokens=1_200))
    answer = memory.ask(AskRequest(QUESTION, project="home", mode="lexical", conversation=talk))
    sent = provider.requests[0]["messages"][1]["content"]
    assert "Rex is a parrot" in sent and "older older" not in sent and sent.count("<<<earlier") == 1
    assert sent.index("<<<evidence") < sent.index("<<<earlier") < sent.index("<<<question")
    assert [claim.why for claim in answer.claims if claim.is_struck] == ["number: 99 year"]
