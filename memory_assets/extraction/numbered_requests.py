"""Requests and reports that name the points of a list by their numbers are called by these, and become one task with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from memory_assets.extraction.outcomes import says_not_done
from memory_assets.extraction.points import Point, is_called_in, is_named_in, only_opens
from memory_assets.extraction.schema import ExtractedEntry, Quote, StatusAt
from memory_assets.extraction.scoring import Scored

_OF_ALL = re.compile(r"\b(?:all|both|everything)\b|모두|전부|둘 다", re.IGNORECASE)


def called_by_points(
    entries: Sequence[ExtractedEntry], points: Sequence[Point], scored: Sequence[Scored]
) -> Iterator[ExtractedEntry]:
    """The entries; a task that asks for points by number is one task for each of them, and so is what is said to be done."""
    if not points:
        yield from entries
        return
    named: dict[int, list[Point]] = {}
    for point in points:
        named.setdefault(point.message_index, []).append(point)
    for entry in entries:
        asked = _asked_for(entry, named.get(entry.evidence[0].message_index, ()), scored)
        yield from (_called(entry, point, scored, alone=len(asked) == 1) for point in asked) if asked else (entry,)
    for one in scored:
        if one.spot.voice == "closing" and one.tells_done:
            yield from _reported(one, named.get(one.spot.message_index, ()))


def _asked_for(entry: ExtractedEntry, points: Iterable[Point], scored: Iterable[Scored]) -> list[Point]:
    """The points that a task of a person's words is for: those that its sentence names, or the one before it opens with."""
    first = entry.evidence[0]
    said = next((one for one in scored if one.spot.message_index == first.message_index), None)
    if entry.entry_type != "task" or said is None or said.spot.voice != "user":
        return []
    opening = said.spot.message.text[:300].partition(".")[0]
    texts = [first.quote, *([opening] if only_opens(opening) else [])]
    return [point for point in points if any(is_named_in(point, text) for text in texts)]


def _called(entry: ExtractedEntry, point: Point, scored: Sequence[Scored], *, alone: bool) -> ExtractedEntry:
    """A request as one of the points that it asks for. Of several, a report says that one is done under the heading of that
    point, or where it says so of all."""
    report = entry.evidence[-1]
    if report.message_index == point.message_index:
        return replace(entry, title=point.title)
    told = [one.spot.sentence for one in scored if one.spot.message_index == report.message_index]
    own = next((one.text for one in told if is_called_in(point, one.heading)), None)
    failed = own is not None and says_not_done(own)
    if failed or not (alone or own is not None or any(_OF_ALL.search(one.text) for one in told)):
        history = tuple(step for step in entry.history if step.message_index != report.message_index)
        return replace(entry, title=point.title, evidence=entry.evidence[:-1], status="pending", history=history)
    quote = Quote(report.message_index, own or report.quote)
    return replace(entry, title=point.title, evidence=(*entry.evidence[:-1], quote))


def _reported(one: Scored, points: Iterable[Point]) -> Iterator[ExtractedEntry]:
    index, text = one.spot.message_index, one.spot.sentence.text
    for point in points:
        if is_called_in(point, text):
            quote = (Quote(index, text),)
            yield ExtractedEntry("task", point.title, quote, status="done", history=(StatusAt("done", index),))
