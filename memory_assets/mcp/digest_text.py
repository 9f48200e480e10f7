"""Digests of sessions, days and projects, for a reader who pays for each token: an address, then the quoted words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memory_assets.mcp.answers import EVIDENCE
from memory_assets.mcp.quoting import address, flat, inline, quoted, sentence
from memory_assets.mcp.search_text import day, instead_lines, minute, standing

if TYPE_CHECKING:
    from memory_assets.results.digest import (
        DayDigestV1,
        DigestCountsV1,
        DigestLineV1,
        DigestQuoteV1,
        ProjectDigestV1,
        SessionDigestV1,
        SessionHeadV1,
    )

_QUOTE = 400


def session_digest_lines(digest: SessionDigestV1) -> Iterator[str]:
    """What one session was about."""
    yield f"{_counted(digest.counts)}. {EVIDENCE}"
    yield from _session(digest)


def day_digest_lines(digest: DayDigestV1) -> Iterator[str]:
    """What the sessions of a day were about, one after the other."""
    if not digest.sessions:
        yield f"no sessions on {digest.date} (UTC)"
        return
    yield f"{digest.date} (UTC): {len(digest.sessions)} sessions, {_counted(digest.counts)}. {EVIDENCE}"
    for one in digest.sessions:
        yield ""
        yield from _session(one)


def project_digest_lines(digest: ProjectDigestV1) -> Iterator[str]:
    """How a project stands."""
    counts = digest.counts
    yield sentence(
        (
            f"project {inline(digest.project, 60)}",
            f"{counts.sessions:,} sessions from {day(digest.first_session_at)} to {day(digest.last_session_at)}",
            f"{counts.holds:,} memories hold",
            f"{counts.open:,} tasks open",
            f"{counts.contested:,} contested",
        )
    )
    yield EVIDENCE
    for kind, count in counts.holds_by_type.items():
        yield from _lines(f"what holds, {kind}s", [line for line in digest.holds if line.kind == kind], count)
    yield from _heading(f"lately, since {day(digest.since)}, sessions", len(digest.recent_sessions), counts.recent_sessions)
    for recent in digest.recent_sessions:
        yield _head(recent.session)
        if recent.goal is not None:
            yield from quoted(flat(recent.goal.text, _QUOTE))
    yield from _heading("lately, tasks that came to be or moved", len(digest.moved), counts.moved)
    for move in digest.moved:
        became = f"{move.from_status} -> {move.to_status}" if move.from_status else f"new, {move.to_status}"
        yield f"- {sentence((move.id, became, day(move.moved_at), address(move.quote.uri) if move.quote else None))}"
        yield from quoted(flat(move.text, _QUOTE))
    yield from _lines("lately, set aside", digest.replaced, counts.replaced)
    yield from _lines("open", digest.open, counts.open)
    yield from _heading("contested", len(digest.contested), counts.contested)
    for conflict in digest.contested:
        yield f"- {sentence((conflict.id, inline(conflict.reason, 120)))}"
        for side in (conflict.older, conflict.newer):
            yield from _line(side)


def _session(digest: SessionDigestV1) -> Iterator[str]:
    counts = digest.counts
    yield _head(digest.session)
    if digest.session.title:
        yield from quoted(flat(digest.session.title, _QUOTE))
    if digest.goal is not None:
        yield "goal:"
        yield from _quote(digest.goal)
    yield from _lines("decided", digest.decided, counts.decided)
    yield from _lines("done", digest.done, counts.done)
    yield from _heading("files", len(digest.files), counts.files)
    for file in digest.files:
        times = f"{file.times} times" if file.times > 1 else None
        yield f"- {sentence((address(file.quote.uri), times))}"
        yield from quoted(flat(file.path, _QUOTE))
    yield from _heading("commits", len(digest.commits), counts.commits)
    for commit in digest.commits:
        yield f"- {sentence((commit.commit, address(commit.quote.uri)))}"
        yield from quoted(flat(commit.subject, _QUOTE))
    yield from _heading("failed and mended", len(digest.failed), counts.failed)
    for failure in digest.failed:
        yield from _quote(failure.error)
        for quote in failure.mended:
            yield "   what ended it:"
            yield from _quote(quote)
    yield from _lines("open ends", digest.open, counts.open)
    if counts.closed_since:
        yield f"{counts.closed_since} further tasks that it left open are closed since"
    yield from _lines("also kept", digest.noted, counts.noted)
    if digest.ended is not None:
        yield "ended with:"
        yield from _quote(digest.ended)


def _head(head: SessionHeadV1) -> str:
    until = f"{minute(head.started_at)} to {minute(head.ended_at)}"
    return "session " + sentence((address(head.session_id), inline(head.project, 60), until, f"{head.messages} messages"))


def _heading(name: str, shown: int, count: int) -> Iterator[str]:
    if shown:
        yield f"{name}: {count:,}{f', the first {shown}' if shown < count else ''}"


def _lines(name: str, lines: Sequence[DigestLineV1], count: int) -> Iterator[str]:
    yield from _heading(name, len(lines), count)
    for line in lines:
        yield from _line(line)


def _line(line: DigestLineV1) -> Iterator[str]:
    """The addresses and what was proved or how it stands, the words, and why."""
    waits = f"waits for {inline('; '.join(line.waits_for), 160)}" if line.waits_for else None
    is_task = line.kind == "task"
    stands = line.status.replace("_", " ") if is_task else standing(line.assurance, line.checker, line.status)
    instead = f"in favour of {address(line.superseded_by)}" if line.superseded_by else None
    where = address(line.quote.uri) if line.quote is not None else "said by a person"
    speaker = inline(line.quote.speaker, 60) if line.quote is not None else None
    yield f"- {sentence((address(line.id or 'in no memory'), line.kind, stands, instead, waits, where, speaker))}"
    yield from instead_lines(line.said_otherwise)
    yield from quoted(flat(line.text, _QUOTE))
    if line.quote is not None and line.quote.text != line.text:
        yield from quoted(flat(line.quote.text, _QUOTE))
    for reason in line.because:
        yield "   because:"
        yield from _quote(reason)


def _quote(quote: DigestQuoteV1) -> Iterator[str]:
    yield f"   cite {sentence((address(quote.uri), inline(quote.speaker, 60), minute(quote.said_at)))}"
    yield from quoted(flat(quote.text, _QUOTE))


def _counted(counts: DigestCountsV1) -> str:
    return ", ".join(
        (
            f"{counts.decided:,} decided",
            f"{counts.done:,} done",
            f"{counts.files:,} files",
            f"{counts.commits:,} commits",
            f"{counts.failed:,} mended",
            f"{counts.open:,} open",
        )
    )
