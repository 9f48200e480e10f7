"""How each agent is told of its hooks: in which file, at which events, in which shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memory_assets.hooks.events import AGENTS, Agent, HookEvent

HookScope = Literal["user", "project"]
_SECONDS = 10
"""How long an agent may wait at most: far behind the script's own deadline, which ends it."""


@dataclass(frozen=True, slots=True)
class AgentHooks:
    """An agent's settings of hooks.

    Attributes:
        folder: where its settings lie, in the home folder and in a project; ``folder_variable`` names another than the former.
        file: the file there.
        events: what it calls each event that is installed. What only its tools do is not: it costs more than it tells.
        in_groups: whether an entry is a group of commands; else it is a command.
        timeout: of a command, in the agent's own unit; None where it needs none.
        root: what the file must say beside.
    """

    folder: str
    folder_variable: str | None
    file: str
    events: Mapping[str, HookEvent]
    in_groups: bool = True
    timeout: int | None = _SECONDS
    root: Mapping[str, Any] | None = None

    def entry(self, command: str) -> dict[str, Any]:
        """What stands in the file for one event."""
        one: dict[str, Any] = {"type": "command", "command": command} if self.in_groups else {"command": command}
        if self.timeout is not None:
            one["timeout"] = self.timeout
        return {"hooks": [one]} if self.in_groups else one


_CLAUDE_EVENTS: dict[str, HookEvent] = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "user-prompt-submit",
    "PreCompact": "pre-compact",
    "Stop": "stop",
    "SessionEnd": "session-end",
}
HOOKS_OF: dict[Agent, AgentHooks] = {
    "claude-code": AgentHooks(".claude", "CLAUDE_CONFIG_DIR", "settings.json", _CLAUDE_EVENTS),
    "codex": AgentHooks(".codex", "CODEX_HOME", "hooks.json", _CLAUDE_EVENTS),
    "cursor": AgentHooks(
        ".cursor",
        None,
        "hooks.json",
        {
            "sessionStart": "session-start",
            "beforeSubmitPrompt": "user-prompt-submit",
            "afterAgentResponse": "stop",
            "preCompact": "pre-compact",
            "stop": "stop",
            "sessionEnd": "session-end",
        },
        in_groups=False,
        timeout=None,
        root={"version": 1},
    ),
    "gemini": AgentHooks(
        ".gemini",
        None,
        "settings.json",
        {
            "SessionStart": "session-start",
            "BeforeAgent": "user-prompt-submit",
            "AfterAgent": "stop",
            "PreCompress": "pre-compact",
            "SessionEnd": "session-end",
        },
        timeout=_SECONDS * 1000,
    ),
}


def settings_path(agent: Agent, scope: HookScope, *, home: Path, project: Path, environ: Mapping[str, str]) -> Path:
    """The file that an agent reads its hooks from.

    Args:
        home: the user's home folder.
        project: the folder of the project, for the scope ``project``.
    """
    hooks = HOOKS_OF[agent]
    if scope == "project":
        return project / hooks.folder / hooks.file
    chosen = environ.get(hooks.folder_variable) if hooks.folder_variable else None
    return (Path(chosen).expanduser() if chosen else home / hooks.folder) / hooks.file


def agents_of_this_machine(*, home: Path, environ: Mapping[str, str]) -> tuple[Agent, ...]:
    """The agents that have a folder of settings here."""
    return tuple(
        agent for agent in AGENTS if settings_path(agent, "user", home=home, project=home, environ=environ).parent.is_dir()
    )
