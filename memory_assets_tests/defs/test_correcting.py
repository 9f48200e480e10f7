"""A person says otherwise: what they say holds, is found first, and goes like all that is said."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest

from memory_assets.commands.errors import NotPossibleError
from memory_assets.defs import purging, run
from memory_assets.defs.correcting import correct, log_correction
from memory_assets.defs.forgetting import forget, unforget
from memory_assets.defs.resources import open_store
from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.memory import AskRequest, Memory
from memory_assets.projections import fold as fold_module
from memory_assets.queries.forgettable import ToForget
from memory_assets.results.memories import MemoryView
from memory_assets.settings import Settings
from memory_assets_tests.defs.files import chat
from memory_assets_tests.defs.imported import Imported, imported
from memory_assets_tests.defs.state import assert_rebuilds_equal, events, rows, texts_of_store

pytestmark = pytest.mark.long

OLD = "We decided to round every entry up to 15 minutes, because customers check the invoice."
NEW = "We round every entry up to 6 minutes, since the customers asked for it."
TASK = "TODO: write the page about rounding before Friday."
ASKED = AskRequest("How do we round every entry?", mode="lexical")


def write_talks(inbox: Path) -> None:
    """Two sessions that decided the same, and a task."""
    for number in (1, 2):
        chat(inbox, f"talk-{number}", ["How do we round?", OLD, TASK, "Thanks."])


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    """The sessions, taken in once."""
    return imported(tmp_path_factory.mktemp("talks"), write_talks)


@pytest.fixture
def inbox(talks: Imported) -> Path:
    """The folder of files, as it was."""
    return talks.inbox_as_it_was()


@pytest.fixture
def corrected_store(settings: Settings, talks: Imported, unrecorded: dg.DagsterInstance) -> Settings:
    """A store of its own that holds them."""
    talks.copied(settings.home, unrecorded)
    return settings


def decision(settings: Settings, text: str) -> MemoryView:
    return next(memory for memory in Memory(settings).memories().memories if memory.title == text)


def test_a_correction_holds_and_what_it_corrects_stays_as_history(corrected_store: Settings) -> None:
    settings = corrected_store
    before = decision(settings, OLD)
    report = correct(settings, before.citation, NEW, by="Jiho")
    assert (report.correction.title, report.correction.entry_type) == (NEW, "decision")
    assert (report.corrected.status, report.corrected.superseded_by) == ("deprecated", report.correction.citation)
    evidence = Memory(settings).evidence(report.correction.citation)
    assert [(quote.quote.matched_text, quote.message and quote.message.name) for quote in evidence.quotes] == [(NEW, "Jiho")]
    assert decision(settings, OLD).entry_count == 2
    assert_rebuilds_equal(settings)
    # Asked in the old one's words, what holds is found first.
    for query in ("We decided to round every entry up to 15 minutes, because customers check the invoice", "round entry"):
        found = [hit.title for hit in Memory(settings).search(query, mode="lexical").hits]
        assert found[0] == NEW and len(found) > 1, query
    # A correction is corrected like any memory; the last one holds.
    again = correct(settings, report.correction.citation, "We do not round at all any more.", by="Mina")
    assert decision(settings, NEW).superseded_by == again.correction.citation
    shown = [hit.snippet for hit in Memory(settings).search("Do we round every entry up to 15 minutes", mode="lexical").hits]
    for corrected in ("15 minutes", "6 minutes"):
        assert shown.index(again.correction.title) < next(n for n, text in enumerate(shown) if corrected in text)
    assert {memory.status for memory in Memory(settings).memories().memories if memory.entry_type == "decision"} == {
        "active",
        "deprecated",
    }
    assert_rebuilds_equal(settings)


def test_a_forgotten_correction_lets_the_old_memory_be(corrected_store: Settings) -> None:
    settings = corrected_store
    report = correct(settings, decision(settings, OLD).citation, NEW, by="Jiho")
    said = forget(settings, ToForget(ids=(f"session:{report.correction.session_id}#m=0",)))
    assert decision(settings, OLD).status == "active"
    assert "15 minutes" in Memory(settings).ask(ASKED).answer
    assert not [hit for hit in Memory(settings).search("6 minutes", mode="lexical").hits if "6 minutes" in str(hit)]
    assert_rebuilds_equal(settings)
    unforget(settings, said.events)
    assert "15 minutes" not in Memory(settings).ask(ASKED).answer
    assert decision(settings, OLD).superseded_by == decision(settings, NEW).citation
    forget(settings, ToForget(sessions=("talk-1", "talk-2")))
    assert [memory.title for memory in Memory(settings).memories().memories] == [NEW]
    told = {place for place, text in texts_of_store(settings) if "15 minutes" in text}
    assert told <= {"events.payload_json", "events.dedupe_key", "event_dedup.dedupe_key"}
    assert_rebuilds_equal(settings)


def test_it_is_about_what_was_said_in_these_words_whoever_is_left_that_says_it(
    corrected_store: Settings, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = corrected_store
    first = forget(settings, ToForget(sessions=("talk-1",)))
    report = correct(settings, decision(settings, OLD).citation, NEW, by="Jiho")
    unforget(settings, first.events)
    forget(settings, ToForget(sessions=("talk-2",)))
    assert (decision(settings, OLD).session_id, decision(settings, OLD).superseded_by) == ("talk-1", report.correction.citation)
    assert "15 minutes" not in Memory(settings).ask(ASKED).answer
    # A message that goes on says the same at the same time: nobody said it anew.
    grown = chat(inbox, "talk-1", ["How do we round?", f"{OLD} That is all.", TASK, "Thanks."])
    assert run.import_paths(settings, [grown], project=None).errors == []
    assert decision(settings, OLD).superseded_by == report.correction.citation
    with monkeypatch.context() as patch:
        patch.setattr(fold_module, "SCOPE_SIZE", 1)
        assert_rebuilds_equal(settings)
    purging.purge_all(settings, purging.planned_purge(settings))
    assert decision(settings, OLD).superseded_by == report.correction.citation
    assert_rebuilds_equal(settings)


@pytest.mark.slow  # the one above is folded in parts with every change
def test_which_corrections_are_about_the_same_is_found_in_whatever_parts_sessions_are_folded(
    corrected_store: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the two names another saying of it, and both stand before either in a rebuild."""
    settings = corrected_store
    first = forget(settings, ToForget(sessions=("talk-1",)))
    correct(settings, decision(settings, OLD).citation, NEW, by="Jiho")
    unforget(settings, first.events)
    forget(settings, ToForget(sessions=("talk-2",)))
    later = correct(settings, decision(settings, OLD).citation, "We do not round at all any more.", by="Mina").correction
    assert decision(settings, NEW).superseded_by == decision(settings, OLD).superseded_by == later.citation
    for size in (1, 2):
        monkeypatch.setattr(fold_module, "SCOPE_SIZE", size)
        assert_rebuilds_equal(settings)


def test_what_is_said_of_it_later_is_in_conflict_again(corrected_store: Settings, inbox: Path) -> None:
    settings = corrected_store
    correct(settings, decision(settings, OLD).citation, NEW, by="Jiho")
    later = chat(inbox, "talk-3", ["How do we round?", OLD, "Thanks."], started=datetime(2099, 1, 1, tzinfo=UTC))
    assert run.import_paths(settings, [later], project=None).errors == []
    assert decision(settings, OLD).status == "contested"
    assert "15 minutes" in Memory(settings).ask(ASKED).answer
    assert_rebuilds_equal(settings)


def test_who_takes_a_correction_back_by_another_has_the_last_word(corrected_store: Settings) -> None:
    settings = corrected_store
    said = correct(settings, decision(settings, OLD).citation, NEW, by="Jiho")
    correct(settings, said.correction.citation, OLD, by="Mina")
    assert (decision(settings, OLD).status, decision(settings, NEW).superseded_by) == (
        "active",
        decision(settings, OLD).citation,
    )
    answer = Memory(settings).ask(ASKED).answer
    assert "15 minutes" in answer and "6 minutes" not in answer
    assert_rebuilds_equal(settings)


def test_of_two_corrections_of_one_memory_the_later_one_holds(corrected_store: Settings) -> None:
    """As two people say them who know nothing of each other."""
    settings = corrected_store
    other = "We round every entry up to 10 minutes, since the customers asked for it."
    known, opened = decision(settings, OLD).citation, open_store(settings)
    said = [log_correction(opened, known, text, by=by) for text, by in ((NEW, "Jiho"), (other, "Mina"))]
    run.run_sessions(settings, [one.session_id for one in reversed(said)])
    now = decision(settings, other)
    assert (now.status, now.stage) == ("active", "verified")
    assert [(decision(settings, text).status, decision(settings, text).superseded_by) for text in (OLD, NEW)] == [
        ("deprecated", now.citation),
        ("deprecated", now.citation),
    ]
    answer = Memory(settings).ask(ASKED)
    assert "10 minutes" in answer.answer and "6 minutes" not in answer.answer
    assert_rebuilds_equal(settings)
    # Who says the first one again has the last word.
    again = correct(settings, known, NEW, by="Jiho").correction
    assert (again.status, decision(settings, other).superseded_by) == ("active", again.citation)
    assert decision(settings, OLD).superseded_by == again.citation
    assert_rebuilds_equal(settings)
    corrections = rows(settings, "SELECT session_id FROM sessions WHERE source_kind = 'correction'")
    assert len(corrections) == 3
    forget(settings, ToForget(sessions=tuple(session_id for (session_id,) in corrections)))
    assert [decision(settings, OLD).status] == ["active"]


@pytest.mark.slow  # of a chain in test_corrections_of_corrections.py the last one is forgotten with every change
def test_the_earlier_of_two_corrections_holds_once_the_later_one_is_forgotten(corrected_store: Settings) -> None:
    settings = corrected_store
    known = decision(settings, OLD).citation
    first = correct(settings, known, NEW, by="Jiho").correction
    later = correct(settings, known, "We do not round at all any more.", by="Mina").correction
    assert decision(settings, NEW).superseded_by == decision(settings, OLD).superseded_by == later.citation
    forget(settings, ToForget(sessions=(later.session_id,)))
    assert (decision(settings, NEW).status, decision(settings, OLD).superseded_by) == ("active", first.citation)
    assert_rebuilds_equal(settings)


def test_a_secret_in_a_correction_is_masked(corrected_store: Settings) -> None:
    settings = corrected_store
    secret = "ghp_" + "a1B2" * 9
    report = correct(settings, decision(settings, OLD).citation, f"We use the token {secret} for the invoices.", by="Jiho")
    assert secret not in report.model_dump_json()
    assert not [place for place, text in texts_of_store(settings) if secret in text]


def test_what_cannot_be_corrected_changes_nothing(corrected_store: Settings) -> None:
    settings = corrected_store
    count = len(events(settings))
    task = next(memory for memory in Memory(settings).memories().memories if memory.entry_type == "task")
    with pytest.raises(NotPossibleError, match="task"):
        correct(settings, task.citation, NEW, by="Jiho")
    known = decision(settings, OLD).citation
    for text in ("", "   ", OLD, "x" * 100_000):
        with pytest.raises(InvalidArgumentError):
            correct(settings, known, text, by="Jiho")
    with pytest.raises(NotFoundError):
        correct(settings, "mem:zzzzzz", NEW, by="Jiho")
    assert len(events(settings)) == count
    assert rows(settings, "SELECT count(*) FROM sessions WHERE source_kind = 'correction'") == [(0,)]
