"""What hangs on the hits of a complex question: it is found over the edges, and keeps to the filters of the question."""

from __future__ import annotations

from datetime import UTC, timedelta
from pathlib import Path

import pytest

from memory_assets import configuration
from memory_assets.memory import Memory, SearchRequest
from memory_assets.queries.expansion import expanded, units_of_task
from memory_assets.queries.found import found_units
from memory_assets.queries.rows import fetch
from memory_assets.retrieval.ranking import RankedHit
from memory_assets.retrieval.request import DEFAULT_KINDS
from memory_assets.settings import Settings
from memory_assets.vectors.units import UnitFilter, UnitHit
from memory_assets_tests.filled_store import STARTED, Said, fill, tell

TABS = "We decided that src/a.py, src/b.py, src/c.py and src/d.py use tabs."
SPACES = "We decided that src/d.py gets no new imports."
LATER = STARTED + timedelta(days=30)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    opened = fill(tmp_path_factory.mktemp("store"))
    tell(opened, "files-4", (("user", TABS),), (Said("decision", TABS, ((0, TABS),)),))
    tell(opened, "files-5", (("assistant", SPACES),), (Said("decision", SPACES, ((0, SPACES),)),), LATER)
    return opened


def reached(store: Settings, title: str, where: UnitFilter, score: float = 8.0) -> list[RankedHit]:
    """What is there beside one hit, the memory of a title."""
    with configuration.database(store).reading() as connection:
        unit_id = str(
            fetch(connection, "SELECT unit_id FROM memory_units WHERE title = ? AND unit_kind = 'entry'", [title])[0][0]
        )
        return [one for one in expanded(connection, [seed(unit_id, score)], where, 10) if one.hit.unit_id != unit_id]


def seed(unit_id: str, score: float) -> RankedHit:
    hit = UnitHit(unit_id, "entry", "shop", "files-4", 0, None, "user", "Sam", "verified", "active", 1.0, STARTED, score)
    return RankedHit(hit, score, "weighted", {}, {"lexical": score}, {}, ())


def titles(store: Settings, hits: list[RankedHit]) -> list[str]:
    with configuration.database(store).reading() as connection:
        units = found_units(connection, [one.hit.unit_id for one in hits])
    return [units[one.hit.unit_id].title for one in hits]


def test_what_names_the_same_file_is_reached_however_many_files_there_are(store: Settings) -> None:
    hits = reached(store, TABS, UnitFilter(unit_kinds=DEFAULT_KINDS))
    assert titles(store, hits) == [SPACES]
    assert hits[0].hit.speaker is None and hits[0].hit.role == "assistant"
    assert hits[0].score == hits[0].bonuses[0].z == 2.0


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
    assert reached(store, TABS, where) == []


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
    assert titles(store, reached(store, TABS, where)) == [SPACES]


def test_what_hangs_on_a_hit_stands_behind_it_whatever_the_sign_of_its_score(store: Settings) -> None:
    hits = reached(store, TABS, UnitFilter(), score=-4.0)
    assert hits and all(one.score < -4.0 for one in hits)


def test_a_task_without_units_is_no_search_of_everything(tmp_path: Path) -> None:
    own = Memory(fill(tmp_path))
    task = own.tasks()[0]
    with own.database.writing() as connection:
        connection.execute("DELETE FROM memory_units")
    with own.database.reading() as connection:
        assert units_of_task(connection, task.task_id) == ()
    assert own.search("PostgreSQL Redis 블로커", task=task.task_id).hits == ()
    where = own._searcher.plan(SearchRequest("PostgreSQL", task=task.task_id)).where
    assert where.unit_ids == ("none",)
