"""`memory run`, `retry`, `prune` and `dev`: the assets, in this process or in Dagster's UI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_assets.cli.importing import print_checkers, print_defects, print_model, print_vectors
from memory_assets.cli.interruption import stoppable
from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, invocation
from memory_assets.cli.output import plural, print_json, styled
from memory_assets.cli.progress import progress_for_people
from memory_assets.cli.tables import print_text
from memory_assets.errors import InvalidArgumentError

if TYPE_CHECKING:
    from memory_assets.defs.reports import RunReport

KEPT_DAYS = 30


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("run")(stoppable(run))
    app.command("retry")(stoppable(retry))
    app.command("prune")(prune)
    app.command("dev")(dev)


def run(
    context: typer.Context,
    sessions: Annotated[list[str] | None, typer.Argument(help="Ids of sessions that are known.", show_default=False)] = None,
    every: Annotated[bool, typer.Option("--all", help="Every session that is known.")] = False,
    to_stage: Annotated[
        str | None, typer.Option("--to", metavar="STAGE", help="Stop behind this stage, e.g. materialized.", show_default=False)
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Run the assets for known sessions. What is done already is not done again."""
    from memory_assets.defs import run as pipeline

    if bool(sessions) == every:
        raise InvalidArgumentError("name sessions, or --all for every one", hint="`memory sessions list` names them")
    report = pipeline.run_sessions(
        invocation(context).settings(), sessions or None, to_stage=to_stage, progress=progress_for_people(as_json=as_json)
    )
    return print_run(report, as_json=as_json)


def retry(
    context: typer.Context,
    quarantined: Annotated[bool, typer.Option("--quarantined", help="The sessions that a stage put aside.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Try again what was put aside."""
    from memory_assets.defs import run as pipeline

    if not quarantined:
        raise InvalidArgumentError("say what to try again", hint="`memory retry --quarantined`")
    report = pipeline.retry_quarantined(invocation(context).settings(), progress=progress_for_people(as_json=as_json))
    return print_run(report, as_json=as_json)


def prune(
    context: typer.Context,
    days: Annotated[
        int, typer.Option("--older-than-days", min=0, max=36_500, help="Drop runs that are older than this.")
    ] = KEPT_DAYS,
    as_json: JsonOption = False,
) -> int:
    """Trim Dagster's history of runs. The log and all memory stay; a storage of Dagster that is not ours forgets with a run
    that its partitions were materialized."""
    from memory_assets.defs import development

    dropped = development.prune_runs(invocation(context).settings(), older_than_days=days)
    if as_json:
        print_json({"dropped": dropped})
    else:
        print_text(styled(f"dropped {plural(dropped, 'run')} from Dagster's history"))
    return OK


def dev(
    context: typer.Context,
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Where Dagster's UI listens.")] = 3000,
) -> int:
    """Start Dagster with the sensor on the sessions folder, and its UI. Ends with Ctrl-C."""
    from memory_assets.defs import development

    settings = invocation(context).settings()
    print_text(
        styled("Dagster's UI: ", (f"http://127.0.0.1:{port}", "cyan")), styled(f"sessions folder: {settings.sessions_folder}")
    )
    return int(development.serve_development(settings, port=port))


def print_run(report: RunReport, *, as_json: bool) -> int:
    """What a run did; the code says whether something was put aside or left waiting."""
    values: dict[str, Any] = report.as_json()
    if as_json:
        print_json(values)
    else:
        counted = [f"{value:,} {name.replace('_', ' ')}" for name, value in values.items() if isinstance(value, int)]
        print_text(styled(", ".join(counted) or "nothing to do"))
        print_model(report.model)
        print_checkers(report.checkers)
        print_vectors(report.vectors)
        print_defects("quarantined", report.quarantine, "red")
        print_defects("waiting", report.unanswered, "red")
        print_defects("taken with warnings or left", report.warnings, "yellow")
    return NOTHING_FOUND if report.quarantined or report.waiting else OK
