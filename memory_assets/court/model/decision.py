"""What the judge's numbers come to: it chooses among claims that stand, and the policy has the last word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory_assets.court.case import Case
from memory_assets.court.findings import Finding
from memory_assets.court.judge import Deferred, Judgement, claim_id, judge
from memory_assets.court.model.replies import JudgementRead
from memory_assets.court.policy import Policy

SPECULATION = "it is speculation: the case does not show it"
NOT_NAMED = "the judge says nothing of it"


def decided(
    case: Case, candidates: Sequence[Finding], speculation: Sequence[Finding], told: JudgementRead, policy: Policy
) -> Judgement:
    """The judgement of a case. The judge may only leave out: what it selects is held to the same policy as any claim.

    Args:
        candidates: in the order of the numbers that the judge was given, from 1.
        speculation: kept apart, whatever the judge says.
        told: numbers that no candidate has are passed over.
    """
    chosen = [candidates[number - 1] for number in told.selected if 1 <= number <= len(candidates)]
    rest = [(number, finding) for number, finding in enumerate(candidates, start=1) if finding not in chosen]
    judgement = judge(case, chosen, policy)
    left_out = [
        Deferred(claim_id(case, finding), finding, f"the judge: {why}" if (why := told.deferred.get(number)) else NOT_NAMED)
        for number, finding in rest
    ]
    left_out += [Deferred(claim_id(case, finding), finding, _why_apart(finding)) for finding in speculation]
    known = {one.claim_id for one in judgement.selected} | {one.claim_id for one in judgement.deferred}
    further = {one.claim_id: one for one in left_out if one.claim_id not in known}
    return replace(judgement, deferred=(*judgement.deferred, *further.values()))


def _why_apart(finding: Finding) -> str:
    return f"it is speculation: {finding.why_apart}" if finding.why_apart else SPECULATION


def unknown_numbers(told: JudgementRead, candidates: int) -> int:
    """How often the judge named a candidate that there is not, or named one in no way that can be read."""
    return told.unusable + sum(not 1 <= number <= candidates for number in (*told.selected, *told.deferred))
