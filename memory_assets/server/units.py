"""The server as the system starts it with a person's session: a user's unit of systemd, or an agent of launchd.

The unit names this installation and this store. It starts no shell and asks for no rights; a server that fails is started
again, one that ended in order is not.
"""

from __future__ import annotations

import os
import plistlib
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memory_assets.errors import InvalidArgumentError

NAME: Final = "memory-assets"
_LABEL: Final = f"local.{NAME}"


@dataclass(frozen=True, slots=True)
class Unit:
    """A file that makes the system start the server.

    Attributes:
        path: where it goes.
        next_steps: commands that make the system know of it, or forget it; nothing runs them by itself.
    """

    path: Path
    text: bytes
    next_steps: tuple[str, ...]
    steps_back: tuple[str, ...]


def unit_of(
    platform: str, home: Path, command: Sequence[str], variables: Mapping[str, str], environ: Mapping[str, str]
) -> Unit:
    """The unit for a platform.

    Args:
        home: of the person.
        command: an absolute program and its arguments.
        variables: what the server is started with besides the usual.

    Raises:
        InvalidArgumentError: there is none for this platform, or a path that no unit can hold.
    """
    if any("\n" in text or "\0" in text for text in (*command, *variables.values())):
        raise InvalidArgumentError("a path with a line break fits into no unit", hint="move the store or the installation")
    match platform:
        case "linux":
            return _systemd(Path(environ.get("XDG_CONFIG_HOME") or home / ".config"), command, variables)
        case "darwin":
            return _launchd(home, command, variables)
        case _:
            raise InvalidArgumentError(f"there is no unit for {platform}", hint="start `memory serve` with your session")


def write_unit(unit: Unit) -> bool:
    """Write a unit; whether that changed anything."""
    if unit.path.exists() and unit.path.read_bytes() == unit.text:
        return False
    unit.path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=unit.path.parent, prefix=f".{unit.path.name}.", delete=False) as file:
        file.write(unit.text)
    Path(file.name).replace(unit.path)
    return True


def remove_unit(unit: Unit) -> bool:
    """Take a unit away; whether one was there."""
    if not unit.path.exists():
        return False
    unit.path.unlink()
    return True


def _systemd(folder: Path, command: Sequence[str], variables: Mapping[str, str]) -> Unit:
    lines = [
        "[Unit]",
        "Description=Memory of recorded sessions",
        "",
        "[Service]",
        *(f"Environment={_word(f'{name}={value}')}" for name, value in variables.items()),
        f"ExecStart={' '.join(_word(word, in_command=True) for word in command)}",
        "Restart=on-failure",
        "RestartSec=5",
        "NoNewPrivileges=yes",
        "UMask=0077",
        "",
        "[Install]",
        "WantedBy=default.target",
        "",
    ]
    file = f"{NAME}.service"
    return Unit(
        folder / "systemd" / "user" / file,
        "\n".join(lines).encode(),
        ("systemctl --user daemon-reload", f"systemctl --user enable --now {file}"),
        (f"systemctl --user disable --now {file}", "systemctl --user daemon-reload"),
    )


def _word(text: str, *, in_command: bool = False) -> str:
    """One word as systemd reads it: quoted, with its own signs (%, and $ in a command) doubled."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{quoted.replace("$", "$$") if in_command else quoted}"'


def _launchd(home: Path, command: Sequence[str], variables: Mapping[str, str]) -> Unit:
    path = home / "Library" / "LaunchAgents" / f"{_LABEL}.plist"
    told = {
        "Label": _LABEL,
        "ProgramArguments": list(command),
        "EnvironmentVariables": dict(variables),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "Umask": 0o077,
        "ProcessType": "Background",
    }
    target = f"gui/{os.getuid()}"
    return Unit(
        path, plistlib.dumps(told), (f"launchctl bootstrap {target} '{path}'",), (f"launchctl bootout {target}/{_LABEL}",)
    )
