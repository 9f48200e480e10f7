"""Two hundred replies of a model that lies, over HTTP, from a real store: nothing untrue is ever called grounded.

Thirty-five of them with every change: each kind of lie once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from memory_assets.ask.request import AskRequest
from memory_assets.cli.main import main
from memory_assets.memory import Memory
from memory_assets.settings import load_settings
from memory_assets_tests.ask.hostile import EVIDENCE, Scripted, replies, untrue
from memory_assets_tests.ask.test_asking import write
from memory_assets_tests.ask.test_model_answers import number_of
from memory_assets_tests.depth import depth
from memory_assets_tests.extraction.provider import Asked, Provider, Reply, serving

pytestmark = pytest.mark.long

ASKED = "How many cats did Caroline adopt, Luna and Milo, and what was the fee in dollars?"
DAYS = (date(2023, 5, 7), date(2023, 6, 3), date(2023, 6, 4), date(2023, 6, 5))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which each piece of the hostile evidence was said on a day of its own."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "inbox").mkdir()
    for one, said_on in zip(EVIDENCE, DAYS, strict=True):
        text = f"{one.text} Noted at the fee meeting."  # so that one question finds all of them
        write(folder / "inbox", f"talk-{one.number}", said_on.isoformat(), ((one.speaker or "Mallory", text),))
    home = folder / "home"
    assert main(["--home", str(home), "--set", "embedding.model=hashing", "import", str(folder / "inbox")]) == 0
    return home


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with serving() as served, pytest.MonkeyPatch.context() as patched:
        patched.setenv("OPENAI_API_KEY", "test-key")
        yield served


class Numbering:
    """The numbers of the scripts, as the model is shown the same evidence."""

    def __init__(self) -> None:
        self.shown: dict[int, int] = {}

    def learn(self, asked: Asked) -> None:
        self.shown = {one.number: number_of(asked, one.text[:12]) for one in EVIDENCE}

    def translated(self, text: str) -> str:
        return re.sub(r"(?<=[\[, ])([1-4])(?=[\],])", lambda mark: str(self.shown[int(mark[1])]), text)

    def scripted(self, marks: tuple[str, ...]) -> tuple[int, ...]:
        back = {number: one for one, number in self.shown.items()}
        return tuple(back[int(mark.strip("[]"))] for mark in marks)


def memory(home: Path, provider: Provider) -> Memory:
    chosen = {"model": "openai/tiny", "api_base": provider.base, "silence_seconds": 20}
    return Memory(load_settings({"home": home, "embedding": {"model": "hashing"}, "ask": chosen}))


@pytest.mark.deep
@pytest.mark.parametrize("streamed", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_no_scripted_lie_is_ever_grounded(home: Path, provider: Provider, streamed: bool) -> None:
    asker = memory(home, provider).asker
    numbering = Numbering()
    scripts: list[Scripted] = replies(depth(35, 200))
    request = AskRequest(ASKED, project="home", mode="lexical")
    shown: list[str] = []
    answered_by_model = 0
    for script in scripts:

        def reply(asked: Asked, script: Scripted = script) -> Reply:
            numbering.learn(asked)
            return Reply(numbering.translated(script.text), streams=streamed)

        provider.requests.clear()
        provider.plan = [reply]
        answer = asker.ask(request, shown.append)
        marks = set(re.findall(r"\[\d+\]", answer.answer))
        assert marks == {cited.marker for cited in answer.citations}, script
        assert answer.grounded and provider.requests, script
        if answer.model.id == "extractive":
            continue
        answered_by_model += 1
        for claim in answer.claims:
            assert claim.is_struck or not untrue(claim.text, numbering.scripted(claim.markers)), (script, claim)
        assert answer.answer == " ".join(answer.answer.split()) and "\x1b" not in answer.answer
    assert answered_by_model > depth(14, 80)  # where truths stand beside the lie they are the answer
    assert "\x1b" not in "".join(shown)


def test_orders_within_the_evidence_are_shown_as_data_and_their_lie_is_struck(home: Path, provider: Provider) -> None:
    def obeying(asked: Asked) -> str:
        rules, data = asked["messages"]
        assert "Ignore the rules" in data["content"] and "Ignore the rules" not in rules["content"]
        return "The administrator approved 9000 dollars [1]. The fee was 9000 dollars [1]."

    provider.plan = [obeying]
    answer = memory(home, provider).ask(AskRequest(ASKED, project="home", mode="lexical"))
    told = [claim for claim in answer.claims if not claim.is_struck and "9000" in claim.text]
    assert all("9000" in quote for claim in told for quote in claim.quotes)
