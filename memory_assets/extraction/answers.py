"""Reads a model's answer: strict about what may become an entry, lenient about everything around it (E-15, E-16).

One bad entry is dropped with a warning and never takes the others with it. Warnings name fields and places, never text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memory_assets.extraction.schema import EntryType, ExtractedEntry, Priority, Quote, TaskStatus
from memory_assets.extraction.titles import title_of
from memory_assets.extraction.windows import Window

MAX_ENTRIES = 200

_SPAN_FIELD = re.compile(r"(?:span|offset|position|range)s?(?:_?(?:start|end))?|(?:char_?)?(?:start|end)(?:_?\w{1,10})?", re.I)
_OTHER_NAMES = {"messageIndex": "message_index", "entry_type": "type", "blockedBy": "blocked_by"}
_FENCED = re.compile(r"\A\s*```[a-z]{0,10}\s*\n(.*?)\n?```\s*\Z", re.DOTALL)


class QuoteAnswer(BaseModel):
    """One quote as a model gives it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    message_index: int = Field(description="the INDEX of the quoted message")
    quote: str = Field(description="30 to 200 characters, copied character for character")


class EntryAnswer(BaseModel):
    """One entry as a model gives it; every field is required, so that providers can hold the model to the schema."""

    model_config = ConfigDict(extra="forbid", strict=True)

    type: EntryType
    title: str
    evidence: list[QuoteAnswer]
    reason: str | None
    status: TaskStatus | None
    priority: Priority | None
    blocked_by: list[str]


class WindowAnswer(BaseModel):
    """The whole answer."""

    model_config = ConfigDict(extra="forbid", strict=True)

    entries: list[EntryAnswer]


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """An answer that could be read, whatever had to be left out of it."""

    entries: tuple[ExtractedEntry, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnreadableAnswer:
    """An answer that is no JSON object with a list of entries; ``reason`` may be told to the model."""

    reason: str


def read_answer(text: str, window: Window) -> ReadAnswer | UnreadableAnswer:
    """The entries of a model's answer for a window."""
    fenced = _FENCED.match(text)
    try:
        answer = json.loads(fenced.group(1) if fenced else text)
    except (ValueError, RecursionError) as error:
        return UnreadableAnswer(f"it is not valid JSON ({error.__class__.__name__})")
    if not isinstance(answer, dict) or not isinstance(answer.get("entries"), list):
        return UnreadableAnswer('it is not an object with a list "entries"')
    warnings: Counter[str] = Counter()
    entries: list[ExtractedEntry] = []
    for raw in answer["entries"][:MAX_ENTRIES]:
        entry = _entry(raw, window, warnings)
        if entry is not None:
            entries.append(entry)
    if len(answer["entries"]) > MAX_ENTRIES:
        warnings["entries beyond the limit dropped"] += len(answer["entries"]) - MAX_ENTRIES
    if answer.keys() - {"entries"}:
        warnings["unknown fields dropped"] += len(answer.keys() - {"entries"})
    return ReadAnswer(tuple(entries), tuple(f"{what}: {count}" for what, count in sorted(warnings.items())))


def _entry(raw: Any, window: Window, warnings: Counter[str]) -> ExtractedEntry | None:
    if not isinstance(raw, dict):
        warnings["entries that are no objects dropped"] += 1
        return None
    table = _known(raw, EntryAnswer, warnings)
    for name in ("reason", "status", "priority"):
        table.setdefault(name, None)
    table["blocked_by"] = table.get("blocked_by") or []
    if isinstance(table.get("evidence"), list):
        table["evidence"] = [_known(q, QuoteAnswer, warnings) if isinstance(q, dict) else q for q in table["evidence"]]
    try:
        answer = EntryAnswer.model_validate(table)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"] if isinstance(part, str))
        warnings[f"invalid entries dropped ({place})"] += 1
        return None
    quotes = tuple(Quote(q.message_index, q.quote) for q in answer.evidence)
    if not quotes:
        warnings["entries without evidence dropped"] += 1
        return None
    if window.context_start <= quotes[0].message_index < window.start:
        warnings["entries that rest on the context only dropped"] += 1
        return None
    is_task = answer.type == "task"
    return ExtractedEntry(
        entry_type=answer.type,
        title=title_of(answer.title.strip() or quotes[0].quote),
        evidence=quotes,
        reason=answer.reason if answer.type == "decision" else None,
        status=answer.status or "pending" if is_task else None,
        priority=answer.priority if is_task else None,
        blocked_by=tuple(answer.blocked_by) if is_task else (),
    )


def _known(raw: dict[str, Any], model: type[BaseModel], warnings: Counter[str]) -> dict[str, Any]:
    """The fields that the schema knows; spans and unknown ones are counted and gone."""
    known: dict[str, Any] = {}
    for given, value in raw.items():
        name = _OTHER_NAMES.get(given, given)
        if name in model.model_fields:
            known[name] = value
        elif _SPAN_FIELD.fullmatch(name):
            warnings["span fields refused"] += 1
        else:
            warnings["unknown fields dropped"] += 1
    return known
