"""What is gone from the store goes from PostgreSQL, whether or not there is a model, and whatever else fails."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memory_assets.court_backend.court_in_postgres import CourtInPostgres
from memory_assets.court_backend.errors import NotProjectedError
from memory_assets.court_backend.postgres_lessons import PostgresLessons
from memory_assets.vectors.errors import EmbedderUnavailableError
from memory_assets_tests.court_backend.planted_court import Planted, PlantedCourt, lesson_id
from memory_assets_tests.postgres.databases import There

if TYPE_CHECKING:
    from memory_assets.vectors.embedder import Vectors

LESSONS = [("coder", f"rule {number}") for number in range(12)]


class WithoutModel(Planted):
    """An embedder whose model is not on this machine."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        raise EmbedderUnavailableError("the model is not here", hint="install it")


class Unknown(WithoutModel):
    """One of which not even the length of its vectors is known."""

    @property
    def dimensions(self) -> int:
        raise EmbedderUnavailableError("the model is not here", hint="install it")

    @dimensions.setter
    def dimensions(self, length: int) -> None: ...


@pytest.fixture
def court(folder: Path) -> PlantedCourt:
    planted = PlantedCourt(folder, Planted(16))
    planted.plant(LESSONS)
    return planted


def mirror_of(court: PlantedCourt, there: There, embedder: Planted | None = None) -> CourtInPostgres:
    return CourtInPostgres(there.address, court.database, embedder or court.embedder, court.index)


def unknown() -> Planted:
    made = Unknown.__new__(Unknown)
    made.model_id = made.embedding_version = made.fingerprint = "unknown"
    return made


@pytest.mark.long
@pytest.mark.parametrize("embedder", [WithoutModel(16), WithoutModel(16, model="other"), unknown()])
def test_without_a_model_what_is_gone_goes_and_what_is_new_comes(there: There, court: PlantedCourt, embedder: Planted) -> None:
    mirror_of(court, there).project()
    court.plant([("coder", "never embedded")], indexed=False)
    court.forget([lesson_id(3)])
    with pytest.raises(EmbedderUnavailableError, match="not here"):
        mirror_of(court, there, embedder).project()
    assert there.rows("SELECT count(*) FROM memory_court.lessons WHERE title = 'rule 3'") == [(0,)]
    assert there.rows("SELECT count(*) FROM memory_court.lessons WHERE title = 'never embedded'") == [(1,)]
    assert _with_vectors(there) == {lesson_id(number) for number in range(12)} - {lesson_id(3)}
    # Half of the vectors are no answer.
    with pytest.raises(NotProjectedError):
        PostgresLessons(there.address, court.embedder).search_lessons("coder", court.embedder.embed_query("rule 4"), 3)
    assert mirror_of(court, there).project().embedded == 1
    assert mirror_of(court, there).differing() == {}
    assert len(_with_vectors(there)) == 12


def test_what_is_taken_out_needs_no_model_and_leaves_the_rest_to_be_searched(there: There, court: PlantedCourt) -> None:
    mirror_of(court, there).project()
    court.forget([lesson_id(3), lesson_id(4)])
    done = mirror_of(court, there, unknown()).take_out()
    assert (done.deleted, done.embedded) == (4, 0)
    assert mirror_of(court, there).differing() == {}
    lessons = PostgresLessons(there.address, court.embedder)
    found = lessons.search_lessons("coder", court.embedder.embed_query("rule 4"), 20)
    lessons.close()
    assert {hit.lesson_id for hit in found} == {lesson_id(number) for number in range(12)} - {lesson_id(3), lesson_id(4)}


def test_a_lesson_that_says_something_else_loses_its_vector_at_once(there: There, court: PlantedCourt) -> None:
    mirror_of(court, there).project()
    court.change("UPDATE memory_units SET body = 'said otherwise', embed_hash = 'other' WHERE source_id = 'les_000003'")
    mirror_of(court, there, unknown()).take_out()
    assert _with_vectors(there) == {lesson_id(number) for number in range(12)} - {lesson_id(3)}
    assert mirror_of(court, there).project().embedded == 1


def test_nothing_is_made_where_there_is_nothing_to_take_out(there: There, court: PlantedCourt) -> None:
    assert mirror_of(court, there, unknown()).take_out().deleted == 0
    assert there.rows("SELECT to_regnamespace('memory_court') IS NULL") == [(True,)]


def test_after_a_purge_rows_are_written_into_new_files_without_a_model(there: There, court: PlantedCourt) -> None:
    mirror_of(court, there).project()
    before = there.rows("SELECT pg_relation_filenode('memory_court.lessons')")
    court.forget([lesson_id(3)])
    court.rewrite_history()
    done = mirror_of(court, there, unknown()).take_out()
    assert done.rebuilt is not None and "another history" in done.rebuilt
    assert there.rows("SELECT pg_relation_filenode('memory_court.lessons')") != before
    assert there.rows("SELECT count(*) FROM memory_court.lessons") == [(11,)]
    assert _with_vectors(there) == set()
    assert mirror_of(court, there).project().embedded == 11


def test_tables_of_another_version_are_emptied_whatever_hangs_on_them(there: There, court: PlantedCourt) -> None:
    mirror_of(court, there).project()
    there.rows("UPDATE memory_court.projection SET layout = 'of another version'")
    there.rows("CREATE VIEW public.theirs AS SELECT title FROM memory_court.lessons")
    court.forget([lesson_id(3)])
    mirror_of(court, there, unknown()).take_out()
    assert there.rows("SELECT * FROM public.theirs") == []
    assert _with_vectors(there) == set()
    there.rows("DROP VIEW public.theirs")
    assert mirror_of(court, there).project().embedded == 11
    assert mirror_of(court, there).differing() == {}
    assert len(_with_vectors(there)) == 11


def test_a_table_of_vectors_that_no_list_names_is_made_anew(there: There, court: PlantedCourt) -> None:
    mirror_of(court, there).project()
    there.rows("TRUNCATE memory_court.embeddings")
    there.rows("UPDATE memory_court.projection SET layout = 'of another version'")
    assert mirror_of(court, there).project().embedded == 12
    assert mirror_of(court, there).differing() == {}


def _with_vectors(there: There) -> set[object]:
    (table,) = there.rows("SELECT tablename FROM pg_tables WHERE tablename LIKE 'lesson_vectors_%'")
    return {row[0] for row in there.rows(f"SELECT lesson_id FROM memory_court.{table[0]}")}
