"""A session's messages with every quote that its entries rest on, each in its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.queries.entries import list_entries
from memory_assets.queries.sessions import session_details
from memory_assets.results.memories import Quote
from memory_assets.results.sessions import MessageView, Quarantined, SessionSummary

if TYPE_CHECKING:
    import duckdb

    from memory_assets.vocabulary import Assurance


@dataclass(frozen=True, slots=True)
class SupportingQuote:
    """A quote and the entry that it supports; ``citation`` is the entry's memory, None where it is none."""

    entry_id: str
    citation: str | None
    entry_type: str
    title: str
    stage: str
    checker: str | None
    quote: Quote
    assurance: Assurance | None


@dataclass(frozen=True, slots=True)
class QuotedMessage:
    """A message with the quotes that stand in it, in the order of their spans."""

    message: MessageView
    quotes: tuple[SupportingQuote, ...]


@dataclass(frozen=True, slots=True)
class SessionEvidence:
    """A session, its messages, and the quotes that are nowhere in it."""

    session: SessionSummary
    messages: tuple[QuotedMessage, ...]
    failed: tuple[SupportingQuote, ...]
    quarantine: tuple[Quarantined, ...]


def session_evidence(connection: duckdb.DuckDBPyConnection, given: str) -> SessionEvidence:
    """A session by its id or the beginning of it, with the evidence of its current entries.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    details = session_details(connection, given)
    entries, _ = list_entries(connection, session_id=details.session.session_id, with_context=False)
    placed: dict[int, list[SupportingQuote]] = {}
    failed: list[SupportingQuote] = []
    for entry in reversed(entries):  # as they were said
        for quote in entry.evidence:
            item = SupportingQuote(
                entry.entry_id,
                entry.citation,
                entry.entry_type,
                entry.title,
                entry.stage,
                entry.checker,
                quote,
                entry.assurance,
            )
            if quote.message_index is None or not quote.segments:
                failed.append(item)
            else:
                placed.setdefault(quote.message_index, []).append(item)
    return SessionEvidence(
        session=details.session,
        messages=tuple(
            QuotedMessage(message, tuple(sorted(placed.get(message.message_index, ()), key=lambda item: item.quote.segments)))
            for message in details.messages
        ),
        failed=tuple(failed),
        quarantine=details.quarantine,
    )
