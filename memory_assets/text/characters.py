"""Grapheme clusters, and what of a character counts when two texts are compared.

Most text is made of characters that are clusters of their own and that NFKC leaves alone: those are passed over in
whole runs. Only the rest (combining marks, conjoining jamo, emoji, format characters, full-width forms) is cut into clusters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import regex

# Letters and digits that are one cluster each, NFKC-stable, and never join a neighbour.
_LETTERS = "0-9A-Za-zÀ-ÖØ-öø-ÿΑ-ΡΣ-Ωά-ώА-яёЁぁ-ゔァ-ヺ一-龥가-힣"
# The same for marks and spaces; CR is not here, for CR LF is one cluster.
_MARKS = r"\t\n !-/:-@\[-`{-~¡-§«¬®°±¶·»¿×÷–—‘’“”•←-⇿、。「」"
_PLAIN = _LETTERS + _MARKS

LETTERS = re.compile(f"[{_LETTERS}]+")
_ALL_PLAIN = re.compile(f"[\r{_PLAIN}]*")

# A chunk of plain text, or a stretch around characters that need care, with the plain neighbours that they may join.
PIECES = re.compile(
    f"(?P<plain>[{_PLAIN}]{{1,1024}})(?![^{_PLAIN}])"
    f"|(?P<special>[{_PLAIN}]?[^{_PLAIN}](?:[^{_PLAIN}]|[{_PLAIN}](?=[^{_PLAIN}]))*[{_PLAIN}]?)"
)
_PLAIN_PAIR = re.compile(f"[{_PLAIN}]{{2}}")
_CLUSTER = regex.compile(r"\X")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]")
_UNIFIED = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»″「」", '"'),
        **dict.fromkeys("‘’‚‛′´ʼ", "'"),
        **dict.fromkeys("‐‑‒–—―−﹣", "-"),
        "。": ".",
        "、": ",",
    }
)
_RAISED = ("<super>", "<sub>", "<fraction>", "<circle>")
KEYCAP = "\u20e3"
_LOOKED_BACK = 4_096
"""Characters before an offset among which a certain boundary is looked for: from there on clusters are counted."""


def clusters(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """The grapheme clusters of ``text[start:end]`` as half-open spans of ``text``."""
    for match in _CLUSTER.finditer(text, start, len(text) if end is None else end):
        yield match.span()


def is_certain_boundary(text: str, offset: int) -> bool:
    """Whether an offset is between two clusters, as far as its two neighbours tell; False means: ask ``inner_offsets``."""
    if offset == 0 or offset == len(text):
        return True
    if text.isascii():
        return text[offset] != "\n" or text[offset - 1] != "\r"
    return _PLAIN_PAIR.match(text, offset - 1) is not None


def inner_offsets(text: str) -> frozenset[int]:
    """The offsets that lie inside a grapheme cluster: no span may start or end there."""
    found: list[int] = []
    for piece in PIECES.finditer(text):
        if piece.lastgroup == "special":
            for start, end in clusters(text, *piece.span()):
                found.extend(range(start + 1, end))
    return frozenset(found)


def whole_clusters(text: str, start: int, end: int) -> tuple[int, int]:
    """The most of ``text[start:end]`` that cuts no cluster; as given where that would be nothing."""
    first, last = _cluster_over(text, start)[1], _cluster_over(text, end)[0]
    return (first, last) if first < last else (start, end)


def _cluster_over(text: str, offset: int) -> tuple[int, int]:
    """The cluster that an offset lies inside; the offset twice where it is between two."""
    begin, least = offset, max(0, offset - _LOOKED_BACK)
    while begin > least and not is_certain_boundary(text, begin):
        begin -= 1
    for low, high in clusters(text, begin) if begin < offset else ():
        if high >= offset:
            return (low, high) if high > offset else (offset, offset)
    return offset, offset


def is_plain(text: str) -> bool:
    """Whether every character of a text is seen, stands on the line, and is what NFKC makes of it."""
    return text.isascii() or _ALL_PLAIN.fullmatch(text) is not None


def folded_form(text: str) -> str:
    """NFKC without characters that nobody sees (format characters, variation selectors)."""
    if is_plain(text):
        return text
    normal = unicodedata.normalize("NFKC", text)
    if normal.isascii():
        return normal
    return "".join(c for c in _INVISIBLE.sub("", normal) if unicodedata.category(c) != "Cf")


def unified_form(text: str) -> str:
    """Quotes and dashes as their ASCII relatives; everything else stays."""
    return text.translate(_UNIFIED)


def counts(character: str) -> bool:
    """Whether a character belongs to a text's skeleton: a letter, a digit, or a mark that changes a letter."""
    return character.isalnum() or (unicodedata.category(character)[0] == "M" and character != KEYCAP)


def is_keycap(cluster: str) -> bool:
    """Whether a cluster is a digit on a key, a picture."""
    return KEYCAP in cluster and cluster[0] in "0123456789#*"


def is_raised(cluster: str) -> bool:
    """Whether a cluster is a digit above or below the line, in a circle, or a fraction: no part of a number beside it."""
    return len(cluster) == 1 and unicodedata.decomposition(cluster).startswith(_RAISED)


def effective_length(text: str) -> float:
    """How much a text says, in characters: a Hangul, kana or Han character counts one and a half, spaces nothing."""
    return sum(0.0 if c.isspace() else 1.5 if "\u1100" <= c <= "\u11ff" or c >= "\u2e80" else 1.0 for c in text)
