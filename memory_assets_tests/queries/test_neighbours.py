"""What hangs on the hits of a complex question: it is found over the edges, and keeps to the filters of the question."""

from __future__ import annotations

from datetime import UTC, timedelta
from pathlib import Path

import pytest

from memory_assets.configuration import Resources
from memory_assets.log.fetching import fetch
from memory_assets.memory import Memory, SearchRequest
from memory_assets.search.answers.hydration import chosen
from memory_assets.search.answers.neighbours import add_what_hangs_on, units_of_task
from memory_assets.search.ranking.ranking import RankedHit
from memory_assets.search.request import DEFAULT_KINDS
from memory_assets.settings import Settings
from memory_assets.vectors.units import UnitFilter, UnitHit
from memory_assets_tests.filled_store import STARTED, Said, fill, tell
from memory_assets_tests.vectors.stores import drained

TABS = "We decided that src/a.py, src/b.py, src/c.py and src/d.py use tabs."
SPACES = "We decided that src/d.py gets no new imports."
COMPLEX = (
    "Why did we decide that src/a.py and src/b.py use tabs, how is that related to src/c.py, and what changed between the "
    "decision in January and now because of it, compared with the reasons that were given?"
)
LATER = STARTED + timedelta(days=30)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    opened = fill(tmp_path_factory.mktemp("store"))
    tell(opened, "files-4", (("user", TABS),), (Said("decision", TABS, ((0, TABS),)),))
    tell(opened, "files-5", (("assistant", SPACES),), (Said("decision", SPACES, ((0, SPACES),)),), LATER)
    drained(opened)
    return opened


def reached(store: Settings, where: UnitFilter, *titles: str) -> list[tuple[str, str | None]]:
    """The titles of what is shown with the memories of some titles, each with the edge that leads to it."""
    with Resources(store).database.reading() as connection:
        found = "SELECT unit_id FROM memory_units WHERE title = ? AND unit_kind = 'entry'"
        hits = chosen(connection, [ranked(str(fetch(connection, found, [title])[0][0])) for title in titles], 10)
        add_what_hangs_on(connection, hits, where)
    return [(other.unit.title, other.relation) for hit in hits for other in hit.related]


def ranked(unit_id: str) -> RankedHit:
    hit = UnitHit(unit_id, "entry", "shop", "files-4", 0, None, "user", "Sam", "verified", "active", 1.0, STARTED, 8.0)
    return RankedHit(hit, 8.0, "weighted", {}, {"lexical": 8.0}, {}, ())


def test_what_names_the_same_file_is_reached_however_many_files_there_are(store: Settings) -> None:
    assert reached(store, UnitFilter(unit_kinds=DEFAULT_KINDS), TABS) == [(SPACES, "mentions")]


def test_what_is_delivered_already_is_not_shown_again(store: Settings) -> None:
    assert reached(store, UnitFilter(), TABS, SPACES) == []
    assert reached(store, UnitFilter()) == []


def test_only_a_complex_question_shows_what_hangs_on_its_answers(store: Settings) -> None:
    memory = Memory(store)
    whole = memory.search(COMPLEX, kinds=("entry",), mode="lexical", k=1)
    plain = memory.search("which files use tabs", kinds=("entry",), mode="lexical", k=1)
    assert [hit.title for hit in whole.hits] == [hit.title for hit in plain.hits] == [TABS]
    assert (whole.complexity.strategy, [(one.title, one.relation) for one in whole.hits[0].related]) == (
        "complex",
        [(SPACES, "mentions")],
    )
    assert (plain.complexity.strategy == "complex", plain.hits[0].related) == (False, ())


@pytest.mark.parametrize(
    "where",
    [
        UnitFilter(unit_kinds=("task",)),
        UnitFilter(project="other"),
        UnitFilter(worktree="/srv"),
        UnitFilter(session_ids=("files-4",)),
        UnitFilter(unit_ids=("unt_other",)),
        UnitFilter(roles=("user",)),
        UnitFilter(stages=("certified",)),
        UnitFilter(facets=("file:src/d.py", "file:src/a.py")),
        UnitFilter(since=(LATER + timedelta(days=1)).astimezone(UTC)),
        UnitFilter(until=LATER - timedelta(days=1)),
    ],
)
def test_what_hangs_on_a_hit_keeps_to_every_filter(store: Settings, where: UnitFilter) -> None:
    assert reached(store, where, TABS) == []


def test_a_filter_that_all_pass_takes_nothing_away(store: Settings) -> None:
    where = UnitFilter(
        project="shop",
        unit_kinds=("entry",),
        session_ids=("files-5",),
        roles=("assistant",),
        stages=("verified",),
        facets=("file:src/d.py",),
        since=LATER,
        until=LATER + timedelta(days=1),
    )
    assert reached(store, where, TABS) == [(SPACES, "mentions")]


def test_a_task_without_units_is_no_search_of_everything(tmp_path: Path) -> None:
    own = Memory(fill(tmp_path))
    task = own.tasks()[0]
    with own.database.writing() as connection:
        connection.execute("DELETE FROM memory_units")
    with own.database.reading() as connection:
        assert units_of_task(connection, task.task_id) == ()
    assert own.search("PostgreSQL Redis 블로커", task=task.task_id).hits == ()
    where = own.searcher.plan(SearchRequest("PostgreSQL", task=task.task_id)).where
    assert where.unit_ids == ("none",)
