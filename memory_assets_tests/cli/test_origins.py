"""What a program wrote in somebody's name: found where nothing else says it, and labelled wherever it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_assets.configuration import Resources
from memory_assets.maintenance.indexing import write_waiting
from memory_assets.mcp.layer_text import details_lines, disclosure_lines, timeline_lines
from memory_assets.mcp.search_text import search_lines
from memory_assets.memory import Memory
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.filled_store import fill_one
from memory_assets_tests.filled_store import test_settings as settings_of

TALK = (
    ("user", "Where do we keep the cache?"),
    ("assistant", "We keep the cache in Redis."),
    ("user", "<context ref='rules.md'>\nWe keep the cache in Redis. The frobnicator is calibrated weekly.\n</context>"),
    ("user", "Thanks, that is all."),
)
QUESTION = "frobnicator calibrated"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    write_waiting(Resources(fill_one(tmp_path, "talk", TALK, ())))
    monkeypatch.setenv("MEMORY_HOME", str(tmp_path))
    yield tmp_path


def test_what_the_agent_said_comes_before_a_program_that_says_the_same(memory: Run, home: Path) -> None:
    for mode in ("lexical", "hybrid"):
        hits = memory("search", "keep the cache in Redis", "--mode", mode, "--json").json["hits"]
        origins = [hit["origin"] for hit in hits]
        assert origins[:2] == ["said", "template"]


def test_a_hit_that_a_program_wrote_is_labelled_in_the_terminal_and_in_json(memory: Run, home: Path) -> None:
    head, *_ = memory("search", QUESTION).out.splitlines()
    assert "passage  template  " in head
    assert memory("search", QUESTION, "--json").json["hits"][0]["origin"] == "template"
    plain, *_ = memory("search", "Where do we keep the cache?").out.splitlines()
    assert "template" not in plain and "typed" not in plain
    explained = memory("search", QUESTION, "--explain").out
    assert "origin template" in explained


def test_every_other_place_says_it_too(memory: Run, home: Path) -> None:
    address = "session:talk#m=2"
    assert f"[{address}] (template) " in memory("search", QUESTION, "--expand").out
    assert "(template) <context" in memory("timeline", address).out
    assert "passage  template  " in memory("details", address).out
    assert "user, 2025-01-02, template" in memory("context", QUESTION).out
    assert memory("details", address, "--json").json["items"][0]["metadata"]["origin"] == "template"
    target = next(item for item in memory("timeline", address, "--json").json["items"] if item["is_target"])
    assert (target["origin"], target["unit_id"] is None) == ("template", False)


def test_an_agent_is_told_of_it(home: Path) -> None:
    asked = Memory(settings_of(home))
    found = asked.search(QUESTION)
    address = found.hits[0].citations[0].uri
    assert "· passage · template · " in "\n".join(search_lines(found))
    assert "(template) " in "\n".join(disclosure_lines(asked.disclose(found)))
    assert "user · template · " in "\n".join(timeline_lines(asked.timeline([address])))
    assert "· passage · template · " in "\n".join(details_lines(asked.details([address])))


def test_what_is_said_around_a_hit_is_what_people_and_agents_said(memory: Run, home: Path) -> None:
    around = memory("timeline", "session:talk#m=1", "--json").json["items"]
    assert [item["message_index"] for item in around] == [0, 1, 3]
    beside = memory("details", "session:talk#m=2", "--json").json["items"][0]
    assert ("Redis" in beside["before"]["preview"], beside["after"]["preview"]) == (True, TALK[3][1])
