"""What lists cost does not grow with more than what they show: counted in statements and texts compared, not in time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_assets.commands.prompts import propose_update, register_prompt
from memory_assets.court import prompts as prompt_texts
from memory_assets.log.event_log import EventLog
from memory_assets.memory import Memory
from memory_assets.projections.fold import catch_up
from memory_assets.queries import case_events, lessons
from memory_assets.queries import prompts as registry
from memory_assets_tests.filled_store import test_settings as settings_of
from memory_assets_tests.projections.hearings import Heard


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    memory = Memory(settings_of(tmp_path / "home"))
    with memory.database.kept_open():
        yield memory


class Counting:
    """A connection that counts what it is asked, and the rows that it gives."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.statements = self.rows = 0

    def execute(self, *arguments: Any) -> Counting:
        self.statements += 1
        self._connection.execute(*arguments)
        return self

    def fetchall(self) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self._connection.fetchall()
        self.rows += len(found)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def asked(memory: Memory, question: Any, *arguments: Any, **options: Any) -> tuple[Any, Counting]:
    with memory.database.reading() as connection:
        counting = Counting(connection)
        return question(counting, *arguments, **options), counting


def test_roles_are_listed_by_as_many_statements_however_many_there_are(memory: Memory) -> None:
    seen = []
    for count in (2, 12):
        for number in range(count):
            register_prompt(memory.resources, f"role {number} of {count}", "You plan.", by="kim")
        found, counting = asked(memory, registry.list_prompts)
        assert found == [memory.read(registry.one_prompt, one.role) for one in found]
        seen.append(counting.statements)
    assert seen[0] == seen[1] <= 3


@pytest.mark.long
def test_only_the_differences_that_are_shown_are_computed(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    register_prompt(memory.resources, "coder", "You write code.", by="kim")
    compared = []

    def counted(*arguments: Any, **options: Any) -> str:
        compared.append(arguments)
        return prompt_texts.unified_diff(*arguments, **options)

    monkeypatch.setattr(registry, "unified_diff", counted)
    made = []
    for number in range(12):
        before = len(compared)
        propose_update(memory.resources, "coder", f"You write code, {number}.", reason="why", by="lee")
        made.append(len(compared) - before)
    assert made == [1] * 12  # of the proposal itself, whatever waits
    compared.clear()
    page, counting = asked(memory, registry.list_updates, limit=5, offset=5)
    everything, _ = asked(memory, registry.list_updates)
    assert page == everything[5:10] and len(compared) == 5 + 12
    assert asked(memory, registry.count_updates)[0] == 12
    assert counting.rows <= 5


def test_the_words_of_a_lesson_are_not_looked_for_among_those_of_all(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    evidence = lessons._evidence

    def counted(told: Any, lesson_ids: set[str], most: int | None) -> Any:
        looked.append(sum(len(told.get(lesson_id, ())) for lesson_id in lesson_ids))
        return evidence(told, lesson_ids, most)

    monkeypatch.setattr(lessons, "_evidence", counted)
    log = EventLog(memory.database)
    for case in range(6):
        session = Heard(f"case-{case}", day=case)
        log.append(session.tell(f"Never touch folder{case}", f"Always ask about table{case}"))
        log.append(session.hear())
    catch_up(memory.database, memory.resources.configured_versions)
    found, counting = asked(memory, lessons.list_lessons)
    assert len(found.lessons) == 12 and all(len(one.evidence) == 1 for one in found.lessons)
    assert sum(looked) == 12 and counting.statements <= 4


@pytest.mark.parametrize("length", [40, 200])
def test_a_page_of_a_case_costs_a_page(memory: Memory, length: int) -> None:
    session = Heard("long", day=1)
    log = EventLog(memory.database)
    log.append(session.tell("Never force push", *(f"text {number}" for number in range(length - 1))))
    log.append(session.hear())
    catch_up(memory.database, memory.resources.configured_versions)
    seen: list[str] = []
    after, pages = None, 0
    while True:
        page, counting = asked(memory, case_events.list_case_events, "long", mask=str, after=after, limit=10)
        assert counting.rows <= 10 + 6 and counting.statements <= 8
        seen += [event.case_event_id for event in page.events]
        pages, after = pages + 1, page.next_after
        if after is None:
            break
    assert pages == -(-page.total // 10) and len(set(seen)) == page.total == len(seen)
