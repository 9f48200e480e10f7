"""Progress for people: a bar on stderr, and only where stderr is a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from memory_assets.cli.output import one_line
from memory_assets.progress import NoProgress, Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID


def progress_for_people(*, as_json: bool) -> Progress:
    """A bar, lines where stderr is no terminal, or nothing at all where no person looks."""
    if as_json:
        return NoProgress()
    return RichProgress() if sys.stderr.isatty() else LineProgress()


class LineProgress(NoProgress):
    """Only what is said in words."""

    def say(self, line: str) -> None:
        from memory_assets.cli.output import console

        console(stderr=True).print(one_line(line), markup=False, highlight=False, soft_wrap=True)


class RichProgress:
    """One bar at a time; it disappears when its work is over."""

    def __init__(self) -> None:
        self._bars: Bars | None = None
        self._task: TaskID | None = None

    def start(self, total: int | None, label: str) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars

        from memory_assets.cli.output import console

        self.finish()
        self._bars = Bars(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console(stderr=True),
            transient=True,
        )
        self._bars.start()
        self._task = self._bars.add_task(one_line(label), total=total)

    def advance(self, steps: int = 1, label: str | None = None) -> None:
        if self._bars is not None and self._task is not None:
            self._bars.update(self._task, advance=steps, description=None if label is None else one_line(label))

    def say(self, line: str) -> None:
        if self._bars is None:
            LineProgress().say(line)
        else:
            self._bars.console.print(one_line(line), markup=False, highlight=False, soft_wrap=True)

    def finish(self) -> None:
        if self._bars is not None:
            self._bars.stop()
            self._bars = None
