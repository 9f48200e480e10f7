"""What a store and its surfaces can do and say, as it is printed."""

from __future__ import annotations

from typing import Any, Literal

from memory_assets.results.model import WireModel


class SchemaNameV1(WireModel):
    """A schema by its id, and what such an object is."""

    id: str
    title: str


class CapabilitiesV1(WireModel):
    """The words that a request and an answer may hold. Answers may gain words, and a reader has to bear an unknown one."""

    modes: tuple[str, ...] = ()
    intents: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    unit_kinds: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    assurances: tuple[str, ...] = ()
    fusions: tuple[str, ...] = ()
    score_kinds: tuple[str, ...] = ()
    citation_kinds: tuple[str, ...] = ()
    error_codes: tuple[str, ...] = ()


class SchemaV1(WireModel):
    """What can be asked and what is answered.

    Attributes:
        schemas: every object that is printed and has a schema.
        versions: of everything that a result depends on: the package, the store, the stages, the model.
    """

    schema_version: Literal["schema.v1"] = "schema.v1"
    schemas: tuple[SchemaNameV1, ...]
    capabilities: CapabilitiesV1
    versions: dict[str, str]


class SchemaDefinitionV1(WireModel):
    """One schema: ``definition`` is JSON Schema (draft 2020-12)."""

    schema_version: Literal["schema_definition.v1"] = "schema_definition.v1"
    id: str
    definition: dict[str, Any]
