"""`memory promote` and `memory demote`: what waits on the ladder, a person's word on it, and what grew old."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, ProjectOption, invocation
from memory_assets.cli.memories import STAGE_STYLES, stage_cell
from memory_assets.cli.output import day, moment, one_line, plural, print_json, print_result, styled
from memory_assets.cli.people import ByOption, NoteOption, person
from memory_assets.cli.tables import print_table, print_text, terminal_width
from memory_assets.cli.times import TIMES, utc
from memory_assets.errors import InvalidArgumentError

if TYPE_CHECKING:
    from memory_assets.commands.promotions import Demotions, Spoken
    from memory_assets.queries.promotions import Ladder, Review

PAGE = 30
REVIEW = "review"
_OF_THE_REVIEW = ("project", "limit")
_OF_A_WORD = ("by", "note")
_WIDE = 100
AsOfOption = Annotated[
    datetime | None,
    typer.Option("--as-of", formats=TIMES, help="Count ages to this time (UTC) instead of now.", show_default=False),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("promote")(promote)
    app.command("demote")(demote)


def promote(
    context: typer.Context,
    target: Annotated[
        str, typer.Argument(metavar="[review|ID]", help="review, or a memory by its mem: address or an entry's id.")
    ] = REVIEW,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="STAGE",
            help="certified or verified to vouch for it; a lower stage counts it for less.",
            show_default=False,
        ),
    ] = None,
    project: ProjectOption = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="How many of review are listed.")] = PAGE,
    by: ByOption = None,
    note: NoteOption = "",
    as_json: JsonOption = False,
) -> int:
    """Review what waits on the ladder and why, or vouch for one memory. Exit 1 when a gate keeps it where it is."""
    from memory_assets.commands.promotions import ladder_of, promote
    from memory_assets.queries.promotions import review

    memory = invocation(context).memory()
    if target == REVIEW:
        if to is not None:
            raise InvalidArgumentError("review takes no stage", hint="`memory promote ID --to STAGE` for one memory")
        _refuse(context, _OF_A_WORD, "is of a word on one memory", "`memory promote ID --to STAGE` for one memory")
        found = memory.read(review, project=project, limit=limit)
        print_result(found, print_review, as_json=as_json)
        return OK
    _refuse(context, _OF_THE_REVIEW, "is of the review", "leave it out for one memory, or leave the memory out")
    if to is None:
        _refuse(context, _OF_A_WORD, "is of a word on a memory", "say which stage with --to STAGE")
        ladder = ladder_of(memory.database, target)
        print_result(ladder, print_ladder, as_json=as_json)
        return OK
    spoken = promote(memory.resources, target, to, by=person(by), note=note)
    print_result(spoken, print_spoken, as_json=as_json)
    return OK if spoken.reached else NOTHING_FOUND


def demote(
    context: typer.Context,
    as_of: AsOfOption = None,
    apply: Annotated[bool, typer.Option("--apply", help="Write it to the log; without it nothing is changed.")] = False,
    by: ByOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show what nobody has said again for so long that it goes one stage down; with --apply let it."""
    from memory_assets.commands.promotions import demote_by_age
    from memory_assets.memory import as_plain

    found = demote_by_age(invocation(context).memory().resources, as_of=utc(as_of), apply=apply, by=person(by))
    if as_json:
        print_json(
            {
                **as_plain(found),
                "demotions": [{**as_plain(ladder), **as_plain(demotion)} for ladder, demotion in found.demotions],
            }
        )
    else:
        print_demotions(found)
    return OK


def _refuse(context: typer.Context, names: tuple[str, ...], why: str, hint: str) -> None:
    """Refuse options that would be ignored."""
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise InvalidArgumentError(f"--{name} {why}", hint=hint)


def print_review(found: Review) -> None:
    """How many stand where, what they wait for, and the newest of them."""
    if not found.stages:
        print_text(styled("no memories"))
        return
    counted = [part for stage, count in found.stages.items() for part in (f"  {count:,} ", (stage, STAGE_STYLES[stage]))]
    print_text(styled(*counted), styled(""))
    for stage, reason, count in found.reasons:
        print_text(
            styled(
                f"{count:7,}  ", (f"to {stage}".ljust(13), STAGE_STYLES[stage]), f"  {one_line(reason or 'nothing keeps it')}"
            )
        )
    if found.waiting:
        print_text(styled(""))
        print_table(
            ("id", "said", "stage", "sessions", "title", "waits for"),
            [
                (
                    (ladder.citation, "cyan"),
                    day(ladder.last_said_at),
                    stage_cell(ladder.stage, ladder.checker, ladder.status),
                    str(ladder.sessions),
                    ladder.title,
                    (ladder.waits_for, "dim"),
                )
                for ladder in found.waiting
            ],
            shrink=((4, 24), (5, 30)),
            # On a narrow terminal the lines above say what is waited for.
            drop=(3, 1) if terminal_width() >= _WIDE else (3, 5, 1),
        )
    if found.total > len(found.waiting):
        print_text(styled((f"… and {found.total - len(found.waiting):,} more: --limit lists them", "dim")))


def print_ladder(ladder: Ladder) -> None:
    """One memory: where it stands, and each gate to the next stage."""
    print_text(
        styled((ladder.citation, "cyan"), "  ", (one_line(ladder.title), "bold")),
        styled(
            stage_cell(ladder.stage, ladder.checker, ladder.status),
            (f"  said last {moment(ladder.last_said_at)}, aligned and proved in {plural(ladder.sessions, 'session')}", "dim"),
        ),
    )
    if ladder.next_stage is None:
        return
    print_text(styled(f"to {ladder.next_stage}: ", (one_line(ladder.waits_for or "nothing keeps it"), "yellow")))
    _print_gates(ladder.gates)


def print_spoken(spoken: Spoken) -> None:
    """What came of a person's word."""
    head = styled((spoken.memory.citation, "cyan"), "  ", (one_line(spoken.memory.title), "bold"))
    if spoken.reached:
        print_text(head, styled(f"{spoken.from_stage} → ", stage_cell(spoken.memory.stage, spoken.memory.checker)))
        return
    print_text(head, styled(f"stays {spoken.memory.stage}: ", (one_line(spoken.reason), "yellow")))
    _print_gates(spoken.gates)
    if spoken.to_stage == "certified":
        print_text(styled(("your word is kept: it counts as soon as the other gates are open", "dim")))


def print_demotions(found: Demotions) -> None:
    """What goes down, the oldest first."""
    if not found.demotions:
        print_text(styled("nothing has grown old"))
        return
    print_table(
        ("id", "said or confirmed", "age", "score", "stage", "title"),
        [
            (
                (ladder.citation, "cyan"),
                day(ladder.since),
                f"{demotion.age_days:,.0f} days",
                f"{demotion.score:.3f}",
                (f"{demotion.from_stage} → {demotion.to_stage}", "yellow"),
                ladder.title,
            )
            for ladder, demotion in found.demotions
        ],
        shrink=((5, 24),),
        drop=(3, 1),
    )
    counted = plural(len(found.demotions), "memory", "memories")
    print_text(
        styled((f"{counted} went one stage down", "bold"))
        if found.applied
        else styled((f"{counted} would go one stage down: --apply lets them", "dim"))
    )


def _print_gates(gates: dict[str, bool]) -> None:
    for name, is_open in gates.items():
        print_text(styled("  ", ("✓", "green") if is_open else ("✗", "red"), f" {name.replace('_', ' ')}"))
