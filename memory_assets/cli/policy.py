"""`memory policy`: how the judge of the court decides, and what another file would make of the cases that were heard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.groups import ShowingGroup
from memory_assets.cli.invocation import OK, UNHEALTHY, JsonOption, invocation
from memory_assets.cli.output import one_line, plural, print_result, styled
from memory_assets.cli.tables import print_text

if TYPE_CHECKING:
    from memory_assets.results.policy import PolicyCheckV1, PolicyV1


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(cls=ShowingGroup, help="How the court's judge decides: show or check (bare: show).")
    group.command("show")(show)
    group.command("check")(check)
    app.add_typer(group, name="policy")


def show(context: typer.Context, as_json: JsonOption = False) -> int:
    """Show the policy in force: its version, where it is from, every number, and which cases were judged by it."""
    from memory_assets.maintenance.policy_check import active_policy

    print_result(invocation(context).memory().read(active_policy), print_policy, as_json=as_json)
    return OK


def check(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A policy file, as `court/policy.toml` is one.")],
    as_json: JsonOption = False,
) -> int:
    """Check a policy file: what is wrong with it, by key, and which claims and lessons of this store it would change."""
    from memory_assets.commands.prompt_files import read_prompt
    from memory_assets.maintenance.policy_check import check_policy

    found = check_policy(invocation(context).memory().resources, read_prompt(file, what="policy"))
    print_result(found, print_check, as_json=as_json)
    return UNHEALTHY if found.troubles else OK


def print_policy(found: PolicyV1) -> None:
    """The version, its numbers, and the cases."""
    print_text(styled((f"version {one_line(found.version)}", "bold"), (f"  {found.source}", "dim")))
    for key, value in found.numbers.items():
        print_text(styled(f"  {key} = {value:g}"))
    for version, count in found.cases.items():
        mark = "" if version == found.version else ": `memory court run --all` hears them anew"
        print_text(styled((f"{plural(count, 'case')} judged by version {one_line(version)}{mark}", "dim")))


def print_check(found: PolicyCheckV1) -> None:
    """What is wrong, or what would change."""
    for trouble in found.troubles:
        print_text(styled((trouble.key or "the file", "red"), f": {one_line(trouble.what)}"))
    if found.troubles:
        return
    print_text(styled((f"version {one_line(found.version or '')}", "bold"), f", in force is {one_line(found.active_version)}"))
    for change in found.changes:
        print_text(styled(f"  {change.key}: {change.now:g} → {change.then:g}"))
    if found.critical_changed:
        print_text(styled("  critical.shows: other words, which count where a model hears a case anew"))
    elif not found.changes:
        print_text(styled("  it changes no number"))
    if found.same_version:
        print_text(styled(("  the version is that of the one in force: give it another, or nothing is heard again", "yellow")))
    print_text(
        styled(f"{plural(found.cases, 'case')}: {found.claims_gained:,} claims gained, {found.claims_lost:,} lost"),
        styled(
            f"lessons that stand: {found.lessons_now:,} → {found.lessons_then:,}"
            f" ({found.lessons_gained:,} gained, {found.lessons_lost:,} lost)"
        ),
    )
    if found.cases_of_a_model:
        print_text(styled((f"{plural(found.cases_of_a_model, 'case')} judged by a model count as they are", "dim")))
