"""`memory eval`: golden questions, and how search and answers fare with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_assets.cli.invocation import NOTHING_FOUND, OK, JsonOption, invocation
from memory_assets.cli.output import moment, one_line, plural, print_json, print_result, styled
from memory_assets.cli.progress import progress_for_people
from memory_assets.cli.search import Mode
from memory_assets.cli.tables import Cell, print_table, print_text
from memory_assets.errors import InvalidArgumentError

if TYPE_CHECKING:
    from memory_assets.results.evaluation import EvalCalibrationV1, EvalComparisonV1, EvalRunV1

_METRICS = ("hit_at_k", "mrr", "recall_at_k", "precision_at_k", "must_contain")
_OF_ANSWERS = ("answer_recall", "citation_precision", "citation_recall", "answered", "refused")
_NAMES = {
    "hit_at_k": "hit@k",
    "mrr": "MRR",
    "recall_at_k": "recall@k",
    "precision_at_k": "precision@k",
    "must_contain": "must contain",
    "forbidden_hits": "forbidden hits",
    "answer_recall": "answer",
    "citation_precision": "cite prec.",
    "citation_recall": "cite rec.",
    "answered": "answered",
    "refused": "refused",
    "auc": "AUC",
}
_ID_SHOWN = 12
_SCOPES = {"within_a_project": "within a project", "over_all": "over the whole store"}
_RESET = {True: "the shipped gates are in force again", False: "this store has no gates of its own"}
FileArgument = Annotated[
    Path | None, typer.Argument(help="The file of questions; otherwise evaluation.file.", show_default=False)
]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    group = typer.Typer(no_args_is_help=True, help="Golden questions: write a first file, ask them, compare two runs.")
    group.command("init")(init)
    group.command("run")(run)
    group.command("ask")(ask)
    group.command("compare")(compare)
    group.command("calibrate")(calibrate)
    app.add_typer(group, name="eval")


def init(
    context: typer.Context,
    file: FileArgument = None,
    count: Annotated[int, typer.Option("--count", "-n", min=0, max=1000, help="How many memories become questions.")] = 20,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Write a first file of golden questions: titles of memories, to be reworded, with the places that answer them."""
    from memory_assets.queries.golden_file import golden_path, write_golden

    memory = invocation(context).memory()
    written = memory.read(write_golden, golden_path(memory.settings, file), count=count, force=force)
    if as_json:
        print_json(written)
        return OK
    print_text(
        styled((one_line(written.path), "cyan"), f"  {plural(written.questions, 'question')}"),
        styled(("reword them as you would ask; then `memory eval run`", "dim")),
    )
    return OK


def run(
    context: typer.Context,
    file: FileArgument = None,
    mode: Annotated[
        Mode | None, typer.Option("--mode", help="Ask all of them so, whatever they say: lexical, vector, hybrid or auto.")
    ] = None,
    k: Annotated[int | None, typer.Option("-k", min=1, max=1000, help="How many hits count, whatever they say.")] = None,
    gate: Annotated[
        bool, typer.Option("--gate", help="Exit 1 where a question failed, a bar does not hold or something grew worse.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Ask the golden questions, measure the answers and record that. What is delivered here does not count as shown."""
    found = (
        invocation(context)
        .memory()
        .evaluate(file, mode=mode.value if mode else None, k=k, progress=progress_for_people(as_json=as_json))
    )
    print_result(found, print_run, as_json=as_json)
    return NOTHING_FOUND if gate and not found.passed else OK


def ask(
    context: typer.Context,
    file: FileArgument = None,
    mode: Annotated[
        Mode | None, typer.Option("--mode", help="Ask all of them so, whatever they say: lexical, vector, hybrid or auto.")
    ] = None,
    gate: Annotated[
        bool, typer.Option("--gate", help="Exit 1 where a question failed, a bar does not hold or something grew worse.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Answer golden questions, and measure what is answered, cited and refused."""
    from memory_assets.commands.evaluation import evaluate_answers
    from memory_assets.queries.golden_file import golden_path

    memory = invocation(context).memory()
    found = evaluate_answers(
        memory.asker.searcher,
        golden_path(memory.settings, file),
        mode=mode.value if mode else None,
        progress=progress_for_people(as_json=as_json),
    )
    print_result(found, print_run, as_json=as_json)
    return NOTHING_FOUND if gate and not found.passed else OK


def compare(
    context: typer.Context,
    before: Annotated[
        str | None,
        typer.Argument(help="The earlier run, by its id; without any the last two are compared.", show_default=False),
    ] = None,
    after: Annotated[str | None, typer.Argument(help="The later run.", show_default=False)] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="The file of questions, for their words; otherwise evaluation.file.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Compare two runs of golden questions: each metric, and each question that fares better or worse."""
    from memory_assets.queries.evaluation import compared_runs
    from memory_assets.queries.golden_file import golden_path

    memory = invocation(context).memory()
    found = memory.read(compared_runs, before, after, golden=golden_path(memory.settings, file))
    print_result(found, print_comparison, as_json=as_json)
    return OK


def calibrate(
    context: typer.Context,
    file: FileArgument = None,
    most: Annotated[
        float, typer.Option("--most", min=0.0, max=1.0, help="The largest share of good questions that may be refused.")
    ] = 0.08,
    write: Annotated[bool, typer.Option("--write", help="Let search and answers of this store go by what was chosen.")] = False,
    reset: Annotated[bool, typer.Option("--reset", help="Go by the shipped gates again; nothing is asked.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Choose from which number on something is known, by golden questions of which some cannot be answered."""
    from memory_assets.commands import calibration
    from memory_assets.queries.golden_file import golden_path

    if reset and (write or file):
        raise InvalidArgumentError("--reset asks nothing and writes nothing", hint="leave FILE and --write out")
    memory = invocation(context).memory()
    if reset:
        was_there = calibration.reset(memory.settings.home)
        print_result(calibration.as_shipped(), lambda _: print_text(styled(_RESET[was_there])), as_json=as_json)
        return OK
    found = calibration.calibrate(
        memory.searcher,
        golden_path(memory.settings, file),
        most_wrong=most,
        write=write,
        progress=progress_for_people(as_json=as_json),
    )
    print_result(found, print_calibration, as_json=as_json)
    return OK


def print_calibration(found: EvalCalibrationV1) -> None:
    """Per scope: what gates refuse, the chosen one among them, and what to expect of it."""
    for scope in found.scopes:
        asked = f"{scope.answerable} that can be answered, {scope.unanswerable} that cannot"
        print_text(styled((_SCOPES[scope.scope], "bold"), (f"  {asked}", "dim")))
        if scope.after is None:
            print_text(styled("  ", (f"too few to choose by: {scope.before.gate} stays, as shipped", "yellow")))
            continue
        rows = [("shipped", scope.before), ("chosen", scope.after), ("left out", scope.left_out)]
        print_table(
            ("", "gate", "refused wrongly", "refused rightly"),
            [
                (name, f"{one.gate:.2f}" * (name != "left out"), _share(one.refused_wrongly), _share(one.refused_rightly))
                for name, one in [*(("", one) for one in scope.gates), *rows]
                if one is not None
            ],
            right=frozenset((1, 2, 3)),
        )
    print_text(styled(("left out: each question by the gate that all others choose", "dim")))
    if found.written_to is None:
        print_text(styled(("nothing was written: --write lets this store go by it", "dim")))
    else:
        print_text(styled((one_line(found.written_to), "cyan"), f"  version {found.version}"))


def print_run(found: EvalRunV1) -> None:
    """A row a question, then the means, then whether it passed and why not."""
    asked = [question for question in found.questions if not question.skipped]
    metrics = _OF_ANSWERS if found.config.get("of") == "answers" else _METRICS
    rows: list[list[Cell]] = [
        [
            question.id,
            *(_share(getattr(question, name)) for name in metrics),
            (str(question.forbidden_hits), "red" if question.forbidden_hits else "dim"),
            (question.error or (f"{question.gone} gone" if question.gone else ""), "red"),
            question.query,
        ]
        for question in asked
    ]
    rows.append(
        [
            ("mean", "bold"),
            *(_share(found.aggregate.get(name)) for name in metrics),
            (f"{found.aggregate.get('forbidden_hits', 0):.0f}", "bold"),
            "",
            "",
        ]
    )
    header = ["question", *(_NAMES[name] for name in metrics), "forbidden", "", ""]
    print_table(header, rows, shrink=((8, 12), (0, 8)), drop=(4, 5, 8), right=frozenset(range(1, 7)))
    counted = [plural(len(asked), "question")]
    if skipped := len(found.questions) - len(asked):
        counted.append(f"{skipped} skipped, which expect nothing")
    print_text(
        styled(
            (found.run_id[:_ID_SHOWN], "cyan"),
            (f"  suite {found.suite}, {', '.join(counted)}, mode {found.config.get('mode', '-')}", "dim"),
        )
    )
    if (area := found.aggregate.get("auc")) is not None:
        print_text(styled(("AUC of answerability  ", "dim"), f"{area:.3f}"))
    baseline = f"compared with {found.baseline_run_id[:_ID_SHOWN]}" if found.baseline_run_id else "no earlier run that passed"
    print_text(styled(("passed", "bold green") if found.passed else ("not passed", "bold red"), (f"  {baseline}", "dim")))
    for reason in found.reasons:
        print_text(styled("  ", (one_line(reason), "red")))


def print_comparison(found: EvalComparisonV1) -> None:
    """A row a metric, then the questions that fare otherwise, the worse ones first."""
    for name, one in (("before", found.before), ("after", found.after)):
        print_text(
            styled(
                (name.ljust(8), "dim"),
                (one.run_id[:_ID_SHOWN], "cyan"),
                f"  {moment(one.ran_at)}  ",
                (
                    f"suite {one.suite}, mode {one.config.get('mode', '-')}, "
                    f"model {one_line(one.config.get('embedding_version', '-'))}, log at {one.corpus_seq:,}",
                    "dim",
                ),
            )
        )
    if not found.common:
        print_text(styled(("they have no question in common", "yellow")))
        return
    print_table(
        ("metric", "before", "after", ""),
        [
            (
                _NAMES.get(change.metric, change.metric),
                _number(change.metric, change.before),
                _number(change.metric, change.after),
                _gain(change.gain),
            )
            for change in found.changes
        ],
        right=frozenset((1, 2)),
    )
    for better in (False, True):
        told = [question for question in found.questions if question.better is better]
        if told:
            print_text(
                styled((f"{plural(len(told), 'question')} {'better' if better else 'worse'}", "green" if better else "red"))
            )
        for question in told:
            moves = ", ".join(
                f"{_NAMES.get(change.metric, change.metric)} {change.before:.2f} → {change.after:.2f}"
                for change in question.changes
            )
            print_text(styled("  ", (question.id, "cyan"), f"  {one_line(question.query)}  ", (moves, "dim")))
    if not found.questions:
        print_text(styled((f"{plural(found.common, 'question')}, none better and none worse", "dim")))
    if alone := len(found.only_before) + len(found.only_after):
        print_text(
            styled((f"{plural(alone, 'question')} in one of the two alone, or with other expectations: left out", "dim"))
        )


def _share(value: float | None) -> Cell:
    if value is None:
        return ("-", "dim")
    return (f"{value:.3f}", "green" if value >= 1 else "yellow" if value > 0 else "red")


def _number(metric: str, value: float) -> str:
    return f"{value:.0f}" if metric == "forbidden_hits" else f"{value:.3f}"


def _gain(gain: float) -> Cell:
    if not gain:
        return ("=", "dim")
    return ("better", "green") if gain > 0 else ("worse", "red")
