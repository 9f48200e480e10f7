"""What the four may answer, as a schema, and how an answer is read: one bad claim takes no other with it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memory_assets.court.findings import SPEAKS, CourtRole, EvidencePart, FindingKind, Polarity, Severity
from memory_assets.extraction.answer_json import MAX_ANSWER_CHARACTERS
from memory_assets.text.half_characters import UNSTORABLE

MOST_CANDIDATES: Final = 20
MOST_QUOTES: Final = 5
MOST_EXCEPTIONS: Final = 5
MOST_NUMBERS: Final = 200
_PLACES: Final = 50
"""Brackets of an answer that are tried as its beginning."""
_DECODER: Final = json.JSONDecoder()
_FENCED = re.compile(r"\A\s{0,20}```[^\n]{0,20}\n(?P<inside>.*?)```\s{0,20}\Z", re.DOTALL)
_THOUGHTS_END: Final = "</think>"

Sureness = Literal["low", "medium", "high"]
WhyDeferred = Literal[
    "it holds for this case alone",
    "its words do not show it",
    "nobody can act on it",
    "another one says the same",
    "another one says otherwise",
    "it matters too little",
]
"""Why the judge leaves a claim out, in words of ours: what a model writes freely may be the session's."""
WHY_DEFERRED: Final[tuple[WhyDeferred, ...]] = get_args(WhyDeferred)


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class QuoteAnswer(_Answer):
    """Words of an event."""

    event: str = Field(description="the LABEL of the event")
    quote: str = Field(description="copied from that event character for character, at most 300 characters")
    part: EvidencePart


class CandidateAnswer(_Answer):
    """A candidate for a lesson; every field is required, so that providers can hold the model to the schema."""

    kind: FindingKind
    role: str = Field(description="who should learn it, as coder, planner, reviewer, user, system")
    polarity: Polarity
    severity: Severity
    title: str
    rule: str
    trigger: str
    exceptions: list[str]
    sureness: Sureness
    is_speculation: bool
    evidence: list[QuoteAnswer]


class StatementAnswer(_Answer):
    """The whole answer of the prosecutor, the defense or the jury."""

    candidate_lessons: list[CandidateAnswer]


class DeferredAnswer(_Answer):
    """A candidate that the judge leaves out."""

    number: int
    reason: WhyDeferred


class JudgementAnswer(_Answer):
    """The whole answer of the judge."""

    selected: list[int]
    deferred: list[DeferredAnswer]


@dataclass(frozen=True, slots=True)
class StatementRead:
    """What somebody claims, as far as it keeps to the schema; ``dropped`` counts the rest by reason."""

    candidates: tuple[CandidateAnswer, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JudgementRead:
    """The numbers that the judge names; ``unusable`` counts what it names otherwise."""

    selected: tuple[int, ...]
    deferred: Mapping[int, WhyDeferred]
    unusable: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An answer that cannot be used; ``reason`` may be told to the model."""

    reason: str


def kinds_of(role: CourtRole) -> tuple[FindingKind, ...]:
    """What somebody may bring before the judge."""
    return tuple(kind for kind, speaker in SPEAKS.items() if speaker == role)


def statement_schema(role: CourtRole) -> dict[str, Any]:
    """The JSON Schema of a statement, with the kinds that are this role's alone."""
    schema = StatementAnswer.model_json_schema()
    schema["$defs"]["CandidateAnswer"]["properties"]["kind"]["enum"] = list(kinds_of(role))
    return schema


def judgement_schema() -> dict[str, Any]:
    """The JSON Schema of a judgement."""
    return JudgementAnswer.model_json_schema()


def read_statement(text: str) -> StatementRead | Unreadable:
    """The candidates of an answer."""
    answer = _answer_with(text, "candidate_lessons")
    if isinstance(answer, Unreadable):
        return answer
    raw = answer["candidate_lessons"]
    if not isinstance(raw, list):
        return Unreadable('"candidate_lessons" is no list')
    dropped: Counter[str] = Counter()
    if len(raw) > MOST_CANDIDATES:
        dropped["it is beyond the most that are read"] += len(raw) - MOST_CANDIDATES
    candidates = []
    for one in raw[:MOST_CANDIDATES]:
        candidate = _candidate(one)
        if candidate is None:
            dropped["it does not keep to the schema"] += 1
        else:
            candidates.append(candidate)
    if raw and not candidates:
        return Unreadable("not one of its candidate lessons keeps to the schema")
    return StatementRead(tuple(candidates), dict(dropped))


def read_judgement(text: str) -> JudgementRead | Unreadable:
    """The numbers of an answer; what is both selected and deferred is deferred."""
    answer = _answer_with(text, "selected")
    if isinstance(answer, Unreadable):
        return answer
    selected, deferred = answer["selected"], answer.get("deferred", [])
    if not isinstance(selected, list) or not isinstance(deferred, list):
        return Unreadable('"selected" and "deferred" are no lists')
    numbers = [one for one in selected[:MOST_NUMBERS] if isinstance(one, int) and not isinstance(one, bool)]
    reasons: dict[int, WhyDeferred] = {}
    for one in deferred[:MOST_NUMBERS]:
        try:
            told = DeferredAnswer.model_validate(_known(one, DeferredAnswer))
        except ValidationError:
            continue
        reasons.setdefault(told.number, told.reason)
    unusable = len(selected) - len(numbers) + len(deferred) - len(reasons)
    return JudgementRead(tuple(one for one in dict.fromkeys(numbers) if one not in reasons), reasons, unusable)


def _candidate(raw: Any) -> CandidateAnswer | None:
    """A candidate with the fields that the schema knows; offsets and the like are not read."""
    known = _known(raw, CandidateAnswer)
    if isinstance(known, dict) and isinstance(known.get("evidence"), list):
        known["evidence"] = [_known(one, QuoteAnswer) for one in known["evidence"][: MOST_QUOTES + 1]]
    try:
        return CandidateAnswer.model_validate(known)
    except ValidationError:
        return None


def _known(raw: Any, model: type[BaseModel]) -> Any:
    if not isinstance(raw, dict):
        return raw
    return {name: value for name, value in raw.items() if name in model.model_fields}


def _answer_with(text: str, name: str) -> dict[str, Any] | Unreadable:
    """The object that has a field, also where prose, a fence or thoughts stand around it; bounded in all ways."""
    if not text.strip():
        return Unreadable("it is empty")
    if len(text) > MAX_ANSWER_CHARACTERS:
        return Unreadable("it is far too long")
    said = UNSTORABLE.sub("\ufffd", text).rpartition(_THOUGHTS_END)[2]
    fenced = _FENCED.match(said)
    said = fenced["inside"] if fenced else said
    position = -1
    for _ in range(_PLACES):
        position = said.find("{", position + 1)
        if position < 0:
            break
        try:
            value, end = _DECODER.raw_decode(said, position)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and name in value:
            return value
        position = end - 1
    return Unreadable(f'it is no valid JSON object with "{name}"')
