"""`memory sessions`: what was taken in."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.groups import ListingGroup
from memory_assets.cli.importing import code_of, print_import
from memory_assets.cli.invocation import OK, JsonOption, ProjectOption, invocation
from memory_assets.cli.memories import said_otherwise_lines
from memory_assets.cli.output import clean, day, moment, one_line, plural, print_json, print_result, styled
from memory_assets.cli.session_evidence import ROLE_STYLES, message_line, print_evidence
from memory_assets.cli.tables import print_table, print_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_assets.results.sessions import Quarantined, SessionDetails, SessionSummary

STATUS_STYLES = {"quarantined": "red", "vectorized": "green", "projected": "green"}


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(cls=ListingGroup, help="Sessions: list them, show one, or register files (bare: list).")
    group.command("list")(list_)
    group.command("show")(show)
    group.command("add")(add)
    app.add_typer(group, name="sessions")


def list_(
    context: typer.Context,
    project: ProjectOption = None,
    status: Annotated[
        str | None,
        typer.Option("--status", help="Only of this status: registered, a stage's name, or quarantined.", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """List every session, the newest first."""
    sessions = invocation(context).memory().sessions(project=project, status=status)
    print_result(sessions, print_sessions, as_json=as_json, nothing="no sessions; `memory import PATH` takes some in")
    return OK


def show(
    context: typer.Context,
    session: Annotated[str, typer.Argument(help="The session's id, or its beginning.")],
    full: Annotated[bool, typer.Option("--full", help="Print every message whole, not its first line.")] = False,
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Highlight what its entries quote, each quote with the entry that it supports.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Show a session with its messages."""
    from memory_assets.queries.session_evidence import session_evidence

    memory = invocation(context).memory()
    if evidence:
        found = memory.read(session_evidence, session)
        if as_json:
            print_json(found)
        else:
            print_head(found.session, found.quarantine)
            print_evidence(found, full=full)
        return OK
    details = memory.session(session)
    print_result(details, partial(print_session, full=full), as_json=as_json)
    return OK


def add(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(help="Session files, or folders of them.", show_default=False)],
    project: Annotated[
        str | None,
        typer.Option("--project", help="The project of these sessions, whatever their files say.", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Register session files as partitions, for Dagster to materialize; nothing else is done with them."""
    from memory_assets.defs import run

    report = run.add_sessions(invocation(context).settings(), paths, project=project)
    if as_json:
        print_json(report.as_json())
    else:
        print_import(report.as_json())
        print_text(*(styled("  ", (session_id, "cyan")) for session_id in report.session_ids))
    return code_of(report.as_json())


def print_sessions(sessions: list[SessionSummary]) -> None:
    """One line a session."""
    print_table(
        ("started", "session", "status", "msgs", "entries", "project", "title"),
        [
            (
                day(session.started_at),
                (session.session_id, "cyan"),
                (session.status, STATUS_STYLES.get(session.status, "yellow")),
                f"{session.messages:,}",
                f"{session.entries:,}",
                (session.project or "-", "magenta"),
                session.title or session.source_uri or "-",
            )
            for session in sessions
        ],
        shrink=((6, 16), (5, 7), (1, 13), (6, 8)),
        right=frozenset((3, 4)),
    )


def print_head(session: SessionSummary, quarantine: Sequence[Quarantined]) -> None:
    """What a session is, where it came from, and why it was put aside where it was."""
    print_text(
        styled((one_line(session.title or session.session_id), "bold")),
        styled((session.session_id, "cyan"), f"  {session.source_format or '-'}  {session.project or '-'}  ", session.status),
        styled(
            f"{moment(session.started_at)} to {moment(session.ended_at)} UTC, {plural(session.messages, 'message')}, "
            f"{plural(session.entries, 'entry', 'entries')}, revision {session.revision}"
        ),
        *(styled(("from  ", "dim"), one_line(uri)) for uri in session.source_uris),
        *(
            styled(
                (f"put aside at {item.stage} ({item.error_code}), tried {item.attempts} times: ", "red"), one_line(item.detail)
            )
            for item in quarantine
        ),
    )


def print_session(details: SessionDetails, *, full: bool) -> None:
    """A session's head, and its messages one a line."""
    print_head(details.session, details.quarantine)
    if full:
        for message in details.messages:
            print_text(
                styled(""), message_line(message), *said_otherwise_lines(message.said_otherwise), styled(clean(message.text))
            )
        return
    print_table(
        ("m", "who", "kind", "time", "text"),
        [
            (
                str(message.message_index),
                (message.name or message.role, ROLE_STYLES.get(message.role, "")),
                (message.kind, "dim"),
                (moment(message.ts), "dim"),
                message.text[:400],
            )
            for message in details.messages
        ],
        shrink=((4, 30), (1, 9), (3, 10)),
        right=frozenset((0,)),
    )
