"""How far long work has come, told to whoever wants to know (issue item 8: progress on long work)."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Hears of one piece of work at a time: ``start``, any number of ``advance``, ``finish``; then perhaps the next."""

    def start(self, total: int | None, label: str) -> None:
        """Work begins. ``total`` is None where nobody knows it yet. A label never holds session text."""

    def advance(self, steps: int = 1, label: str | None = None) -> None:
        """Some steps are done; a label says what comes now."""

    def say(self, line: str) -> None:
        """Something that is worth knowing before it happens, like what a model may cost. Never session text."""

    def finish(self) -> None:
        """The work is over, whatever became of it. A second call does nothing."""


class NoProgress:
    """Tells nobody."""

    def start(self, total: int | None, label: str) -> None:
        pass

    def advance(self, steps: int = 1, label: str | None = None) -> None:
        pass

    def say(self, line: str) -> None:
        pass

    def finish(self) -> None:
        pass
