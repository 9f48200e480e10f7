"""Both backends answer alike, and what PostgreSQL holds is what the store holds, row for row, however it came there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from memory_assets.court_backend.court_in_postgres import CourtInPostgres
from memory_assets.court_backend.embedded import EmbeddedLessons
from memory_assets.court_backend.lesson_index import LessonHit, LessonIndex
from memory_assets.court_backend.postgres_lessons import PostgresLessons
from memory_assets_tests.court_backend.planted_court import Planted, PlantedCourt, lesson_id
from memory_assets_tests.postgres.databases import KINDS, There, server_of
from memory_assets_tests.postgres.servers import Server

DIMENSIONS = 32
ROLES = ("coder", "reviewer", "설계자", "o'brien; drop table lessons")
Ready = Callable[[PlantedCourt], LessonIndex]


def some_lessons(count: int, first: int = 0) -> list[tuple[str, str]]:
    return [(ROLES[number % len(ROLES)], f"rule {number} 규칙") for number in range(first, first + count)]


def in_postgres(court: PlantedCourt, there: There) -> CourtInPostgres:
    return CourtInPostgres(there.address, court.database, court.embedder, court.index)


def exactly(court: PlantedCourt, lessons: Sequence[tuple[str, str]], role: str, question: str, k: int) -> list[str]:
    """The nearest by plain arithmetic."""
    mine = [(lesson_id(number), text) for number, (of, text) in enumerate(lessons) if of == role]
    vectors = court.embedder.embed_documents([text for _, text in mine]).astype(np.float64)
    likeness = vectors @ court.embedder.embed_query(question).astype(np.float64)
    return [mine[place][0] for place in np.argsort(-likeness)[:k]]


@pytest.fixture(params=["embedded", *KINDS])
def ready(request: pytest.FixtureRequest, running: dict[str, Server]) -> Ready:
    """Makes each backend ready to be asked about a store."""

    def made(court: PlantedCourt) -> LessonIndex:
        if request.param == "embedded":
            return EmbeddedLessons(court.index, court.database)
        server = server_of(running, request.param)
        there = There(server, server.new_database(), request.param == "postgres18")
        in_postgres(court, there).project()
        lessons = PostgresLessons(there.address, court.embedder)
        request.addfinalizer(lessons.close)
        return lessons

    return made


@pytest.mark.long
def test_the_nearest_of_a_role_are_those_that_arithmetic_gives(ready: Ready, folder: Path) -> None:
    court, lessons = PlantedCourt(folder, Planted(DIMENSIONS)), some_lessons(400)
    court.plant(lessons)
    index = ready(court)
    for role in ROLES:
        for question in ("rule 7", "what else", "규칙"):
            found = index.search_lessons(role, court.embedder.embed_query(question), 10)
            assert [hit.lesson_id for hit in found] == exactly(court, lessons, role, question, 10)
            assert [hit.likeness for hit in found] == sorted((hit.likeness for hit in found), reverse=True)


def test_of_equal_ones_the_order_is_that_of_their_units(ready: Ready, folder: Path) -> None:
    court = PlantedCourt(folder, Planted(DIMENSIONS))
    court.plant([("coder", "the same rule")] * 30 + [("coder", "another rule")])
    found = ready(court).search_lessons("coder", court.embedder.embed_query("the same rule"), 12)
    assert [hit.likeness for hit in found] == [1.0] * 12
    with court.database.reading() as connection:
        rows = connection.execute(
            "SELECT unit_id FROM memory_units WHERE body = 'the same rule' ORDER BY 1 LIMIT 12"
        ).fetchall()
    assert [hit.unit_id for hit in found] == [row[0] for row in rows]


def test_a_role_without_lessons_and_one_with_few(ready: Ready, folder: Path) -> None:
    court = PlantedCourt(folder, Planted(DIMENSIONS))
    court.plant([("coder", "one"), ("coder", "two"), ("reviewer", "three")])
    index, query = ready(court), court.embedder.embed_query("one")
    assert index.search_lessons("nobody", query, 10) == []
    assert [hit.lesson_id for hit in index.search_lessons("coder", query, 10)] == [lesson_id(0), lesson_id(1)]
    assert [hit.lesson_id for hit in index.search_lessons("coder", query, 1)] == [lesson_id(0)]


@pytest.mark.long
def test_all_backends_give_the_same_hits(there: There, folder: Path) -> None:
    court = PlantedCourt(folder, Planted(DIMENSIONS))
    court.plant(some_lessons(300))
    in_postgres(court, there).project()
    embedded, mirror = EmbeddedLessons(court.index, court.database), PostgresLessons(there.address, court.embedder)
    for number in range(40):
        query = court.embedder.embed_query(f"question {number}")
        asked: tuple[Sequence[LessonHit], Sequence[LessonHit]] = (
            embedded.search_lessons(ROLES[number % 4], query, 10),
            mirror.search_lessons(ROLES[number % 4], query, 10),
        )
        assert [hit.lesson_id for hit in asked[0]] == [hit.lesson_id for hit in asked[1]]
        for mine, other in zip(*asked, strict=True):
            assert mine.likeness == pytest.approx(other.likeness, abs=2e-5)
    mirror.close()


@pytest.mark.long
def test_a_step_forward_ends_where_a_rebuild_does(there: There, folder: Path) -> None:
    court = PlantedCourt(folder, Planted(DIMENSIONS))
    mirror = in_postgres(court, there)
    lessons = some_lessons(60)
    court.plant(lessons[:40])
    first = mirror.project()
    assert (first.rebuilt, first.written, first.embedded) == ("nothing was there", 80, 40)
    assert mirror.differing() == {}
    court.plant(lessons[40:])
    court.change(
        "UPDATE lessons SET status = 'contested', reason = 'a newer one', confidence = 0.25 WHERE lesson_id < 'les_000010'"
    )
    court.forget([lesson_id(5), lesson_id(50)])
    step = mirror.project()
    assert (step.rebuilt, step.written, step.deleted, step.embedded) == (None, 9 + 19 * 2, 2, 19)
    assert mirror.differing() == {}
    stepped = _everything(there)
    assert mirror.project(rebuild=True).rebuilt == "it was asked for"
    assert _everything(there) == stepped and mirror.differing() == {}


def test_every_kind_of_column_comes_there_as_it_is(there: There, folder: Path) -> None:
    """Lists, JSON in its own spelling, booleans, times to the microsecond, nothing, and characters that SQL and COPY escape."""
    court = PlantedCourt(folder, Planted(DIMENSIONS))
    court.plant([])
    odd = "tab\t, line\n, \\N, \\., 'quote', \"double\", {braces}, 따옴표"
    at = "TIMESTAMP '2026-01-02 03:04:05.678901'"
    said = "'" + odd.replace("'", "''") + "'"
    court.change(
        f"""INSERT INTO prompt_updates BY NAME SELECT 'upd_1' AS update_id, 'coder' AS role, 'proposed' AS status,
              {said} AS prompt, 'a' AS sha256, 'b' AS base_sha256, '' AS reason,
              ['les_1', {said}, ''] AS lesson_ids, 'kim' AS proposed_by,
              {at} AS proposed_at, '' AS note, 'ev_1' AS event_id
            UNION ALL BY NAME SELECT 'upd_2' AS update_id, 'coder' AS role, 'applied' AS status, '' AS prompt,
              'a' AS sha256, 'b' AS base_sha256, '' AS reason, []::VARCHAR[] AS lesson_ids, 'kim' AS proposed_by,
              {at} AS proposed_at, '' AS note, 'ev_2' AS event_id, 3 AS applied_version, {at} AS applied_at"""
    )
    court.change(
        f"""INSERT INTO role_prompts BY NAME SELECT 'coder' AS role, 1 AS version, {said} AS prompt, 'a' AS sha256,
              true AS is_active, 'seed' AS cause, 'kim' AS activated_by, {at} AS activated_at, 'ev_3' AS event_id"""
    )
    court.change("""INSERT INTO judgements VALUES ('ev_4', 'case_1', 'one', 'p1', '[ {"b": 1.0,  "a": "\\u0000"} ]', '[]')""")
    mirror = in_postgres(court, there)
    assert mirror.project().written == 4
    assert mirror.differing() == {}
    assert there.rows("SELECT prompt FROM memory_court.role_prompts") == [(odd,)]
    court.change("SELECT 1")
    assert mirror.project().written == 0


def test_the_same_again_writes_nothing(there: There, folder: Path) -> None:
    court = PlantedCourt(folder, Planted(DIMENSIONS))
    court.plant(some_lessons(20))
    mirror = in_postgres(court, there)
    mirror.project()
    before, marks = _everything(there), _marks(there)
    again = mirror.project()
    assert (again.written, again.deleted, again.embedded, again.rebuilt) == (0, 0, 0, None)
    assert (_everything(there), _marks(there)) == (before, marks)


def test_a_log_with_another_history_is_written_anew(there: There, folder: Path) -> None:
    court = PlantedCourt(folder, Planted(DIMENSIONS))
    court.plant(some_lessons(20))
    mirror = in_postgres(court, there)
    mirror.project()
    court.rewrite_history()
    done = mirror.project()
    assert done.rebuilt is not None and "another history" in done.rebuilt and done.written == 40
    assert mirror.differing() == {}


def test_a_row_that_somebody_changed_is_mended_by_the_next_step(there: There, folder: Path) -> None:
    court = PlantedCourt(folder, Planted(DIMENSIONS))
    court.plant(some_lessons(20))
    mirror = in_postgres(court, there)
    mirror.project()
    there.rows("UPDATE memory_court.lessons SET rule = 'Always push by force' WHERE lesson_id = 'les_000003'")
    there.rows("DELETE FROM memory_court.lesson_evidence WHERE claim_id = 'les_000004'")
    assert mirror.differing() == {"lesson_evidence": 1, "lessons": 1}
    court.plant(some_lessons(1, first=20))
    assert mirror.project().written == 4
    assert mirror.differing() == {}


def test_vectors_come_from_the_index_and_from_the_model_where_it_has_none(there: There, folder: Path) -> None:
    court = PlantedCourt(folder, Planted(DIMENSIONS))
    court.plant(some_lessons(20))
    court.plant(some_lessons(5, first=20), indexed=False)
    court.embedder.asked = 0
    assert in_postgres(court, there).project().embedded == 25
    assert court.embedder.asked == 5


def test_another_model_has_a_table_of_its_own_and_the_old_one_goes(there: There, folder: Path) -> None:
    old = PlantedCourt(folder, Planted(DIMENSIONS))
    old.plant(some_lessons(30))
    in_postgres(old, there).project()
    new = PlantedCourt(folder, Planted(48, model="other"))
    mirror = in_postgres(new, there)
    done = mirror.project()
    assert (done.rebuilt, done.written, done.embedded) == (None, 0, 30)
    told = there.rows("SELECT model_id, dimensions, has_vector_type FROM memory_court.embeddings")
    assert told == [("other-48", 48, there.has_vectors)]
    assert len(_vector_tables(there)) == 1
    lessons = PostgresLessons(there.address, new.embedder)
    found = lessons.search_lessons("coder", new.embedder.embed_query("rule 7"), 5)
    assert [hit.lesson_id for hit in found] == exactly(new, some_lessons(30), "coder", "rule 7", 5)
    lessons.close()


def _everything(there: There) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table, but when it was written."""
    tables = [
        row[0] for row in there.rows("SELECT tablename::text FROM pg_tables WHERE schemaname = 'memory_court' ORDER BY 1")
    ]
    columns = {"projection": "layout, store, seq, link, folded_by"}
    return {
        str(table): there.rows(
            f"SELECT t::text FROM (SELECT {columns.get(str(table), '*')} FROM memory_court.{table}) t ORDER BY 1"
        )
        for table in tables
    }


def _marks(there: There) -> list[tuple[object, ...]]:
    """Which transaction wrote each lesson: untouched rows keep theirs."""
    return there.rows("SELECT lesson_id, xmin::text FROM memory_court.lessons ORDER BY 1")


def _vector_tables(there: There) -> list[tuple[object, ...]]:
    return there.rows("SELECT tablename FROM pg_tables WHERE tablename LIKE 'lesson_vectors_%'")
