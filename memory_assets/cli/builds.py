"""`memory builds`: which runs wrote the store, with which versions, and what they took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.groups import ListingGroup
from memory_assets.cli.invocation import OK, JsonOption, invocation
from memory_assets.cli.metrics import model_use, print_stages
from memory_assets.cli.output import moment, plural, print_json, print_result, styled
from memory_assets.cli.tables import print_table, print_text

if TYPE_CHECKING:
    from memory_assets.results.builds import BuildDetails, BuildPage, BuildView

_STATUS_STYLES = {"success": "green", "running": "yellow", "failed": "bold red"}
_COLUMNS = ("started", "build", "status", "sessions", "events", "extractor", "checker", "tokens", "USD", "took", "error")
_SHOWN_ID = 16
_SHOWN_SESSIONS = 50


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(cls=ListingGroup, help="Builds: the runs that wrote the store, or one of them (bare: list).")
    group.command("list")(list_)
    group.command("show")(show)
    app.add_typer(group, name="builds")


def list_(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="How many builds.")] = 20,
    as_json: JsonOption = False,
) -> int:
    """List the newest builds: the runs that appended something. A run that found nothing to do leaves none."""
    from memory_assets.queries.builds import list_builds

    page = invocation(context).memory().read(list_builds, invocation(context).memory().settings.store_folder, limit=limit)
    if as_json:
        print_json(page)
    elif page.builds:
        print_builds(page)
    else:
        print_text(styled("no builds; `memory import PATH` makes one"))
    return OK


def show(
    context: typer.Context,
    build: Annotated[str, typer.Argument(help="The build's id, or its beginning.")],
    as_json: JsonOption = False,
) -> int:
    """Show one build: its versions, what it appended by type, its stages with their times, its sessions."""
    from memory_assets.queries.builds import build_details

    details = invocation(context).memory().read(build_details, invocation(context).memory().settings.store_folder, build)
    print_result(details, print_build, as_json=as_json)
    return OK


def print_builds(page: BuildPage) -> None:
    """One line a build; the error only where there is one."""
    shown = len(_COLUMNS) - (not any(build.error for build in page.builds))
    print_table(
        _COLUMNS[:shown],
        [
            (
                (moment(build.started_at), "dim"),
                (build.build_id[:_SHOWN_ID], "cyan"),
                (build.status, _STATUS_STYLES[build.status]),
                f"{build.sessions:,}",
                f"{build.events:,}",
                build.extractor_model,
                build.checker,
                f"{build.input_tokens + build.output_tokens:,}" if build.requests else "-",
                "-" if build.cost_usd is None else f"{build.cost_usd:.4f}",
                took(build),
                (build.error or "", "red"),
            )[:shown]
            for build in page.builds
        ],
        shrink=((10, 12), (5, 12), (6, 10), (1, 10)),
        drop=(8, 7, 5, 6),
        right=frozenset((3, 4, 7, 8, 9)),
    )
    if page.total > len(page.builds):
        print_text(styled((f"the newest {len(page.builds):,} of {page.total:,}; --limit shows more", "dim")))


def print_build(details: BuildDetails) -> None:
    """Everything of a build, a line a fact."""
    build = details.build
    print_text(
        styled((build.build_id, "bold cyan"), "  ", (build.status, _STATUS_STYLES[build.status]), f"  {build.error or ''}"),
        styled(
            f"{moment(build.started_at)} to {moment(build.finished_at)} UTC, took {took(build)}, "
            f"{plural(build.events, 'event')} for {plural(build.sessions, 'session')}"
        ),
    )
    facts = {
        "extractor": f"{build.extractor_model}, {build.extractor_prompt_hash}",
        "embedder": f"{build.embedder_model}, {build.embedding_version}",
        "checker": build.checker,
        "program": f"memory_assets {build.package or '(not noted)'}, schema {build.schema_version}",
        "model": model_use(build.requests, build.input_tokens, build.output_tokens, build.cost_usd),
        "dagster run": build.dagster_run_id or "-",
    }
    width = max(map(len, facts)) + 2
    print_text(*(styled((name.ljust(width), "dim"), value) for name, value in facts.items()))
    for verdict in details.verdicts:
        print_text(
            styled(
                ("verdicts".ljust(width), "dim"),
                f"{verdict.checker} {verdict.checker_version}: {verdict.accepted:,} accepted, {verdict.refused:,} refused",
            )
        )
    print_text(styled(""))
    print_table(("stage", "version"), sorted(build.versions.items()), shrink=((1, 20),))
    if details.stages:
        print_text(styled(""))
        print_stages(details.stages)
    print_text(styled(""))
    print_table(
        ("event", "appended"), [(name, f"{count:,}") for name, count in details.events_by_type.items()], right=frozenset((1,))
    )
    _print_sessions(details)


def took(build: BuildView) -> str:
    """How long it took, for people."""
    if build.seconds is None:
        return "-"
    minutes, seconds = divmod(build.seconds, 60)
    return f"{minutes:.0f} min {seconds:.0f} s" if minutes else f"{seconds:.1f} s"


def _print_sessions(details: BuildDetails) -> None:
    print_text(styled(""))
    print_text(*(styled(("session  ", "dim"), (session_id, "cyan")) for session_id in details.session_ids[:_SHOWN_SESSIONS]))
    left = len(details.session_ids) - _SHOWN_SESSIONS
    if left > 0:
        print_text(styled((f"and {plural(left, 'session')} more; --json has them all", "dim")))
    if details.forgotten:
        print_text(styled((f"{plural(details.forgotten, 'session')} of it forgotten since", "dim")))
