"""One answer of a model over HTTP: streamed and whole, and every way in which it ends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from memory_assets.ask.model import Aborted, Declined, Failed, LanguageModel, ModelSettings, Outcome, Said
from memory_assets_tests.extraction.provider import Planned, Provider, Reply, serving

TALK = [{"role": "system", "content": "Rules."}, {"role": "user", "content": "Who?"}]


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    with serving() as served:
        yield served


def model(provider: Provider, name: str = "openai/tiny", **settings: Any) -> LanguageModel:
    chosen = {"timeout": 8.0, "silence": 5.0, "max_tokens": 50} | settings
    return LanguageModel(ModelSettings(name, provider.base, **chosen))


def said(provider: Provider, *plan: Planned, **settings: Any) -> tuple[Outcome, str]:
    """What came, and what was heard of it."""
    provider.plan = list(plan)
    heard: list[str] = []
    return model(provider, **settings).said(TALK, heard.append), "".join(heard)


def test_a_stream_is_heard_as_it_comes(provider: Provider) -> None:
    outcome, heard = said(provider, "Jonas has a greyhound [1].")
    assert isinstance(outcome, Said) and outcome.text == heard == "Jonas has a greyhound [1]." and outcome.cut is None
    sent = provider.requests[0]
    assert (sent["temperature"], sent["seed"], sent["stream"], sent["max_tokens"]) == (0, 0, True, 50)
    assert outcome.used.prompt_tokens > 0 and outcome.used.completion_tokens > 0 and outcome.used.cost_usd is None


def test_a_server_that_does_not_stream_is_heard_all_the_same(provider: Provider) -> None:
    provider.plan = [Reply("Whole [1].", streams=False)]
    asked = model(provider)
    heard: list[str] = []
    first, second = asked.said(TALK, heard.append), asked.said(TALK)
    assert isinstance(first, Said) and isinstance(second, Said) and first.text == second.text == "".join(heard) == "Whole [1]."
    # What it cannot do is learned once.
    assert [request.get("stream", False) for request in provider.requests] == [True, False, False]


def test_what_a_server_does_not_take_is_left_out(provider: Provider) -> None:
    outcome, _ = said(provider, 400, "It is so [1].")
    assert isinstance(outcome, Said) and len(provider.requests) == 2
    assert not {"temperature", "seed", "stream_options"} & set(provider.requests[1])


@pytest.mark.parametrize(
    ("planned", "why"),
    [
        (429, "asked too often"),
        (500, "InternalServerError (500)"),
        (401, "the key is missing or refused"),
        (404, "there is no such model"),
        (302, "not followed"),
        (Reply(""), "it said nothing"),
        (Reply(raw=b"<html>busy</html>"), ""),
        (Reply(goes_on="silent"), "in time"),
        (Reply(goes_on="comments"), "in time"),
        (3.0, "in time"),
    ],
)
def test_a_failure_says_why_and_asks_once(provider: Provider, planned: Planned, why: str) -> None:
    started = time.monotonic()
    outcome, heard = said(
        provider, Reply(status=302, headers={"location": "/else"}) if planned == 302 else planned, silence=0.5
    )
    assert isinstance(outcome, Failed) and why in outcome.why and not heard
    assert "keep the event log" not in outcome.why  # the provider's own words may hold session text
    assert time.monotonic() - started < 3 and len(provider.requests) <= 2


def test_a_model_that_nobody_serves(provider: Provider) -> None:
    outcome = model(provider, "nonsense").said(TALK)
    assert outcome == Failed("there is no provider of this name", outcome.used) and not provider.requests


def test_nobody_at_the_address() -> None:
    outcome = LanguageModel(ModelSettings("openai/tiny", "http://127.0.0.1:9/v1", timeout=5, silence=2)).said(TALK)
    assert isinstance(outcome, Failed)


def test_an_endless_answer_is_cut_at_its_length(provider: Provider) -> None:
    outcome, _ = said(provider, Reply(chunks=("It goes on [1]. ", "And on [1]. "), goes_on="chunks"))
    assert isinstance(outcome, Said) and outcome.cut == "length" and len(outcome.text) <= 400


def test_a_slow_answer_is_cut_at_its_time(provider: Provider) -> None:
    started = time.monotonic()
    outcome, _ = said(provider, Reply(chunks=("So it is [1]. ",), pause=0.1, goes_on="chunks"), timeout=1.0)
    assert isinstance(outcome, Said) and outcome.cut == "time" and "So it is [1]." in outcome.text
    assert time.monotonic() - started < 3


def test_silence_behind_some_words_ends_the_answer(provider: Provider) -> None:
    outcome, _ = said(provider, Reply(chunks=("So it is [1]. ",), goes_on="silent"), silence=0.4)
    assert isinstance(outcome, Said) and outcome.cut == "time" and outcome.text == "So it is [1]. "


def test_an_answer_that_reached_the_servers_limit_says_so(provider: Provider) -> None:
    outcome, _ = said(provider, Reply("So it is [1]. And", finish="length"))
    assert isinstance(outcome, Said) and outcome.cut == "length"


def test_a_model_that_will_not_answer(provider: Provider) -> None:
    assert isinstance(said(provider, Reply("", finish="content_filter"))[0], Declined)
    refusing = Reply(message={"role": "assistant", "content": None, "refusal": "I will not."}, streams=False)
    assert isinstance(said(provider, refusing)[0], Declined)


def test_who_listens_may_interrupt_and_keeps_what_was_said(provider: Provider) -> None:
    provider.plan = [Reply(chunks=("One [1]. ", "Two [1]. ", "Three [1]. "))]
    heard: list[str] = []

    def hear(piece: str) -> None:
        heard.append(piece)
        if len(heard) == 2:
            raise KeyboardInterrupt

    outcome = model(provider).said(TALK, hear)
    assert isinstance(outcome, Aborted) and outcome.text == "One [1]. Two [1]. "


@pytest.mark.long
def test_the_first_piece_is_heard_at_once(provider: Provider) -> None:
    provider.plan = [Reply(chunks=("first ", "second"), pause=0.2)]
    asked = model(provider)
    asked.said(TALK)  # the client is loaded and the server is known
    late = []
    for _ in range(5):
        heard: list[float] = []
        asked.said(TALK, lambda piece, heard=heard: heard.append(time.monotonic()))  # type: ignore[misc]
        late.append(heard[0] - provider.first_piece_at)
    assert min(late) < 0.1, late
