"""`memory purge`: what was forgotten, out of every file, with a proof."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, invocation
from memory_assets.cli.output import one_line, plural, print_json, styled
from memory_assets.cli.people import agrees
from memory_assets.cli.progress import progress_for_people
from memory_assets.cli.tables import print_text

if TYPE_CHECKING:
    from memory_assets.results.purge import PurgeReportV1

SHOWN = 12


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("purge")(purge)


def purge(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go, and change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Write the store anew without what was forgotten, and prove that it is gone. Exits 1 where some of it is left."""
    from memory_assets.defs import purging
    from memory_assets.hooks import purged

    settings = invocation(context).settings()
    progress = progress_for_people(as_json=as_json)
    # What another machine took out of the shared log was decided there.
    followed = None if dry_run else purging.followed_purge(settings, progress=progress, beside=purged.purge_kept)
    if followed is not None:
        return _printed(followed, as_json=as_json)
    planned = purging.planned_purge(settings)
    if dry_run:
        report = purging.purge_report(settings, planned)
    else:
        if planned.removed and not yes:
            _ask(sum(planned.removed.values()), len(planned.sessions), as_json=as_json)
        report = purging.purge_all(settings, planned, progress=progress, beside=purged.purge_kept)
    return _printed(report, as_json=as_json)


def _printed(report: PurgeReportV1, *, as_json: bool) -> int:
    if as_json:
        print_json(report)
    else:
        print_report(report)
    return NOTHING_FOUND if not report.dry_run and (report.found_after or report.left_in_postgres) else OK


def _ask(events: int, sessions: int, *, as_json: bool) -> None:
    what = f"{plural(events, 'event')} of {plural(sessions, 'session')}"
    hint = "`--yes` says so; `--dry-run` shows what and where"
    if not agrees(f"{what} would be gone for good", f"{what} will be gone for good. Go on?", hint=hint, as_json=as_json):
        raise typer.Abort


def print_report(report: PurgeReportV1) -> None:
    """What went, where it was, and what is out of reach."""
    count = sum(report.events_removed.values())
    if not count and report.dagster is None and not report.left_in_postgres:
        print_text(styled("there is nothing to purge"))
        return
    would = "would go" if report.dry_run else "are gone"
    of = f"{plural(report.sessions, 'session')}" + (
        f", and of {report.sessions_in_part:,} in part" if report.sessions_in_part else ""
    )
    print_text(styled((f"{plural(count, 'event')} of {of} {would}", "bold"), f", {report.events_kept:,} stay"))
    for event_type, removed in sorted(report.events_removed.items(), key=lambda item: -item[1])[:SHOWN]:
        print_text(styled((f"{removed:>8,} ", "dim"), event_type))
    print_text(styled(f"{plural(report.pieces, 'piece')} of it looked for: found {report.found_before:,} times before"))
    if not report.dry_run:
        left = (f"found {report.found_after:,} times now", "red" if report.found_after else "green")
        print_text(styled(left))
        for trace in [trace for trace in report.traces if trace.after][:SHOWN]:
            style = "red" if trace.within_reach else "yellow"
            print_text(styled(("still in ", style), one_line(trace.place), "" if trace.within_reach else ", which is yours"))
        if report.survivors_digest:
            print_text(styled((f"what stays is what it was: {report.survivors_digest}", "dim")))
    if report.dagster is not None:
        told = f"Dagster: {plural(report.dagster.runs, 'run')} and {plural(report.dagster.records, 'record')} deleted"
        print_text(styled(f"{told}{'; ' + report.dagster.beyond if report.dagster.beyond else ''}"))
    if report.golden_questions:
        print_text(styled((f"golden questions without an answer: {one_line(', '.join(report.golden_questions))}", "yellow")))
    for item in report.out_of_reach:
        print_text(styled(("out of reach: ", "dim"), one_line(item.what), (f" ({item.why})", "dim")))
