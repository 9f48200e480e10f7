"""`memory answers`: what was asked, and which words answered it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.ask import print_citation
from memory_assets.cli.groups import ListingGroup
from memory_assets.cli.invocation import OK, JsonOption, ProjectOption, invocation
from memory_assets.cli.output import moment, one_line, plural, print_json, print_result, styled
from memory_assets.cli.tables import print_table, print_text

if TYPE_CHECKING:
    from memory_assets.results.recorded_answer import RecordedAnswerListV1, RecordedAnswerV1

_ID_SHOWN = 12


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(cls=ListingGroup, help="Answers that were recorded: list them, or show one (bare: list).")
    group.command("list")(list_)
    group.command("show")(show)
    app.add_typer(group, name="answers")


def list_(
    context: typer.Context,
    conversation: Annotated[
        str | None, typer.Option("--session", help="Only the turns of this conversation.", show_default=False)
    ] = None,
    project: ProjectOption = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="How many to list.")] = 30,
    as_json: JsonOption = False,
) -> int:
    """List recorded answers, the newest first."""
    from memory_assets.queries.answers import list_answers

    found = invocation(context).memory().read(list_answers, conversation=conversation, project=project, limit=limit)
    if as_json:
        print_json(found)
    elif found.answers:
        print_answers(found)
    else:
        print_text(styled("no recorded answers; `memory ask --session NAME` and `memory ask --record` record theirs"))
    return OK


def show(
    context: typer.Context,
    answer: Annotated[str, typer.Argument(help="The answer's id, or its beginning.")],
    as_json: JsonOption = False,
) -> int:
    """Show a recorded answer: the question, and the words that it cites as the store has them."""
    from memory_assets.queries.answers import one_answer

    print_result(invocation(context).memory().read(one_answer, answer), print_one, as_json=as_json)
    return OK


def print_answers(found: RecordedAnswerListV1) -> None:
    """A row an answer."""
    print_table(
        ("asked", "answer", "conversation", "turn", "", "cites", "question"),
        [
            (
                (moment(one.asked_at), "dim"),
                (one.answer_id[:_ID_SHOWN], "cyan"),
                one.conversation_id or "-",
                "-" if one.turn_index is None else str(one.turn_index),
                ("grounded", "green") if one.grounded else (str(one.refusal_reason), "yellow"),
                str(sum(cited.marker is not None for cited in one.citations)),
                one.question,
            )
            for one in found.answers
        ],
        right=frozenset((3, 5)),
    )
    if found.total > len(found.answers):
        print_text(styled((f"{plural(found.total, 'answer')} in all", "dim")))


def print_one(one: RecordedAnswerV1) -> None:
    """The question, what it was asked in, and the cited words."""
    where = [
        *([f"turn {one.turn_index} of {one_line(one.conversation_id)}"] if one.conversation_id else []),
        *([f"project {one_line(one.project)}"] if one.project else []),
    ]
    print_text(styled((one.answer_id[:_ID_SHOWN], "cyan"), f"  {moment(one.asked_at)}  ", (", ".join(where), "dim")))
    print_text(styled((one_line(one.question), "bold")))
    for cited in one.citations:
        print_citation(cited.marker, cited.citation, quoted=False)
        quote = cited.citation.quote
        print_text(styled(("    ", "dim"), f"「{one_line(quote)}」" if quote else ("says something else by now", "dim")))
    worth = ("grounded ✓", "green") if one.grounded else (f"grounded ✗ {one.refusal_reason}", "yellow")
    sure = f"answerability {one.answerability:.2f}, gate {one.score_gate:.2f}"
    print_text(styled(worth, (f"  {one_line(one.answerer)}  {one_line(one.prompt_template_version)}  {sure}", "dim")))
