"""What a text explains by itself: a Korean word with the English one behind it in brackets, ``배포(deploy)``, or reverse.

A bracket holds much else: an argument, an acronym of some words before it, a name, a remark. What counts is one plain word in
lower case behind one Korean word, in a sentence and not in code; the rest is left out, though some of it is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memory_assets.text.english_forms import base_form
from memory_assets.text.sentences import sentences

_KOREAN: Final = "[\uac00-\ud7a3]{2,8}"
_ENGLISH: Final = "[a-z]{3,20}"
# No part of a number, an identifier or a path: `3개(three)`, `x.함수(arg)`, `f(g(값))`. Behind a bracket may stand a particle.
_BEFORE: Final = r"(?<![\w.:@#$/\\(\[{<>=&|~-])"
_BEHIND: Final = r"(?![A-Za-z0-9_(\[{=;]|[.:]\S)"
_PAIR: Final = re.compile(
    rf"{_BEFORE}(?P<korean>{_KOREAN})\((?P<english>{_ENGLISH})\){_BEHIND}"
    rf"|{_BEFORE}(?P<before>{_ENGLISH})\((?P<behind>{_KOREAN})\){_BEHIND}"
)
_INFLECTED: Final = re.compile("(?:거나|[아어]야|다)$|[한된할될]$|[가-힣]는$|하기$|않은$|적인$|[가-힣]게$")
"""Forms of verbs: what stands behind one belongs to the words before it as well (``복구 불가능한(unrecoverable)``)."""
_CODE: Final = re.compile("`[^`\n]*`")
_LISTED_PLACEHOLDERS: Final = """
arg args kwargs argv param params val vals var vars obj str int bool float char num len idx foo bar baz qux ctx cfg conf req res
err msg tmp fn func cb self this null none true false nil void ptr src dst dir env elem elems print printf len range list dict
etc optional sic and the for not
"""
_NO_WORDS: Final = frozenset(_LISTED_PLACEHOLDERS.split())
"""What programs call their arguments, and remarks that stand in brackets."""


def explained(text: str) -> Iterator[tuple[str, str]]:
    """The Korean words of a text with the English word that it gives for each, in its base form; linear in the text."""
    for sentence in sentences(text):
        for found in _PAIR.finditer(_CODE.sub(" ` ", sentence.text)):
            korean, english = found["korean"] or found["behind"], found["english"] or found["before"]
            if english not in _NO_WORDS and not _INFLECTED.search(korean):
                yield korean, base_form(english)
