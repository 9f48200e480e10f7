"""`memory events`: the log itself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.groups import TailingGroup
from memory_assets.cli.invocation import OK, JsonOption, invocation
from memory_assets.cli.output import clean, moment, plural, print_json, styled
from memory_assets.cli.tables import print_table, print_text

if TYPE_CHECKING:
    from memory_assets.memory import Memory
    from memory_assets.results.events import EventView


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(cls=TailingGroup, help="The log: its newest events, one event, or counts (bare: tail).")
    group.command("tail")(tail)
    group.command("show")(show)
    group.command("stats")(stats)
    app.add_typer(group, name="events")


def tail(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="How many events.")] = 20,
    session: Annotated[
        str | None, typer.Option("--session", help="Only of the session with this id.", show_default=False)
    ] = None,
    kind: Annotated[str | None, typer.Option("--type", help="Only of this type.", show_default=False)] = None,
    after: Annotated[int, typer.Option("--after", min=0, max=2**63 - 1, help="Only behind this seq.")] = 0,
    as_json: JsonOption = False,
) -> int:
    """List the newest events in commit order, without their payloads."""
    from memory_assets.queries.events import newest_events

    memory = invocation(context).memory()
    events = memory.read(newest_events, limit=limit, session_id=session, event_type=kind, after=after)
    writers = _writers(memory, [event.seq for event in events])
    if as_json:
        print_json([event.model_dump() | {"written_by": writers.get(event.seq)} for event in events])
    elif events:
        _print_rows(events, writers)
    else:
        print_text(styled("no events"))
    return OK


def _writers(memory: Memory, seqs: Sequence[int]) -> Mapping[int, str]:
    """Whose role wrote each event, where the log is shared; a store alone does not load what would ask."""
    if memory.settings.store.url is None:
        return {}
    from memory_assets.maintenance.mirror import writers_of

    return writers_of(memory.resources, seqs)


def _print_rows(events: Sequence[EventView], writers: Mapping[int, str]) -> None:
    heads = ("seq", "appended", "event", "type", "session", *(("written by",) if writers else ()), "bytes")
    rows = [
        (
            str(event.seq),
            (moment(event.ts), "dim"),
            (event.event_id[:13], "cyan"),
            event.event_type,
            event.session_id or "-",
            *((writers.get(event.seq, "-"),) if writers else ()),
            f"{event.payload_bytes:,}",
        )
        for event in events
    ]
    print_table(heads, rows, shrink=((4, 10), (1, 10), (3, 12)), right=frozenset((0, len(heads) - 1)))


def show(
    context: typer.Context,
    event: Annotated[str, typer.Argument(help="The event's id, its beginning, or its seq.")],
    as_json: JsonOption = False,
) -> int:
    """Show one event with its payload. Events of forgotten sessions and of replaced histories are not shown."""
    from memory_assets.memory import as_plain
    from memory_assets.queries.events import one_event

    memory = invocation(context).memory()
    details = memory.read(one_event, event)
    plain = as_plain(details)
    plain["event"]["written_by"] = _writers(memory, [details.event.seq]).get(details.event.seq)
    if as_json:
        print_json(plain)
        return OK
    print_text(
        styled((details.event.event_type, "bold"), "  ", (details.event.event_id, "cyan"), f"  seq {details.event.seq}"),
        *(
            styled((f"{name}  ", "dim"), str(value))
            for name, value in {**plain["event"], **plain}.items()
            if name not in ("event", "payload", "telemetry", "event_type", "event_id", "seq") and value is not None
        ),
        styled(clean(json.dumps(plain["payload"], ensure_ascii=False, indent=2))),
    )
    if plain["telemetry"]:
        print_text(styled(("measured  ", "dim"), clean(json.dumps(plain["telemetry"], ensure_ascii=False))))
    return OK


def stats(context: typer.Context, as_json: JsonOption = False) -> int:
    """Count the events by type."""
    from memory_assets.queries.events import event_stats

    found = invocation(context).memory().read(event_stats)
    if as_json:
        print_json(found)
        return OK
    print_text(
        styled(
            (plural(found.total, "event"), "bold"),
            f", {found.payload_bytes:,} bytes of payload, {moment(found.first_ts)} to {moment(found.last_ts)} UTC",
        )
    )
    if found.by_type:
        rows = [(name, f"{count:,}") for name, count in sorted(found.by_type.items(), key=lambda item: (-item[1], item[0]))]
        print_table(("type", "events"), rows, right=frozenset((1,)))
    return OK
