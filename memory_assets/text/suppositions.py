"""Whether a sentence only supposes what it says, in English and in Korean."""

from __future__ import annotations

import re

_SUPPOSES = re.compile(
    r"\b(?:probably|perhaps|maybe|possibly|presumably|likely|usually|apparently|seems?|should be fine"
    r"|i (?:think|guess|believe|assume|suspect)"
    r"|(?:might|may|could) (?:not |also |still |well )?(?:be|have|need|want|mean|fail|cause|come|lead))\b"
    r"|아마|것 ?같(?:다|아|은|네|습니다)|듯(?:하|합|해|싶)|로 보(?:입니다|인다|여요)|수도 있",
    re.IGNORECASE,
)


_OPENS_SUPPOSED = re.compile(
    r"^\W{0,3}(?:presumably|apparently|(?:probably|perhaps|maybe|possibly) (?:because|it['’]?s|that['’]?s)\b"
    r"|아마(?:도)?\s[^\n]{0,80}때문)",
    re.IGNORECASE,
)


def opens_supposed(text: str) -> bool:
    """Whether it begins as a guess of how something is: "Presumably because it waits for an event"."""
    return _OPENS_SUPPOSED.match(text) is not None


def is_supposed(text: str) -> bool:
    """Whether it says so: "probably", "this usually means", "아마", "것 같습니다"."""
    return _SUPPOSES.search(text) is not None
