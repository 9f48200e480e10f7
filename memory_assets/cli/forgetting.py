"""`memory forget` and `memory unforget`: what is said is taken back, and wanted again."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, invocation
from memory_assets.cli.output import day, one_line, plural, print_json, styled
from memory_assets.cli.people import sits_before_it
from memory_assets.cli.progress import progress_for_people
from memory_assets.cli.tables import fitting, print_text
from memory_assets.errors import InvalidArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_assets.results.forgetting import ForgetReportV1, ForgettingListV1, NamedV1

SHOWN = 12
"""Lines of each list; ``--json`` has them all."""


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command("forget")(forget)
    app.command("unforget")(unforget)


def forget(
    context: typer.Context,
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID]...",
            help="session:ID#m=12 (a message), session:ID#m=12&c=3-20 (characters of it), mem:a7Bc3x (its quotes), "
            "the id of an entry, a task or a session.",
            show_default=False,
        ),
    ] = None,
    session: Annotated[
        list[str] | None, typer.Option("--session", help="A session, by its id or its beginning. May be repeated.")
    ] = None,
    project: Annotated[str | None, typer.Option("--project", help="Every session of this project.", show_default=False)] = None,
    before: Annotated[
        datetime | None,
        typer.Option(
            "--before", formats=["%Y-%m-%d"], help="Every session that ended before this day (UTC).", show_default=False
        ),
    ] = None,
    source: Annotated[
        str | None, typer.Option("--source", metavar="FILE", help="Every session that this file tells.", show_default=False)
    ] = None,
    query: Annotated[
        str | None,
        typer.Option("--query", help="Whole messages in which all of these words stand.", show_default=False),
    ] = None,
    words: Annotated[
        str | None,
        typer.Option(
            "--words", help="These characters wherever they stand, such as a name; the rest stays.", show_default=False
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go, and change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Forget sessions, messages, memories or single words: at once, everywhere, and whatever file tells it again.

    What is named by a choice (--project, --before, --source, --query, --words) is counted and asked about first. `memory
    unforget` takes it back until `memory purge` takes it out of the files.
    """
    from memory_assets.defs import forgetting
    from memory_assets.queries.forgettable import ToForget

    wanted = ToForget(tuple(ids or ()), tuple(session or ()), project, before.date() if before else None, query, words, source)
    settings = invocation(context).settings()
    chosen_by_rule = any(choice is not None for choice in (project, before, source, query, words))
    if dry_run or (chosen_by_rule and not yes):
        would = forgetting.what_would_go(settings, wanted)
        if dry_run or not (would.sessions or would.parts):
            _show(would, as_json=as_json)
            return OK if would.sessions or would.parts else NOTHING_FOUND
        if not _agreed(would, as_json=as_json):
            return NOTHING_FOUND
    report = forgetting.forget(settings, wanted, progress=progress_for_people(as_json=as_json))
    _show(report, as_json=as_json)
    return OK


def unforget(
    context: typer.Context,
    ids: Annotated[
        list[str], typer.Argument(metavar="ID...", help="Ids of forgettings (ev_…), or of sessions.", show_default=False)
    ],
    as_json: JsonOption = False,
) -> int:
    """Take a word of forgetting back: what was forgotten is there again, unless it was purged."""
    from memory_assets.defs import forgetting

    settings = invocation(context).settings()
    report = forgetting.unforget(settings, ids, progress=progress_for_people(as_json=as_json))
    if as_json:
        print_json(report)
    else:
        print_text(styled((plural(len(report.session_ids), "session"), "bold"), " there again"))
        print_text(*(styled("  ", (session_id, "cyan")) for session_id in report.session_ids))
    return OK


def print_forgettings(listed: ForgettingListV1) -> None:
    """A line for each word of forgetting; never a word of what it is about."""
    for one in listed.forgettings:
        much = (
            "a session" if one.what == "session" else f"{plural(one.characters, 'character')} in {plural(one.parts, 'place')}"
        )
        state = "purged" if one.purged else "forgotten" if one.holds else "taken back"
        print_text(
            styled(
                (f"{day(one.forgotten_at)}  ", "dim"),
                (f"{state:<10}", "yellow" if one.holds else "dim"),
                (f"  {one.event_id[:15]}", "cyan"),
                f"  {much} ",
                (f"of {one_line(one.session_id)}" if one.what == "parts" else one_line(one.session_id), "dim"),
            )
        )


def _agreed(would: ForgetReportV1, *, as_json: bool) -> bool:
    """Whether a person wants what was counted.

    Raises:
        InvalidArgumentError: nobody is there to be asked.
    """
    if as_json or not sits_before_it():
        raise InvalidArgumentError(f"this forgets {_counted(would)}", hint="`--yes` says so; `--dry-run` names them")
    _show(would, as_json=False)
    return typer.confirm("Forget this?", default=False, err=True)


def _counted(report: ForgetReportV1) -> str:
    whole = plural(len(report.sessions), "session")
    parts = plural(len({(part.session_id, part.message_index) for part in report.parts}), "place")
    return " and ".join(
        text for text, there in ((f"{whole} as a whole", report.sessions), (f"something in {parts}", report.parts)) if there
    )


def _show(report: ForgetReportV1, *, as_json: bool) -> None:
    if as_json:
        print_json(report)
    elif not report.sessions and not report.parts:
        print_text(styled("nothing of that is remembered"))
    else:
        print_report(report)


def print_report(report: ForgetReportV1) -> None:
    """What goes: sessions and parts, then what rested on them."""
    verb = "would go" if report.dry_run or not report.events else "gone"
    print_text(styled((verb, "bold"), f": {_counted(report)}, {plural(report.messages, 'message')}"))
    for session in report.sessions[:SHOWN]:
        print_text(
            fitting(
                styled(
                    (f"  {day(session.started_at)}  ", "dim"),
                    (one_line(session.session_id), "cyan"),
                    f"  {one_line(session.title or '')}",
                )
            )
        )
    _more(len(report.sessions))
    for part in report.parts[:SHOWN]:
        place = "its title" if part.message_index is None else f"message {part.message_index}"
        what = (
            "all of it"
            if part.whole
            else f"{plural(part.characters, 'character')} of {'its speaker' if part.field == 'name' else 'it'}"
        )
        print_text(styled("  ", (one_line(part.session_id), "cyan"), f"  {place}: {what}"))
    _more(len(report.parts))
    _print_named("memory", "memories", "with nothing else to rest on", report.memories_gone)
    _print_named("memory", "memories", "resting on other evidence too, not gone", report.memories_kept)
    _print_named("task", "tasks", "of which nothing else speaks", report.tasks_gone)
    _print_named("lesson", "lessons", "with less evidence", report.lessons_gone)
    _print_named("lesson", "lessons", "that other cases give too, not gone", report.lessons_kept)
    also = [(report.cases, "case", "cases"), (report.improvements, "improvement", "improvements")]
    also.append((report.answers, "recorded answer", "recorded answers"))
    if told := ", ".join(plural(count, one, many) for count, one, many in also if count):
        print_text(styled("also ", (told, "bold")))
    _print_named("proposal", "proposals", "for prompts that name such a lesson, and stay as they are", report.prompts_kept)
    if report.elsewhere:
        from memory_assets.queries.forget_report import MOST_ELSEWHERE

        count = f"{len(report.elsewhere):,}{'+' if len(report.elsewhere) >= MOST_ELSEWHERE else ''}"
        print_text(styled((f"the same words stand in {count} other messages, which stay:", "yellow")))
        print_text(*(styled("  ", (one_line(uri), "cyan")) for uri in report.elsewhere[:SHOWN]))
    if report.events:
        ids = " ".join(report.events[:3]) + (" …" if len(report.events) > 3 else "")
        print_text(styled((f"`memory unforget {ids}` takes it back; its bytes stay in the files until `memory purge`", "dim")))


def _print_named(one: str, many: str, how: str, named: Sequence[NamedV1]) -> None:
    if not named:
        return
    print_text(styled((plural(len(named), one, many), "bold"), f" {how}:"))
    for thing in named[:SHOWN]:
        # Of an id as much as the lists of tasks show, and every command takes.
        print_text(fitting(styled("  ", (one_line(thing.address)[:12], "cyan"), f"  {one_line(thing.title)}")))
    _more(len(named))


def _more(count: int) -> None:
    if count > SHOWN:
        print_text(styled((f"  and {count - SHOWN:,} more; --json has them all", "dim")))
