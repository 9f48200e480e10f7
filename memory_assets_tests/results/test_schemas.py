"""The JSON Schemas that are shipped: as the models say, and only ever added to."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from memory_assets.results.registry import PRINTED, schema_of
from memory_assets.results.schema_files import FOLDER, schema_files, write_schema_files
from memory_assets_tests.results.schema_changes import breaking_changes

BASELINE = Path(__file__).parent / "wire_baseline"
"""The schemas of the version that landed last; taken over from ``memory_assets/wire/v1`` whenever one lands."""


def test_the_files_are_what_the_models_say() -> None:
    found = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    assert found == schema_files(), "run `make schemas`"


def test_writing_them_again_changes_nothing_and_takes_stale_ones_away(tmp_path: Path) -> None:
    assert len(write_schema_files(tmp_path)) == len(PRINTED)
    assert write_schema_files(tmp_path) == []
    (tmp_path / "gone.schema.json").write_text("{}")
    (tmp_path / "error.schema.json").write_text("{}")
    assert write_schema_files(tmp_path) == ["error.schema.json", "gone.schema.json"]
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == schema_files()


def test_no_schema_tells_where_a_model_lies_in_the_code() -> None:
    assert [name for name, text in schema_files().items() if "memory_assets__" in text] == []


@pytest.mark.parametrize("schema_id", PRINTED)
def test_every_schema_is_one(schema_id: str) -> None:
    schema = schema_of(schema_id)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == schema_id and schema_id.endswith(".v1")


@pytest.mark.parametrize("schema_id", PRINTED)
def test_an_object_is_registered_under_the_version_that_it_prints(schema_id: str) -> None:
    schema = schema_of(schema_id)
    # A union, whose every alternative prints it; or a part that is never printed alone and carries none.
    alternatives = [schema, *(schema["$defs"][one["$ref"].rpartition("/")[2]] for one in schema.get("oneOf", ()))]
    versions = [one.get("properties", {}).get("schema_version", {}) for one in alternatives]
    assert {version["const"] for version in versions if "const" in version} <= {schema_id}


@pytest.mark.parametrize("path", sorted(BASELINE.iterdir()), ids=lambda path: path.name)
def test_what_landed_is_only_added_to(path: Path) -> None:
    now = FOLDER / path.name
    assert now.is_file(), "a schema that landed is gone"
    assert breaking_changes(json.loads(path.read_text("utf-8")), json.loads(now.read_text("utf-8"))) == []


def test_every_schema_has_landed_or_is_new() -> None:
    """Without its file here a schema could lose a field unseen: take it over with the change that brings it."""
    assert {path.name for path in BASELINE.iterdir()} == {path.name for path in FOLDER.iterdir()}


PLAIN: dict[str, Any] = {
    "type": "object",
    "required": ["id", "rank"],
    "properties": {
        "id": {"type": "string"},
        "rank": {"type": "integer", "minimum": 1},
        "kind": {"enum": ["a", "b"], "type": "string"},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        "place": {"$ref": "#/$defs/Place"},
        "places": {"type": "array", "items": {"$ref": "#/$defs/Place"}},
        "legs": {"type": "object", "additionalProperties": {"type": "number"}},
        "pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "integer"}], "minItems": 2, "maxItems": 2},
    },
    "$defs": {
        "Place": {
            "type": "object",
            "required": ["kind"],
            "properties": {
                "kind": {"const": "message", "type": "string"},
                "next": {"$ref": "#/$defs/Place"},
                "behind": {"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}]},
            },
        }
    },
}


def changed(*path: str, to: Any = None) -> dict[str, Any]:
    """A copy with something else in one place; nothing there where ``to`` is None."""
    schema = copy.deepcopy(PLAIN)
    *way, last = path
    inner = schema
    for step in way:
        inner = inner[step]
    if to is None:
        del inner[last]
    else:
        inner[last] = to
    return schema


OTHER = {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "file", "type": "string"}}}
MORE = {"oneOf": [{"$ref": "#/$defs/Place"}, OTHER]}


@pytest.mark.parametrize(
    "after",
    [
        PLAIN,
        changed("properties", "more", to={"type": "string", "default": ""}),
        changed("properties", "kind", "enum", to=["b", "c", "a"]),
        changed("properties", "rank", "minimum", to=0),
        changed("properties", "rank", "description", to="another word"),
        changed("properties", "place", to=MORE),
        changed("properties", "places", "items", to=MORE),
        changed("$defs", "Place", "properties", "path", to={"type": "string"}),
    ],
)
def test_additions_break_nothing(after: dict[str, Any]) -> None:
    assert breaking_changes(PLAIN, after) == []


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (changed("properties", "note"), "$.note: the field is gone"),
        (changed("properties", "kind", "enum", to=["a"]), "$.kind: the word 'b' is gone"),
        (changed("properties", "kind", to={"type": "string"}), "$.kind: no longer only some words"),
        (changed("properties", "id", to={"type": "string", "enum": ["x"]}), "$.id: now only some words"),
        (changed("properties", "id", "type", to="integer"), "$.id: type was 'string' and is 'integer'"),
        (changed("properties", "rank", "minimum", to=2), "$.rank: minimum was 1 and is 2"),
        (changed("properties", "rank", "maximum", to=9), "$.rank: maximum was None and is 9"),
        (changed("properties", "note", to={"type": "string"}), "$.note: null is gone"),
        (changed("properties", "id", to={"anyOf": [{"type": "string"}, {"type": "null"}]}), "$.id: may now be null"),
        (changed("required", to=["id", "rank", "kind"]), "$.kind: is now required"),
        (changed("required", to=["id"]), "$.rank: is no longer required"),
        (
            changed("$defs", "Place", "properties", "kind", to={"const": "x", "type": "string"}),
            "$.place.kind: the word 'message'",
        ),
        (changed("properties", "places", "items", to={"type": "string"}), "$.places[]: type was 'object' and is 'string'"),
        (changed("properties", "legs", "additionalProperties", "type", to="string"), "$.legs[]: type was 'number'"),
        (changed("properties", "pair", "prefixItems", to=[{"type": "integer"}]), "$.pair: prefixItems was"),
        (changed("properties", "place", to=OTHER), "$.place.kind: the word 'message' is gone"),
        (changed("$defs", "Place", "properties", "next", to={"type": "string"}), "$.place.next: type was 'object'"),
        (changed("$defs", "Place", "properties", "next", to=OTHER), "$.place.next.kind: the word 'message' is gone"),
        (changed("$defs", "Place", "properties", "behind", to={"type": "null"}), "$.place.behind: object:message is gone"),
    ],
)
def test_a_break_is_named(after: dict[str, Any], told: str) -> None:
    assert any(line.startswith(told) for line in breaking_changes(PLAIN, after)), breaking_changes(PLAIN, after)


def test_a_schema_that_a_hint_names_can_be_printed() -> None:
    package = FOLDER.parents[1]
    named = {
        name for path in package.rglob("*.py") for name in re.findall(r"`memory schema (\w[\w.]*)`", path.read_text("utf-8"))
    }
    assert named <= PRINTED.keys()
