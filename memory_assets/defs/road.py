"""How far sessions are on their way through the stages, told as one piece of work: its bytes, and where it is now.

A session's bytes count as it passes the stages, by the share of the time that each one takes; so the bar moves within a
batch, and what it says of the time that is left holds for files of any size.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

from memory_assets.progress import NoProgress, Progress
from memory_assets.stopping import note_done
from memory_assets.vocabulary import PipelineStage

# Estimated shares of the time that a session takes, in hundredths: they move the bar and decide nothing.
READ_SHARE = 25
SHARES: Mapping[PipelineStage, int] = {
    "ingested": 10,
    "extracted": 25,
    "aligned": 10,
    "materialized": 5,
    "idris_checked": 5,
    "projected": 15,
    "vectorized": 5,
}
_BEFORE = dict(zip(SHARES, accumulate(SHARES.values(), initial=READ_SHARE), strict=False))


class Road:
    """Follows sessions from their files to the last stage.

    Args:
        shown: who is told.
    """

    def __init__(self, shown: Progress | None = None) -> None:
        self._shown = shown or NoProgress()
        self._total = 0
        self._moved = 0
        self._sessions = 0
        self._through = 0
        self._batch: dict[str, int] = {}
        self._earned: dict[str, int] = {}
        self._place: dict[str, int] = {}

    def start(self, total_bytes: int, sessions: int) -> None:
        """So many bytes of about so many sessions are to be done."""
        self._total, self._sessions = total_bytes, sessions
        self._shown.start_bytes(total_bytes, "looking at files")
        self._note()

    def read(self, number: int, of: int) -> None:
        """The next file of a batch is being read."""
        self._shown.advance(0, f"reading file {number:,} of {of:,}")

    def begin(self, sessions: Mapping[str, int], *, files: int | None = None) -> None:
        """A batch of sessions was read, and goes on its way.

        Args:
            sessions: each with its bytes.
            files: in how many files they were; None where the sessions were known before.
        """
        self._batch = dict(sessions)
        self._earned = dict.fromkeys(sessions, 0)
        self._place = {session_id: place for place, session_id in enumerate(sessions, 1)}
        if files is not None:
            self._sessions += len(sessions) - files
            for session_id in sessions:
                self._reach(session_id, READ_SHARE)

    def at(self, stage: PipelineStage) -> None:
        """A stage begins with what it does for all sessions of the batch at once."""
        if self._batch:
            self._shown.advance(0, f"{stage}, {self._of_batch()}")

    def passes(self, stage: PipelineStage, session_id: str) -> None:
        """A session is being worked at."""
        if session_id in self._place:
            self._shown.advance(0, f"{self._session(session_id)}, {stage}")

    def within(self, stage: PipelineStage, session_id: str, done: int, of: int) -> None:
        """So many of the windows of a session are through a stage."""
        if session_id in self._place and of > 1:
            label = f"{self._session(session_id)}, {stage}: window {done:,} of {of:,}"
            self._reach(session_id, _BEFORE[stage] + SHARES[stage] * done / of, label)

    def passed(self, stage: PipelineStage, session_id: str) -> None:
        """A session is through a stage."""
        if session_id in self._place:
            self._reach(session_id, _BEFORE[stage] + SHARES[stage])

    def end(self, total_bytes: int, *, unchanged: int = 0) -> None:
        """The batch is done: with it so many bytes are, whatever its stages were seen to do.

        Args:
            unchanged: sessions of its files in which nothing was to be done.
        """
        self._through += len(self._batch) + unchanged
        self._sessions += unchanged
        self._batch, self._earned, self._place = {}, {}, {}
        self._move(total_bytes - self._moved)
        self._note()

    def _reach(self, session_id: str, share: float, label: str | None = None) -> None:
        earned = round(self._batch[session_id] * share / (READ_SHARE + sum(SHARES.values())))
        self._move(earned - self._earned[session_id], label)
        self._earned[session_id] = max(earned, self._earned[session_id])

    def _move(self, steps: int, label: str | None = None) -> None:
        steps = max(0, min(steps, self._total - self._moved))
        self._moved += steps
        self._shown.advance(steps, label)

    def _session(self, session_id: str) -> str:
        place = self._through + self._place[session_id]
        return f"session {place:,} of {max(self._sessions, place):,}"

    def _of_batch(self) -> str:
        first, last = self._through + 1, self._through + len(self._batch)
        of = f"of {max(self._sessions, last):,}"
        return f"session {last:,} {of}" if first == last else f"sessions {first:,} to {last:,} {of}"

    def _note(self) -> None:
        note_done(f"{self._through:,} of {max(self._sessions, self._through):,} sessions are done")
