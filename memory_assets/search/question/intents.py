"""What a question is after, and how that moves the ranking.

An intent is asked for by its name, or read from the question where that is plain; otherwise there is none, and nothing is
forced.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from memory_assets.search.question.intent_cues import ABOUT, cues_of
from memory_assets.search.question.plain_question import plain
from memory_assets.vocabulary import INTENTS
from memory_assets.vocabulary import Intent as Intent

_OTHER_NAMES: Final[tuple[tuple[Intent, str], ...]] = (
    ("how_to_do", "how how_to howto skill skills pattern patterns 방법 사용법"),
    ("what_happened", "what happened history timeline episode episodes episodic when 무슨일 이력 언제"),
    ("known_issues", "gotcha gotchas issue issues known_issue error errors bug bugs failure failures 오류 에러 버그 문제"),
    ("environment", "env environments state snapshot version config configuration settings 환경 버전 설정"),
    ("code_structure", "code structure symbol symbols 코드 구조 코드구조 함수 클래스"),
)
_NAMED: Final[dict[str, Intent]] = {name: intent for intent, names in _OTHER_NAMES for name in (intent, *names.split())}
_SEPARATORS: Final = re.compile(r"[\s_\-]+")


def parse_intent(text: str) -> Intent | None:
    """An intent by its name or a common other one (``how-to``, ``gotchas``, ``환경``), in any case, or None."""
    name = _SEPARATORS.sub("_", plain(text).casefold()).strip("_")
    return _NAMED.get(name) or _NAMED.get(name.replace("_", ""))


@dataclass(frozen=True, slots=True)
class Detected:
    """What a question seems to be after.

    Attributes:
        cues: the phrases that speak for the intent, the plainest first; where there is none, those that left it open.
    """

    intent: Intent | None
    cues: tuple[str, ...]


def detect_intent(query: str) -> Detected:
    """The intent that a question shows plainly; None where it shows none, or several equally.

    A form of asking outweighs any word of what is asked about (``환경 변수 설정 방법`` asks how), more such words outweigh
    fewer. Linear in the question.
    """
    found: dict[Intent, list[tuple[int, str]]] = {}
    for intent, strength, phrase in cues_of(plain(query).casefold()):
        found.setdefault(intent, []).append((strength, phrase))
    plainness = {intent: (max(some)[0], sum(strength for strength, _ in some)) for intent, some in found.items()}
    best = max(plainness.values(), default=(0, 0))
    leading = [intent for intent in INTENTS if plainness.get(intent) == best]
    shown = tuple(dict.fromkeys(phrase for intent in leading for _, phrase in sorted(found[intent], key=lambda cue: -cue[0])))
    return Detected(leading[0] if len(leading) == 1 and best[1] >= ABOUT else None, shown)


@dataclass(frozen=True, slots=True)
class IntentWeights:
    """What an intent adds to a unit's score, in units of one standard deviation of a leg's scores (z).

    Attributes:
        kinds: kinds of units, and what each gets.
        names: for a unit that names a file, symbol or error the question names, exactly.
        recency: times `rerank.recency`, which is 1 for what was just said.
        confidence: times a memory's confidence, 0 to 1.
        stage: times the weight of its stage (`ranking.weights.STAGE_WEIGHTS`), beside the one that always counts.
        by_time: the hits that were chosen are shown in the order of time.
    """

    kinds: tuple[tuple[str, float], ...] = ()
    names: float = 0.0
    recency: float = 0.0
    confidence: float = 0.0
    stage: float = 0.0
    by_time: bool = False


NO_INTENT_WEIGHTS: Final = IntentWeights()

DETECTED_WEIGHTS: Final[Mapping[Intent, IntentWeights]] = MappingProxyType(
    {
        "how_to_do": IntentWeights(kinds=(("entry", 0.05), ("gotcha", 0.05), ("lesson", 0.05)), confidence=0.1, stage=0.5),
        "what_happened": IntentWeights(kinds=(("passage", 0.05), ("episode", 0.1))),
        "known_issues": IntentWeights(kinds=(("gotcha", 0.15),), names=0.1),
        "environment": IntentWeights(recency=0.1),
        "code_structure": IntentWeights(names=0.2),
    }
)
"""For an intent that was read from the question: at most 0.25 together, half of what naming the speaker gives. A question whose
intent was misread loses what stood that near to the next hit, and nothing else."""

ASKED_WEIGHTS: Final[Mapping[Intent, IntentWeights]] = MappingProxyType(
    {
        "how_to_do": IntentWeights(kinds=(("entry", 0.3), ("gotcha", 0.3), ("lesson", 0.3)), confidence=0.6, stage=3.0),
        "what_happened": IntentWeights(kinds=(("passage", 0.3), ("episode", 0.5)), by_time=True),
        "known_issues": IntentWeights(kinds=(("gotcha", 1.0),), names=0.6),
        "environment": IntentWeights(kinds=(("snapshot", 0.3),), recency=1.0),
        "code_structure": IntentWeights(names=1.0),
    }
)
"""For an intent that the caller names: about one standard deviation, so that among hits of like worth the kind that was asked
for comes first, and a far better hit of another kind still stands above it."""


def intent_weights(intent: Intent | None, *, asked: bool) -> IntentWeights:
    """The weights of an intent that was asked for or detected; none of them counts where there is no intent."""
    if intent is None:
        return NO_INTENT_WEIGHTS
    return (ASKED_WEIGHTS if asked else DETECTED_WEIGHTS)[intent]
