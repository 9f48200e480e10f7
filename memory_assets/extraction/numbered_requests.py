"""Requests and reports that name the points of a list by their numbers are called by these, and become one task with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from memory_assets.extraction.points import Point, is_called_in
from memory_assets.extraction.schema import ExtractedEntry, Quote, StatusAt
from memory_assets.extraction.scoring import Scored


def called_by_points(
    entries: Sequence[ExtractedEntry], points: Sequence[Point], scored: Sequence[Scored]
) -> Iterator[ExtractedEntry]:
    """The entries; a task that asks for points by number is one task for each of them, and so is what is said to be done."""
    named: dict[int, list[Point]] = {}
    for point in points:
        named.setdefault(point.message_index, []).append(point)
    tasks = [entry.evidence[0].message_index for entry in entries if entry.entry_type == "task"]
    for entry in entries:
        index = entry.evidence[0].message_index
        asked = named.get(index, []) if entry.entry_type == "task" and tasks.count(index) == 1 else []
        if asked and any(one.spot.message_index == index and one.spot.voice == "user" for one in scored):
            yield from (_called(entry, point, scored) for point in asked)
        else:
            yield entry
    for one in scored:
        if one.spot.voice == "closing" and one.tells_done:
            yield from _reported(one, named.get(one.spot.message_index, ()))


def _called(entry: ExtractedEntry, point: Point, scored: Sequence[Scored]) -> ExtractedEntry:
    """A request as one of the points that it asks for, with what its report says under the heading of that point."""
    report = entry.evidence[-1]
    told = (
        one.spot.sentence.text
        for one in scored
        if one.spot.message_index == report.message_index != point.message_index
        and is_called_in(point, one.spot.sentence.heading)
    )
    own = Quote(report.message_index, next(told, report.quote))
    return replace(entry, title=point.title, evidence=(*entry.evidence[:-1], own))


def _reported(one: Scored, points: Iterable[Point]) -> Iterator[ExtractedEntry]:
    index, text = one.spot.message_index, one.spot.sentence.text
    for point in points:
        if is_called_in(point, text):
            quote = (Quote(index, text),)
            yield ExtractedEntry("task", point.title, quote, status="done", history=(StatusAt("done", index),))
