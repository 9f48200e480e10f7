"""`memory search`: what was said and remembered about something."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from memory_assets.cli.asking import asked
from memory_assets.cli.disclosure import print_disclosure
from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, KindOption, ProjectOption, invocation
from memory_assets.cli.lines import batches_of_stdin
from memory_assets.cli.memories import assurance_cell
from memory_assets.cli.output import cut, day, one_line, plural, print_json, print_result, styled
from memory_assets.cli.tables import print_text, terminal_width
from memory_assets.cli.times import moment_of
from memory_assets.errors import InvalidArgumentError
from memory_assets.vocabulary import OF_OTHERS

if TYPE_CHECKING:
    from memory_assets.memory import Memory
    from memory_assets.results.search import SearchHitV1, SearchResponseV1
    from memory_assets.search.request import SearchRequest
    from memory_assets.vocabulary import Intent


class Mode(StrEnum):
    """How to search."""

    auto = "auto"
    lexical = "lexical"
    vector = "vector"
    hybrid = "hybrid"


class Fusion(StrEnum):
    """How two legs become one ranking."""

    weighted = "weighted"
    zscore = "zscore"
    rrf = "rrf"


class ScopeName(StrEnum):
    """How far to look."""

    org = "org"
    project = "project"
    worktree = "worktree"
    task = "task"


def register(app: typer.Typer) -> None:
    """Add the command of this file."""
    app.command("search")(search)


def search(
    context: typer.Context,
    query: Annotated[
        str | None,
        typer.Argument(help="What to look for, in any words; no character of it is an operator.", show_default=False),
    ] = None,
    mode: Annotated[
        Mode, typer.Option("--mode", help="lexical (words), vector (meaning), hybrid (both), auto (what suits the question).")
    ] = Mode.auto,
    intent: Annotated[
        str | None,
        typer.Option(
            "--intent",
            help="What you are after: how_to_do, what_happened, known_issues, environment or code_structure.",
            show_default=False,
        ),
    ] = None,
    scope: Annotated[
        ScopeName | None,
        typer.Option(
            "--scope",
            help="How far: org (everything), project, worktree or task; by default as narrow as those given.",
            show_default=False,
        ),
    ] = None,
    project: ProjectOption = None,
    worktree: Annotated[
        str | None,
        typer.Option("--worktree", help="Only of sessions that worked in this folder or below it.", show_default=False),
    ] = None,
    task: Annotated[str | None, typer.Option("--task", help="Only what is evidence of this task.", show_default=False)] = None,
    kind: KindOption = None,
    role: Annotated[
        list[str] | None, typer.Option("--role", help="Only of user, assistant, tool or system. May be repeated.")
    ] = None,
    file: Annotated[
        list[str] | None, typer.Option("--file", help="Only what names this file, by its path or name; of several all.")
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", help="Only since then: 12h, 7d, 4w, or a date or time (UTC).", show_default=False)
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", help="Only before then; written as for --since.", show_default=False)
    ] = None,
    stage_min: Annotated[
        str | None,
        typer.Option("--stage-min", help="Only memories and tasks of this stage or a higher one.", show_default=False),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option("-k", min=1, max=1000, help="How many hits; by default by the question.", show_default=False),
    ] = None,
    budget: Annotated[
        int | None, typer.Option("--budget", help="Tokens that the hits may cost together.", show_default=False)
    ] = None,
    fusion: Annotated[Fusion, typer.Option("--fusion", help="How two legs become one ranking.")] = Fusion.weighted,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how the question was read and how scores came about.")
    ] = False,
    expand: Annotated[
        bool,
        typer.Option(
            "--expand", help="A line for each hit, and in full what is plainly meant, within the budget or 2,000 tokens."
        ),
    ] = False,
    bulk: Annotated[
        bool, typer.Option("--bulk", help="Read questions from stdin, a line of JSON each, and answer each with one line.")
    ] = False,
    no_log: Annotated[bool, typer.Option("--no-log", help="Do not count what is delivered as shown.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Search memories, tasks and passages, each hit with its address. Exits 1 where nothing is known."""
    from memory_assets.search.request import SearchRequest

    now = datetime.now(UTC)
    request = SearchRequest(
        query=query or "",
        mode=mode.value,
        k=k,
        intent=_intent(intent),
        scope=scope.value if scope else None,
        project=project,
        worktree=str(Path(worktree).expanduser().absolute()) if worktree else None,
        task=task,
        kinds=tuple(kind or ()),
        roles=tuple(role or ()),
        files=tuple(file or ()),
        since=moment_of("--since", since, now) if since else None,
        until=moment_of("--until", until, now) if until else None,
        stage_min=stage_min,
        fusion=fusion.value,
        budget=budget,
        log=not no_log,
    )
    given = invocation(context)
    if bulk:
        if query is not None:
            raise InvalidArgumentError("--bulk reads its questions from stdin", hint="leave the question out")
        if expand:
            raise InvalidArgumentError("--bulk answers each question with one line", hint="leave --expand out")
        return _answer_lines(given.memory(), request, explain)
    if query is None:
        raise InvalidArgumentError("no query is given", hint="as in memory search 'why was the deploy rolled back'")
    wanted = replace(request, budget=None) if expand else request
    response = asked(given, lambda store: store.search_for(wanted, explain=explain))
    if expand:
        disclosed = asked(given, lambda store: store.disclose(response, budget=2000 if budget is None else budget))
        if not as_json:
            _print_unknown(response)
        print_result(disclosed, print_disclosure, as_json=as_json)
    elif as_json:
        print_json(response)
    else:
        print_response(response, explain=explain)
    return OK if response.hits and _is_known(response) else NOTHING_FOUND


def _intent(given: str | None) -> Intent | None:
    from memory_assets.search.question.intents import parse_intent
    from memory_assets.vocabulary import INTENTS

    if given is None:
        return None
    intent = parse_intent(given)
    if intent is None:
        raise InvalidArgumentError(f"there is no intent {given[:100]!r}", hint=f"there are {', '.join(INTENTS)}")
    return intent


def _answer_lines(memory: Memory, defaults: SearchRequest, explain: bool) -> int:
    """One line out for each line in, in their order, as they are answered."""
    number, failed = 1, 0
    for lines in batches_of_stdin():
        for item in memory.bulk_search(lines, defaults=defaults, first_line=number, explain=explain):
            failed += item.error is not None
            print_json(item)
            sys.stdout.flush()
        number += len(lines)
    return NOTHING_FOUND if failed else OK


def print_response(response: SearchResponseV1, *, explain: bool = False) -> None:
    """Four lines a hit: what it is, where it was said, its title, its text."""
    if explain:
        _print_reading(response)
    _print_unknown(response)
    for hit in response.hits:
        print_hit(hit)
        if explain:
            _print_steps(hit)
    if not response.hits:
        print_text(styled("nothing found"))
    print_text(styled((_footer(response), "dim")))
    for note in response.notes:
        sys.stderr.write(f"note: {one_line(note)}\n")


def _is_known(response: SearchResponseV1) -> bool:
    return response.retrieval is None or response.retrieval.known


def _print_unknown(response: SearchResponseV1) -> None:
    """Where what was found can hold no answer, that comes first."""
    if response.hits and response.retrieval is not None and not response.retrieval.known:
        print_text(styled((one_line(response.retrieval.says), "yellow")), styled(("the nearest, no answers:", "dim")))


def print_hit(hit: SearchHitV1) -> None:
    """One hit, dense."""
    width = min(terminal_width(), 160)
    print_text(
        styled(
            (f"{hit.rank:>2}  {hit.score:.3f}  ", "bold"),
            (hit.id or hit.unit_kind, "cyan"),
            (f"  {hit.origin}" if hit.origin in OF_OTHERS else "", "yellow"),
            *(("  ", assurance_cell(hit.assurance, hit.checker, hit.status)) if hit.id else ()),
            f"  {one_line(hit.project or '-')}  {day(hit.ts)}",
            (f"  relevance {hit.relevance:.2f}", "dim"),
        )
    )
    if hit.citations:
        more = f"  and {len(hit.citations) - 1} more" if len(hit.citations) > 1 else ""
        more += "".join(f"  with {one.uri}  {one_line(one.label)}" for one in hit.beside)
        print_text(styled("    ", (hit.citations[0].uri, "cyan"), (f"  {one_line(hit.citations[0].label)}{more}", "dim")))
    else:
        print_text(styled("    ", ("[HYPOTHESIS] nothing is cited for it", "yellow")))
    related = "".join(f"  + {f'{one.relation} ' if one.relation else ''}{one.id or one.unit_kind}" for one in hit.related)
    print_text(cut(styled("    ", (one_line(hit.title), "bold"), (related, "cyan")), width))
    if one_line(hit.snippet) != one_line(hit.title):
        print_text(cut(styled("    ", one_line(hit.snippet)), 4 * width))
    if (instead := hit.said_otherwise) is not None:
        print_text(cut(styled("    ", (instead.told, "yellow"), f"  {one_line(instead.text)}"), 2 * width))


def _footer(response: SearchResponseV1) -> str:
    legs = " and ".join(response.channels) or "no leg"
    line = f"{plural(len(response.hits), 'hit')} by {legs} search ({response.score_kind}), {response.estimated_tokens:,} tokens"
    certificate = response.certificate
    if certificate is None or not response.hits:
        return line
    missing = f", missing: {', '.join(one_line(name) for name in certificate.missing[:8])}" if certificate.missing else ""
    return f"{line}; {certificate.completeness:.0%} of the question is covered{missing}: {certificate.hint}"


_TOLD_BY: Final = {"glossary": "the glossary", "texts": "the texts", "sound": "its sound", "calendar": "the calendar"}


def _print_reading(response: SearchResponseV1) -> None:
    """How the question was read."""
    complexity, window = response.complexity, response.window
    if complexity is not None:
        why = "; ".join(one_line(reason) for reason in complexity.why) or "no cue"
        print_text(
            styled(
                ("complexity ", "dim"), f"{complexity.score:.2f}, {complexity.strategy}, k {response.k}", (f"  {why}", "dim")
            )
        )
    cues = f"  by {', '.join(one_line(cue) for cue in response.intent_cues)}" if response.intent_cues else ""
    asked = "  as asked for" if response.intent_asked else cues
    print_text(styled(("intent     ", "dim"), response.intent or "none", (asked, "dim")))
    if window is not None:
        print_text(
            styled(
                ("time       ", "dim"), f"{day(window.since)} to {day(window.until)}", (f"  by {one_line(window.cue)}", "dim")
            )
        )
    if response.speakers:
        print_text(styled(("speakers   ", "dim"), ", ".join(one_line(name) for name in response.speakers)))
    for crossed in response.crossed:
        ways = ", ".join(one_line(way) for way in crossed.ways)
        print_text(
            styled(
                ("crossed    ", "dim"),
                f"{one_line(crossed.said)} → {ways}",
                (f"  by {_TOLD_BY[crossed.by]}, weight {crossed.weight:.2f}", "dim"),
            )
        )
    if (retrieval := response.retrieval) is not None:
        signs = ", ".join(f"{name} {value:.2f}" for name, value in retrieval.answerability_parts.items())
        said = f"{retrieval.answerability:.2f}, gate {retrieval.score_gate:.2f}"
        print_text(styled(("sure       ", "dim"), said, (f"  ({signs})", "dim")))
    legs = " and ".join(response.channels) or "nothing"
    print_text(
        styled(("searched   ", "dim"), f"{legs}, {response.score_kind}, vectors {response.embedding_version or '-'}"),
        styled(""),
    )


def _print_steps(hit: SearchHitV1) -> None:
    """How a hit's score came about."""
    if hit.steps is None:
        return
    for name, place in hit.legs.items():
        parts = ", ".join(f"{part} {value:.3f}" for part, value in hit.steps.parts.get(name, {}).items())
        given = hit.steps.legs.get(name, 0.0)
        print_text(styled((f"    {name:<8} rank {place.rank}, gives {given:.3f}", "dim"), (f"  ({parts})", "dim")))
    for bonus in hit.steps.bonuses:
        print_text(styled((f"    {bonus.score:+.3f}   {one_line(bonus.why)}", "dim")))
