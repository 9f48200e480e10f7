"""One entry's evidence, and what there is to say of the store itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memory_assets.mcp.answers import EVIDENCE
from memory_assets.mcp.quoting import address, flat, inline, quoted, sentence
from memory_assets.mcp.search_text import instead_lines, minute, standing

if TYPE_CHECKING:
    from memory_assets.results.doctor import CheckV1
    from memory_assets.results.feedback import AckV1
    from memory_assets.results.memories import EvidenceView, QuoteInMessage
    from memory_assets.results.prompts import PromptUpdateV1
    from memory_assets.results.stats import Stats, UsageV1

_AROUND = 400


def evidence_lines(view: EvidenceView) -> Iterator[str]:
    """An entry and each of its quotes as it stands in its message, with some of the text around it."""
    entry = view.entry
    yield EVIDENCE
    yield sentence(
        (
            address(entry.citation or entry.entry_id),
            entry.entry_type,
            standing(entry.assurance, entry.checker, entry.status),
            inline(entry.project, 60),
            minute(entry.said_at),
        )
    )
    yield from instead_lines(entry.said_otherwise)
    yield from quoted(flat(entry.title, 300))
    if entry.reason:
        yield from quoted(flat(f"reason: {entry.reason}", 300))
    if entry.blocked_reason:
        yield f"not promoted: {inline(entry.blocked_reason, 300)}"
    if not any(one.message for one in view.quotes):
        yield "[HYPOTHESIS] no quote of it stands in its session"
    for one in view.quotes:
        yield from _quote(one)


def _quote(one: QuoteInMessage) -> Iterator[str]:
    quote, message = one.quote, one.message
    if message is None or quote.span_start is None or quote.span_end is None:
        yield f"not found ({inline(quote.failure_reason, 60) or 'no reason'}): this was claimed, and nobody said it:"
        yield from quoted(quote.quote, limit=_AROUND)
        return
    yield "cite " + sentence(
        (
            address(quote.uri),
            inline(message.name or message.role, 60),
            minute(message.ts),
            f"{quote.method} {quote.confidence:.2f}",
            "ambiguous" if quote.ambiguous else None,
        )
    )
    start, end = quote.span_start, quote.span_end
    before, after = message.text[max(0, start - _AROUND) : start], message.text[end : end + _AROUND]
    if before.strip():
        yield "   before it:"
        yield from quoted(before.strip("\n"))
    yield "   the quote:"
    yield from quoted(message.text[start:end])
    if after.strip():
        yield "   behind it:"
        yield from quoted(after.strip("\n"))


def stats_lines(stats: Stats) -> Iterator[str]:
    """What the store holds."""
    yield f"{stats.sessions:,} sessions, {stats.messages:,} messages, {stats.characters:,} characters, {stats.events:,} events"
    yield f"{stats.memories:,} memories from {stats.entries:,} entries"
    for name, counts in (
        ("entries by type", stats.entries_by_type),
        ("entries by stage", stats.entries_by_stage),
        ("quotes by method", stats.quotes_by_method),
        ("tasks by status", stats.tasks_by_status),
        ("units by kind", stats.units_by_kind),
        ("outbox by status", stats.outbox_by_status),
        ("sessions by status", stats.sessions_by_status),
    ):
        if counts:
            yield f"{name}: {_counted(counts)}"
    yield from _use_lines(stats.usage)
    if stats.quarantined:
        yield f"quarantined: {stats.quarantined:,}"
    yield f"store {stats.store_bytes / 1e6:.1f} MB, vectors {stats.vectors_bytes / 1e6:.1f} MB"


def _use_lines(use: UsageV1) -> Iterator[str]:
    yield (
        f"what it was good for, counted on {use.days:,} {'day' if use.days == 1 else 'days'}: "
        f"shown {use.shown:,}, opened {use.opened:,}, cited {use.cited:,}, "
        f"said to have helped {use.helpful:,}, to have been used {use.used:,}, to be wrong {use.wrong:,}; "
        f"{use.memories_never_shown:,} of {use.memories:,} memories were never shown"
    )
    for memory in use.of_most_use:
        yield f"   of most use: {sentence((address(memory.citation), inline(memory.title, 120)))}"


def doctor_lines(checks: Sequence[CheckV1]) -> Iterator[str]:
    """Each check, what is wrong first."""
    wrong = [check for check in checks if not check.ok]
    yield "all is well" if not wrong else f"{len(wrong)} of {len(checks)} checks found something"
    for check in sorted(checks, key=lambda check: check.ok):
        yield f"{_standing(check)}  {check.name}: {inline(check.detail, 300)}"
        if check.hint and (check.warning or not check.ok):
            yield f"    {inline(check.hint, 300)}"


def _standing(check: CheckV1) -> str:
    return "WRONG" if not check.ok else "warning" if check.warning else "ok"


def schema_lines(schema: Mapping[str, Any]) -> Iterator[str]:
    """Which objects there are, and what can be asked for."""
    if "definition" in schema:
        import json

        yield f"JSON Schema of {schema['id']}:"
        yield json.dumps(schema["definition"], ensure_ascii=False)
        return
    yield "schemas (schema with id gives one): " + ", ".join(one["id"] for one in schema.get("schemas", ()))
    for name, words in schema.get("capabilities", {}).items():
        if words:
            yield f"{name}: {', '.join(map(str, words))}"
    for name, version in schema.get("versions", {}).items():
        yield f"{name}: {inline(str(version), 120)}"


def ack_lines(ack: AckV1) -> Iterator[str]:
    """What was written."""
    yield f"written: {ack.event_type} of {address(ack.id)} by {inline(ack.said_by, 60)}"
    if ack.unit is not None:
        counts = f"shown {ack.unit.shown}, used {ack.unit.used}, helpful {ack.unit.helpful}, wrong {ack.unit.wrong}"
        uplift = f"uplift {ack.unit.uplift:+.2f}"
        yield f"   {sentence((ack.unit.unit_kind, inline(ack.unit.title, 120), counts, uplift))}"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{inline(name, 40)} {count:,}" for name, count in counts.items())


def prompt_update_lines(update: PromptUpdateV1) -> Iterator[str]:
    """A proposal that waits for a person, and what it changes."""
    yield f"{update.update_id} is {update.status}, for the role {inline(update.role, 80)}, from version {update.base_version}"
    yield "nothing has changed: a person approves it, by name, with `memory prompts approve`, or on the page /prompts"
    yield from quoted(update.diff, limit=4000)
