"""A digest on a terminal: parts with their counts, a line or two for each thing, its addresses below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory_assets.cli.board import ID_SHOWN
from memory_assets.cli.memories import TYPE_WIDTH, assurance_cell, print_beside, said_otherwise_lines
from memory_assets.cli.output import cut, day, moment, one_line, plural, styled
from memory_assets.cli.tables import UNLIMITED, print_text, terminal_width

if TYPE_CHECKING:
    from rich.text import Text

    from memory_assets.results.digest import (
        DayDigestV1,
        DigestCountsV1,
        DigestFailureV1,
        DigestLineV1,
        DigestQuoteV1,
        ProjectDigestV1,
        SessionDigestV1,
        SessionHeadV1,
        TaskMoveV1,
    )

_INDENT = 4
_LINES = 2
"""Lines of the terminal that one quote may take."""
_STATUS = {
    "in_progress": ("in progress", "cyan"),
    "blocked": ("blocked", "red"),
    "pending": ("pending", ""),
    "done": ("done", "green"),
    "said_done": ("said to be done", "yellow"),
    "cancelled": ("cancelled", "dim"),
}


def print_session(digest: SessionDigestV1) -> None:
    """What one session was about."""
    _print_head(digest.session, digest.goal)
    print_text(styled((_counted(digest.counts), "dim")))
    if digest.goal is not None:
        _print_part("goal")
        _print_quote(digest.goal)
    _print_parts(digest)
    if digest.ended is not None:
        _print_part("ended with")
        _print_quote(digest.ended)


def print_day(digest: DayDigestV1) -> None:
    """What the sessions of a day were about, one after the other."""
    of = f" of project {one_line(digest.project)}" if digest.project else ""
    if not digest.sessions:
        print_text(styled(f"no sessions on {digest.date} (UTC){of}; `memory sessions list` shows when there were some"))
        return
    print_text(
        styled((f"{digest.date} UTC", "bold"), f"  {plural(len(digest.sessions), 'session')}{of}"),
        styled((_counted(digest.counts), "dim")),
    )
    for one in digest.sessions:
        print_text(styled(""))
        _print_head(one.session, one.goal)
        if one.goal is not None:
            _print_quote(one.goal)
        _print_parts(one)


def print_project(digest: ProjectDigestV1) -> None:
    """How a project stands."""
    counts = digest.counts
    print_text(
        styled((one_line(digest.project), "bold")),
        styled(
            f"{plural(counts.sessions, 'session')} from {day(digest.first_session_at)} to {day(digest.last_session_at)}, "
            f"{counts.holds:,} memories hold, {plural(counts.open, 'task')} open, {counts.contested:,} contested"
        ),
    )
    for kind, count in counts.holds_by_type.items():
        _print_lines(f"what holds: {kind}s", [line for line in digest.holds if line.kind == kind], count)
    if digest.recent_sessions:
        _print_part(f"lately, since {day(digest.since)}: sessions", counts.recent_sessions)
    for recent in digest.recent_sessions:
        _print_recent(recent.session, recent.goal)
    _print_rest(len(digest.recent_sessions), counts.recent_sessions)
    if digest.moved:
        _print_part("lately: tasks that came to be or moved", counts.moved)
    for move in digest.moved:
        _print_move(move)
    _print_rest(len(digest.moved), counts.moved)
    _print_lines("lately: set aside", digest.replaced, counts.replaced, with_kind=True)
    _print_lines("open", digest.open, counts.open)
    if digest.contested:
        _print_part("contested", counts.contested)
    for conflict in digest.contested:
        print_text(styled("  ", (conflict.id[:ID_SHOWN], "cyan"), (f"  {one_line(conflict.reason)}", "dim")))
        _print_line(conflict.older, "older")
        _print_line(conflict.newer, "newer")
    _print_rest(len(digest.contested), counts.contested)


def _print_head(head: SessionHeadV1, goal: DigestQuoteV1 | None) -> None:
    """The session's title, unless that is what was asked first, and what is known of it."""
    ended = moment(head.ended_at)
    until = ended[-5:] if day(head.started_at) == day(head.ended_at) else ended
    when = f"{moment(head.started_at)} to {until} UTC"
    known = styled(
        (head.session_id, "cyan"),
        f"  project {one_line(head.project or '-')}  {when}, {plural(head.messages, 'message')}",
    )
    if head.title and not (goal and one_line(goal.text).startswith(one_line(head.title).removesuffix("…"))):
        print_text(styled((one_line(head.title), "bold")))
    print_text(known)


def _print_parts(digest: SessionDigestV1) -> None:
    counts = digest.counts
    _print_lines("decided", digest.decided, counts.decided)
    _print_lines("done", digest.done, counts.done)
    if digest.files:
        _print_part("files", counts.files)
    for file in digest.files:
        times = f" ×{file.times}" if file.times > 1 else ""
        _print_beside(styled(f"  {one_line(file.path)}", (times, "dim")), file.quote.uri)
    _print_rest(len(digest.files), counts.files)
    if digest.commits:
        _print_part("commits", counts.commits)
    for commit in digest.commits:
        _print_beside(styled("  ", (commit.commit, "cyan"), f"  {one_line(commit.subject)}"), commit.quote.uri)
    _print_rest(len(digest.commits), counts.commits)
    if digest.failed:
        _print_part("failed and mended", counts.failed)
    for failure in digest.failed:
        _print_failure(failure)
    _print_rest(len(digest.failed), counts.failed)
    _print_lines("open ends", digest.open, counts.open)
    if counts.closed_since:
        print_text(styled((f"  {plural(counts.closed_since, 'further task')} that it left open closed since", "dim")))
    _print_lines("also kept", digest.noted, counts.noted, with_kind=True)


def _print_part(name: str, count: int | None = None) -> None:
    print_text(styled(""), styled((name, "bold"), (f"  {count:,}" if count is not None else "", "dim")))


def _print_lines(name: str, lines: Sequence[DigestLineV1], count: int, *, with_kind: bool = False) -> None:
    if not lines:
        return
    _print_part(name, count)
    for line in lines:
        _print_line(line, line.kind if with_kind else "")
    _print_rest(len(lines), count)


def _print_rest(shown: int, count: int) -> None:
    if count > shown:
        print_text(styled((f"  … and {count - shown:,} more: --all shows them", "dim")))


def _print_line(line: DigestLineV1, mark: str = "") -> None:
    """What it is told as, its quote where that says more, its addresses, and why."""
    marked = f"{mark.ljust(TYPE_WIDTH)}  " if mark else ""
    print_text(_cut(styled("  ", (marked, "magenta"), one_line(line.text))))
    if line.quote is not None and line.quote.text != line.text:
        print_text(_cut(styled(" " * _INDENT, f"“{one_line(line.quote.text)}”")))
    address = (line.id or "in no memory") if line.kind != "task" else (line.id or "")[:ID_SHOWN]
    waits = f", waits for {one_line('; '.join(line.waits_for))}" if line.waits_for else ""
    standing = _standing(line)
    instead = f" in favour of {line.superseded_by}" if line.superseded_by else ""
    head = styled(" " * _INDENT, (address, "cyan"), "  ", standing, (instead, "yellow"), (waits, "red"))
    _print_where(head, line.quote)
    print_text(*said_otherwise_lines(line.said_otherwise, indent=_INDENT))
    for reason in line.because:
        print_text(_cut(styled(" " * _INDENT, ("because ", "dim"), f"“{one_line(reason.text)}”")))
        _print_where(styled(" " * _INDENT), reason)


def _standing(line: DigestLineV1) -> tuple[str, str]:
    if line.kind == "task":
        return _STATUS.get(line.status, (line.status.replace("_", " "), ""))
    return assurance_cell(line.assurance, line.checker, line.status)


def _print_where(head: Text, quote: DigestQuoteV1 | None) -> None:
    if quote is None:
        print_text(head + styled(("  said by a person", "dim")))
        return
    who = f"{one_line(quote.speaker)}  " if quote.speaker else ""
    gap = "  " if head.plain.strip() else ""
    print_text(head + styled((f"{gap}{who}{quote.uri}", "dim")))


def _print_quote(quote: DigestQuoteV1) -> None:
    print_text(_cut(styled("  ", f"“{one_line(quote.text)}”")))
    _print_where(styled(" " * _INDENT), quote)


def _print_failure(failure: DigestFailureV1) -> None:
    print_text(_cut(styled("  ", (one_line(failure.error.text), "red"))))
    _print_where(styled(" " * _INDENT), failure.error)
    for quote in failure.mended:
        print_text(_cut(styled(" " * _INDENT, ("→ ", "green"), one_line(quote.text))))
        _print_where(styled(" " * _INDENT, "  "), quote)


def _print_recent(head: SessionHeadV1, goal: DigestQuoteV1 | None) -> None:
    told = goal.text if goal is not None else head.title or "-"
    print_text(_cut(styled(f"  {day(head.started_at)}  ", one_line(told))))
    print_text(styled(" " * _INDENT, (head.session_id, "cyan"), (f"  {plural(head.messages, 'message')}", "dim")))


def _print_move(move: TaskMoveV1) -> None:
    to_status, style = _STATUS.get(move.to_status, (move.to_status, ""))
    before = f"{_STATUS.get(move.from_status, (move.from_status, ''))[0]} → " if move.from_status else "new, "
    print_text(_cut(styled(f"  {day(move.moved_at)}  ", one_line(move.text))))
    _print_where(styled(" " * _INDENT, (move.id[:ID_SHOWN], "cyan"), f"  {before}", (to_status, style)), move.quote)


def _print_beside(head: Text, uri: str) -> None:
    print_beside(head, styled((uri, "dim")), indent=_INDENT)


def _cut(line: Text) -> Text:
    """A line in at most two of the terminal's; where nobody looks it is whole."""
    width = terminal_width()
    return line if width == UNLIMITED else cut(line, _LINES * width)


def _counted(counts: DigestCountsV1) -> str:
    said = (
        f"{counts.decided:,} decided" if counts.decided else "",
        f"{counts.done:,} done" if counts.done else "",
        plural(counts.files, "file") if counts.files else "",
        plural(counts.commits, "commit") if counts.commits else "",
        f"{counts.failed:,} mended" if counts.failed else "",
        f"{counts.open:,} open" if counts.open else "",
        f"{counts.noted:,} also kept" if counts.noted else "",
    )
    return ", ".join(part for part in said if part) or "nothing was decided, done or left open"
