"""`memory backup`, `restore` and `recover`: the store in one file, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, invocation
from memory_assets.cli.output import one_line, plural, print_json, styled
from memory_assets.cli.progress import progress_for_people
from memory_assets.cli.tables import print_text

SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("backup")(backup)
    app.command("restore")(restore)
    app.command("recover")(recover)


def backup(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="The file to make.", show_default=False)],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Copy the store into one private file, verified, while others go on writing."""
    from memory_assets.backup.archive import back_up

    made = back_up(invocation(context).memory().database, file, force=force, progress=progress_for_people(as_json=as_json))
    if as_json:
        print_json(made)
    else:
        print_text(
            styled((one_line(str(file)), "bold"), f": {plural(made.events, 'event')}, {plural(made.sessions, 'session')}")
        )
        print_text(styled((f"the log ends at event {made.seq}, link {made.link_hash}", "dim")))
    return OK


def restore(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A file that `memory backup` made.", show_default=False)],
    force: Annotated[bool, typer.Option("--force", help="Also where a store is: that one is kept beside the new one.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Put a backup in the place of the store: verified before anything is changed, then all of it or nothing."""
    from memory_assets.maintenance.copies import restore_store

    put = restore_store(
        invocation(context).memory().resources, file, force=force, progress=progress_for_people(as_json=as_json)
    )
    if as_json:
        print_json(put)
    else:
        print_text(styled(f"{plural(put.events, 'event')} of {plural(put.sessions, 'session')}, as of {put.backed_up_at}"))
        if put.kept_aside:
            print_text(styled(("the store that was here is kept in ", "dim"), one_line(put.kept_aside)))
    return OK


def recover(
    context: typer.Context,
    store_file: Annotated[
        Path | None, typer.Argument(help="A damaged memory.duckdb; without it this store's.", show_default=False)
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="The new store's folder; otherwise one beside the store.", show_default=False)
    ] = None,
    with_backup: Annotated[
        Path | None,
        typer.Option("--with", help="A backup of this store: what cannot be read is taken from it.", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Save every event that can be read of a damaged store into a new one. Exits 1 where some are lost, or none is found."""
    from memory_assets.maintenance.copies import recover_store

    saved = recover_store(
        invocation(context).memory().resources,
        store_file,
        to=to,
        backup=with_backup,
        progress=progress_for_people(as_json=as_json),
    )
    # Of a file in which no event is found nobody can tell how many there were.
    code = NOTHING_FOUND if saved.lost or (saved.damage and not saved.events) else OK
    if as_json:
        print_json(saved)
        return code
    print_text(styled((f"{plural(saved.events, 'event')} saved", "bold"), f" into {one_line(saved.folder)}"))
    print_text(styled(f"{saved.proven:,} proven by their links, {saved.by_checksum:,} by their own checksums alone"))
    for line in saved.damage[:SHOWN]:
        print_text(styled((one_line(line), "dim")))
    for item in saved.lost[:SHOWN]:
        print_text(
            styled((f"lost: event {item.seq}", "red"), f" of {one_line(item.session_id or 'a session unknown')}: {item.reason}")
        )
    if len(saved.lost) > SHOWN:
        print_text(styled((f"… and {len(saved.lost) - SHOWN:,} more: --json lists them", "dim")))
    for session_id in saved.incomplete_sessions[:SHOWN]:
        print_text(styled((f"incomplete: {one_line(session_id)}; import its file again", "yellow")))
    print_text(styled(("to use it: set MEMORY_HOME to that folder, then memory rebuild", "dim")))
    return code
