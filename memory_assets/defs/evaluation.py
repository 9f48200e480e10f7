"""The leaf ``retrieval_eval``: golden questions put to search, and whether it grew worse.

What is asked is its author's own text. It stays out of Dagster's records as session text does: ids and numbers say what is to
be looked at with ``memory eval compare``.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import dagster as dg

from memory_assets.commands.evaluation import evaluate
from memory_assets.defs.last_made import LOG_SEQ
from memory_assets.defs.leaves import memory_index
from memory_assets.defs.ledger_tables import table
from memory_assets.defs.resources import EventLogResource
from memory_assets.search.searcher import Searcher

if TYPE_CHECKING:
    from memory_assets.results.evaluation import EvalQuestionV1

SHOWN_QUESTIONS = 200
METRICS = ("hit_at_k", "mrr", "recall_at_k", "precision_at_k", "must_contain", "forbidden_hits")


@dg.asset(
    deps=[memory_index],
    group_name="evaluation",
    kinds={"duckdb", "lancedb"},
    owners=["team:memory"],
    check_specs=[
        dg.AssetCheckSpec(
            "no_regression",
            asset="retrieval_eval",
            description="No question failed, every bar of the file holds, nothing is worse than in the last run that passed.",
        )
    ],
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
        yield dg.MaterializeResult(
            metadata={"questions": 0, "more": "`memory eval init` writes a first file"},
            data_version=dg.DataVersion("no questions"),
            check_results=[_check(True, ["there is no file of golden questions"])],
        )
        return
    found = evaluate(Searcher(opened.resources), file, unless_known=True)
    yield dg.MaterializeResult(
        metadata={
            **{name: found.aggregate[name] for name in METRICS if name in found.aggregate},
            **{name: int(found.aggregate.get(name, 0)) for name in ("questions", "scored", "skipped", "failed", "gone")},
            "by_question": _questions(found.questions),
            "run": found.run_id,
            "compared_with": found.baseline_run_id or "no earlier run that passed",
            "embedding_version": found.config.get("embedding_version", ""),
            LOG_SEQ: found.corpus_seq,
        },
        data_version=dg.DataVersion(found.run_id),
        check_results=[_check(found.passed, found.reasons)],
    )


def _check(passed: bool, reasons: Sequence[str]) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        check_name="no_regression",
        asset_key="retrieval_eval",
        passed=passed,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"reasons": dg.MetadataValue.md("\n".join(f"- {reason}" for reason in reasons) or "none")},
    )


def _questions(questions: Sequence["EvalQuestionV1"]) -> dg.TableMetadataValue:
    """A row a question, those that fare worst first."""
    asked = sorted((one for one in questions if not one.skipped), key=lambda one: (one.mrr or 0.0, one.id))
    return table(
        {
            "question": "string",
            "k": "int",
            **dict.fromkeys(METRICS[:-1], "float"),
            "forbidden_hits": "int",
            "gone": "int",
            "error": "string",
        },
        [(one.id, one.k, *(getattr(one, name) for name in METRICS), one.gone, one.error) for one in asked[:SHOWN_QUESTIONS]],
    )
