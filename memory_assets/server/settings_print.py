"""Whether two processes mean the same settings: a hash of all that goes before the settings file, and of the file itself.

It is made without reading the settings, which costs more than a question does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from memory_assets.hooks.script import OWN_RUN

# What names the store, and what changes nothing that is answered.
_NO_SETTING: Final = frozenset({"MEMORY_HOME", "MEMORY_DEBUG", "MEMORY_CONFIG", OWN_RUN})


def settings_print(home: Path, overrides: Mapping[str, Any], config_file: Path | None, environ: Mapping[str, str]) -> str:
    """A hash that two processes share where they would load the same settings, and the file has not changed meanwhile."""
    chosen = config_file or (Path(environ["MEMORY_CONFIG"]).expanduser().absolute() if environ.get("MEMORY_CONFIG") else None)
    told = {
        "home": str(home),
        "flags": {section: values for section, values in overrides.items() if section != "home"},
        "variables": {
            name: value for name, value in environ.items() if name.startswith("MEMORY_") and value and name not in _NO_SETTING
        },
        "dagster_home": environ.get("DAGSTER_HOME", ""),
        "file": None if chosen is None else str(chosen),
        "state": _state(chosen or home / "memory.toml"),
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()[:32]


def usual_home(overrides: Mapping[str, Any], environ: Mapping[str, str]) -> Path:
    """The store's folder, as ``settings.load_settings`` chooses it."""
    given = overrides.get("home") or environ.get("MEMORY_HOME")
    if given:
        return Path(given).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_data_dir("memory_assets", appauthor=False)).expanduser().absolute()


def _state(file: Path) -> list[int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return [status.st_mtime_ns, status.st_size]
