"""`memory fsck`: is every quote still what the log's messages say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.invocation import OK, UNHEALTHY, JsonOption, invocation
from memory_assets.cli.output import one_line, plural, print_result, styled
from memory_assets.cli.people import ByOption, person
from memory_assets.cli.progress import progress_for_people
from memory_assets.cli.tables import print_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from memory_assets.maintenance.fsck import Finding, FsckReport

SHOWN = 40


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command("fsck")(fsck)


def fsck(
    context: typer.Context,
    realign: Annotated[
        bool, typer.Option("--realign", help="Also align every quote again: it must give the same span by the same method.")
    ] = False,
    log_only: Annotated[
        bool, typer.Option("--log-only", help="Only that the log and the schema are what was written: no quote, no table.")
    ] = False,
    accept_end: Annotated[
        bool,
        typer.Option("--accept-end", help="Take the log's end for what was written last, and log that you said so."),
    ] = False,
    by: ByOption = None,
    as_json: JsonOption = False,
) -> int:
    """Check the log, every quote against its messages, and every table against a replay. Exits 3 where something is wrong."""

    from memory_assets.commands.log_end import accept_log_end
    from memory_assets.maintenance.fsck import fsck

    memory = invocation(context).memory()
    if accept_end:
        accept_log_end(memory.database, by=person(by))
    report = fsck(memory.resources, realign=realign, log_only=log_only, progress=progress_for_people(as_json=as_json))
    print_result(report, print_report, as_json=as_json, schema_version="fsck.v1", clean=report.clean)
    return OK if report.clean else UNHEALTHY


def print_report(report: FsckReport) -> None:
    """What was checked, then each finding under the entry and address, or the event, that it concerns, and what to do."""
    methods = ", ".join(f"{count:,} {method}" for method, count in report.methods.items())
    checked = (
        f"{plural(report.quotes, 'quote')}{f' ({methods})' if methods else ''} of {plural(report.entries, 'entry', 'entries')} "
        f"in {plural(report.sessions, 'session')}, {plural(report.events, 'event')}"
    )
    if report.compared:
        checked += f"; {plural(report.compared, 'row')} of the tables are what a replay gives" if report.clean else ""
    again = f"; {plural(report.realigned, 'quote')} aligned again" if report.realigned else ""
    if report.clean:
        print_text(styled(("sound", "bold green"), f": {checked}{again}"))
    else:
        print_text(styled((f"{plural(report.finding_count, 'thing')} wrong", "bold red"), f": {checked}{again}"))
    if report.not_compared:
        print_text(styled((f"the tables were not compared with a replay: {report.not_compared}", "yellow")))
    if report.waiting:
        waiting = f"{plural(report.waiting, 'session')} with events that the tables do not have yet: not compared"
        print_text(styled((waiting, "yellow"), "; `memory run --all` brings them up"))
    shown = report.findings[:SHOWN]
    for group in _grouped(shown):
        print_text(styled(""), _concerned(group[0]))
        place = None
        for finding in group:
            if finding.uri not in (None, place):
                place = finding.uri
                print_text(styled("  ", (str(place), "cyan")))
            print_text(styled("  ", (finding.kind.ljust(8), "red"), one_line(finding.detail)))
        for hint in dict.fromkeys(finding.hint for finding in group):
            print_text(styled("  ", (f"hint: {hint}", "yellow")))
    if report.finding_count > len(shown):
        print_text(styled(""), styled((f"… and {report.finding_count - len(shown):,} more: --json lists them", "dim")))


def _grouped(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Findings of one entry together, else of one event, in the order in which they come up."""
    groups: dict[tuple[str | None, str | None], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.session_id, finding.entry_id or finding.event_id), []).append(finding)
    return list(groups.values())


def _concerned(finding: Finding) -> Text:
    """The entry, or else the session, and the event that tells of it."""
    named = finding.entry_id or finding.session_id or "the log"
    return styled((one_line(named), "bold"), (f"  {finding.event_id or ''}", "dim"))
