"""`memory ask`: an answer from memory, in cited quotes, or the word that nothing was said."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from memory_assets.cli.asking import asked
from memory_assets.cli.draft import drafting
from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, ProjectOption, invocation
from memory_assets.cli.lines import batches_of_stdin
from memory_assets.cli.output import day, one_line, plural, print_json, styled
from memory_assets.cli.search import Mode
from memory_assets.cli.tables import print_text, terminal_width
from memory_assets.errors import InvalidArgumentError

if TYPE_CHECKING:
    from rich.text import Text

    from memory_assets.ask.request import AskRequest
    from memory_assets.memory import Memory
    from memory_assets.results.answer import AnswerV1
    from memory_assets.results.citation import AnyCitationV1

_WIDEST: Final = 100


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command("ask")(ask)


def ask(
    context: typer.Context,
    question: Annotated[
        str | None, typer.Argument(help="What you want to know, as you would ask a colleague.", show_default=False)
    ] = None,
    project: ProjectOption = None,
    mode: Annotated[
        Mode, typer.Option("--mode", help="lexical (words), vector (meaning), hybrid (both), auto (what suits the question).")
    ] = Mode.auto,
    words: Annotated[int, typer.Option("--words", min=1, max=1000, help="How many words may be quoted together.")] = 45,
    conversation: Annotated[
        str | None,
        typer.Option("--session", help="Ask in the conversation of this name: it begins, or goes on.", show_default=False),
    ] = None,
    goes_on: Annotated[
        bool, typer.Option("--continue", help="The conversation has to be there; without a name it is the last one.")
    ] = False,
    multi_hop: Annotated[
        bool, typer.Option("--multi-hop", help="Take the question apart, and answer each part of it.")
    ] = False,
    record: Annotated[
        bool | None,
        typer.Option("--record/--no-record", help="Whether the answer is recorded; otherwise ask.record.", show_default=False),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show each statement with its quote, and how the answer was looked for.")
    ] = False,
    bulk: Annotated[
        bool, typer.Option("--bulk", help="Read questions from stdin, a line of JSON each, and answer each with one line.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Answer a question from memory, in cited quotes. Exits 1 where nothing that was said answers it."""
    from memory_assets.ask.request import AskRequest

    request = AskRequest(question or "", project=project, mode=mode.value, most_words=words, multi_hop=multi_hop)
    given = invocation(context)
    if bulk:
        if question is not None:
            raise InvalidArgumentError("--bulk reads its questions from stdin", hint="leave the question out")
        if conversation is not None or goes_on or record or multi_hop:
            raise InvalidArgumentError(
                "--bulk asks questions that stand alone, each once, and records none",
                hint="leave --session, --continue, --multi-hop and --record out",
            )
        return _answer_lines(given.memory(), request)
    if question is None:
        raise InvalidArgumentError("no question is given", hint="as in memory ask 'why was the deploy rolled back?'")
    with drafting(wanted=not as_json) as listen:
        answer = asked(
            given,
            lambda store: store.answer(request, conversation=conversation, continued=goes_on, record=record, listen=listen),
        )
    if as_json:
        print_json(answer)
    else:
        print_answer(answer, explain=explain)
    return OK if answer.grounded else NOTHING_FOUND


def _answer_lines(memory: Memory, defaults: AskRequest) -> int:
    """One line out for each line in, in their order, as they are answered."""
    number, failed = 1, 0
    for lines in batches_of_stdin():
        for item in memory.asker.ask_lines(lines, defaults, first_line=number):
            failed += item.error is not None
            print_json(item)
            sys.stdout.flush()
        number += len(lines)
    return NOTHING_FOUND if failed else OK


def print_answer(answer: AnswerV1, *, explain: bool = False) -> None:
    """The answer, a rule, what its marks stand for, and a line that says what it is worth."""
    is_marked = any(cited.marker is not None for cited in answer.citations)
    if is_marked and not answer.grounded:
        print_text(styled(("stopped, and not verified to its end:", "yellow")))
    if explain and answer.grounded:
        _print_claims(answer)
    else:
        for line in answer.answer.splitlines():
            print_text(styled(one_line(line)))
    print_text(styled(""))
    if answer.citations and not is_marked:
        print_text(styled(("nearest:", "dim")))
    if is_marked and not (explain and answer.grounded):
        print_text(styled(("─" * min(terminal_width(), _WIDEST), "dim")))
    if not (explain and answer.grounded):
        for cited in answer.citations:
            print_citation(cited.marker, cited.citation)
        print_text(styled(""))
    _print_struck(answer)
    if explain:
        _print_trace(answer)
    print_text(_last_line(answer))
    for note in answer.notes:
        sys.stderr.write(f"note: {one_line(note)}\n")


def _print_claims(answer: AnswerV1) -> None:
    """Each statement, where it was said and its words."""
    by_mark = {cited.marker: cited.citation for cited in answer.citations}
    for claim in (one for one in answer.claims if not one.is_struck):
        print_text(styled(("▎ ", "cyan"), one_line(claim.text)))
        for mark, quote in zip(claim.markers, claim.quotes, strict=True):
            print_text(styled("  └ ", (by_mark[mark].uri, "cyan"), (f"  {one_line(by_mark[mark].label)}", "dim")))
            print_text(styled(("    ", "dim"), f"「{one_line(quote)}」"))
        print_text(styled(""))


def _print_struck(answer: AnswerV1) -> None:
    """What a model said and its evidence does not: in no answer, and not hidden either."""
    struck = [claim for claim in answer.claims if claim.is_struck]
    if not struck:
        return
    print_text(styled((f"struck, for the evidence does not say it ({len(struck)}):", "yellow")))
    for claim in struck:
        print_text(styled(("  ✗ ", "yellow"), (one_line(claim.text), "dim strike"), (f"  {one_line(claim.why or '')}", "dim")))
    print_text(styled(""))


def print_citation(marker: str | None, citation: AnyCitationV1, *, quoted: bool = True) -> None:
    """A citation's address, when and by whom it was said; of one without a mark its words too, where ``quoted``."""
    said = getattr(citation, "ts", None)
    who = getattr(citation, "name", None) or getattr(citation, "role", None) or ""
    print_text(styled((f"{marker or '·'} ", "bold"), (citation.uri, "cyan")))
    print_text(styled((f"    {day(said)}  {one_line(who)}  {one_line(citation.label)}", "dim")))
    if quoted and marker is None and citation.quote:
        print_text(styled(f"    {one_line(citation.quote)[:_WIDEST]}"))


def _print_trace(answer: AnswerV1) -> None:
    trace = answer.retrieval
    passed = "pass" if trace.answerability >= trace.score_gate else "below"
    rows = (
        ("query", one_line(answer.question)),
        ("mode", trace.mode),
        ("k", str(trace.k)),
        ("answerability", f"{trace.answerability:.2f}, gate {trace.score_gate:.2f}: {passed}"),
        ("made of", ", ".join(f"{name} {value:.2f}" for name, value in trace.answerability_parts.items())),
        ("unseen", ", ".join(map(one_line, trace.unseen)) or "-"),
        ("speakers", ", ".join(map(one_line, trace.speakers)) or "-"),
        ("chunks", f"{trace.chunks_used} used of {trace.chunks_returned} returned"),
        ("embedding", answer.embedding.id if answer.embedding else "-"),
        *_what_a_model_took(answer),
        ("latency", f"{answer.usage.latency_ms} ms"),
    )
    print_text(styled(("retrieval trace", "bold")))
    hops = [f"{hop.kind} {hop.iter}: {', '.join(map(one_line, hop.sub_queries)) or '-'}" for hop in answer.hops]
    for name, value in (*rows, *([("hops", "; ".join(hops))] if hops else [])):
        print_text(styled((f"  {name:<14}", "dim"), value))
    print_text(styled(""))


def _what_a_model_took(answer: AnswerV1) -> tuple[tuple[str, str], ...]:
    """Rows of the trace that only an answer with a model has."""
    held, used = answer.verification, answer.usage
    if held is None:
        return ()
    judged = "-" if held.nli_score is None else f"{held.nli_score:.2f}, threshold {held.nli_threshold:.2f}"
    return (
        ("statements", f"{held.kept} kept, {held.struck} struck of {held.statements}"),
        ("nli", judged),
        ("tokens", f"{used.prompt_tokens} in, {used.completion_tokens} out"),
        ("cost", _cost(answer) or "not known"),
    )


def _cost(answer: AnswerV1) -> str:
    """What an answer cost and what is left of the day, as far as either is known."""
    cost, left = answer.usage.cost_usd, answer.usage.left_today_usd
    told = [] if cost is None else [f"${cost:.4f}"]
    return ", ".join([*told, *([] if left is None else [f"${left:.2f} left today"])])


def _last_line(answer: AnswerV1) -> Text:
    mark = ("grounded ✓", "green") if answer.grounded else ("grounded ✗", "yellow")
    used = plural(answer.retrieval.chunks_used, "chunk") + ("" if answer.grounded else " used")
    told = (one_line(answer.model.id), answer.prompt_template_version, used, _cost(answer))
    return styled(mark, ("".join(f"  {part}" for part in told if part), "dim"))
