"""What backs a memory or task beyond its stage, from a store that sessions and people spoke to."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.commands.conflicts import resolve_conflict
from memory_assets.commands.promotions import promote
from memory_assets.commands.tasks import new_task
from memory_assets.memory import Memory
from memory_assets.queries.conflicts import list_conflicts
from memory_assets.queries.entries import list_entries
from memory_assets.queries.promotions import ladders
from memory_assets.search.answers.backing import Backing, backings
from memory_assets_tests.filled_store import Said, tell, tell_titles
from memory_assets_tests.filled_store import test_settings as settings_of

LOGS, OLD, NEW = "Keep the logs for a year", "The API listens on port 8080", "The API listens on port 9090"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(settings_of(tmp_path / "home"))


def words(memory: Memory) -> dict[str, str | None]:
    return {view.title: view.assurance for view in memory.memories().memories}


def cited(memory: Memory, title: str) -> str:
    return next(view.citation for view in memory.memories().memories if view.title == title)


@pytest.mark.long
def test_one_session_is_held_and_a_second_one_confirms_it(memory: Memory) -> None:
    tell_titles(memory.settings, "a", LOGS)
    assert words(memory) == {LOGS: "held"}
    tell_titles(memory.settings, "b", LOGS, days=1)
    assert words(memory) == {LOGS: "confirmed"}
    (ladder,) = memory.read(ladders)
    assert (ladder.stage, ladder.assurance) == ("verified", "confirmed")  # the stage of the log stays what it was


@pytest.mark.long
def test_a_persons_word_confirms_it_until_it_is_taken_back(memory: Memory) -> None:
    tell_titles(memory.settings, "a", LOGS, OLD)
    promote(memory.resources, cited(memory, LOGS), "certified", by="kim")
    assert words(memory) == {LOGS: "confirmed", OLD: "held"}
    promote(memory.resources, cited(memory, LOGS), "candidate", by="kim")
    assert words(memory) == {LOGS: "quoted", OLD: "held"}
    promote(memory.resources, cited(memory, LOGS), "certified", by="kim")
    assert words(memory) == {LOGS: "confirmed", OLD: "held"}


@pytest.mark.long
def test_what_is_contested_is_quoted_and_what_a_person_merged_is_no_agreement(memory: Memory) -> None:
    tell_titles(memory.settings, "a", OLD)
    tell_titles(memory.settings, "b", NEW, days=1)
    assert words(memory) == {OLD: "quoted", NEW: "quoted"}
    (conflict,) = memory.read(list_conflicts)
    assert (conflict.older.assurance, conflict.newer.assurance) == ("quoted", "quoted")
    resolve_conflict(memory.resources, conflict.conflict_id, "merge", by="kim")
    assert set(words(memory).values()) == {"held"}


def test_a_session_whose_quote_is_nowhere_supports_nothing(memory: Memory) -> None:
    nowhere = (Said("fact", "Nobody said it", ((-1, "a quote that stands nowhere"),), verified=False),)
    for session in ("a", "b"):
        tell(memory.settings, session, (("user", "Something else."),), nowhere)
    assert {entry.assurance for entry in memory.read(list_entries)[0]} == {"unproved"}


def test_an_unchecked_quote_is_quoted(memory: Memory) -> None:
    tell(memory.settings, "a", (("user", LOGS),), (Said("fact", LOGS, ((0, LOGS),), verified=False),))
    (entry,) = memory.read(list_entries)[0]
    assert (entry.stage, entry.assurance) == ("working", "quoted")


@pytest.mark.long
def test_a_task_is_backed_by_the_sessions_that_claim_it_or_by_a_person(memory: Memory) -> None:
    said = "Move the export into a background job"
    for days, session in enumerate(("a", "b")):
        tell(memory.settings, session, (("user", f"{said}."),), (Said("task", said, ((0, f"{said}."),)),))
        (task,) = memory.tasks()
        assert task.assurance == ("held", "confirmed")[days]
    new_task(memory.resources, "Call the accountant", project="shop", by="kim")
    spoken_of, by_word = sorted(memory.tasks(), key=lambda task: not task.evidence)
    assert (spoken_of.assurance, by_word.assurance) == ("confirmed", "confirmed")
    backed = memory.read(backings, [spoken_of.task_id, by_word.task_id])
    assert backed.of(spoken_of.task_id) == Backing(2, False)
    assert backed.of(by_word.task_id) == Backing()


@pytest.mark.long
def test_hits_details_and_context_say_the_same_word(memory: Memory) -> None:
    tell_titles(memory.settings, "a", LOGS, OLD)
    promote(memory.resources, cited(memory, LOGS), "certified", by="kim")
    found = memory.search("logs port", mode="lexical", kinds=["entry"]).hits
    assert {hit.title: hit.assurance for hit in found} == words(memory)
    passages = memory.search("logs port", mode="lexical", kinds=["passage", "entry"]).hits
    assert {hit.assurance for hit in passages if hit.unit_kind == "passage"} == {"quoted"}
    assert {other.title: other.assurance for hit in passages for other in hit.related} == words(memory)
    (detail,) = memory.details([cited(memory, LOGS)]).items
    assert (detail.metadata.stage, detail.metadata.assurance) == ("verified", "confirmed")
    bundle = memory.context("logs port", project="shop", log=False)
    items = {item.text: item.assurance for section in bundle.sections for item in section.items if item.unit_kind == "entry"}
    assert items == words(memory) and "decision, confirmed, " in bundle.text and "verified" not in bundle.text


def test_nothing_that_is_asked_for_needs_no_statement(memory: Memory) -> None:
    tell_titles(memory.settings, "a", LOGS)
    assert memory.read(backings, [None]).of("mem_unknown") == Backing()
    assert memory.read(backings, ["mem_unknown"]).assurance("entry", "mem_unknown", "verified") == "held"
