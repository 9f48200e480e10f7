"""Finding and opening session files: the one module here that touches the file system."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from memory_assets.sessions.masking.masked_ids import hash_in_masked_path, is_path_of
from memory_assets.sessions.model import Defect, SourceRefused

#: What is looked at inside a folder; the content then decides. A file that is named itself may be called anything.
SUFFIXES = frozenset({".jsonl", ".ndjson", ".json", ".md", ".markdown", ".txt"})
# Hidden names that hold sessions nonetheless.
_VISIBLE = frozenset({".aider.chat.history.md", ".specstory", ".claude", ".codex"})
_CREDENTIALS = "auth.json"
MOST_ENTRIES = 100_000


def has_settled(age: float, seconds: float) -> bool:
    """Whether a file that was written to so many seconds ago has lain still for long enough.

    A time that lies ahead is a clock's error, and no reason to wait for that day.
    """
    return age >= seconds or age < -seconds


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that may hold sessions; ``explicit`` when the user named it, not a folder above it."""

    path: str
    explicit: bool


def iter_source_files(paths: Iterable[str | Path]) -> Iterator[SourceFile | Defect]:
    """The files under the given paths, each once, in sorted order within each path.

    Folders are walked, symbolic links followed; a link that leads back to a folder it stands in is a ``symlink_loop``.
    Hidden files are passed over. In a Codex data folder only ``rollout-*.jsonl`` is looked at, and a file named
    ``auth.json`` is never opened anywhere.
    """
    for found in _found(paths):
        if isinstance(found, SourceFile) and not _is_unicode(found.path):
            yield Defect(_readable(found.path), None, "unreadable_file", "its name is not UTF-8; rename it")
        elif isinstance(found, Defect):
            yield replace(found, path=_readable(found.path))
        else:
            yield found


def _found(paths: Iterable[str | Path]) -> Iterator[SourceFile | Defect]:
    yielded: set[str] = set()
    visited: set[str] = set()
    for path in paths:
        absolute = os.path.abspath(os.fspath(path))  # noqa: PTH100 - Path.absolute keeps ``..``
        for found in _under(absolute, visited):
            if isinstance(found, Defect):
                yield found
            elif found.path not in yielded:
                yielded.add(found.path)
                yield found


def _is_unicode(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _readable(path: str) -> str:
    """A path as text that can be stored and shown: what is not UTF-8 in it becomes U+FFFD."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def found_masked_path(uri: str) -> str | None:
    """The file whose masked path is ``uri``; None where it is no longer there.

    Its folders are known up to the first masked one. Below that, at most :data:`MOST_ENTRIES` names are looked at.
    """
    digest = hash_in_masked_path(uri)
    known = uri[: uri.index("[")].rpartition("/")[0] if digest else ""
    if digest is None or not known:
        return None
    looked_at = 0
    for folder, folders, names in os.walk(known):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)  # noqa: PTH118 - hot for large folders
            if is_path_of(path, digest):
                return path
            looked_at += 1
        if looked_at > MOST_ENTRIES:
            return None
    return None


def load_source(path: str) -> bytes | SourceRefused:
    """The bytes of a file, or why they cannot be had."""
    if Path(path).name == _CREDENTIALS:
        return SourceRefused(path, Defect(path, None, "unreadable_file", "credentials are never opened"))
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        return SourceRefused(path, _unreadable(path, error))


def _under(path: str, visited: set[str]) -> Iterator[SourceFile | Defect]:
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError) as error:
        yield _unreadable(path, error)
        return
    if stat.S_ISDIR(mode):
        yield from _in_folder(path, ancestors=(), visited=visited, codex=".codex" in Path(path).parts)
    elif not stat.S_ISREG(mode):
        yield Defect(path, None, "unreadable_file", "it is neither a file nor a folder")
    elif Path(path).name == _CREDENTIALS:
        yield Defect(path, None, "unreadable_file", "credentials are never opened")
    else:
        yield SourceFile(path, explicit=True)


def _in_folder(folder: str, *, ancestors: tuple[str, ...], visited: set[str], codex: bool) -> Iterator[SourceFile | Defect]:
    real = os.path.realpath(folder)
    if real in ancestors:
        yield Defect(folder, None, "symlink_loop", "the link leads back to a folder that it stands in")
        return
    if real in visited:
        return
    visited.add(real)
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - names only, and sorted
    except OSError as error:
        yield _unreadable(folder, error)
        return
    codex = codex or _is_codex_home(folder, names)
    for name in names:
        if name.startswith(".") and name not in _VISIBLE:
            continue
        path = os.path.join(folder, name)  # noqa: PTH118 - hot for large folders
        try:
            mode = Path(path).stat().st_mode
        except OSError as error:
            if _may_hold_sessions(name, codex=codex) or error.errno == errno.ELOOP:
                yield _unreadable(path, error)
            continue
        if stat.S_ISDIR(mode):
            inside = codex or name == ".codex"
            yield from _in_folder(path, ancestors=(*ancestors, real), visited=visited, codex=inside)
        elif _may_hold_sessions(name, codex=codex):
            if stat.S_ISREG(mode):
                yield SourceFile(path, explicit=False)
            else:
                yield Defect(path, None, "not_a_session", "it is neither a file nor a folder")


def _is_codex_home(folder: str, names: list[str]) -> bool:
    has = set(names)
    if _CREDENTIALS in has:
        signs = {"sessions", "archived_sessions", "config.toml", "history.jsonl"}
        return bool(signs & has) or any(_is_rollout(name) for name in names)
    return {"config.toml", "sessions"} <= has or Path(folder).name == ".codex"


def _may_hold_sessions(name: str, *, codex: bool) -> bool:
    if codex:
        return _is_rollout(name)
    return name != _CREDENTIALS and Path(name).suffix.lower() in SUFFIXES


def _is_rollout(name: str) -> bool:
    return name.startswith("rollout-") and name.endswith(".jsonl")


def _unreadable(path: str, error: Exception) -> Defect:
    if isinstance(error, OSError) and error.errno == errno.ELOOP:
        return Defect(path, None, "symlink_loop", "the link leads back to itself")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else "the path cannot be"
    return Defect(path, None, "unreadable_file", reason)
