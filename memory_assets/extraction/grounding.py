"""Holds what a model says beside its quotes to the session as well: it may only quote.

A title is the model's own line and shown as a title. A decision's reason and a task's blockers are shown as what was said:
they stay only when they stand in a message that the model was shown, and then in the session's characters, not the model's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memory_assets.evidence.aligner import Aligner
from memory_assets.evidence.model import AlignedEvidence
from memory_assets.extraction.schema import ExtractedEntry, Quote
from memory_assets.extraction.windows import Window, quotable_texts
from memory_assets.sessions.model import Message
from memory_assets.sessions.origins import origin_at, origins_of
from memory_assets.vocabulary import Origin

_WORD = re.compile("[A-Za-z0-9]")
_NOT_BEHIND, _NOT_BEFORE = "(?<![A-Za-z0-9])", "(?![A-Za-z0-9])"


@dataclass(frozen=True, slots=True)
class Grounded:
    """Entries that say nothing but quotes and titles, and how many claims were left out, by kind."""

    entries: tuple[ExtractedEntry, ...]
    warnings: Counter[str]


def ground(entries: Iterable[ExtractedEntry], messages: Sequence[Message], window: Window) -> Grounded:
    """The entries that are this window's own, their reasons and blockers in the session's words.

    What rests on a program's text is left out, and a preference that rests on text which a person handed over.

    An entry belongs to the window before when its first quote stands in the context only, wherever the model says that it
    stands. A quote that is nowhere stays as it is: its failure is seen where all quotes are aligned.
    """
    shown = _Shown(messages, window)
    warnings: Counter[str] = Counter()
    kept = []
    for entry in entries:
        if shown.in_context_only(entry.evidence[0]):
            warnings["entries that rest on the context only dropped"] += 1
            continue
        origin = shown.origin(entry.evidence[0])
        if origin in ("template", "tool") or (origin == "pasted" and entry.entry_type == "preference"):
            warnings[f"{entry.entry_type} entries that rest on {origin} text dropped"] += 1
            continue
        kept.append(_grounded(entry, shown, warnings))
    return Grounded(tuple(kept), warnings)


def _grounded(entry: ExtractedEntry, shown: _Shown, warnings: Counter[str]) -> ExtractedEntry:
    near = entry.evidence[0].message_index
    reason = shown.said(entry.reason, near) if entry.reason else None
    if entry.reason and reason is None:
        warnings["reasons that nobody said dropped"] += 1
    blockers = [shown.said(blocker, near) for blocker in entry.blocked_by]
    if None in blockers:
        warnings["blockers that nobody said dropped"] += blockers.count(None)
    said = tuple(dict.fromkeys(blocker for blocker in blockers if blocker is not None))
    return replace(entry, reason=reason, blocked_by=said)


class _Shown:
    """The messages that a model was shown for a window; the others are empty."""

    def __init__(self, messages: Sequence[Message], window: Window) -> None:
        self._messages = messages
        self._window = window
        self._aligner = Aligner()
        self._texts = quotable_texts(messages, window.context_start, window.end)
        self._titles = {" ".join(title.split()) for _, title in window.numbered}

    def in_context_only(self, quote: Quote) -> bool:
        found = self._aligner.align(self._texts, quote.quote, quote.message_index)
        index = found.message_index if isinstance(found, AlignedEvidence) else quote.message_index
        return self._window.context_start <= index < self._window.start

    def origin(self, quote: Quote) -> Origin | None:
        """Who wrote the words of a quote; None where it is not found, or stands in what a tool was told or answered."""
        found = self._aligner.align(self._texts, quote.quote, quote.message_index)
        if not isinstance(found, AlignedEvidence) or self._messages[found.message_index].kind != "said":
            return None
        return origin_at(origins_of(self._messages[found.message_index]), found.span_start)

    def said(self, text: str, near: int) -> str | None:
        """The session's own characters for a text, looked for in the message ``near`` first; None when nobody said it.

        Whole words only: "PR #1" is not said where "PR #12" is. The title of a task that the window names by its number
        was said when the task was made.
        """
        if text in self._titles or any(map(_whole(text).search, self._texts)):
            return text
        start = min(max(near, self._window.context_start), self._window.end - 1)
        found = self._aligner.align(self._texts, text, start)
        if not isinstance(found, AlignedEvidence) or found.critical:
            return None
        matched = found.matched_text
        return matched if _whole(matched).match(self._texts[found.message_index], found.span_start) else None


def _whole(text: str) -> re.Pattern[str]:
    """A text that is not the part of a longer Latin word or number at either of its ends."""
    before = _NOT_BEHIND if _WORD.match(text) else ""
    return re.compile(before + re.escape(text) + (_NOT_BEFORE if _WORD.match(text[-1:]) else ""))
