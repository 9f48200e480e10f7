"""A model that answers what careful readers marked in the sessions of ``../shared/data/gold``, in the ways that models have.

It knows nothing but the request: it finds the marked quotes in the messages that it was shown, and names those messages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_assets_tests.extraction.provider import Asked, Reply

_SHOWN = re.compile(r"<<<message (\d+) \w+( \(context\))? ([0-9a-f]{16})>>>\n(.*?)\n<<<end \3>>>", re.DOTALL)


@dataclass(frozen=True)
class Shown:
    """A message as the model sees it."""

    index: int
    context: bool
    text: str


def shown(asked: Asked) -> list[Shown]:
    """The messages of a request."""
    return [Shown(int(m[1]), bool(m[2]), m[4]) for m in _SHOWN.finditer(asked["messages"][1]["content"])]


class GoldModel:
    """Answers with the gold; its habits change from answer to answer, the same each time."""

    def __init__(self, folder: Path, annotators: Sequence[str] = ("A", "B", "C")) -> None:
        read = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
        self.gold = [gold for gold in read if gold["annotator"] in annotators]
        self.answered = 0

    @property
    def files(self) -> list[str]:
        """The session files that were read by somebody."""
        return sorted({gold["file"] for gold in self.gold})

    def __call__(self, asked: Asked) -> str | Reply:
        messages = shown(asked)
        entries = max(([*self._entries(gold, messages)] for gold in self.gold), key=len, default=[])
        self.answered += 1
        return self._in_its_manner([self._misplaced(entry, messages) for entry in entries])

    @staticmethod
    def _entries(gold: dict[str, Any], messages: Sequence[Shown]) -> list[dict[str, Any]]:
        entries = []
        for entry in gold["entries"]:
            places = [
                (place, marked["quote"])
                for marked in [entry, *entry.get("also", [])]
                if (place := _place(marked["quote"], messages)) is not None
            ]
            if not places or places[0][0].context:
                continue
            task = entry.get("task") or {}
            entries.append(
                {
                    "type": entry["type"],
                    "title": entry["title"],
                    "evidence": [{"message_index": place.index, "quote": quote} for place, quote in places],
                    "reason": None,
                    "status": task.get("status"),
                    "priority": task.get("priority"),
                    "blocked_by": task.get("blocked_by") or [],
                }
            )
        return entries

    def _misplaced(self, entry: dict[str, Any], messages: Sequence[Shown]) -> dict[str, Any]:
        """Every fifth answer counts its messages one too far, as models do."""
        if self.answered % 5 != 0:
            return entry
        last = messages[-1].index
        moved = [{**quote, "message_index": min(quote["message_index"] + 1, last)} for quote in entry["evidence"]]
        return {**entry, "evidence": moved}

    def _in_its_manner(self, entries: list[dict[str, Any]]) -> str | Reply:
        text = json.dumps({"entries": entries}, ensure_ascii=False)
        match self.answered % 7:
            case 1:
                return f"Here is what I found.\n\n```json\n{text}\n```\n"
            case 2:
                return text.replace('"message_index"', '"messageIndex"').replace('"blocked_by"', '"blockedBy"')
            case 3:
                return json.dumps(entries)
            case 4:
                return text.replace('"quote": ', '"spanStart": 12, "span_end": 30, "quote": ')
            case 5:
                return Reply(json.dumps({"entries": entries}, indent=2))
        return text


def _place(quote: str, messages: Sequence[Shown]) -> Shown | None:
    """The message that holds a quote, one of the window's own before one of its context."""
    holding = [message for message in messages if quote in message.text]
    return min(holding, key=lambda message: message.context, default=None)
