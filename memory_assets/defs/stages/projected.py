"""``projected``: what the sessions claim becomes tables, and tasks across sessions move."""

import time
from collections.abc import Iterator
from typing import Any

import dagster as dg

from memory_assets.defs.batch import (
    Metadata,
    SessionResult,
    StageOutput,
    handed_on,
    milliseconds_since,
    quarantine_check,
    run_stage,
    session_keys,
)
from memory_assets.defs.digest_page import DigestPage
from memory_assets.defs.resources import EventLogResource, OpenStore
from memory_assets.defs.stages.stage_asset import stage_asset
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.payloads.sessions import SessionProjected
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.maintenance.usage import count_shown
from memory_assets.projections.fold import catch_up
from memory_assets.queries.session_digest import session_digests
from memory_assets.stopping import stop_if_asked

# What must be none of: said for people, and counted.
CHECKS = {
    "tasks_rest_on_evidence": (
        "Every task was claimed in a session, or is a person's word.",
        """
        SELECT count(*) FROM entities t WHERE entity_type = 'task' AND NOT EXISTS (
          SELECT 1 FROM task_outcomes o WHERE o.entity_id = t.entity_id
            AND (o.source_id IN (SELECT claim_id FROM task_claims) OR o.source_id IN (SELECT event_id FROM task_words)))""",
    ),
    "blocked_tasks_have_blockers": (
        "What is blocked has something that blocks it.",
        """
        SELECT count(*) FROM v_tasks WHERE task_status = 'blocked'
          AND task_id NOT IN (SELECT task_id FROM v_task_blockers_effective WHERE NOT is_suggested)""",
    ),
    "done_tasks_have_none": (
        "What is done waits for nothing.",
        """
        SELECT count(*) FROM v_tasks WHERE task_status = 'done'
          AND task_id IN (SELECT src_id FROM edges WHERE rel_type IN ('blocked_by', 'blocked_by_suggested'))""",
    ),
    "no_duplicate_edges": (
        "Two things are tied once by each relation.",
        """
        SELECT count(*) FROM (SELECT 1 FROM edges GROUP BY src_id, rel_type, dst_id HAVING count(*) > 1)""",
    ),
}


@stage_asset(
    "projected",
    kinds={"duckdb"},
    checks={name: said for name, (said, _) in CHECKS.items()},
    description="""What the sessions claim becomes tables: sessions, messages, entries, memories, tasks, units.

- **reads** the log behind the offset of the last fold
- **writes** with what they rest on `task_created`, `task_evidence_linked`, `task_title_changed`, `task_status_changed`,
  `task_priority_changed`, `task_blockers_set`, `task_transition_rejected`, `task_blocker_rejected`, `condition_declared`,
  `condition_resolved_to`, `condition_satisfied`, `artifact_declared` and `artifact_settled`; `blocker_cycle_detected` for tasks
  that wait for each other, `conflict_detected` for what contradicts what, `entry_promoted` for what all sessions together
  certify; `session_projected`, and every derived table
- **shows** of each session what it was about: its decisions, what it did, mended and left open, by their addresses
- **guarantees** that any order of sessions gives the same tables, and that a replay gives them again
""",
)
def projected(
    context: dg.AssetExecutionContext, event_log: EventLogResource, idris_checked: dict[str, Any]
) -> Iterator[dg.Output[StageOutput] | dg.AssetCheckResult]:
    opened = event_log.opened
    checked: dict[str, StoredEvent] = idris_checked
    stop_if_asked()
    opened.road.at("projected")
    started = time.perf_counter()
    folded = catch_up(opened.database, opened.resources.configured_versions, resolve=True, build=opened.build)
    if folded.outcomes:
        opened.wrote(folded.outcomes.new)
    if not opened.more_to_come:
        # What was of use meanwhile is counted along: the store is written anyway.
        count_shown(opened.resources)
    told = _told(opened, list(checked))
    together_ms = milliseconds_since(started)
    output = run_stage(
        context,
        event_log,
        "projected",
        session_keys(context),
        checked,
        lambda session_id: project(checked[session_id], opened.versions["projected"], told.get(session_id, {})),
        together_ms=together_ms,
    )
    yield handed_on(context, output)
    yield quarantine_check(event_log, output)
    yield from _checks(opened)


def project(checked: StoredEvent, version: str, told: Metadata) -> SessionResult:
    """The mark that a session's claims are part of the tables."""
    event = NewEvent(
        payload=SessionProjected(checked_event_id=checked.event_id),
        session_id=checked.session_id,
        inputs=(checked.event_id,),
        stage_version=version,
        occurred_at=None,
        causation_id=checked.event_id,
        chain_id=checked.chain_id,
        project=checked.project,
    )
    return SessionResult(events=[event], metadata=dict(told))


def _told(opened: OpenStore, session_ids: list[str]) -> dict[str, Metadata]:
    """What the page of each session tells: its digest, and how much of the tables is its."""
    shown = opened.settings.dagster
    page = DigestPage(show_quotes=shown.show_quotes, viewer_url=shown.viewer_url)
    with opened.database.reading() as connection:
        digests = session_digests(connection, session_ids)
    counts = _counts(opened, session_ids)
    return {
        session_id: {"digest": dg.MetadataValue.md(page.markdown(digest)), **counts.get(session_id, {})}
        for session_id, digest in digests.items()
    }


def _counts(opened: OpenStore, session_ids: list[str]) -> dict[str, dict[str, int]]:
    with opened.database.reading() as connection:
        rows = connection.execute(
            f"""SELECT s.session_id, (SELECT count(DISTINCT e.memory_id) FROM entries e
                    WHERE e.session_id = s.session_id AND e.status = 'active'),
                  (SELECT count(DISTINCT o.entity_id) FROM task_outcomes o
                    WHERE o.session_id = s.session_id AND o.entity_type = 'task'),
                  (SELECT count(*) FROM memory_units u WHERE u.session_id = s.session_id)
                FROM sessions s WHERE s.session_id IN {IN_LIST}""",
            [json_list(session_ids)],
        ).fetchall()
    return {row[0]: {"memories": row[1], "tasks_touched": row[2], "units": row[3]} for row in rows}


def _checks(opened: OpenStore) -> Iterator[dg.AssetCheckResult]:
    with opened.database.reading() as connection:
        found = {name: connection.execute(statement).fetchall()[0][0] for name, (_, statement) in CHECKS.items()}
    for name, count in found.items():
        yield dg.AssetCheckResult(check_name=name, passed=count == 0, metadata={"found": count})
