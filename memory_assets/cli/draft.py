"""What a model says while it says it, on a terminal: a draft, shown as such, which the verified answer replaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from memory_assets.cli.output import clean, console

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

_HEADING: Final = "draft, not verified yet:"
_KEPT_FREE: Final = 3
"""Lines of a terminal that a draft leaves free: what is higher than the terminal cannot be taken back."""
_PER_SECOND: Final = 15


@contextmanager
def drafting(*, wanted: bool) -> Iterator[Callable[[str], None] | None]:
    """Who is to be told a draft as it comes; None where nobody sees it: in a pipe, or on a terminal that takes nothing back.

    At the end the draft is gone. Where nothing was drafted nothing was written.
    """
    out = console()
    if not wanted or not out.is_terminal or out.is_dumb_terminal:
        yield None
        return
    draft = _Draft(out)
    try:
        yield draft.hear
    finally:
        draft.end()


class _Draft:
    def __init__(self, out: Console) -> None:
        self._out = out
        self._text = ""
        self._live: Live | None = None

    def hear(self, piece: str) -> None:
        """Show one more piece: the first at once, the others as often as an eye can follow."""
        from rich.live import Live

        self._text += piece
        if self._live is None:
            self._live = Live(console=self._out, transient=True, refresh_per_second=_PER_SECOND, get_renderable=self._shown)
            self._live.start(refresh=True)

    def end(self) -> None:
        """Take the draft back."""
        if self._live is not None:
            self._live.stop()

    def _shown(self) -> Text:
        """The end of the draft, as far as it fits on the terminal; never in the colours of an answer."""
        from rich.text import Text

        lines = Text(clean(self._text), style="dim").wrap(self._out, self._out.width)
        room = max(1, self._out.height - _KEPT_FREE)
        return Text("\n").join([Text(_HEADING, style="dim italic"), *lines[-room:]])
