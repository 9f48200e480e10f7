"""`memory privacy`: what masking would take out of files, and masking again what an older policy let in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, invocation
from memory_assets.cli.output import one_line, plural, print_json, print_result, styled
from memory_assets.cli.progress import progress_for_people
from memory_assets.cli.tables import print_text

if TYPE_CHECKING:
    from memory_assets.results.forgetting import KeptAwayListV1
    from memory_assets.sessions.privacy_scan import ScannedFile

SHOWN_PLACES = 20


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(no_args_is_help=True, help="What is masked, before and after it was taken in.")
    group.command("scan")(scan)
    group.command("rescan")(rescan)
    group.command("forgotten")(forgotten)
    group.command("places")(places)
    group.command("retention")(retention)
    app.add_typer(group, name="privacy")


def scan(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(help="Files, or folders of session files.", show_default=False)],
    as_json: JsonOption = False,
) -> int:
    """Show what would be masked in some files, by kind and line, and store nothing. Exits 1 where there is something."""
    from memory_assets.memory import as_plain
    from memory_assets.sessions.privacy_scan import scan_files

    scanned = list(scan_files(paths, invocation(context).memory().resources.redaction_policy))
    total = sum(len(file.places) for file in scanned)
    if as_json:
        print_json({"schema_version": "privacy_scan.v1", "total": total, "files": as_plain(scanned)})
    else:
        print_scan(scanned, total)
    return NOTHING_FOUND if total or any(file.problem for file in scanned) else OK


def rescan(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be masked, and change nothing.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Mask again the sessions that were masked under an older policy, out of the log itself."""
    from memory_assets.defs.rescanning import rescan as mask_again

    progress = None if dry_run else progress_for_people(as_json=as_json)
    report = mask_again(invocation(context).settings(), dry_run=dry_run, progress=progress).as_json()
    if as_json:
        print_json(report)
    else:
        print_rescan(report)
    return NOTHING_FOUND if report["run"] and report["run"]["quarantined"] else OK


def forgotten(context: typer.Context, as_json: JsonOption = False) -> int:
    """List every word of forgetting that the store holds, the newest first: by number and place, never by text."""
    from memory_assets.cli.forgetting import print_forgettings
    from memory_assets.queries.forgettings import list_forgettings

    listed = invocation(context).memory().read(list_forgettings)
    if as_json:
        print_json(listed)
    elif listed.forgettings:
        print_forgettings(listed)
    else:
        print_text(styled("nothing was forgotten"))
    return OK


def places(
    context: typer.Context,
    session: Annotated[
        str | None, typer.Argument(help="Only of this session, by its id or its beginning.", show_default=False)
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """List where something is kept away: private blocks and forgotten spans, by number and place, never by text."""
    from memory_assets.queries.kept_away import list_kept_away

    listed = invocation(context).memory().read(list_kept_away, session)
    print_result(listed, print_places, as_json=as_json)
    return OK


def retention(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go, and change nothing.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Forget the sessions that ended longer ago than privacy.keep_days, and memories older than privacy.keep_days_by_type."""
    from memory_assets.cli.forgetting import print_report
    from memory_assets.defs.retention import forget_what_is_old

    report = forget_what_is_old(invocation(context).settings(), dry_run=dry_run)
    if as_json:
        print_json(report)
    elif report.sessions or report.parts:
        print_report(report)
    else:
        print_text(styled("nothing is older than what is kept"))
    return OK


def print_places(listed: KeptAwayListV1) -> None:
    """A line for each message of which something is kept away."""
    if not listed.places:
        print_text(styled("nothing is kept away"))
    for place in listed.places:
        parts = [
            *([plural(place.private_blocks, "private block")] if place.private_blocks else []),
            *([plural(place.forgotten_spans, "forgotten span")] if place.forgotten_spans else []),
        ]
        much = f" ({plural(place.forgotten_characters, 'character')})" if place.forgotten_spans else ""
        where = "its title" if place.message_index is None else f"message {place.message_index}"
        print_text(styled((one_line(place.session_id), "cyan"), f"  {where}: {', '.join(parts)}{much}"))


def print_scan(scanned: list[ScannedFile], total: int) -> None:
    """A line for each file, then its places; never a value."""
    for file in scanned:
        if file.problem:
            print_text(styled((one_line(file.path), "bold"), "  ", (one_line(file.problem), "red")))
        if not file.places:
            continue
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in file.counts.items())
        print_text(styled((one_line(file.path), "bold"), f"  {kinds}"))
        for place in file.places[:SHOWN_PLACES]:
            print_text(styled((f"  {place.line:>6}  ", "dim"), one_line(place.excerpt)))
        if len(file.places) > SHOWN_PLACES:
            print_text(styled((f"          and {len(file.places) - SHOWN_PLACES:,} more; --json has them all", "dim")))
    print_text(styled(f"{plural(total, 'place')} in {plural(len(scanned), 'file')} would be masked"))


def print_rescan(report: dict[str, Any]) -> None:
    """What an older policy let in, and what became of it."""
    older, changed = report["older"], report["changed"]
    if not older:
        print_text(styled(f"{plural(report['sessions'], 'session')}, all masked under the policy in force"))
        return
    print_text(styled(f"{plural(len(older), 'session')} of {report['sessions']:,} masked under an older policy"))
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in report["newly_masked"].items())
    would = "would be" if report["dry_run"] else "were"
    news = f"newly masked: {kinds} in {plural(len(changed), 'session')}" if kinds else f"nothing new {would} masked"
    print_text(styled(news))
    if report["run"]:
        run = report["run"]
        events = plural(run["events_appended"], "event")
        print_text(styled(f"{run['updated']:,} updated, {run['quarantined']:,} quarantined, {events}"))
    if report["keys_with_secrets"]:
        count = plural(report["keys_with_secrets"], "session")
        print_text(styled((f"{count} named by an id that holds a secret: forget and import them again", "yellow")))
    left = "the events of before stay in the log and deleted rows in files of the index, read by nothing, until `memory purge`"
    print_text(styled((left, "dim")))
