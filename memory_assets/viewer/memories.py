"""``/memories/{id}``: a memory with its words in their places, what is proved of it, and where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import Response

from memory_assets.errors import NotFoundError
from memory_assets.queries.memory_lineage import memory_lineage
from memory_assets.queries.promotions import ladders
from memory_assets.results.shown import ResolvedEntry, ResolvedMemory
from memory_assets.search.usage import note_opened
from memory_assets.viewer.page import Page, page_route

if TYPE_CHECKING:
    from memory_assets.memory import Memory
    from memory_assets.results.memories import CitedQuote

MOST_QUOTES: Final = 50
MOST_ORIGINS: Final = 30


def memory(request: Request) -> Response:
    """A memory, by its short id, its id, or the id of one of its entries."""
    page = Page(request)
    found = _found(page.memory, request.path_params["memory_id"])
    memory_id = found.memory.memory_id
    entry_ids = [quote.entry_id for quote in found.quotes]
    note_opened(page.memory.settings, [found.memory.citation])
    page.memory.count_shown()
    ladder = next(iter(page.memory.read(ladders, memory_id=memory_id)), None)
    return page.render(
        "memory.html",
        memory=found.memory,
        instead=_instead(page.memory, found.memory.superseded_by),
        quotes=found.quotes[:MOST_QUOTES],
        quote_count=len(found.quotes),
        ladder=ladder,
        lineage=page.memory.read(memory_lineage, memory_id, entry_ids),
        most=MOST_ORIGINS,
        ui_url=page.memory.settings.dagster.ui_url,
    )


def _instead(memory: Memory, kept: str | None) -> CitedQuote | None:
    """What was said last of the memory that was kept in place of another one."""
    said = [quote for quote in _found(memory, kept).quotes if quote.quote.uri] if kept else []
    return max(said, key=lambda quote: (quote.ts is not None, quote.ts), default=None)


def _found(memory: Memory, given: str) -> ResolvedMemory:
    """What an id of a memory or an entry names.

    Raises:
        NotFoundError: it names something else, an entry that is in no memory, or nothing.
    """
    named = memory.resolve(given)
    if isinstance(named, ResolvedEntry) and named.entry.citation is not None:
        named = memory.resolve(named.entry.citation)
    if not isinstance(named, ResolvedMemory):
        raise NotFoundError(f"there is no memory {given[:100]!r}")
    return named


ROUTES: Final = (page_route("/memories/{memory_id}", memory),)
