"""What every printed object has in common.

Each object names its schema and version, or its place in another one says what it is. Inside v1 fields are only added: a
reader takes what it knows and leaves the rest, these models too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self

from pydantic import BaseModel, ConfigDict


def added_later(*names: str) -> Callable[[dict[str, Any]], None]:
    """For ``json_schema_extra``: fields that what was printed before does not have, so that a schema must not promise them."""

    def not_promised(schema: dict[str, Any]) -> None:
        schema["required"] = [name for name in schema["required"] if name not in names]
        for name in names:
            schema["properties"][name] = {"anyOf": [schema["properties"][name], {"type": "null"}], "default": None}

    return not_promised


class WireModel(BaseModel):
    """A printed object: immutable, and unknown fields are ignored when it is read.

    Times are aware, UTC; spans count code points of the stored text, half-open. Validators are built when the first object
    is made: a command pays for what it prints alone.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    @classmethod
    def of_row(cls, row: Iterable[Any]) -> Self:
        """An object from a row of the store, whose columns are its fields in their order."""
        return cls(**dict(zip(cls.model_fields, row, strict=True)))
