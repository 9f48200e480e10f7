"""A group of commands that does something when only its name is given: `memory sessions` is `memory sessions list`."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class ListingGroup(TyperGroup):
    """Without a command, `list`."""

    default_command = "list"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the default command in front of options that have none."""
        if not args or (args[0].startswith("-") and args[0] not in self.get_help_option_names(ctx)):
            args = [self.default_command, *args]
        return super().parse_args(ctx, args)


class ShowingGroup(ListingGroup):
    """Without a command, `show`."""

    default_command = "show"


class TailingGroup(ListingGroup):
    """Without a command, `tail`."""

    default_command = "tail"
