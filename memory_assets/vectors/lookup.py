"""The two legs as questions to the table: first which rows and how well, then their columns, once for both fields.

To read 300 rows costs more than to find them (5 ms and 3 ms among 100,000 rows, measured), so a row that both fields found
is read once, and rows that were read before are kept. Nothing here depends on how the rows came into the table:
ties go by id, and of those that tie with the last one all are asked for before they are cut.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from memory_assets.vectors.driver_errors import PATIENCE
from memory_assets.vectors.filters import filter_sql
from memory_assets.vectors.library import waited_for
from memory_assets.vectors.rows import CONTEXT_TEXT, HIT, OWN_TEXT, Row, hit_of, mark_of, rows_of
from memory_assets.vectors.units import LexicalHits, UnitFilter, UnitHit

if TYPE_CHECKING:
    import pyarrow as pa

    from memory_assets.vectors.embedder import Vectors

# Digits beyond these depend on the order in which sums are taken.
_BM25_DIGITS = 4
_COSINE_DIGITS = 5
# So many times k rows are read, at most, to see where equal scores end.
_TIES = 16
# So few rows that pass a filter are compared one by one. Scattered among 100,000, 10,000 of them take five times as long as
# the index of vectors does (170 and 33 ms of CPU, measured), and it finds 98 of their best 100.
EXACT_ROWS = 1_000
# LanceDB makes cells of 5,000 vectors and more: up to 300,000 all are looked through, and nothing is missed but by rounding.
_PROBES = 64
# Rows that another process moves between the two questions are asked for again.
_ATTEMPTS = 3

# Of about a kilobyte each.
_MOST_KEPT = 30_000

# A token that is asked twice counts twice. To ask four times costs a third more than once; a query of its own for the tokens of
# each weight costs three times as much, for then all that has any of them is scored (measured, 100,000 units).
_WEIGHT_STEPS = 4

Weighted = tuple[str, float]
"""Tokens between single spaces, as often as each of them counts, and what a token weighs that stands there once."""

Scores = Mapping[int, float]
"""Row ids of the table with their scores."""


class KnownRows:
    """Rows that were read before, by their ids. What stands at an id never changes: what is written anew gets another.

    Only in a table that was made anew ids begin again. It has another mark, and then nothing is known.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._mark: bytes | None = None
        self._rows: dict[int, Row] = {}

    def of(self, table: Any, row_ids: Collection[int]) -> dict[int, Row]:
        """These rows, without those that are there no more; none where the ids may be of a former table."""
        mark = mark_of(table.schema)
        with self._guard:
            is_another = self._mark not in (mark, None)
            if mark != self._mark:
                self._mark, self._rows = mark, {}
            if is_another:
                return {}
            rows = {row_id: row for row_id in row_ids if (row := self._rows.get(row_id))}
        new = _read(table, [row_id for row_id in row_ids if row_id not in rows])
        with self._guard:
            if mark == self._mark:
                self._rows.update(new)
                if len(self._rows) > _MOST_KEPT:
                    # Many at once: to take the first of a dict from which others were taken looks at the place of each of them.
                    self._rows = dict(islice(self._rows.items(), _MOST_KEPT // 2, None))
        return rows | new


def weighted(tokens: str, others: Iterable[tuple[str, float]]) -> Weighted:
    """Tokens of a question, and others that weigh less. Those without weight go.

    Args:
        others: each with its weight beside 1 of a token of the question.
    """
    steps = [(token, round(weight * _WEIGHT_STEPS)) for token, weight in others]
    light = [token for token, step in steps for _ in range(step)]
    return (" ".join([*[tokens] * _WEIGHT_STEPS, *light]), 1 / _WEIGHT_STEPS) if light else (tokens, 1.0)


def lexical_hits(table: Any, asked: Any, known: KnownRows, tokens: Weighted, k: int, where: UnitFilter | None) -> LexicalHits:
    """What each of the indexed fields gives for these tokens.

    Args:
        asked: the same table, for who waits once for several answers.
    """
    condition = filter_sql(where) if where else None
    for attempt in range(_ATTEMPTS):
        context, own = waited_for(_by_words(asked, tokens, k, condition))
        rows = known.of(table, context.keys() | own.keys())
        if rows.keys() >= context.keys() | own.keys() or attempt == _ATTEMPTS - 1:
            break
    return LexicalHits(context=tuple(_best_first(rows, context, k)), own=tuple(_best_first(rows, own, k)))


def holds_any(table: Any, tokens: str) -> bool:
    """Whether some unit has one of these tokens."""
    from lancedb.query import MatchQuery

    search = table.search(MatchQuery(tokens, OWN_TEXT), query_type="fts").select(["_score"]).limit(1)
    return int(search.to_arrow(timeout=PATIENCE).num_rows) > 0


def vector_hits(
    table: Any, asked: Any, known: KnownRows, vector: Vectors, k: int, where: UnitFilter | None, *, exact: bool = False
) -> list[UnitHit]:
    """The nearest units by cosine; ``exact`` without the index of vectors, however many there are."""
    condition = filter_sql(where) if where else None
    exact = exact or (condition is not None and table.count_rows() > EXACT_ROWS >= table.count_rows(condition))
    for attempt in range(_ATTEMPTS):
        near = waited_for(_by_vector(asked, vector, k, condition, exact=exact))
        rows = known.of(table, near.keys())
        if rows.keys() >= near.keys() or attempt == _ATTEMPTS - 1:
            break
    return _best_first(rows, near, k)


async def _by_words(asked: Any, tokens: Weighted, k: int, condition: str | None) -> tuple[Scores, Scores]:
    """By the context, and by what is said alone: both at once."""
    from lancedb.query import MatchQuery

    def best_of(column: str) -> Awaitable[Scores]:
        query = MatchQuery(tokens[0], column, boost=tokens[1])

        async def ask(limit: int) -> Scores:
            search = asked.query().nearest_to_text(query).select(["_score"]).with_row_id()
            found = await _filtered(search, condition).limit(limit).to_arrow(timeout=PATIENCE)
            return {row: round(score, _BM25_DIGITS) for row, score in _pairs(found, "_score")}

        return _best(ask, k)

    context, own = await asyncio.gather(best_of(CONTEXT_TEXT), best_of(OWN_TEXT))
    return context, own


async def _by_vector(asked: Any, vector: Vectors, k: int, condition: str | None, *, exact: bool) -> Scores:
    async def ask(limit: int) -> Scores:
        # Without an index of vectors the probes and the refining mean nothing: all are compared. With one, what it finds is
        # compared once more by the vectors themselves.
        search = asked.query().nearest_to(vector).column("vector").distance_type("cosine").nprobes(_PROBES).refine_factor(1)
        search = search.select(["_distance"]).with_row_id()
        search = _filtered(search.bypass_vector_index() if exact else search, condition)
        found = await search.limit(limit).to_arrow(timeout=PATIENCE)
        return {row: round(1.0 - distance, _COSINE_DIGITS) for row, distance in _pairs(found, "_distance")}

    return await _best(ask, k)


def _pairs(found: pa.Table, column: str) -> Iterator[tuple[int, float]]:
    return zip(found["_rowid"].to_pylist(), found[column].to_pylist(), strict=True)


async def _best(ask: Callable[[int], Awaitable[Scores]], k: int) -> Scores:
    """The ``k`` best rows and all that are as good as the last of them."""
    limit = k + 1
    while True:
        scores = await ask(limit)
        if len(scores) <= k:
            return scores
        least = sorted(scores.values(), reverse=True)[k - 1]
        if min(scores.values()) < least or len(scores) < limit or limit >= _TIES * k:
            return {row: score for row, score in scores.items() if score >= least}
        limit = min(4 * limit, _TIES * k)


def _read(table: Any, row_ids: Iterable[int]) -> dict[int, Row]:
    if not (wanted := sorted(row_ids)):
        return {}
    found = table.take_row_ids(wanted).select([HIT]).with_row_id().to_arrow(timeout=PATIENCE)
    return dict(zip(found["_rowid"].to_pylist(), rows_of(found), strict=True))


def _best_first(rows: Mapping[int, Row], scores: Scores, k: int) -> list[UnitHit]:
    found = [(-score, rows[row_id]) for row_id, score in scores.items() if row_id in rows]
    return [hit_of(row, -negative) for negative, row in sorted(found, key=_score_and_id)[:k]]


def _score_and_id(found: tuple[float, Row]) -> tuple[float, str]:
    negative, row = found
    return negative, row[0]


def _filtered(search: Any, condition: str | None) -> Any:
    return search.where(condition) if condition else search
