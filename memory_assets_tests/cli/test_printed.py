"""What commands print with `--json` is what the shipped schemas say."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from memory_assets.results.schema_files import FOLDER
from memory_assets_tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("search", "PostgreSQL", "--mode", "lexical"), "search_response"),
        (("search", "블로커", "--mode", "lexical"), "search_response"),
        (("tasks", "--all"), "task_list"),
        (("tasks", "review"), "task_review"),
        (("conditions",), "condition_list"),
        (("entries", "list"), "entry_list"),
        (("sessions", "list"), "session_list"),
        (("sessions", "show", "shop-1"), "session"),
        (("builds",), "build_list"),
        (("metrics",), "metrics"),
        (("stats",), "stats"),
        (("doctor",), "doctor"),
        (("outbox",), "outbox"),
        (("outbox", "drain"), "outbox_drained"),
        (("outbox", "reconcile", "--dry-run"), "outbox_reconciled"),
        (("reembed", "--to", "hashing", "--dry-run"), "reembed"),
        (("show", "session:shop-1#m=1"), "shown"),
        (("schema",), "schema"),
        (("schema", "error"), "schema_definition"),
    ],
)
def test_a_commands_json_is_what_its_schema_says(memory: Run, filled: Path, arguments: tuple[str, ...], name: str) -> None:
    schema = json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
    value = memory(*arguments, "--json").json
    jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker()).validate(value)
    # And it says no more than the schema does.
    unsaid = jsonschema.Draft202012Validator(closed(schema))
    unsaid.validate(value)


@pytest.mark.long
def test_one_of_each_is_what_its_schema_says(memory: Run, filled: Path) -> None:
    entry = next(one for one in memory("entries", "list", "--json").json if one["citation"])
    task = memory("tasks", "--all", "--json").json[0]
    for arguments, name in (
        (("entries", "show", entry["entry_id"]), "entry"),
        (("evidence", "show", entry["entry_id"]), "evidence"),
        (("task", "show", task["task_id"]), "task_detail"),
        (("show", entry["entry_id"]), "shown"),
        (("show", entry["citation"]), "shown"),
        (("show", task["task_id"]), "shown"),
    ):
        schema = json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
        jsonschema.validate(memory(*arguments, "--json").json, closed(schema))


def closed(schema: object) -> dict[str, object]:
    """The schema, with every object that names its fields closed to others."""

    def close(value: object) -> object:
        if isinstance(value, list):
            return [close(item) for item in value]
        if not isinstance(value, dict):
            return value
        inner = {key: close(item) for key, item in value.items()}
        return {**inner, "additionalProperties": False} if isinstance(value.get("properties"), dict) else inner

    found = close(schema)
    assert isinstance(found, dict)
    return found
