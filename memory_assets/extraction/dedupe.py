"""Entries of a session that say the same become one with all their quotes.

Windows overlap, and a person says a thing twice: N quotes on one entry, never N entries. Across sessions entries stay as
they are; grouping them is the fold's work.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from memory_assets.evidence.model import AlignedEvidence, Evidence
from memory_assets.extraction.aligned_entries import AlignedEntry
from memory_assets.extraction.conflicts import conflict
from memory_assets.extraction.schema import ExtractedEntry, Quote, StatusAt
from memory_assets.extraction.sentence_context import words_of
from memory_assets.extraction.status_history import changes, joined_history
from memory_assets.text.normal_form import folded

_MIN_TITLE = 8
"""Letters and digits that a title needs to stand for its entry ("fixed" and "OK" do not); a Hangul syllable counts as two."""
_MIN_QUOTE = 16
"""Letters and digits of a quote from which it is no coincidence that it is quoted twice."""
_NOT_SAID, _HANGUL = re.compile(r"[\W_]+"), re.compile("[가-힣]+")
_ALIKE = 0.3
"""Share of the weight of their words from which two entries are alike."""
_LEAST_SHARED = 3
_MOST_HOLDING = 200
"""Entries that may hold a word by which another one is found; it tells nothing then."""


def merge_entries(entries: Iterable[AlignedEntry]) -> list[AlignedEntry]:
    """Entries of one session, each memory once, in the order of their first appearance.

    Two entries are the same memory when they are of one type and their first quotes share most of their span, or their
    titles are equal but for case, punctuation and spacing (not for an operator, a sign or a decimal point); and, whatever
    their types, when the later one's first quote is a text that the earlier one quotes already (the same document pasted
    again, a summary repeated). The first one's title stays; quotes are joined without repeats; a task takes the status that
    is said last, unless that only opens again what was closed before it, and keeps the earlier ones as its history. An entry
    with a quote that was not found stays as it is, so that the failure stays visible.
    """
    return _merge_alike(_merge_same(entries))


def _merge_same(entries: Iterable[AlignedEntry]) -> list[AlignedEntry]:
    merged: list[AlignedEntry] = []
    by_title: dict[tuple[str, str], int] = {}
    by_quote: dict[str, int] = {}
    by_message: dict[tuple[str, int], list[int]] = {}
    for item in entries:
        if not item.aligned:
            merged.append(item)
            continue
        title = (item.entry.entry_type, folded(item.entry.title))
        where = _main_span(item)
        place = by_title.get(title) if _weight(title[1]) >= _MIN_TITLE else None
        if place is None and where is not None:
            candidates = by_message.get((item.entry.entry_type, where.message_index), [])
            place = next((i for i in candidates if _same_span(_main_span(merged[i]), where)), None)
        if place is None and where is not None:
            place = by_quote.get(folded(where.matched_text))
            if place is not None and _takes_and_asks(merged[place], item):
                place = None
        if place is None:
            place = len(merged)
            merged.append(item)
        else:
            merged[place] = _joined(merged[place], item)
        for text in _long_quotes(item):
            by_quote.setdefault(text, place)
        by_title.setdefault(title, place)
        if where is not None:
            slot = by_message.setdefault((item.entry.entry_type, where.message_index), [])
            if place not in slot:
                slot.append(place)
    return merged


def _merge_alike(entries: list[AlignedEntry]) -> list[AlignedEntry]:
    """Entries that share their rare words and contradict nothing: a talk comes back to what matters in it.

    Two tasks stay two, for their names tell them apart. What is rare is so among these entries: the outcome is that of one
    session read once, in its order, and merging it again may join more.
    """
    words = [words_of(item.entry.evidence[0].quote) if item.aligned else frozenset[str]() for item in entries]
    held = Counter(word for mine in words for word in mine)
    weight = {word: math.log((len(entries) + 1) / count) for word, count in held.items()}
    length = [math.sqrt(sum(weight[word] ** 2 for word in mine)) for mine in words]
    by_word: dict[str, list[int]] = {}
    kept: list[AlignedEntry | None] = []
    for number, item in enumerate(entries):
        shared: dict[int, float] = {}
        counts: Counter[int] = Counter()
        for word in words[number]:
            for other in by_word.get(word, ()) if held[word] <= _MOST_HOLDING else ():
                shared[other] = shared.get(other, 0.0) + weight[word] ** 2
                counts[other] += 1
        near = [
            (-shared[other] / (length[number] * length[other]), other)
            for other, count in counts.items()
            if count >= _LEAST_SHARED and shared[other] >= _ALIKE * length[number] * length[other]
        ]
        place = next((other for _, other in sorted(near) if _may_join(kept[other], item)), None)
        first = kept[place] if place is not None else None
        if place is None or first is None:
            kept.append(item)
            for word in words[number]:
                by_word.setdefault(word, []).append(number)
        else:
            kept[place] = _joined(item, first) if item.entry.entry_type == "task" else _joined(first, item)
            kept.append(None)
    return [item for item in kept if item is not None]


def _may_join(first: AlignedEntry | None, second: AlignedEntry) -> bool:
    if first is None or first.entry.entry_type == second.entry.entry_type == "task":
        return False
    if first.entry.evidence[0] == second.entry.evidence[0]:
        return False  # a reply decides, and asks for it to be done
    return not conflict(first.entry.evidence[0].quote, second.entry.evidence[0].quote)


def _takes_and_asks(first: AlignedEntry, second: AlignedEntry) -> bool:
    """Whether two entries are what a reply decides, and that it asks for what it takes."""
    one, other = first.entry, second.entry
    types = {one.entry_type, other.entry_type}
    return types == {"decision", "task"} and len(one.evidence) > 1 and one.evidence[:2] == other.evidence[:2]


def _main_span(item: AlignedEntry) -> AlignedEvidence | None:
    """The span that carries the entry, when its first quote was found."""
    first = item.evidence[0]
    return first if isinstance(first, AlignedEvidence) else None


def _long_quotes(item: AlignedEntry) -> Iterator[str]:
    for found in item.evidence:
        text = folded(found.matched_text) if isinstance(found, AlignedEvidence) else ""
        if _weight(text) >= _MIN_QUOTE:
            yield text


def _same_span(one: AlignedEvidence | None, other: AlignedEvidence) -> bool:
    """Whether two spans of a message share at least four fifths of the longer one."""
    if one is None or one.message_index != other.message_index:
        return False
    shared = min(one.span_end, other.span_end) - max(one.span_start, other.span_start)
    longer = max(one.span_end - one.span_start, other.span_end - other.span_start)
    return shared * 5 >= longer * 4


def _joined(first: AlignedEntry, second: AlignedEntry) -> AlignedEntry:
    quotes: list[Quote] = list(first.entry.evidence)
    evidence: list[Evidence] = list(first.evidence)
    for quote, found in zip(second.entry.evidence, second.evidence, strict=True):
        if isinstance(found, AlignedEvidence) and not any(_covers(known, found) for known in evidence):
            quotes.append(quote)
            evidence.append(found)
    steps = joined_history(first.entry, _said_at(first), second.entry, _said_at(second))
    return AlignedEntry(_joined_fields(first.entry, second.entry, tuple(quotes), steps), tuple(evidence))


def _joined_fields(
    first: ExtractedEntry, second: ExtractedEntry, quotes: tuple[Quote, ...], steps: tuple[StatusAt, ...]
) -> ExtractedEntry:
    """The fields of two entries that are one; ``steps`` are all statuses that they give it, the last one stands."""
    reason = first.reason or second.reason
    if first.entry_type != "task":
        return replace(first, evidence=quotes, reason=reason)
    return replace(
        first,
        evidence=quotes,
        reason=reason,
        status=steps[-1].status if steps else None,
        priority=first.priority or second.priority,
        blocked_by=tuple(dict.fromkeys((*first.blocked_by, *second.blocked_by))),
        history=changes(steps),
    )


def _said_at(item: AlignedEntry) -> int:
    """The message that carries the entry."""
    where = _main_span(item)
    return where.message_index if where is not None else item.entry.evidence[0].message_index


def _covers(known: Evidence, found: AlignedEvidence) -> bool:
    return (
        isinstance(known, AlignedEvidence)
        and known.message_index == found.message_index
        and known.span_start <= found.span_start
        and found.span_end <= known.span_end
    )


def _weight(text: str) -> int:
    bare = _NOT_SAID.sub("", text)
    return 2 * len(bare) - len(_HANGUL.sub("", bare))
