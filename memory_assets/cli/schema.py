"""`memory schema`: what can be asked and what is answered, for programs that read us."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.invocation import OK, JsonOption, invocation
from memory_assets.cli.output import print_json, print_line, print_result, styled
from memory_assets.cli.tables import print_text

if TYPE_CHECKING:
    from memory_assets.results.schema import SchemaV1


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command("schema")(schema)


def schema(
    context: typer.Context,
    schema_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="A schema, as in citation.v1 or citation: print that one.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """List the schemas of what is printed with the words and versions in force, or print one JSON Schema."""
    from memory_assets.queries.capabilities import schema, schema_definition

    memory = invocation(context).memory()
    if schema_id is None:
        found = schema(memory.resources)
        print_result(found, print_schemas, as_json=as_json)
        return OK
    one = schema_definition(schema_id)
    if as_json:
        print_json(one)
    else:
        for line in json.dumps(one.definition, ensure_ascii=False, indent=2, sort_keys=True).splitlines():
            print_line(line)
    return OK


def print_schemas(found: SchemaV1) -> None:
    """Each schema with what it is, then the words, then the versions."""
    widest = max(len(one.id) for one in found.schemas)
    print_text(*(styled((one.id.ljust(widest), "cyan"), f"  {one.title}") for one in found.schemas), styled(""))
    words = found.capabilities.model_dump()
    widest = max(map(len, (*words, *found.versions)))
    print_text(*(styled((name.ljust(widest), "bold"), f"  {', '.join(known)}") for name, known in words.items()), styled(""))
    print_text(*(styled((name.ljust(widest), "bold"), f"  {version}") for name, version in found.versions.items()))
