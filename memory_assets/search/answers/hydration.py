"""Units that search found, with the text and the places that the index does not keep."""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.citations.addresses import MessageCitation, SpanCitation
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import text_list
from memory_assets.results.citation import AnyCitationV1, CitationV1
from memory_assets.results.search import BonusV1, HitStepsV1, LegPlaceV1, RelatedV1, SearchHitV1
from memory_assets.search.answers.backing import Backings, backings
from memory_assets.search.answers.beside import FoundPassages
from memory_assets.search.answers.shown import shown
from memory_assets.search.answers.unit_citations import CITED, CitedMessage, cited_messages, place_citation
from memory_assets.text.tokens import estimate_tokens

if TYPE_CHECKING:
    import duckdb

    from memory_assets.search.question.terms import Term
    from memory_assets.search.ranking.ranking import RankedHit
    from memory_assets.vocabulary import Origin

# What is shown with a hit.
MOST_RELATED = 5

_UNITS = """
SELECT u.unit_id, u.unit_kind, u.source_id, u.title, u.summary, u.body, u.stage, u.status, u.project, u.session_id, u.role,
  u.speaker, u.occurred_at, u.citations_json, u.origin, 'mem:' || m.short_id, m.checker, s.source_uri
FROM (SELECT * FROM memory_units WHERE unit_id IN (SELECT unnest({unit_ids}))) u
LEFT JOIN memories m ON u.unit_kind = 'entry' AND m.memory_id = u.source_id
LEFT JOIN sessions s ON s.session_id = u.session_id
"""
# Up to fifty values DuckDB looks for while it reads; with more it reads every row whole (among 100,000: 24 ms of CPU, not 3).
_AT_ONCE = 48
# What rests on the words of a hit stands not far behind it.
_LOOKED_THROUGH = 100

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class FoundUnit:
    """A row of ``memory_units`` that search found.

    Attributes:
        cited: its first places; ``places`` are the messages of these.
        address: what it is asked for by: a memory's citation, a task's id.
        path: the file that its session was last read from.
        origin: who wrote a passage.
    """

    unit_id: str
    unit_kind: str
    source_id: str
    title: str
    summary: str
    body: str
    stage: str
    status: str
    project: str | None
    session_id: str | None
    role: str | None
    speaker: str | None
    occurred_at: datetime
    cited: tuple[dict[str, Any], ...]
    places: frozenset[Place]
    address: str | None
    checker: str | None
    path: str | None
    origin: Origin | None

    @property
    def is_passage(self) -> bool:
        return self.unit_kind == "passage"


@dataclass(frozen=True, slots=True)
class Related:
    """A unit that is shown with another one: for resting on the same words, or for the edge that leads to it."""

    unit: FoundUnit
    relation: str | None = None


@dataclass(slots=True)
class Chosen:
    """A unit that is delivered, and what is shown with it.

    Attributes:
        beside: passages that stand beside it, whose words its snippet may show.
    """

    ranked: RankedHit
    unit: FoundUnit
    related: list[Related]
    beside: tuple[FoundUnit, ...] = ()

    @property
    def units(self) -> tuple[FoundUnit, ...]:
        """Everything that is shown."""
        return (self.unit, *(other.unit for other in self.related))


def found_units(connection: duckdb.DuckDBPyConnection, unit_ids: Sequence[str]) -> dict[str, FoundUnit]:
    """The units that the store still has, by id. One that only the index holds (its deletion waits in the outbox) is none."""
    return {
        row[0]: _unit(row)
        for start in range(0, len(unit_ids), _AT_ONCE)
        for row in fetch(connection, _UNITS.format(unit_ids=text_list(unit_ids[start : start + _AT_ONCE])))
    }


def chosen(
    connection: duckdb.DuckDBPyConnection, ranked: Sequence[RankedHit], k: int, *, with_beside: bool = False
) -> list[Chosen]:
    """The first ``k`` that say something which no better one has said; units are read as far as they are needed.

    What cites only messages that better hits have delivered is no hit: a memory or task of theirs is shown with the hit that
    has its words, a passage not at all, but where it is a lesson alone that quotes it.

    Args:
        with_beside: read the passages that stand beside them too.
    """
    hits: list[Chosen] = []
    delivered: dict[Place, Chosen] = {}
    passages = FoundPassages(ranked if with_beside else ())
    units = _Units(connection)
    # Hardly more than are wanted: most are read whole, and few drop out.
    step = min(k + k // 2, _AT_ONCE)
    read = 0
    while read < len(ranked) and len(hits) < k:
        some = ranked[read : read + step]
        read += step
        units.read([one.hit.unit_id for one in some], likely=_likely(ranked, read, k, passages))
        for one in some:
            if (unit := units.get(one.hit.unit_id)) is None:
                continue
            taught = _is_only_taught(unit, delivered)
            if unit.places and unit.places <= delivered.keys() and not taught:
                _show_with(unit, delivered)
            elif len(hits) < k:
                hits.append(hit := Chosen(one, unit, []))
                for place in unit.places:
                    if taught or place not in delivered:
                        delivered[place] = hit
    speaking = _speaking_of(ranked[read:_LOOKED_THROUGH], delivered)
    beside = [passages.beside(hit.unit) for hit in hits]
    units.read([*speaking, *itertools.chain.from_iterable(beside)])
    for hit, unit_ids in zip(hits, beside, strict=True):
        hit.beside = tuple(unit for unit_id in unit_ids if (unit := units.get(unit_id)) is not None)
    for unit in filter(None, map(units.get, speaking)):
        if unit.places and unit.places <= delivered.keys():
            _show_with(unit, delivered)
    return hits


class _Units:
    """Units of the store, each read once."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._asked: set[str] = set()
        self._known: dict[str, FoundUnit] = {}

    def read(self, unit_ids: Iterable[str], *, likely: Iterable[str] = ()) -> None:
        """Read some that were not read before.

        Args:
            likely: those that may be asked for next, read with them where there is room for more.
        """
        wanted = [unit_id for unit_id in dict.fromkeys(unit_ids) if unit_id not in self._asked]
        if not wanted:
            return
        more = [unit_id for unit_id in dict.fromkeys(likely) if unit_id not in self._asked and unit_id not in wanted]
        wanted += more[: max(0, _AT_ONCE - len(wanted))]
        self._asked.update(wanted)
        self._known |= found_units(self._connection, wanted)

    def get(self, unit_id: str) -> FoundUnit | None:
        return self._known.get(unit_id)


def _likely(ranked: Sequence[RankedHit], read: int, k: int, passages: FoundPassages) -> Iterator[str]:
    """The units that are shown with the first ``k`` if none of these drops out: to read them as well costs a tenth of a second
    statement (0.03 ms of CPU each)."""
    first = [one.hit for one in ranked[:k]]
    places = {(hit.session_id, hit.message_index) for hit in first}
    yield from _speaking_of(ranked[read:_LOOKED_THROUGH], places)
    for hit in first:
        yield from passages.likely_beside(hit)


def _speaking_of(behind: Iterable[RankedHit], delivered: Collection[object]) -> list[str]:
    """Of what stands behind the last hit: memories and tasks whose first words are delivered."""
    return [
        one.hit.unit_id
        for one in behind
        if one.hit.unit_kind != "passage" and (one.hit.session_id, one.hit.message_index) in delivered
    ]


def _is_only_taught(unit: FoundUnit, delivered: Mapping[Place, Chosen]) -> bool:
    """Whether a passage is quoted by a lesson alone, which tells what follows of it and not what was said."""
    return unit.is_passage and any(delivered[place].unit.unit_kind == "lesson" for place in unit.places if place in delivered)


def _show_with(unit: FoundUnit, delivered: Mapping[Place, Chosen]) -> None:
    holder = delivered[min(unit.places)]
    if not unit.is_passage and len(holder.related) < MOST_RELATED:
        holder.related.append(Related(unit))


def hits_of(
    connection: duckdb.DuckDBPyConnection,
    hits: Sequence[Chosen],
    terms: Sequence[Term],
    *,
    asks_why: bool,
    relevances: Mapping[str, float],
    explain: bool = False,
) -> list[SearchHitV1]:
    """The hits as they are delivered, each with its citations and what it says of the question.

    Args:
        terms: the question's telling words.
        asks_why: it asks for a reason.
    """
    # What a passage says is its own text: of the messages only those are read that something else quotes.
    quoted = {place for hit in hits if not hit.unit.is_passage for place in hit.unit.places}
    said = cited_messages(connection, [{"session_id": session_id, "message_index": n} for session_id, n in quoted])
    backed = backings(connection, (unit.source_id for hit in hits for unit in hit.units if not unit.is_passage))
    return [
        _hit(rank, hit, said, backed, terms, relevances.get(hit.unit.unit_id, 0.0), asks_why=asks_why, explain=explain)
        for rank, hit in enumerate(hits, start=1)
    ]


def _unit(row: tuple[Any, ...]) -> FoundUnit:
    (unit_id, kind, source_id, title, summary, body, stage, status, project, *said, citation, checker, path) = row
    session_id, role, speaker, occurred_at, citations_json, origin = said
    cited = tuple(json.loads(citations_json)[:CITED])
    return FoundUnit(
        unit_id=unit_id,
        unit_kind=kind,
        source_id=source_id,
        title=title,
        summary=summary,
        body=body,
        stage=stage,
        status=status,
        project=project,
        session_id=session_id,
        role=role,
        speaker=speaker,
        occurred_at=occurred_at,
        cited=cited,
        places=frozenset((place["session_id"], place["message_index"]) for place in cited),
        address=source_id if kind == "task" else citation,
        checker=checker,
        path=path,
        origin=origin,
    )


def _hit(
    rank: int,
    hit: Chosen,
    said: Mapping[Place, CitedMessage],
    backed: Backings,
    terms: Sequence[Term],
    relevance: float,
    *,
    asks_why: bool,
    explain: bool,
) -> SearchHitV1:
    unit, ranked = hit.unit, hit.ranked
    if unit.is_passage:
        citations: list[AnyCitationV1] = [_of_passage(unit)]
    else:
        memory = unit.address if unit.unit_kind == "entry" else None
        citations = [
            place_citation(unit.unit_kind, place, said[place["session_id"], place["message_index"]], memory)
            for place in unit.cited
            if (place["session_id"], place["message_index"]) in said
        ]
    text, beside = shown(hit, said, terms, asks_why=asks_why)
    return SearchHitV1(
        rank=rank,
        score=round(ranked.score, 6),
        score_kind=ranked.score_kind,
        relevance=round(relevance, 4),
        unit_id=unit.unit_id,
        unit_kind=unit.unit_kind,
        origin=unit.origin,
        id=unit.address,
        title=unit.title,
        summary=unit.summary,
        snippet=text,
        tokens=estimate_tokens(unit.title) + estimate_tokens(text),
        project=unit.project,
        session_id=unit.session_id,
        stage=unit.stage,
        checker=unit.checker,
        status=unit.status,
        ts=unit.occurred_at,
        citations=tuple(citations),
        beside=tuple(_of_passage(other) for other in beside),
        legs={
            name: LegPlaceV1(rank=place.rank, score=round(place.score, 6), score_kind=place.score_kind)
            for name, place in ranked.places.items()
        },
        related=tuple(_related(other, backed) for other in hit.related),
        steps=_steps(ranked) if explain else None,
        assurance=backed.assurance(unit.unit_kind, unit.source_id, unit.stage),
    )


def _related(other: Related, backed: Backings) -> RelatedV1:
    unit = other.unit
    return RelatedV1(
        unit_kind=unit.unit_kind,
        id=unit.address,
        title=unit.title,
        stage=unit.stage,
        checker=unit.checker,
        status=unit.status,
        relation=other.relation,
        assurance=backed.assurance(unit.unit_kind, unit.source_id, unit.stage),
    )


def _of_passage(unit: FoundUnit) -> CitationV1:
    """A passage cites itself; it is delivered as the snippet, so to quote it once more would double what it costs."""
    place = unit.cited[0]
    address: MessageCitation | SpanCitation = MessageCitation(place["session_id"], place["message_index"])
    if not place.get("whole"):
        address = SpanCitation(place["session_id"], place["message_index"], ((place["span_start"], place["span_end"]),))
    return CitationV1.of(
        address,
        path=unit.path,
        role=unit.role,
        name=unit.speaker,
        ts=unit.occurred_at,
        label=f"{unit.speaker or unit.role}, {unit.occurred_at:%Y-%m-%d %H:%M}",
    )


def _steps(ranked: RankedHit) -> HitStepsV1:
    return HitStepsV1(
        legs={name: round(part, 6) for name, part in ranked.legs.items()},
        parts={leg: {name: round(part, 6) for name, part in parts.items()} for leg, parts in ranked.steps.items()},
        bonuses=tuple(BonusV1(score=round(bonus.z, 6), why=bonus.why) for bonus in ranked.bonuses if round(bonus.z, 6)),
    )
