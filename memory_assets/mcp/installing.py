"""The server in a client's settings file: put there, taken away, looked up. No other key of that file changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from memory_assets.client_settings.errors import ClientConfigError
from memory_assets.client_settings.files import check_writable, keep_backup, read_settings, replace_text
from memory_assets.client_settings.json_text import InvalidJsonError, parsed, with_value, without_value
from memory_assets.errors import InvalidArgumentError

SERVERS = "mcpServers"
Did = Literal["installed", "updated", "unchanged", "removed", "absent"]
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """What a client starts, without a shell: an absolute program, its arguments, and variables besides its own."""

    command: str
    args: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Change:
    """What was done, or would be, to one file.

    Attributes:
        path: of the client's settings; where that is a link, the link.
        backup: the file as it was before; None where nothing was written over.
        written: false for a trial and where nothing changed.
    """

    path: Path
    did: Did
    server_name: str
    entry: Mapping[str, Any] | None
    backup: Path | None = None
    written: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """How a server stands in one file.

    Attributes:
        installed: a server of that name is there and starts this package.
        same_command: and it is started as `memory mcp install` would write it now.
        foreign: a server of that name is there and is another one.
        problem: why the file cannot be read.
    """

    path: Path
    server_name: str
    exists: bool
    installed: bool
    same_command: bool
    foreign: bool
    entry: Mapping[str, Any] | None
    problem: str | None = None


def server_command(program: Sequence[str], *, home: Path | None, allow_write: bool) -> ServerCommand:
    """How this installation of the package is started as a server.

    Args:
        program: the command ``memory`` with the options in front of ``mcp serve``.
        home: the store's folder; None for the usual one, which needs no word.
    """
    serve = ["mcp", "serve", *(["--allow-write"] if allow_write else [])]
    return ServerCommand(program[0], (*program[1:], *serve), {} if home is None else {"MEMORY_HOME": str(home)})


def install(path: Path, name: str, command: ServerCommand, *, dry_run: bool = False) -> Change:
    """Write a server into a settings file, which is made where there is none; what it says of it already is kept.

    Raises:
        ClientConfigError: the file is no JSON, cannot be written, or has another server of that name.
        InvalidArgumentError: the name is empty, or holds what cannot be shown.
    """
    if not name.strip() or not name.isprintable():
        raise InvalidArgumentError(f"{name[:100]!r} is no name of a server", hint="letters, digits, - and _, as in memory")

    def edit(text: str) -> tuple[str, Did, Mapping[str, Any]]:
        old = _entry(path, text, name)
        if old is not None and not is_ours(old):
            raise ClientConfigError(
                f"{path} has a server {name!r} that is not this one", hint="choose another name with --server-name"
            )
        new = _entry_of(command, old)
        if new == old:
            return text, "unchanged", new
        return with_value(text, (SERVERS, name), new), "installed" if old is None else "updated", new

    return _edit(path, name, edit, dry_run=dry_run)


def uninstall(path: Path, name: str, *, dry_run: bool = False) -> Change:
    """Take our server out of a settings file; nothing else, and no server that is not ours.

    Raises:
        ClientConfigError: the file is no JSON, cannot be written, or has another server of that name.
    """

    def edit(text: str) -> tuple[str, Did, Mapping[str, Any] | None]:
        old = _entry(path, text, name)
        if old is None:
            return text, "absent", None
        if not is_ours(old):
            raise ClientConfigError(
                f"{path} has a server {name!r} that is not this one, so it stays", hint="name ours with --server-name"
            )
        return without_value(text, (SERVERS, name)), "removed", old

    if not path.exists():
        return Change(path, "absent", name, None)
    return _edit(path, name, edit, dry_run=dry_run)


def standing(path: Path, name: str, command: ServerCommand) -> Standing:
    """Whether a server is in a settings file. Raises nothing: a file that cannot be read says why."""
    exists = path.exists()
    try:
        entry = _entry(path, read_settings(path), name)
    except ClientConfigError as error:
        return Standing(path, name, exists, False, False, False, None, str(error))
    ours = entry is not None and is_ours(entry)
    same = ours and entry is not None and entry == _entry_of(command, entry)
    return Standing(path, name, exists, ours, same, entry is not None and not ours, entry)


def is_ours(entry: Mapping[str, Any]) -> bool:
    """Whether a client's entry starts this package's server, wherever that is installed."""
    command, args = entry.get("command"), entry.get("args")
    if not isinstance(command, str) or not isinstance(args, list) or "mcp" not in args:
        return False
    program = command.replace("\\", "/").rpartition("/")[2].lower()
    return program in ("memory", "memory.exe") or "memory_assets" in args


def _entry_of(command: ServerCommand, old: Mapping[str, Any] | None) -> dict[str, Any]:
    """The entry of a server: ours to write are three keys, and one variable; what else a person put there stays."""
    kept = dict(old or {})
    env = dict(kept["env"]) if isinstance(kept.get("env"), dict) else {}
    env.pop("MEMORY_HOME", None)
    env.update(command.env)
    new = {**kept, "command": command.command, "args": list(command.args)}
    if env or "env" in new:
        new["env"] = env
    return new


def _entry(path: Path, text: str, name: str) -> dict[str, Any] | None:
    """What a file says of a server; None where it says nothing."""
    try:
        servers = parsed(text).get(SERVERS, {})
    except InvalidJsonError as error:
        raise ClientConfigError(f"{path} is no valid JSON: {error}", hint="mend it first; it was left as it is") from error
    if not isinstance(servers, dict):
        raise ClientConfigError(f"{path}: {SERVERS} is no object", hint="mend it first; it was left as it is")
    entry = servers.get(name)
    if entry is not None and not isinstance(entry, dict):
        raise ClientConfigError(f"{path}: {SERVERS}.{name} is no object", hint="mend it first; it was left as it is")
    return entry


def _edit(path: Path, name: str, edit: Callable[[str], tuple[str, Did, Mapping[str, Any] | None]], *, dry_run: bool) -> Change:
    for _ in range(_ATTEMPTS):
        exists, text = path.exists(), read_settings(path)
        new, did, entry = edit(text)
        if new == text or dry_run:
            return Change(path, did, name, entry)
        # The client itself writes into this file: what came in between is read again and not lost.
        if path.exists() == exists and read_settings(path) == text:
            try:
                if exists:
                    check_writable(path)
                backup = keep_backup(path) if exists else None
                replace_text(path, new)
            except OSError as error:
                raise ClientConfigError(
                    f"{path} cannot be written: {error.strerror or error}", hint="check its rights and the free space"
                ) from error
            return Change(path, did, name, entry, backup, written=True)
    raise ClientConfigError(f"{path} keeps changing", hint="close the client that writes it, and try again")
