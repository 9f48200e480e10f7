"""`memory audit`: what of the memory is said twice, rests on nothing, was never shown, is contested or said to be wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.invocation import OK, JsonOption, invocation
from memory_assets.cli.output import cut, one_line, plural, print_json, styled
from memory_assets.cli.tables import UNLIMITED, print_text, terminal_width

if TYPE_CHECKING:
    from memory_assets.maintenance.audit import Audit
    from memory_assets.maintenance.audit import Example as AuditExample
    from memory_assets.maintenance.audit import Measure as AuditMeasure

_NAMES = {
    "exact_duplicates": "exact duplicates",
    "near_duplicates": "near duplicates",
    "alike_but_differing": "differ in a fact",
    "ungrounded": "ungrounded",
    "never_retrieved": "never retrieved",
    "contested": "contested",
    "said_wrong": "said to be wrong",
}
_BAR_CELLS = 20


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command("audit")(audit)


def audit(
    context: typer.Context,
    examples: Annotated[
        int, typer.Option("--examples", "-n", min=0, max=1000, help="How many examples of each are shown.")
    ] = 3,
    as_json: JsonOption = False,
) -> int:
    """Measure the whole store: duplicates, ungrounded, never-retrieved, contested memories, and those said to be wrong."""
    from memory_assets.memory import as_plain

    found = invocation(context).memory().audit(examples=examples)
    if as_json:
        plain = as_plain(found)
        measures = {measure.name: {**as_plain(measure), "rate": measure.rate} for measure in found.measures}
        print_json({**plain, "measures": measures})
    else:
        print_audit(found)
    return OK


def print_audit(found: Audit) -> None:
    """A line a measure with its rate as a bar, its examples below it."""
    print_text(
        styled(
            (plural(found.memories, "memory", "memories"), "bold"),
            f" of {plural(found.entries, 'entry', 'entries')} in {plural(found.sessions, 'session')}",
        )
    )
    width = max(map(len, _NAMES.values()))
    for measure in found.measures:
        print_text(styled(""))
        _print_measure(measure, width)


def _print_measure(measure: AuditMeasure, width: int) -> None:
    name = (_NAMES.get(measure.name, measure.name).ljust(width), "bold")
    rate = measure.rate
    if rate is None:
        print_text(styled(name, ("      ?  ", "yellow"), ("·" * _BAR_CELLS, "dim"), ("  unknown: " + measure.note, "dim")))
        return
    style = _style(measure, rate)
    filled = min(_BAR_CELLS, max(round(rate * _BAR_CELLS), 1 if measure.count else 0))
    bar = "" if measure.bar is None else f", bar {measure.bar:.0%}"
    print_text(
        styled(
            name,
            (f"  {rate:6.1%}  "[-9:], style),
            ("█" * filled, style),
            ("·" * (_BAR_CELLS - filled), "dim"),
            f"  {measure.count:,} of {plural(measure.of, *_units(measure.unit))}{bar}",
        )
    )
    if measure.note and measure.count:
        print_text(styled("  ", (measure.note, "dim")))
    for example in measure.examples:
        _print_example(example)


def _print_example(example: AuditExample) -> None:
    room = terminal_width()
    likeness = "" if example.similarity is None else f"{example.similarity:.0%} alike"
    remark = one_line(", ".join(part for part in (likeness, example.reason) if part))
    for place, (shown_id, title) in enumerate(zip(example.ids, example.titles, strict=True)):
        last = place == len(example.ids) - 1
        mark = "" if len(example.ids) == 1 else "╰ " if last else "╭ "
        head = styled("  ", (mark, "dim"), (shown_id, "cyan"), "  ")
        tail = styled((f"  {remark}" if last and remark else "", "dim"))
        title_room = room - head.cell_len - tail.cell_len
        text = styled(one_line(title))
        print_text(head + (text if room == UNLIMITED else cut(text, max(title_room, 16))) + tail)


def _units(unit: str) -> tuple[str, str]:
    return ("memory", "memories") if unit == "memories" else ("entry", "entries")


def _style(measure: AuditMeasure, rate: float) -> str:
    if measure.name == "alike_but_differing" or not measure.count:
        return "green" if not measure.count else "blue"
    if measure.bar is not None:
        return "green" if rate <= measure.bar else "bold red"
    return "yellow"
