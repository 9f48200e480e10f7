"""`memory show` and `memory schema`, as people and programs see them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from memory_assets.citations.addresses import KINDS
from memory_assets.memory import Memory
from memory_assets.results.registry import PRINTED, schema_of
from memory_assets.settings import load_settings
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.queries.tool_talk import fill_with_tools


@pytest.fixture(scope="module")
def tools_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("tools")
    fill_with_tools(home)
    return home


@pytest.fixture
def tools(tools_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORY_HOME", str(tools_home))
    return tools_home


@pytest.mark.parametrize(
    ("given", "kind", "told"),
    [
        ("file:src/shop/app.py", "file", "it lies outside the store and was not opened"),
        ("commit:1a2b3c4", "commit", "named in 2 passages"),
        ("symbol:Shop.run_all", "symbol", "named in 1 passage,"),
        ("log:tools.jsonl#m=2", "log", "read from it: tools-1  A build, 10 messages"),
        ("terminal:session:tools-1#m=2", "terminal_snapshot", "⟦ModuleNotFoundError: No module named 'shop'⟧"),
        ("session:tools-1#m=0&c=4-9", "span", "⟦build⟧"),
        ("gotcha", "unit", "names file:src/shop/app.py"),
    ],
)
def test_what_an_address_names_is_shown(memory: Run, tools: Path, given: str, kind: str, told: str) -> None:
    if given == "gotcha":
        with Memory(load_settings({"home": tools})).database.reading() as connection:
            row = connection.execute("SELECT unit_id FROM memory_units WHERE unit_kind = 'gotcha'").fetchone()
        assert row is not None
        given = row[0]
    shown = memory("show", given)
    assert shown.code == 0 and told in shown.out and shown.err == ""
    printed = memory("show", given, "--json").json
    assert printed["kind"] == kind
    jsonschema.validate(printed, schema_of("shown.v1"))


def test_ids_of_entries_and_tasks_are_shown(memory: Run, filled: Path) -> None:
    entry = next(one for one in memory("entries", "list", "--json").json if one["entry_type"] == "task")
    shown = memory("show", entry["entry_id"])
    assert shown.code == 0 and entry["title"] in shown.out and f"in {entry['citation']}" in shown.out
    assert memory("show", entry["entry_id"], "--json").json["kind"] == "entry"
    task = memory("tasks", "--all", "--json").json[0]
    shown = memory("show", task["task_id"])
    assert shown.code == 0 and task["title"] in shown.out and task["evidence"][0]["uri"] in shown.out
    assert memory("show", task["task_id"], "--json").json["kind"] == "task"
    raw = next(one for one in memory("entries", "list", "--json").json if one["memory_id"] is None)
    assert "in no memory" in memory("show", raw["entry_id"]).out


def test_a_memory_shows_its_quote_between_what_stands_around_it(memory: Run, filled: Path) -> None:
    entry = next(one for one in memory("entries", "list", "--json").json if one["title"] == "캐시를 Redis로 옮긴다")
    told = memory("show", entry["citation"]).out
    assert "모자랍니다. “우리는 캐시를 Redis로 옮기기로 했다.” 이유는 재시작이 빠르기 때문이다." in told
    jsonschema.validate(memory("show", entry["citation"], "--json").json, schema_of("shown.v1"))


@pytest.mark.parametrize("given", ["file:nobody.py", "unt_none", "tsk_none", "mem:zzzzzz", "page:x", "terminal:x", "?"])
def test_what_is_unknown_is_two_lines_and_code_2(memory: Run, tools: Path, given: str) -> None:
    ended = memory("show", given)
    assert ended.code == 2 and ended.out == "" and len(ended.err.splitlines()) == 2
    value = json.loads(memory("show", given, "--json").err)
    jsonschema.validate(value, schema_of("error.v1"))
    assert value["code"] in ("not_found", "invalid_argument") and value["hint"]


def test_schemas_are_listed_with_words_and_versions(memory: Run, tmp_path: Path) -> None:
    found = memory("schema", "--json").json
    jsonschema.validate(found, schema_of("schema.v1"))
    assert [one["id"] for one in found["schemas"]] == list(PRINTED)
    assert all(one["title"] for one in found["schemas"])
    assert found["capabilities"]["citation_kinds"] == list(KINDS)
    assert {"lexical", "hybrid"} <= set(found["capabilities"]["modes"]) and "entry" in found["capabilities"]["unit_kinds"]
    assert found["versions"]["wire"] == "v1" and found["versions"]["vectorized"].startswith("hashing")
    text = memory("schema")
    assert text.code == 0 and "citation.v1" in text.out and "citation_kinds" in text.out
    # It says what could be asked of a store, and makes none.
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("given", ["citation.v1", "citation"])
def test_one_schema_is_printed(memory: Run, given: str) -> None:
    definition = json.loads(memory("schema", given).out)
    assert definition == schema_of("citation.v1")
    one = memory("schema", given, "--json").json
    jsonschema.validate(one, schema_of("schema_definition.v1"))
    assert one["definition"] == definition and one["id"] == "citation.v1"


def test_an_unknown_schema_is_an_error(memory: Run) -> None:
    ended = memory("schema", "nonsense.v9", "--json")
    assert ended.code == 2 and json.loads(ended.err)["code"] == "not_found"
