"""What each signal weighs in the ranking: the retrievers, what they are made of, and what is known of a unit beside them.

A retriever's score is in its own unit (BM25, cosine); what is added to it is in standard deviations of its scores (z). Measured
in decision 0016.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from memory_assets.vectors.calibration import FULL_WEIGHT
from memory_assets.vocabulary import Origin, Stage, Turn

VECTOR_WEIGHT: Final = FULL_WEIGHT
"""Of the vector retriever beside the lexical one, where its model was not measured; else what the self-test makes of it."""

OWN_WEIGHT: Final = 0.2
"""Of BM25 of what is said alone, beside that of what is said with what is said around it."""
SESSION_WEIGHT: Final = 0.3
"""Of how much the session speaks of it: the sum of its best hits."""
COVERAGE_WEIGHT: Final = 0.8
"""Of having all words of the question, the rare ones above all."""
NAMED_COVERAGE_WEIGHT: Final = 1.2
"""The same, of a question that names something (a file, a symbol): what does not speak of it is no answer."""
NAME_WEIGHT: Final = 3.0
"""In it, of a word that names something, beside 1.0 of any other as rare."""
NEIGHBOUR_WEIGHT: Final = 1.0
"""Of the cosine of the better neighbour."""

SAID_FROM: Final = 0.9
"""Of a question's telling words one text has so many: then its own language answers, and the other one is not asked."""

Z_IN_GOOD_SCORES: Final = 0.3
"""What one standard deviation of a retriever's scores comes to in parts of a good score (the mean of the ten best)."""

SPEAKER_Z: Final = 0.45
WINDOW_Z: Final = 0.5
LATELY_Z: Final = 0.3
"""For what was said just now, where the question asks for what is recent."""
FEEDBACK_Z: Final = 0.5

STAGE_WEIGHTS: Final[Mapping[Stage, float]] = MappingProxyType(
    {"raw": -0.1, "working": -0.05, "candidate": 0.0, "verified": 0.05, "certified": 0.1}
)
"""Small steps around ``candidate``: of two hits alike the better proved stands first; no stage makes up for another topic."""

CONTESTED_PENALTY: Final = -0.5
"""What a memory that another contradicts loses, as much as naming the speaker gives."""

TURN_WEIGHTS: Final[Mapping[Turn, float]] = MappingProxyType({"asks": -0.45, "replies": 0.35, "asks_back": -0.1})
"""Who asks says the words that are looked for, who replies says what is looked for, often without one of these words. Decision
0029 has what was measured."""

ORIGIN_WEIGHTS: Final[Mapping[Origin, float]] = MappingProxyType({"pasted": -0.1, "template": -0.8})
"""What a passage loses that neither the person nor the agent wrote. Of two that say the same what was handed over stands behind
what was typed; what a program put there stands behind all else, contested memories of the lowest stage too. It is first only
where nothing else says as much. (Measured: -2.0 loses the first place of one Korean question in fifty, -0.8 of one in 330.)"""
