"""Indexes of the table: which there are, and when they are brought up to date.

Rows behind a full-text index are found too, but the index does not know their words, and so weighs the others as if they were
not there: with a hundred rows behind it among three thousand, scores are off by half a hundredth (measured). Once all rows
are in it, scores are those of a table that was written at once. An update rewrites what the index holds: 0.1 s for 10,000
units, 1 s for 100,000, and 3 s where it compacts the rows as well (measured).
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from memory_assets.vectors.rows import CONTEXT_TEXT, OWN_TEXT

ANN_ROWS = 50_000
"""From so many rows on, vectors have an index: to compare all would take 30 ms and more."""

_TEXTS = (CONTEXT_TEXT, OWN_TEXT)
_WORDS = ("project", "unit_kind", "stage", "role")
_UNIT_ID = "unit_id"
_VECTOR = "vector"
_SORTED = (_UNIT_ID, "session_id", "worktree", "embed_hash", "occurred_at")
_LISTS = ("facets",)

# Updating a table of so many rows costs half a second at most: it is left with none behind.
_ALWAYS_WHOLE_ROWS = 20_000
_TOLERATED_SHARE = 1 / 200
# While many rows are still coming: so much of a table is behind its indexes before they are updated, so a row costs the same
# however many.
_GROWTH = 1 / 4
_MIN_GROWTH_ROWS = 512
_MAX_FRAGMENTS = 64
# Each update of the index of vectors adds a part to it that is searched for itself, and its cells are those of the first.
_MAX_PARTS = 8
# Readers look for the newest version at each question; an older one is kept for those that are in the midst of one.
_KEEP_OLD_VERSIONS = timedelta(minutes=10)


def add_indexes(table: Any) -> None:
    """Make those that are missing, but for the one of vectors. On an empty table it costs nothing."""
    from lancedb.index import FTS, Bitmap, BTree, LabelList

    # The text comes cut into tokens. No token is dropped, neither long ones nor stop words; words are stemmed, which
    # leaves digits and Hangul alone.
    words = FTS(base_tokenizer="whitespace", stem=True, remove_stop_words=False, max_token_length=None)
    wanted = {
        **dict.fromkeys(_TEXTS, words),
        **dict.fromkeys(_WORDS, Bitmap()),
        **dict.fromkeys(_SORTED, BTree()),
        **dict.fromkeys(_LISTS, LabelList()),
    }
    there = {column for index in table.list_indices() for column in index.columns}
    columns = set(table.schema.names)
    for column, config in wanted.items():
        if column in columns and column not in there:
            table.create_index(column, config=config)


def missing_indexes(table: Any) -> list[str]:
    """Columns whose index is not there."""
    there = {column for index in table.list_indices() for column in index.columns}
    columns = set(table.schema.names)
    return [column for column in (*_TEXTS, *_WORDS, *_SORTED, *_LISTS) if column in columns and column not in there]


def is_due(table: Any, *, more_to_come: bool) -> bool:
    """Whether to update now.

    While more rows are to come: when a quarter of them is behind. Else when the order of hits could suffer. At once where
    indexes are missing, as in a table whose making was killed.
    """
    if missing_indexes(table):
        return True
    statistics = table.stats()
    rows = int(statistics["num_rows"])
    behind = rows_behind(table)
    if statistics["fragment_stats"]["num_fragments"] > _MAX_FRAGMENTS:
        return True
    if more_to_come:
        return behind > max(_MIN_GROWTH_ROWS, rows * _GROWTH)
    return behind > (0 if rows <= _ALWAYS_WHOLE_ROWS else rows * _TOLERATED_SHARE)


def rows_behind(table: Any) -> int:
    """Rows that the indexes do not hold yet: those of the words, or in a table without words that of the ids."""
    columns = set(table.schema.names)
    statistics = [table.index_stats(f"{column}_idx") for column in (*_TEXTS, _UNIT_ID) if column in columns]
    return max((int(index.num_unindexed_rows) for index in statistics if index), default=0)


def update(table: Any) -> None:
    """Merge small files, bring every index up to date, drop what no reader can need any more."""
    add_indexes(table)
    table.optimize(cleanup_older_than=_KEEP_OLD_VERSIONS)
    if _VECTOR in table.schema.names and table.count_rows() >= ANN_ROWS:
        _index_vectors(table)


def _index_vectors(table: Any) -> None:
    from lancedb.index import IvfSq

    # Of 100,000 vectors of 384 dimensions, made from real ones, the best 100 (measured, two cores):
    #   IVF_SQ       built in  1 s of CPU, all found in 10 ms (refined)    IVF_HNSW_SQ  64 s, all in  8 ms
    #   IVF_FLAT              12 s,       .996 in 12 ms, unrefined         IVF_PQ       44 s, .87 in  8 ms
    built = table.index_stats("vector_idx")
    if built is None or built.num_indices > _MAX_PARTS:
        table.create_index(_VECTOR, config=IvfSq(distance_type="cosine"))
