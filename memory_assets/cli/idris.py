"""`memory idris`: which proof checkers there are, and generated modules in files judged by one of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, invocation
from memory_assets.cli.output import json_text, one_line, plural, print_line, print_result, styled
from memory_assets.cli.tables import print_table, print_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_assets.graduation.proofs.module_files import FileVerdict
    from memory_assets.queries.idris import IdrisStatus


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(no_args_is_help=True, help="Proof checkers: what there is, and modules in files judged by one.")
    group.command("status")(status)
    group.command("check")(check)
    app.add_typer(group, name="idris")


def status(context: typer.Context, as_json: JsonOption = False) -> int:
    """Say which Idris 2 is used, where its built package lies, and who judges without it."""

    from memory_assets.queries.idris import idris_status

    found = idris_status(invocation(context).memory().resources)
    print_result(found, print_status, as_json=as_json, schema_version="idris_status.v1")
    return OK


def check(
    context: typer.Context,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Generated modules, .idr or otherwise named.", show_default=False)
    ],
    checker: Annotated[
        str | None,
        typer.Option("--checker", help="embedded or idris2; without it idris2 where it can be used.", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Audit and judge generated modules. What a module imports lies beside it.

    Exit status 0 when all are accepted, else 1. What the embedded checker refuses is never accepted.
    """
    from memory_assets.queries.idris import check_files

    verdicts = check_files(invocation(context).memory().resources, files, checker=checker)
    if as_json:
        for verdict in verdicts:
            print_line(json_text(_plain(verdict)))
    else:
        print_verdicts(verdicts)
    return OK if all(verdict.accepted for verdict in verdicts) else NOTHING_FOUND


def _plain(verdict: FileVerdict) -> dict[str, object]:
    return {
        "path": str(verdict.path),
        "accepted": verdict.accepted,
        "checker": verdict.checker,
        "checker_version": verdict.checker_version,
        "rules_failed": [{"rule": failure.rule, "subject": failure.subject} for failure in verdict.rules_failed],
        **({"note": verdict.note} if verdict.note else {}),
    }


def print_status(found: IdrisStatus) -> None:
    """A line a fact."""
    lines: list[tuple[str, str, str]] = []
    if found.executable is None:
        lines.append(("idris2", "none on PATH, in MEMORY_IDRIS2 or in idris.path", "yellow"))
    elif not found.usable:
        lines.append(("idris2", found.executable, "red"))
        lines.append(("unusable", found.reason, "red"))
    else:
        lines.append(("idris2", found.executable, "green"))
        tried = "" if found.tried else "  not one of those that the modules were tried with"
        lines.append(("version", f"{found.version}{tried}", "" if found.tried else "yellow"))
        lines.append(("self-test", "passed: it accepts a sound module and refuses a false one", ""))
        lines.append(("package", found.package or "-", ""))
        batches = "several sessions a process" if found.batches else "one session a process"
        lines.append(("runs", f"{batches}, {plural(found.processes, 'process', 'processes')} at once", ""))
    lines.append(("embedded", f"{found.embedded_version}, modules of generator {found.generator_version}", ""))
    lines.append(("judged by", " and ".join(found.judges), "bold"))
    lines.append(("verified", _who_verifies(found), ""))
    for name, text, style in lines:
        print_text(styled((name.ljust(11), "dim"), (one_line(text), style)))


def _who_verifies(found: IdrisStatus) -> str:
    if not found.require_idris2:
        return "by whichever checker judges; certified by idris2 alone"
    return "by idris2 alone (graduation.require_idris2)" + ("" if found.usable else ": so by nobody now")


def print_verdicts(verdicts: Sequence[FileVerdict]) -> None:
    """A line a file, and below it what failed."""
    print_table(
        ("verdict", "checker", "file", "failed"),
        [
            (
                ("accepted", "green") if verdict.accepted else ("rejected", "bold red"),
                f"{verdict.checker} {verdict.checker_version}",
                str(verdict.path),
                "; ".join(f"{failure.rule} {failure.subject}".strip() for failure in verdict.rules_failed),
            )
            for verdict in verdicts
        ],
        shrink=((3, 30), (2, 16)),
    )
    accepted = sum(verdict.accepted for verdict in verdicts)
    print_text(styled((f"{accepted:,} of {plural(len(verdicts), 'module')} accepted", "dim")))
    for note in dict.fromkeys(verdict.note for verdict in verdicts if verdict.note):
        print_text(styled((one_line(note), "yellow")))
