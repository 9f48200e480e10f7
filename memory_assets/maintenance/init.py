"""The first thing on a new machine: folders, the store, and a settings file that explains itself."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel

from memory_assets.log.database import STORE_FILE_NAME
from memory_assets.settings import SETTINGS_FILE_NAME, Settings

if TYPE_CHECKING:
    from memory_assets.configuration import Resources


@dataclass(frozen=True, slots=True)
class Made:
    """A file or folder that is there now; ``made`` says whether it was not before."""

    path: Path
    made: bool


def initialise(resources: Resources, *, force: bool = False) -> list[Made]:
    """Make what is missing. With ``force`` the settings file is written again; nothing else is ever replaced."""
    settings = resources.settings
    folders = [settings.home, settings.sessions_folder, settings.vectors_folder, settings.dagster_home]
    made = [_folder(folder) for folder in folders]
    store_file = settings.store_folder / STORE_FILE_NAME
    made.append(Made(store_file, not store_file.exists()))
    # It only makes the file: what is to be forgotten needs rules and settings, which may be what is made here.
    with resources.database_within(settings.store.lock_timeout_seconds).reading():
        pass
    file = settings.home / SETTINGS_FILE_NAME
    written = Made(file, force or not file.exists())
    if written.made:
        file.write_text(settings_template(), encoding="utf-8")
        file.chmod(0o600)
    return [*made, written]


def settings_template() -> str:
    """A memory.toml that sets nothing and names everything, with its default."""
    lines = ["# Settings of memory_assets. What stands behind # is the default; docs/settings.md explains each.", ""]
    for name, field in Settings.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            lines += [f"[{name}]", *(_line(key, inner.default) for key, inner in field.annotation.model_fields.items()), ""]
    return "\n".join(lines)


def _line(key: str, default: object) -> str:
    return f"# {key} =" if default is None else f"# {key} = {json.dumps(default)}"


def _folder(folder: Path) -> Made:
    exists = folder.is_dir()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Made(folder, not exists)
