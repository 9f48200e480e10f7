"""What the log has of the hearings of some sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent, StoredEvent
from memory_assets.log.hearings import COURT_ROLES, opening
from memory_assets.log.payloads.court import CaseOpened, CourtStatementRecorded, JudgementRendered
from memory_assets.log.session_history import History
from memory_assets.log.upcasting import payload_as

_TYPES = (CaseOpened.event_type, CourtStatementRecorded.event_type, JudgementRendered.event_type)


class Hearings:
    """The hearings of some sessions, as far as they may be read.

    Args:
        version: of the court that is to hear them; what another court said is its own.
        backend: who hears what is opened now.
    """

    def __init__(
        self,
        log: EventLog,
        session_ids: Sequence[str],
        version: str,
        *,
        backend: Literal["embedded", "model"] = "embedded",
    ) -> None:
        self._version = version
        self._backend = backend
        self._events: dict[str, list[StoredEvent]] = {}
        for event in log.of_sessions(session_ids, _TYPES):
            self._events.setdefault(str(event.session_id), []).append(event)

    def opened(self, history: History) -> StoredEvent | None:
        """The event that opened the case of this history for this court, the newest one; None where none did."""
        mine = [
            event
            for event in self._of(history.session_id, CaseOpened.event_type)
            if event.causation_id == history.event_id and event.stage_version == self._version
        ]
        return mine[-1] if mine else None

    def statements(self, session_id: str, opened_id: str) -> list[StoredEvent]:
        """What the three said of an opened case, in the order in which they speak; empty where not all did."""
        told = {
            payload_as(event, CourtStatementRecorded).court_role: event
            for event in self._of(session_id, CourtStatementRecorded.event_type)
            if event.causation_id == opened_id
        }
        return [told[role] for role in COURT_ROLES] if set(told) == set(COURT_ROLES) else []

    def judgement(self, session_id: str, opened_id: str) -> StoredEvent | None:
        """The judgement of an opened case; None where there is none yet."""
        judgements = self._of(session_id, JudgementRendered.event_type)
        return next((event for event in judgements if event.causation_id == opened_id), None)

    def opening(self, history: History) -> NewEvent | None:
        """The event that is to open the case of a history now; None where it was opened, and nothing was decided behind it.

        What another court decided since then holds: where this court's word is to hold again, the case is opened once more.
        """
        known = self.opened(history)
        if known is None:
            return opening(history, self._version, backend=self._backend)
        in_force = self._of(history.session_id, JudgementRendered.event_type)[-1:]
        mine = self.judgement(history.session_id, known.event_id)
        if mine is None or not in_force or in_force[0].event_id == mine.event_id:
            return None
        return opening(history, self._version, replaces=in_force[0].event_id, backend=self._backend)

    def _of(self, session_id: str, event_type: str) -> list[StoredEvent]:
        return [event for event in self._events.get(session_id, ()) if event.event_type == event_type]
