"""What a search found, for a reader who pays for each token: two lines a hit of the server's own, and the quoted text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory_assets.mcp.answers import EVIDENCE
from memory_assets.mcp.quoting import address, flat, inline, quoted, sentence
from memory_assets.vocabulary import OF_OTHERS

if TYPE_CHECKING:
    from memory_assets.results.said_otherwise import SaidOtherwiseV1
    from memory_assets.results.search import BulkSearchItemV1, SearchHitV1, SearchResponseV1

_TITLE = 160
_SNIPPET = 1000


def search_lines(found: SearchResponseV1) -> list[str]:
    """The answer to one question."""
    return [
        *_heading(found),
        *unknown_lines(found),
        *([EVIDENCE] if found.hits else []),
        *hit_lines(found.hits),
        *_notes(found),
    ]


def unknown_lines(found: SearchResponseV1) -> Iterator[str]:
    """Where what was found can hold no answer, that, in words."""
    if found.hits and found.retrieval is not None and not found.retrieval.known:
        yield f"{inline(found.retrieval.says, 300)}. What follows is the nearest and no answer."


def hits_cost(found: SearchResponseV1) -> int:
    """Tokens of the hits as a reader gets them: their texts, and the server's own lines around these."""
    from memory_assets.text.tokens import estimate_tokens

    return estimate_tokens("\n".join(hit_lines(found.hits)))


def bulk_lines(items: Sequence[BulkSearchItemV1]) -> Iterator[str]:
    """The answers of several questions, each under its id; a question that failed says why in its place."""
    failed = sum(item.error is not None for item in items)
    yield f"{len(items)} questions, {failed} failed. {EVIDENCE}"
    for item in items:
        yield ""
        if item.error is not None:
            yield f"## {inline(item.id, 100)}: error ({item.error.code}): {inline(item.error.message)}"
            if item.error.hint:
                yield f"hint: {inline(item.error.hint)}"
        elif item.response is not None:
            yield f"## {inline(item.id, 100)}: {inline(item.response.query, 160)}"
            yield from _heading(item.response)
            yield from unknown_lines(item.response)
            yield from hit_lines(item.response.hits)


def hit_lines(hits: Sequence[SearchHitV1]) -> Iterator[str]:
    """Hits in their order, each with what it is, its addresses, and its text behind bars."""
    for hit in hits:
        # A passage is its own address: that stands in front, and is not said again.
        own = hit.citations[0] if hit.id is None and hit.citations else None
        yield f"{hit.rank}. " + sentence(
            (
                "" if hit.is_cited else "[HYPOTHESIS]",
                address(own.uri) if own else address(hit.id) if hit.id else hit.unit_id,
                hit.unit_kind,
                hit.origin if hit.origin in OF_OTHERS else None,
                f"in {inline(hit.title, 80)}"
                if hit.unit_kind == "passage"
                else standing(hit.assurance, hit.checker, hit.status),
                inline(hit.project, 60),
                inline(own.label, 80) if own and own.label != own.uri else day(hit.ts),
                f"relevance {hit.relevance:.2f}",
            )
        )
        yield from _cited(hit, behind=0 if own is None else 1)
        snippet = flat(hit.snippet, _SNIPPET)
        if hit.unit_kind != "passage" and flat(hit.title, _TITLE) not in snippet:
            yield from quoted(flat(hit.title, _TITLE))
        yield from quoted(snippet)
        yield from instead_lines(hit.said_otherwise)
        for other in hit.related:
            yield f"   also {sentence((other.unit_kind, address(other.id) if other.id else None, inline(other.title, 80)))}"


def instead_lines(instead: SaidOtherwiseV1 | None) -> Iterator[str]:
    """What a person said instead of what is shown: when and who, where it stands, and its first words."""
    if instead is not None:
        yield f"   {inline(instead.told, 200)}"
        yield from quoted(flat(instead.text, _SNIPPET))


def standing(assurance: str | None, checker: str | None, status: str | None) -> str:
    """What was proved of something, by whom, and its status where that is not the usual one."""
    granted = f"{assurance} ({checker})" if checker and assurance in ("held", "confirmed") else assurance or ""
    return sentence((granted, status if status and status not in ("active", "indexed") else None))


def day(time: datetime | None) -> str:
    """A day, UTC; empty where it is unknown."""
    return "" if time is None else time.astimezone(UTC).strftime("%Y-%m-%d")


def minute(time: datetime | None) -> str:
    """A time to the minute, UTC; empty where it is unknown."""
    return "" if time is None else time.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def _heading(found: SearchResponseV1) -> Iterator[str]:
    legs = " and ".join(found.channels) or "no"
    count = len(found.hits)
    hits = (
        f"{count} hit{'' if count == 1 else 's'}"
        if found.hits
        else f"nothing found{' within the budget' if found.budget else ''}"
    )
    parts = [f"{hits} by {legs} search"]
    if found.hits:
        parts.append(f"about {hits_cost(found):,} tokens")
    certificate = found.certificate
    if certificate is not None:
        if found.hits:
            if found.retrieval is not None:
                parts.append(f"answerability {found.retrieval.answerability:.2f}")
            parts.append(f"completeness {certificate.completeness:.2f}")
        missing = ", ".join(inline(word, 40) for word in certificate.missing[:5])
        parts.append(f"next: {certificate.next_action}{f' (not spoken of: {missing})' if missing and found.hits else ''}")
    yield "; ".join(parts)


def _cited(hit: SearchHitV1, *, behind: int) -> Iterator[str]:
    # The first alone: an address costs as much as a line of text, and the next layers name them all.
    citations = hit.citations[behind:]
    for citation in citations[:1]:
        who = inline(citation.label, 80)
        said = f" ({who})" if who and who != citation.uri else ""
        more = f" and {len(citations) - 1} more" if len(citations) > 1 else ""
        yield f"   cite {address(citation.uri)}{said}{more}"
    for beside in hit.beside:
        yield f"   with {address(beside.uri)} ({inline(beside.label, 80)})"


def _notes(found: SearchResponseV1) -> Iterator[str]:
    for note in found.notes:
        yield f"note: {inline(note, 400)}"
