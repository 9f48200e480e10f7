"""Where clients keep the list of their MCP servers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from memory_assets.errors import InvalidArgumentError

Client = Literal["claude-desktop", "claude-code"]
Scope = Literal["user", "project"]
_DESKTOP_FILE = "claude_desktop_config.json"


def settings_files(
    client: Client, scope: Scope, *, platform: str, home: Path, folder: Path, environ: Mapping[str, str]
) -> list[Path]:
    """The files that a client reads its servers from, whether they are there or not; the usual one first.

    Args:
        platform: as ``sys.platform``.
        home: the user's home folder.
        folder: the project, for the scope ``project`` of Claude Code.

    Raises:
        InvalidArgumentError: Claude Desktop knows no projects.
    """
    if client == "claude-code":
        if scope == "project":
            return [folder / ".mcp.json"]
        chosen = environ.get("CLAUDE_CONFIG_DIR")
        return [(Path(chosen).expanduser() if chosen else home) / ".claude.json"]
    if scope == "project":
        raise InvalidArgumentError(
            "claude-desktop has no servers of a project", hint="leave --scope out, or name --client claude-code"
        )
    if platform == "darwin":
        return [home / "Library" / "Application Support" / "Claude" / _DESKTOP_FILE]
    if platform == "win32":
        roaming = environ.get("APPDATA")
        return [(Path(roaming) if roaming else home / "AppData" / "Roaming") / "Claude" / _DESKTOP_FILE]
    settings = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    usual, other = settings / "Claude", settings / "claude"
    # Some builds for Linux use the second. On a file system that does not tell them apart they are one.
    both = other.is_dir() and not (usual.exists() and usual.samefile(other))
    return [folder / _DESKTOP_FILE for folder in ([usual, other] if both else [usual])]
