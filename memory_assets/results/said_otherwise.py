"""What a person said instead of something that is shown, as it is printed beside it."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from memory_assets.results.model import WireModel

_NAME: Final = 60
"""Characters of a name that are told."""


class SaidOtherwiseV1(WireModel):
    """What a person said instead of words that are shown.

    Attributes:
        id: the memory that it is, ``mem:a7Bc3x``; ``uri`` is where it was said.
        text: its first words, a hundred characters of them.
        said_by: masked, as every word of people.
    """

    id: str
    uri: str
    text: str
    said_by: str
    said_at: datetime

    @property
    def told(self) -> str:
        """When it was said, where it stands, and by whom."""
        return f"a person said otherwise on {self.said_at:%Y-%m-%d}: {self.id} ({' '.join(self.said_by.split())[:_NAME]})"
