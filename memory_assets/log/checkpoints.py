"""When the write-ahead log is written into the store's file.

DuckDB would do it at every closing, and it writes the indexes whole: 70 ms for a store of a few sessions, 300 ms at 60,000
events (measured). What was committed is safe in the write-ahead log as well; but each opening reads that log again, at 4 ms a
megabyte of new rows and 200 ms a megabyte of rows that replace others (measured). Neither is known beforehand, so both are
timed: a checkpoint is due once the openings since the last one have lost as much time as it takes. That is never more than
twice what the best choice would have cost (Karlin et al., *Competitive snoopy caching*, 1988: to rent or to buy). Behind an
import it is written at once: the commands that follow are processes of their own, of which each would read the log again.
"""

from __future__ import annotations

import contextlib
import time
from typing import Literal

import duckdb

Opening = Literal["to read", "to write"]

# Assumed until they were timed; soon corrected, as a checkpoint that comes too early makes the next opening a bare one.
_BARE_OPENING_SECONDS = 0.02
_CHECKPOINT_SECONDS = 0.05
# What a process may leave to the next ones, however seldom it opened the file itself.
_MAX_LOG_BYTES = 32 * 2**20


class CheckpointPolicy:
    """Weighs the time that openings lose against the time that a checkpoint takes. One a process and store."""

    def __init__(self) -> None:
        self._bare: dict[Opening, float] = {}
        self._checkpoint = _CHECKPOINT_SECONDS
        self._lost = 0.0

    def opened(self, way: Opening, seconds: float, log_bytes: int) -> None:
        """The file was opened, with so many bytes in its write-ahead log. Each way has a cost of its own."""
        if log_bytes:
            self._lost += max(0.0, seconds - self._bare.get(way, _BARE_OPENING_SECONDS))
        else:
            self._bare[way] = seconds

    def is_due(self, log_bytes: int) -> bool:
        """Whether a checkpoint pays now, with so many bytes in the write-ahead log."""
        return log_bytes > 0 and (self._lost >= self._checkpoint or log_bytes >= _MAX_LOG_BYTES)

    def write(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Write a checkpoint. What was committed stays so whatever becomes of this; the next one tries again."""
        started = time.perf_counter()
        with contextlib.suppress(duckdb.Error):
            connection.execute("CHECKPOINT")
        self.written(time.perf_counter() - started)

    def written(self, seconds: float) -> None:
        """A checkpoint was written."""
        self._checkpoint = seconds
        self._lost = 0.0
