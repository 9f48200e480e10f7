"""Data as Idris literals: the only door through which anything of a session enters a module.

A text becomes a quoted literal in which every character either stands for itself or is a closed decimal escape. In
Idris 2 a backslash before a brace opens an expression inside a literal, decimal escapes are greedy, and some named ones
run into the next letter; so a backslash is always followed by decimal digits and ``\\&`` here, and no other escape is
written. Words come from closed tables.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from memory_assets.graduation.proofs.errors import UnwritableError
from memory_assets.text.half_characters import HALF

TEXT_IS_UNICODE: Final = "text-is-unicode"
INTEGER_IN_RANGE: Final = "integer-in-range"
KNOWN_WORD: Final = "known-word"

INTEGER_LIMIT: Final = 2**53

KIND_WORDS: Final = {
    "decision": "Decision",
    "fact": "Fact",
    "preference": "Preference",
    "insight": "Insight",
    "task": "TaskNote",
    "reference": "Reference",
}
METHOD_WORDS: Final = {"exact": "Exact", "normalized": "Normalized", "fuzzy": "Fuzzy"}
STAGE_WORDS: Final = {
    "raw": "Raw",
    "working": "Working",
    "candidate": "Candidate",
    "verified": "Verified",
    "certified": "Certified",
}
STATUS_WORDS: Final = {
    "pending": "Pending",
    "in_progress": "InProgress",
    "blocked": "Blocked",
    "done": "Done",
    "cancelled": "Cancelled",
}


# What is never written raw: the quote and the backslash, control and format characters (bidi among them), every space
# but the ASCII one, line and paragraph separators, tag characters, private use and noncharacters. A fixed list and not
# str.isprintable(), whose answer changes with Python's Unicode version: a module's hash must not.
_ESCAPED = re.compile(
    '["\\\\'
    "\x00-\x1f\x7f-\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u1680\u180e\u2000-\u200f\u2028-\u202f"
    "\u205f-\u206f\u3000\ue000-\uf8ff\ufdd0-\ufdef\ufeff\ufff0-\ufffb\ufffe\uffff"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
)


def text_refusal(*texts: str) -> str | None:
    """The rule that keeps any of these texts out of a module; None when all can be written."""
    return TEXT_IS_UNICODE if any(HALF.search(text) for text in texts) else None


def integer_refusal(*values: int) -> str | None:
    """The rule that keeps any of these numbers out of a module; None when all can be written."""
    return INTEGER_IN_RANGE if any(abs(value) > INTEGER_LIMIT for value in values) else None


def confidence_refusal(confidence: float) -> str | None:
    """The rule that keeps a confidence out of a module (not a number, infinite or huge); None when it can be written."""
    return None if abs(confidence) <= INTEGER_LIMIT / 10_000 else INTEGER_IN_RANGE


def string_literal(text: str) -> str:
    """A text as a literal.

    Raises:
        UnwritableError: for a lone surrogate, which no Scheme string can hold.
    """
    if HALF.search(text):
        raise UnwritableError(
            "a text with a lone surrogate reached the writer of modules",
            hint="decide with text_refusal() before writing",
        )
    return '"' + _ESCAPED.sub(lambda match: f"\\{ord(match[0])}\\&", text) + '"'


def num(value: int) -> str:
    """A whole number as a term. One below zero is ``(minus n)``: there is no negative literal without the Prelude.

    Raises:
        UnwritableError: for a number beyond 2^53 either way.
    """
    if abs(value) > INTEGER_LIMIT:
        raise UnwritableError(
            "a number beyond 2^53 reached the writer of modules",
            hint="decide with integer_refusal() before writing",
        )
    return str(int(value)) if value >= 0 else f"(minus {-int(value)})"


def ten_thousandths(confidence: float) -> int:
    """Confidence in whole ten-thousandths, rounded down by its decimal spelling: 0.95 is 9500, 0.99999 is 9999."""
    return int((Decimal(repr(float(confidence))) * 10_000).to_integral_value(rounding="ROUND_FLOOR"))
