"""`memory proof show`: a session's verdict, the rules that were proved, what failed, and the module itself."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_assets.cli.invocation import OK, JsonOption, invocation
from memory_assets.cli.memories import assurance_cell
from memory_assets.cli.output import moment, one_line, plural, print_json, styled
from memory_assets.cli.tables import Cell, print_table, print_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from memory_assets.queries.proof import ProofModule, SessionProof

_LITERAL = re.compile(r'"[^"]*"')


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    group = typer.Typer(no_args_is_help=True, help="Proofs of sessions.")
    group.command("show")(show)
    # A group of a single command would otherwise be that command.
    group.callback()(_group)
    app.add_typer(group, name="proof")


def _group() -> None:
    pass


def show(
    context: typer.Context,
    session: Annotated[str, typer.Argument(help="The session's id, or its beginning.")],
    module: Annotated[bool, typer.Option("--module", help="Print the modules too, what failed in them marked.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Show the proof of a session: the verdict, the rules, its entries, and with --module the modules."""
    from memory_assets.queries.proof import session_proof

    found = session_proof(invocation(context).memory().database, session)
    if as_json:
        print_json(_plain(found))
    else:
        print_proof(found, with_modules=module)
    return OK


def _plain(found: SessionProof) -> dict[str, Any]:
    from memory_assets.memory import as_plain

    plain = as_plain(found)
    del plain["accepted"]
    return {
        "schema_version": "proof.v1",
        **plain,
        "verdict": "accepted" if found.accepted else "rejected",
        "modules": [_plain_module(module) for module in found.modules],
        "proved_by": [_plain_module(module) for module in found.proved_by],
    }


def _plain_module(module: ProofModule) -> dict[str, Any]:
    return {
        "name": module.name,
        "sha256": module.sha256,
        "source": module.source,
        "recorded_sha256": module.recorded_sha256,
        "as_recorded": module.as_recorded,
        "windowed": list(module.windowed),
    }


def print_proof(found: SessionProof, *, with_modules: bool) -> None:
    """The verdict first, then what it rests on."""
    print_text(*_head(found), styled(""))
    _print_rules(found)
    if found.entries:
        print_text(styled(""))
        _print_entries(found)
    print_text(styled(""))
    for module in found.modules:
        print_text(*_module_lines(module))
    for module in found.proved_by:
        print_text(*_module_lines(module, "without what was refused"))
    if not with_modules:
        print_text(styled(("--module prints the source", "dim")))
        return
    failed = {(rule.rule, rule.subject) for rule in found.rules_failed}
    for module in found.modules:
        print_text(styled(""), *_source(module, failed))


def _head(found: SessionProof) -> list[Text]:
    word, style = ("accepted", "bold green") if found.accepted else ("rejected", "bold red")
    names = [f"{verdict.checker} {verdict.checker_version}" for verdict in found.verdicts]
    said = ["accepts" if verdict.accepted else "refuses" for verdict in found.verdicts]
    judges = f" by {' and '.join(names)}"
    if found.disagreement:
        judges = ": " + ", ".join(f"{name} {what} it" for name, what in zip(names, said, strict=True))
    took = sum(found.durations_ms.values())
    lines = [
        styled((word, style), judges),
        styled((found.session_id, "cyan"), f"  {one_line(found.title or '')}".rstrip()),
        styled((f"judged {moment(found.checked_at)} UTC" + (f" in {took:,.1f} ms" if took else ""), "dim")),
    ]
    if found.disagreement:
        lines.append(styled(("the checkers disagree: nothing is proved", "bold red")))
    lines += [styled((one_line(note), "yellow")) for note in found.notes]
    return lines


def _print_rules(found: SessionProof) -> None:
    """Each rule with how often it was to be proved and how often it failed, then each failure with its subject."""
    failed = Counter(failure.rule for failure in found.rules_failed)
    rules = dict(found.obligations) | {rule: found.obligations.get(rule, 0) for rule in failed}
    print_table(
        ("rule", "to prove", "failed"),
        [
            (
                (rule, "red" if failed[rule] else ""),
                f"{count:,}" if count else "-",
                (str(failed[rule]), "red") if failed[rule] else "",
            )
            for rule, count in sorted(rules.items(), key=lambda item: (not failed[item[0]], item[0]))
        ],
        right=frozenset((1, 2)),
    )
    for failure in found.rules_failed:
        print_text(styled(("failed  ", "bold red"), f"{failure.rule}  ", (one_line(failure.subject), "cyan")))


def _print_entries(found: SessionProof) -> None:
    header = ["entry", "proof", "shown as", "type", "title"]
    rows: list[list[Cell]] = [
        [
            (entry.citation or entry.entry_id[:14], "cyan"),
            ("proved", "green") if entry.proved else ("refused", "red") if entry.refused else ("-", "dim"),
            assurance_cell(entry.assurance, entry.checker),
            (entry.entry_type, "magenta"),
            entry.title,
        ]
        for entry in found.entries
    ]
    shrink = [(4, 24)]
    if any(entry.reason for entry in found.entries):
        header.append("why not")
        for row, entry in zip(rows, found.entries, strict=True):
            row.append(entry.reason or "")
        shrink += [(5, 24), (4, 12), (5, 12)]
    print_table(header, rows, shrink=shrink, drop=(3,))
    proved = sum(entry.proved for entry in found.entries)
    print_text(styled((f"{proved:,} of {plural(len(found.entries), 'entry', 'entries')} proved", "dim")))


def _module_lines(module: ProofModule, remark: str = "") -> list[Text]:
    same = ("the log gives the same", "green") if module.as_recorded else ("the log gives another one now", "bold red")
    lines = [
        styled(("module  ", "dim"), (module.name, "bold"), f"  {remark}".rstrip()),
        styled(("sha256  ", "dim"), f"{module.sha256}  ", same),
    ]
    if not module.as_recorded and module.recorded_sha256:
        lines.append(styled(("judged  ", "dim"), module.recorded_sha256))
    if module.windowed:
        lines.append(styled(("window  ", "dim"), f"of {plural(len(module.windowed), 'message')} only the part that is quoted"))
    return lines


def _source(module: ProofModule, failed: set[tuple[str, str]]) -> Sequence[Text]:
    lines = []
    for number, line in enumerate(module.source.rstrip("\n").split("\n"), 1):
        at = module.rules.get(number)
        if at is None:
            lines.append(_coloured(line))
        elif (at.rule, at.subject) in failed:
            lines.append(styled((line, "bold red"), (f"  <- {at.rule} {one_line(at.subject)}", "red")))
        else:
            lines.append(styled((line, "green"), (f"  {at.rule}", "dim")))
    return lines


def _coloured(line: str) -> Text:
    """Literals apart from what is ours."""
    parts: list[str | tuple[str, str]] = []
    end = 0
    for literal in _LITERAL.finditer(line):
        parts += [line[end : literal.start()], (literal[0], "yellow")]
        end = literal.end()
    return styled(*parts, line[end:])
