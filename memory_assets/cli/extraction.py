"""`memory extract --dry-run`: what would be sent to the model, or what the embedded rules would quote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.invocation import OK, JsonOption, invocation
from memory_assets.cli.memories import quoted
from memory_assets.cli.output import clean, one_line, plural, print_json, styled
from memory_assets.cli.tables import print_text
from memory_assets.errors import InvalidArgumentError

if TYPE_CHECKING:
    from rich.text import Text

    from memory_assets.queries.extraction_plan import ExtractionPlan, PlannedWindow


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command("extract")(extract)


def extract(
    context: typer.Context,
    session: Annotated[str, typer.Argument(help="The session's id, or its beginning.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Needed: this command only shows, and sends and writes nothing.")
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="Also the windows that are answered already, whole.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Show what would be sent to the model for a session, window by window, or what the embedded rules would quote."""
    from memory_assets.memory import as_plain
    from memory_assets.queries.extraction_plan import extraction_plan

    if not dry_run:
        raise InvalidArgumentError(
            "memory extract only shows what would be done: say --dry-run",
            hint=f"`memory run {session} --to extracted` extracts, and `memory run {session}` does all that follows too",
        )
    plan = extraction_plan(invocation(context).memory().resources, session)
    if as_json:
        print_json({"schema_version": "extraction_plan.v1", **as_plain(plan)})
    elif plan.model is None:
        print_head(plan)
        print_rules(plan)
    else:
        print_head(plan)
        print_requests(plan, every=every)
    return OK


def print_head(plan: ExtractionPlan) -> None:
    """The session and how it is cut."""
    cut = f"{plural(len(plan.windows), 'window')} of about {plan.window_characters:,} characters"
    print_text(
        styled((one_line(plan.title or plan.session_id), "bold")),
        styled((plan.session_id, "cyan"), f"  {plural(plan.message_count, 'message')}, {cut}"),
    )
    if not plan.windows:
        print_text(styled("no message of it is shown to an extractor: there is nothing to ask"))


def print_rules(plan: ExtractionPlan) -> None:
    """What the embedded extractor quotes of each window; it asks nobody."""
    print_text(
        styled("no model is set: ", ("nothing is sent", "bold green"), f"; the embedded rules read it here ({plan.version})")
    )
    for window in plan.windows:
        print_text(styled(""), *_window_lines(window))
        for entry in window.entries:
            print_text(styled("  ", (entry.entry_type.ljust(10), "magenta"), "  ", (one_line(entry.title), "bold")))
            for quote in entry.evidence:
                print_text(styled("    ", (f"m={quote.message_index}  ", "cyan")) + quoted(quote.quote))
        if not window.entries:
            print_text(styled(("  nothing to quote", "dim")))


def print_requests(plan: ExtractionPlan, *, every: bool) -> None:
    """The calls, the system prompt once, and the rest of each call as it would be sent."""
    where = f" at {plan.api_base}" if plan.api_base else ""
    print_text(
        styled("asked: ", (f"{plan.model}{where}", "cyan"), f"  ({plan.version}), temperature 0, held to a JSON schema"),
        styled(
            f"not answered yet: {plan.unanswered:,} of {plural(len(plan.windows), 'window')}, ",
            (plural(plan.calls, "call"), "bold"),
            f", {plan.calls_at_most:,} at most with failed attempts and unreadable answers; "
            f"about {plan.estimated_tokens:,} tokens are sent"
            if plan.calls
            else "; nothing is sent",
        ),
    )
    if plan.system_prompt is not None and (plan.calls or every):
        print_text(
            styled(""),
            styled(("system, the same in every call:", "dim"), f" {plural(len(plan.system_prompt), 'character')}"),
            styled(clean(plan.system_prompt.rstrip())),
        )
    for window in plan.windows:
        print_text(styled(""), *_window_lines(window))
        if window.answered and not every:
            continue
        for turn in window.messages:
            print_text(styled((f"{turn['role']}:", "dim")), styled(clean(turn["content"])))


def _window_lines(window: PlannedWindow) -> list[Text]:
    covered = f"messages {window.first_message} to {window.end_message - 1}"
    context = f" (context from {window.context_from})" if window.context_from < window.first_message else ""
    size = f"{window.messages_shown:,} shown, {plural(window.characters, 'character')}"
    tokens = f", about {window.estimated_tokens:,} tokens with the prompt" if window.estimated_tokens else ""
    state = ("answered already, not asked again", "green") if window.answered else ("not answered yet", "yellow")
    return [styled((f"window {window.number}", "bold"), f"  {covered}{context}: {size}{tokens}; ", state)]
