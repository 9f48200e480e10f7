"""An evaluation, run and recorded: golden questions are asked, measured, compared with the last run that passed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from memory_assets import __version__
from memory_assets.ask.answerer import ExtractiveAnswerer
from memory_assets.ask.asker import Asker
from memory_assets.ask.evaluation import answer_suite
from memory_assets.commands.said import command, now
from memory_assets.identifiers import canonical_json, typed_id
from memory_assets.log.event_log import EventLog
from memory_assets.log.payloads.evaluation import EvalRunRecorded
from memory_assets.log.payloads.question_result import ANSWER_METRICS, METRICS
from memory_assets.progress import NoProgress, Progress
from memory_assets.projections.fold import catch_up
from memory_assets.queries.evaluation import (
    AskedAs,
    RecordedRun,
    ask_suite,
    corpus_seq,
    known_addresses,
    last_of,
    last_passed,
    one_run,
    queries_of,
    run_v1,
)
from memory_assets.queries.golden_file import read_golden
from memory_assets.search.answerability.calibration import calibration
from memory_assets.search.errors import GoldenInvalidError
from memory_assets.search.evaluation.measures import aggregate, below_the_bars, compare, regressions

if TYPE_CHECKING:
    from pathlib import Path

    from memory_assets.configuration import Resources
    from memory_assets.log.payloads.question_result import QuestionResult
    from memory_assets.results.evaluation import EvalRunV1
    from memory_assets.search.evaluation.golden import GoldenSuite
    from memory_assets.search.searcher import Searcher


_BARS: Final = {
    "search": frozenset((*METRICS, "forbidden_hits")),
    "answers": frozenset((*ANSWER_METRICS, "auc", "forbidden_hits")),
}
"""Which bars of a file a run has to reach."""


def evaluate(
    searcher: Searcher,
    path: Path,
    *,
    asked_as: AskedAs | None = None,
    unless_known: bool = False,
    progress: Progress | None = None,
) -> EvalRunV1:
    """Ask the questions of a file, and write down how search fared.

    It passes when no question failed, every bar of the file holds, and nothing is worse than in the last run of the suite that
    passed, by more than ``evaluation.tolerance``, over the questions that both asked alike.

    Args:
        asked_as: one mode or k for all questions.
        unless_known: give the newest run back where neither questions nor store nor release have changed since.

    Raises:
        GoldenInvalidError: the file cannot be read, or nothing in it expects anything.
    """
    suite, chosen = _suite(searcher.resources, path), asked_as or AskedAs()
    if not any(question.expects for question in suite.questions):
        raise GoldenInvalidError(
            f"{path}: no question expects anything", hint="give each an address under expected, or a phrase under contains"
        )
    shown = progress or NoProgress()
    return _measured(
        searcher.resources,
        suite,
        chosen,
        lambda known: ask_suite(suite, searcher, known, chosen, shown.advance),
        config={},
        unless_known=unless_known,
        progress=shown,
    )


def evaluate_answers(
    searcher: Searcher,
    path: Path,
    *,
    mode: str | None = None,
    unless_known: bool = False,
    progress: Progress | None = None,
) -> EvalRunV1:
    """Ask the questions of a file, and write down how their answers in quotes fared; as :func:`evaluate`. No model is asked.

    Args:
        mode: one for all questions.

    Raises:
        GoldenInvalidError: the file cannot be read, or nothing in it expects an answer.
    """
    suite, shown = _suite(searcher.resources, path), progress or NoProgress()
    asker = Asker(searcher, ExtractiveAnswerer(searcher.settings.embedding.model))
    if not any(question.expects_answer for question in suite.questions):
        raise GoldenInvalidError(
            f"{path}: no question expects an answer",
            hint="give each its answer, addresses under expected, or unanswerable: true",
        )
    return _measured(
        searcher.resources,
        suite,
        AskedAs(mode, of="answers"),
        lambda known: list(answer_suite(suite, asker, known, mode, shown.advance)),
        config={"answerer": f"extractive-v{calibration().version}"},
        unless_known=unless_known,
        progress=shown,
    )


def _suite(resources: Resources, path: Path) -> GoldenSuite:
    with resources.database.reading() as connection:
        return read_golden(path, connection)


def _measured(
    resources: Resources,
    suite: GoldenSuite,
    chosen: AskedAs,
    ask: Callable[[Collection[str]], list[QuestionResult]],
    *,
    config: Mapping[str, str],
    unless_known: bool,
    progress: Progress,
) -> EvalRunV1:
    """A suite asked, measured, compared and recorded.

    Args:
        ask: gives the result of each question; it is told which expected addresses name something.
        config: what of the measured itself is kept with the run.
    """
    catch_up(resources.database, resources.configured_versions)
    with resources.database.reading() as connection:
        seq = corpus_seq(connection)
        known = known_addresses(connection, (address for question in suite.questions for address in question.expected))
        newest = last_of(connection, suite.name, chosen)
        baseline = last_passed(connection, suite.name, chosen)
    bars = {name: bar for name, bar in suite.bars.items() if name in _BARS[chosen.of]}
    whole = {
        **chosen.config,
        **config,
        "embedding_version": resources.embedder.embedding_version,
        "version": __version__,
        "tolerance": str(resources.settings.evaluation.tolerance),
        "bars": canonical_json(bars),
    }
    if (
        unless_known
        and newest is not None
        and (newest.suite_hash, newest.corpus_seq, newest.config) == (suite.suite_hash, seq, whole)
    ):
        return run_v1(newest, queries_of(suite))
    progress.start(len(suite.questions), "asking")
    try:
        results = ask(known)
    finally:
        progress.finish()
    reasons = _reasons(bars, results, baseline, resources.settings.evaluation.tolerance)
    at = now()
    word = EvalRunRecorded(
        run_id=typed_id("evl", suite.suite_hash, seq, whole, at.isoformat()),
        suite=suite.name,
        suite_hash=suite.suite_hash,
        corpus_seq=seq,
        config=whole,
        aggregate=aggregate(results),
        results=results,
        passed=not reasons,
        reasons=reasons,
        baseline_run_id=baseline.run_id if baseline else None,
    )
    EventLog(resources.database).append([command(word, at=at)])
    catch_up(resources.database, resources.configured_versions)
    with resources.database.reading() as connection:
        return run_v1(one_run(connection, word.run_id), queries_of(suite))


def _reasons(
    bars: Mapping[str, float], results: Sequence[QuestionResult], baseline: RecordedRun | None, tolerance: float
) -> list[str]:
    failed = [f"question {result.question_id} failed: {result.error}" for result in results if result.error]
    fallen = regressions(compare(baseline.results, results), tolerance) if baseline else []
    return [*failed, *below_the_bars(aggregate(results), bars), *fallen]
