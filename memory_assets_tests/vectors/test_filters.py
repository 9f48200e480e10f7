"""What a search may find: each condition alone and together, in both legs; names are data, whatever they hold."""

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.filters import filter_sql
from memory_assets.vectors.units import UnitFilter
from memory_assets_tests.vectors.units import DAY, Both, store, unit

DIMENSIONS = 32


@pytest.fixture(scope="module", params=["fresh", "settled"])
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Both:
    index = Both(tmp_path_factory.mktemp("filters"))
    store(
        index,
        unit("u1", "로그", facets=("file:src/app.py", "tag:배포")),
        unit(
            "u2",
            "로그",
            project="it's",
            session_id="s2",
            unit_kind="entry",
            stage="claim",
            role="assistant",
            worktree="/home/one/shop-2",
            occurred_at=DAY + timedelta(days=1),
            facets=("file:a'b\\\\c.py",),
        ),
        unit(
            "u3", "로그", project=None, session_id=None, worktree="/home/one/shop/web", role=None, facets=("file:src/app.py",)
        ),
        unit("u4", "로그", worktree=None, project="가게"),
    )
    if request.param == "settled":
        index.settle()
    return index


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        (UnitFilter(), "u1 u2 u3 u4"),
        (UnitFilter(project="it's"), "u2"),
        (UnitFilter(project="가게"), "u4"),
        (UnitFilter(project="' OR 1=1 --"), ""),
        (UnitFilter(project="\ud800"), ""),
        (UnitFilter(unit_kinds=("entry", "task")), "u2"),
        (UnitFilter(session_ids=("s1", "s2")), "u1 u2 u4"),
        (UnitFilter(unit_ids=("u3", "u9", "u'")), "u3"),
        (UnitFilter(roles=("assistant",)), "u2"),
        (UnitFilter(stages=("claim", "lemma")), "u2"),
        (UnitFilter(facets=("tag:배포",)), "u1"),
        (UnitFilter(facets=("file:src/app.py",)), "u1 u3"),
        (UnitFilter(facets=("file:src/app.py", "tag:배포")), "u1"),
        (UnitFilter(facets=("file:a'b\\\\c.py",)), "u2"),
        (UnitFilter(facets=("file:a'b\\c.py",)), ""),
        (UnitFilter(facets=("tag:\ud800", "file:src/app.py")), ""),
        (UnitFilter(worktree="/home/one/shop"), "u1 u3"),
        (UnitFilter(worktree="/home/one/shop/"), "u1 u3"),
        (UnitFilter(worktree="/home/one"), "u1 u2 u3"),
        (UnitFilter(worktree="/"), "u1 u2 u3"),
        (UnitFilter(worktree="/home/o%"), ""),
        (UnitFilter(since=DAY + timedelta(hours=1)), "u2"),
        (UnitFilter(until=DAY + timedelta(days=1)), "u1 u3 u4"),
        (UnitFilter(since=DAY, until=DAY + timedelta(days=2), project="shop", worktree="/home/one"), "u1"),
    ],
)
def test_a_filter_lets_the_same_pass_in_both_legs(filled: Both, where: UnitFilter, ids: str) -> None:
    lexical = filled.lexical_search("로그", 10, where)
    by_vector = filled.vector_search(HashingEmbedder(DIMENSIONS).embed_query("로그"), 10, where)
    for hits in (lexical.context, lexical.own, by_vector):
        assert [hit.unit_id for hit in hits] == ids.split()


def test_a_filter_of_nothing_is_no_condition() -> None:
    assert filter_sql(UnitFilter()) is None


NAMES = st.text(st.characters(codec="utf-8"), max_size=20) | st.text("'\"\\;-/*%_\x00\n가`$[],", max_size=10)


@pytest.fixture(scope="module")
def quoted(tmp_path_factory: pytest.TempPathFactory) -> Both:
    return Both(tmp_path_factory.mktemp("quoted"))


@pytest.mark.long
@settings(max_examples=20)
@given(NAMES)
def test_any_name_is_data(quoted: Both, name: str) -> None:
    folder = f"/x{name}".rstrip("/")
    store(
        quoted,
        unit("mine", "로그", project=name, facets=(f"tag:{name}",), worktree=folder),
        unit("other", "로그", project=f"{name}2", facets=(f"tag:{name}2",), worktree=f"{folder}2"),
    )
    for where in (UnitFilter(project=name), UnitFilter(facets=(f"tag:{name}",)), UnitFilter(worktree=folder)):
        assert [hit.unit_id for hit in quoted.lexical_search("로그", 10, where).own] == ["mine"]
    quoted.delete([name])
    assert quoted.count() == 2


def test_many_ids_are_one_condition(tmp_path: Path) -> None:
    index = Both(tmp_path)
    store(index, *(unit(f"u{n:04}", "로그") for n in range(60)))
    where = UnitFilter(unit_ids=tuple(f"u{n:04}" for n in range(10, 5000)))
    assert len(index.lexical_search("로그", 100, where).own) == 50
