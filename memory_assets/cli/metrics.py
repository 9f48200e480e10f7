"""`memory metrics`: what the stages took, what failed, what a model cost, and what became of the entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.invocation import OK, JsonOption, invocation
from memory_assets.cli.output import plural, print_result, styled
from memory_assets.cli.tables import print_table, print_text
from memory_assets.cli.times import moment_of

if TYPE_CHECKING:
    from memory_assets.results.metrics import Metrics, StageTimes


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command("metrics")(metrics)


def metrics(
    context: typer.Context,
    build: Annotated[
        str | None, typer.Option("--build", help="Only of this build, by its id or its beginning.", show_default=False)
    ] = None,
    session: Annotated[str | None, typer.Option("--session", help="Only of this session.", show_default=False)] = None,
    stage: Annotated[str | None, typer.Option("--stage", help="Only of this pipeline stage.", show_default=False)] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", help="Only since then: 30m, 12h, 7d, 4w, or a date or time (UTC).", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Show what the stages measured: times and failures, tokens and cost, verdicts, quotes by method, promotions by reason."""
    from memory_assets.queries.builds import metrics_within

    began = None if since is None else moment_of("--since", since, datetime.now(UTC))
    found = invocation(context).memory().read(metrics_within, build_id=build, session_id=session, stage=stage, since=began)
    print_result(found, print_metrics, as_json=as_json)
    return OK


def print_metrics(found: Metrics) -> None:
    """A table of the stages, and what else was measured below it."""
    if not found.stages:
        print_text(styled("nothing was measured"))
        return
    print_stages(found.stages)
    if found.verdicts:
        _heading("verdicts")
        print_table(
            ("checker", "verdicts", "total s", "mean ms", "median ms", "p95 ms", "slowest ms", "slowest session"),
            [
                (
                    verdict.checker,
                    f"{verdict.verdicts:,}",
                    f"{verdict.total_ms / 1000:,.2f}",
                    *map(_ms, (verdict.mean_ms, verdict.median_ms, verdict.p95_ms, verdict.slowest_ms)),
                    (verdict.slowest_session or "-", "cyan"),
                )
                for verdict in found.verdicts
            ],
            shrink=((7, 12),),
            right=frozenset(range(1, 7)),
        )
    asked = found.extraction
    if asked.windows:
        _heading("model")
        mean_cost = "" if asked.cost_usd_per_session is None else f", {asked.cost_usd_per_session:.4f} USD"
        print_text(
            styled(
                f"{plural(asked.windows, 'window')} of {plural(asked.sessions, 'session')} answered: "
                + model_use(asked.requests, asked.input_tokens, asked.output_tokens, asked.cost_usd)
            ),
            styled(f"a session: {asked.tokens_per_session or 0:,.0f} tokens{mean_cost}"),
        )
    _print_counts("quotes", found.quotes_by_method)
    _print_counts("entries", found.entries_by_stage)
    if found.promotions:
        _heading("promotions")
        print_table(
            ("outcome", "step", "entries", "reason"),
            [
                (
                    (item.outcome, "green" if item.outcome == "promoted" else "yellow"),
                    f"{item.from_stage} -> {item.to_stage}",
                    f"{item.count:,}",
                    item.reason,
                )
                for item in found.promotions
            ],
            shrink=((3, 20),),
            right=frozenset((2,)),
        )


def print_stages(stages: Sequence[StageTimes]) -> None:
    """A line a stage, and one for each kind of failure below them."""
    print_table(
        (
            "stage",
            "sessions",
            "failed",
            "total s",
            "mean ms",
            "median ms",
            "p95 ms",
            "slowest ms",
            "sessions/s",
            "slowest session",
        ),
        [
            (
                (stage.stage, "bold"),
                f"{stage.sessions:,}",
                (f"{stage.failures:,}", "bold red" if stage.failures else "dim"),
                f"{stage.total_ms / 1000:,.2f}",
                *map(_ms, (stage.mean_ms, stage.median_ms, stage.p95_ms, stage.slowest_ms)),
                "-" if stage.sessions_per_second is None else f"{stage.sessions_per_second:,.0f}",
                (stage.slowest_session or "-", "cyan"),
            )
            for stage in stages
        ],
        shrink=((9, 12),),
        drop=(8, 5),
        right=frozenset(range(1, 9)),
    )
    for stage in stages:
        for code, count in stage.errors.items():
            print_text(styled((f"{stage.stage}: {plural(count, 'failure')} ", "red"), code))


def model_use(requests: int, input_tokens: int, output_tokens: int, cost_usd: float | None) -> str:
    """What was asked of a model, in words."""
    if not requests:
        return "not asked"
    price = "price not known" if cost_usd is None else f"{cost_usd:.4f} USD"
    return f"{plural(requests, 'request')}, {input_tokens:,} tokens in, {output_tokens:,} out, {price}"


def _print_counts(name: str, counts: Mapping[str, int]) -> None:
    if counts:
        _heading(name)
        print_text(styled(", ".join(f"{part} {count:,}" for part, count in counts.items())))


def _heading(name: str) -> None:
    print_text(styled(""), styled((name, "bold")))


def _ms(value: float) -> str:
    return f"{value:,.1f}"
