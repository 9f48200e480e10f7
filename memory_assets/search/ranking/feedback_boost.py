"""How much what was said of a unit moves it in a ranking."""

from __future__ import annotations

import math

# What one word weighs: to be told that something is wrong says more than that it was of use, and that much more than its use.
USED, HELPFUL, WRONG = 0.5, 1.0, 3.0
# As if so much had been said of every unit already: one word moves little, many words much.
_PRIOR = 2.0
# What is delivered often and used once in a while is less remarkable than what was used each time.
_UNUSED = 0.5


def feedback_boost(helpful: int, used: int, wrong: int, shown: int) -> float:
    """From -1 (said to be wrong) over 0 (nobody said anything) to 1 (often of use).

    It grows with ``helpful`` and ``used``, falls with ``wrong``, and being shown without a word takes from praise alone.

    Args:
        shown: how often it was delivered; 0 where that is unknown.
    """
    praise, blame = USED * used + HELPFUL * helpful, WRONG * wrong
    said = praise - blame
    if not said:
        return 0.0
    unused = max(0, shown - helpful - used - wrong) if said > 0 else 0
    return said / (praise + blame + _PRIOR + _UNUSED * math.log1p(unused))
