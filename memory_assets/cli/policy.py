"""`memory policy`: how the judge of the court decides, and what another file would make of the cases that were heard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.groups import ShowingGroup
from memory_assets.cli.invocation import OK, UNHEALTHY, JsonOption, invocation
from memory_assets.cli.output import moment, one_line, plural, print_result, styled
from memory_assets.cli.people import ByOption, on_a_terminal, person
from memory_assets.cli.tables import print_text
from memory_assets.errors import InvalidArgumentError

if TYPE_CHECKING:
    from memory_assets.results.policy import PolicyCheckV1, PolicyV1


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(cls=ShowingGroup, help="How the court's judge decides: show, check or activate (bare: show).")
    group.command("show")(show)
    group.command("check")(check)
    group.command("activate")(activate)
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


def activate(
    context: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(help="A policy file, as `court/policy.toml` is one.", show_default=False)
    ] = None,
    shipped: Annotated[
        bool, typer.Option("--shipped", help="In place of a file: the policy that ships with the program holds again.")
    ] = False,
    by: ByOption = None,
    as_json: JsonOption = False,
) -> int:
    """Put a policy in force, on a terminal. Lessons stand by it at once; `memory court run --all` judges the cases by it."""
    from memory_assets.commands.court_policy import activate_policy
    from memory_assets.commands.prompt_files import read_prompt

    on_a_terminal("activates a policy")
    if shipped == (file is not None):
        raise InvalidArgumentError("a policy file is wanted, or --shipped, and not both", hint="memory policy activate FILE")
    text = None if file is None else read_prompt(file, what="policy")
    found = activate_policy(invocation(context).memory().resources, text, by=person(by))
    print_result(found, print_policy, as_json=as_json)
    return OK


def print_policy(found: PolicyV1) -> None:
    """The version, its numbers, and the cases."""
    print_text(styled((f"version {one_line(found.version)}", "bold"), (f"  {found.source}", "dim")))
    print_text(styled((f"  sha256 {found.sha256}", "dim")))
    for key, value in found.numbers.items():
        print_text(styled(f"  {key} = {value:g}"))
    for version, count in found.cases.items():
        mark = "" if version == found.version else ": `memory court run --all` hears them anew"
        print_text(styled((f"{plural(count, 'case')} judged by version {one_line(version)}{mark}", "dim")))
    for one in found.history:
        state = "active" if one.is_active else "" if one.is_usable else "this program cannot read it"
        print_text(
            styled(
                f"activated {moment(one.activated_at)} by {one_line(one.activated_by)}: version {one_line(one.version)}",
                (f"  {one.source}, sha256 {one.sha256[:12]}", "dim"),
                (f"  {state}" if state else "", "green" if one.is_active else "yellow"),
            )
        )


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
        print_text(styled(("  the version is that of the one in force: give it another, or it is not activated", "yellow")))
    print_text(
        styled(f"{plural(found.cases, 'case')}: {found.claims_gained:,} claims gained, {found.claims_lost:,} lost"),
        styled(
            f"lessons that stand: {found.lessons_now:,} → {found.lessons_then:,}"
            f" ({found.lessons_gained:,} gained, {found.lessons_lost:,} lost)"
        ),
    )
    if found.cases_of_a_model:
        print_text(styled((f"{plural(found.cases_of_a_model, 'case')} judged by a model count as they are", "dim")))
