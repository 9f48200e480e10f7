"""What a model is shown of a case: all of a short one, of a long one what decides it.

Words of a program that speaks in somebody's name are never shown: they are no evidence. Nor is what no person sees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memory_assets.court.case import Case, CaseEvent
from memory_assets.court.detectors.traffic import steps_of
from memory_assets.court.findings import Finding
from memory_assets.text.invisible import without_unseen
from memory_assets.text.tokens import LEAST_COST, estimate_tokens

_AROUND: Final = 2
"""Events before and behind one that a detector names: what led to it, and what came of it."""
_SHORTEST_LABEL: Final = 12
_FRAME_TOKENS: Final = 60
"""What the lines around an event cost: its label, who acts, the fence."""
_MOST_TYPED: Final = 2_000
_MOST_OTHER: Final = 900
"""Characters of an event that are shown: a person's words, and all else; of a longer one its beginning and its end."""


@dataclass(frozen=True, slots=True)
class ShownEvent:
    """An event of a case as a model sees it.

    Attributes:
        label: the shortest beginning of its id, of twelve characters or more, that no other event of the case has.
        text: masked, without what a program put there, and without its middle where it is long.
    """

    label: str
    event: CaseEvent
    text: str


@dataclass(frozen=True, slots=True)
class Window:
    """The events that a model is shown, in their order; ``left_out`` counts those that it is not."""

    case: Case
    events: tuple[ShownEvent, ...]
    left_out: int

    def by_name(self) -> dict[str, CaseEvent]:
        """The shown events by their labels and by their whole ids."""
        return {name: shown.event for shown in self.events for name in (shown.label, shown.event.event_id)}


def window_of(case: Case, findings: Sequence[Finding], budget: int, mask: Callable[[str], str]) -> Window:
    """Choose the events that are shown, the most telling first, until the budget is spent.

    First what detectors point at, with what stands around it; then what persons typed, the newest first; then what failed; then
    what the agent said; then the rest, each from the end.

    Args:
        findings: of the detectors; they choose what is shown, and the model is not told of them.
        budget: in tokens, as they are estimated.
        mask: applied to every text: a policy may mask more now than when the session came in.
    """
    showable = [event for event in case.events if event.actor != "system" and event.message.text.strip()]
    labels = _labels(case)
    shown: dict[int, ShownEvent] = {}
    seen: set[int] = set()
    left = budget - _FRAME_TOKENS
    for event in _by_weight(case, showable, findings):
        if left <= 0:
            break
        if event.place in seen:
            continue
        seen.add(event.place)
        most = _MOST_TYPED if event.actor == "human" else _MOST_OTHER
        if min(len(event.message.text), most) * LEAST_COST > left:
            continue  # no text of this length costs less, so it need not be read
        # Masked whole and cut then: half of a secret would not be known as one.
        text = _cut(without_unseen(mask(_own(event))), most)
        cost = estimate_tokens(text)
        if text.strip() and cost <= left:
            shown[event.place] = ShownEvent(labels[event.event_id], event, text)
            left -= cost + _FRAME_TOKENS
    return Window(case, tuple(shown[place] for place in sorted(shown)), len(showable) - len(shown))


def _by_weight(case: Case, showable: Sequence[CaseEvent], findings: Iterable[Finding]) -> Iterator[CaseEvent]:
    """Events, the most telling first; some more than once."""
    by_place = {event.place: event for event in showable}
    pointed = [quoted.place for finding in findings for quoted in finding.evidence]
    yield from (by_place[place] for place in pointed if place in by_place)
    around = (place + step for place in pointed for step in range(-_AROUND, _AROUND + 1))
    yield from (by_place[place] for place in around if place in by_place)
    newest = list(reversed(showable))
    yield from (event for event in newest if event.actor == "human")
    failed = {step.result.place for step in steps_of(case) if step.result is not None and step.outcome == "failed"}
    yield from (event for event in newest if event.place in failed)
    yield from (event for event in newest if event.actor == "ai" and event.message.kind == "said")
    yield from newest


def _own(event: CaseEvent) -> str:
    """An event's text without what a program put there."""
    text = event.message.text
    return "".join(
        f"[{one.end - one.start} characters of a program]\n" if one.origin == "template" else text[one.start : one.end]
        for one in event.stretches
    )


def _cut(own: str, most: int) -> str:
    """A text without its middle where it is long."""
    if len(own) <= most:
        return own
    half = most // 2
    return f"{own[:half]}\n[{len(own) - 2 * half} characters are not shown]\n{own[-half:]}"


def _labels(case: Case) -> dict[str, str]:
    """For each id of an event the shortest beginning that no other has."""
    ids = sorted(event.event_id for event in case.events)
    labels: dict[str, str] = {}
    for place, event_id in enumerate(ids):
        near = [ids[beside] for beside in (place - 1, place + 1) if 0 <= beside < len(ids)]
        shared = max((_shared(event_id, other) for other in near), default=0)
        labels[event_id] = event_id[: max(_SHORTEST_LABEL, shared + 1)]
    return labels


def _shared(one: str, other: str) -> int:
    """How many characters two ids begin with together."""
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
