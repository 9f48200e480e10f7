"""How far long work has come, told to whoever wants to know."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Hears of one piece of work at a time: ``start``, any number of ``advance``, ``finish``; then perhaps the next."""

    def start(self, total: int | None, label: str) -> None:
        """Work begins. ``total`` is None where nobody knows it yet. A label never holds session text."""

    def start_bytes(self, total: int, label: str) -> None:
        """Work begins whose steps are bytes."""

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

    def start_bytes(self, total: int, label: str) -> None:
        pass

    def advance(self, steps: int = 1, label: str | None = None) -> None:
        pass

    def say(self, line: str) -> None:
        pass

    def finish(self) -> None:
        pass


class Part:
    """Work inside other work: how far it is stands beside the bar of the whole."""

    def __init__(self, whole: Progress) -> None:
        self._whole = whole
        self._label = ""
        self._total: int | None = None
        self._done = 0

    def start(self, total: int | None, label: str) -> None:
        self._label, self._total, self._done = label, total, 0
        self.advance(0)

    def start_bytes(self, total: int, label: str) -> None:
        self.start(total, label)

    def advance(self, steps: int = 1, label: str | None = None) -> None:
        self._label = self._label if label is None else label
        self._done += steps
        of = f" of {self._total:,}" if self._total is not None else ""
        self._whole.advance(0, f"{self._label}: {self._done:,}{of}")

    def say(self, line: str) -> None:
        self._whole.say(line)

    def finish(self) -> None:
        pass
