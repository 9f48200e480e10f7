"""`memory court`: sessions are heard as cases, and what was claimed, kept and left out of each is shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.groups import ListingGroup
from memory_assets.cli.interruption import stoppable
from memory_assets.cli.invocation import NOTHING_FOUND, OK, UNHEALTHY, JsonOption, ProjectOption, invocation
from memory_assets.cli.lessons import print_evidence
from memory_assets.cli.output import moment, one_line, plural, print_json, print_result, styled
from memory_assets.cli.progress import progress_for_people
from memory_assets.cli.tables import print_table, print_text
from memory_assets.errors import InvalidArgumentError, MemoryAssetsError

if TYPE_CHECKING:
    from memory_assets.results.court import CaseClaimV1, CaseListV1, CaseV1, CourtProjectionV1, CourtRunV1
    from memory_assets.settings import Settings

_ID_SHOWN = 13
EMBEDDED = "embedded"
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="Who hears, in place of court.model: a litellm model name, or `embedded` for the detectors.",
        show_default=False,
    ),
]
CaseArgument = Annotated[str, typer.Argument(help="The case's id or its session's, or the beginning of either.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(cls=ListingGroup, help="What sessions teach: hear them, list and show what was heard (bare: list).")
    group.command("list")(list_)
    group.command("open")(stoppable(open_))
    group.command("from-session")(stoppable(from_session))
    group.command("run")(stoppable(run))
    group.command("show")(show)
    group.command("project")(project)
    app.add_typer(group, name="court")


def list_(
    context: typer.Context,
    project: ProjectOption = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="How many to list.")] = 50,
    as_json: JsonOption = False,
) -> int:
    """List the sessions that were heard, the newest first."""
    from memory_assets.queries.cases import list_cases

    memory = invocation(context).memory()
    found = memory.read(list_cases, version=memory.resources.court_version, project=project, limit=limit)
    if as_json:
        print_json(found)
    elif found.cases:
        print_cases(found)
    else:
        print_text(styled("nothing was heard yet; `memory court run --all` hears every session"))
    return OK


def open_(
    context: typer.Context,
    bundle: Annotated[Path, typer.Argument(help="A file of context_bundle.v1, or of any session.")],
    as_json: JsonOption = False,
) -> int:
    """Take a bundle in that another program collected, and hear it: what was claimed and kept."""
    from memory_assets.defs.court.run import hear
    from memory_assets.defs.run import import_paths
    from memory_assets.queries.cases import one_case

    call = invocation(context)
    progress = progress_for_people(as_json=as_json)
    taken = import_paths(call.settings(), [bundle], project=None, progress=progress)
    if taken.errors or not taken.session_ids:
        why = "; ".join(f"{one.get('reason', '')} {one.get('detail', '')}".strip() for one in taken.errors)
        raise InvalidArgumentError(
            f"{bundle.name} is not taken: {why or 'it holds no session'}", hint="docs/bundles.md says what a bundle holds"
        )
    report = hear(call.settings(), taken.session_ids, progress=progress)
    if as_json:
        print_json(report)
    else:
        memory = call.memory()
        for case_id in report.case_ids:
            print_case(memory.read(one_case, case_id, version=memory.resources.court_version))
            print_text(styled(""))
        print_run(report)
    return NOTHING_FOUND if report.failed else OK


def from_session(
    context: typer.Context,
    session: Annotated[str, typer.Argument(help="The session's id, or its beginning.")],
    model: ModelOption = None,
    as_json: JsonOption = False,
) -> int:
    """Hear one session as a case, and show what was claimed and kept."""
    from memory_assets.defs.court.run import hear
    from memory_assets.memory import Memory
    from memory_assets.queries.cases import one_case
    from memory_assets.queries.sessions import one_session

    settings = _settings(context, model)
    memory = Memory(settings)
    session_id = memory.read(one_session, session).session_id
    _raise_failure(hear(settings, [session_id], progress=progress_for_people(as_json=as_json)))
    found = memory.read(one_case, session_id, version=memory.resources.court_version)
    print_result(found, print_case, as_json=as_json)
    return OK


def run(
    context: typer.Context,
    cases: Annotated[
        list[str] | None, typer.Argument(help="Ids of cases or of sessions, or their beginnings.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every session that is known.")] = False,
    model: ModelOption = None,
    as_json: JsonOption = False,
) -> int:
    """Hear cases. What was heard already, as it is now and by the same court, is not heard again."""
    from memory_assets.defs.court.run import hear
    from memory_assets.queries.cases import session_of_case

    if bool(cases) == every:
        raise InvalidArgumentError("name cases, or --all for every session", hint="`memory sessions list` names the sessions")
    memory = invocation(context).memory()
    wanted = [memory.read(session_of_case, given) for given in cases or ()]
    report = hear(_settings(context, model), wanted or None, progress=progress_for_people(as_json=as_json))
    if len(wanted) == 1:
        _raise_failure(report)
    print_result(report, print_run, as_json=as_json)
    return NOTHING_FOUND if report.failed else OK


def show(context: typer.Context, case: CaseArgument, as_json: JsonOption = False) -> int:
    """Show a case: what was claimed, the words that show it, what the judge kept, and why not the rest."""
    from memory_assets.queries.cases import one_case

    memory = invocation(context).memory()
    print_result(memory.read(one_case, case, version=memory.resources.court_version), print_case, as_json=as_json)
    return OK


def project(
    context: typer.Context,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Write everything anew, whatever is there.")] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Compare both sides row by row afterwards.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Write the court's tables and the vectors of its lessons into the PostgreSQL of court.postgres_url."""
    from memory_assets.maintenance.court_mirror import project_court

    done = project_court(invocation(context).memory().resources, rebuild=rebuild, compare=verify)
    print_result(done, print_projection, as_json=as_json)
    return UNHEALTHY if done.differing else OK


def print_projection(done: CourtProjectionV1) -> None:
    """How far the tables go, and what was written."""
    how = {"pgvector": "pgvector", "arrays": "arrays: no pgvector, every lesson of a role is compared"}[done.vectors]
    print_text(
        styled(f"PostgreSQL holds the court up to event {done.upto_seq:,}"),
        styled(
            f"{plural(done.written, 'row')} written, {done.deleted:,} deleted, {plural(done.embedded, 'vector')}",
            (f"; anew, for {one_line(done.rebuilt)}" if done.rebuilt else "", "yellow"),
        ),
        styled((f"vectors by {how}{', with an index' if done.has_index else ''}", "dim")),
    )
    for table, count in done.differing.items():
        print_text(styled((f"  {table}: {plural(count, 'row')} not the same", "red")))
    if done.compared and not done.differing:
        print_text(styled(("both sides are the same, row for row", "green")))


def _settings(context: typer.Context, model: str | None) -> Settings:
    """The settings in force, with another one who hears where one is named."""
    settings = invocation(context).settings()
    if model is None:
        return settings
    if not model.strip():
        raise InvalidArgumentError("the name of the model is empty", hint=f"as in openai/gpt-5-mini, or {EMBEDDED}")
    hears = None if model == EMBEDDED else model.strip()
    return settings.model_copy(update={"court": settings.court.model_copy(update={"model": hears})})


def _raise_failure(report: CourtRunV1) -> None:
    """Fail as the one case did that was to be heard."""
    for told in report.errors.values():
        error = MemoryAssetsError(told.message, hint=told.hint)
        error.code = told.code
        raise error


def print_cases(found: CaseListV1) -> None:
    """A row a case."""
    print_table(
        ("session of", "case", "session", "events", "claims", "kept", "", "title"),
        [
            (
                (moment(case.occurred_at), "dim"),
                (case.case_id[:_ID_SHOWN], "cyan"),
                case.session_id,
                f"{case.event_count:,}",
                str(case.claims),
                str(case.selected),
                ("behind", "yellow") if case.is_behind else ("", "dim") if case.is_current else ("other court", "yellow"),
                case.title or "-",
            )
            for case in found.cases
        ],
        right=frozenset((3, 4, 5)),
    )
    if found.total > len(found.cases):
        print_text(styled((f"{plural(found.total, 'case')} in all", "dim")))


def print_run(report: CourtRunV1) -> None:
    """What a run came to."""
    print_text(
        styled(
            f"{plural(report.cases, 'case')}: {report.heard:,} heard, {report.unchanged:,} unchanged",
            (f", {len(report.failed):,} failed" if report.failed else "", "red"),
        ),
        styled(f"{plural(report.claims, 'claim')}: {report.selected:,} kept, {report.deferred:,} left out"),
        styled(f"{plural(report.lessons, 'lesson')} stand, {report.new_lessons:,} of them new: `memory lessons`"),
    )
    for session_id in report.failed[:20]:
        why = f": {one_line(report.errors[session_id].message)}" if session_id in report.errors else ""
        print_text(styled(("  failed: ", "red"), f"{one_line(session_id)}{why}"))


def print_case(case: CaseV1) -> None:
    """Whose case it is, then each claim with the words that show it."""
    state = "" if case.is_current else ", by another court than now"
    behind = ", the session says more by now" if case.is_behind else ""
    print_text(
        styled((case.case_id, "cyan"), f"  {one_line(case.title or case.session_id)}"),
        styled((f"session:{case.session_id}  {case.event_count:,} events, policy {case.policy_version}{state}{behind}", "dim")),
    )
    if not case.judged:
        print_text(styled("nothing was claimed"))
    for claim in case.judged:
        print_text(styled(""))
        _print_claim(claim)
    for reason, count in case.dropped_by_reason.items():
        print_text(styled((f"{plural(count, 'claim')} dropped: {one_line(reason)}", "yellow")))


def _print_claim(claim: CaseClaimV1) -> None:
    kept = claim.decision == "selected"
    print_text(
        styled(
            ("kept  " if kept else "left out  ", "green" if kept else "yellow"),
            (f"{claim.court_role}: {claim.kind.replace('_', ' ')}", "bold"),
            (f"  for {one_line(claim.role)}, {claim.severity}, {claim.confidence:.2f}", "dim"),
        ),
        styled(f"  {one_line(claim.rule)}"),
    )
    if claim.reason:
        print_text(styled((f"  why: {one_line(claim.reason)}", "yellow")))
    print_evidence(claim.evidence)
