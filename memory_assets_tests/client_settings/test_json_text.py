"""One key of a JSON text is set or taken away; every other character stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.client_settings.json_text import InvalidJsonError, parsed, with_item, with_value, without_item, without_value

PATH = ("mcpServers", "memory")
ENTRY = {"command": "/opt/memory", "args": ["mcp", "serve"]}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
OTHERS = st.dictionaries(st.text(max_size=6).filter(lambda key: key not in PATH), VALUES, max_size=4)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}", '{\n  "mcpServers": {\n    "memory": 1\n  }\n}'),
        (
            '{\n  "b": 1.10,\n  "a": "\\u00e9"\n}\n',
            '{\n  "b": 1.10,\n  "a": "\\u00e9",\n  "mcpServers": {\n    "memory": 1\n  }\n}\n',
        ),
        ('{"a":1E400,"a":2}', '{"a":1E400,"a":2, "mcpServers": {"memory": 1}}'),
        ('{\r\n\t"a": 1\r\n}', '{\r\n\t"a": 1,\r\n\t"mcpServers": {\r\n\t\t"memory": 1\r\n\t}\r\n}'),
        (
            '{\n  "mcpServers": {\n    "x": {}\n  },\n  "z": 0\n}',
            '{\n  "mcpServers": {\n    "x": {},\n    "memory": 1\n  },\n  "z": 0\n}',
        ),
        ('{\n  "mcpServers": { },\n  "z": 0\n}', '{\n  "mcpServers": {\n    "memory": 1\n  },\n  "z": 0\n}'),
        ('{\n    "mcpServers": {"memory": [1, 2]}\n}', '{\n    "mcpServers": {"memory": 1}\n}'),
        ('\ufeff{"a": 1}', '\ufeff{"a": 1, "mcpServers": {"memory": 1}}'),
    ],
)
def test_nothing_else_changes(text: str, told: str) -> None:
    assert with_value(text, PATH, 1) == told
    assert without_value(text, ("nothing", "here")) == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"mcpServers": {"memory": 1}}', '{"mcpServers": {}}'),
        ('{"mcpServers": {"memory": 1, "x": 2}}', '{"mcpServers": {"x": 2}}'),
        ('{"mcpServers": {"x": 2, "memory": 1, "y": 3}}', '{"mcpServers": {"x": 2, "y": 3}}'),
        ('{"memory": 1}', '{"memory": 1}'),
    ],
)
def test_only_ours_goes(text: str, told: str) -> None:
    assert without_value(text, PATH) == told


@given(OTHERS, OTHERS, st.sampled_from([None, 1, 2, 4, "\t"]), st.booleans())
def test_there_and_back(around: dict[str, Any], beside: dict[str, Any], indent: int | str | None, escaped: bool) -> None:
    text = json.dumps({**around, "mcpServers": beside}, indent=indent, ensure_ascii=escaped)
    there = with_value(text, PATH, ENTRY)
    assert parsed(there) == {**around, "mcpServers": {**beside, "memory": ENTRY}}
    assert list(parsed(there)) == list(parsed(text))
    assert with_value(there, PATH, ENTRY) == there
    back = without_value(there, PATH)
    assert back == text if beside else parsed(back) == parsed(text)


@given(OTHERS, st.sampled_from([None, 2]))
def test_a_missing_object_is_made(around: dict[str, Any], indent: int | None) -> None:
    text = json.dumps(around, indent=indent)
    assert parsed(with_value(text, PATH, ENTRY)) == {**around, "mcpServers": {"memory": ENTRY}}


@pytest.mark.parametrize(
    "text", ["", "[1]", "null", '{"a": NaN}', '{"a": 1,}', "{'a': 1}", '{"a": 1} x', "[" * 100_000, '{"a"']
)
def test_what_is_no_object_of_json_is_refused(text: str) -> None:
    with pytest.raises(InvalidJsonError):
        parsed(text)


LISTS = [
    ("{}\n", '{\n  "hooks": {\n    "Stop": [\n      {\n        "a": 1\n      }\n    ]\n  }\n}\n'),
    ('{"hooks": {"Stop": []}}', '{"hooks": {"Stop": [{"a": 1}]}}'),
    ('{"hooks":{"Stop":[ 1 ,2 ]}}', '{"hooks":{"Stop":[ 1 ,2, {"a": 1} ]}}'),
    (
        '{\n\t"hooks": {\n\t\t"Stop": [ {"b" : 2.50} ]\n\t}\n}',
        '{\n\t"hooks": {\n\t\t"Stop": [ {"b" : 2.50},\n\t\t\t{\n\t\t\t\t"a": 1\n\t\t\t} ]\n\t}\n}',
    ),
]


@pytest.mark.parametrize(("text", "wanted"), LISTS)
def test_an_item_goes_behind_the_others_and_away_again(text: str, wanted: str) -> None:
    assert with_item(text, ("hooks", "Stop"), {"a": 1}) == wanted
    count = len(json.loads(wanted)["hooks"]["Stop"]) - 1
    without = without_item(wanted, ("hooks", "Stop"), count)
    assert json.loads(without) == (json.loads(text) or {"hooks": {"Stop": []}})
    assert without == text or count == 0


@given(st.lists(VALUES, max_size=4), VALUES, st.sampled_from([None, 1, 2, "\t"]), st.integers(0, 4))
def test_lists_are_changed_as_python_changes_them(items: list[Any], value: Any, indent: int | str | None, place: int) -> None:
    text = json.dumps({"x": 1, "hooks": {"Stop": items}, "y": [2]}, indent=indent)
    more = with_item(text, ("hooks", "Stop"), value)
    assert json.loads(more)["hooks"]["Stop"] == [*items, value]
    number = place % (len(items) + 1)
    fewer = json.loads(without_item(more, ("hooks", "Stop"), number))
    assert fewer == {"x": 1, "hooks": {"Stop": [one for at, one in enumerate([*items, value]) if at != number]}, "y": [2]}
    if items:
        assert without_item(more, ("hooks", "Stop"), len(items)) == text


def test_an_item_within_an_item_is_taken_out() -> None:
    text = '{"hooks": {"Stop": [{"hooks": [ 1, 2 ]}, 3]}}'
    assert without_item(text, ("hooks", "Stop", 0, "hooks"), 0) == '{"hooks": {"Stop": [{"hooks": [ 2 ]}, 3]}}'
