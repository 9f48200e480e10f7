"""The leaf ``task_board``: how all tasks stand, on one page of the UI.

What a task is called is session text. It stays out of Dagster's records unless ``dagster.show_quotes`` lets it in
(docs/privacy.md); ids, states, numbers and times say what is to be looked at with ``memory task show``.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import dagster as dg

from memory_assets.defs.last_made import LOG_SEQ, last_metadata, log_seq_of
from memory_assets.defs.markdown import cell
from memory_assets.defs.resources import EventLogResource
from memory_assets.defs.stages.vectorized import vectorized
from memory_assets.queries.task_review import task_review
from memory_assets.queries.tasks import list_tasks
from memory_assets.vocabulary import FINISHED

if TYPE_CHECKING:
    from memory_assets.results.tasks import TaskBlocker, TaskView

SHOWN_TASKS = 100
SHOWN_ID = 12  # as the command line shows it
STATUSES = ("in_progress", "blocked", "pending", "done", "cancelled")


@dg.asset(
    deps=[dg.AssetDep(vectorized, partition_mapping=dg.AllPartitionMapping())],
    group_name="ledgers",
    kinds={"duckdb"},
    owners=["team:memory"],
    check_specs=[dg.AssetCheckSpec("no_blocker_cycles", asset="task_board", description="No tasks wait for each other.")],
    description="""Tasks as all sessions and people leave them: what is in progress, blocked and pending, and by what.
When the log has not moved it is what it was, and nothing is counted again.

Titles are shown only with `dagster.show_quotes`. `memory tasks`, `memory blocked` and `memory tasks review` say more.
""",
)
def task_board(context: dg.AssetExecutionContext, event_log: EventLogResource) -> Iterator[dg.MaterializeResult[None]]:
    opened = event_log.opened
    before = last_metadata(context.instance, context.asset_key)
    shows_titles = opened.settings.dagster.show_quotes
    with opened.database.reading() as connection:
        seq = opened.log.last_seq()
        if log_seq_of(before) == seq and before.get("shows_titles") == dg.MetadataValue.bool(shows_titles):
            yield _result(seq, before)
            return
        quiet_after = opened.settings.tasks.quiet_after_sessions
        tasks, review = list_tasks(connection, quiet_after=quiet_after), task_review(connection)
    yield _result(
        seq,
        {
            **{status: sum(task.status == status for task in tasks) for status in STATUSES},
            "board": dg.MetadataValue.md(board(tasks, shows_titles=shows_titles)),
            "waiting_for_a_word": dg.MetadataValue.int(review.total),
            "blocker_cycles": dg.MetadataValue.int(len(review.cycles)),
            "shows_titles": dg.MetadataValue.bool(shows_titles),
            LOG_SEQ: seq,
        },
    )


def board(tasks: Sequence["TaskView"], *, shows_titles: bool) -> str:
    """The tasks that are not finished as a table for each status, and how many are."""
    parts = []
    left = SHOWN_TASKS
    for status in STATUSES:
        group = [task for task in tasks if task.status == status]
        if not group:
            continue
        parts.append(f"**{status.replace('_', ' ').capitalize()}** {len(group):,}")
        if status not in FINISHED and left:
            parts.append(_table(group[:left], shows_titles=shows_titles))
            left -= min(left, len(group))
    unfinished = sum(task.status not in FINISHED for task in tasks)
    if unfinished > SHOWN_TASKS:
        parts.append(f"… and {unfinished - SHOWN_TASKS:,} more that are not finished")
    return "\n\n".join(parts) or "no tasks"


def _table(tasks: Sequence["TaskView"], *, shows_titles: bool) -> str:
    names = ["task", *(["title"] if shows_titles else []), "priority", "project", "waits for", "since", "said last"]
    rows = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    for task in tasks:
        cells = [
            f"`{task.task_id[:SHOWN_ID]}`",
            *([cell(task.title)] if shows_titles else []),
            task.priority or "",
            cell(task.project or ""),
            _waits_for(task.blockers, shows_titles=shows_titles),
            f"{task.status_since:%Y-%m-%d}",
            f"{task.last_said_at:%Y-%m-%d}",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _waits_for(blockers: Sequence["TaskBlocker"], *, shows_titles: bool) -> str:
    declared = [blocker for blocker in blockers if not blocker.suggested]
    if shows_titles:
        return ", ".join(("✓ " if blocker.cleared else "") + cell(blocker.effective) for blocker in declared)
    counted: dict[str, int] = {}
    for blocker in declared:
        kind = ("unknown" if blocker.placeholder else blocker.effective_kind) + (", cleared" if blocker.cleared else "")
        counted[kind] = counted.get(kind, 0) + 1
    return "; ".join(f"{count} {kind}" for kind, count in counted.items())


def _result(seq: int, metadata: Mapping[str, Any]) -> dg.MaterializeResult[None]:
    cycles = metadata["blocker_cycles"].value
    return dg.MaterializeResult(
        metadata=metadata,
        data_version=dg.DataVersion(str(seq)),
        check_results=[
            dg.AssetCheckResult(
                check_name="no_blocker_cycles",
                asset_key="task_board",
                passed=cycles == 0,
                severity=dg.AssetCheckSeverity.WARN,
                metadata={"count": cycles, "more": "`memory tasks review` lists them"},
            )
        ],
    )
