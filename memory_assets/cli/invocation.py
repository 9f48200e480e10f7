"""What all commands share: the options in front of the command, the settings they make, and the memory behind them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from memory_assets.errors import InvalidArgumentError

if TYPE_CHECKING:
    from memory_assets.memory import Memory
    from memory_assets.settings import Settings

OK = 0
NOTHING_FOUND = 1  # no hit, a refusal, something quarantined
FAILED = 2
UNHEALTHY = 3

JsonOption = Annotated[bool, typer.Option("--json", help="Print one line of JSON instead of text for people.")]
ProjectOption = Annotated[str | None, typer.Option("--project", help="Only of this project.")]
KindOption = Annotated[
    list[str] | None,
    typer.Option("--kind", help="Only units of this kind: entry, task, passage, gotcha, episode or lesson. May be repeated."),
]


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call of ``memory``: the flags that come before the command, over environment and file."""

    overrides: dict[str, Any] = field(default_factory=dict)
    config_file: Path | None = None

    def settings(self) -> Settings:
        """The settings in force."""
        from memory_assets.settings import load_settings

        return load_settings(self.overrides, config_file=self.config_file)

    def arguments(self) -> list[str]:
        """These options again, for another process; the store's folder is told it by MEMORY_HOME."""
        config_file = self.settings().config_file
        arguments = [] if config_file is None else ["--config", str(config_file)]
        for section, values in self.overrides.items():
            if isinstance(values, dict):
                arguments += [part for key, value in values.items() for part in ("--set", f"{section}.{key}={value}")]
        return arguments

    def own_command(self) -> list[str]:
        """The command of this installation with the options that this call has, for others to start it by."""
        from memory_assets.client_settings.program import own_program

        return [*own_program(), *self.arguments()]

    def memory(self, *, wait_for_model: bool = True) -> Memory:
        """The façade over the store that the settings name; see ``Memory``."""
        from memory_assets.memory import Memory

        return Memory(self.settings(), wait_for_model=wait_for_model)


def invocation(context: typer.Context) -> Invocation:
    """What the main callback left for the command."""
    return cast(Invocation, context.find_object(Invocation) or Invocation())


def overrides_of(home: Path | None, assignments: list[str]) -> dict[str, Any]:
    """Flags as settings: ``--home DIR`` and any number of ``--set section.key=value``.

    Raises:
        InvalidArgumentError: an assignment that is none.
    """
    overrides: dict[str, Any] = {} if home is None else {"home": home}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        section, dot, key = name.strip().partition(".")
        if not (equals and dot and section and key) or "." in key:
            raise InvalidArgumentError(f"--set {assignment!r} is no setting", hint="as in --set extraction.timeout_seconds=30")
        overrides.setdefault(section, {})[key] = value
    return overrides
