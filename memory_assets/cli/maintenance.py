"""`memory rebuild`, `doctor` and `stats`: is the store sound, and what is in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.interruption import stoppable
from memory_assets.cli.invocation import NOTHING_FOUND, OK, UNHEALTHY, JsonOption, invocation
from memory_assets.cli.output import cut, one_line, plural, print_json, print_result, styled
from memory_assets.cli.progress import progress_for_people
from memory_assets.cli.tables import print_table, print_text, terminal_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_assets.projections.rebuild import RebuildReport
    from memory_assets.results.doctor import CheckV1
    from memory_assets.results.stats import Stats, UsageV1


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("rebuild")(stoppable(rebuild))
    app.command("doctor")(doctor)
    app.command("stats")(stats)


def doctor(context: typer.Context, as_json: JsonOption = False) -> int:
    """Check everything that the store needs. Exits 3 where something is unhealthy."""
    from memory_assets.maintenance.doctor import checks
    from memory_assets.results.doctor import DoctorV1

    found = DoctorV1.of(checks(invocation(context).memory().resources))
    if as_json:
        print_json(found)
    else:
        print_checks(found.checks)
    return OK if found.healthy else UNHEALTHY


def stats(
    context: typer.Context,
    project: Annotated[
        str | None, typer.Option("--project", help="Tell of this project alone what its memory was good for.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Count what the store holds, and tell what it was good for."""
    found = invocation(context).memory().stats(project=project)
    print_result(found, print_stats if project is None else print_use, as_json=as_json)
    return OK


def print_checks(checks: Sequence[CheckV1]) -> None:
    """A line a check, and what to do where there is something to do."""
    width = max(len(check.name) for check in checks)
    for check in checks:
        mark = ("warn", "yellow") if check.ok and check.warning else ("ok", "green") if check.ok else ("BAD", "bold red")
        print_text(styled((mark[0].ljust(4), mark[1]), " ", (check.name.ljust(width + 2), "bold"), one_line(check.detail)))
        if check.hint:
            style = "dim" if check.ok and not check.warning else "yellow"
            print_text(styled(" " * (5 + width + 2), (f"hint: {one_line(check.hint)}", style)))


def print_stats(found: Stats) -> None:
    """A line a kind of thing, then what it was good for."""
    rows: tuple[tuple[str, int, Mapping[str, int]], ...] = (
        ("sessions", found.sessions, {**found.sessions_by_status, **found.sessions_by_format}),
        ("messages", found.messages, {"characters": found.characters}),
        ("memories", found.memories, {}),
        ("entries", found.entries, {**found.entries_by_stage, **found.entries_by_type}),
        ("quotes", sum(found.quotes_by_method.values()), found.quotes_by_method),
        ("tasks", sum(found.tasks_by_status.values()), found.tasks_by_status),
        ("units", sum(found.units_by_kind.values()), found.units_by_kind),
        ("outbox", sum(found.outbox_by_status.values()), found.outbox_by_status),
        ("quarantined", found.quarantined, {}),
        ("events", found.events, {}),
    )
    for name, count, parts in rows:
        shown = ", ".join(f"{part} {size:,}" for part, size in parts.items())
        print_text(styled(name.ljust(13), (f"{count:>9,}", "bold"), (f"  {shown}" if shown else "", "dim")))
    print_text(
        styled(f"on disk      {found.store_bytes / 1e6:>9,.1f} MB store, {found.vectors_bytes / 1e6:,.1f} MB vectors"),
        styled(""),
    )
    print_use(found)


def print_use(found: Stats) -> None:
    """How often something was shown, opened, cited, and said to have helped; and what was of most use."""
    use = found.usage
    of = f" of project {one_line(use.project)}" if use.project else ""
    print_text(styled((f"what the memory{of} was good for", "bold"), (_when(use), "dim")))
    if not use.shown + use.opened + use.cited + use.helpful + use.used + use.wrong:
        return
    rows = (
        ("shown", use.shown, "a hit of a search, or in a context"),
        ("opened", use.opened, "looked at in full"),
        ("cited", use.cited, "quoted by an answer"),
        ("helped", use.helpful, "somebody said so"),
        ("used", use.used, "somebody said so"),
        ("wrong", use.wrong, "somebody said so"),
        ("never shown", use.memories_never_shown, f"of {plural(use.memories, 'memory', 'memories')} that search can show"),
    )
    for name, count, told in rows:
        print_text(styled(name.ljust(13), (f"{count:>9,}", "bold"), (f"  {told}", "dim")))
    print_text(styled("of most use" if use.of_most_use else "no memory was opened, cited or said to have helped yet"))
    for memory in use.of_most_use:
        counts = (
            ("helped", memory.helpful),
            ("used", memory.used),
            ("wrong", memory.wrong),
            ("cited", memory.cited),
            ("opened", memory.opened),
            ("shown", memory.shown),
        )
        told = ", ".join(f"{name} {count:,}" for name, count in counts if count)
        print_text(cut(styled("  ", (memory.citation, "cyan"), f"  {one_line(memory.title)}"), terminal_width()))
        print_text(styled((f"              {told}", "dim")))


def _when(use: UsageV1) -> str:
    if use.first_at is None or use.last_at is None:
        return ": nothing was shown, opened or cited yet"
    if use.days == 1:
        return f", on {use.first_at:%Y-%m-%d}"
    return f", on {use.days:,} days from {use.first_at:%Y-%m-%d} to {use.last_at:%Y-%m-%d}"


def rebuild(
    context: typer.Context,
    verify: Annotated[
        bool, typer.Option("--verify", help="Change nothing: replay into a scratch file and compare every derived table.")
    ] = False,
    with_vectors: Annotated[
        bool, typer.Option("--with-vectors", help="The vectors too: made again, or with --verify compared by value.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Throw every derived table away and fold it again from the log, or prove that a replay gives the same (exit 1: not so)."""

    from memory_assets.maintenance.rebuild import rebuild_all, verify_all

    memory = invocation(context).memory()
    if verify:
        report = verify_all(memory.resources, with_vectors=with_vectors)
        print_result(report, print_verified, as_json=as_json, schema_version="rebuild_report.v1", equal=report.equal)
        return OK if report.equal else NOTHING_FOUND
    rebuilt = rebuild_all(memory.resources, with_vectors=with_vectors, progress=progress_for_people(as_json=as_json))
    if as_json:
        print_json(rebuilt)
    else:
        print_text(
            styled(
                f"folded {plural(rebuilt.sessions, 'session')} from {rebuilt.upto_seq:,} events, "
                f"wrote {plural(rebuilt.units_written, 'unit')} to the index"
            )
        )
        if rebuilt.units_failed:
            print_text(styled((f"{plural(rebuilt.units_failed, 'unit')} could not be written: memory doctor", "red")))
    return NOTHING_FOUND if rebuilt.units_failed else OK


def print_verified(report: RebuildReport) -> None:
    """Whether the replay is equal; each difference with table, key, column and both values."""
    rows = sum(report.tables.values())
    if report.equal:
        print_text(styled(("equal", "bold green"), f": {rows:,} rows of {len(report.tables)} tables are what a replay gives"))
        return
    print_text(styled(("not equal", "bold red"), f": {plural(report.difference_count, 'row')} of {rows:,} differ"))
    print_table(
        ("table", "key", "column", "stored", "replayed"),
        [
            (item.table, item.key, item.column, (item.stored or "(no row)", "red"), (item.replayed or "(no row)", "green"))
            for item in report.differences
        ],
        shrink=((4, 16), (3, 16), (1, 16)),
    )
