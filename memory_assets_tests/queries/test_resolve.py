"""What `memory show` opens beside memories and spans: ids of every kind, terminals, and names of what lies outside."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory_assets.errors import InvalidArgumentError, MemoryAssetsError, NotFoundError
from memory_assets.memory import Memory, as_plain
from memory_assets.queries.entries import list_entries
from memory_assets.results.shown import ResolvedEntry, ResolvedMemory, ResolvedName, ResolvedSpan, ResolvedTask, ResolvedUnit
from memory_assets_tests.filled_store import Said, fill, fill_one
from memory_assets_tests.queries.tool_talk import SOURCE, fill_with_tools


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return Memory(fill_with_tools(tmp_path_factory.mktemp("tools")))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return Memory(fill(tmp_path_factory.mktemp("shop")))


def unit_ids(memory: Memory, kind: str) -> list[str]:
    with memory.database.reading() as connection:
        rows = connection.execute("SELECT unit_id FROM memory_units WHERE unit_kind = ? ORDER BY unit_id", [kind]).fetchall()
    return [row[0] for row in rows]


def test_a_unit_opens_as_what_it_is(shop: Memory) -> None:
    for kind, found in (("entry", ResolvedMemory), ("task", ResolvedTask), ("passage", ResolvedSpan)):
        for unit_id in unit_ids(shop, kind):
            assert isinstance(shop.resolve(unit_id), found)
    whole = shop.resolve(unit_ids(shop, "passage")[0])
    assert isinstance(whole, ResolvedSpan) and "&c=" not in whole.uri and whole.text == whole.message.text


def test_a_gotcha_opens_with_its_citations_and_places(tools: Memory) -> None:
    (unit_id,) = unit_ids(tools, "gotcha")
    found = tools.resolve(unit_id[:12])
    assert isinstance(found, ResolvedUnit) and found.unit_kind == "gotcha" and found.body
    assert [one["kind"] for one in found.citations] == ["terminal_snapshot", "message", "file"]
    assert found.place_count == len(found.places) == 2
    first = found.places[0]
    assert first.text == "ModuleNotFoundError: No module named 'shop'"
    assert first.before is not None and first.after is not None
    assert as_plain(found)["citations"][0]["uri"] == "terminal:session:tools-1#m=2"


def test_an_entry_opens_whether_or_not_it_is_in_a_memory(shop: Memory) -> None:
    for entry in shop.read(list_entries)[0]:
        found = shop.resolve(entry.entry_id)
        assert isinstance(found, ResolvedEntry) and found.entry == entry
        assert [item.quote for item in found.quotes] == list(entry.evidence)
        if entry.memory_id is not None:
            memory = shop.resolve(entry.memory_id)
            assert isinstance(memory, ResolvedMemory) and memory.memory.citation == entry.citation


def test_a_quote_of_a_memory_stands_in_its_place(shop: Memory) -> None:
    entry = next(one for one in shop.read(list_entries)[0] if one.title == "캐시를 Redis로 옮긴다" and one.citation)
    found = shop.resolve(entry.citation or "")
    assert isinstance(found, ResolvedMemory)
    first = found.quotes[0]
    assert first.quote.matched_text == "우리는 캐시를 Redis로 옮기기로 했다."
    assert (first.text_before, first.text_after) == (
        "로그를 보니 커넥션 풀이 모자랍니다. ",
        " 이유는 재시작이 빠르기 때문이다.",
    )
    for one in found.quotes:
        if one.quote.uri is not None:
            message = shop.resolve(one.quote.uri.partition("&")[0])
            assert isinstance(message, ResolvedSpan)
            stands = f"{one.text_before.removeprefix('…')}{one.quote.matched_text}{one.text_after.removesuffix('…')}"
            assert stands in message.text


def test_what_stands_around_a_quote_is_short(tmp_path: Path) -> None:
    text = "가" * 500 + " 옮기기로 했다. " + "나" * 500
    settings = fill_one(tmp_path, "long-1", (("user", text),), (Said("decision", "옮긴다", ((0, "옮기기로 했다."),)),))
    (entry,) = Memory(settings).read(list_entries)[0]
    found = Memory(settings).resolve(entry.citation or "")
    assert isinstance(found, ResolvedMemory)
    assert found.quotes[0].text_before == "…" + "가" * 99 + " "
    assert found.quotes[0].text_after == " " + "나" * 99 + "…"


def test_a_task_opens_with_the_places_that_speak_of_it(shop: Memory) -> None:
    task = shop.tasks()[0]
    for given in (task.task_id, task.task_id[:10], task.canonical_key, f"[{task.task_id}]"):
        found = shop.resolve(given)
        assert isinstance(found, ResolvedTask) and found.task == task
        assert [place.text for place in found.places] == [quote.quote for quote in task.evidence]
        assert found.places[0].previous is not None


def test_a_terminal_opens_in_its_session(tools: Memory) -> None:
    found = tools.resolve("terminal:session:tools-1#m=2&c=0-19")
    assert isinstance(found, ResolvedSpan) and found.uri.startswith("terminal:") and found.text == "ModuleNotFoundError"
    with pytest.raises(InvalidArgumentError, match="nothing that a terminal showed"):
        tools.resolve("terminal:session:tools-1#m=0")


@pytest.mark.parametrize(
    ("address", "kind", "units"),
    [
        ("file:src/shop/app.py", "file", {"passage", "episode", "gotcha"}),
        ("file:shop/app.py", "file", {"passage", "episode", "gotcha"}),
        ("file:app.py", "file", {"passage", "episode", "gotcha"}),
        ("file:/home/me/shop/src/shop/app.py#L3-L9", "line", {"passage", "episode", "gotcha"}),
        ("file:src\\shop\\app.py", "file", {"passage", "episode", "gotcha"}),
        ("file:docs/배포.md", "file", {"passage", "episode"}),
        ("page:docs/%EB%B0%B0%ED%8F%AC.md#page=2", "page", {"passage", "episode"}),
        ("commit:1a2b3c4", "commit", {"passage", "episode"}),
        ("commit:1A2B3C4D5E6F", "commit", {"passage", "episode"}),
        ("symbol:Shop.run_all", "symbol", {"passage"}),
    ],
)
def test_a_name_is_known_by_those_who_speak_of_it(tools: Memory, address: str, kind: str, units: set[str]) -> None:
    found = tools.resolve(address)
    assert isinstance(found, ResolvedName) and found.citation_kind == kind
    assert {unit.unit_kind for unit in found.units} == units and found.unit_count == len(found.units)
    for unit in found.units:
        assert unit.uri is not None and isinstance(tools.resolve(unit.uri), ResolvedSpan)


@pytest.mark.parametrize("name", [SOURCE, "tools.jsonl", "talks/tools.jsonl"])
def test_a_log_is_known_by_the_session_that_was_read_from_it(tools: Memory, name: str) -> None:
    found = tools.resolve(f"log:{name}#m=2")
    assert isinstance(found, ResolvedName) and [one.session_id for one in found.sessions] == ["tools-1"]
    assert found.message is not None and found.message.text.startswith("ModuleNotFoundError")
    without = tools.resolve(f"log:{name}#L3")
    assert isinstance(without, ResolvedName) and without.message is None


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("file:nobody/spoke/of.it", NotFoundError),
        ("file:p.py", NotFoundError),  # the end of a name is no name
        ("file:other/app.py", NotFoundError),
        ("log:ools.jsonl", NotFoundError),
        ("commit:ffffff", NotFoundError),
        ("symbol:Shop", NotFoundError),
        ("symbol:%25", NotFoundError),
        ("time:call.mp3#t=1,2", NotFoundError),
        ("terminal:session:tools-1#m=99", NotFoundError),
        ("unt_ffff", NotFoundError),
        ("ent_", NotFoundError),
        ("mem_", NotFoundError),
        ("tsk_ffff", NotFoundError),
        ("file:", InvalidArgumentError),
        ("commit:nonsense", InvalidArgumentError),
        ("https://example.com", InvalidArgumentError),
    ],
)
def test_what_names_nothing_is_an_error_with_a_hint(tools: Memory, given: str, error: type[MemoryAssetsError]) -> None:
    with pytest.raises(error) as caught:
        tools.resolve(given)
    assert caught.value.hint


def test_no_path_that_is_named_is_opened(tools: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that exists, is named and would be seen if it were touched."""
    here = tmp_path / "app.py"
    here.write_text("secret")
    stat = os.stat

    def watched(path: object, *arguments: object, **others: object) -> object:
        assert str(path) != str(here)
        return stat(path, *arguments, **others)  # type: ignore[arg-type, call-overload]

    os.utime(here, (1, 1))
    monkeypatch.setattr(os, "stat", watched)
    with pytest.raises(NotFoundError):
        tools.resolve(f"file:{here}")
    monkeypatch.undo()
    assert here.stat().st_atime == 1
