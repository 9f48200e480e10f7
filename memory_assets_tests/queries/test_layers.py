"""What names a thing, what was said around it, and all of it: over a real store."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memory_assets.configuration import Resources
from memory_assets.errors import InvalidArgumentError
from memory_assets.queries.details import details
from memory_assets.queries.resolve_ids import ResolvedId, UnresolvedId, resolve_ids
from memory_assets.queries.timeline import PREVIEW_LENGTH, timeline
from memory_assets.text.tokens import estimate_tokens

if TYPE_CHECKING:
    import duckdb

    from memory_assets.results.details import DetailV1
    from memory_assets.results.timeline import TimelineV1
    from memory_assets.settings import Settings


@pytest.fixture
def connection(layers: Settings) -> Iterator[duckdb.DuckDBPyConnection]:
    with Resources(layers).database.reading() as opened:
        yield opened


def one(connection: duckdb.DuckDBPyConnection, statement: str) -> str:
    row = connection.execute(statement).fetchone()
    assert row is not None, statement
    return str(row[0])


def redis(connection: duckdb.DuckDBPyConnection) -> str:
    return one(connection, "SELECT 'mem:' || short_id FROM memories WHERE title = '캐시를 Redis로 옮긴다'")


def postgres(connection: duckdb.DuckDBPyConnection) -> str:
    return one(connection, "SELECT 'mem:' || short_id FROM memories WHERE title LIKE 'Keep PostgreSQL%'")


def task(connection: duckdb.DuckDBPyConnection) -> str:
    return one(connection, "SELECT entity_id FROM entities WHERE entity_type = 'task' AND title LIKE '배포%'")


def test_every_name_of_a_memory_leads_to_its_unit(connection: duckdb.DuckDBPyConnection) -> None:
    short = redis(connection)
    unit_id, memory_id = connection.execute(
        "SELECT unit_id, source_id FROM memory_units WHERE title = '캐시를 Redis로 옮긴다'"
    ).fetchall()[0]
    entry_id = one(connection, "SELECT entry_id FROM entries WHERE title = '캐시를 Redis로 옮긴다'")
    names = [short, short.removeprefix("mem:"), f"[{short}]", unit_id, unit_id[:14], memory_id, memory_id[:14], entry_id]
    found = resolve_ids(connection, names)
    assert [(name.given, name.unit_id, name.address) for name in found if isinstance(name, ResolvedId)] == [
        (name, unit_id, short) for name in names
    ]


def test_a_task_is_named_by_id_beginning_key_and_former_id(connection: duckdb.DuckDBPyConnection) -> None:
    task_id = task(connection)
    key = one(connection, f"SELECT canonical_key FROM entities WHERE entity_id = '{task_id}'")
    for found in resolve_ids(connection, [task_id, task_id[:12], key]):
        assert isinstance(found, ResolvedId)
        assert (found.unit_kind, found.source_id, found.address) == ("task", task_id, task_id)


def test_a_place_leads_to_the_passage_that_holds_it(connection: duckdb.DuckDBPyConnection) -> None:
    whole, part = resolve_ids(connection, ["session:shop-1#m=1", "session:shop-1#m=1&c=3-9"])
    assert isinstance(whole, ResolvedId) and isinstance(part, ResolvedId)
    assert whole.unit_id == part.unit_id
    assert whole.unit_kind == "passage"
    assert whole.places[0].segments == ((0, 63),)
    assert part.places[0].segments == ((3, 9),)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("mem:zzzzzz", "not_found"),
        ("unt_" + "0" * 32, "not_found"),
        ("tsk_ffffffff", "not_found"),
        ("unt_", "not_found"),
        ("unt_none", "not_found"),
        ("mem_\ud800", "not_found"),
        ("[tsk_ffffffff", "invalid_argument"),
        ("mem_%", "not_found"),
        ("session:nowhere#m=0", "not_found"),
        ("session:shop-1#m=99", "not_found"),
        ("session:shop-1#m=1&c=0-9999", "invalid_argument"),
        ("session:shop-1", "invalid_argument"),
        ("", "invalid_argument"),
        ("file:src/app.py", "invalid_argument"),
        ("'; DROP TABLE memory_units; --", "invalid_argument"),
        ("가" * 50_000, "invalid_argument"),
    ],
)
def test_what_names_nothing_is_a_value_of_its_own(connection: duckdb.DuckDBPyConnection, given: str, code: str) -> None:
    missing, there = resolve_ids(connection, [given, redis(connection)])
    assert isinstance(missing, UnresolvedId)
    assert missing.code == code
    assert missing.hint
    assert len(missing.reason) < 400
    assert isinstance(there, ResolvedId)


def test_a_beginning_of_several_ids_names_none(connection: duckdb.DuckDBPyConnection) -> None:
    ids = sorted(row[0] for row in connection.execute("SELECT unit_id FROM memory_units").fetchall())
    near = min(pairwise(ids), key=lambda pair: -len(_shared(*pair)))
    shared = _shared(*near)
    (found,) = resolve_ids(connection, [shared])
    assert isinstance(found, UnresolvedId) == (sum(unit.startswith(shared) for unit in ids) > 1)


def test_a_digit_that_begins_several_ids_is_told_to_be_too_short(connection: duckdb.DuckDBPyConnection) -> None:
    """Seventeen units and more begin with sixteen digits."""
    found = resolve_ids(connection, [f"unt_{digit}" for digit in "0123456789abcdef"])
    assert any(isinstance(one, UnresolvedId) and one.hint == "give more of it" for one in found)
    assert not any(isinstance(one, UnresolvedId) and "no id that can be opened" in one.reason for one in found)


def _shared(one: str, other: str) -> str:
    length = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    return one[:length]


def told(found: TimelineV1) -> list[tuple[str, str, int]]:
    return [(item.session_id, item.relation, item.message_index) for item in found.items]


def test_a_timeline_is_what_stands_beside_the_target_in_its_session(connection: duckdb.DuckDBPyConnection) -> None:
    found = timeline(connection, ["session:long-4#m=10"], window=2)
    assert told(found) == [
        ("long-4", "before", 8),
        ("long-4", "before", 9),
        ("long-4", "target", 10),
        ("long-4", "after", 11),
        ("long-4", "after", 12),
    ]
    assert [item.is_target for item in found.items] == [False, False, True, False, False]
    assert all(earlier.ts <= later.ts for earlier, later in pairwise(found.items))
    assert found.items[0].uri == "session:long-4#m=8"


def test_at_the_ends_of_a_session_there_is_less(connection: duckdb.DuckDBPyConnection) -> None:
    assert [index for _, _, index in told(timeline(connection, ["session:long-4#m=0"], window=2))] == [0, 1, 2]
    assert [index for _, _, index in told(timeline(connection, ["session:long-4#m=29"], window=2))] == [27, 28, 29]
    assert told(timeline(connection, ["session:long-4#m=3"], window=0)) == [("long-4", "target", 3)]


def test_windows_that_overlap_show_everything_once_and_a_target_as_one(connection: duckdb.DuckDBPyConnection) -> None:
    found = timeline(connection, ["session:long-4#m=10", "session:long-4#m=12", "session:long-4#m=10"], window=2)
    assert [index for _, _, index in told(found)] == list(range(8, 15))
    assert [item.message_index for item in found.items if item.is_target] == [10, 12]
    assert found.items[3].targets == ("session:long-4#m=10", "session:long-4#m=12")


def test_what_speaks_of_the_same_task_elsewhere_is_shown(connection: duckdb.DuckDBPyConnection) -> None:
    found = timeline(connection, ["session:shop-1#m=2"], window=1)
    (same,) = [item for item in found.items if item.relation == "same_task"]
    assert (same.session_id, same.message_index, same.preview) == ("again-5", 1, "배포 전에 블로커를 고친다.")
    assert same.task is not None
    assert same.task.startswith("배포 전에")
    # Of a task itself the sessions that speak of it are looked at.
    assert {(item.session_id, item.message_index) for item in timeline(connection, [task(connection)], window=0).items} == {
        ("shop-1", 2),
        ("again-5", 1),
    }


@pytest.mark.parametrize("budget", [None, 1, 7, 40, 150, 400])
def test_previews_keep_within_the_budget(connection: duckdb.DuckDBPyConnection, budget: int | None) -> None:
    ids = [redis(connection), postgres(connection), "session:long-4#m=10", task(connection)]
    found = timeline(connection, ids, budget=budget)
    assert found.budget == (150 * len(ids) if budget is None else budget)
    assert sum(estimate_tokens(item.preview) for item in found.items) == found.estimated_tokens <= found.budget
    assert all(len(item.preview) <= PREVIEW_LENGTH + 2 for item in found.items)
    assert all(item.is_cut for item in found.items if not item.preview)


def test_the_target_has_its_preview_before_its_neighbours(connection: duckdb.DuckDBPyConnection) -> None:
    found = timeline(connection, ["session:long-4#m=10"], budget=24)
    lengths = {item.relation: len(item.preview) for item in found.items}
    assert lengths["target"] > 2 * lengths["before"]


def test_one_unknown_id_does_not_hide_the_others(connection: duckdb.DuckDBPyConnection) -> None:
    found = timeline(connection, ["mem:zzzzzz", "session:long-4#m=1", "nonsense"], window=0)
    assert [target.given for target in found.targets] == ["session:long-4#m=1"]
    assert [(error.id, error.error.code) for error in found.errors] == [
        ("mem:zzzzzz", "not_found"),
        ("nonsense", "invalid_argument"),
    ]
    assert len(found.items) == 1


@pytest.mark.parametrize(
    ("ids", "window", "budget"),
    [
        ([], 3, None),
        (["mem:zzzzzz"], -1, None),
        (["mem:zzzzzz"], 21, None),
        (["x"], 3, 0),
        (["x"], 3, -5),
        (["x"] * 101, 3, None),
    ],
)
def test_a_timeline_that_cannot_be_is_refused(
    connection: duckdb.DuckDBPyConnection, ids: list[str], window: int, budget: int | None
) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        timeline(connection, ids, window=window, budget=budget)
    assert error.value.hint


def detail(connection: duckdb.DuckDBPyConnection, given: str, budget: int | None = None) -> DetailV1:
    return details(connection, [given], budget=budget).items[0]


def test_a_memory_in_full_is_its_passage_with_quotes_neighbours_and_tasks(connection: duckdb.DuckDBPyConnection) -> None:
    found = detail(connection, redis(connection))
    assert found.title == "캐시를 Redis로 옮긴다"
    assert found.text.startswith("로그를 보니")
    assert found.text_uri == "session:shop-1#m=1"
    assert [citation.quote for citation in found.citations] == [
        "우리는 캐시를 Redis로 옮기기로 했다.",
        "이유는 재시작이 빠르기 때문이다.",
    ]
    assert found.before is not None and found.before.uri == "session:shop-1#m=0"
    assert found.after is not None and found.after.preview.startswith("좋아요")
    assert (found.metadata.stage, found.metadata.checker, found.metadata.entry_type) == ("verified", "embedded 1", "decision")
    assert found.is_cited and not found.cut


def test_what_hangs_on_a_thing_is_told(connection: duckdb.DuckDBPyConnection) -> None:
    task_id = task(connection)
    passage = detail(connection, "session:shop-1#m=2")
    assert {(item.relation, item.kind) for item in passage.related} == {
        ("same_words", "decision"),
        ("same_words", "task"),
        ("evidence_of", "task"),
    }
    (memory,) = [item for item in passage.related if item.kind == "decision"]
    assert memory.id == postgres(connection)
    of_task = detail(connection, task_id)
    assert of_task.metadata.task_status == "pending"
    assert "evidence" in {item.relation for item in of_task.related}
    assert {citation.session_id for citation in of_task.citations} == {"shop-1", "again-5"}


@pytest.mark.long
def test_a_conflict_is_what_hangs_on_a_memory_first(tmp_path: Path) -> None:
    from memory_assets_tests.filled_store import tell_titles, test_settings

    settings = test_settings(tmp_path)
    tell_titles(settings, "a", "We use PostgreSQL 15 for orders")
    tell_titles(settings, "b", "We use PostgreSQL 16 for orders", days=3)
    with Resources(settings).database.reading() as opened:
        conflict, memory_id = opened.execute("SELECT conflict_id, older_memory_id FROM conflicts").fetchall()[0]
        found = detail(opened, memory_id)
    assert (found.related[0].relation, found.related[0].id) == ("conflict", conflict)
    assert found.metadata.status == "contested"


@pytest.mark.parametrize("budget", [None, 300, 333, 600, 2_000])
def test_things_in_full_keep_within_the_budget_and_say_what_was_cut(
    connection: duckdb.DuckDBPyConnection, budget: int | None
) -> None:
    ids = [redis(connection), postgres(connection), task(connection), "session:long-4#m=10", "session:shop-1#m=2&c=5-40"]
    found = details(connection, ids, budget=budget)
    assert found.estimated_tokens <= found.budget == (500 * len(ids) if budget is None else budget)
    for item in found.items:
        texts = [
            item.title,
            item.text,
            item.text_uri or item.id or "",
            *(text for citation in item.citations for text in (citation.uri, citation.quote or "")),
            *(text for one in item.related for text in (f"{one.relation} {one.id}", one.title)),
            *(text for one in (item.before, item.after) if one for text in (one.uri, one.preview)),
        ]
        assert sum(map(estimate_tokens, texts)) <= item.tokens
        assert item.text
    if budget == 300:
        assert sum(bool(item.cut) for item in found.items) >= 4


def test_a_long_text_is_cut_and_its_loss_is_counted(tmp_path: Path) -> None:
    from memory_assets_tests.filled_store import fill_one

    told_at_length = "문장 하나가 여기에 있다. " * 90
    settings = fill_one(tmp_path, "long-1", (("user", told_at_length), ("assistant", "```py\nx = 1\n```")), ())
    with Resources(settings).database.reading() as opened:
        found = detail(opened, "session:long-1#m=0", budget=100)
        assert found.metadata.token_count > 500
        assert found.tokens <= 100
        assert any("characters of the text" in said for said in found.cut)
        assert [citation.quote for citation in found.citations] == [None]
        part = detail(opened, "session:long-1#m=0&c=3-5")
        assert [citation.quote for citation in part.citations] == ["하나"]
        code = detail(opened, "session:long-1#m=1")
    assert code.metadata.has_code
    assert code.text == "```py\nx = 1\n```"


def test_a_long_address_does_not_break_the_cap(connection: duckdb.DuckDBPyConnection) -> None:
    """An address of many parts costs more than all that may be spent; it is left out, and that is said."""
    parts = ",".join(f"{place}-{place + 1}" for place in range(0, 60, 2))
    (item,) = details(connection, [f"session:long-4#m=10&c={parts}"], budget=60).items
    assert item.tokens <= 60 and item.text
    assert item.text_uri is None and item.citations == ()
    assert "its address" in item.cut
    (whole,) = details(connection, [f"session:long-4#m=10&c={parts}"], budget=2_000).items
    assert whole.text_uri == whole.given and whole.cut == ()


@pytest.mark.parametrize(("ids", "budget"), [([], None), (["session:long-4#m=1"], 0), (["session:long-4#m=1"], 59)])
def test_details_that_cannot_be_are_refused(connection: duckdb.DuckDBPyConnection, ids: list[str], budget: int | None) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        details(connection, ids, budget=budget)
    assert error.value.hint


def test_only_unknown_ids_give_only_errors(connection: duckdb.DuckDBPyConnection) -> None:
    found = details(connection, ["mem:zzzzzz", "nonsense"])
    assert found.items == ()
    assert len(found.errors) == 2
    assert found.estimated_tokens == 0
