"""What an agent is given before it begins: what holds, what is known, what was said, within a budget.

The *constitution* does not depend on the question: what is certified, and verified preferences and decisions. There is no other
pin, and no file is opened that a session names. *Skills* are preferences, decisions and insights that the question is about,
the *context* is what was said and is to be done, *code symbols* are files and names that these speak of.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.citations.addresses import SpanCitation
from memory_assets.errors import InvalidArgumentError, MemoryAssetsError
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.results.certificate import CertificateV1
from memory_assets.results.context import (
    AllocationV1,
    ContextBundleV1,
    ContextItemV1,
    ContextSectionV1,
    SectionName,
    TokenBudgetV1,
)
from memory_assets.results.retrieval import RetrievalV1
from memory_assets.search.answers.backing import backings
from memory_assets.search.answers.budget import DEFAULT_BUDGET, TokenBudget
from memory_assets.search.answers.context_text import ContextWriter, Line, WrittenLine
from memory_assets.search.ranking.certificate import SeenHit, Sure, certify
from memory_assets.search.request import SearchRequest
from memory_assets.search.usage import note_shown
from memory_assets.text.lexical_text import search_text
from memory_assets.vocabulary import OF_OTHERS

if TYPE_CHECKING:
    import duckdb

    from memory_assets.results.said_otherwise import SaidOtherwiseV1
    from memory_assets.results.search import SearchHitV1, SearchResponseV1
    from memory_assets.search.searcher import Searcher
    from memory_assets.vocabulary import Assurance, Origin

MOST_BUDGET = 1_000_000
SKILL_TYPES = ("preference", "decision", "insight", None)  # a lesson has no type
RELEVANT_FROM = 0.4
"""What shares less with the question is not what it is about."""
SAID_ANYWAY = 5
"""Of what was said the best hits are shown however little they share: they may say it in other words."""
LEAST_CONTEXT = 500
"""Of a small budget the headings would leave nothing to the shares: what was said may have so much of it."""
GOTCHAS_FROM = 1000
"""Known issues are only looked for with more tokens left."""
MOST_GOTCHAS = 5
_FOUND = 40
_LINE = 200
"""Tokens of one line."""
_STANDING_LINE = 60
_PAIRS = 30
"""Files and symbols that are listed."""

TITLES: dict[SectionName, str] = {
    "constitution": "What holds",
    "skills": "Decisions, preferences and insights",
    "recent_gotchas": "Known issues",
    "context": "What was said",
    "code_symbols": "Files and symbols",
}

_COLUMNS = """
SELECT u.unit_id, u.unit_kind, u.source_id, CASE u.unit_kind WHEN 'task' THEN u.source_id ELSE 'mem:' || m.short_id END,
  CASE u.unit_kind WHEN 'lesson' THEN u.summary ELSE u.title END, u.summary, u.entry_type, u.stage, m.checker, u.status,
  coalesce(u.speaker, u.role), u.occurred_at, u.citations_json, u.origin
"""
_STANDING = f"""
{_COLUMNS}
FROM memory_units u JOIN memories m ON u.unit_kind = 'entry' AND m.memory_id = u.source_id
WHERE u.status = 'active' AND ($project IS NULL OR u.project = $project OR u.project IS NULL)
  AND (u.stage = 'certified' OR (u.stage = 'verified' AND u.entry_type IN ('preference', 'decision')
    AND ($project IS NOT NULL OR (u.entry_type = 'preference' AND m.session_count > 1))))
ORDER BY u.stage = 'certified' DESC, u.entry_type = 'preference' DESC, m.session_count DESC, m.last_said_at DESC, u.unit_id
LIMIT {_FOUND}
"""
_OF_HITS = f"""
{_COLUMNS}
FROM memory_units u LEFT JOIN memories m ON u.unit_kind = 'entry' AND m.memory_id = u.source_id WHERE u.unit_id IN {IN_LIST}
"""
_RECENT_GOTCHAS = f"""
{_COLUMNS}
FROM memory_units u LEFT JOIN memories m ON false WHERE u.unit_kind = 'gotcha' AND u.project = ?
ORDER BY u.occurred_at DESC, u.unit_id LIMIT {MOST_GOTCHAS}
"""
# Of a file that is listed with its folders and without, only the former.
_SYMBOLS = f"""
WITH named AS (
  SELECT f.facet, f.value, f.unit_id, p.place FROM unit_facets f JOIN (
    SELECT unnest(ids) AS unit_id, generate_subscripts(ids, 1) AS place FROM (SELECT from_json($units, '["VARCHAR"]') AS ids)
  ) p USING (unit_id) WHERE f.facet IN ('file', 'symbol')
)
SELECT facet, value, list(unit_id ORDER BY place) FROM named n
WHERE NOT EXISTS (SELECT 1 FROM named o WHERE n.facet = 'file' AND o.facet = 'file' AND o.unit_id = n.unit_id
  AND (ends_with(o.value, '/' || n.value) OR ends_with(o.value, chr(92) || n.value)))
GROUP BY facet, value ORDER BY count(*) DESC, min(place), facet, value LIMIT {_PAIRS}
"""


@dataclass(frozen=True, slots=True)
class _Unit:
    """A unit as a context shows it; the names are those of ``memory_units``."""

    unit_id: str
    unit_kind: str
    source_id: str
    address: str | None
    title: str
    summary: str
    entry_type: str | None
    stage: str
    checker: str | None
    status: str
    speaker: str | None
    occurred_at: datetime
    citations_json: str
    origin: Origin | None
    assurance: Assurance

    @property
    def uris(self) -> tuple[str, ...]:
        return tuple(
            SpanCitation(one["session_id"], one["message_index"], tuple((low, high) for low, high in one["segments"])).uri
            for one in json.loads(self.citations_json)[:1]
        )


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Something that may be shown: a unit, and what of it."""

    unit: _Unit
    text: str
    uris: tuple[str, ...]
    relevance: float | None = None
    said_otherwise: SaidOtherwiseV1 | None = None

    def line(self) -> Line:
        unit = self.unit
        day = f"{unit.occurred_at:%Y-%m-%d}"
        match unit.unit_kind:
            case "passage":
                what = f"{unit.speaker}, {day}" if unit.speaker else day
            case "entry":
                what = f"{unit.entry_type}, {unit.assurance}, {day}"
            case kind:
                what = f"{kind}, {day}"
        if unit.origin in OF_OTHERS:
            what += f", {unit.origin}"
        if unit.status != "active":
            what += f", {unit.status}"
        if (instead := self.said_otherwise) is not None:
            what += f", {instead.told} “{instead.text}”"
        # A memory's short id says all that its address would, for less.
        sources = (unit.address,) if unit.unit_kind == "entry" and unit.address and self.uris else self.uris
        return Line(self.text, what, sources)


def context(
    searcher: Searcher,
    query: str,
    *,
    project: str | None = None,
    budget: int = DEFAULT_BUDGET,
    log: bool = True,
) -> ContextBundleV1:
    """What the store has for a question, as Markdown of at most ``budget`` tokens.

    Args:
        project: only of this project. Without one nobody knows whose decisions hold: what is certified does, and preferences
            that were said in more than one session.
        log: count what is delivered as shown.

    Raises:
        InvalidArgumentError: an empty question, or a budget that is none.
        EmbedderUnavailableError, IndexCorruptError: see ``Searcher.search``.
    """
    if not 1 <= budget <= MOST_BUDGET:
        raise InvalidArgumentError(f"a budget of {budget} tokens cannot be kept", hint=f"1 to {MOST_BUDGET:,}, 4000 is usual")
    entries, said, issues = _searched(searcher, query, project)
    with searcher.database.reading() as connection:
        bundle, shown = _bundle(connection, query, project, TokenBudget(budget), entries, said, issues)
    if log:
        note_shown(searcher.settings, shown)
    return bundle


def _searched(searcher: Searcher, query: str, project: str | None) -> list[SearchResponseV1]:
    """What is remembered, what was said and is to be done, and what went wrong. The question's vector is made once."""
    requests = [
        SearchRequest(query, kinds=kinds, project=project, k=most, beside=False, log=False)
        for kinds, most in ((("entry", "lesson"), _FOUND), (("passage", "task"), _FOUND), (("gotcha",), MOST_GOTCHAS))
    ]
    found = []
    for answer in searcher.search_all(requests):
        if isinstance(answer, MemoryAssetsError):
            raise answer
        found.append(answer)
    return found


def _bundle(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    project: str | None,
    budget: TokenBudget,
    entries: SearchResponseV1,
    said: SearchResponseV1,
    issues: SearchResponseV1,
) -> tuple[ContextBundleV1, list[tuple[str, str]]]:
    hits = [*entries.hits, *said.hits, *issues.hits]
    units = _units(connection, _OF_HITS, [json_list(hit.unit_id for hit in hits)])
    standing = _units(connection, _STANDING, {"project": project})
    shares = budget.allocation
    page = _Page(ContextWriter(budget))

    page.add("constitution", (_of_title(unit) for unit in standing.values()), shares.constitution, each=_STANDING_LINE)
    relevant = [_of_title(units[hit.unit_id], hit) for hit in entries.hits if hit.unit_id in units]
    about = [one for one in relevant if (one.relevance or 0.0) >= RELEVANT_FROM]
    page.add("skills", (one for one in about if one.unit.entry_type in SKILL_TYPES), shares.skills, each=_LINE)
    if page.remaining > GOTCHAS_FROM:
        page.add("recent_gotchas", _gotchas(connection, issues, units, project), page.remaining // 2, each=_LINE)
    facts = (one for one in about if one.unit.entry_type not in SKILL_TYPES)
    told = [_of_snippet(units[hit.unit_id], hit) for hit in said.hits if hit.unit_id in units]
    passages = (one for place, one in enumerate(told) if place < SAID_ANYWAY or (one.relevance or 0.0) >= RELEVANT_FROM)
    most = max(shares.context, min(page.remaining, LEAST_CONTEXT))
    page.add("context", _alternating(passages, facts), most, each=_LINE)
    page.add_symbols(connection, shares.code_symbols)

    delivered = [one for _, one in page.shown]
    seen = [
        SeenHit(search_text(one.text).split(), one.uris, 1.0 if one.relevance is None else one.relevance, one.unit.occurred_at)
        for one in delivered
    ]
    budget = page.writer.budget
    retrieval, sure = _surest((entries, said, issues), is_narrowed=project is not None)
    bundle = ContextBundleV1(
        query=query,
        project=project,
        budget=TokenBudgetV1(
            total=budget.total,
            used=budget.used,
            remaining=budget.remaining,
            allocation=AllocationV1(**asdict(shares)),
        ),
        sections=tuple(page.sections),
        text=page.writer.text,
        certificate=CertificateV1.of(certify(query, seen, sure=sure)) if delivered or not hits else None,
        retrieval=retrieval,
        notes=tuple(dict.fromkeys((*_too_small(budget, hits, delivered), *entries.notes, *said.notes, *issues.notes))),
    )
    return bundle, [(one.unit.unit_kind, one.unit.source_id) for one in delivered]


def _surest(found: Sequence[SearchResponseV1], *, is_narrowed: bool) -> tuple[RetrievalV1 | None, Sure | None]:
    """How sure the surest of some searches is, and what that says of what to do next."""
    told = [(one.retrieval, one.certificate) for one in found if one.retrieval is not None]
    if not told:
        return None, None
    retrieval, certificate = max(told, key=lambda one: one[0].answerability)
    suffices = certificate is not None and certificate.next_action == "enough"
    return retrieval, Sure(retrieval.known, suffices, is_narrowed=is_narrowed)


def _too_small(budget: TokenBudget, hits: Sequence[SearchHitV1], delivered: Sequence[_Candidate]) -> list[str]:
    if delivered or not hits:
        return []
    return [f"{budget.total} tokens hold not one line of what was found: give at least {LEAST_CONTEXT}"]


class _Page:
    """The sections of a context as they come to be. What one has shown, no later one shows again."""

    def __init__(self, writer: ContextWriter) -> None:
        self.writer = writer
        self.sections: list[ContextSectionV1] = []
        self.shown: list[tuple[WrittenLine, _Candidate]] = []

    @property
    def remaining(self) -> int:
        return self.writer.budget.remaining

    def add(self, name: SectionName, candidates: Iterable[_Candidate], limit: int, *, each: int) -> None:
        """A section of what is not shown yet, within its limit."""
        known = {name for _, one in self.shown for name in (one.unit.unit_id, _spelled(one.text))}
        new: list[_Candidate] = []
        for one in candidates:
            if known.isdisjoint((one.unit.unit_id, _spelled(one.text))):
                new.append(one)
                known |= {one.unit.unit_id, _spelled(one.text)}
        kept, tokens = self.writer.section(TITLES[name], [one.line() for one in new], limit, each=each)
        shown = [(written, new[written.place]) for written in kept]
        self.shown += shown
        if shown:
            items = tuple(_item(written, one) for written, one in shown)
            self.sections.append(ContextSectionV1(name=name, title=TITLES[name], items=items, tokens=tokens))

    def add_symbols(self, connection: duckdb.DuckDBPyConnection, limit: int) -> None:
        """The files and symbols that what is shown speaks of."""
        of_unit = {one.unit.unit_id: one for _, one in self.shown}
        rows = fetch(connection, _SYMBOLS, {"units": json_list(of_unit)})
        sources = [
            tuple(dict.fromkeys(source for unit_id in unit_ids for source in of_unit[unit_id].line().sources))[:1]
            for _, _, unit_ids in rows
        ]
        lines = [Line(value, facet, some) for (facet, value, _), some in zip(rows, sources, strict=True)]
        kept, tokens = self.writer.section(TITLES["code_symbols"], lines, limit, each=_STANDING_LINE)
        if kept:
            items = tuple(
                ContextItemV1(
                    unit_kind=rows[written.place][0],
                    uris=sources[written.place],
                    text=written.line.text,
                    is_cut=written.is_cut,
                    is_cited=bool(written.line.sources),
                    tokens=written.tokens,
                )
                for written in kept
            )
            self.sections.append(
                ContextSectionV1(name="code_symbols", title=TITLES["code_symbols"], items=items, tokens=tokens)
            )


def _units(connection: duckdb.DuckDBPyConnection, statement: str, parameters: Any) -> dict[str, _Unit]:
    rows = fetch(connection, statement, parameters)
    backed = backings(connection, (source_id for _, _, source_id, *_ in rows))
    return {row[0]: _Unit(*(*row, backed.assurance(row[1], row[2], row[7]))) for row in rows}


def _of_title(unit: _Unit, hit: SearchHitV1 | None = None) -> _Candidate:
    """What was remembered, in its one sentence."""
    return _Candidate(unit, unit.title, unit.uris, *((hit.relevance, hit.said_otherwise) if hit else ()))


def _of_snippet(unit: _Unit, hit: SearchHitV1) -> _Candidate:
    """What was said, around the words of the question; a task by its title."""
    text = unit.title if unit.unit_kind == "task" else hit.snippet
    uris = tuple(citation.uri for citation in hit.citations) or unit.uris
    return _Candidate(unit, text, uris, hit.relevance, hit.said_otherwise)


def _gotchas(
    connection: duckdb.DuckDBPyConnection, issues: SearchResponseV1, units: dict[str, _Unit], project: str | None
) -> list[_Candidate]:
    """The known issues that the question is about, then the newest of the project."""
    about = [hit for hit in issues.hits if hit.unit_id in units and hit.relevance >= RELEVANT_FROM]
    found = [
        _Candidate(units[hit.unit_id], units[hit.unit_id].summary, units[hit.unit_id].uris, hit.relevance) for hit in about
    ]
    recent = _units(connection, _RECENT_GOTCHAS, [project]) if project is not None else {}
    known = {hit.unit_id for hit in about}
    found += [_Candidate(unit, unit.summary, unit.uris) for unit in recent.values() if unit.unit_id not in known]
    return found[:MOST_GOTCHAS]


def _alternating(some: Iterable[_Candidate], others: Iterable[_Candidate]) -> list[_Candidate]:
    """Both lists, best first: their scores are of two searches, and compare no further than by rank."""
    pairs = itertools.zip_longest(some, others)
    return [one for pair in pairs for one in pair if one is not None]


def _spelled(text: str) -> str:
    return " ".join(text.split()).casefold()


def _item(written: WrittenLine, one: _Candidate) -> ContextItemV1:
    unit = one.unit
    return ContextItemV1(
        id=unit.address,
        unit_id=unit.unit_id,
        unit_kind=unit.unit_kind,
        uris=one.uris,
        text=one.text,
        is_cut=written.is_cut,
        is_cited=bool(written.line.sources),
        entry_type=unit.entry_type,
        stage=unit.stage if unit.unit_kind == "entry" else None,
        checker=unit.checker,
        status=unit.status,
        speaker=unit.speaker,
        ts=unit.occurred_at,
        relevance=one.relevance,
        tokens=written.tokens,
        assurance=unit.assurance if unit.unit_kind == "entry" else None,
        origin=unit.origin,
        said_otherwise=one.said_otherwise,
    )
