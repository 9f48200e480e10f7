"""`memory decisions`: what was decided, on what, and whether that still stands."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.groups import ListingGroup
from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, ProjectOption, invocation
from memory_assets.cli.memories import assurance_cell
from memory_assets.cli.output import moment, one_line, print_json, styled
from memory_assets.cli.people import ByOption, person
from memory_assets.cli.tables import print_text
from memory_assets.cli.times import TIMES, utc

if TYPE_CHECKING:
    from memory_assets.commands.outcomes import NotRecorded as NotRecordedDecision
    from memory_assets.queries.decisions import DecisionView

PAGE = 30
_ID_SHOWN = 12


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(cls=ListingGroup, help="Decisions: list them with what they rest on, or record one (bare: list).")
    group.command("list")(list_)
    group.command("record")(record)
    app.add_typer(group, name="decisions")


def list_(
    context: typer.Context,
    source: Annotated[
        str, typer.Option("--source", help="recorded: by somebody; session: said in a session and verified; or all.")
    ] = "all",
    project: ProjectOption = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="How many to list.")] = PAGE,
    as_json: JsonOption = False,
) -> int:
    """List decisions, the newest first, each with its evidence and whether that still stands."""
    from memory_assets.queries.decisions import list_decisions

    found = invocation(context).memory().read(list_decisions, source=source, project=project, limit=limit)
    if as_json:
        print_json(found)
        return OK
    if not found:
        print_text(styled("no decisions"))
    for decision in found:
        print_decision(decision)
    return OK


def record(
    context: typer.Context,
    action: Annotated[str, typer.Argument(help="What was decided, in a sentence.")],
    because: Annotated[
        list[str],
        typer.Option("--because", help="A verified memory or entry that it rests on: mem: address or id. May be repeated."),
    ],
    outcome: Annotated[str, typer.Option("--outcome", help="What came of it.", show_default=False)] = "",
    confidence: Annotated[
        float | None, typer.Option("--confidence", help="How sure, between 0 and 1.", show_default=False)
    ] = None,
    caused_by: Annotated[
        str | None, typer.Option("--caused-by", help="The recorded decision that led to it.", show_default=False)
    ] = None,
    at: Annotated[
        datetime | None,
        typer.Option("--at", formats=TIMES, help="When it was decided (UTC), instead of now.", show_default=False),
    ] = None,
    by: ByOption = None,
    as_json: JsonOption = False,
) -> int:
    """Record a decision. What it rests on is proved first; exit 1 and nothing is written where the proof fails."""
    from memory_assets.commands.decisions import record_decision
    from memory_assets.commands.outcomes import NotRecorded as NotRecordedDecision
    from memory_assets.memory import as_plain

    outcome_of = record_decision(
        invocation(context).memory().resources,
        action,
        because=because,
        outcome=outcome,
        confidence=confidence,
        caused_by=caused_by,
        decided_at=utc(at),
        by=person(by),
    )
    refused = isinstance(outcome_of, NotRecordedDecision)
    if as_json:
        print_json({"recorded": not refused, **as_plain(outcome_of)})
    elif isinstance(outcome_of, NotRecordedDecision):
        print_refusal(outcome_of)
    else:
        print_decision(outcome_of.decision)
    return NOTHING_FOUND if refused else OK


def print_decision(decision: DecisionView) -> None:
    """The decision on one line, what it rests on below it."""
    by = f"  {one_line(decision.recorded_by)}" if decision.recorded_by else ""
    print_text(
        styled(
            (decision.decision_id[:_ID_SHOWN], "cyan"),
            f"  {moment(decision.decided_at)}  ",
            (one_line(decision.action), "bold"),
            (f"  proved by {decision.checker or '-'}{by}", "dim"),
            ("  weakened", "bold red") if decision.weakened else "",
        )
    )
    if decision.outcome:
        print_text(styled(("  outcome: ", "dim"), one_line(decision.outcome)))
    if decision.caused_by:
        print_text(styled(("  caused by ", "dim"), (decision.caused_by[:_ID_SHOWN], "cyan")))
    if decision.source == "session":
        print_text(styled((f"  {', '.join(dict.fromkeys(cited.uri or '-' for cited in decision.evidence))}", "dim")))
        return
    for cited in decision.evidence:
        now = assurance_cell(cited.assurance, cited.checker, cited.status) if cited.stage else ("gone", "red")
        print_text(
            styled(
                ("  rests on ", "dim"),
                (cited.citation or cited.entry_id[:_ID_SHOWN], "cyan"),
                "  ",
                now,
                f"  {one_line(cited.title or '')}",
                (f"  {cited.uri or ''}", "dim"),
            )
        )


def print_refusal(refused: NotRecordedDecision) -> None:
    """A sentence for each rule that does not hold."""
    print_text(styled(("not recorded", "red"), f": the proof failed ({refused.checker})"))
    for failure, reason in zip(refused.rules_failed, refused.reasons, strict=True):
        print_text(styled(f"  {one_line(reason)}", (f"  {failure.rule}", "dim")))
