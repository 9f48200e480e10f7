"""Progress for people, on stderr: a bar where that is a terminal, a plain line now and then where it is not."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from memory_assets.cli.output import one_line
from memory_assets.progress import NoProgress, Progress

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

LINE_SECONDS = 15.0
"""Between two lines where nobody draws a bar."""

_BAR_WIDTH = 10
_LOOKS_A_SECOND = 5
# An estimate from less than either would be wrong: to begin costs more than to go on.
_ESTIMATE_FROM_SECONDS = 60.0
_ESTIMATE_FROM_FRACTION = 0.1


def progress_for_people(*, as_json: bool) -> Progress:
    """A bar, lines where stderr is no terminal, or nothing at all where no person looks."""
    if as_json:
        return NoProgress()
    return RichProgress() if sys.stderr.isatty() else LineProgress()


def amounts(done: float, total: float | None, *, in_bytes: bool) -> str:
    """How much of how much: ``1.2 of 30.9 MB``, ``512 of 3,000``."""
    if in_bytes:
        return f"{done / 1e6:,.1f} of {(total or 0) / 1e6:,.1f} MB"
    return f"{done:,.0f}" if total is None else f"{done:,.0f} of {total:,.0f}"


def times(elapsed: float, done: float, total: float | None) -> str:
    """How long it took so far, and about how long the rest will take at the pace so far."""
    spent = _clock(elapsed)
    fraction = done / total if total else 0.0
    if not 0 < fraction < 1 or (fraction < _ESTIMATE_FROM_FRACTION and elapsed < _ESTIMATE_FROM_SECONDS):
        return spent
    return f"{spent}, about {_clock(elapsed * (1 - fraction) / fraction)} left"


class LineProgress(NoProgress):
    """What is said in words, and now and then how far the work is; no control characters."""

    def __init__(self) -> None:
        self._label, self._total, self._in_bytes = "", None, False  # type: str, int | None, bool
        self._done, self._began, self._told = 0, 0.0, 0.0

    def start(self, total: int | None, label: str) -> None:
        self._label, self._total, self._in_bytes, self._done = label, total, False, 0
        self._began = self._told = time.monotonic()

    def start_bytes(self, total: int, label: str) -> None:
        self.start(total, label)
        self._in_bytes = True

    def advance(self, steps: int = 1, label: str | None = None) -> None:
        self._label = self._label if label is None else label
        self._done += steps
        now = time.monotonic()
        if now - self._told >= LINE_SECONDS:
            self._told = now
            amount = amounts(self._done, self._total, in_bytes=self._in_bytes)
            self.say(f"{amount}, {times(now - self._began, self._done, self._total)}: {self._label}")

    def say(self, line: str) -> None:
        from memory_assets.cli.output import console

        console(stderr=True).print(one_line(line), markup=False, highlight=False, soft_wrap=True)


class RichProgress:
    """One bar at a time; it disappears when its work is over."""

    def __init__(self) -> None:
        self._bars: Bars | None = None
        self._task: TaskID | None = None

    def start(self, total: int | None, label: str) -> None:
        self._begin(total, label, in_bytes=False)

    def start_bytes(self, total: int, label: str) -> None:
        self._begin(total, label, in_bytes=True)

    def _begin(self, total: int | None, label: str, *, in_bytes: bool) -> None:
        from rich.progress import BarColumn, ProgressColumn, SpinnerColumn, Task
        from rich.progress import Progress as Bars
        from rich.text import Text

        from memory_assets.cli.output import console

        class Standing(ProgressColumn):
            """Amount, time and what is worked at in one text, so that a narrow terminal cuts its end and not the numbers."""

            max_refresh = 0.1

            def render(self, task: Task) -> Text:
                amount = amounts(task.completed, task.total, in_bytes=in_bytes)
                spent = times(task.elapsed or 0.0, task.completed, task.total)
                return Text(f"{amount}  {spent}  {task.description}", no_wrap=True, overflow="ellipsis")

        self.finish()
        self._bars = Bars(
            SpinnerColumn(),
            BarColumn(bar_width=_BAR_WIDTH),
            Standing(),
            console=console(stderr=True),
            refresh_per_second=_LOOKS_A_SECOND,
            transient=True,
            # What is printed elsewhere meanwhile goes where it always goes; stdout is none of a bar's business.
            redirect_stdout=False,
            redirect_stderr=False,
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


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
