"""The leaves ``retrieval_eval`` and ``ask_eval``: golden questions put to search and answered, and whether either grew worse.

What is asked is its author's own text. It stays out of Dagster's records as session text does: ids and numbers say what is to
be looked at with ``memory eval compare``.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg

from memory_assets.commands.evaluation import evaluate, evaluate_answers
from memory_assets.defs.last_made import LOG_SEQ
from memory_assets.defs.leaves import memory_index
from memory_assets.defs.ledger_tables import table
from memory_assets.defs.resources import EventLogResource, OpenStore
from memory_assets.queries.golden_file import read_golden
from memory_assets.search.searcher import Searcher

if TYPE_CHECKING:
    from memory_assets.results.evaluation import EvalQuestionV1, EvalRunV1

SHOWN_QUESTIONS = 200
METRICS = ("hit_at_k", "mrr", "recall_at_k", "precision_at_k", "must_contain", "forbidden_hits")
ANSWER_METRICS = ("answer_recall", "citation_precision", "citation_recall", "answered", "refused", "forbidden_hits")


def _no_regression(leaf: str) -> dg.AssetCheckSpec:
    return dg.AssetCheckSpec(
        "no_regression",
        asset=leaf,
        description="No question failed, every bar of the file holds, nothing is worse than in the last run that passed.",
    )


@dg.asset(
    deps=[memory_index],
    group_name="evaluation",
    kinds={"duckdb", "lancedb"},
    owners=["team:memory"],
    check_specs=[_no_regression("retrieval_eval")],
    description="""How well search finds what the golden questions of `evaluation.file` expect.

- **reads** the file of questions, the index and the store
- **writes** `eval_run_recorded`: ids, hashes and numbers, no question
- **guarantees** that the search is the one that everybody uses, that nothing of it counts as shown, and that nothing is asked
  without a file, nor where neither its questions nor the log nor the release have changed since the last run

`memory eval init` writes a first file, `memory eval compare` says which questions fare better or worse. No import runs this.
""",
)
def retrieval_eval(event_log: EventLogResource) -> Iterator[dg.MaterializeResult[None]]:
    opened = event_log.opened
    file = opened.settings.golden_file
    if not file.exists():
        yield _nothing_asked("retrieval_eval", "there is no file of golden questions", "`memory eval init` writes a first file")
        return
    yield _measured("retrieval_eval", evaluate(Searcher(opened.resources), file, unless_known=True), METRICS)


@dg.asset(
    deps=[memory_index],
    group_name="evaluation",
    kinds={"duckdb", "lancedb"},
    owners=["team:memory"],
    check_specs=[_no_regression("ask_eval")],
    description="""How well answers say and cite what the golden questions of `evaluation.file` expect, and what they refuse.

- **reads** the file of questions, the index and the store
- **writes** `eval_run_recorded`: ids, hashes and numbers, no question and no answer
- **guarantees** that the answers are those of `memory ask` without a model, that none is recorded, and that nothing is asked
  without a question that expects an answer, nor where neither questions nor log nor release have changed since the last run

`memory eval ask` prints the same. No import runs this.
""",
)
def ask_eval(event_log: EventLogResource) -> Iterator[dg.MaterializeResult[None]]:
    opened = event_log.opened
    file = opened.settings.golden_file
    if not _expects_answers(opened, file):
        yield _nothing_asked("ask_eval", "no golden question expects an answer", "docs/evaluation.md says what one may expect")
        return
    found = evaluate_answers(Searcher(opened.resources), file, unless_known=True)
    yield _measured("ask_eval", found, ANSWER_METRICS)


def _expects_answers(opened: OpenStore, file: Path) -> bool:
    if not file.exists():
        return False
    with opened.database.reading() as connection:
        return any(question.expects_answer for question in read_golden(file, connection).questions)


def _nothing_asked(leaf: str, why: str, more: str) -> dg.MaterializeResult[None]:
    return dg.MaterializeResult(
        metadata={"questions": 0, "more": more},
        data_version=dg.DataVersion("no questions"),
        check_results=[_check(leaf, True, [why])],
    )


def _measured(leaf: str, found: "EvalRunV1", metrics: Sequence[str]) -> dg.MaterializeResult[None]:
    """What a run measured: each metric as a number, and a row a question."""
    return dg.MaterializeResult(
        metadata={
            **{name: found.aggregate[name] for name in (*metrics, "auc") if name in found.aggregate},
            **{name: int(found.aggregate.get(name, 0)) for name in ("questions", "scored", "skipped", "failed", "gone")},
            "by_question": _questions(found.questions, metrics),
            "run": found.run_id,
            "compared_with": found.baseline_run_id or "no earlier run that passed",
            "embedding_version": found.config.get("embedding_version", ""),
            LOG_SEQ: found.corpus_seq,
        },
        data_version=dg.DataVersion(found.run_id),
        check_results=[_check(leaf, found.passed, found.reasons)],
    )


def _check(leaf: str, passed: bool, reasons: Sequence[str]) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        check_name="no_regression",
        asset_key=leaf,
        passed=passed,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"reasons": dg.MetadataValue.md("\n".join(f"- {reason}" for reason in reasons) or "none")},
    )


def _questions(questions: Sequence["EvalQuestionV1"], metrics: Sequence[str]) -> dg.TableMetadataValue:
    """A row a question, those that fare worst first."""
    asked = sorted((one for one in questions if not one.skipped), key=lambda one: (_fares(one), one.id))
    return table(
        {
            "question": "string",
            "k": "int",
            **dict.fromkeys(metrics[:-1], "float"),
            "forbidden_hits": "int",
            "gone": "int",
            "error": "string",
        },
        [(one.id, one.k, *(getattr(one, name) for name in metrics), one.gone, one.error) for one in asked[:SHOWN_QUESTIONS]],
    )


def _fares(one: "EvalQuestionV1") -> float:
    """How a question fares, by what says most of it."""
    told = (one.mrr, one.answer_recall, one.citation_recall, one.answered, one.refused)
    return next((value for value in told if value is not None), 0.0)
