"""The file lock that stands before every opening of the store, fair to readers and writers.

DuckDB lets one process hold a file for writing, or several for reading, and refuses all others at once. So every connection
is opened under this lock and closed before it is released. Files make it fair:

- A writer takes the *turnstile* and keeps it while it waits for the readers that are inside; a reader passes through the
  turnstile before it enters. Busy readers therefore cannot keep a writer out.
- Writers stand in a *queue*, which whoever writes holds to the end. A reader that waits holds the *waiting room*, and the next
  writer takes the turnstile only when nobody is in it, or after `ADMISSION_SECONDS`. Busy writers therefore cannot keep a
  reader out: it enters behind the one that is writing.
- One of the writers that wait is the *next*, and the queue is taken through that place alone. Whoever writes again and again
  finds it taken, so two busy writers cannot keep a third one out.

Whoever dies loses what it holds, so nobody waits for the dead.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import portalocker

from memory_assets.errors import READ_ONLY, ReadOnlyStoreError
from memory_assets.locks.file_locks import EXCLUSIVE, SHARED, holder_note, holder_of, lock_at_once, opened_lock_file
from memory_assets.log.errors import StoreError, StoreLockedError, of_system, read_only_store

POLL_SECONDS = 0.005
ADMISSION_SECONDS = 0.5
"""So long at most a writer lets readers in that waited while another one wrote."""

DEFAULT_TIMEOUT_SECONDS = 10.0


class StoreLock:
    """Shared for reading, exclusive for writing, across threads and processes.

    Not reentrant: a thread that holds it and asks again waits for itself until the timeout.

    Args:
        folder: where the lock files lie; made when missing.
        timeout: seconds to wait before :class:`StoreLockedError`.
    """

    def __init__(self, folder: Path, *, timeout: float = DEFAULT_TIMEOUT_SECONDS) -> None:
        self.main = folder / "store.lock"
        self.turnstile = folder / "store.turnstile"
        self.queue = folder / "store.queue"
        self.next = folder / "store.next"
        self._waiting_room = folder / "store.waiting"
        self.holder = folder / "store.holder"
        self.timeout = timeout

    @contextlib.contextmanager
    def shared(self) -> Iterator[None]:
        """Hold the lock together with other readers."""
        with _opened_to_read(self.main, self._waiting_room, self.turnstile) as files:
            if files is None:
                yield
                return
            main, room, turnstile = files
            with room, turnstile:
                # A writer looks into the room for a moment only.
                self.acquire(room, SHARED)
                self.acquire(turnstile, SHARED)
                self.acquire(main, SHARED)
                portalocker.unlock(turnstile)
                portalocker.unlock(room)
            # No writer is inside now: a name that stands there is of one that was killed.
            with contextlib.suppress(OSError):
                self.holder.unlink(missing_ok=True)
            try:
                yield
            finally:
                portalocker.unlock(main)

    @contextlib.contextmanager
    def shared_if_free(self) -> Iterator[bool]:
        """Hold the lock together with other readers where nobody writes or waits to; whether it is held."""
        with _opened_to_read(self.main) as files:
            if files is None:
                yield True
                return
            (main,) = files
            is_held = not self.writer_waits() and lock_at_once(main, SHARED)
            try:
                yield is_held
            finally:
                if is_held:
                    portalocker.unlock(main)

    def writer_waits(self) -> bool:
        """Whether somebody waits to write, or writes."""
        return any(_is_held_alone(path) for path in (self.next, self.queue, self.turnstile))

    def writer_is_next(self) -> bool:
        """Whether somebody waits for the queue."""
        return _is_held_alone(self.next)

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the lock alone."""
        hold = ExclusiveHold(self)
        hold.take()
        try:
            yield
        finally:
            hold.leave()

    def reader_waits(self) -> bool:
        """Whether somebody waits to read while another one writes."""
        with _opened(self._waiting_room) as room:
            if not lock_at_once(room, EXCLUSIVE):
                return True
            portalocker.unlock(room)
        return False

    def admit_readers(self) -> None:
        """Let those in who waited while another one wrote. Nobody writes now, and nobody holds the turnstile."""
        until = time.monotonic() + ADMISSION_SECONDS
        with _opened(self._waiting_room) as room:
            while time.monotonic() < until:
                if lock_at_once(room, EXCLUSIVE):
                    portalocker.unlock(room)
                    return
                time.sleep(POLL_SECONDS)

    def acquire(self, file: IO[str], flags: portalocker.LockFlags) -> None:
        """Wait for a lock: for the timeout, counted anew whenever another one has begun to write.

        It is an error that somebody holds the store for so long, and none that many want it.
        """
        deadline = time.monotonic() + self.timeout
        holder = self._writing_now()
        while True:
            try:
                portalocker.lock(file, flags)
                return
            except portalocker.AlreadyLocked:
                if holder != (holder := self._writing_now()):
                    deadline = time.monotonic() + self.timeout
                if time.monotonic() >= deadline:
                    raise self._locked() from None
                time.sleep(POLL_SECONDS)
            except portalocker.LockException as error:
                raise StoreError(
                    f"{file.name} cannot be locked: {error}", hint="keep the store on a file system that has locks"
                ) from error

    def _writing_now(self) -> tuple[int, int] | None:
        """Which of all who ever wrote is inside; None where nobody is. Its note is a file of its own each time."""
        try:
            note = self.holder.stat()
        except OSError:
            return None
        return note.st_ino, note.st_mtime_ns

    def _locked(self) -> StoreLockedError:
        try:
            note = self.holder.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            note = ""
        who = holder_of(note) or "other readers"
        return StoreLockedError(
            f"the store is locked by {who}; waited {self.timeout:g} s",
            hint="wait for it to finish, or end that process, then run the command again",
        )


class ExclusiveHold:
    """The lock held alone, for one who may rest between one use and the next.

    Resting it keeps everybody out and stands in nobody's way: it is not in the queue, so that whoever lines up can be seen.
    """

    def __init__(self, lock: StoreLock) -> None:
        self._lock = lock
        self._files = contextlib.ExitStack()
        self._main: IO[str] | None = None
        self._queue: IO[str] | None = None

    def take(self) -> None:
        """Wait for the lock, behind the readers and writers who came before.

        Raises:
            StoreLockedError: others hold it for too long.
        """
        lock = self._lock
        with contextlib.ExitStack() as files:
            main, queue = files.enter_context(_opened(lock.main)), files.enter_context(_opened(lock.queue))
            with _opened(lock.next) as place:
                lock.acquire(place, EXCLUSIVE)
                lock.acquire(queue, EXCLUSIVE)
                portalocker.unlock(place)
            lock.admit_readers()
            with _opened(lock.turnstile) as turnstile:
                lock.acquire(turnstile, EXCLUSIVE)
                lock.acquire(main, EXCLUSIVE)
                portalocker.unlock(turnstile)
            # The name is for the error message of others; a full disk may keep it out, and only that is lost then.
            with contextlib.suppress(OSError, StoreError), _opened(lock.holder) as holder:
                holder.truncate()
                holder.write(holder_note())
            self._main, self._queue, self._files = main, queue, files.pop_all()

    def rest(self) -> None:
        """Leave the queue and keep the lock."""
        if self._queue is not None:
            portalocker.unlock(self._queue)

    def resume(self) -> bool:
        """Go on where nobody waits; False where somebody does, who is to be let in first."""
        if self._queue is None or self._lock.reader_waits() or self._lock.writer_is_next():
            return False
        return lock_at_once(self._queue, EXCLUSIVE)

    def somebody_waits(self) -> bool:
        """Whether a reader or a writer waits for the one who rests."""
        return self._lock.reader_waits() or self._lock.writer_waits()

    def leave(self) -> None:
        """Let go of the lock, where it is held."""
        if self._main is None or self._queue is None:
            return
        with contextlib.suppress(OSError):
            self._lock.holder.unlink(missing_ok=True)
        portalocker.unlock(self._main)
        portalocker.unlock(self._queue)
        self._main = self._queue = None
        self._files.close()


def _is_held_alone(path: Path) -> bool:
    with _opened_to_read(path) as files:
        if files is None:
            return False
        (file,) = files
        if not lock_at_once(file, SHARED):
            return True
        portalocker.unlock(file)
        return False


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    try:
        file = opened_lock_file(path)
    except OSError as error:
        if error.errno in READ_ONLY:
            raise read_only_store(path.parent, str(error.strerror)) from error
        raise of_system(error, path) from error
    with file:
        yield file


@contextlib.contextmanager
def _opened_to_read(*paths: Path) -> Iterator[tuple[IO[str], ...] | None]:
    """Lock files, for those who only read; None where they are not there and may not be made.

    Who may not write in the folder takes the locks of files that others made, for a lock needs no right to write. Where there
    are none, nobody has written since the store was put there.
    """
    with contextlib.ExitStack() as stack:
        files: tuple[IO[str], ...] | None
        try:
            files = tuple(stack.enter_context(_opened(path)) for path in paths)
        except ReadOnlyStoreError:
            try:
                files = tuple(stack.enter_context(path.open(encoding="utf-8")) for path in paths)
            except OSError:
                files = None
        yield files
