"""What other programs put beside the court's tables, or upon them, is theirs: it stays, or its name is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.court_backend.court_in_postgres import CourtInPostgres
from memory_assets.court_backend.errors import PostgresRefusedError
from memory_assets_tests.court_backend.planted_court import Planted, PlantedCourt, lesson_id
from memory_assets_tests.postgres.databases import There


@pytest.fixture
def court(folder: Path) -> PlantedCourt:
    planted = PlantedCourt(folder, Planted(16))
    planted.plant([("coder", f"rule {number}") for number in range(4)])
    return planted


def mirror_of(court: PlantedCourt, there: There) -> CourtInPostgres:
    return CourtInPostgres(there.address, court.database, court.embedder, court.index)


def make_older(there: There) -> None:
    """As if another version of this program had made the tables."""
    there.rows("UPDATE memory_court.projection SET layout = 'of another version'")


def test_a_table_of_somebody_else_stays_when_ours_are_made_anew(there: There, court: PlantedCourt) -> None:
    mirror_of(court, there).project()
    there.rows("CREATE TABLE memory_court.theirs AS SELECT 1 AS one; CREATE VIEW memory_court.ones AS SELECT 1 AS one")
    make_older(there)
    done = mirror_of(court, there).project()
    assert done.rebuilt == "its tables were of another version of this program"
    assert there.rows("SELECT one FROM memory_court.theirs UNION ALL SELECT one FROM memory_court.ones") == [(1,), (1,)]
    assert mirror_of(court, there).differing() == {}


def test_a_view_on_a_table_that_would_have_to_go_is_named_and_stays(there: There, court: PlantedCourt) -> None:
    mirror_of(court, there).project()
    there.rows("CREATE VIEW public.their_lessons AS SELECT title FROM memory_court.lessons")
    make_older(there)
    with pytest.raises(PostgresRefusedError, match=r"view their_lessons depends on table memory_court\.lessons") as caught:
        mirror_of(court, there).project()
    assert "drop what hangs on" in caught.value.hint
    assert there.rows("SELECT count(*) FROM public.their_lessons") == [(4,)]
    there.rows("DROP VIEW public.their_lessons")
    mirror_of(court, there).project()
    assert mirror_of(court, there).differing() == {}


def test_a_view_on_vectors_of_another_model_is_named(there: There, court: PlantedCourt) -> None:
    mirror_of(court, there).project()
    ((table,),) = there.rows("SELECT table_name FROM memory_court.embeddings")
    there.rows(f"CREATE VIEW public.near AS SELECT lesson_id FROM memory_court.{table}")
    other = PlantedCourt(court.database.path.parent, Planted(24, model="other"))
    with pytest.raises(PostgresRefusedError, match=f"view near depends on table memory_court.{table}"):
        mirror_of(other, there).project()
    # What is gone is taken out all the same.
    court.forget([lesson_id(2)])
    mirror_of(other, there).take_out()
    assert there.rows("SELECT count(*) FROM public.near WHERE lesson_id = 'les_000002'") == [(0,)]
    assert mirror_of(court, there).differing() == {}


def test_a_view_on_the_vectors_in_use_is_in_nobodys_way(there: There, court: PlantedCourt) -> None:
    mirror_of(court, there).project()
    ((table,),) = there.rows("SELECT table_name FROM memory_court.embeddings")
    there.rows(f"CREATE VIEW public.near AS SELECT lesson_id FROM memory_court.{table}")
    court.plant([("coder", "one more")])
    mirror_of(court, there).project()
    mirror_of(court, there).project(rebuild=True)
    assert there.rows("SELECT count(*) FROM public.near") == [(5,)]


def test_a_row_of_somebody_else_that_refers_to_ours_is_named_and_not_repeated(there: There, court: PlantedCourt) -> None:
    mirror_of(court, there).project()
    there.rows(
        """CREATE TABLE public.notes (lesson text REFERENCES memory_court.lessons);
           INSERT INTO public.notes VALUES ('les_000002')"""
    )
    court.forget([lesson_id(2)])
    with pytest.raises(PostgresRefusedError, match=r"public\.notes") as caught:
        mirror_of(court, there).project()
    assert "les_000002" not in f"{caught.value} {caught.value.hint}"
    court.rewrite_history()
    with pytest.raises(PostgresRefusedError, match="notes"):
        mirror_of(court, there).project()
