"""Known issues for a question: what went wrong, what ended it, in how many sessions.

A unit of the kind ``gotcha`` is one error in one session (``projections/unit_tables/gotchas.py``). Its body is the error's
title, the lines around it, and behind them a line with an arrow for everything that ended it. Here the same error of several
sessions is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from memory_assets.errors import InvalidArgumentError
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.results.gotchas import GotchaListV1, GotchaV1
from memory_assets.search.request import MAX_HITS, SearchRequest
from memory_assets.search.usage import note_shown
from memory_assets.text.tokens import estimate_tokens

if TYPE_CHECKING:
    import duckdb

    from memory_assets.results.search import SearchHitV1
    from memory_assets.search.searcher import Searcher

ENDED: Final = "→ "
"""What begins each line of a body that says what ended the error."""
_ASKED_OF_EACH: Final = 3
"""Hits that are asked for where one is wanted: several may be the same error."""
MOST_CITED: Final = 5
DESCRIPTION_CHARACTERS: Final = 600
_ERROR_TAG: Final = "error:"

# What tells two errors of one kind apart and not the kinds: numbers, quoted names, paths, addresses.
_VARIES: Final = re.compile(
    r"0x[0-9a-f]{1,32}|\d+|'[^'\n]{0,200}'|\"[^\"\n]{0,200}\"|`[^`\n]{0,200}`|(?:[\w.~-]{0,100}[/\\])[\w./\\~-]{1,300}"
)

_ALL = "SELECT unit_id, title, project, session_id, source_id, occurred_at FROM memory_units WHERE unit_kind = 'gotcha'"
_BODIES = f"SELECT unit_id, body FROM memory_units WHERE unit_id IN {IN_LIST}"
_FACETS = f"SELECT unit_id, facet, value FROM unit_facets WHERE facet IN ('file', 'tag') AND unit_id IN {IN_LIST} ORDER BY ALL"


@dataclass(frozen=True, slots=True)
class _Met:
    """An error in a session."""

    unit_id: str
    title: str
    project: str | None
    session_id: str
    source_id: str
    occurred_at: datetime

    @property
    def kind(self) -> tuple[str | None, str]:
        """What it shares with the same error met elsewhere in its project."""
        return self.project, " ".join(_VARIES.sub("#", self.title.casefold()).split())


def search_gotchas(
    searcher: Searcher,
    query: str,
    *,
    files: Sequence[str] = (),
    k: int = 10,
    project: str | None = None,
    log: bool = True,
) -> GotchaListV1:
    """At most ``k`` known issues for a question, best first, each with what ended it; the same error once.

    Args:
        files: paths or names: only issues that speak of them.
        log: count what is delivered as shown.

    Raises:
        InvalidArgumentError: an empty question, or a ``k`` out of bounds.
        EmbedderUnavailableError, IndexCorruptError: see ``Searcher.search``.
    """
    if not 1 <= k <= MAX_HITS:
        raise InvalidArgumentError(f"{k} issues cannot be asked for", hint=f"ask for 1 to {MAX_HITS}")
    request = SearchRequest(
        query,
        kinds=("gotcha",),
        files=tuple(files),
        project=project,
        k=min(k * _ASKED_OF_EACH, MAX_HITS),
        log=False,
    )
    found = searcher.search(request)
    with searcher.database.reading() as connection:
        gotchas, shown = _gotchas(connection, found.hits, k)
    if log:
        note_shown(searcher.settings, shown)
    return GotchaListV1(
        query=query,
        project=project,
        files=tuple(files),
        gotchas=tuple(gotchas),
        estimated_tokens=sum(gotcha.tokens for gotcha in gotchas),
        notes=found.notes,
    )


def _gotchas(
    connection: duckdb.DuckDBPyConnection, hits: Sequence[SearchHitV1], k: int
) -> tuple[list[GotchaV1], list[tuple[str, str]]]:
    if not hits:
        return [], []
    met = {row[0]: _Met(*row) for row in fetch(connection, _ALL)}
    everywhere: dict[tuple[str | None, str], list[_Met]] = {}
    for one in met.values():
        everywhere.setdefault(one.kind, []).append(one)
    same: dict[tuple[str | None, str], list[SearchHitV1]] = {}
    for hit in hits:
        if hit.unit_id in met:
            same.setdefault(met[hit.unit_id].kind, []).append(hit)
    chosen = list(same.items())[:k]
    wanted = json_list(hit.unit_id for _, of_kind in chosen for hit in of_kind)
    bodies = dict(fetch(connection, _BODIES, [wanted]))
    facets: dict[tuple[str, str], list[str]] = {}
    for unit_id, facet, value in fetch(connection, _FACETS, [wanted]):
        facets.setdefault((unit_id, facet), []).append(value)
    gotchas = [_gotcha(of_kind, everywhere[kind], bodies, facets) for kind, of_kind in chosen]
    return gotchas, [("gotcha", met[hit.unit_id].source_id) for _, of_kind in chosen for hit in of_kind]


def _gotcha(
    hits: Sequence[SearchHitV1],
    everywhere: Sequence[_Met],
    bodies: dict[str, str],
    facets: dict[tuple[str, str], list[str]],
) -> GotchaV1:
    """One error by the best of its hits; what ended it is told by each session that it was met in."""
    best = hits[0]
    told, _ = _split(bodies[best.unit_id])
    description = told.removeprefix(best.title).strip()[:DESCRIPTION_CHARACTERS] or best.title
    ended = dict.fromkeys(line for hit in hits for line in _split(bodies[hit.unit_id])[1])
    resolution = "; ".join(ended)
    files = dict.fromkeys(_whole(value for hit in hits for value in facets.get((hit.unit_id, "file"), ())))
    tags = dict.fromkeys(value for hit in hits for value in facets.get((hit.unit_id, "tag"), ()))
    conditions = (
        *(tag.removeprefix(_ERROR_TAG) for tag in tags if tag.startswith(_ERROR_TAG)),
        *(path for path in files if path in told),
    )
    texts = (best.title, description, resolution, *conditions)
    return GotchaV1(
        unit_id=best.unit_id,
        unit_ids=tuple(hit.unit_id for hit in hits),
        title=best.title,
        description=description,
        resolution=resolution,
        occurrence_count=len({one.session_id for one in everywhere}),
        trigger_conditions=conditions,
        files=tuple(files),
        project=best.project,
        first_seen=min(one.occurred_at for one in everywhere),
        last_seen=max(one.occurred_at for one in everywhere),
        relevance=best.relevance,
        citations=tuple(citation for hit in hits for citation in hit.citations)[:MOST_CITED],
        is_cited=any(hit.is_cited for hit in hits),
        tokens=sum(map(estimate_tokens, texts)),
    )


def _split(body: str) -> tuple[str, list[str]]:
    """What a body tells of the error, and what ended it: the lines with an arrow at its end."""
    lines = body.split("\n")
    first = len(lines)
    while first > 0 and lines[first - 1].startswith(ENDED):
        first -= 1
    return "\n".join(lines[:first]), [line.removeprefix(ENDED).strip() for line in lines[first:]]


def _whole(paths: Iterable[str]) -> list[str]:
    """Files without those that are listed with their folders as well."""
    known = list(paths)
    return [path for path in known if not any(other != path and other.endswith(("/" + path, "\\" + path)) for other in known)]
