"""The hits of a search in layers: what there is, and of what is plainly meant what was said around it, and all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memory_assets.errors import InvalidArgumentError
from memory_assets.queries.details import details
from memory_assets.queries.timeline import timeline
from memory_assets.results.disclosure import DisclosedV1, DisclosureV1
from memory_assets.search.answers.layers import DETAILS_TOKENS, TIMELINE_TOKENS, expansion, layered
from memory_assets.vocabulary import OF_OTHERS

if TYPE_CHECKING:
    import duckdb

    from memory_assets.results.details import DetailV1
    from memory_assets.results.search import SearchHitV1, SearchResponseV1
    from memory_assets.results.timeline import TimelineItemV1
    from memory_assets.search.answers.budget import Cut

DISCLOSURE_BUDGET = 2000


def disclose(
    connection: duckdb.DuckDBPyConnection,
    response: SearchResponseV1,
    *,
    ids: Sequence[str] = (),
    budget: int = DISCLOSURE_BUDGET,
) -> DisclosureV1:
    """What a search found, a line a hit, and what of it is opened by the rules of ``search.answers.layers.expansion``.

    Args:
        ids: what to open in their place, at most three.
        budget: tokens of everything together, a hard cap.

    Raises:
        InvalidArgumentError: a budget that holds nothing.
    """
    if budget < 1:
        raise InvalidArgumentError(f"a budget of {budget} tokens holds nothing", hint="at least 1, 2000 is usual")
    opened = expansion([(address_of(hit), hit.relevance) for hit in response.hits], asked=ids)
    layers = layered(
        [_line(hit) for hit in response.hits],
        budget,
        timeline={one: _around(connection, one) for one in opened.timeline},
        details={one: _full(connection, one) for one in opened.details},
    )
    return DisclosureV1(
        query=response.query,
        reason=opened.reason,
        index=tuple(_disclosed(address_of(hit), cut) for hit, cut in zip(response.hits, layers.index, strict=True) if cut.text),
        timeline=_layer(layers.timeline),
        details=_layer(layers.details),
        total_matches=len(response.hits),
        expanded_count=len(opened.timeline),
        budget=budget,
        estimated_tokens=layers.tokens,
    )


def address_of(hit: SearchHitV1) -> str:
    """What a hit is asked for by: a memory's short id, a task's id, else where it is said, else the unit's id."""
    return hit.id or (hit.citations[0].uri if hit.citations else hit.unit_id)


def _line(hit: SearchHitV1) -> str:
    origin = f"({hit.origin}) " if hit.origin in OF_OTHERS else ""
    instead = f"({hit.said_otherwise.told}) " if hit.said_otherwise is not None else ""
    return f"[{address_of(hit)}] {origin}{instead}{hit.summary or hit.title}"


def _around(connection: duckdb.DuckDBPyConnection, given: str) -> str:
    """The timeline of one id as lines; what an id that names nothing is wrong with."""
    found = timeline(connection, [given], budget=TIMELINE_TOKENS)
    said = [f"{'> ' if item.is_target else ''}{_who(item)}: {item.preview}" for item in found.items]
    return "\n".join([*said, *(error.error.message for error in found.errors)])


def _who(item: TimelineItemV1) -> str:
    return f"{item.speaker} ({item.origin})" if item.origin in OF_OTHERS else item.speaker


def _full(connection: duckdb.DuckDBPyConnection, given: str) -> str:
    found = details(connection, [given], budget=DETAILS_TOKENS)
    return "\n".join([*map(_detail, found.items), *(error.error.message for error in found.errors)])


def _detail(item: DetailV1) -> str:
    quotes = [f"“{citation.quote}” [{citation.uri}]" for citation in item.citations if citation.quote]
    related = [f"{one.relation}: [{one.id}] {one.title}" for one in item.related]
    origin = [f"({item.metadata.origin})"] if item.metadata.origin in OF_OTHERS else []
    return "\n".join(dict.fromkeys([item.title, *origin, item.text, *quotes, *related]))


def _layer(cuts: Mapping[str, Cut]) -> tuple[DisclosedV1, ...]:
    return tuple(_disclosed(given, cut) for given, cut in cuts.items() if cut.text)


def _disclosed(given: str, cut: Cut) -> DisclosedV1:
    return DisclosedV1(id=given, text=cut.text, is_cut=cut.lost > 0, tokens=cut.tokens)
