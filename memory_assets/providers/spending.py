"""What answers of a model may cost: a limit for each, and one for a day, kept among all processes of one store."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import IO, Final

from memory_assets.locks.file_locks import EXCLUSIVE, lock_within, opened_lock_file

_PATIENCE_SECONDS: Final = 2.0
_LOOK_SECONDS: Final = 0.02


class NotKeptError(Exception):
    """What was spent today cannot be read or written; says why."""


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that may not be asked for; ``why`` in words for people."""

    why: str


@dataclass(frozen=True, slots=True)
class Reserved:
    """Money put aside for one answer, until it is known what it cost."""

    usd: float


@dataclass(frozen=True, slots=True)
class Spending:
    """The limits, and the file in which the day's spending is kept where a day has a limit.

    What an answer may cost at most is put aside before it is asked for, so that two at once spend no more than one may. A
    process that dies has spent what it put aside.

    Attributes:
        folder: of the store; the file of the day lies in it.
        section: of the settings that name the limits; each section counts for itself.
    """

    folder: Path
    section: str
    per_call: float | None = None
    per_day: float | None = None
    today: Callable[[], date] = field(default=lambda: datetime.now(UTC).date())

    @property
    def file(self) -> Path:
        """Where the day's sum stands."""
        return self.folder / f"{self.section}_spending.json"

    def reserve(self, most: float | None) -> Reserved | Refused:
        """Put money aside for one answer.

        Args:
            most: that it can cost, in dollars; None where nobody knows.
        """
        if self.per_call is None and self.per_day is None:
            return Reserved(0.0)
        if most is None:
            limits = f"{self.section}.usd_per_call or {self.section}.usd_per_day"
            return Refused(f"its price is not known, and {limits} limits what may be spent")
        if self.per_call is not None and most > self.per_call:
            return Refused(f"an answer may cost ${most:.4f}, and {self.section}.usd_per_call is ${self.per_call:.4f}")
        if self.per_day is None:
            return Reserved(0.0)
        try:
            with self._spent() as (spent, write):
                if spent + most > self.per_day:
                    left = max(0.0, self.per_day - spent)
                    return Refused(f"an answer may cost ${most:.4f}, and of {self.section}.usd_per_day ${left:.4f} are left")
                write(spent + most)
        except NotKeptError as error:
            return Refused(f"what was spent today cannot be kept ({error}), and {self.section}.usd_per_day limits it")
        return Reserved(most)

    def settle(self, reserved: Reserved, cost: float | None) -> float | None:
        """Put back what an answer did not cost; what is left of the day, in dollars, None where nothing limits it."""
        if self.per_day is None:
            return None
        try:
            with self._spent() as (spent, write):
                now = max(0.0, spent - reserved.usd + (reserved.usd if cost is None else cost))
                write(now)
        except NotKeptError:
            return None  # it stays spent
        return max(0.0, self.per_day - now)

    @contextmanager
    def _spent(self) -> Iterator[tuple[float, Callable[[float], None]]]:
        """What was spent today, and how to write it; nobody else reads or writes meanwhile.

        Raises:
            NotKeptError: the file cannot be locked, read or written.
        """
        try:
            with opened_lock_file(self.file) as file:
                _lock(file)
                day = self.today().isoformat()
                yield _read(file, day), lambda usd: _write(file, day, usd)
        except OSError as error:
            raise NotKeptError(error.strerror or type(error).__name__) from error


def _lock(file: IO[str]) -> None:
    if not lock_within(file, EXCLUSIVE, _PATIENCE_SECONDS, poll_seconds=_LOOK_SECONDS):
        raise NotKeptError("another process holds it")


def _read(file: IO[str], day: str) -> float:
    """What was spent on a day; a file that is empty or of another day says nothing of it."""
    text = file.read()
    if not text.strip():
        return 0.0
    try:
        kept = json.loads(text)
        usd = float(kept["usd"])
        return usd if kept["day"] == day and usd >= 0 else 0.0
    except (ValueError, KeyError, TypeError):
        raise NotKeptError("it holds no spending") from None


def _write(file: IO[str], day: str, usd: float) -> None:
    file.seek(0)
    file.truncate()
    file.write(json.dumps({"day": day, "usd": round(usd, 8)}))
    file.flush()
    os.fsync(file.fileno())
