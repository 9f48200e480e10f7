"""What a model is sent for a question: the rules, the evidence as data between lines that it cannot contain, the question."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from memory_assets.ask.said_dates import Language
from memory_assets.ask.statements import GivenEvidence
from memory_assets.identifiers import canonical_json, sha256_hex

PROMPT_VERSION: Final = "memory-ask-v1"

INSUFFICIENT: Final[dict[Language, str]] = {
    "en": "The evidence is not sufficient to answer.",
    "ko": "근거가 부족하여 답할 수 없습니다.",
}
"""What a model answers where it cannot answer."""
_LANGUAGES: Final[dict[Language, str]] = {"en": "English", "ko": "Korean"}


def messages_for(
    question: str, evidence: Sequence[GivenEvidence], language: Language, earlier: Sequence[str] = ()
) -> list[dict[str, str]]:
    """The messages for a question. The fence is made of all that it encloses, so that no text within can know it.

    Args:
        earlier: turns that the question follows on, in their order; evidence of nothing.
    """
    told = [(one.number, one.text, one.time, one.speaker, str(one.said_on or "")) for one in evidence]
    boundary = sha256_hex(canonical_json([question, told, list(earlier)]))[:16]
    parts = [f"<<<evidence {one.number} {boundary}>>>\n{_told(one)}\n<<<end {boundary}>>>" for one in evidence]
    parts += [f"<<<earlier {boundary}>>>\n{turn}\n<<<end {boundary}>>>" for turn in earlier]
    parts.append(f"<<<question {boundary}>>>\n{question}\n<<<end {boundary}>>>")
    rules = _rules().replace("{insufficient}", INSUFFICIENT[language]).replace("{language}", _LANGUAGES[language])
    return [{"role": "system", "content": rules}, {"role": "user", "content": "\n".join(parts)}]


def says_insufficient(text: str) -> bool:
    """Whether a model answered that it cannot answer, in either language, with nothing else."""
    return _bare(text) in {_bare(sentence) for sentence in INSUFFICIENT.values()}


def _told(one: GivenEvidence) -> str:
    """Who said it and when, and its text; all of it is data."""
    known = (("speaker", one.speaker), ("said on", one.said_on), ("means", one.time))
    return "\n".join([*(f"{name}: {value}" for name, value in known if value), one.text])


def _bare(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


@cache
def _rules() -> str:
    return files("memory_assets.ask").joinpath("prompt.md").read_text(encoding="utf-8")
