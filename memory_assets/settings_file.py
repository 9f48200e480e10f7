"""Settings written back into the user's file, the key that changed and all else as it is; and files that they name."""

from __future__ import annotations

import os
import tempfile
from collections.abc import MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.errors import ConfigInvalidError
from memory_assets.settings import SETTINGS_FILE_NAME, Settings, load_settings
from memory_assets.settings_sections import EmbeddingSettings

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

EMBEDDING_KEYS = ("model", "query_prefix", "passage_prefix")


def settings_file(settings: Settings) -> Path:
    """The file that settings are read from; it need not be there."""
    return settings.config_file or settings.home / SETTINGS_FILE_NAME


def says_otherwise(settings: Settings, wanted: EmbeddingSettings) -> bool:
    """Whether a command without flags would use another model than ``wanted``."""
    filed = _without_flags(settings)
    return any(getattr(filed, key) != getattr(wanted, key) for key in EMBEDDING_KEYS)


def stronger_than_the_file(settings: Settings, wanted: EmbeddingSettings) -> tuple[str, ...]:
    """What would have to be set elsewhere for ``wanted`` to be in force, one a line; empty where the file decides.

    The environment and flags win over the file: writing it would change nothing.
    """
    filed, lines = _without_flags(settings), []
    for key in EMBEDDING_KEYS:
        value, variable = getattr(wanted, key), f"MEMORY_EMBEDDING_{key.upper()}"
        if getattr(filed, key) != value and (os.environ.get(variable) or os.environ.get("MEMORY_EMBEDDING")):
            lines.append(f"{variable}={value}")
        elif getattr(settings.embedding, key) not in (value, getattr(filed, key)):
            lines.append(f"--set embedding.{key}={value}")
    return tuple(lines)


def _without_flags(settings: Settings) -> EmbeddingSettings:
    return load_settings({"home": settings.home}, config_file=settings.config_file).embedding


def write_embedding(settings: Settings, wanted: EmbeddingSettings) -> Path:
    """Write the model and its prefixes into the settings file, which is made where there is none.

    Raises:
        ConfigInvalidError: the file cannot be read or written.
    """
    import tomlkit

    path = settings_file(settings)
    try:
        document = tomlkit.parse(path.read_text(encoding="utf-8")) if path.exists() else tomlkit.document()
        section = _section(document)
        for key in EMBEDDING_KEYS:
            value = getattr(wanted, key)
            # What is the default need not be written, unless something else stands there.
            if value or key in section:
                section[key] = value
        _replace(path, tomlkit.dumps(document))
    except OSError as error:
        raise ConfigInvalidError(
            f"{path} cannot be written: {error.strerror}",
            hint=f'mend its rights, or write `model = "{wanted.model}"` under [embedding] yourself',
        ) from error
    return path


def _section(document: TOMLDocument) -> MutableMapping[str, Any]:
    """The embedding section, in whatever form it is written."""
    import tomlkit

    if "embedding" not in document:
        document["embedding"] = tomlkit.table()
    section = document["embedding"]
    assert isinstance(section, MutableMapping)  # settings were read from this file
    return section


def _replace(path: Path, text: str) -> None:
    """Whole or not at all. The file keeps its rights; a new one is its user's alone."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = path.resolve()  # a link stays a link
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=target.parent, suffix=".part", delete=False) as file:
        file.write(text)
    unfinished = Path(file.name)
    unfinished.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o600)
    unfinished.replace(target)


def named_file(path: Path, what: str, wanted: str) -> str:
    """The text of a file that a setting names.

    Raises:
        ConfigInvalidError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigInvalidError(f"the {what} {path} cannot be read", hint=f"name a readable {wanted}") from error


def file_state(path: Path) -> tuple[int, int] | None:
    """What tells whether a file was changed; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None  # whoever reads the file says so
    return status.st_mtime_ns, status.st_size
