"""What a running server leaves in the store's folder for those who look for it: where it listens, and the token.

Both are files of their owner alone. A process that may read them may read the store as well.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = "server"
LOOPBACK: Final = "127.0.0.1"
_PLACE: Final = "server.json"
_TOKEN: Final = "token"
_TOKEN_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server listens.

    Attributes:
        started_at: ISO 8601, UTC.
    """

    pid: int
    port: int
    version: str
    started_at: str
    host: str = LOOPBACK

    @property
    def address(self) -> str:
        """The address under which this machine reaches it; what listens on all of them is reached by loopback."""
        return {"0.0.0.0": LOOPBACK, "::": "::1"}.get(self.host, self.host)

    @property
    def url(self) -> str:
        """Where its pages are."""
        return f"http://{f'[{self.address}]' if ':' in self.address else self.address}:{self.port}"


def folder_of(home: Path) -> Path:
    """The folder of a store's server."""
    return home / FOLDER


def made_folder(home: Path) -> Path:
    """:func:`folder_of`, made where it is missing."""
    folder = folder_of(home)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def token_of(home: Path) -> str | None:
    """The token of a store's server; None where no server ever ran."""
    try:
        return (folder_of(home) / _TOKEN).read_text(encoding="ascii").strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def new_token(home: Path) -> str:
    """A token for a server that begins: what an earlier one's was, whoever learned it, opens nothing any more."""
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    write_private(made_folder(home) / _TOKEN, token + "\n")
    return token


def place_of(home: Path) -> Place | None:
    """Where the store's server said that it listens; None where none does. Whether it is alive is for who asks it."""
    try:
        told = json.loads((folder_of(home) / _PLACE).read_bytes())
        return Place(**{name: told[name] for name in Place.__dataclass_fields__})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def tell_place(home: Path, place: Place) -> None:
    """Say where this process listens."""
    write_private(made_folder(home) / _PLACE, json.dumps(asdict(place)) + "\n")


def withdraw_place(home: Path, pid: int) -> None:
    """Say that this process listens no more; what another one said stays."""
    place = place_of(home)
    if place is not None and place.pid == pid:
        with contextlib.suppress(OSError):
            (folder_of(home) / _PLACE).unlink()


def write_private(path: Path, text: str) -> None:
    """The whole of it or nothing, for its owner alone."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
