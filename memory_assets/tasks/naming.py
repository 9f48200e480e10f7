"""Titles without what they say of their status: what a task is called, however far it has come.

What is taken away stands at the beginning or at the end; what stands between is the task. A part is taken away only if a word
is left, so no title becomes empty. Both functions are idempotent.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from memory_assets.tasks import english_status, korean_status

LONGEST_TITLE = 2_000
"""What is longer is no title that says how far its task has come, and stays as it is."""

_LABEL = f"{english_status.LABEL}|{korean_status.LABEL}"
_MARKS = re.compile(
    r"(?:[-*+•‣·◦>]|#{1,6}|[0-9]{1,3}[.)])\s+(?=\S)"
    r"|\[[ xX~!/>\-vV✓✔]?\]\s*"
    r"|[✅☑✔✓❌✗✘☐⬜🔲⏳🚧🔄⏸🔜]\ufe0f?\s*"
    r"|todo\([^()\n]{1,40}\)\s*:?\s*"
    rf"|[\[(【]\s*(?:{_LABEL})\s*[\])】]\s*(?:[:：]|[-–—]\s)?\s*"
    rf"|(?:{_LABEL})\s*(?:[:：]\s*|\s[-–—]\s+)",
    re.IGNORECASE,
)
_PICTURES_AT_END = re.compile(r"[\s✅☑✔✓❌✗✘☐⬜🔲⏳🚧🔄⏸🔜\ufe0f]+\Z")
_STRUCK = re.compile(r"~~([^~]+)~~\Z")
_WORD = re.compile(r"[^\W_]")


def task_title(text: str) -> str:
    """What a task is called: ``[x] TODO: fix the login, done`` is ``fix the login``. Never empty unless the text is."""
    return _to_the_end(_one_line(text), _without_status)


def blocker_title(text: str) -> str:
    """What is waited for: ``waiting for the review`` is ``the review``. Never empty unless the text is.

    A task that is waited for is called as its title would be, so that both meet under one name.
    """
    return _to_the_end(_one_line(text), _without_waiting)


def _one_line(text: str) -> str:
    """The text in one line, its letters composed: the patterns know Korean by whole syllables."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _to_the_end(text: str, shorter: Callable[[str], str]) -> str:
    """The text after as many steps as change it; each makes it shorter or is the last of its kind."""
    if len(text) > LONGEST_TITLE:
        return text
    while (rest := shorter(text)) != text:
        text = rest
    return text


def _without_status(text: str) -> str:
    text = _without_marks(text)
    for part in (
        english_status.without_lead,
        korean_status.without_lead,
        english_status.without_tail,
        korean_status.without_tail,
        korean_status.with_plain_verb,
    ):
        text = _if_a_word_is_left(text, part(text))
    return text


def _without_waiting(text: str) -> str:
    for part in (english_status.without_waiting, korean_status.without_waiting, _without_status):
        text = _if_a_word_is_left(text, part(text))
    return text


def _without_marks(text: str) -> str:
    """Without checkboxes, bullets and ``TODO:`` in front, and pictures at the end."""
    start = 0
    while (mark := _MARKS.match(text, start)) and _WORD.search(text, mark.end()):
        start = mark.end()
    struck = _STRUCK.fullmatch(text, start)
    rest = struck[1].strip() if struck else _PICTURES_AT_END.sub("", text[max(start, len(text) - 40) :])
    kept = rest if struck else text[start : max(start, len(text) - 40)] + rest
    return _if_a_word_is_left(text[start:], kept)


def _if_a_word_is_left(text: str, rest: str) -> str:
    rest = rest.strip()
    return rest if _WORD.search(rest) else text
