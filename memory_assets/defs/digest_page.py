"""A session's digest on its page of the UI: counts and addresses, and its words where the settings let them in.

Dagster has no purge by session of its own: without ``dagster.show_quotes`` no text of one stands in them (docs/privacy.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memory_assets.defs.markdown import cell
from memory_assets.defs.viewer import viewed

if TYPE_CHECKING:
    from memory_assets.results.digest import DigestLineV1, DigestQuoteV1, SessionDigestV1

SHOWN_LINES = 5  # of each part; `memory session ID` tells the rest
SHOWN_ID = 12  # of a task, as the command line shows it


class DigestPage:
    """Writes digests as Markdown.

    Args:
        show_quotes: whether words of the session may stand in it.
        viewer_url: where links to addresses lead; see ``defs.viewer.viewed``.
    """

    def __init__(self, *, show_quotes: bool, viewer_url: str | None) -> None:
        self._show_quotes = show_quotes
        self._viewer_url = viewer_url

    def markdown(self, digest: SessionDigestV1) -> str:
        """The digest of one session."""
        counts = digest.counts
        goal = [self._item([], digest.goal.text, digest.goal)] if digest.goal is not None else []
        files = [self._item([f"{file.times}×"], file.path, file.quote) for file in digest.files]
        commits = [self._item([], f"{commit.commit} {commit.subject}", commit.quote) for commit in digest.commits]
        failed = [self._item([], failure.error.text, failure.error) for failure in digest.failed]
        parts = [
            *self._part("Goal", goal, 1),
            *self._part("Decided", self._memories(digest.decided), counts.decided),
            *self._part("Done", self._tasks(digest.done), counts.done),
            *self._part("Files", files, counts.files),
            *self._part("Commits", commits, counts.commits),
            *self._part("Failed and mended", failed, counts.failed),
            *self._part("Open ends", self._tasks(digest.open), counts.open),
            *self._part("Also kept", self._memories(digest.noted), counts.noted),
        ]
        return "\n\n".join(parts) or "nothing was decided, done or left open"

    def _part(self, name: str, items: Sequence[str], count: int) -> Iterator[str]:
        if not items:
            return
        shown = items[:SHOWN_LINES]
        more = [f"- … and {count - len(shown):,} more"] if count > len(shown) else []
        yield f"**{name}**" + (f" {count:,}" if name != "Goal" else "")
        yield "\n".join([*shown, *more])

    def _memories(self, lines: Sequence[DigestLineV1]) -> list[str]:
        return [
            self._item([f"`{line.id}`" if line.id else "", line.kind, line.assurance], line.text, line.quote) for line in lines
        ]

    def _tasks(self, lines: Sequence[DigestLineV1]) -> list[str]:
        return [
            self._item([f"`{(line.id or '')[:SHOWN_ID]}`", line.status.replace("_", " ")], line.text, line.quote)
            for line in lines
        ]

    def _item(self, known: Sequence[str], text: str, quote: DigestQuoteV1 | None) -> str:
        """The words first, where they may be shown; behind them what is known and where they stand."""
        place = [viewed(quote.uri, self._viewer_url)] if quote is not None else []
        said = [cell(text)] if self._show_quotes else []
        return "- " + " · ".join(part for part in (*said, *known, *place) if part)
