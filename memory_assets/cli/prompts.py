"""`memory prompts`: what roles are told, what is proposed for them, and a person's word on it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.groups import ListingGroup
from memory_assets.cli.invocation import OK, JsonOption, invocation
from memory_assets.cli.output import clean, moment, one_line, plural, print_json, print_line, print_result, styled
from memory_assets.cli.people import ByOption, NoteOption, on_a_terminal, person, sits_before_it
from memory_assets.cli.tables import print_text

if TYPE_CHECKING:
    from memory_assets.commands.prompt_files import PromptFile
    from memory_assets.results.prompts import PromptUpdateV1, RolePromptV1

RoleArgument = Annotated[str, typer.Argument(help="The role, as `memory prompts list` names it.")]
UpdateArgument = Annotated[str, typer.Argument(metavar="ID", help="The proposal's id or its beginning.")]
FileOption = Annotated[Path, typer.Option("--file", help="The file that holds the whole text, in UTF-8.")]
WriteOption = Annotated[
    Path | None,
    typer.Option(
        "--write", help="Also write it into this CLAUDE.md or AGENTS.md of the project, between marks.", show_default=False
    ),
]
# Who approves is named: the name of a login may be that of an agent's machine.
NameOption = Annotated[str, typer.Option("--by", help="Who says so: a person, by name.")]

_NO_TERMINAL = "without a terminal"
_STYLES = {"proposed": "yellow", "approved": "cyan", "rejected": "dim", "applied": "green"}
_STANDING = {
    "set_aside": "does not stand any more",
    "gone": "is gone with the sessions that gave it",
    "unknown": "not looked up",
}


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(
        cls=ListingGroup, help="Prompts of roles: versions, proposals, and a person's word on them (bare: list)."
    )
    group.command("list")(list_)
    for command in (show, proposals, propose, diff, approve, reject, apply, rollback, write):
        group.command(command.__name__)(command)
    group.command("register")(register_)
    app.add_typer(group, name="prompts")


def list_(context: typer.Context, as_json: JsonOption = False) -> int:
    """List the roles that have a prompt, each with the version that is active."""
    from memory_assets.queries.prompts import list_prompts

    found = invocation(context).memory().read(list_prompts)
    if as_json:
        print_json(found)
        return OK
    if not found:
        print_line("no prompts; `memory prompts register ROLE --file FILE` begins one")
    for prompt in found:
        waiting = f", {plural(prompt.open_updates, 'proposal')} open" if prompt.open_updates else ""
        print_text(
            styled(
                (one_line(prompt.role), "bold"),
                f"  version {prompt.version}",
                (f"  {moment(prompt.versions[0].activated_at)} by {one_line(prompt.versions[0].activated_by)}", "dim"),
                (f"  {len(prompt.prompt):,} characters", "dim"),
                (waiting, "yellow"),
            )
        )
    return OK


def show(
    context: typer.Context,
    role: RoleArgument,
    version: Annotated[
        int | None, typer.Option("--version", min=1, help="This version; otherwise the active one.", show_default=False)
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Show a role's prompt as it is, and its versions."""
    from memory_assets.queries.prompts import one_prompt

    found = invocation(context).memory().read(one_prompt, role, version)
    print_result(found, print_prompt, as_json=as_json)
    return OK


def proposals(
    context: typer.Context,
    status: Annotated[
        str | None,
        typer.Option(
            "--status",
            help="Only of this status: proposed, approved, rejected, applied or all; otherwise proposed and approved.",
            show_default=False,
        ),
    ] = None,
    role: Annotated[str | None, typer.Option("--role", help="Only for this role.", show_default=False)] = None,
    as_json: JsonOption = False,
) -> int:
    """List proposals, the newest first."""
    from memory_assets.queries.prompts import list_updates

    found = invocation(context).memory().read(list_updates, status=status, role=role)
    if as_json:
        print_json(found)
        return OK
    if not found:
        print_line("no proposals" if status == "all" else "no proposals that are open" if status is None else f"none {status}")
    for update in found:
        _print_head(update)
    return OK


def propose(
    context: typer.Context,
    role: RoleArgument,
    file: FileOption,
    reason: Annotated[str, typer.Option("--reason", help="Why it should change, in a sentence.")],
    lessons: Annotated[
        list[str] | None,
        typer.Option("--lesson", metavar="ID", help="A lesson that it is made of. May be repeated.", show_default=False),
    ] = None,
    by: ByOption = None,
    as_json: JsonOption = False,
) -> int:
    """Propose another text for a role. Nothing changes until a person approves it; without a terminal a program proposes it."""
    from memory_assets.commands.prompt_files import read_prompt
    from memory_assets.commands.prompts import propose_update

    resources = invocation(context).memory().resources
    is_person = sits_before_it()
    made = propose_update(
        resources,
        role,
        read_prompt(file),
        reason=reason,
        lessons=lessons or (),
        by=person(by) if is_person else f"{by or 'a program'}, {_NO_TERMINAL}",
        author="person" if is_person else "agent",
    )
    print_result(made, print_update, as_json=as_json)
    return OK


def diff(context: typer.Context, update: UpdateArgument, as_json: JsonOption = False) -> int:
    """Show what a proposal changes, why, and what it rests on."""
    from memory_assets.queries.prompts import one_update

    print_result(invocation(context).memory().read(one_update, update), print_update, as_json=as_json)
    return OK


def approve(
    context: typer.Context, update: UpdateArgument, by: NameOption, note: NoteOption = "", as_json: JsonOption = False
) -> int:
    """Approve a proposal, by name, on a terminal. It is applied by `memory prompts apply`."""
    from memory_assets.commands.prompts import review_update

    on_a_terminal("approves a proposal", page="/prompts")
    found = review_update(invocation(context).memory().resources, update, "approved", by=by, note=note)
    print_result(found, print_update, as_json=as_json)
    return OK


def reject(
    context: typer.Context, update: UpdateArgument, by: NameOption, note: NoteOption = "", as_json: JsonOption = False
) -> int:
    """Reject a proposal, by name, on a terminal; also one that is approved and not applied yet."""
    from memory_assets.commands.prompts import review_update

    on_a_terminal("rejects a proposal", page="/prompts")
    found = review_update(invocation(context).memory().resources, update, "rejected", by=by, note=note)
    print_result(found, print_update, as_json=as_json)
    return OK


def apply(
    context: typer.Context,
    update: UpdateArgument,
    into: WriteOption = None,
    by: ByOption = None,
    as_json: JsonOption = False,
) -> int:
    """Make an approved text the role's active prompt, on a terminal; refused where the prompt has changed since."""
    from memory_assets.commands.prompts import apply_update

    on_a_terminal("applies a proposal", page="/prompts")
    resources = invocation(context).memory().resources
    found = apply_update(resources, update, by=person(by), into=None if into is None else _file(into))
    print_result(found, print_update, as_json=as_json)
    return OK


def rollback(
    context: typer.Context,
    role: RoleArgument,
    to: Annotated[int, typer.Option("--to", min=1, help="The version whose text is to be active again.")],
    into: WriteOption = None,
    by: ByOption = None,
    as_json: JsonOption = False,
) -> int:
    """Make the text of an older version active again, on a terminal: it becomes a new version."""
    from memory_assets.commands.prompts import roll_back

    on_a_terminal("takes a prompt back", page="/prompts")
    resources = invocation(context).memory().resources
    found = roll_back(resources, role, to, by=person(by), into=None if into is None else _file(into))
    print_result(found, print_prompt, as_json=as_json)
    return OK


def write(
    context: typer.Context,
    role: RoleArgument,
    file: Annotated[Path, typer.Argument(help="A CLAUDE.md or AGENTS.md of the project.")],
    by: ByOption = None,
    as_json: JsonOption = False,
) -> int:
    """Write a role's active prompt into a file, on a terminal: between marks, and never over a change by hand."""
    from memory_assets.commands.prompts import write_prompt

    on_a_terminal("writes a prompt into a file", page="/prompts")
    found = write_prompt(invocation(context).memory().resources, role, _file(file), by=person(by))
    print_result(found, print_prompt, as_json=as_json)
    return OK


def register_(
    context: typer.Context, role: RoleArgument, file: FileOption, by: ByOption = None, as_json: JsonOption = False
) -> int:
    """Take a role's first prompt in, on a terminal: it is the active one. Later texts are proposed."""
    from memory_assets.commands.prompt_files import read_prompt
    from memory_assets.commands.prompts import register_prompt

    on_a_terminal("registers a prompt", page="/prompts")
    made = register_prompt(invocation(context).memory().resources, role, read_prompt(file), by=person(by))
    print_result(made, print_prompt, as_json=as_json)
    return OK


def print_prompt(prompt: RolePromptV1) -> None:
    """The versions, the newest first, and the text of one."""
    for version in prompt.versions:
        cause = f"version {version.rolled_back_to} again" if version.rolled_back_to else version.update_id or version.cause
        print_text(
            styled(
                (f"version {version.version}", "bold" if version.version == prompt.version else ""),
                (f"  {moment(version.activated_at)} by {one_line(version.activated_by)}  {cause}", "dim"),
                ("  active" if version.is_active else "", "green"),
                (f"  in {one_line(version.written_to)}" if version.written_to else "", "dim"),
            )
        )
    print_text(styled(""))
    for line in prompt.prompt.split("\n"):
        print_line(clean(line))


def print_update(update: PromptUpdateV1) -> None:
    """How a proposal stands, what it rests on, and its diff."""
    _print_head(update)
    for lesson in update.lessons:
        standing = f" ({_STANDING[lesson.standing]})" if lesson.standing in _STANDING else ""
        print_text(styled(("  lesson ", "dim"), (lesson.lesson_id, "cyan"), f" {one_line(lesson.title)}", (standing, "yellow")))
    if update.written_to:
        print_text(styled(("  written into ", "dim"), one_line(update.written_to)))
    if not update.base_is_active and update.status in ("proposed", "approved"):
        print_text(styled(("  the prompt has changed since: it cannot be applied, make a new proposal", "yellow")))
    print_text(styled(""))
    for line in update.diff.split("\n"):
        print_text(styled((line, {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], ""))))


def _print_head(update: PromptUpdateV1) -> None:
    print_text(
        styled(
            (update.update_id, "cyan"),
            "  ",
            (one_line(update.role), "bold"),
            f"  from version {update.base_version}  ",
            (update.status, _STYLES[update.status]),
            (f" as version {update.applied_version}" if update.applied_version else "", "green"),
            (f"  {moment(update.proposed_at)} by {one_line(update.proposed_by)}", "dim"),
        )
    )
    print_text(styled(("  why: ", "dim"), one_line(update.reason)))
    if update.reviewed_by:
        word = "approved" if update.status == "applied" else update.status
        note = f": {one_line(update.note)}" if update.note else ""
        print_text(styled((f"  {word} by {one_line(update.reviewed_by)}, {moment(update.reviewed_at)}{note}", "dim")))


def _file(path: Path) -> PromptFile:
    from memory_assets.commands.prompt_files import project_folder, prompt_file

    return prompt_file(path, project_folder(Path.cwd()))
