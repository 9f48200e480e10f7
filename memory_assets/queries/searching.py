"""Search: the legs are run here, ranked by ``retrieval.search``, and their units filled in from the store.

The lexical leg needs LanceDB alone; a model is loaded for the vector leg only, and no connection is held over it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from memory_assets import configuration
from memory_assets.errors import InvalidArgumentError, check_word
from memory_assets.queries.found import FoundV1, contested_units, hits_of
from memory_assets.retrieval.search import (
    LegUnavailable,
    SearchMode,
    leg_depth,
    legs_of,
    lexical_leg,
    rank,
    vector_leg,
    weighed,
)
from memory_assets.retrieval.tokens import estimate_tokens
from memory_assets.vectors.errors import EmbedderUnavailableError
from memory_assets.vectors.units import UnitFilter

if TYPE_CHECKING:
    from memory_assets.log.database import Database
    from memory_assets.retrieval.fusion import Leg
    from memory_assets.settings import Settings
    from memory_assets.vectors.index import VectorIndex

AskedMode = Literal["auto", "lexical", "vector", "hybrid"]
UNIT_KINDS = ("entry", "task", "passage")
MAX_HITS = 1000
_HANGUL = re.compile("[\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f]")
# These know no Korean: their vectors of a Korean question are noise beside a lexical leg that does.
_WITHOUT_KOREAN = ("bundled", "hashing")


def search(
    settings: Settings,
    database: Database,
    query: str,
    *,
    mode: AskedMode = "auto",
    k: int = 10,
    project: str | None = None,
    kinds: Sequence[str] = (),
) -> FoundV1:
    """The ``k`` best units for a question, best first, each with where it was said.

    Raises:
        InvalidArgumentError: an empty question, a kind that there is none of, a ``k`` out of bounds.
        EmbedderUnavailableError: the mode is ``vector`` and there is no model.
        IndexCorruptError: the index cannot be read.
    """
    _check(query, k, kinds)
    chosen = mode_for(settings, query, mode)
    index = configuration.vector_index(settings)
    where = UnitFilter(project=project, unit_kinds=tuple(kinds))
    legs = [_leg(settings, index, name, query, leg_depth(k), where, chosen) for name in legs_of(chosen)]
    ranking = rank(legs, leg_depth(k) * len(legs))
    with database.reading() as connection:
        hits = hits_of(connection, weighed(ranking.hits, contested_units(connection)), query, k)
        waiting = connection.execute("SELECT count(*) FROM vector_outbox WHERE status = 'pending'").fetchall()[0][0]
    notes = list(ranking.notes)
    if not index.exists():
        notes.append(f"there is no index {index.table_name} yet: `memory import` or `memory run --all` makes it")
    if waiting:
        notes.append(f"{waiting} units wait to be written to the index: `memory run --all`")
    return FoundV1(
        query=query,
        mode=chosen,
        score_kind=ranking.score_kind,
        channels=ranking.channels,
        embedding_version=index.embedding_version,
        hits=tuple(hits),
        estimated_tokens=sum(estimate_tokens(hit.snippet) for hit in hits),
        notes=tuple(notes),
    )


def mode_for(settings: Settings, query: str, asked: AskedMode) -> SearchMode:
    """What ``auto`` means for a question: both legs, but the lexical one alone where the embedder knows no Korean."""
    if asked != "auto":
        return asked
    return "lexical" if settings.embedding.model in _WITHOUT_KOREAN and _HANGUL.search(query) else "hybrid"


def _check(query: str, k: int, kinds: Sequence[str]) -> None:
    if not query.strip():
        raise InvalidArgumentError("the question is empty", hint="say what to look for")
    if not 1 <= k <= MAX_HITS:
        raise InvalidArgumentError(f"{k} hits cannot be asked for", hint=f"ask for 1 to {MAX_HITS}")
    for kind in kinds:
        check_word("kind", kind, UNIT_KINDS)


def _leg(
    settings: Settings, index: VectorIndex, name: str, query: str, depth: int, where: UnitFilter, mode: SearchMode
) -> Leg | LegUnavailable:
    if name == "lexical":
        return lexical_leg([(hit.unit_id, hit.score) for hit in index.lexical_search(query, depth, where)])
    if not index.exists():
        return vector_leg([])
    try:
        vector = configuration.embedder(settings).embed_query(query)
    except EmbedderUnavailableError as error:
        if mode == "vector":
            raise
        return LegUnavailable(name, str(error))
    return vector_leg([(hit.unit_id, hit.score) for hit in index.vector_search(vector, depth, where)])
