"""Retention: what ended longer ago than the settings keep is forgotten, by a person's command or by a schedule."""

from datetime import UTC, datetime, timedelta

import dagster as dg

from memory_assets.defs.forgetting import forget, what_would_go
from memory_assets.defs.resources import EventLogResource
from memory_assets.log.fetching import fetch
from memory_assets.memory import Memory
from memory_assets.queries.forgettable import ToForget
from memory_assets.results.forgetting import ForgetReportV1
from memory_assets.settings import Settings

SHOWN_SESSIONS = 200


def forget_what_is_old(settings: Settings, *, dry_run: bool, now: datetime | None = None) -> ForgetReportV1:
    """Forget the sessions that ended longer ago than ``privacy.keep_days``, and old memories of some types, or say which.

    Args:
        now: what ages are counted to; the clock's time without it.
    """
    at = now or datetime.now(UTC)
    due, memories = sessions_due(settings, at), memories_due(settings, at)
    if not due and not memories:
        return ForgetReportV1(
            dry_run=dry_run, sessions=(), parts=(), messages=0, entries=0, memories_gone=(), memories_kept=(), tasks_gone=()
        )
    wanted = ToForget(ids=tuple(memories), sessions=tuple(due))
    return what_would_go(settings, wanted) if dry_run else forget(settings, wanted, reason="retention")


def sessions_due(settings: Settings, now: datetime) -> list[str]:
    """The sessions that are not kept any longer, the oldest first."""
    kept = settings.privacy
    if not kept.keep_days and not kept.keep_days_by_project.strip():
        return []
    with Memory(settings).database.reading() as connection:
        rows = fetch(connection, "SELECT session_id, project, ended_at FROM sessions ORDER BY ended_at, session_id")

    def is_due(project: str | None, ended_at: datetime) -> bool:
        days = kept.days_of(project)
        return days > 0 and ended_at < now - timedelta(days=days)

    return [session_id for session_id, project, ended_at in rows if is_due(project, ended_at)]


def memories_due(settings: Settings, now: datetime) -> list[str]:
    """The memories that are kept no longer though a session of theirs is, for nobody has said them for so long."""
    days = settings.privacy.days_of_types
    if not days:
        return []
    with Memory(settings).database.reading() as connection:
        rows = fetch(connection, "SELECT 'mem:' || short_id, entry_type, last_said_at FROM memories ORDER BY last_said_at, 1")
    return [address for address, kind, said in rows if kind in days and said < now - timedelta(days=days[kind])]


class RetentionConfig(dg.Config):
    """Whether a materialization forgets, or only says what it would."""

    dry_run: bool = True


@dg.asset(
    group_name="ledgers",
    kinds={"duckdb"},
    owners=["team:memory"],
    description="What `privacy.keep_days` does not keep any longer. Materialized by hand it only says what would go; the "
    "schedule, which is off until somebody turns it on, forgets.",
)
def retention(config: RetentionConfig, event_log: EventLogResource) -> dg.MaterializeResult[None]:
    report = forget_what_is_old(event_log.opened.settings, dry_run=config.dry_run)
    return dg.MaterializeResult(
        metadata={
            "dry_run": config.dry_run,
            "sessions": len(report.sessions),
            "parts": len(report.parts),
            "messages": report.messages,
            "entries": report.entries,
            "memories_gone": len(report.memories_gone),
            "tasks_gone": len(report.tasks_gone),
            "session_ids": dg.MetadataValue.json([session.session_id for session in report.sessions[:SHOWN_SESSIONS]]),
        }
    )


forget_old_sessions = dg.define_asset_job(
    "forget_old_sessions",
    selection=dg.AssetSelection.assets(retention),
    description="Forget the sessions that `privacy.keep_days` does not keep any longer.",
)
nightly_retention = dg.ScheduleDefinition(
    name="nightly_retention",
    job=forget_old_sessions,
    cron_schedule="30 3 * * *",
    run_config={"ops": {"retention": {"config": {"dry_run": False}}}},
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Off until somebody turns it on.",
)
