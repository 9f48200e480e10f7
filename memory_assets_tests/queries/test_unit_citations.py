"""What units cite: messages first, a tool's words as what they are, and only names that the store knows."""

from __future__ import annotations

import duckdb
import jsonschema
import pytest

from memory_assets.citations.addresses import NotACitation, parse_citation
from memory_assets.memory import Memory
from memory_assets.results.registry import schema_of
from memory_assets.search.answers.unit_citations import CitedMessage, citations_of, is_shell, named_citations, place_citation
from memory_assets_tests.filled_store import STARTED, fill
from memory_assets_tests.queries.tool_talk import SOURCE, fill_with_tools


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return Memory(fill_with_tools(tmp_path_factory.mktemp("tools")))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return Memory(fill(tmp_path_factory.mktemp("shop")))


def units(connection: duckdb.DuckDBPyConnection, kind: str) -> list[str]:
    rows = connection.execute("SELECT unit_id FROM memory_units WHERE unit_kind = ? ORDER BY message_index", [kind]).fetchall()
    return [row[0] for row in rows]


def test_a_passage_cites_itself_and_then_what_it_names(tools: Memory) -> None:
    with tools.database.reading() as connection:
        first, last = units(connection, "passage")
        cited = citations_of(connection, [first, last, "unt_unknown"])
        assert named_citations(connection, [first])[first] == cited[first][1:]
    assert cited.keys() == {first, last}
    assert [(one.kind, one.uri) for one in cited[first]] == [
        ("message", "session:tools-1#m=0"),
        ("file", "file:src/shop/app.py"),
        ("commit", "commit:1a2b3c4d5e"),
    ]
    assert [(one.kind, one.uri) for one in cited[last]] == [
        ("message", "session:tools-1#m=9"),
        ("file", "file:docs/배포.md"),
        ("file", "file:src/shop/app.py"),
        ("symbol", "symbol:Shop.run_all"),
    ]
    # What a passage says is what is delivered: it is not quoted once more.
    assert cited[first][0].quote is None


def test_a_gotcha_cites_the_terminal(tools: Memory) -> None:
    with tools.database.reading() as connection:
        (gotcha,) = units(connection, "gotcha")
        error, *rest = citations_of(connection, [gotcha])[gotcha]
    assert (error.kind, error.uri) == ("terminal_snapshot", "terminal:session:tools-1#m=2")
    assert error.kind == "terminal_snapshot" and error.tool_name == "Bash" and error.path == SOURCE
    assert error.quote == "ModuleNotFoundError: No module named 'shop'"
    assert [one.kind for one in rest] == ["message", "file"]


def test_memories_cite_messages_alone_where_they_name_nothing(shop: Memory) -> None:
    with shop.database.reading() as connection:
        for unit_id, cited in citations_of(connection, units(connection, "entry")).items():
            assert cited and {one.kind for one in cited} == {"message"}, unit_id
            for one in cited:
                assert one.id is not None and one.id.startswith("mem:") and one.quote


def test_what_is_cited_is_what_the_schema_says_and_opens(tools: Memory) -> None:
    validator = jsonschema.Draft202012Validator(schema_of("citation.v1"))
    with tools.database.reading() as connection:
        ids = [row[0] for row in connection.execute("SELECT unit_id FROM memory_units").fetchall()]
        cited = [one for found in citations_of(connection, ids).values() for one in found]
    assert {one.kind for one in cited} == {"message", "terminal_snapshot", "file", "commit", "symbol"}
    for one in cited:
        validator.validate(one.model_dump(mode="json"))
        assert not isinstance(parse_citation(one.uri), NotACitation)
        tools.resolve(one.uri)


def result(tool: str | None, path: str | None = SOURCE, kind: str = "tool_result") -> CitedMessage:
    return CitedMessage("tools-1", 4, "tool", None, STARTED, "one\ntwo", path, kind, tool)


WHOLE = {"session_id": "tools-1", "message_index": 4, "span_start": 0, "span_end": 7, "segments": [[0, 7]]}
PART = {**WHOLE, "span_start": 4, "segments": [[4, 7]]}


@pytest.mark.parametrize(
    ("unit_kind", "message", "place", "kind", "uri"),
    [
        ("gotcha", result("Bash"), WHOLE, "terminal_snapshot", "terminal:session:tools-1#m=4"),
        ("gotcha", result("exec_command"), PART, "terminal_snapshot", "terminal:session:tools-1#m=4&c=4-7"),
        ("gotcha", result("Read"), PART, "log", f"log:{SOURCE}#m=4"),
        ("gotcha", result(None), PART, "log", f"log:{SOURCE}#m=4"),
        ("gotcha", result("Read", None), PART, "message", "session:tools-1#m=4&c=4-7"),
        ("gotcha", result("Read", "/srv/\ud800"), PART, "message", "session:tools-1#m=4&c=4-7"),
        ("gotcha", result("Bash", kind="said"), PART, "message", "session:tools-1#m=4&c=4-7"),
        ("entry", result("Bash"), PART, "message", "session:tools-1#m=4&c=4-7"),
        ("entry", result("Bash"), WHOLE, "message", "session:tools-1#m=4&c=0-7"),
        ("passage", result(None, kind="said"), WHOLE, "message", "session:tools-1#m=4"),
        ("passage", result(None, kind="said"), PART, "message", "session:tools-1#m=4&c=4-7"),
    ],
)
def test_a_place_is_cited_as_what_it_is(
    unit_kind: str, message: CitedMessage, place: dict[str, object], kind: str, uri: str
) -> None:
    cited = place_citation(unit_kind, place, message, "mem:a7Bc3x")
    assert (cited.kind, cited.uri, cited.id) == (kind, uri, "mem:a7Bc3x")
    assert cited.quote == (None if unit_kind == "passage" else message.text[place["span_start"] : place["span_end"]])  # type: ignore[misc]


@pytest.mark.parametrize("name", ["Bash", "mcp__acp__Bash", "shell", "exec_command", "container.exec", "run_terminal_cmd"])
def test_shells_are_known(name: str) -> None:
    assert is_shell(name)


@pytest.mark.parametrize("name", [None, "", "Read", "Edit", "bashful", "shellfish", "executor", "mcp__bash__read"])
def test_other_tools_are_no_shells(name: str | None) -> None:
    assert not is_shell(name)
