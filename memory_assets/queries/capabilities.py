"""What a store and its surfaces can do and say."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from memory_assets import __version__
from memory_assets.citations.addresses import KINDS
from memory_assets.log.migrations import schema_version
from memory_assets.results.error import ERROR_CODES
from memory_assets.results.registry import PRINTED, schema_of
from memory_assets.results.schema import CapabilitiesV1, SchemaDefinitionV1, SchemaNameV1, SchemaV1
from memory_assets.search.request import ROLES
from memory_assets.text.lexical_text import SEARCH_TEXT_VERSION
from memory_assets.vocabulary import ASSURANCES, FUSIONS, INTENTS, MODES, SCOPES, STAGES, UNIT_KINDS, ScoreKind

if TYPE_CHECKING:
    from memory_assets.configuration import Resources

WIRE_VERSION = "v1"


def schema(resources: Resources) -> SchemaV1:
    """Schemas, words and versions under some settings. Opens no store and loads no model."""
    return SchemaV1(
        schemas=tuple(SchemaNameV1(id=schema_id, title=title_of(schema_id)) for schema_id in PRINTED),
        capabilities=CapabilitiesV1(
            modes=MODES,
            intents=INTENTS,
            scopes=SCOPES,
            unit_kinds=UNIT_KINDS,
            roles=ROLES,
            stages=STAGES,
            assurances=ASSURANCES,
            fusions=FUSIONS,
            score_kinds=get_args(ScoreKind),
            citation_kinds=KINDS,
            error_codes=tuple(sorted(ERROR_CODES)),
        ),
        versions={
            "memory_assets": __version__,
            "wire": WIRE_VERSION,
            "store": str(schema_version()),
            "search_text": str(SEARCH_TEXT_VERSION),
            **dict(resources.stage_versions),
        },
    )


def schema_definition(schema_id: str) -> SchemaDefinitionV1:
    """The JSON Schema of what is printed under an id.

    Raises:
        NotFoundError: there is none.
    """
    definition = schema_of(schema_id)
    return SchemaDefinitionV1(id=definition["$id"], definition=definition)


def title_of(schema_id: str) -> str:
    """What such an object is, in a line: the first of its description, or of what its lists hold."""
    definition = schema_of(schema_id)
    about = definition.get("description")
    if about is None and definition.get("type") == "array":
        of = definition["$defs"][definition["items"]["$ref"].rpartition("/")[2]]
        return f"A list. Each: {_first_line(of.get('description', ''))}"
    return _first_line(about or "One of several kinds, told apart by `kind`.")


def _first_line(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())
