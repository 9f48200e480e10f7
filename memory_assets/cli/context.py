"""`memory context`: what an agent is given before it begins."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.asking import asked
from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, ProjectOption, invocation
from memory_assets.cli.output import one_line, print_result, styled
from memory_assets.cli.tables import print_text

if TYPE_CHECKING:
    from rich.text import Text

    from memory_assets.results.context import ContextBundleV1

_SOURCE = re.compile(r"(?<!\\)\[(?:mem|session|terminal):[^\]\\]{1,400}\]|(?<!\\)\[HYPOTHESIS\]")


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command("context")(context)


def context(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What is about to be done or asked, in any words.")],
    budget: Annotated[int, typer.Option("--budget", help="Tokens it may cost, a hard cap; 4,000 to 8,000 are usual.")] = 4000,
    project: ProjectOption = None,
    no_log: Annotated[bool, typer.Option("--no-log", help="Do not count what is delivered as shown.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Print what the memory has for a question, as cited Markdown to give to an agent. Exits 1 where there is nothing."""
    bundle = asked(invocation(context), lambda store: store.context(query, project=project, budget=budget, log=not no_log))
    print_result(bundle, print_context, as_json=as_json)
    return OK if bundle.sections else NOTHING_FOUND


def print_context(bundle: ContextBundleV1) -> None:
    """The Markdown on stdout; what it costs, and what a person should know of it, on stderr."""
    if bundle.text:
        print_text(*map(_marked, bundle.text.split("\n")))
    else:
        print_text(styled("nothing found" if bundle.certificate else "nothing that was found fits into the budget"))
    certificate = bundle.certificate
    if bundle.retrieval is not None and not bundle.retrieval.known:
        sys.stderr.write(f"{one_line(bundle.retrieval.says)}\n")
    sure = f"; {certificate.completeness:.0%} of the question is covered: {certificate.hint}" if certificate else ""
    sys.stderr.write(f"{bundle.budget.used:,} of {bundle.budget.total:,} tokens{sure}\n")
    for note in bundle.notes:
        sys.stderr.write(f"note: {one_line(note)}\n")


def _marked(line: str) -> Text:
    """A line of our Markdown, letter for letter; on a terminal headings and sources stand out."""
    text = styled((line, "bold") if line.startswith("#") else line)
    for match in _SOURCE.finditer(line):
        text.stylize("yellow" if match[0] == "[HYPOTHESIS]" else "cyan", match.start(), match.end())
    return text
