"""Which sentence beside another one says why: known by the words that give a reason, in Korean and English."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory_assets.text.sentences import Sentence

_GIVES_REASON = re.compile(
    r"\b(?:because|so that|in order to|due to|the reason|otherwise|that way|which means)\b"
    r"|때문|이유[는가로]|왜냐|덕분|그래야|위해|위하여|니까(?=[\s,.])|므로(?=[\s,.])|라서(?=[\s,.])",
    re.IGNORECASE,
)

_MAY_SAY_WHY = re.compile(
    r", so\b|\bsince (?!yesterday|last|then|\d)|\bcaus(?:es?|ed|ing)\b|\b(?:instead of|as a result|therefore)\b"
    r"|해서\b|으므로|기에\b",
    re.IGNORECASE,
)


_NAMES_CAUSE = re.compile(
    r"\bbecause\b|\b(?:cause|reason)(?: of \w[^.]{0,60}| for \w[^.]{0,60})? (?:is|was)\b|\broot cause:|\b(?:caused by|due to)\b"
    r"|원인[은이:]|이유는|왜냐|때문(?:이[다었에야며고]|입|임|인)",
    re.IGNORECASE,
)


def names_cause(text: str) -> bool:
    """Whether a text says of something that it is the cause; "배포 때문에 …" tells what happened."""
    return _NAMES_CAUSE.search(text) is not None


def gives_reason(text: str) -> bool:
    """Whether a text says why, by its words."""
    return _GIVES_REASON.search(text) is not None


def may_say_why(text: str) -> bool:
    """Whether a text says why, also by words that may say something else (", so", "since")."""
    return gives_reason(text) or _MAY_SAY_WHY.search(text) is not None


def reason_beside(told: Sequence[Sentence], start: int, end: int) -> Sentence | None:
    """The sentence just behind some characters of a message, else just before them, that says why; none where they do so.

    Args:
        told: the sentences of the message, in order.
    """
    within = [place for place, sentence in enumerate(told) if sentence.start < end and start < sentence.end]
    if not within or any(gives_reason(told[place].text) for place in within):
        return None
    for place in (within[-1] + 1, within[0] - 1):
        if 0 <= place < len(told) and _is_reason(told[place]) and told[within[0]].shape == "prose":
            return told[place]
    return None


def _is_reason(beside: Sentence) -> bool:
    # Items of a list stand beside each other without having to do with each other.
    return beside.shape == "prose" and gives_reason(beside.text) and not beside.text.endswith("?")
