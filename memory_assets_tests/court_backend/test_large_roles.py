"""Large roles are searched by an index that is asked for more until enough of the role were found."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.court_backend import postgres_lessons, projector
from memory_assets.court_backend.court_in_postgres import CourtInPostgres
from memory_assets.court_backend.embedded import EmbeddedLessons
from memory_assets.court_backend.postgres_lessons import PostgresLessons
from memory_assets_tests.court_backend.planted_court import Planted, PlantedCourt
from memory_assets_tests.depth import cases
from memory_assets_tests.postgres.databases import There

pytestmark = pytest.mark.long

K = 10


@pytest.fixture
def large(folder: Path) -> PlantedCourt:
    """60 roles of 40 lessons, and one of 600."""
    court = PlantedCourt(folder, Planted(64))
    court.plant(
        [(f"role {number % 60}", f"rule {number}") for number in range(2_400)] + [("coder", f"c {n}") for n in range(600)]
    )
    return court


@pytest.mark.parametrize(("exact_up_to", "least"), cases([(500, 0.99)], [(5_000, 1.0), (30, 0.9)]))
def test_the_best_ten_are_those_of_every_lesson(
    there18: There, large: PlantedCourt, exact_up_to: int, least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compared one by one, by the index where the role is large, and all by the index, which no small role is really asked by.

    The planner is given no other way.
    """
    for setting in ("enable_seqscan", "enable_bitmapscan", "enable_sort"):
        there18.rows(f"ALTER DATABASE {there18.database} SET {setting} = off")
    monkeypatch.setattr(projector, "EXACT_ROWS_OF_A_ROLE", exact_up_to)
    monkeypatch.setattr(postgres_lessons, "EXACT_ROWS_OF_A_ROLE", exact_up_to)
    done = CourtInPostgres(there18.address, large.database, large.embedder, large.index).project()
    assert done.has_index == (exact_up_to < 600)
    lessons, embedded = PostgresLessons(there18.address, large.embedder), EmbeddedLessons(large.index, large.database)
    same = wanted = 0
    for number in range(60):
        role = "coder" if number % 2 else f"role {number}"
        query = large.embedder.embed_query(f"question {number}")
        found = {hit.lesson_id for hit in lessons.search_lessons(role, query, K)}
        exact = {hit.lesson_id for hit in embedded.search_lessons(role, query, K)}
        assert len(found) == len(exact) == K
        same, wanted = same + len(found & exact), wanted + K
    lessons.close()
    assert same / wanted >= least


def test_the_index_goes_when_no_role_is_large_any_more(
    there18: There, large: PlantedCourt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projector, "EXACT_ROWS_OF_A_ROLE", 500)
    mirror = CourtInPostgres(there18.address, large.database, large.embedder, large.index)
    assert mirror.project().has_index
    large.forget([row[0] for row in _coders(large)[:200]])
    done = mirror.project()
    assert not done.has_index
    assert there18.rows("SELECT count(*) FROM pg_indexes WHERE indexdef LIKE '%hnsw%'") == [(0,)]


def _coders(court: PlantedCourt) -> list[tuple[str]]:
    with court.database.reading() as connection:
        return connection.execute("SELECT lesson_id FROM lessons WHERE role = 'coder' ORDER BY 1").fetchall()
