"""What the deterministic detectors find in a case: one module for each kind, no model, the same findings at every reading."""

from __future__ import annotations

from memory_assets.court.case import Case
from memory_assets.court.detectors.changed_input import changed_inputs
from memory_assets.court.detectors.corrections import user_corrections
from memory_assets.court.detectors.cues import cues_version
from memory_assets.court.detectors.open_ends import missing_results, unanswered_questions
from memory_assets.court.detectors.orders import standing_orders
from memory_assets.court.detectors.praise import praises
from memory_assets.court.detectors.refusals import refused_calls, refusing_messages
from memory_assets.court.detectors.repeated import repeated_failures
from memory_assets.court.detectors.reports import unchecked_reports
from memory_assets.court.detectors.reversals import reversals, reversals_of
from memory_assets.court.detectors.searches import rewritten_searches
from memory_assets.court.detectors.speech import language_of, typed_messages
from memory_assets.court.detectors.traffic import steps_of
from memory_assets.court.findings import FINDING_KINDS, Finding

DETECTORS_VERSION = f"10 {cues_version()}"
"""Changes whenever the same case would give other findings: the number with the code, the hash with the cues."""


def findings_of(case: Case) -> list[Finding]:
    """All that the detectors find in a case, in the order of the moments; of two with one key and kind the first."""
    steps, said, language = steps_of(case), typed_messages(case), language_of(case)
    reasons = refusing_messages(case, steps, said)
    taken_back = reversals_of(case, steps, said)
    spoken_for = {message.place for message in reasons.values()}
    spoken_for |= {reversal.asking.place for reversal in taken_back if reversal.asking is not None}
    corrections = list(user_corrections(case, steps, said, language, without=frozenset(spoken_for)))
    corrected = frozenset(quote.place for finding in corrections for quote in finding.evidence)
    # Who corrects asks why, and wants no answer.
    spoken_for |= corrected
    found = [
        *changed_inputs(case, steps, language),
        *rewritten_searches(steps, language),
        *repeated_failures(case, steps, language),
        *corrections,
        *refused_calls(case, steps, said, reasons, language),
        *reversals(taken_back, language),
        *standing_orders(said, corrections=corrected),
        *praises(case, said, language),
        *missing_results(case, steps, language),
        *unchecked_reports(case, steps, language),
        *unanswered_questions(case, said, language, without=frozenset(spoken_for)),
    ]
    first: dict[tuple[str, str, str], Finding] = {}
    for finding in sorted(found, key=_moment):
        first.setdefault((finding.kind, finding.polarity, finding.key), finding)
    return list(first.values())


def _moment(finding: Finding) -> tuple[int, int, int]:
    start = min((quote.place, quote.start) for quote in finding.evidence)
    return (*start, FINDING_KINDS.index(finding.kind))
