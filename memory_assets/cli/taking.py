"""What is taken in when the server's process for it is asked: all that hooks told of, and what lies in the sessions folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.errors import MemoryAssetsError

if TYPE_CHECKING:
    from memory_assets.cli.invocation import Invocation
    from memory_assets.defs.taking import Left, Taken
    from memory_assets.settings import Settings


def take_once(given: Invocation, left: Left | None = None) -> Taken:
    """Take in what is new, by the settings as they are now. Never raises but for an interrupt.

    One process does so at a time; where another one does, this is to be asked again.

    Args:
        left: what is left until the agents come to a rest; None where all is to be done now.
    """
    from memory_assets.defs.taking import Taken
    from memory_assets.hooks.taking import only_taker

    try:
        settings = given.settings()
        with only_taker(settings) as is_alone:
            return _taken(settings, left) if is_alone else Taken(again=True)
    except (MemoryAssetsError, OSError) as error:
        return Taken(error=_told(error))


def _taken(settings: Settings, left: Left | None) -> Taken:
    """What hooks told of is told again where it could not be taken; what is wrong with it keeps nothing else out."""
    from memory_assets.defs.taking import take_new
    from memory_assets.hooks.taking import sources_to_take, taken

    told_of: list[Path] = []
    problem = None
    try:
        told_of = sources_to_take(settings)
    except Exception as error:
        problem = _told(error)
    done = take_new(settings, told_of, left)
    if told_of and done.error is None:
        taken(settings, told_of)
    return replace(done, error=done.error or problem)


def _told(error: Exception) -> str:
    """Our own errors in their own words; of any other its kind alone, for its words may quote a session."""
    return f"{error.code}: {error}" if isinstance(error, MemoryAssetsError) else type(error).__name__
