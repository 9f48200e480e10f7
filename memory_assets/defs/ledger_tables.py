"""The ledgers as tables of the Dagster UI. Counts, ids and names of errors: never text of a session (docs/privacy.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import dagster as dg

if TYPE_CHECKING:
    from memory_assets.queries.conflicts import ConflictView
    from memory_assets.queries.decisions import DecisionView
    from memory_assets.results.builds import BuildView
    from memory_assets.results.metrics import Metrics

SHOWN_BUILD_ID = 16  # enough of it for `memory builds show`
SHOWN_RUN_ID = 8  # as Dagster's own pages show it


def builds_table(builds: Sequence[BuildView]) -> dg.TableMetadataValue:
    """A row a build, the newest first; what is looked for first stands where the page shows it without scrolling."""
    return table(
        {
            "started (UTC)": "string",
            "status": "string",
            "sessions": "int",
            "events": "int",
            "seconds": "float",
            "error": "string",
            "build": "string",
            "run": "string",
            "extractor": "string",
            "checker": "string",
            "tokens": "int",
            "usd": "float",
        },
        [
            (
                f"{build.started_at:%m-%d %H:%M}",
                build.status,
                build.sessions,
                build.events,
                None if build.seconds is None else round(build.seconds, 1),
                build.error,
                build.build_id[:SHOWN_BUILD_ID],
                build.dagster_run_id and build.dagster_run_id[:SHOWN_RUN_ID],
                build.extractor_model,
                build.checker,
                build.input_tokens + build.output_tokens,
                build.cost_usd,
            )
            for build in builds
        ],
    )


def times_table(measured: Metrics) -> dg.TableMetadataValue:
    """A row a stage, in the order of the road."""
    return table(
        {
            "stage": "string",
            "sessions": "int",
            "failures": "int",
            "mean ms": "float",
            "median ms": "float",
            "p95 ms": "float",
            "slowest ms": "float",
            "slowest session": "string",
        },
        [
            (
                stage.stage,
                stage.sessions,
                stage.failures,
                *(round(ms, 1) for ms in (stage.mean_ms, stage.median_ms, stage.p95_ms, stage.slowest_ms)),
                stage.slowest_session,
            )
            for stage in measured.stages
        ],
    )


def refusals_table(measured: Metrics) -> dg.TableMetadataValue:
    """How many entries were refused a step of the ladder, by reason."""
    found: dict[str, int] = {}
    for item in measured.promotions:
        if item.outcome != "promoted":
            found[item.reason] = found.get(item.reason, 0) + item.count
    return counts_table("reason", found)


def conflicts_table(conflicts: Sequence[ConflictView]) -> dg.TableMetadataValue:
    """A row a conflict: where each side was said last, never what it says."""
    return table(
        {"conflict": "string", "kind": "string", "older": "string", "newer": "string", "detected (UTC)": "string"},
        [
            (
                conflict.conflict_id,
                conflict.conflict_type,
                conflict.older.uri,
                conflict.newer.uri,
                f"{conflict.detected_at:%Y-%m-%d %H:%M:%S}",
            )
            for conflict in conflicts
        ],
    )


def decisions_table(decisions: Sequence[DecisionView]) -> dg.TableMetadataValue:
    """A row a recorded decision: when, by whose proof, on how much, and whether that still stands."""
    return table(
        {"decision": "string", "decided (UTC)": "string", "proved by": "string", "evidence": "int", "stands": "string"},
        [
            (
                decision.decision_id,
                f"{decision.decided_at:%Y-%m-%d %H:%M:%S}",
                decision.checker,
                len(decision.evidence),
                "weakened" if decision.weakened else "yes",
            )
            for decision in decisions
        ],
    )


def counts_table(name: str, counts: Mapping[str, int]) -> dg.TableMetadataValue:
    """How many entries of each kind."""
    return table({name: "string", "entries": "int"}, list(counts.items()))


def table(columns: Mapping[str, str], rows: Sequence[Sequence[str | int | float | None]]) -> dg.TableMetadataValue:
    """Rows under typed columns."""
    return dg.MetadataValue.table(
        [dg.TableRecord(dict(zip(columns, row, strict=True))) for row in rows],
        dg.TableSchema([dg.TableColumn(name, kind) for name, kind in columns.items()]),
    )
