"""`memory entries`: what was extracted, at every stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.groups import ListingGroup
from memory_assets.cli.invocation import OK, JsonOption, ProjectOption, invocation
from memory_assets.cli.memories import assurance_cell, assurance_text, context_lines, quoted, said_otherwise_lines
from memory_assets.cli.output import day, moment, one_line, print_json, styled
from memory_assets.cli.quotes import METHOD_STYLES, quote_line
from memory_assets.cli.tables import print_table, print_text

if TYPE_CHECKING:
    from rich.text import Text

    from memory_assets.results.memories import EntryView

PAGE = 50
EntryArgument = Annotated[str, typer.Argument(help="The entry's id, its beginning, or a memory's mem: address.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(cls=ListingGroup, help="Entries: list them, or show one with its evidence (bare: list).")
    group.command("list")(list_)
    group.command("show")(show)
    app.add_typer(group, name="entries")


def list_(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Every entry, not the newest page alone.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="How many to list without --all.")] = PAGE,
    session: Annotated[
        str | None, typer.Option("--session", help="Only of the session with this id.", show_default=False)
    ] = None,
    project: ProjectOption = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--type", help="Only of this type: decision, fact, preference, insight, task or reference.", show_default=False
        ),
    ] = None,
    stage: Annotated[
        str | None,
        typer.Option("--stage", help="Only of this stage: raw, working, candidate, verified or certified.", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """List current entries of every stage, the newest first. Superseded ones are not listed."""
    from memory_assets.queries.entries import list_entries

    entries, total = (
        invocation(context)
        .memory()
        .read(list_entries, session_id=session, project=project, entry_type=kind, stage=stage, limit=None if every else limit)
    )
    if as_json:
        print_json(entries)
        return OK
    if not entries:
        print_text(styled("no entries"))
        return OK
    print_entries(entries)
    if total > len(entries):
        print_text(styled((f"… and {total - len(entries):,} more: --all lists them", "dim")))
    return OK


def show(context: typer.Context, entry: EntryArgument, as_json: JsonOption = False) -> int:
    """Show one entry with its evidence."""
    from memory_assets.queries.entries import one_entry

    found = invocation(context).memory().read(one_entry, entry)
    if as_json:
        print_json(found)
    else:
        print_text(*entry_head(found))
        for quote in found.evidence:
            print_text(styled(""), quoted(quote.matched_text or quote.quote), quote_line(quote))
    return OK


def print_entries(entries: list[EntryView]) -> None:
    """One line an entry. Without a ``mem:`` id it is no memory, and is named by its own id."""
    print_table(
        ("id", "said", "type", "proved", "evidence", "title", "address"),
        [
            (
                (entry.citation or entry.entry_id[:14], "cyan"),
                day(entry.said_at),
                (entry.entry_type, "magenta"),
                _proved(entry),
                _methods(entry),
                entry.title,
                (next((quote.uri for quote in entry.evidence if quote.uri), "-"), "dim"),
            )
            for entry in entries
        ],
        shrink=((5, 24), (5, 12)),
        drop=(6, 1, 4),
    )


def entry_head(entry: EntryView) -> list[Text]:
    """The lines above an entry's evidence."""
    lines = [
        *said_otherwise_lines(entry.said_otherwise),
        styled((one_line(entry.title), "bold")),
        styled(
            (entry.citation or "no memory", "cyan"),
            "  ",
            (entry.entry_type, "magenta"),
            "  ",
            assurance_cell(entry.assurance, entry.checker, entry.status),
            (f"  {entry.entry_id}", "dim"),
        ),
        styled(
            f"said {moment(entry.said_at)} UTC in ", (entry.session_id, "cyan"), f", project {one_line(entry.project or '-')}"
        ),
    ]
    lines += context_lines(entry.context)
    if entry.entry_type == "task":
        blockers = f", blocked by {one_line('; '.join(entry.blocked_by))}" if entry.blocked_by else ""
        lines.append(styled(f"claims: {entry.task_status or 'pending'}, priority {entry.priority or '-'}{blockers}"))
    if entry.reason:
        lines.append(styled(f"because: {one_line(entry.reason)}"))
    if entry.blocked_reason:
        lines.append(styled((f"not promoted beyond {entry.stage}: {one_line(entry.blocked_reason)}", "yellow")))
    return lines


def _proved(entry: EntryView) -> tuple[str, str]:
    """What was proved; of what a person corrected, the address of what they said instead."""
    if (instead := entry.said_otherwise) is None:
        return assurance_cell(entry.assurance, entry.checker, entry.status)
    return f"{assurance_text(entry.assurance, entry.checker)}, corrected by {instead.id}", "yellow"


def _methods(entry: EntryView) -> tuple[str, str]:
    """``exact`` or, for several quotes, ``2 exact, 1 none``."""
    methods = [quote.method for quote in entry.evidence]
    worst = next((method for method in ("none", "fuzzy", "normalized", "exact") if method in methods), "none")
    if len(methods) == 1:
        return worst, METHOD_STYLES[worst]
    return ", ".join(f"{methods.count(method)} {method}" for method in dict.fromkeys(methods)), METHOD_STYLES[worst]
