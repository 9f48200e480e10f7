"""`memory outbox`: what waits to be written to the search index, and putting it in line with the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.groups import ListingGroup
from memory_assets.cli.interruption import stoppable
from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, invocation
from memory_assets.cli.output import moment, one_line, plural, print_json, print_result, styled
from memory_assets.cli.progress import progress_for_people
from memory_assets.cli.tables import print_table, print_text

if TYPE_CHECKING:
    from memory_assets.maintenance.indexing import Written
    from memory_assets.results.outbox import Calibration, Drained, FailedUnit, OutboxStatus, Reconciled, VersionQueue


class StatusGroup(ListingGroup):
    """Without a command, `status`."""

    default_command = "status"


NoWaitOption = Annotated[
    bool, typer.Option("--no-wait", help="Where another process is writing, say who it is and end, instead of waiting for it.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(cls=StatusGroup, help="The queue in front of the search index (bare: status).")
    group.command("status")(status)
    group.command("drain")(stoppable(drain))
    group.command("reconcile")(stoppable(reconcile))
    group.command("retry-failed")(stoppable(retry_failed))
    app.add_typer(group, name="outbox")


def status(context: typer.Context, as_json: JsonOption = False) -> int:
    """Show what waits to be written to the index, what failed and why, and which tables there are."""
    from memory_assets.maintenance.outbox import outbox_status

    found = outbox_status(invocation(context).memory().resources)
    print_result(found, print_status, as_json=as_json)
    return OK


def drain(context: typer.Context, no_wait: NoWaitOption = False, as_json: JsonOption = False) -> int:
    """Write what waits to the index: words, then vectors. Exits 1 where something could not be written."""
    from memory_assets.maintenance.indexing import write_waiting

    written = write_waiting(
        invocation(context).memory().resources, wait=not no_wait, progress=progress_for_people(as_json=as_json)
    )
    return _drained(written, as_json=as_json)


def retry_failed(context: typer.Context, no_wait: NoWaitOption = False, as_json: JsonOption = False) -> int:
    """Try again what could not be written to the index, what was given up too. Exits 1 where something fails again."""
    from memory_assets.maintenance.indexing import write_waiting

    written = write_waiting(
        invocation(context).memory().resources,
        again_what_failed=True,
        wait=not no_wait,
        progress=progress_for_people(as_json=as_json),
    )
    return _drained(written, as_json=as_json)


def reconcile(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Compare alone, and change nothing.")] = False,
    drop_old: Annotated[
        bool, typer.Option("--drop-old", help="Also drop the tables of every model but the one in force.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Compare the index with the store both ways, mend what differs, and write what waits then.

    With --dry-run exits 1 where something differs; else where something could not be written.
    """
    from memory_assets.maintenance.indexing import bring_in_line

    done = bring_in_line(
        invocation(context).memory().resources,
        dry_run=dry_run,
        drop_old=drop_old,
        progress=progress_for_people(as_json=as_json),
    )
    compared = [found for found in (done.words, done.found) if found is not None]
    differs = any(found.to_write or found.orphans or found.made_anew for found in compared)
    if as_json:
        print_json(done)
    else:
        if done.words is not None:
            print_found(done.words, "words: ")
        print_found(done.found, "vectors: ")
        if not dry_run:
            print_drained(done.drained, done.words_drained)
        if done.dropped:
            print_text(styled(f"dropped {', '.join(done.dropped)}"))
    failed = done.drained.failed + done.words_drained.failed
    return NOTHING_FOUND if (differs if dry_run else failed) else OK


def _drained(written: Written, *, as_json: bool) -> int:
    if as_json:
        print_json(written.printed())
    else:
        print_drained(written.drained, written.words)
    return NOTHING_FOUND if written.drained.failed or written.words.failed else OK


def print_status(found: OutboxStatus) -> None:
    """A line of the queue in force, a table of all versions, each failure, and what the self-test said."""
    current = found.current
    print_text(styled(("words", "bold"), f"  {plural(found.units, 'unit')}: {_counted(found.words, 'searchable')}"))
    print_text(styled((found.embedding_version, "bold"), f"  {_counted(current, 'with a vector')}"))
    for queue, what in ((found.words, "words"), (current, "vectors")):
        if queue.writer:
            print_text(styled((f"{one_line(queue.writer)} is writing {what}", "yellow")))
    if found.calibration is not None:
        print_text(styled((calibration_line(found.calibration), "dim")))
    print_table(
        ("version", "", "pending", "failed", "done", "rows", "MB", "last written"),
        [_version(one) for one in (found.words, *found.versions)],
        right=frozenset({2, 3, 4, 5, 6}),
    )
    for one in (found.words, *found.versions):
        if one.problem:
            print_text(styled((f"{one.embedding_version}: {one_line(one.problem)}", "red")))
        if len(one.fingerprints) > 1:
            print_text(styled((f"{one.embedding_version}: vectors of {len(one.fingerprints)} models in one table", "red")))
    if found.alarm:
        print_text(styled(("so many failed that something is wrong with more than a text", "bold red")))
    for failure in found.failures:
        print_failure(failure)


def _counted(queue: VersionQueue, done: str) -> str:
    return (
        f"{queue.done:,} {done}, {queue.pending:,} pending, {queue.retrying:,} to be tried again, {queue.given_up:,} given up"
    )


def print_failure(failure: FailedUnit) -> None:
    """Which unit, where it was said, why it failed, and when it is tried again."""
    where = "" if failure.session_id is None else f"  session:{failure.session_id}"
    where += "" if failure.session_id is None or failure.message_index is None else f"#m={failure.message_index}"
    again = f"again from {moment(failure.next_attempt_at)}" if failure.next_attempt_at else "given up"
    tried = "tried once" if failure.attempts == 1 else f"tried {failure.attempts} times"
    kind = failure.unit_kind or "unit"
    print_text(
        styled(("failed  ", "red"), f"{kind} {failure.unit_id}", (one_line(where), "cyan"), (f"  {tried}, {again}", "dim")),
        styled("        ", one_line(failure.error)),
    )


def print_found(found: Reconciled, what: str = "") -> None:
    """What the comparison of index and store found."""
    if found.made_anew is not None:
        print_text(styled(what, ("the table is made anew: ", "yellow"), one_line(found.made_anew)))
    parts = (
        (found.missing, "missing"),
        (found.stale, "stale"),
        (found.other_model, "of another model"),
        (found.twice, "twice"),
        (found.orphans, "of nothing"),
    )
    differing = ", ".join(f"{count:,} {name}" for count, name in parts if count)
    print_text(
        styled(
            what,
            f"{plural(found.same, 'row')} as it should be" if found.same == 1 else f"{found.same:,} rows as they should be",
            (f"; {differing}" if differing else "", "yellow"),
        )
    )


def print_drained(drained: Drained, words: Drained | None = None) -> None:
    """What was written, how fast, and what failed."""
    speed = "" if drained.texts_per_second is None else f", {drained.texts_per_second:,.0f} texts a second"
    embedded = f" ({drained.embedded:,} embedded{speed}, {drained.reused:,} taken over)" if drained.done else ""
    searchable = f"{plural(words.done, 'unit')} made searchable by words; " if words is not None and words.done else ""
    print_text(styled(f"{searchable}{plural(drained.done, 'vector')} written{embedded}"))
    if failures := drained.failed + (words.failed if words is not None else 0):
        failed = f"{plural(failures, 'unit')} could not be written: memory outbox shows why"
        print_text(styled((failed, "red")))


def calibration_line(known: Calibration) -> str:
    """What the self-test said of a model, and what search makes of it."""
    legs = (("English", known.vector_weight), ("Korean", known.korean_weight))
    weights = ", ".join(
        f"{name} by meaning with weight {weight:g}" if weight else f"{name} by words alone" for name, weight in legs
    )
    return f"self-test: {known.english:.0%} of English and {known.korean:.0%} of Korean answers told from others; {weights}"


def _version(one: VersionQueue) -> tuple[str, ...]:
    return (
        one.embedding_version,
        "in force" if one.in_force else "",
        f"{one.pending:,}",
        f"{one.retrying + one.given_up:,}",
        f"{one.done:,}",
        "-" if one.rows is None else f"{one.rows:,}",
        f"{one.bytes / 1e6:,.1f}",
        moment(one.last_written_at),
    )
