"""Sessions that were heard, as streams of events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from memory_assets.court.case import Case
from memory_assets.court.findings import Finding
from memory_assets.log.batches import rows_of
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.session_history import history_of
from memory_assets_tests.court.findings import VERSION, hearing, orders_of
from memory_assets_tests.projections.story import STARTED, Story


class Heard:
    """A session whose hearings are logged behind its revisions."""

    def __init__(self, session_id: str, *, day: int = 0, project: str = "hourglass") -> None:
        self.story = Story(session_id, project=project, started=STARTED + timedelta(days=day))
        self.told: list[NewEvent] = []

    def tell(self, *texts: str) -> list[NewEvent]:
        """The events of the session's next revision."""
        events = self.story.tell(texts)
        self.told += events
        return events

    def hear(
        self,
        version: str = VERSION,
        keeps: Callable[[str], bool] | None = None,
        find: Callable[[Case], list[Finding]] = orders_of,
    ) -> list[NewEvent]:
        """The events of a hearing of what was told by now (``court.findings.hearing``)."""
        revisions = [event for event in _stored(self.told) if event.event_type in ("session_ingested", "message_continued")]
        return hearing(history_of(revisions), version, keeps, find)


def _stored(events: Sequence[NewEvent]) -> list[StoredEvent]:
    """Events as a log of their own would hold them, without one: a store for each hearing took most of a test's time."""
    rows = rows_of(events)
    now = datetime.now(UTC).replace(tzinfo=None)  # as the log gives it back
    return [
        StoredEvent(
            seq=seq,
            event_id=event_id,
            ts=now,
            event_type=event.event_type,
            actor=event.actor,
            session_id=event.session_id,
            payload_json=payload,
            checksum=checksum,
            occurred_at=event.occurred_at,
            payload_version=event.payload.payload_version,
            causation_id=event.causation_id,
            stage_version=event.stage_version,
            chain_id=event.chain_id or event_id,
            project=event.project,
            build_id=None,
            telemetry_json=None,
        )
        for seq, (event, event_id, payload, checksum) in enumerate(
            zip(rows.events, rows.event_ids, rows.payloads, rows.checksums, strict=True), 1
        )
    ]
