"""`memory mirror`: how this machine's store stands to the log that several machines share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.groups import ListingGroup
from memory_assets.cli.interruption import stoppable
from memory_assets.cli.invocation import NOTHING_FOUND, OK, UNHEALTHY, JsonOption, invocation
from memory_assets.cli.output import moment, one_line, plural, print_json, print_line, print_result, styled
from memory_assets.cli.progress import progress_for_people
from memory_assets.cli.tables import print_text

if TYPE_CHECKING:
    from memory_assets.results.mirror import MirrorBuiltV1, MirrorV1, MirrorVerifiedV1


class StatusGroup(ListingGroup):
    """Without a command, `status`."""

    default_command = "status"


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(cls=StatusGroup, help="The mirror of a log that several machines share (bare: status).")
    group.command("status")(status)
    group.command("update")(stoppable(update))
    group.command("verify")(stoppable(verify))
    group.command("rebuild")(stoppable(rebuild))
    group.command("pin")(pin)
    group.command("grant")(grant)
    group.command("revoke")(revoke)
    group.command("retire")(retire)
    app.add_typer(group, name="mirror")


def status(context: typer.Context, as_json: JsonOption = False) -> int:
    """Show which log this store mirrors and how far. Exits 3 where the log cannot be used or is another one."""
    from memory_assets.maintenance.mirror import mirror_status

    found = mirror_status(invocation(context).memory().resources)
    print_result(found, print_status, as_json=as_json)
    return UNHEALTHY if found.problem else OK


def update(context: typer.Context, as_json: JsonOption = False) -> int:
    """Take over what other machines wrote, and make it searchable. Exits 1 where something could not be written."""
    from memory_assets.maintenance.mirror import update_mirror

    return _built(update_mirror(invocation(context).memory().resources, progress=progress_for_people(as_json=as_json)), as_json)


def verify(context: typer.Context, as_json: JsonOption = False) -> int:
    """Read all of both logs and compare every event. Exits 1 where they are not the same."""
    from memory_assets.maintenance.mirror import verify_mirror

    found = verify_mirror(invocation(context).memory().resources)
    print_result(found, print_verified, as_json=as_json)
    return OK if found.equal else NOTHING_FOUND


def rebuild(context: typer.Context, as_json: JsonOption = False) -> int:
    """Make the mirror anew from the shared log; the file that is there is kept aside."""
    from memory_assets.maintenance.mirror import rebuild_mirror

    return _built(
        rebuild_mirror(invocation(context).memory().resources, progress=progress_for_people(as_json=as_json)), as_json
    )


def pin(context: typer.Context, as_json: JsonOption = False) -> int:
    """Make the versions of this machine's settings and program those that all machines must follow."""
    from memory_assets.maintenance.mirror import pin_versions

    print_result(pin_versions(invocation(context).memory().resources), print_status, as_json=as_json)
    return OK


def grant(
    context: typer.Context,
    role: Annotated[str, typer.Argument(help="A role of the PostgreSQL server that may log in.", show_default=False)],
    project: Annotated[
        list[str] | None, typer.Option("--project", help="Let it see this project alone. May be repeated.")
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Let it write as well.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Let a role read the shared log, in place of what it might do before. For whoever owns the log."""
    from memory_assets.maintenance.mirror import grant_access

    access = grant_access(invocation(context).memory().resources, role, projects=project or (), may_write=write)
    if as_json:
        print_json({"role": role, "projects": access.projects, "may_write": access.may_write})
    else:
        print_line(f"{one_line(role)} reads {one_line(str(access))}{' and writes' if access.may_write else ''}")
    return OK


def revoke(
    context: typer.Context,
    role: Annotated[str, typer.Argument(help="A role of the PostgreSQL server.", show_default=False)],
    as_json: JsonOption = False,
) -> int:
    """Let a role do nothing with the shared log any more; what its mirrors hold they hold."""
    from memory_assets.maintenance.mirror import revoke_access

    revoke_access(invocation(context).memory().resources, role)
    if as_json:
        print_json({"role": role, "projects": [], "may_write": False})
    else:
        print_line(f"{one_line(role)} reads and writes nothing")
    return OK


def retire(
    context: typer.Context,
    machine: Annotated[
        str,
        typer.Argument(help="Its id in `memory mirror`, or six characters of it or more.", show_default=False),
    ],
    as_json: JsonOption = False,
) -> int:
    """Say that a machine will not come back: no purge waits for it, and what it was building is shown as ended."""
    from memory_assets.commands.people import login_name
    from memory_assets.maintenance.mirror import retire_machine

    found = retire_machine(invocation(context).memory().resources, machine, by=login_name())
    print_result(found, print_status, as_json=as_json)
    return OK


def print_status(found: MirrorV1) -> None:
    """Which log, how far, and what is wrong."""
    head = "unknown" if found.head_seq is None else f"{found.head_seq:,}"
    print_text(styled((one_line(found.log), "bold"), f", its newest event is {head}"))
    print_text(styled(f"here the newest is {found.mirror_seq:,}; all of it was here at {moment(found.as_of)}"))
    if found.versions is not None:
        print_text(styled((f"versions of {plural(len(found.versions), 'stage')} are pinned", "dim")))
    for machine in found.machines:
        here = " (this one)" if machine.is_here else ""
        purged = ("", "") if machine.purged else (", which has not purged what was taken out of the log", "yellow")
        if machine.retired:
            purged = (f"{purged[0]}, which is not waited for", "dim")
        print_text(styled((f"mirrored by {one_line(machine.name)} {machine.host_id[:12]}{here}", "dim"), purged))
    if found.problem:
        print_text(styled((one_line(found.problem), "red")))


def print_verified(found: MirrorVerifiedV1) -> None:
    """Whether both are the same, and what is wrong."""
    if found.equal:
        print_text(styled(("equal", "bold green"), f": {found.head_seq:,} events are on both sides what was written"))
        return
    print_text(styled(("not equal", "bold red"), f": {found.head_seq:,} events in the log, {found.mirror_seq:,} here"))
    for problem in found.problems:
        print_text(styled((one_line(problem), "red")))


def _built(found: MirrorBuiltV1, as_json: bool) -> int:
    if as_json:
        print_json(found)
    else:
        print_text(styled(f"took over {plural(found.taken, 'event')}, made {plural(found.units_written, 'unit')} searchable"))
        if found.without_vectors:
            print_text(styled((one_line(found.without_vectors), "yellow")))
        if found.kept_aside:
            print_text(styled((f"the file that was there is kept in {one_line(found.kept_aside)}", "dim")))
    return NOTHING_FOUND if found.units_failed else OK
