"""The gate of answers, chosen by golden questions: what is asked for below it is said to be unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory_assets.ask.answerer import ExtractiveAnswerer
from memory_assets.ask.asker import Asker
from memory_assets.ask.evaluation import answer_suite
from memory_assets.client_settings.files import replace_text
from memory_assets.progress import NoProgress, Progress
from memory_assets.projections.fold import catch_up
from memory_assets.queries.golden_file import read_golden
from memory_assets.results.evaluation import CalibratedScopeV1, EvalCalibrationV1, GateV1
from memory_assets.search.answerability import own_gates
from memory_assets.search.answerability.sureness import shipped
from memory_assets.search.errors import GoldenInvalidError
from memory_assets.search.evaluation.gates import FEWEST, Judged, Numbered, chosen_gate, judged, left_out

if TYPE_CHECKING:
    from pathlib import Path

    from memory_assets.search.evaluation.golden import GoldenSuite
    from memory_assets.search.searcher import Searcher

SHOWN_GATES = tuple(number / 10 for number in range(1, 10))


def calibrate(
    searcher: Searcher, path: Path, *, most_wrong: float, write: bool = False, progress: Progress | None = None
) -> EvalCalibrationV1:
    """Ask the questions of a file and choose the gates that tell those apart that the store can answer; nothing is recorded.

    Questions within a project have a gate of their own. Where a kind has too few questions the shipped gate stays.

    Args:
        most_wrong: the largest share of the questions that can be answered which a gate may refuse.
        write: keep what was chosen in the store's folder; every search and answer of the store goes by it from then on.

    Raises:
        GoldenInvalidError: the file cannot be read, or has not enough questions of both kinds for any gate.
    """
    resources, shown = searcher.resources, progress or NoProgress()
    catch_up(resources.database, resources.configured_versions)
    with resources.database.reading() as connection:
        suite = read_golden(path, connection)
    numbered = _asked(searcher, suite, shown)
    scopes = tuple(
        _scope(name, numbered[within], gate, most_wrong)
        for name, within, gate in (
            ("within_a_project", True, shipped().gate_within),
            ("over_all", False, shipped().gate_over_all),
        )
    )
    chosen = {scope.scope: scope.after.gate for scope in scopes if scope.after is not None}
    if not chosen:
        raise GoldenInvalidError(
            f"{path}: no gate can be chosen by so few questions",
            hint=f"{FEWEST} that can be answered and {FEWEST} with unanswerable: true, all with a project or all without one",
        )
    version = f"{shipped().version}+{suite.suite_hash[:8]}"
    text = own_gates.written(version, within=chosen.get("within_a_project"), over_all=chosen.get("over_all"))
    target = resources.settings.home / own_gates.FILE
    if write:
        replace_text(target, text)
    return EvalCalibrationV1(
        suite=suite.name, version=version, most_wrong=most_wrong, scopes=scopes, written_to=str(target) if write else None
    )


def as_shipped() -> EvalCalibrationV1:
    """What is in force where a store has no gates of its own."""
    return EvalCalibrationV1(suite="", version=shipped().version, most_wrong=0.0, scopes=())


def reset(home: Path) -> bool:
    """Take a store's own gates away; whether there were any."""
    path = home / own_gates.FILE
    is_there = path.exists()
    path.unlink(missing_ok=True)
    return is_there


def _asked(searcher: Searcher, suite: GoldenSuite, progress: Progress) -> dict[bool, list[Numbered]]:
    """The number of each question that can be measured, by whether it is asked within a project."""
    asker = Asker(searcher, ExtractiveAnswerer(searcher.settings.embedding.model))
    found: dict[bool, list[Numbered]] = {True: [], False: []}
    progress.start(len(suite.questions), "asking")
    try:
        for question, result in zip(suite.questions, answer_suite(suite, asker, (), None, progress.advance), strict=True):
            if question.expects_answer and result.answerability is not None:
                found[question.project is not None].append(Numbered(result.answerability, not question.unanswerable))
    finally:
        progress.finish()
    return found


def _scope(name: str, questions: Sequence[Numbered], before: float, most_wrong: float) -> CalibratedScopeV1:
    gate = chosen_gate(questions, most_wrong)
    able = sum(one.can_be_answered for one in questions)
    return CalibratedScopeV1(
        scope=name,
        answerable=able,
        unanswerable=len(questions) - able,
        before=_gate(before, judged(questions, before)),
        after=None if gate is None else _gate(gate, judged(questions, gate)),
        left_out=_gate(gate, left) if gate is not None and (left := left_out(questions, most_wrong)) else None,
        gates=tuple(_gate(one, judged(questions, one)) for one in SHOWN_GATES) if questions else (),
    )


def _gate(gate: float, does: Judged) -> GateV1:
    return GateV1(gate=gate, refused_wrongly=does.refused_wrongly, refused_rightly=does.refused_rightly)
