"""`memory privacy rescan`: what an older policy let into the log is masked by the policy as it is now.

No source file is needed: the history itself is masked again, as the first revision of a new chain, and the stages run over it.
The chain before is retired, so that no table, search or citation reads it; its events stay in the log, and deleted rows in
files of the index, until they are purged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from memory_assets.defs.court.run import hear_again
from memory_assets.defs.reports import RunReport
from memory_assets.defs.resources import OpenStore, open_store
from memory_assets.defs.run import run_sessions
from memory_assets.log.payloads.sessions import SessionIngested
from memory_assets.log.session_history import History
from memory_assets.maintenance.court_mirror import followed_by_court
from memory_assets.progress import Progress
from memory_assets.sessions.keys import session_key
from memory_assets.sessions.masking.redaction import redact_session
from memory_assets.sessions.model import Session
from memory_assets.settings import Settings

_BATCH = 50


@dataclass(slots=True)
class Rescanned:
    """What a policy masks beyond the one before.

    Attributes:
        sessions: known histories.
        older: those that were masked under another policy.
        newly_masked: regions by kind, beyond what was masked already.
        changed: sessions with at least one of these.
        keys_with_secrets: sessions whose own key holds what would be masked: a key is never changed.
        run: what the stages did; None after a dry run.
    """

    sessions: int = 0
    older: list[str] = field(default_factory=list)
    newly_masked: dict[str, int] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    keys_with_secrets: int = 0
    dry_run: bool = False
    run: RunReport | None = None

    def as_json(self) -> dict[str, Any]:
        """The report as one JSON object."""
        return {"schema_version": "privacy_rescan.v1", **asdict(self)}


def rescan(settings: Settings, *, dry_run: bool = False, progress: Progress | None = None) -> Rescanned:
    """Mask again what was masked under another policy than the one in force.

    Raises:
        ConfigInvalidError: the policy file cannot be used.
    """
    opened = open_store(settings)
    opened.follow_versions()
    report = Rescanned(dry_run=dry_run)
    counts: Counter[str] = Counter()
    known = _known(opened)
    report.sessions = len(known)
    for start in range(0, len(known), _BATCH):
        for history in opened.histories(list(known[start : start + _BATCH])).values():
            _look_at(history, opened, report, counts)
    report.newly_masked = dict(sorted(counts.items()))
    if not dry_run and report.older:
        with followed_by_court(opened.resources, done="what was in the store is masked again"):
            report.run = run_sessions(settings, report.older, progress=progress)
            hear_again(settings, report.older, progress=progress)
    return report


def _look_at(history: History, opened: OpenStore, report: Rescanned, counts: Counter[str]) -> None:
    policy = opened.sources.policy
    heading = history.heading
    if heading.redaction_policy == policy.policy_hash:
        return
    report.older.append(history.session_id)
    session = Session(
        history.session_id,
        heading.source_id,
        heading.source_format,
        history.messages,
        project=heading.project,
        title=heading.title,
        cwd=heading.cwd,
        git_branch=heading.git_branch,
    )
    masked, found, _ = redact_session(session, policy, path=history.session_id)
    if found:
        counts.update(found)
        report.changed.append(history.session_id)
    derived = session_key(heading.source_format, heading.source_id)
    report.keys_with_secrets += masked.source_id != heading.source_id and derived == history.session_id


def _known(opened: OpenStore) -> Sequence[str]:
    with opened.database.reading() as connection:
        rows = connection.execute(
            "SELECT session_id FROM visible_events WHERE event_type = ? GROUP BY session_id ORDER BY min(seq)",
            [SessionIngested.event_type],
        ).fetchall()
    return [row[0] for row in rows]
