"""The JSON Schema of each tool's structured result, from the schemas of the wire that the package carries as files.

They are read and not made: to make them costs the whole store's imports, and a client asks for them while it connects.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "wire" / "v1"
_UNUSED = ("$id", "$schema", "description", "title")


@dataclass(frozen=True, slots=True)
class Output:
    """What a tool gives: one object of the wire, or an object that holds a list of them.

    Attributes:
        schema_id: of the wire, as ``search_response.v1``.
        key: the name of the list in the object; None where the result is the object of the wire itself.
        is_list: the schema is of the list, and not of one of its items.
        more: further keys of the object around a list, as JSON Schemas.
        other: of another object that the tool may give.
    """

    schema_id: str
    key: str | None = None
    is_list: bool = False
    more: Mapping[str, Any] = field(default_factory=dict)
    other: str | None = None


def output_schema(output: Output) -> dict[str, Any]:
    """A tool's output schema; its root says that it is an object, as the protocol wants it."""
    schema = _schema_of(output.schema_id)
    definitions = schema.pop("$defs", {})
    if output.other is not None:
        other = _schema_of(output.other)
        definitions |= other.pop("$defs", {})
        schema = {"anyOf": [schema, other]}
    if output.key is not None:
        listed = schema if output.is_list else {"type": "array", "items": schema}
        schema = {"properties": {output.key: listed, **output.more}, "required": [output.key]}
    return {"type": "object", **schema, **({"$defs": definitions} if definitions else {})}


def _schema_of(schema_id: str) -> dict[str, Any]:
    text = (FOLDER / f"{schema_id.removesuffix('.v1')}.schema.json").read_text(encoding="utf-8")
    return {key: value for key, value in json.loads(text).items() if key not in _UNUSED}
