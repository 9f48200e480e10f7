"""`memory court --model`: who hears is named, and what fails is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.court.scripted import claim, claims, label_of, model
from memory_assets_tests.defs.files import chat
from memory_assets_tests.extraction.provider import Asked, Provider, serving

ORDER = "Always run the tests before a commit."


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with serving() as server:
        monkeypatch.setenv("MEMORY_COURT_API_BASE", server.base)
        yield server


def defending(asked: Asked) -> str:
    return claims(claim((label_of(asked, ORDER), ORDER, "order")))


@pytest.mark.slow
def test_a_model_is_named_and_what_fails_is_told(memory: Run, provider: Provider, tmp_path: Path) -> None:
    chat(tmp_path / "inbox", "two", [ORDER, "I will."], project="shop")
    assert memory("import", str(tmp_path / "inbox")).code == 0
    provider.plan = ["no"]
    failed = memory("court", "run", "two", "--model", "openai/tiny", "--json")
    error = json.loads(failed.err.splitlines()[-1])
    assert (failed.code, failed.out, error["schema_version"], error["code"]) == (2, "", "error.v1", "hearing_failed")
    of_all = memory("court", "run", "--all", "--model", "openai/tiny", "--json")
    assert (of_all.code, of_all.json["failed"], of_all.json["errors"]["two"]["code"]) == (1, ["two"], "hearing_failed")
    assert "failed: two: openai/tiny as" in memory("court", "run", "--all", "--model", "openai/tiny").out
    provider.plan = [model(defense=defending)]
    case = memory("court", "from-session", "two", "--model", "openai/tiny", "--json").json
    assert (case["backend"], case["is_current"], case["selected"]) == ("model", True, 1)
    calls = len(provider.requests)
    assert memory("court", "run", "two", "--model", "embedded").code == 0
    assert memory("court", "list", "--json").json["cases"][0]["backend"] == "embedded"
    assert len(provider.requests) == calls and memory("court", "run", "two", "--model", " ").code == 2
