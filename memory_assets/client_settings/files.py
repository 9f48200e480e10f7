"""A settings file of another program: read, kept beside itself, and replaced at once."""

from __future__ import annotations

import contextlib
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from memory_assets.client_settings.errors import ClientConfigError

_MAX_BYTES = 64 * 1024 * 1024


def read_settings(path: Path) -> str:
    """The file's text; an empty object for one that is missing or empty. A mark of byte order stays at its front."""
    try:
        if path.exists() and path.stat().st_size > _MAX_BYTES:
            raise ClientConfigError(f"{path} is larger than any settings file", hint="name the right one with --config-path")
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return "{}\n"
    except UnicodeDecodeError as error:
        raise ClientConfigError(f"{path} is no UTF-8", hint="mend it first; it was left as it is") from error
    except OSError as error:
        raise ClientConfigError(f"{path} cannot be read: {error.strerror or error}", hint="check its rights") from error
    return text if text.strip("\ufeff \t\r\n") else "{}\n"


def keep_backup(path: Path) -> Path:
    """A copy of the file as it is, beside it, with its rights."""
    target = path.resolve()
    stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    for count in range(1000):
        backup = target.with_name(f"{target.name}.{stamp}{f'-{count}' if count else ''}.bak")
        with contextlib.suppress(FileExistsError):
            handle = os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, target.stat().st_mode & 0o777)
            with os.fdopen(handle, "wb") as file:
                os.fchmod(handle, target.stat().st_mode & 0o777)  # the process's own mask may be narrower
                file.write(target.read_bytes())
            return backup
    raise OSError(f"{target.name} has too many backups of this second")


def check_writable(path: Path) -> None:
    """Refuse a file that its owner has closed: it could be replaced all the same, for that its folder has to be writable alone.

    Raises:
        ClientConfigError
    """
    if not path.stat().st_mode & 0o222:
        raise ClientConfigError(f"{path} may not be written", hint="allow it first, or name another file")


def replace_text(path: Path, text: str, *, private: bool = True) -> None:
    """Write a file at once: whoever reads it sees the old text or the new one. A link stays a link, a file keeps its rights.

    Args:
        private: whether a file that was not there is its owner's alone; otherwise it has the rights of any new file.
    """
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o7777 if target.exists() else 0o600 if private else _of_any_new_file()
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def _of_any_new_file() -> int:
    mask = os.umask(0o077)  # it can only be read by setting it
    os.umask(mask)
    return 0o666 & ~mask
