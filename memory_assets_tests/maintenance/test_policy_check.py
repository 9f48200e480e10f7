"""What another policy would make of a store's cases is what it makes of them; a check changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from memory_assets.commands.court_policy import activate_policy
from memory_assets.commands.lessons import retire_lesson
from memory_assets.court.judge import Selected
from memory_assets.court.lessons import Accepted
from memory_assets.court.policy import FILE, policy
from memory_assets.log.event_log import EventLog
from memory_assets.log.session_history import History, history_of
from memory_assets.maintenance.policy_check import active_policy, check_policy
from memory_assets.memory import Memory
from memory_assets.projections.fold import catch_up
from memory_assets.queries.lessons import list_lessons
from memory_assets_tests.filled_store import test_settings as settings_of
from memory_assets_tests.projections.hearings import Heard

SHIPPED = resources.files("memory_assets.court").joinpath(FILE).read_text(encoding="utf-8")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Three cases: of two, four and one orders; the last two give the same lesson."""
    memory = Memory(settings_of(tmp_path / "home"))
    told = (
        ["Always run the tests", "Never push to main"],
        ["Always ask about the ledger", "Never touch the archive", "Always write a changelog", "Never delete a branch"],
        ["Never delete a branch"],
    )
    with memory.database.kept_open():
        log = EventLog(memory.database)
        for case, rules in enumerate(told):
            session = Heard(f"case-{case}", day=case)
            log.append(session.tell(*rules))
            log.append(session.hear())
        catch_up(memory.database, memory.resources.configured_versions)
        yield memory


def changed(*pairs: tuple[str, str], version: str = "mine") -> str:
    text = SHIPPED.replace(f'version = "{policy().version}"', f'version = "{version}"')
    for before, after in pairs:
        assert before in text
        text = text.replace(before, after)
    return text


def test_the_same_policy_changes_nothing(memory: Memory) -> None:
    events = EventLog(memory.database).last_seq()
    found = check_policy(memory.resources, SHIPPED)
    stands = memory.read(list_lessons).total
    assert (found.cases, found.lessons_now, found.lessons_then, stands) == (3, 6, 6, 6)
    assert (found.claims_gained, found.claims_lost, found.lessons_gained, found.lessons_lost, found.changes) == (0, 0, 0, 0, ())
    assert not found.same_version and EventLog(memory.database).last_seq() == events


def test_a_smaller_budget_loses_lessons(memory: Memory) -> None:
    found = check_policy(memory.resources, changed(("lessons_of_a_case = 10", "lessons_of_a_case = 1")))
    assert (found.claims_lost, found.claims_gained) == (1 + 3, 0)
    assert found.lessons_now == 6 and found.lessons_then == 6 - found.lessons_lost and 3 <= found.lessons_lost <= 4
    assert [(one.key, one.now, one.then) for one in found.changes] == [("budget.lessons_of_a_case", 10, 1)]
    role = check_policy(memory.resources, changed(("active_lessons_of_a_role = 100", "active_lessons_of_a_role = 2")))
    assert (role.claims_lost, role.lessons_then, role.lessons_lost) == (0, 2, 4)


@pytest.mark.long
def test_what_is_asked_for_more_is_lost_and_a_persons_word_counts(memory: Memory) -> None:
    found = check_policy(memory.resources, changed(("standing_order = 0.5", "standing_order = 1.0")))
    assert (found.claims_lost, found.lessons_then, found.lessons_lost) == (7, 0, 6)
    lesson = memory.read(list_lessons).lessons[0]
    retire_lesson(memory.resources, lesson.lesson_id, by="kim", note="no more")
    again = check_policy(memory.resources, changed(("standing_order = 0.5", "standing_order = 1.0")))
    assert (again.lessons_now, again.lessons_lost) == (5, 5)


@pytest.mark.long
def test_a_looser_policy_gains_what_was_left_out(memory: Memory) -> None:
    activate_policy(memory.resources, changed(("standing_order = 0.5", "standing_order = 1.0")), by="kim")
    found = check_policy(memory.resources, changed(version="other"))
    assert (found.claims_gained, found.claims_lost, found.lessons_now, found.lessons_gained) == (7, 0, 0, 6)


@pytest.mark.long
def test_a_case_of_the_future_gives_no_lesson_of_the_future(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    from memory_assets.maintenance import policy_check

    log = EventLog(memory.database)
    session = Heard("case-of-2099", day=80 * 365)
    log.append(session.tell("Always lint the code"))
    log.append(session.hear(keeps=lambda _: False))
    history = history_of(log.of_sessions(["case-of-2099"], ["session_ingested", "message_continued"]))
    activate_policy(memory.resources, changed(("standing_order = 0.5", "standing_order = 1.0")), by="kim")
    given: list[Accepted] = []
    accepted = policy_check._accepted

    def noted(selected: Selected, history: History) -> Accepted:
        given.append(accepted(selected, history))
        return given[-1]

    monkeypatch.setattr(policy_check, "_accepted", noted)
    check_policy(memory.resources, changed(version="other"))
    (late,) = [one for one in given if one.session_id == "case-of-2099"]
    assert history.logged_at is not None and history.said_at(0) > history.logged_at
    assert late.at == history.logged_at.replace(tzinfo=None)


@pytest.mark.long
def test_what_is_forgotten_is_no_case(memory: Memory) -> None:
    from memory_assets.log.events import NewEvent
    from memory_assets.log.payloads.forgetting import SessionForgotten

    EventLog(memory.database).append([NewEvent(SessionForgotten(reason="asked"), session_id="case-1", inputs=("x",))])
    found = check_policy(memory.resources, SHIPPED)
    assert (found.cases, found.lessons_now) == (2, 3)


def test_a_file_that_is_wrong_and_a_version_that_stays(memory: Memory) -> None:
    found = check_policy(memory.resources, changed(("near = 0.6", "near = 2")))
    assert [one.key for one in found.troubles] == ["likeness.near"] and found.cases == 0 and found.version is None
    assert check_policy(memory.resources, changed(("near = 0.6", "near = 0.5"), version=policy().version)).same_version


def test_the_policy_in_force(memory: Memory) -> None:
    found = memory.read(active_policy)
    assert found.version == policy().version and sum(found.cases.values()) == 3
    assert found.numbers["budget.lessons_of_a_case"] == 10
