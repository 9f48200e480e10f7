"""The board, conflicts, health, privacy, the log, the map: what each tells, and where it leads."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path

import pytest

from memory_assets.commands.conflicts import resolve_conflict
from memory_assets.commands.tasks import new_task
from memory_assets.log.event_log import EventLog
from memory_assets.memory import Memory
from memory_assets.projections.fold import catch_up
from memory_assets.queries.conflicts import list_conflicts
from memory_assets.queries.event_stream import log_end
from memory_assets.queries.project_map import project_map
from memory_assets.viewer.map_page import MOST_ROWS, WIDTH, drawing
from memory_assets_tests.filled_store import STARTED, fill, session_events, tell_titles
from memory_assets_tests.viewer.served import Served, serving


def told(page: str) -> str:
    """What a page says, without its elements."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_a_task_stands_in_its_column_with_what_it_waits_for_and_its_evidence(tmp_path: Path) -> None:
    memory = Memory(fill(tmp_path))
    waiting = new_task(memory.resources, "Ship it", project="shop", blockers=["the audit"], by="mina").task.task
    known = next(task for task in memory.tasks() if task.evidence)
    with serving(memory) as served:
        board = served.get("/tasks").text
        assert "Ship it" in told(board) and "waits for the audit" in told(board)
        assert re.findall(r'id="column-(\w+)"', board) == ["blocked", "pending"]
        assert served.get("/tasks?status=blocked").text.count("<article") == 1
        assert served.get("/tasks?status=blocked&project=nothing").text.count("<article") == 0
        page = served.get(f"/tasks/{known.task_id}").text
        place = html.unescape(re.findall(r'<footer><a href="([^"]+)"', page)[0])
        assert "<mark>" in served.get(place.partition("#")[0]).text, "its evidence leads to the words"
        assert "the audit" in told(served.get(f"/tasks/{waiting.task_id}").text)
        assert "mina" in told(served.get(f"/tasks/{waiting.task_id}").text)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/tasks?status=lost", 400),
        ("/tasks?status=pending&page=9", 404),
        ("/tasks?status=pending&page=x", 400),
        ("/tasks/..%2fhealth", 404),
        ("/tasks/nobody", 404),
        ("/conflicts?status=lost", 400),
        ("/conflicts?page=2", 404),
        ("/privacy?page=2", 404),
        ("/projects/nothing/map", 404),
        ("/say", 400),
        ("/say?of=mem:zzzzzz", 404),
        ("/say?of=../x", 400),
    ],
)
def test_what_there_is_not_is_a_page_that_says_so(pages: Served, path: str, status: int) -> None:
    answer = pages.get(path)
    assert answer.status_code == status and "<h1>" in answer.text


def test_health_names_what_was_put_aside(pages: Served) -> None:
    page = pages.get("/health").text
    assert "odd-3" in page and "too strange" in page and "The tables rest on all of the log." in page
    assert "What the doctor finds" in page and "opens in" not in page
    assert "opens in" in pages.get("/health?look=1").text


def test_privacy_counts_what_was_masked_and_tells_no_word_of_it(tmp_path: Path) -> None:
    memory = Memory(fill(tmp_path))
    versions = memory.resources.configured_versions
    events = session_events("masked-4", "shop", "Masked", "/srv/m", STARTED, (("user", "key [EMAIL]"),), (), versions)
    found = {"EMAIL": 3, "SECRET:github": 2, 'my "own" kind': 1}
    taken = replace(events[1], payload=events[1].payload.model_copy(update={"redactions": found}))
    EventLog(memory.database).append([events[0], taken])
    catch_up(memory.database, versions, resolve=True)
    with serving(memory) as served:
        page = told(served.get("/privacy").text)
    assert "EMAIL 3 1" in page and "SECRET:github 2 1" in page and 'my "own" kind 1 1' in page and "Masked" in page
    assert "key [EMAIL]" not in page


@pytest.mark.long
def test_the_map_shows_decisions_and_what_became_of_them(tmp_path: Path) -> None:
    memory = Memory(fill(tmp_path))
    settings = memory.settings
    tell_titles(settings, "one", "The cart limit is 3 items", "The retry pause is 2 seconds")
    tell_titles(settings, "two", "The cart limit is 5 items", "The retry pause is 4 seconds", days=30)
    conflict = next(one for one in memory.read(list_conflicts) if "cart" in one.older.title)
    resolve_conflict(memory.resources, conflict.conflict_id, "keep_newer", by="mina")
    found = memory.read(project_map, "shop")
    by_id = {point.id: point for point in found.points}
    turns = {(by_id[turn.older].title, by_id[turn.newer].title): turn.kind for turn in found.turns}
    assert turns == {
        ("The cart limit is 3 items", "The cart limit is 5 items"): "reversed",
        ("The retry pause is 2 seconds", "The retry pause is 4 seconds"): "contested",
    }
    assert found.total == len(found.points) and found.points[0].at <= found.points[-1].at
    with serving(memory) as served:
        page = served.get("/projects/shop/map").text
    assert page.count("<circle") - 2 == len(found.points), "two are of the legend"
    assert page.count('<path class="turn reversed"') - 1 == 1 == page.count('<path class="turn contested"')
    table = told(page.partition("The same as a table")[2])
    assert all(point.title in table for point in found.points)


def test_points_of_a_map_stand_apart_within_it(tmp_path: Path) -> None:
    memory = Memory(fill(tmp_path))
    tell_titles(memory.settings, "many", *(f"We use the tool number {number} for it" for number in range(40)))
    drawn = drawing(memory.read(project_map, "shop"))
    assert len(drawn.dots) > 40
    assert all(0 < dot.x < WIDTH and 0 < dot.y < drawn.height for dot in drawn.dots)
    assert len({dot.y for dot in drawn.dots}) <= MOST_ROWS + 1


def test_events_tell_what_happened_and_not_what_was_said(pages: Served, memory: Memory) -> None:
    end = memory.read(log_end)
    page = pages.get("/events").text
    assert page.count("<tr>") == end + 1 and "session_ingested" in page and f'data-after="{end}"' in page
    assert "PostgreSQL" not in page and "커넥션" not in page
