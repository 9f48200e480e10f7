"""Whether a module stays inside the closed language, decided before any compiler sees it (proof layer, fence *b*).

A fixed header; then definitions, each in the one form that its kind has, line by line: known words, generated names, whole
numbers and quoted literals, and nothing else. There is no way to write a directive, a hole, a comment, a brace, an operator
or an import behind the header, to leave out a definition's body, or to write a term in another way than the generator does;
and inside a literal a backslash is always followed by decimal digits and ``\\&``. So nothing that a session says can be
code, whatever fault the generator may have, and two checkers have nothing to read differently. Values are free: that a span
or a stage is false is for the checkers to find. The audit shares no code with the generator.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

CLOSED_VOCABULARY: Final = "closed-vocabulary"

MODULE_NAME = r"Session[0-9a-f]{16}P[0-9]{1,6}"
_HEADER = re.compile(rf"module {MODULE_NAME}\nimport Memory\.Session\n(import {MODULE_NAME}\n)?%default total\n")

# No raw control or format character, no separator, no surrogate inside a literal; beyond these, any character but the
# quote and the backslash. Stated apart from the generator's own list: two opinions, not one.
_RAW = (
    '[^"\\\\\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ud800-\uf8ff'
    "\ufeff\ufff0-\ufffb\ufffe\uffff\U000e0000-\U0010ffff]"
)
_LITERAL = re.compile(rf'"{_RAW}*+(?:\\[0-9]{{1,7}}\\&{_RAW}*+)*"')
_DECIMAL = re.compile(r"\\([0-9]+)\\&")

_DIGITS: Final = "[0-9]{1,7}"
_NUMBER: Final = r"(?:[0-9]{1,16}|\(minus [0-9]{1,16}\))"
_KIND: Final = "(?:Fact|Decision|Preference|Insight|TaskNote|Reference)"
_STAGE: Final = "(?:Raw|Working|Candidate|Verified|Certified)"
_STATUS: Final = "(?:Pending|InProgress|Blocked|Done|Cancelled)"
_RUNG: Final = "(?:Extract|Ground|Verify|Certify)"


def _items(item: str) -> str:
    """One or more, as in a list."""
    return f"{item}(?:, {item})*"


def _form(letter: str, type_: str, body: str, proofs: int = 0) -> str:
    """A definition: its type's line, the line that repeats its name, its body, and its proofs on lines of their own."""
    group = f"name{letter}"
    return rf"(?P<{group}>{letter}{_DIGITS}) : {type_}\n(?P={group}) =\n  {body}" + r"\n  Ok" * proofs


# The ladder is climbed line by line; that it is climbed rightly, and that its brackets fit, is for the checkers.
_CLIMB: Final = (
    rf'(?:Draft|(?:{_RUNG}\n  (?:\({_RUNG}\n  )*\(Draft)) "" {_KIND} ""'
    rf'(?:\n  (?:Ok|\)|""|\[(?:{_items(f"Ev M{_DIGITS} V{_DIGITS}")})?\] {_NUMBER}))*'
)
_UNIQUE: Final = "|".join(
    _items(f"{function} {letter}{_DIGITS}")
    for function, letter in (("messageId", "M"), ("evidenceId", "V"), ("taskId", "T"), ("decisionId", "D"))
)
_BLOCKERS: Final = r'\[(?:""(?:, "")*)?\]'
_DEFINITION = re.compile(
    r"\n(?P<export>export\n(?=C))?(?:"
    + "|".join(
        (
            _form("M", "Message", f'Msg "" {_NUMBER} {_NUMBER} {_NUMBER} ""', 2),
            _form(
                "V",
                f"EvidenceOf M{_DIGITS}",
                f'Cut "" (?:Exact|Normalized|Fuzzy) {_NUMBER} {_NUMBER} {_NUMBER} "" ""',
                4,
            ),
            _form("G", "Segments", rf'InOrder "" V{_DIGITS} \[V{_DIGITS}, {_items(f"V{_DIGITS}")}\]', 1),
            _form("U", "Unique", rf'AllUnique "" \[(?:{_UNIQUE})\]', 1),
            _form("E", f'Entry "" {_STAGE} {_NUMBER}', _CLIMB),
            _form("C", 'Entries ""', rf"(?:Empty|Add C{_DIGITS} E{_DIGITS}\n  Ok)"),
            _form(
                "T",
                f'History "" {_STATUS} {_NUMBER}',
                rf'(?:Create ""|Move T{_DIGITS}) {_NUMBER} {_STATUS} {_BLOCKERS}',
                3,
            ),
            _form("Q", f"Cited {_NUMBER}", f'(?:Cite E{_DIGITS}|CiteOther "" {_STAGE} {_NUMBER})', 2),
            _form("D", 'Ruling ""', rf'Decide "" {_NUMBER} \[(?:{_items(f"Q{_DIGITS}")})?\]', 2),
        )
    )
    + r")\n"
)

_MESSAGE_OF = re.compile(r"\n(V[0-9]+) : EvidenceOf (M[0-9]+)")
_GROUND = re.compile(r"Ev (M[0-9]+) (V[0-9]+)")
_PARTS = re.compile(r'  InOrder "" ([^\n]+)')
_LINK = re.compile(r"\nC([0-9]+) =\n  (?:Empty|Add C([0-9]+))")


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
    for digits in set(_DECIMAL.findall(body)):
        # Of more digits than a literal may have, the literal itself is not one.
        if len(digits) <= 7 and (int(digits) > 0x10FFFF or 0xD800 <= int(digits) <= 0xDFFF):
            return OutsideLanguage(None, "an escape that is no character")
    bare, literals = _LITERAL.subn('""', body)
    # A quote that opens no whole literal stays behind, and so does all that follows it up to the next one.
    if bare.count('"') != 2 * literals:
        return OutsideLanguage(None, "a literal is not closed or holds a character that must be escaped")
    refused = _misshaped(bare) or _mistaken(bare, imports=header[1] is not None)
    if refused is None:
        return None
    at, reason = refused
    return OutsideLanguage(source.count("\n", 0, header.end()) + 1 + bare.count("\n", 0, at), reason)


def _misshaped(bare: str) -> tuple[int, str] | None:
    """Where something else stands than a definition in its form, under a name of its own; only the last is exported."""
    names: set[str] = set()
    position = 0
    while position < len(bare):
        definition = _DEFINITION.match(bare, position)
        if definition is None:
            return position + bare.startswith("\n", position), "this is no definition of the language"
        kind = definition.lastgroup
        assert kind is not None
        name = definition[kind]
        if name in names:
            return position + 1, "a name that is taken"
        names.add(name)
        if definition["export"] is not None and definition.end() != len(bare):
            return position + 1, "only the last definition of a module is exported"
        position = definition.end()
    return None


def _mistaken(bare: str, *, imports: bool) -> tuple[int, str] | None:
    """Where a name stands that the generator would not write there, though a type may allow it."""
    message_of = dict(_MESSAGE_OF.findall(bare))
    for ground in _GROUND.finditer(bare):
        message, evidence = ground.groups()
        if message_of.get(evidence, message) != message:
            return ground.start(), "evidence that is given another message than its own"
    for parts in _PARTS.finditer(bare):
        if len({message_of.get(name) for name in parts[1].replace("[", "").rstrip("]").replace(",", "").split()}) > 1:
            return parts.start(), "evidence in parts that are of another message"
    last: int | None = None
    for link in _LINK.finditer(bare):
        number, before = int(link[1]), link[2]
        if before is None:
            follows = last is None and not imports
        else:
            # The chain of a module that imports goes on from the one before: it defines no link that it is shown.
            follows = number == int(before) + 1 and (imports if last is None else last == int(before))
        if not follows:
            return link.start() + 1, "the chain of entries does not go on from its last link"
        last = number
    return None
