"""Whether a module stays inside the closed language, decided before any compiler sees it (proof layer, fence *b*).

A fixed header; then lines of known words, generated names, whole numbers and quoted literals, and nothing else. There is
no way to write a directive, a hole, a comment, a brace, an operator or an import behind the header, and inside a literal
a backslash is always followed by decimal digits and ``\\&``. So nothing that a session says can be code, whatever fault
the generator may have. The audit shares no code with the generator.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

CLOSED_VOCABULARY: Final = "closed-vocabulary"

_MODULE_NAME = r"Session[0-9a-f]{16}P[0-9]{1,6}"
_HEADER = re.compile(rf"module {_MODULE_NAME}\nimport Memory\.Session\n(?:import {_MODULE_NAME}\n)?%default total\n")

# No raw control or format character, no separator, no surrogate inside a literal; beyond these, any character but the
# quote and the backslash. Stated apart from the generator's own list: two opinions, not one.
_RAW = (
    '[^"\\\\\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ud800-\uf8ff'
    "\ufeff\ufff0-\ufffb\ufffe\uffff\U000e0000-\U0010ffff]"
)
_LITERAL = re.compile(rf'"{_RAW}*+(?:\\[0-9]{{1,7}}\\&{_RAW}*+)*"')
_DECIMAL = re.compile(r"\\([0-9]+)\\&")

_OUTSIDE = re.compile(r'[A-Za-z0-9 \n()\[\],:="]*+')
_WORD = re.compile(r"[A-Za-z0-9]++")
_NAME_OR_NUMBER = re.compile(r"[MVGECTQDU][0-9]{1,7}|[0-9]{1,16}")
_BAD_LINE = re.compile(r"\n(?!  [^ \n]|[MVGECTQDU][0-9]+ [:=]|export\n|\n|\Z)")

_WORDS: Final = """
    export Ok minus Message Msg messageId Unique AllUnique
    EvidenceOf Cut Ev evidenceId Exact Normalized Fuzzy Segments InOrder
    Entry Draft Extract Ground Verify Certify Raw Working Candidate Verified Certified
    Fact Decision Preference Insight TaskNote Reference Entries Empty Add
    History Create Move taskId Pending InProgress Blocked Done Cancelled
    Cited Cite CiteOther Ruling Decide decisionId
"""
_VOCABULARY: Final = frozenset(_WORDS.split())


@dataclass(frozen=True, slots=True)
class OutsideLanguage:
    """A module that no compiler may see. ``line`` is 1-based where one line is to blame; the text is never quoted."""

    line: int | None
    reason: str


def audit(source: str) -> OutsideLanguage | None:
    """None when the module is written in the closed language, else what is not."""
    header = _HEADER.match(source)
    if header is None:
        return OutsideLanguage(1, "the header is not the fixed one")
    body = source[header.end() :]
    first_line = source.count("\n", 0, header.end()) + 1

    bare, literals = _LITERAL.subn('""', body)
    # A quote that opens no whole literal stays behind, and so does all that follows it up to the next one.
    if bare.count('"') != 2 * literals:
        return OutsideLanguage(None, "a literal is not closed or holds a character that must be escaped")
    if '""""' in bare:
        return OutsideLanguage(None, "two literals that touch: three quotes open another kind of literal")
    reached = _OUTSIDE.match(bare)
    if reached is None or reached.end() != len(bare):
        at = reached.end() if reached else 0
        return OutsideLanguage(first_line + bare.count("\n", 0, at), "a character outside the language")
    for word in set(_WORD.findall(bare)) - _VOCABULARY:
        if not _NAME_OR_NUMBER.fullmatch(word):
            return OutsideLanguage(first_line + bare.count("\n", 0, bare.index(word)), "a word outside the vocabulary")
    bad_line = _BAD_LINE.search("\n" + bare)
    if bad_line is not None:
        line = first_line + bare.count("\n", 0, bad_line.start())
        return OutsideLanguage(line, "a line that neither defines nor goes on")
    for digits in set(_DECIMAL.findall(body)):
        value = int(digits)
        if value > 0x10FFFF or 0xD800 <= value <= 0xDFFF:
            return OutsideLanguage(None, "an escape that is no character")
    return None
