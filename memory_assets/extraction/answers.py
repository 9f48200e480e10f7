"""Reads a model's answer: strict about what may become an entry, lenient about everything around it.

One bad entry is dropped with a warning and never takes the others with it. Warnings name fields and places, never text; only
a status or priority that nobody knows is named by its word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memory_assets.extraction.answer_json import MAX_ANSWER_CHARACTERS, find_answer, whole_entries
from memory_assets.extraction.schema import ExtractedEntry, Quote
from memory_assets.extraction.status_names import HUMP, plain_name, priority_named, status_named
from memory_assets.extraction.titles import title_of
from memory_assets.text.half_characters import UNSTORABLE
from memory_assets.vocabulary import EntryType, Priority, TaskStatus

MAX_ENTRIES = 200
MAX_QUOTES = 5
MAX_BLOCKERS = 10
_MOST_TITLE = 120
"""Characters of a title, as the prompt asks for them."""
MAX_FIELD_CHARACTERS = 2_000
"""Longer texts of a model are no quote, title or reason; whatever limit the aligner has lies below."""
SPANS_REFUSED = "span fields refused"
"""The warning that a model gave positions."""
QUOTE_CHARACTERS = range(30, 201)
"""How long a quote should be: others are taken and counted."""

_SPAN_FIELD = re.compile(
    r"(?:char_?|text_)?(?:span|offset|position|range|location)s?(?:_?(?:start|end|begin|stop|from|to))?"
    r"|(?:char_?)?(?:start|end|begin|stop)(?:_?\w{1,10})?"
)
_OTHER_NAMES = {"entry_type": "type", "index": "message_index"}
_NO_NAME = re.compile(r"[^\w]")
# What moves the cursor, rings, or turns the direction of what follows has no place in a line for people.
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


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
    """An answer that could be read, whatever had to be left out of it; ``warnings`` counts by kind."""

    entries: tuple[ExtractedEntry, ...]
    warnings: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class UnreadableAnswer:
    """An answer that holds no object with a list of entries; ``reason`` may be told to the model."""

    reason: str


def read_answer(text: str) -> ReadAnswer | UnreadableAnswer:
    """The entries of a model's whole answer."""
    if not text.strip():
        return UnreadableAnswer("it is empty")
    if len(text) > MAX_ANSWER_CHARACTERS:
        return UnreadableAnswer("it is far too long")
    answer = find_answer(text)
    if answer is None:
        return UnreadableAnswer('it is no valid JSON object with a list "entries"')
    warnings: Counter[str] = Counter()
    if further := len(answer.keys() - {"entries"}):
        warnings["unknown fields dropped"] += further
    return ReadAnswer(_entries(answer["entries"], warnings), dict(warnings))


def read_broken_answer(text: str) -> ReadAnswer | UnreadableAnswer:
    """The whole entries of an answer that breaks off or is damaged behind them."""
    entries = whole_entries(text[:MAX_ANSWER_CHARACTERS])
    if not entries:
        return UnreadableAnswer("not one entry of it is whole")
    warnings: Counter[str] = Counter()
    return ReadAnswer(_entries(entries, warnings), dict(warnings))


def _entries(raw: Sequence[Any], warnings: Counter[str]) -> tuple[ExtractedEntry, ...]:
    if len(raw) > MAX_ENTRIES:
        warnings["entries beyond the limit dropped"] += len(raw) - MAX_ENTRIES
    read = (_entry(item, warnings) for item in raw[:MAX_ENTRIES])
    # A model that repeats itself says nothing new.
    return tuple(dict.fromkeys(entry for entry in read if entry is not None))


def _entry(raw: Any, warnings: Counter[str]) -> ExtractedEntry | None:
    if not isinstance(raw, dict):
        warnings["entries that are no objects dropped"] += 1
        return None
    try:
        answer = EntryAnswer.model_validate(_table(raw, warnings))
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"] if isinstance(part, str))
        warnings[f"invalid entries dropped ({place})"] += 1
        return None
    quotes = _quotes(answer.evidence, warnings)
    if not quotes:
        warnings["entries without evidence dropped"] += 1
        return None
    is_task = answer.type == "task"
    return ExtractedEntry(
        entry_type=answer.type,
        title=title_of(
            _INVISIBLE.sub(" ", _storable(answer.title[:MAX_FIELD_CHARACTERS])).strip() or quotes[0].quote, _MOST_TITLE
        ),
        evidence=quotes,
        reason=_said(answer.reason) if answer.reason else None,
        status=answer.status or "pending" if is_task else None,
        priority=answer.priority,
        blocked_by=tuple(dict.fromkeys(filter(None, map(_said, answer.blocked_by[:MAX_BLOCKERS])))),
    )


def _quotes(evidence: Sequence[QuoteAnswer], warnings: Counter[str]) -> tuple[Quote, ...]:
    quotes = dict.fromkeys(Quote(item.message_index, _storable(item.quote)) for item in evidence if item.quote.strip())
    taken = [quote for quote in quotes if len(quote.quote) <= MAX_FIELD_CHARACTERS and abs(quote.message_index) < 2**31]
    if len(taken) < len(quotes):
        warnings["quotes beyond every limit dropped"] += len(quotes) - len(taken)
    if len(taken) > MAX_QUOTES:
        warnings["quotes beyond the fifth dropped"] += len(taken) - MAX_QUOTES
    if odd := sum(len(quote.quote) not in QUOTE_CHARACTERS for quote in taken[:MAX_QUOTES]):
        warnings["quotes not of 30 to 200 characters"] += odd
    return tuple(taken[:MAX_QUOTES])


def _table(raw: Mapping[str, Any], warnings: Counter[str]) -> dict[str, Any]:
    """An entry in the schema's words; what belongs to another type is left out before it can be wrong."""
    table = _known(raw, EntryAnswer, warnings)
    table["type"] = _word(table.get("type"))
    is_task = table["type"] == "task"
    table["status"] = _named("status", table.get("status"), status_named, warnings) if is_task else None
    table["priority"] = _named("priority", table.get("priority"), priority_named, warnings) if is_task else None
    table["blocked_by"] = _blockers(table.get("blocked_by"), warnings) if is_task else []
    table["reason"] = table.get("reason") if table["type"] == "decision" else None
    if isinstance(table.get("evidence"), dict):
        table["evidence"] = [table["evidence"]]
    if isinstance(table.get("evidence"), list):
        table["evidence"] = [_quote(item, warnings) for item in table["evidence"]]
    return table


def _quote(raw: Any, warnings: Counter[str]) -> Any:
    if not isinstance(raw, dict):
        return raw
    table = _known(raw, QuoteAnswer, warnings)
    index = table.get("message_index")
    if isinstance(index, str) and index.isascii() and index.isdigit() and len(index) < 10:
        table["message_index"] = int(index)
    return table


def _known(raw: Mapping[str, Any], model: type[BaseModel], warnings: Counter[str]) -> dict[str, Any]:
    """The fields that the schema knows, in its spelling; spans and unknown ones are counted and gone."""
    known: dict[str, Any] = {}
    for given, value in raw.items():
        name = HUMP.sub("_", given[:40]).replace("-", "_").replace(" ", "_").lower()
        name = _OTHER_NAMES.get(name, name)
        if name in model.model_fields:
            known.setdefault(name, value)
        elif _SPAN_FIELD.fullmatch(name):
            warnings[SPANS_REFUSED] += 1
        else:
            warnings["unknown fields dropped"] += 1
    return known


def _word(value: Any) -> Any:
    """A word of the schema in its spelling: models write "In Progress"; nothing at all for an empty one."""
    if not isinstance(value, str):
        return value
    return HUMP.sub("_", value.strip()[:40]).replace("-", "_").replace(" ", "_").lower() or None


_Word = TypeVar("_Word", TaskStatus, Priority)


def _named(field: str, value: Any, known: Callable[[str], _Word | None], warnings: Counter[str]) -> _Word | None:
    """A task's status or priority; a word for one that nobody knows is warned of by its name, and the task stays."""
    if value is None or (isinstance(value, str) and plain_name(value) in ("", "none", "null")):
        return None
    found = known(value) if isinstance(value, str) else None
    if found is None:
        name = _NO_NAME.sub("?", plain_name(value)) if isinstance(value, str) else f"({type(value).__name__})"
        warnings[f"unknown {field} {name!r} left out"] += 1
    return found


def _blockers(value: Any, warnings: Counter[str]) -> list[str]:
    """What a task waits for, as a list of texts; what is none is counted, and the task stays."""
    given = value if isinstance(value, list) else [value] if value else []
    texts = [one for one in given if isinstance(one, str)]
    if len(texts) < len(given):
        warnings["blockers that are no texts dropped"] += len(given) - len(texts)
    return texts


def _said(text: str) -> str:
    return _storable(text).strip()[:MAX_FIELD_CHARACTERS]


def _storable(text: str) -> str:
    return UNSTORABLE.sub("\ufffd", text)
