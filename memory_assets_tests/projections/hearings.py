"""Sessions that were heard, as streams of events."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from memory_assets.court.case import Case
from memory_assets.court.findings import Finding
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
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
        with tempfile.TemporaryDirectory() as folder:
            log = EventLog(Database(Path(folder)))
            log.append(self.told)
            session_id = self.story.session_id
            history = history_of(log.of_sessions([session_id], ["session_ingested", "message_continued"]))
        return hearing(history, version, keeps, find)
