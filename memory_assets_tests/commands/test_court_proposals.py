"""The embedded court proposes lessons for prompts: once, of enough cases, in no session's words; a person approves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from memory_assets.commands import court_proposals
from memory_assets.commands.court_proposals import COURT, RoleProposals, propose_lessons
from memory_assets.commands.prompts import apply_update, propose_update, register_prompt, review_update, roll_back
from memory_assets.court.prompt_lessons import BEGIN, END, holds, with_lessons
from memory_assets.court.prompts import prompt_text
from memory_assets.log.event_log import EventLog
from memory_assets.memory import Memory
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import verify
from memory_assets.queries.prompts import list_updates, one_prompt
from memory_assets_tests.filled_store import test_settings as settings_of
from memory_assets_tests.projections.hearings import Heard

FIRST = "You write code."
FORCE, LATE, LONG = "Never force push", "Always test late changes", "Always run the whole build before each commit"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    memory = Memory(settings_of(tmp_path / "home"))
    with memory.database.kept_open():
        register_prompt(memory.resources, "coder", FIRST, by="kim")
        yield memory


def heard(memory: Memory, *rules: str, case: int | tuple[int, ...]) -> None:
    """Sessions that give lessons, heard by the court: one of each case, and one fold for all of them."""
    for one in (case,) if isinstance(case, int) else case:
        session = Heard(f"case-{one}", day=one)
        log = EventLog(memory.database)
        log.append(session.tell(*rules))
        log.append(session.hear())
    catch_up(memory.database, memory.resources.configured_versions)


def coder(memory: Memory) -> RoleProposals:
    (found,) = propose_lessons(memory.resources)
    return found


def count(memory: Memory) -> int:
    with memory.database.reading() as connection:
        return int(connection.execute("SELECT count(*) FROM events").fetchall()[0][0])


@pytest.mark.long
def test_lessons_of_two_cases_are_proposed_once(memory: Memory) -> None:
    assert (coder(memory).why, count(memory)) == ("no lesson is sure enough", 1)
    heard(memory, FORCE, case=1)
    assert coder(memory).why == "no lesson is sure enough"
    heard(memory, FORCE, case=2)
    made = coder(memory)
    assert made.why == "proposed"
    (update,) = memory.read(list_updates)
    assert (update.update_id, update.proposed_by, update.status) == (made.update_id, COURT, "proposed")
    assert update.prompt == f"{FIRST}\n\n{BEGIN}\n- {FORCE}\n{END}"
    assert update.reason == "1 lesson that the prompt does not hold, of up to 2 sessions"
    assert [one.standing for one in update.lessons] == ["stands"]
    # Nothing is changed by it, and nothing more is said when it is asked again.
    assert memory.read(one_prompt, "coder").prompt == FIRST
    before = count(memory)
    assert (coder(memory).why, coder(memory).update_id, count(memory)) == ("one is open", made.update_id, before)
    with memory.database.reading() as connection:
        said = connection.execute("SELECT actor FROM events WHERE event_type = 'prompt_update_proposed'").fetchall()
    assert said == [("agent",)]
    assert verify(memory.database, memory.resources.configured_versions).equal


@pytest.mark.long
def test_what_is_applied_is_held_and_the_next_lesson_goes_into_the_same_section(memory: Memory) -> None:
    heard(memory, FORCE, case=(1, 2))
    first = coder(memory).update_id
    assert first is not None
    heard(memory, LATE, case=(3, 4))
    assert coder(memory).why == "one is open"
    review_update(memory.resources, first, "approved", by="kim")
    assert coder(memory).why == "one is open"
    apply_update(memory.resources, first, by="kim")
    assert coder(memory).why == "proposed"
    (update,) = memory.read(list_updates)
    assert update.prompt == f"{FIRST}\n\n{BEGIN}\n- {FORCE}\n- {LATE}\n{END}"
    assert len(update.lessons) == 1


@pytest.mark.long
def test_what_a_person_rejected_or_took_back_is_not_proposed_again(memory: Memory) -> None:
    heard(memory, FORCE, case=(1, 2))
    first = coder(memory).update_id
    assert first is not None
    review_update(memory.resources, first, "rejected", by="kim")
    before = count(memory)
    assert (coder(memory).why, count(memory)) == ("nothing new", before)
    heard(memory, LATE, case=(3, 4))
    second = coder(memory).update_id
    assert second is not None
    assert [one.prompt for one in memory.read(list_updates)] == [f"{FIRST}\n\n{BEGIN}\n- {LATE}\n{END}"]
    review_update(memory.resources, second, "approved", by="kim")
    apply_update(memory.resources, second, by="kim")
    roll_back(memory.resources, "coder", 1, by="kim")
    assert coder(memory).why == "nothing new"


@pytest.mark.long
def test_a_proposal_whose_base_has_changed_is_made_anew(memory: Memory) -> None:
    heard(memory, FORCE, case=(1, 2))
    first = coder(memory).update_id
    mine = propose_update(memory.resources, "coder", "You write good code.", reason="mine", by="lee")
    review_update(memory.resources, mine.update_id, "approved", by="kim")
    apply_update(memory.resources, mine.update_id, by="kim")
    made = coder(memory)
    assert made.why == "proposed" and made.update_id != first
    told = [one for one in memory.read(list_updates) if one.base_is_active]
    assert [one.prompt for one in told] == [f"You write good code.\n\n{BEGIN}\n- {FORCE}\n{END}"]


def test_many_cases_of_one_session_are_one(memory: Memory) -> None:
    heard(memory, FORCE, case=1)
    with memory.database.writing() as connection:
        connection.execute("UPDATE lessons SET support_cases = 5")
    assert (coder(memory).why, coder(memory).lessons) == ("no lesson is sure enough", 0)


@pytest.mark.long
def test_a_prompt_that_changes_meanwhile_is_proposed_for_the_next_time(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    heard(memory, FORCE, case=(1, 2))
    mine = propose_update(memory.resources, "coder", "You write good code.", reason="mine", by="lee").update_id
    review_update(memory.resources, mine, "approved", by="kim")

    def changed_meanwhile(prompt: str, rules: Sequence[str]) -> str:
        apply_update(memory.resources, mine, by="kim")
        return with_lessons(prompt, rules)

    monkeypatch.setattr(court_proposals, "with_lessons", changed_meanwhile)
    assert coder(memory).why == "the prompt changed meanwhile"
    monkeypatch.undo()
    assert coder(memory).why == "proposed"
    (open_one,) = [one for one in memory.read(list_updates) if one.status == "proposed"]
    assert open_one.prompt.startswith("You write good code.")


def test_the_marks_of_the_section_are_no_words_of_a_session(memory: Memory) -> None:
    heard(memory, FORCE, f"The prompt says\n{BEGIN}\n- {FORCE}\n{END}", case=(1, 2))
    assert coder(memory).why == "proposed"


@pytest.mark.long
def test_what_a_session_says_word_for_word_is_left_to_people(memory: Memory) -> None:
    heard(memory, LONG, case=(1, 2))
    before = count(memory)
    assert (coder(memory).why, count(memory)) == ("they are the session's own words", before)
    heard(memory, FORCE, case=(3, 4))
    assert coder(memory).why == "proposed"
    (update,) = memory.read(list_updates)
    assert LONG not in update.prompt and FORCE in update.prompt


def test_what_a_prompt_says_already_is_not_proposed(memory: Memory) -> None:
    register_prompt(memory.resources, "planner", f"You plan.\nnever force\npush.\n\n{BEGIN}\nno end", by="kim")
    heard(memory, FORCE, case=(1, 2))
    known = {one.role: one.why for one in propose_lessons(memory.resources)}
    assert known == {"coder": "proposed", "planner": "no lesson is sure enough"}


def test_the_section_of_lessons() -> None:
    once = with_lessons(FIRST, ["one\nrule"])
    assert once == f"{FIRST}\n\n{BEGIN}\n- one rule\n{END}" and prompt_text(once) == once
    twice = with_lessons(f"{once}\nbehind it", ["two"])
    assert twice == f"{FIRST}\n\n{BEGIN}\n- one rule\n- two\n{END}\nbehind it"
    for broken in (f"{BEGIN}\nno end", f"{END} {BEGIN}", f"{BEGIN}{BEGIN}{END}"):
        assert with_lessons(broken, ["x"]) == f"{broken}\n\n{BEGIN}\n- x\n{END}"
    assert holds("Never\n force  push.", "never force push") and not holds(FIRST, "never force push")
