"""What is delivered of a ranking: each turn once, with what rests on it."""

from __future__ import annotations

import pytest

from memory_assets.configuration import Resources
from memory_assets.log.fetching import fetch
from memory_assets.search.answers.hydration import chosen
from memory_assets.search.ranking.ranking import RankedHit
from memory_assets.settings import Settings
from memory_assets.vectors.units import UnitHit
from memory_assets_tests.filled_store import STARTED, fill


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return fill(tmp_path_factory.mktemp("store"))


def ranking(store: Settings, first: str, last: str) -> list[RankedHit]:
    """Every passage, one of them first; then the entries and tasks of a kind of memory."""
    with Resources(store).database.reading() as connection:
        rows = fetch(
            connection,
            """SELECT unit_id, unit_kind, session_id, message_index FROM memory_units
               WHERE unit_kind = 'passage' OR (unit_kind = 'entry' AND title LIKE $last)
               ORDER BY unit_kind <> 'passage', body NOT LIKE $first, unit_id""",
            {"first": first, "last": last},
        )
    return [ranked(*row, score=float(len(rows) - place)) for place, row in enumerate(rows)]


def ranked(unit_id: str, kind: str, session_id: str, message_index: int, *, score: float) -> RankedHit:
    hit = UnitHit(unit_id, kind, "shop", session_id, message_index, None, "user", None, "raw", "active", 1.0, STARTED, score)
    return RankedHit(hit, score, "weighted", {}, {"lexical": score}, {}, ())


@pytest.mark.parametrize("k", [1, 2, 5])
def test_a_memory_that_stands_far_behind_is_shown_with_the_hit_that_has_its_words(store: Settings, k: int) -> None:
    found = ranking(store, "%커넥션 풀이%", "캐시를 Redis로%")
    assert len(found) == 7
    with Resources(store).database.reading() as connection:
        hits = chosen(connection, found, k)
    assert [hit.unit.unit_kind for hit in hits] == ["passage"] * k
    assert [[other.unit.title for other in hit.related] for hit in hits] == [["캐시를 Redis로 옮긴다"], *[[]] * (k - 1)]


def test_a_memory_of_other_words_is_shown_with_none(store: Settings) -> None:
    found = ranking(store, "%결제 서버가 자꾸%", "캐시를 Redis로%")
    with Resources(store).database.reading() as connection:
        assert [hit.related for hit in chosen(connection, found, 1)] == [[]]
