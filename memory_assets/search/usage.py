"""What was of use, noted off the read path: shown by a search or a context, opened in full, cited by an answer.

Who uses something appends one line to a spool file and is done: nobody is waited for, and nothing that goes wrong there
reaches who asked. Whoever writes to the store anyway takes the spool over (``maintenance.usage``): it is renamed, its lines are
counted, and its new name is the identity of the event that says so. A process that is killed in between leaves either a spool
that was not counted, or one whose event is there already.

A line holds what was used, how and when: units by kind and source, or addresses. Never the question, and no text.
"""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import portalocker

from memory_assets.log.fetching import storable

if TYPE_CHECKING:
    from memory_assets.settings import Settings

How = Literal["shown", "opened", "cited"]
HOW: Final[tuple[How, ...]] = ("shown", "opened", "cited")

Unit = tuple[str, str]
"""(unit_kind, source_id), as in ``memory_units``."""

MOST_SPOOLED_BYTES = 4_000_000
"""A spool that nobody takes over grows no further: what is used then is not counted."""

MOST_USED = 1_000
"""Units of one line that are counted; no search delivers more."""

LONGEST_ADDRESS = 500

_SPOOL = "shown.ndjson"
_TAKEN = "taken-*.ndjson"
_TRIES = 3


class Use(NamedTuple):
    """One use of one thing.

    Attributes:
        of: a unit, or an address that names one or several; which is looked up when it is counted.
        at: in UTC.
    """

    how: How
    of: Unit | str
    at: datetime


def note_shown(settings: Settings, shown: Sequence[Unit]) -> None:
    """Remember that a search delivered these units. Never raises and never waits."""
    _note(settings, "shown", shown)


def note_opened(settings: Settings, opened: Sequence[Unit | str]) -> None:
    """Remember that somebody looked at these in full. Never raises and never waits.

    Args:
        opened: units, or what names one: an address, the id of a unit, memory, entry or task. No words of a person.
    """
    _note(settings, "opened", opened)


def note_cited(settings: Settings, cited: Sequence[str]) -> None:
    """Remember that an answer quotes these characters of sessions, by their addresses. Never raises and never waits."""
    _note(settings, "cited", cited)


def take_over(settings: Settings) -> bool:
    """Put the spool aside to be counted, where there is one; whether anything waits for it."""
    folder = _folder(settings)
    # While the store takes nothing, what was taken over before is all that is kept for it.
    if _bytes_of(folder) < MOST_SPOOLED_BYTES:
        with contextlib.suppress(FileNotFoundError):
            (folder / _SPOOL).rename(folder / _TAKEN.replace("*", uuid.uuid4().hex))
    return bool(taken_over(settings))


def taken_over(settings: Settings) -> list[Path]:
    """The spools that were taken over and lie there still."""
    return sorted(_folder(settings).glob(_TAKEN))


def uses_in(spool: Path) -> Iterator[Use]:
    """What the lines of a spool say was used. Half a line, or one that somebody else wrote, says nothing."""
    for line in _lines(spool):
        try:
            told = json.loads(line)
            at = datetime.fromisoformat(told["at"]).astimezone(UTC)
            used = [(how, one) for how in HOW if how in told for one in told[how]]
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            continue
        for how, one in used:
            match one:
                case [str(unit_kind), str(source_id)] if _is_storable(unit_kind + source_id):
                    yield Use(how, (unit_kind, source_id), at)
                case str(address) if len(address) <= LONGEST_ADDRESS and _is_storable(address):
                    yield Use(how, address, at)


def _is_storable(text: str) -> bool:
    return storable(text) == text


def _bytes_of(folder: Path) -> int:
    total = 0
    for spool in folder.glob(_TAKEN):
        with contextlib.suppress(FileNotFoundError):
            total += spool.stat().st_size
    return total


def _folder(settings: Settings) -> Path:
    return settings.home / "usage"


def _note(settings: Settings, how: How, used: Sequence[Unit | str]) -> None:
    if not used:
        return
    with contextlib.suppress(Exception):  # to be counted is worth less than the answer that was just given
        _append(_folder(settings) / _SPOOL, _line(how, used[:MOST_USED], datetime.now(UTC)))


def _line(how: How, used: Sequence[Unit | str], at: datetime) -> bytes:
    # The break in front: where a full disk cut the line before, only that one is lost.
    return f"\n{json.dumps({'at': at.isoformat(), how: list(used)}, separators=(',', ':'))}\n".encode()


def _append(spool: Path, line: bytes) -> None:
    spool.parent.mkdir(mode=0o700, exist_ok=True)
    for _ in range(_TRIES):
        descriptor = os.open(spool, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            if _is_ours(spool, descriptor):
                if os.fstat(descriptor).st_size + len(line) <= MOST_SPOOLED_BYTES:
                    os.write(descriptor, line)
                return
        finally:
            os.close(descriptor)


def _is_ours(spool: Path, descriptor: int) -> bool:
    """Whether what was opened is still the spool: while we share its lock, nobody who took it over reads it."""
    try:
        portalocker.lock(descriptor, portalocker.LockFlags.SHARED | portalocker.LockFlags.NON_BLOCKING)
        return os.path.samestat(os.fstat(descriptor), spool.stat())
    except (portalocker.LockException, FileNotFoundError):
        return False  # it was taken over in this moment; the next one is another file


def _lines(spool: Path) -> Iterator[bytes]:
    with contextlib.suppress(FileNotFoundError), spool.open("r+b") as file:
        # Whoever was writing when it was renamed has finished once this is granted: a line takes no time.
        portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE)
        yield from file.read(2 * MOST_SPOOLED_BYTES).splitlines()
