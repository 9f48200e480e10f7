"""Things in full: the text in its place, who said it, what it rests on and what hangs on it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memory_assets.citations.addresses import MessageCitation, SpanCitation, parse_citation
from memory_assets.errors import InvalidArgumentError
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.queries.relations import related_to
from memory_assets.queries.resolve_ids import MessageSpan, ResolvedId, UnresolvedId, resolve_ids
from memory_assets.queries.timeline import PREVIEW_LENGTH, check_ids, unanswered
from memory_assets.results.citation import CitationV1
from memory_assets.results.details import BesideV1, DetailMetadataV1, DetailsV1, DetailV1, RelatedItemV1
from memory_assets.search.answers.backing import backings
from memory_assets.search.answers.budget import Cut, cut_to
from memory_assets.search.answers.corrections import Place
from memory_assets.search.answers.layers import DETAILS_TOKENS
from memory_assets.search.answers.said_otherwise import said_instead_where
from memory_assets.text.tokens import estimate_tokens

if TYPE_CHECKING:
    import duckdb

    from memory_assets.vocabulary import Assurance, Origin

LEAST_BUDGET = 60
"""Tokens for one id; with fewer not even its title and address are there."""
MOST_CITED = 5
MOST_RELATED = 8
_FENCE = re.compile(r"^[ \t]{0,12}(?:```|~~~)", re.MULTILINE)
_GAP = " … "
_SIDES = ("before", "after")

# Shares of an id's tokens that each part may take before the others have had theirs; what one leaves the text takes.
_TITLE, _TEXT, _QUOTES, _RELATED, _BESIDE = 0.12, 0.5, 0.25, 0.2, 0.12
_LEAST_TEXT = 0.25
"""The share that is the text's whatever comes before it; an address that leaves less is left out."""
_LEAST_TITLE = 12
"""Tokens that a title may take of the smallest share."""

_UNITS = f"""
SELECT u.unit_id, u.body, u.entry_type, u.stage, u.status, u.confidence, u.project, u.worktree, u.session_id, u.role, u.speaker,
  u.occurred_at, coalesce(m.checker, ''), s.title, t.current_json ->> '$.status', t.current_json ->> '$.priority',
  (SELECT list(DISTINCT value ORDER BY value) FROM unit_facets f WHERE f.unit_id = u.unit_id AND f.facet = 'file'), u.origin
FROM memory_units u LEFT JOIN memories m ON u.unit_kind = 'entry' AND m.memory_id = u.source_id
LEFT JOIN sessions s ON s.session_id = u.session_id
LEFT JOIN entities t ON u.unit_kind = 'task' AND t.entity_id = u.source_id
WHERE u.unit_id IN {IN_LIST}
"""
_MESSAGES = """
WITH places AS (
  SELECT DISTINCT * FROM (SELECT unnest(from_json(?, '[{"session_id": "VARCHAR", "message_index": "INTEGER"}]'),
    recursive := true))
)
SELECT m.session_id, m.message_index, m.role, m.kind, coalesce(m.name, m.tool_name), m.ts, m.text, s.source_uri, s.title,
  s.project, s.cwd
FROM places p JOIN messages m USING (session_id, message_index) JOIN sessions s USING (session_id)
"""
# The passage that holds each place, and the ones beside it.
_PASSAGES = """
WITH points AS (
  SELECT unnest(from_json(?, '[{"n": "INTEGER", "session_id": "VARCHAR", "message_index": "INTEGER", "start": "INTEGER"}]'),
    recursive := true)
), here AS (
  SELECT p.n, p.session_id, max(u.place) AS place, arg_max(u.message_index = p.message_index AND p.start < u.span_end, u.place)
    AS is_held
  FROM points p JOIN memory_units u ON u.unit_kind = 'passage' AND u.session_id = p.session_id
    AND (u.message_index, u.span_start) <= (p.message_index, p.start)
  GROUP BY p.n, p.session_id
)
SELECT h.n, u.place - h.place + CASE WHEN h.is_held OR u.place > h.place THEN 0 ELSE -1 END, u.message_index, u.span_start,
  u.span_end, u.body, u.occurred_at, coalesce(u.speaker, u.role, ''), u.session_id, m.char_len
FROM here h JOIN memory_units u ON u.unit_kind = 'passage' AND u.session_id = h.session_id
  AND u.place BETWEEN h.place - 1 AND h.place + 1
JOIN messages m ON m.session_id = u.session_id AND m.message_index = u.message_index
"""


@dataclass(frozen=True, slots=True)
class _Unit:
    """What the store knows of a unit; the names are those of ``memory_units``."""

    body: str
    entry_type: str | None
    stage: str
    status: str
    confidence: float
    project: str | None
    worktree: str | None
    session_id: str | None
    role: str | None
    speaker: str | None
    occurred_at: datetime
    checker: str
    session_title: str | None
    task_status: str | None
    priority: str | None
    files: Sequence[str] | None
    origin: Origin | None
    assurance: Assurance


@dataclass(frozen=True, slots=True)
class _Message:
    role: str
    kind: str
    name: str | None
    ts: datetime
    text: str
    source_uri: str | None
    session_title: str | None
    project: str | None
    worktree: str | None


@dataclass(frozen=True, slots=True)
class _Passage:
    message_index: int
    start: int
    end: int
    body: str
    ts: datetime
    speaker: str
    session_id: str
    message_length: int

    @property
    def place(self) -> MessageSpan:
        return MessageSpan(self.session_id, self.message_index, ((self.start, max(self.end, self.start + 1)),))


@dataclass(frozen=True, slots=True)
class _Known:
    """What was read of all ids together."""

    units: Mapping[str, _Unit]
    messages: Mapping[tuple[str, int], _Message]
    passages: Mapping[tuple[int, int], _Passage]
    related: Mapping[str, Sequence[RelatedItemV1]]


def details(connection: duckdb.DuckDBPyConnection, ids: Sequence[str], *, budget: int | None = None) -> DetailsV1:
    """Some things in full.

    Args:
        ids: citations, and ids of units, memories, entries and tasks.
        budget: tokens of all together, a hard cap; None for about 500 for each id.

    Raises:
        InvalidArgumentError: no id, too many, or a budget that holds nothing.
    """
    check_ids(ids)
    named = resolve_ids(connection, ids)
    targets = [one for one in named if isinstance(one, ResolvedId)]
    total = DETAILS_TOKENS * len(targets) if budget is None else budget
    if budget is not None and budget < LEAST_BUDGET * max(len(targets), 1):
        raise InvalidArgumentError(
            f"a budget of {budget} tokens does not hold {len(targets)} things",
            hint=f"at least {LEAST_BUDGET} for each; leave it out for the usual {DETAILS_TOKENS}",
        )
    known = _known(connection, targets)
    items: list[DetailV1] = []
    left = total
    for n, target in enumerate(targets):
        # What one thing did not need, the ones behind it may have.
        share = left // (len(targets) - n)
        items.append(_detail(n, target, known, share if budget is not None else min(share, DETAILS_TOKENS)))
        left -= items[-1].tokens
    return DetailsV1(
        items=tuple(_said_otherwise(connection, targets, items)),
        errors=tuple(unanswered(one) for one in named if isinstance(one, UnresolvedId)),
        budget=total,
        estimated_tokens=total - left,
    )


def _said_otherwise(
    connection: duckdb.DuckDBPyConnection, targets: Sequence[ResolvedId], items: Sequence[DetailV1]
) -> list[DetailV1]:
    """The things, and of each that shows what a person corrected, or what stands beside it, what they said instead."""
    shown: dict[tuple[int, str], tuple[Sequence[Place], str]] = {}
    for n, (target, item) in enumerate(zip(targets, items, strict=True)):
        words = [item.text, *(citation.quote or "" for citation in item.citations)]
        shown[n, ""] = ([(place.session_id, place.message_index) for place in target.places], "\n".join(words))
        for side in _SIDES:
            if (beside := getattr(item, side)) is not None:
                shown[n, side] = ([_place_of(beside.uri)], beside.preview)
    instead = said_instead_where(connection, shown)
    return [
        item.model_copy(
            update={
                "said_otherwise": instead.get((n, "")),
                **{
                    side: getattr(item, side).model_copy(update={"said_otherwise": instead[n, side]})
                    for side in _SIDES
                    if (n, side) in instead
                },
            }
        )
        for n, item in enumerate(items)
    ]


def _place_of(uri: str) -> Place:
    citation = parse_citation(uri)
    assert isinstance(citation, MessageCitation | SpanCitation), uri  # a passage stands in a message
    return citation.session_id, citation.message_index


def _known(connection: duckdb.DuckDBPyConnection, targets: Sequence[ResolvedId]) -> _Known:
    places = [place for target in targets for place in target.places[:MOST_CITED]]
    points = [
        {"n": n, "session_id": place.session_id, "message_index": place.message_index, "start": place.start}
        for n, target in enumerate(targets)
        for place in target.places[:1]
    ]
    cited = [{"session_id": place.session_id, "message_index": place.message_index} for place in places]
    return _Known(
        units=_units(connection, targets),
        messages={(row[0], row[1]): _Message(*row[2:]) for row in fetch(connection, _MESSAGES, [json.dumps(cited)])},
        passages={(row[0], row[1]): _Passage(*row[2:]) for row in fetch(connection, _PASSAGES, [json.dumps(points)])},
        related=related_to(connection, targets),
    )


def _units(connection: duckdb.DuckDBPyConnection, targets: Sequence[ResolvedId]) -> dict[str, _Unit]:
    rows = fetch(connection, _UNITS, [json_list(one.unit_id for one in targets if one.unit_id)])
    named = {one.unit_id: one for one in targets if one.unit_id}
    backed = backings(connection, (one.source_id for one in named.values()))
    return {
        row[0]: _Unit(*(*row[1:], backed.assurance(named[row[0]].unit_kind or "", named[row[0]].source_id, row[3])))
        for row in rows
    }


def _detail(n: int, target: ResolvedId, known: _Known, cap: int) -> DetailV1:
    """One thing within its tokens: first a little of everything, and what is left over goes to the text."""
    unit = known.units.get(target.unit_id or "")
    first = target.places[0] if target.places else None
    message = known.messages.get((first.session_id, first.message_index)) if first else None
    full, place = _full_text(target, unit, first, message, known.passages.get((n, 0)))
    title = cut_to(" ".join(target.title.split()), max(int(cap * _TITLE), _LEAST_TITLE))
    uri = place.uri(len(message.text) if message else None) if place else None
    is_addressed = title.tokens + estimate_tokens(uri or "") <= cap * (1 - _LEAST_TEXT)
    if not is_addressed:  # one of many parts may cost more than all that there is
        uri = None
    fixed = title.tokens + estimate_tokens(uri or target.address or "")
    text = cut_to(full, max(0, min(int(cap * _TEXT), cap - fixed)))
    left = cap - fixed - text.tokens
    citations, cost = _citations(target, known, full, text.text, int(min(left, cap * _QUOTES)))
    left -= cost
    found = known.related.get(target.given, ())
    related, cost = _related(found, int(min(left, cap * _RELATED)))
    left -= cost
    beside = {}
    for side in (-1, 1):
        if passage := known.passages.get((n, side)):
            beside[side] = _beside(passage, int(min(left, cap * _BESIDE)))
            left -= beside[side][1]
    if text.lost and left > 0:
        longer = cut_to(full, text.tokens + left)
        left -= longer.tokens - text.tokens
        text = longer
    return DetailV1(
        given=target.given,
        id=target.address,
        unit_id=target.unit_id,
        unit_kind=target.unit_kind,
        title=title.text,
        text=text.text,
        text_uri=uri,
        before=beside[-1][0] if -1 in beside else None,
        after=beside[1][0] if 1 in beside else None,
        metadata=_metadata(target, unit, first, message, full),
        citations=citations,
        is_cited=bool(target.places),
        related=related,
        cut=tuple(_left_out(text, len(target.places) - len(citations), len(found) - len(related), is_addressed)),
        tokens=cap - left,
    )


def _full_text(
    target: ResolvedId, unit: _Unit | None, first: MessageSpan | None, message: _Message | None, passage: _Passage | None
) -> tuple[str, MessageSpan | None]:
    """The text that is shown of a thing, and where it stands, if that is one place."""
    if target.unit_kind == "entry" and passage is not None and first is not None and passage.body:
        return passage.body, passage.place
    if unit is not None:
        return unit.body, first if target.unit_kind == "passage" else None
    if message is not None and first is not None:
        return _GAP.join(message.text[start:end] for start, end in first.segments), first
    return "", first


def _citations(target: ResolvedId, known: _Known, full: str, shown: str, cap: int) -> tuple[tuple[CitationV1, ...], int]:
    """The first places that a thing rests on, and their cost. What a passage or task shows of itself is not quoted again."""
    kept: list[CitationV1] = []
    left = cap
    for place in target.places[:MOST_CITED]:
        message = known.messages.get((place.session_id, place.message_index))
        if message is None:
            continue
        quote = _GAP.join(message.text[start:end] for start, end in place.segments)
        address = estimate_tokens(place.uri(len(message.text)))
        is_told = quote == full or (target.unit_kind == "task" and quote in shown)
        cut = Cut("", 0) if is_told else cut_to(quote, left - address)
        if address + cut.tokens > left or not (is_told or cut.text):
            break
        left -= address + cut.tokens
        whole = place.segments == ((0, len(message.text)),)
        kept.append(
            CitationV1.of(
                MessageCitation(place.session_id, place.message_index)
                if whole
                else SpanCitation(place.session_id, place.message_index, place.segments),
                id=target.address if target.unit_kind == "entry" else None,
                path=message.source_uri,
                role=message.role,
                name=message.name,
                ts=message.ts,
                quote=cut.text or None,
                label=f"{message.name or message.role}, {message.ts:%Y-%m-%d %H:%M}",
            )
        )
    return tuple(kept), cap - left


def _related(found: Sequence[RelatedItemV1], cap: int) -> tuple[tuple[RelatedItemV1, ...], int]:
    kept: list[RelatedItemV1] = []
    left = cap
    for one in found[:MOST_RELATED]:
        address = estimate_tokens(f"{one.relation} {one.id}")
        title = cut_to(" ".join(one.title.split()), left - address)
        if not title.text:
            break
        left -= address + title.tokens
        kept.append(one.model_copy(update={"title": title.text}))
    return tuple(kept), cap - left


def _beside(passage: _Passage, cap: int) -> tuple[BesideV1 | None, int]:
    uri = passage.place.uri(passage.message_length)
    address = estimate_tokens(uri)
    line = " ".join(passage.body[: 2 * PREVIEW_LENGTH].split())[:PREVIEW_LENGTH]
    preview = cut_to(line, cap - address)
    if not preview.text:
        return None, 0
    return BesideV1(uri=uri, speaker=passage.speaker, ts=passage.ts, preview=preview.text), address + preview.tokens


def _metadata(
    target: ResolvedId, unit: _Unit | None, first: MessageSpan | None, message: _Message | None, text: str
) -> DetailMetadataV1:
    return DetailMetadataV1(
        entry_type=unit.entry_type if unit else None,
        stage=unit.stage if unit else None,
        checker=(unit.checker or None) if unit else None,
        status=unit.status if unit else None,
        confidence=unit.confidence if unit else None,
        task_status=unit.task_status if unit else None,
        priority=unit.priority if unit else None,
        project=unit.project if unit else message.project if message else None,
        worktree=unit.worktree if unit else message.worktree if message else None,
        session_id=unit.session_id if unit else first.session_id if first else None,
        session_title=message.session_title if message else unit.session_title if unit else None,
        message_index=first.message_index if first else None,
        role=message.role if message else unit.role if unit else None,
        speaker=message.name if message else unit.speaker if unit else None,
        said_at=message.ts if message else unit.occurred_at if unit else None,
        token_count=estimate_tokens(text),
        has_code=_FENCE.search(text) is not None,
        files=tuple(unit.files or ()) if unit else (),
        assurance=unit.assurance if unit else "quoted",
        origin=unit.origin if unit else None,
    )


def _left_out(text: Cut, citations: int, related: int, is_addressed: bool) -> list[str]:
    said = [
        (text.lost, "character of the text", "characters of the text"),
        (citations, "place where it is said", "places where it is said"),
        (related, "thing that hangs on it", "things that hang on it"),
    ]
    counted = [f"{count:,} {one if count == 1 else many}" for count, one, many in said if count > 0]
    return counted if is_addressed else [*counted, "its address"]
