"""Golden questions put to search, and the runs that were recorded."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from memory_assets.citations.addresses import MemoryCitation, MessageCitation, SpanCitation, parse_citation
from memory_assets.errors import InvalidArgumentError, MemoryAssetsError, NotFoundError
from memory_assets.log.fetching import fetch, full_id, scalar
from memory_assets.log.payloads.question_result import QuestionResult
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.queries.golden_file import read_golden
from memory_assets.search.errors import GoldenInvalidError
from memory_assets.search.evaluation.golden import GoldenQuestion, GoldenSuite
from memory_assets.search.evaluation.measures import Comparison, Delivered, compare, measure, not_answered, not_asked
from memory_assets.search.request import SearchRequest

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

    from memory_assets.results.evaluation import EvalChangeV1, EvalComparisonV1, EvalQuestionV1, EvalRunV1
    from memory_assets.results.search import SearchResponseV1
    from memory_assets.search.searcher import Searcher

# What is written about search and answers themselves changes nothing that they say.
_CORPUS_SEQ = """
SELECT coalesce(max(seq), 0) FROM events
WHERE event_type NOT IN ('eval_run_recorded', 'answer_recorded', 'usage_counted', 'build_started', 'build_finished')
"""
_RUNS = """
SELECT run_id, suite, suite_hash, corpus_seq, config_json, aggregate_json, results_json, passed, reasons_json,
  baseline_run_id, ran_at
FROM eval_runs
"""
_SAME_QUESTION = """suite = $suite AND (config_json ->> '$.mode') = $mode AND (config_json ->> '$.k') = $k
  AND coalesce(config_json ->> '$.of', 'search') = $of"""


@dataclass(frozen=True, slots=True)
class AskedAs:
    """How a whole suite is asked, over what its questions say; None for as they say.

    Attributes:
        of: what is measured: what search finds, or what is answered.
    """

    mode: str | None = None
    k: int | None = None
    of: Literal["search", "answers"] = "search"

    @property
    def config(self) -> dict[str, str]:
        """As it is kept with the run."""
        told = {"mode": self.mode or "as asked", "k": "as asked" if self.k is None else str(self.k)}
        return told if self.of == "search" else {**told, "of": self.of}

    @property
    def parameters(self) -> dict[str, str]:
        """As runs are looked for."""
        return {**self.config, "of": self.of}


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run as the log has it."""

    run_id: str
    suite: str
    suite_hash: str
    corpus_seq: int
    config: dict[str, str]
    aggregate: dict[str, float]
    results: tuple[QuestionResult, ...]
    passed: bool
    reasons: tuple[str, ...]
    baseline_run_id: str | None
    ran_at: datetime


def ask_suite(
    suite: GoldenSuite, searcher: Searcher, known: Collection[str], asked_as: AskedAs, advance: Callable[[], None]
) -> list[QuestionResult]:
    """Put every question to search; one that fails is measured as missed, and the others are asked all the same.

    Args:
        known: the addresses that name something.
        advance: called behind each question.
    """
    results = []
    for given in suite.questions:
        question = given if asked_as.k is None else replace(given, k=asked_as.k)
        results.append(_ask(question, searcher, known, asked_as.mode))
        advance()
    return results


def known_addresses(connection: duckdb.DuckDBPyConnection, addresses: Iterable[str]) -> frozenset[str]:
    """Those of the addresses that name something in the store."""
    parsed = {text: parse_citation(text) for text in addresses}
    memories = {cited.short_id for cited in parsed.values() if isinstance(cited, MemoryCitation)}
    sessions = {cited.session_id for cited in parsed.values() if isinstance(cited, MessageCitation | SpanCitation)}
    short_ids = {
        row[0]
        for row in fetch(
            connection, f"SELECT short_id FROM memory_citations WHERE short_id IN {IN_LIST}", [json_list(memories)]
        )
    }
    lengths = {
        (session_id, index): length
        for session_id, index, length in fetch(
            connection,
            f"SELECT session_id, message_index, char_len FROM messages WHERE session_id IN {IN_LIST}",
            [json_list(sessions)],
        )
    }
    return frozenset(text for text, cited in parsed.items() if _names(cited, short_ids, lengths))


def corpus_seq(connection: duckdb.DuckDBPyConnection) -> int:
    """The newest event that an answer can depend on."""
    return int(scalar(connection, _CORPUS_SEQ))


def one_run(connection: duckdb.DuckDBPyConnection, given: str) -> RecordedRun:
    """A run by its id or the beginning of it.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    ids = "SELECT run_id AS id FROM eval_runs"
    run_id = full_id(connection, ids, given, what="evaluation", listed_by="memory eval run", prefix="evl_")
    return _run(fetch(connection, f"{_RUNS} WHERE run_id = ?", [run_id])[0])


def last_passed(connection: duckdb.DuckDBPyConnection, suite: str, asked_as: AskedAs) -> RecordedRun | None:
    """The newest run of a suite that passed, asked in the same way."""
    rows = fetch(
        connection,
        f"{_RUNS} WHERE passed AND {_SAME_QUESTION} ORDER BY ran_at DESC, run_id LIMIT 1",
        {"suite": suite, **asked_as.parameters},
    )
    return _run(rows[0]) if rows else None


def last_of(connection: duckdb.DuckDBPyConnection, suite: str, asked_as: AskedAs) -> RecordedRun | None:
    """The newest run of a suite, asked in the same way, whether it passed or not."""
    rows = fetch(
        connection,
        f"{_RUNS} WHERE {_SAME_QUESTION} ORDER BY ran_at DESC, run_id LIMIT 1",
        {"suite": suite, **asked_as.parameters},
    )
    return _run(rows[0]) if rows else None


def compared_runs(
    connection: duckdb.DuckDBPyConnection, before: str | None = None, after: str | None = None, *, golden: Path
) -> EvalComparisonV1:
    """Two runs beside each other: those that are named, else the newest one and the one before it of the same suite.

    Args:
        golden: the file of questions, whose texts are shown where it still holds them.

    Raises:
        NotFoundError, AmbiguousIdError: of a run; there are no two.
        InvalidArgumentError: one run alone is named.
    """
    if (before is None) != (after is None):
        raise InvalidArgumentError("one run alone is compared with nothing", hint="name two, or none for the last two")
    if before is not None and after is not None:
        one, other = one_run(connection, before), one_run(connection, after)
    else:
        one, other = _last_two(connection)
    queries: dict[str, str] = {}
    with contextlib.suppress(GoldenInvalidError):
        queries = queries_of(read_golden(golden, connection))
    return _compared(one, other, compare(one.results, other.results), queries)


def run_v1(run: RecordedRun, queries: Mapping[str, str]) -> EvalRunV1:
    """A run as it is printed."""
    from memory_assets.results.evaluation import EvalRunV1

    return EvalRunV1(
        run_id=run.run_id,
        suite=run.suite,
        suite_hash=run.suite_hash,
        corpus_seq=run.corpus_seq,
        config=run.config,
        aggregate=run.aggregate,
        passed=run.passed,
        reasons=run.reasons,
        baseline_run_id=run.baseline_run_id,
        ran_at=run.ran_at,
        questions=tuple(_question_v1(result, queries.get(result.question_id, "")) for result in run.results),
    )


def queries_of(suite: GoldenSuite) -> dict[str, str]:
    """The questions' texts by their ids."""
    return {question.question_id: question.query for question in suite.questions}


def _ask(question: GoldenQuestion, searcher: Searcher, known: Collection[str], mode: str | None) -> QuestionResult:
    if not question.expects:
        return not_asked(question)
    try:
        # What is measured does not count as shown.
        asked: dict[str, Any] = {"mode": mode or question.mode or "auto", "k": question.k, "project": question.project}
        found = searcher.search(SearchRequest(question.query, **asked, log=False))
    except MemoryAssetsError as error:
        return not_answered(question, error.code)
    return measure(question, _delivered(found), gone=sum(address not in known for address in question.expected))


def _delivered(found: SearchResponseV1) -> list[Delivered]:
    return [
        Delivered(
            addresses=tuple(address for address in (hit.id, *(other.id for other in hit.related)) if address),
            places=tuple(citation.uri for citation in hit.citations),
            text="\n".join(
                [
                    hit.title,
                    hit.snippet,
                    *(getattr(citation, "quote", None) or "" for citation in hit.citations),
                    *(other.title for other in hit.related),
                ]
            ),
        )
        for hit in found.hits
    ]


def _names(cited: object, short_ids: set[str], lengths: Mapping[tuple[str, int], int]) -> bool:
    match cited:
        case MemoryCitation(short_id):
            return short_id in short_ids
        case SpanCitation(session_id, index) as span:
            return span.span_end <= lengths.get((session_id, index), -1)
        case MessageCitation(session_id, index):
            return (session_id, index) in lengths
    return False


def _last_two(connection: duckdb.DuckDBPyConnection) -> tuple[RecordedRun, RecordedRun]:
    rows = fetch(
        connection,
        f"""{_RUNS} WHERE (suite, coalesce(config_json ->> '$.of', 'search')) = (
              SELECT (suite, coalesce(config_json ->> '$.of', 'search')) FROM eval_runs ORDER BY ran_at DESC, run_id LIMIT 1)
            ORDER BY ran_at DESC, run_id LIMIT 2""",
    )
    if len(rows) < 2:
        raise NotFoundError("there are no two evaluations to compare", hint="`memory eval run` records one")
    return _run(rows[1]), _run(rows[0])


def _run(row: tuple[Any, ...]) -> RecordedRun:
    run_id, suite, suite_hash, seq, config, found, results, passed, reasons, baseline, ran_at = row
    return RecordedRun(
        run_id,
        suite,
        suite_hash,
        seq,
        json.loads(config),
        json.loads(found),
        tuple(QuestionResult(**one) for one in json.loads(results)),
        passed,
        tuple(json.loads(reasons)),
        baseline,
        ran_at,
    )


def _question_v1(result: QuestionResult, query: str) -> EvalQuestionV1:
    from memory_assets.results.evaluation import EvalQuestionV1

    return EvalQuestionV1(
        id=result.question_id,
        query=query,
        k=result.k,
        delivered=result.delivered,
        **result.metrics,
        forbidden_hits=result.forbidden,
        gone=result.gone,
        skipped=result.skipped,
        error=result.error,
        answerability=None if result.answerability is None else round(result.answerability, 6),
    )


def _compared(before: RecordedRun, after: RecordedRun, comparison: Comparison, queries: Mapping[str, str]) -> EvalComparisonV1:
    from memory_assets.results.evaluation import EvalComparisonV1, EvalQuestionChangeV1

    return EvalComparisonV1(
        before=run_v1(before, queries),
        after=run_v1(after, queries),
        common=comparison.common,
        changes=_changes_v1(comparison.changes),
        questions=tuple(
            EvalQuestionChangeV1(
                id=one.question_id,
                query=queries.get(one.question_id, ""),
                better=one.better,
                changes=_changes_v1(one.changes),
            )
            for one in comparison.questions
        ),
        only_before=comparison.only_before,
        only_after=comparison.only_after,
    )


def _changes_v1(changes: Sequence[Any]) -> tuple[EvalChangeV1, ...]:
    from memory_assets.results.evaluation import EvalChangeV1

    return tuple(
        EvalChangeV1(
            metric=change.metric, before=round(change.before, 6), after=round(change.after, 6), gain=round(change.gain, 6)
        )
        for change in changes
    )
