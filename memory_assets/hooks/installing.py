"""Hooks in the settings of agents: put there, taken away, looked up.

What a file said before is kept in the store's folder until ours are taken out, so that it is then as it was to the last byte.
It is kept first: whoever is killed in between leaves the file as it was or with ours in it, and the next one goes on there.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from memory_assets.client_settings.errors import ClientConfigError
from memory_assets.client_settings.files import check_writable, read_settings, replace_text
from memory_assets.client_settings.json_text import InvalidJsonError, parsed
from memory_assets.hooks import script
from memory_assets.hooks.agents import HOOKS_OF
from memory_assets.hooks.entries import (
    SCRIPT,
    NotAsExpectedError,
    commands_in,
    entries_of,
    is_our_command,
    with_ours,
    without_ours,
)
from memory_assets.hooks.events import Agent
from memory_assets.hooks.folders import HookFolders, replace_file
from memory_assets.identifiers import sha256_hex

if TYPE_CHECKING:
    from memory_assets.settings import Settings

Did = Literal["installed", "updated", "unchanged", "removed", "absent"]
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class HookChange:
    """What was done, or would be, to an agent's settings; ``written`` is false for a trial and where nothing changed."""

    agent: Agent
    path: Path
    did: Did
    written: bool = False


@dataclass(frozen=True, slots=True)
class HookStanding:
    """How our hooks stand in an agent's settings.

    Attributes:
        installed: some are there; ``as_now``: all that would be written now are.
        problem: why the file cannot be read.
    """

    agent: Agent
    path: Path
    installed: bool
    as_now: bool
    problem: str | None = None


def commands_of(agent: Agent, folders: HookFolders, home: Path) -> dict[str, str]:
    """The command of each event, by the agent's name of it: this Python, without the packages of anybody."""
    words = [str(Path(sys.executable).absolute()), "-I", "-S", str(folders.root / SCRIPT)]
    return {
        name: _command([*words, event, "--agent", agent, "--home", str(home)]) for name, event in HOOKS_OF[agent].events.items()
    }


def write_script(folders: HookFolders, settings: Settings, start: Sequence[str]) -> None:
    """Put the script where the commands say, with what it must know of the settings.

    Args:
        start: the command that starts the server.
    """
    known = {
        "deadline_seconds": settings.hooks.deadline_seconds,
        "on_demand": settings.server.on_demand,
        "start": list(start),
    }
    _write_if_other(folders.root / SCRIPT, Path(script.__file__).read_text(encoding="utf-8"))
    _write_if_other(folders.root / script.SETTINGS, json.dumps(known, indent=1) + "\n")


def refresh_script(folders: HookFolders, settings: Settings) -> None:
    """Bring a script that is installed up to this version and these settings."""
    if (folders.root / SCRIPT).is_file():
        start = script._json_file(str(folders.root / script.SETTINGS)).get("start")
        write_script(folders, settings, start if isinstance(start, list) else [])


def install(
    path: Path, agent: Agent, commands: Mapping[str, str], folders: HookFolders, *, dry_run: bool = False
) -> HookChange:
    """Put our hooks into an agent's settings, which are made where there are none.

    Raises:
        ClientConfigError: the file is no JSON, says something else of hooks, or cannot be written. It is as it was.
    """
    for _ in range(_ATTEMPTS):
        before = _bytes_of(path)
        text = read_settings(path)
        with _named(path):
            new = with_ours(text, HOOKS_OF[agent], commands)
            had = _has_ours(text)
            if new == text:
                return HookChange(agent, path, "unchanged")
            did: Did = "updated" if had else "installed"
            if dry_run:
                return HookChange(agent, path, did)
            record = _Record.read(folders, path)
            first = record.before if record is not None and record.after == _hash(before) else before
            if had and (record is None or record.after != _hash(before)):
                first = without_ours(text, record.said if record is not None else {}).encode()
        _Record(path, first, sha256_hex(new)).write(folders)
        if _bytes_of(path) == before:
            _write(path, new)
            return HookChange(agent, path, did, written=True)
    raise ClientConfigError(f"{path} keeps changing", hint="close the agent that writes it, and try again")


def uninstall(path: Path, agent: Agent, folders: HookFolders, *, dry_run: bool = False) -> HookChange:
    """Take our hooks out of an agent's settings, and nothing else.

    Raises:
        ClientConfigError: see :func:`install`.
    """
    for _ in range(_ATTEMPTS):
        before = _bytes_of(path)
        record = _Record.read(folders, path)
        with _named(path):
            if before is None or not _has_ours(text := read_settings(path)):
                if not dry_run:
                    _Record.forget(folders, path)
                return HookChange(agent, path, "absent")
            if dry_run:
                return HookChange(agent, path, "removed")
            is_untouched = record is not None and record.after == _hash(before)
            old = record.before if is_untouched and record is not None else None
            new = without_ours(text, record.said if record is not None else {})
        if _bytes_of(path) == before:
            if is_untouched and old is None:
                _remove(path)
            else:
                _write(path, old.decode() if old is not None else new)
            _Record.forget(folders, path)
            return HookChange(agent, path, "removed", written=True)
    raise ClientConfigError(f"{path} keeps changing", hint="close the agent that writes it, and try again")


def standing(path: Path, agent: Agent, commands: Mapping[str, str]) -> HookStanding:
    """How our hooks stand in an agent's settings. Raises nothing: a file that cannot be read says why."""
    try:
        text = read_settings(path)
        with _named(path):
            return HookStanding(agent, path, _has_ours(text), with_ours(text, HOOKS_OF[agent], commands) == text)
    except ClientConfigError as error:
        return HookStanding(agent, path, False, False, str(error))


@dataclass(frozen=True, slots=True)
class _Record:
    """What a file said before ours were put in, None where there was none, and the hash of what it said then."""

    path: Path
    before: bytes | None
    after: str

    @property
    def said(self) -> dict[str, Any]:
        with contextlib.suppress(InvalidJsonError, UnicodeDecodeError):
            return parsed((self.before or b"").decode())
        return {}

    @classmethod
    def read(cls, folders: HookFolders, path: Path) -> _Record | None:
        try:
            value = json.loads(cls._file(folders, path).read_text(encoding="utf-8"))
            before = value["before"]
            return cls(path, None if before is None else str(before).encode(), str(value["after"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, folders: HookFolders) -> None:
        before = None if self.before is None else self.before.decode()
        kept = {"path": str(self.path), "before": before, "after": self.after}
        replace_file(self._file(folders, self.path), json.dumps(kept, indent=1) + "\n")

    @classmethod
    def forget(cls, folders: HookFolders, path: Path) -> None:
        cls._file(folders, path).unlink(missing_ok=True)

    @staticmethod
    def _file(folders: HookFolders, path: Path) -> Path:
        return folders.root / "installed" / f"{sha256_hex(os.fsencode(path.absolute()))[:16]}.json"


@contextlib.contextmanager
def _named(path: Path) -> Any:
    """What is wrong with a file, with its name."""
    try:
        yield
    except (InvalidJsonError, NotAsExpectedError) as error:
        raise ClientConfigError(f"{path}: {error}", hint="mend it first; it was left as it is") from error


def _has_ours(text: str) -> bool:
    return any(is_our_command(one) for entries in entries_of(text).values() for entry in entries for one in commands_in(entry))


def _bytes_of(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ClientConfigError(f"{path} cannot be read: {error.strerror or error}", hint="check its rights") from error


def _hash(data: bytes | None) -> str:
    return "" if data is None else sha256_hex(data)


def _write(path: Path, text: str) -> None:
    _at_once(path, lambda: replace_text(path, text))


def _remove(path: Path) -> None:
    _at_once(path, path.unlink)


def _at_once(path: Path, change: Callable[[], None]) -> None:
    try:
        if path.exists():
            check_writable(path)
        change()
    except OSError as error:
        raise ClientConfigError(
            f"{path} cannot be written: {error.strerror or error}", hint="check its rights and the free space"
        ) from error


def _write_if_other(path: Path, text: str) -> None:
    with contextlib.suppress(OSError):
        if path.read_text(encoding="utf-8") == text:
            return
    replace_file(path, text)


def _command(words: list[str]) -> str:
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)
