"""`memory init` and `memory import`: from nothing to something remembered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_assets.cli.interruption import stoppable
from memory_assets.cli.invocation import NOTHING_FOUND, OK, Invocation, JsonOption, invocation
from memory_assets.cli.memories import print_memories
from memory_assets.cli.output import one_line, plural, print_json, styled
from memory_assets.cli.progress import progress_for_people
from memory_assets.cli.tables import print_text

if TYPE_CHECKING:
    from collections.abc import Sequence

SHOWN_MEMORIES = 50
SHOWN_DEFECTS = 10


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("init")(init)
    app.command("import")(stoppable(import_))


def init(
    context: typer.Context,
    force: Annotated[bool, typer.Option("--force", help="Write memory.toml again, over the one that is there.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Make the store, its folders and a memory.toml that lists every setting. What is there already is kept."""
    from memory_assets.maintenance.init import initialise

    made = initialise(invocation(context).memory().resources, force=force)
    if as_json:
        print_json([{"path": str(item.path), "made": item.made} for item in made])
    else:
        print_text(*(styled(("made  " if item.made else "kept  ", "dim"), str(item.path)) for item in made))
    return OK


def import_(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(help="Session files, or folders of them.", show_default=False)],
    project: Annotated[
        str | None,
        typer.Option("--project", help="The project of these sessions, whatever their files say.", show_default=False),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also what was forgotten of them: it is remembered again.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Take in session files: everything from reading to searchable memory, in this process."""
    from memory_assets.defs import run

    call = invocation(context)
    report = run.import_paths(
        call.settings(), paths, project=project, again=again, progress=progress_for_people(as_json=as_json)
    )
    if as_json:
        print_json(report.as_json())
    else:
        print_import(report.as_json())
        print_remembered(call, report.session_ids)
    return code_of(report.as_json())


def code_of(report: dict[str, Any]) -> int:
    """Whether something was refused, quarantined or left waiting, or nothing was found to take."""
    left = ("refused", "quarantined", "waiting", "looked_for")
    return NOTHING_FOUND if any(report[name] for name in left) else OK


def print_import(report: dict[str, Any]) -> None:
    """What became of the files: one line of counts, then each defect with file and line."""
    names = ("new", "updated", "unchanged", "skipped", "refused", "quarantined", "waiting")
    parts = [f"{report[name]:,} {name}" for name in names if report[name]]
    counted = f" ({', '.join(parts)})" if parts else ""
    print_text(
        styled((plural(report["sessions"], "session"), "bold"), f"{counted}, {plural(report['events_appended'], 'event')}")
    )
    print_model(report["model"])
    print_checkers(report["checkers"])
    print_looked_for(report["looked_for"])
    print_vectors(report["vectors"])
    print_defects("refused or quarantined", report["errors"], "red")
    print_defects("waiting", report["unanswered"], "red")
    print_defects("taken with warnings or skipped", report["warnings"], "yellow")


def print_looked_for(looked: dict[str, Any] | None) -> None:
    """What was looked at, and for what, where there was no session."""
    if looked is None:
        return
    none = "none of them is a session" if looked["files"] else "so there is no session"
    print_text(
        styled((f"looked at {plural(looked['files'], 'file')} ({', '.join(looked['suffixes'])}): {none}", "yellow")),
        styled((f"formats looked for: {', '.join(looked['formats'])}", "dim")),
    )


def print_model(use: dict[str, Any]) -> None:
    """What was asked of a model, where one was asked."""
    if not use:
        return
    asked = f"{plural(use['windows'], 'window')} answered, {plural(use['requests'], 'request')}"
    cost = "price not known" if use["cost_usd"] is None else f"{use['cost_usd']:.4f} USD"
    tokens = f"{use['input_tokens']:,} tokens in, {use['output_tokens']:,} out"
    print_text(styled(f"{one_line(use['name'])}: {asked}, {tokens}, {cost}"))


def print_checkers(line: str) -> None:
    """Who judged the proofs, where something was run."""
    if line:
        print_text(styled((f"proofs judged by {one_line(line)}", "dim")))


def print_vectors(vectors: dict[str, Any]) -> None:
    """What waits for its vector, and why, where anything does."""
    if vectors.get("waiting"):
        why = f": {one_line(vectors['why'])}" if vectors.get("why") else ""
        waiting = f"{plural(vectors['waiting'], 'unit')} found by words alone until their vectors are made{why}"
        print_text(styled((waiting, "yellow")))


def print_defects(title: str, defects: Sequence[dict[str, Any]], style: str) -> None:
    """Defects by file and line, the first of them."""
    if not defects:
        return
    print_text(styled((f"{title}: {len(defects):,}", style)))
    for defect in defects[:SHOWN_DEFECTS]:
        # What a stage put aside is a session; what could not be taken is a file.
        where = str(defect.get("path") or defect.get("session_id") or "-")
        line = f":{defect['line']}" if defect.get("line") else ""
        detail = f"  {one_line(defect['detail'])}" if defect.get("detail") else ""
        print_text(styled(f"  {one_line(where)}{line}  ", defect["reason"], (detail, "dim")))
    if len(defects) > SHOWN_DEFECTS:
        print_text(styled((f"  … and {len(defects) - SHOWN_DEFECTS:,} more: --json lists them all", "dim")))


def print_remembered(call: Invocation, session_ids: Sequence[str]) -> None:
    """What is remembered of these sessions, each memory with its short id and its address; the new ones' first."""
    if not session_ids:
        return
    page = call.memory().memories(session_ids=session_ids, limit=SHOWN_MEMORIES)
    if not page.total:
        print_text(styled("nothing to remember was found in them"))
        return
    print_text(styled((f"remembered {plural(page.total, 'memory', 'memories')}:", "bold")))
    print_memories(page.memories)
    if page.total > len(page.memories):
        print_text(styled((f"… and {page.total - len(page.memories):,} more: memory entries list", "dim")))
