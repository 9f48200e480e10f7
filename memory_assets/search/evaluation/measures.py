"""How well an answer meets what a golden question expects, as plain functions of values.

Targets are what should be found: each expected address and each phrase of ``contains``. A hit is relevant when it meets one.

* ``hit``: 1 where any of the first k hits is relevant; ``reciprocal_rank``: 1 / the rank of the first that is, else 0.
* ``recall``: the share of the targets that the first k hits meet; ``precision``: relevant ones among them, divided by k.
* ``must_contain``: the share of its phrases that stand in the first k hits together.
* ``forbidden``: how many of the first k hits hold a forbidden phrase or are a forbidden address.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory_assets.citations.addresses import MemoryCitation, MessageCitation, SpanCitation, parse_citation
from memory_assets.log.payloads.question_result import ANSWER_METRICS, METRICS, QuestionResult
from memory_assets.search.evaluation.golden import GoldenQuestion, is_address

# Metrics are means of a few numbers: what differs by less is equal.
_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Delivered:
    """A hit as far as it is measured.

    Attributes:
        addresses: of the memory that it is and of those that it is shown with, ``mem:…``.
        places: what it cites, ``session:…``.
        text: everything of it that is delivered.
    """

    addresses: tuple[str, ...]
    places: tuple[str, ...]
    text: str


def measure(question: GoldenQuestion, hits: Sequence[Delivered], *, gone: int = 0) -> QuestionResult:
    """The numbers of one answered question.

    Args:
        hits: best first; those behind the question's k do not count.
        gone: expected addresses that name nothing any more; they are missed like any other.
    """
    kept = hits[: question.k]
    targets = (*question.expected, *question.contains)
    met = [
        {
            *(("at", address) for address in question.expected if is_at(hit, address)),
            *(("holds", phrase) for phrase in question.contains if holds(hit, phrase)),
        }
        for hit in kept
    ]
    ranks = [rank for rank, targets_met in enumerate(met, start=1) if targets_met]
    together = _folded("\n".join(hit.text for hit in kept))
    return QuestionResult(
        question_id=question.question_id,
        question_hash=question.question_hash,
        k=question.k,
        delivered=len(kept),
        hit=float(bool(ranks)) if targets else None,
        reciprocal_rank=(1 / ranks[0] if ranks else 0.0) if targets else None,
        recall=len(set().union(*met)) / len(targets) if targets else None,
        precision=len(ranks) / question.k if targets else None,
        must_contain=share(_folded(phrase) in together for phrase in question.must_contain),
        forbidden=sum(
            any((is_at if is_address(unwanted) else holds)(hit, unwanted) for unwanted in question.forbidden) for hit in kept
        ),
        gone=gone,
    )


def not_answered(question: GoldenQuestion, code: str) -> QuestionResult:
    """A question that search failed on: it counts as missed."""
    targets = 0.0 if question.expected or question.contains else None
    return QuestionResult(
        question_id=question.question_id,
        question_hash=question.question_hash,
        k=question.k,
        hit=targets,
        reciprocal_rank=targets,
        recall=targets,
        precision=targets,
        must_contain=0.0 if question.must_contain else None,
        error=code,
    )


def not_asked(question: GoldenQuestion) -> QuestionResult:
    """A question that expects nothing."""
    return QuestionResult(question.question_id, question.question_hash, question.k, skipped=True)


def aggregate(results: Iterable[QuestionResult]) -> dict[str, float]:
    """Each metric's mean over the questions that it is defined for, ``forbidden_hits``, and how many questions there are."""
    told = list(results)
    asked = [result for result in told if not result.skipped]
    means = {}
    for name in (*METRICS, *ANSWER_METRICS):
        values = [value for result in asked if (value := result.metrics[name]) is not None]
        if values:
            means[name] = round(sum(values) / len(values), 6)
    if (area := area_under_curve(asked)) is not None:
        means["auc"] = round(area, 6)
    return means | {
        "forbidden_hits": float(sum(result.forbidden for result in asked)),
        "questions": float(len(told)),
        "scored": float(len(asked)),
        "skipped": float(len(told) - len(asked)),
        "failed": float(sum(bool(result.error) for result in asked)),
        "gone": float(sum(result.gone for result in asked)),
    }


def area_under_curve(results: Iterable[QuestionResult]) -> float | None:
    """How often a question that can be answered looks more answerable than one that cannot; None without both kinds."""
    told = [result for result in results if result.answerability is not None]
    can = [result.answerability or 0.0 for result in told if result.answered is not None]
    cannot = [result.answerability or 0.0 for result in told if result.refused is not None]
    if not can or not cannot:
        return None
    ahead = sum(1.0 if one > other else 0.5 if one == other else 0.0 for one in can for other in cannot)
    return ahead / (len(can) * len(cannot))


def below_the_bars(found: Mapping[str, float], bars: Mapping[str, float]) -> list[str]:
    """Which bars do not hold, as sentences; a metric that no question defines meets none."""
    reasons = []
    for name, bar in bars.items():
        if name == "forbidden_hits":
            if found.get(name, 0) > bar:
                reasons.append(f"{found[name]:.0f} forbidden hits, {bar:.0f} allowed")
        elif name not in found:
            reasons.append(f"{name} is measured by no question, the bar is {bar:.3f}")
        elif found[name] < bar - _EQUAL:
            reasons.append(f"{name} {found[name]:.3f} is below the bar of {bar:.3f}")
    return reasons


@dataclass(frozen=True, slots=True)
class Change:
    """One metric of two runs over the questions that both asked alike."""

    metric: str
    before: float
    after: float

    @property
    def gain(self) -> float:
        """How much better the later run is; below 0 it is worse."""
        difference = self.after - self.before
        return -difference if self.metric == "forbidden_hits" else difference


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """A question that fared differently in two runs; ``better`` where its first changed metric is."""

    question_id: str
    better: bool
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs of golden questions.

    Attributes:
        common: questions that both asked, with the same expectations.
        only_before, only_after: ids of the others.
    """

    common: int
    changes: tuple[Change, ...]
    questions: tuple[QuestionChange, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]


def compare(before: Sequence[QuestionResult], after: Sequence[QuestionResult]) -> Comparison:
    """What is better and what is worse, over the questions that are the same in both."""
    earlier = {(one.question_id, one.question_hash, one.k): one for one in before if not one.skipped}
    later = {(one.question_id, one.question_hash, one.k): one for one in after if not one.skipped}
    common = [key for key in later if key in earlier]
    first, second = aggregate(earlier[key] for key in common), aggregate(later[key] for key in common)
    return Comparison(
        common=len(common),
        changes=tuple(
            Change(name, first[name], second[name])
            for name in (*METRICS, *ANSWER_METRICS, "auc", "forbidden_hits")
            if name in first and name in second  # where nothing is answered nothing is cited
        ),
        questions=tuple(change for key in common if (change := _changed(earlier[key], later[key])) is not None),
        only_before=tuple(key[0] for key in earlier if key not in later),
        only_after=tuple(key[0] for key in later if key not in earlier),
    )


def regressions(comparison: Comparison, tolerance: float) -> list[str]:
    """What grew worse by more than the tolerance, as sentences; of forbidden hits each one counts."""
    return [
        f"{change.metric} fell from {change.before:.3f} to {change.after:.3f}"
        if change.metric != "forbidden_hits"
        else f"{change.after:.0f} forbidden hits, {change.before:.0f} before"
        for change in comparison.changes
        if change.gain < -(0 if change.metric == "forbidden_hits" else tolerance) - _EQUAL
    ]


def _changed(before: QuestionResult, after: QuestionResult) -> QuestionChange | None:
    told = [Change("forbidden_hits", before.forbidden, after.forbidden)]
    # The rank of the first relevant hit tells more than whether there is one.
    for name in ("mrr", "recall_at_k", "must_contain", "precision_at_k", "hit_at_k", *ANSWER_METRICS):
        one, other = before.metrics[name], after.metrics[name]
        if one is not None and other is not None:
            told.append(Change(name, one, other))
    changes = tuple(change for change in told if abs(change.gain) > _EQUAL)
    return QuestionChange(after.question_id, changes[0].gain > 0, changes) if changes else None


def holds(hit: Delivered, phrase: str) -> bool:
    """Whether a hit says a phrase."""
    return _folded(phrase) in _folded(hit.text)


def is_at(hit: Delivered, address: str) -> bool:
    """Whether a hit is, or cites, what an address names."""
    match parse_citation(address):
        case MemoryCitation() as wanted:
            return wanted.uri in hit.addresses
        case MessageCitation() | SpanCitation() as wanted:
            return any(_covers(place, wanted) for place in hit.places)
    return False


def _covers(place: str, wanted: MessageCitation | SpanCitation) -> bool:
    """Whether a cited place is the wanted one: the same message and, where both name characters, some of the same."""
    cited = parse_citation(place)
    if not isinstance(cited, MessageCitation | SpanCitation):
        return False
    if (cited.session_id, cited.message_index) != (wanted.session_id, wanted.message_index):
        return False
    if isinstance(cited, SpanCitation) and isinstance(wanted, SpanCitation):
        return any(start < end_ and start_ < end for start, end in cited.segments for start_, end_ in wanted.segments)
    return True


def share(held: Iterable[bool]) -> float | None:
    """How many of them hold, 0 to 1; None of none."""
    told = list(held)
    return sum(told) / len(told) if told else None


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())
