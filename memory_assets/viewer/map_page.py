"""``/projects/{name}/map``: what a project decided, took back and did, drawn over time, with the same as a table below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from memory_assets.queries.project_map import Point, ProjectMap, project_map
from memory_assets.viewer.links import memory_link, task_link
from memory_assets.viewer.page import Page, page_route
from memory_assets.viewer.words import Own

WIDTH: Final = 960
_MARGIN: Final = 48
_TOP: Final = 60
_ROW: Final = 20
_APART: Final = 15
MOST_ROWS: Final = 9
TICKS: Final = 6


@dataclass(frozen=True, slots=True)
class Dot:
    """A point where it is drawn."""

    point: Point
    x: float
    y: float
    link: Own | None


@dataclass(frozen=True, slots=True)
class Drawing:
    """Everything that is drawn, in the units of its view box.

    Attributes:
        ticks: places of the axis with their days; ``done_y`` is where the lane of what was done begins.
        curves: from one dot to another, each with what became of the turn.
    """

    height: int
    done_y: int
    ticks: tuple[tuple[float, str], ...]
    dots: tuple[Dot, ...]
    curves: tuple[tuple[Own, str], ...]


def drawing(found: ProjectMap) -> Drawing:
    """The points from left to right as time goes, decisions above what was done; what is close together stands in rows."""
    if not found.points:
        return Drawing(0, 0, (), (), ())
    first, last = found.points[0].at, found.points[-1].at
    span = (last - first).total_seconds() or 1.0

    def x(at: datetime) -> float:
        inside = WIDTH - 2 * _MARGIN
        return _MARGIN + inside * ((at - first).total_seconds() / span if last > first else 0.5)

    decisions = [point for point in found.points if point.kind == "decision"]
    done = [point for point in found.points if point.kind == "done"]
    places = _rows([x(point.at) for point in decisions])
    done_y = _TOP + _ROW * (max(places, default=0) + 1) + 34
    done_places = _rows([x(point.at) for point in done])
    dots = [
        *(Dot(one, x(one.at), _TOP + row * _ROW, memory_link(one.id)) for one, row in zip(decisions, places, strict=True)),
        *(Dot(one, x(one.at), done_y + 24 + row * _ROW, task_link(one.id)) for one, row in zip(done, done_places, strict=True)),
    ]
    return Drawing(
        height=done_y + 24 + _ROW * (max(done_places, default=0) + 1) + 30,
        done_y=done_y,
        ticks=tuple(_ticks(first, last, x(first), x(last))),
        dots=tuple(dots),
        curves=tuple(_curves(found, dots)),
    )


def _rows(places: Sequence[float]) -> list[int]:
    """A row for each place, from 0, so that no two of a row touch; where there are too many they may."""
    ends: list[float] = []
    rows = []
    for place in places:
        row = next((row for row, end in enumerate(ends) if place - end >= _APART), len(ends))
        if row == MOST_ROWS:
            row = min(range(MOST_ROWS), key=lambda one: ends[one])
        ends[row : row + 1] = [place]
        rows.append(row)
    return rows


def _ticks(first: datetime, last: datetime, left: float, right: float) -> list[tuple[float, str]]:
    days = (last.date() - first.date()).days
    count = min(TICKS, days + 1)
    if count < 2:
        return [((left + right) / 2, first.strftime("%Y-%m-%d"))]
    steps = [step / (count - 1) for step in range(count)]
    return [(left + (right - left) * step, (first + timedelta(days=days * step)).strftime("%Y-%m-%d")) for step in steps]


def _curves(found: ProjectMap, dots: Sequence[Dot]) -> list[tuple[Own, str]]:
    by_id = {dot.point.id: dot for dot in dots}
    curves: list[tuple[Own, str]] = []
    for turn in found.turns:
        one, other = by_id[turn.older], by_id[turn.newer]
        high = min(one.y, other.y) - 34
        path = f"M{one.x:.1f} {one.y:.1f} Q{(one.x + other.x) / 2:.1f} {high:.1f} {other.x:.1f} {other.y:.1f}"
        curves.append((Own(path), turn.kind))
    return curves


def map_of_project(request: Request) -> Response:
    """The map of a project, and its points as a table, the newest first."""
    page = Page(request)
    found = page.memory.read(project_map, request.path_params["project"])
    by_id = {point.id: point for point in found.points}
    turns = [(by_id[turn.older], by_id[turn.newer], turn) for turn in reversed(found.turns)]
    return page.render("map.html", map=found, drawing=drawing(found), turns=turns, width=WIDTH)


ROUTES: Final = (page_route("/projects/{project:text}/map", map_of_project),)
