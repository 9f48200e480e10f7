"""A person's correction is one memory: all of what they typed, of the type of the memory that they correct."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

from memory_assets.extraction.extractor import ExtractionAnswer, RuleExtractor
from memory_assets.extraction.schema import ExtractedEntry, Quote
from memory_assets.extraction.titles import title_of
from memory_assets.vocabulary import EntryType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_assets.extraction.windows import Window
    from memory_assets.sessions.model import Message


def correction_id(entry_type: EntryType, moment: str, digest: str) -> str:
    """The id that a correction's session has: its type is read from it."""
    return f"correction.{entry_type}.{moment}.{digest}"


@dataclass(frozen=True, slots=True)
class Corrector(RuleExtractor):
    """Takes what a person typed as it is; no rule, no model.

    Attributes:
        source_id: of the correction's session, as :func:`correction_id` made it.
    """

    source_id: str = field(kw_only=True)

    @property
    def name(self) -> str:
        return "correction"

    def extract(self, messages: Sequence[Message], window: Window) -> ExtractionAnswer:
        """The one entry of the session; none where what was typed is forgotten."""
        if not any(map(str.isalnum, messages[0].text)):
            return ExtractionAnswer(())
        entry_type = next(known for known in get_args(EntryType) if known == self.source_id.split(".")[1])
        text = messages[0].text.strip()
        return ExtractionAnswer((ExtractedEntry(entry_type, title_of(text), (Quote(0, text),)),))
