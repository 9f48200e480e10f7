"""The pages by their addresses."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from memory_assets.errors import NotFoundError
from memory_assets.viewer import (
    api,
    asking,
    board_pages,
    court_pages,
    live,
    map_page,
    memories,
    projects,
    prompt_pages,
    proofs,
    saying,
    searching,
    sessions,
    store_pages,
    today,
)
from memory_assets.viewer.page import page_route

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
_WORK: Final = (api.ROUTES, live.ROUTES, board_pages.ROUTES, store_pages.ROUTES, map_page.ROUTES, saying.ROUTES)
_PAGES: Final = (
    *_WORK,
    today.ROUTES,
    projects.ROUTES,
    sessions.ROUTES,
    proofs.ROUTES,
    memories.ROUTES,
    court_pages.ROUTES,
    prompt_pages.ROUTES,
    searching.ROUTES,
    asking.ROUTES,
)


def viewer_routes() -> list[BaseRoute]:
    """Every page and what it needs. They go behind all other routes: the last one answers whatever nobody knows."""
    pages = [route for routes in _PAGES for route in routes]
    return [*pages, page_route("/static/{name}", static_file), page_route("/{path:text}", unknown_page)]


def static_file(request: Request) -> Response:
    """A file that ships with the pages: one of those that are known by name, so that no path leads elsewhere."""
    name = request.path_params["name"]
    if name not in static_files():
        raise NotFoundError(f"there is no file {name[:100]!r}")
    body, kind = static_files()[name]
    return Response(body, media_type=kind, headers={"Cache-Control": "no-cache"})


@lru_cache(maxsize=1)
def static_files() -> dict[str, tuple[bytes, str]]:
    """What ``static/`` holds: content and media type by name."""
    found = files("memory_assets.viewer").joinpath("static").iterdir()
    return {one.name: (one.read_bytes(), kind) for one in found if (kind := _TYPES.get(f".{one.name.rpartition('.')[2]}"))}


def unknown_page(request: Request) -> Response:
    """The page of all that there is not; what is there, and is not asked for so, says that (405)."""
    if any(route.matches(request.scope)[0] is Match.PARTIAL for route in request.app.routes):
        raise HTTPException(405, f"{request.url.path[:200]!r} is not opened but sent to, by a form")
    raise NotFoundError(f"there is no page {request.url.path[:200]!r}")
