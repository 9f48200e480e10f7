"""From what agents called out with to files that are taken: which of them have something new, and what is forgotten then.

A session whose agent keeps a record is taken from that record, and what was typed in it is kept only until the record holds it.
A session without one is written as a file of our own. Either way one source tells it, so nothing is taken twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.hooks.events import HookCall
from memory_assets.hooks.folders import HookFolders, private_folder
from memory_assets.hooks.ignored import is_left_out
from memory_assets.hooks.journal import JournalSession, drop, journal_sessions, note
from memory_assets.hooks.progress_file import TakingProgress, stamp_of
from memory_assets.hooks.records import held_by, record_of
from memory_assets.hooks.spool import drain
from memory_assets.hooks.written_sessions import write_session
from memory_assets.locks.file_locks import EXCLUSIVE, lock_within, opened_lock_file
from memory_assets.memory import Memory
from memory_assets.sessions.files import has_settled
from memory_assets.sessions.masking.redaction import redact_text

if TYPE_CHECKING:
    from memory_assets.settings import Settings

_QUIET = timedelta(minutes=2)
"""An agent that says nothing for so long has come to a rest, whether it said so or not."""
_SETTLED = timedelta(minutes=10)
"""How long a session must rest before nothing is kept of where it stands; its next call says it again."""
_GIVEN_UP = timedelta(days=1)
"""How long it must rest before what its record does not hold is written into a file of its own."""


@contextmanager
def only_taker(settings: Settings, *, wait_seconds: float = 0) -> Iterator[bool]:
    """Whether nobody else takes what hooks told of, for as long as this lasts: two would each write over the other's files.

    Args:
        wait_seconds: so long whoever does so is waited for.

    Raises:
        OSError: the folder of the hooks cannot be written.
    """
    folders = HookFolders(settings.hooks_folder)
    private_folder(folders.root)
    with opened_lock_file(folders.root / ".taking") as file:
        yield lock_within(file, EXCLUSIVE, wait_seconds)


def sources_to_take(settings: Settings) -> list[Path]:
    """The files of sessions that have something new, after the spool was drained; `taken` is told of them when they are taken.

    What was said in a project before it was left out, and was not taken yet, is forgotten. A record that grows is named when
    its agent has come to a rest, or when nobody wrote to it for ``sessions.settle_seconds``.

    Raises:
        OSError: the folder of the hooks cannot be written.
        ConfigInvalidError: what is to be masked cannot be known; the spool stays as it is.
    """
    folders = HookFolders(settings.hooks_folder)
    if not folders.root.is_dir():
        return []
    now = datetime.now(UTC)
    masked = _masking(settings)
    _drain(folders, masked)
    progress = TakingProgress.read(folders)
    found: list[Path] = []
    for session in list(journal_sessions(folders)):
        if is_left_out(folders, session.cwd):
            drop(folders, session, {line.call_id for line in session.lines}, but_last=False)
            continue
        record = record_of(session)
        if record is None:
            if session.ended_a_turn or now - session.last_at > _QUIET:
                _write_own(folders, session, session.session_id)
            continue
        if now - session.last_at > _GIVEN_UP:
            _write_left(folders, session, record, masked)
        if progress.has_news(record) and (session.ended_a_turn or _lies_still(record, settings.sessions.settle_seconds, now)):
            found.append(record)
    found += [path for path in sorted(folders.sessions.glob("*/*.json")) if progress.has_news(path)]
    if found:
        progress.offer(found, now)
        progress.write(folders)
    return list(dict.fromkeys(found))


def empty_spool(settings: Settings) -> None:
    """Bring what waits in the spool into the journal, masked.

    Raises:
        OSError: the folder of the hooks cannot be written.
        ConfigInvalidError: what is to be masked cannot be known; the spool stays as it is.
    """
    _drain(HookFolders(settings.hooks_folder), _masking(settings))


def taken(settings: Settings, paths: Iterable[Path]) -> None:
    """These files of `sources_to_take` were taken: what they hold is kept no longer.

    Raises:
        OSError: the folder of the hooks cannot be written.
        ConfigInvalidError: what is to be masked cannot be known.
    """
    folders = HookFolders(settings.hooks_folder)
    if not folders.root.is_dir():
        return
    progress = TakingProgress.read(folders)
    offered_at = {path: at for path in map(Path, paths) if (at := progress.take(path)) is not None}
    masked = _masking(settings)
    now = datetime.now(UTC)
    for session in list(journal_sessions(folders)):
        record = record_of(session)
        if record is None:
            continue
        if (until := offered_at.get(record)) is not None:
            held = held_by(record, session.prompts, masked)
            rested = {line.call_id for line in session.lines if not line.prompt and line.at <= until}
            drop(folders, session, held | rested)
        elif not session.prompts and now - session.last_at > _SETTLED and not progress.has_news(record):
            progress.taken.pop(str(record), None)
            drop(folders, session, {line.call_id for line in session.lines}, but_last=False)
    progress.write(folders)


def _drain(folders: HookFolders, masked: Callable[[str], str]) -> None:
    def keep(call: HookCall) -> None:
        if not call.is_subagent and not is_left_out(folders, call.cwd):
            note(folders, call, masked)

    if folders.spool.is_dir():
        drain(folders, keep)


def _masking(settings: Settings) -> Callable[[str], str]:
    policy = Memory(settings).resources.redaction_policy
    return lambda text: redact_text(text, policy).text if text else text


def _write_own(folders: HookFolders, session: JournalSession, session_id: str) -> None:
    """What the journal has of a session goes into its own file, and out of the journal."""
    write_session(folders, session, session_id=session_id)
    drop(folders, session, {line.call_id for line in session.lines}, but_last=False)


def _write_left(folders: HookFolders, session: JournalSession, record: Path, masked: Callable[[str], str]) -> None:
    """What its record never came to hold (the agent was killed, the record deleted) becomes a session of its own."""
    held = held_by(record, session.prompts, masked)
    left = JournalSession(session.agent, session.path, tuple(line for line in session.prompts if line.call_id not in held))
    if left.lines:
        write_session(folders, left, session_id=f"{session.session_id}.prompts")
    drop(folders, session, {line.call_id for line in session.prompts})


def _lies_still(path: Path, seconds: float, now: datetime) -> bool:
    stamp = stamp_of(path)
    return stamp is not None and has_settled(now.timestamp() - stamp[0] / 1e9, seconds)
