"""``/sessions/{id}/proof``: what the checkers said of a session, and the modules that they judged."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from memory_assets.queries.proof import session_proof
from memory_assets.viewer.masking import Masked
from memory_assets.viewer.page import Page, page_route

MOST_ENTRIES: Final = 150
MOST_FAILURES: Final = 50
MOST_SOURCE: Final = 60_000
"""Characters of a module that are shown; `memory proof` prints all of it."""


def proof(request: Request) -> Response:
    """The verdicts, what was to be proved, each entry, and the modules."""
    page = Page(request)
    found = session_proof(page.memory.database, request.path_params["session_id"])
    masked = {module.sha256: page.mask(module.source) for module in (*found.modules, *found.proved_by)}
    # A whole module is masked before it is cut.
    sources = {
        sha256: text if len(text) <= MOST_SOURCE else Masked(f"{text[:MOST_SOURCE]}…") for sha256, text in masked.items()
    }
    return page.render(
        "proof.html",
        proof=found,
        sources=sources,
        most_entries=MOST_ENTRIES,
        most_failures=MOST_FAILURES,
    )


ROUTES: Final = (page_route("/sessions/{session_id}/proof", proof),)
