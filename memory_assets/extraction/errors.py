"""What can go wrong in extraction beyond a bad entry (a bad entry is dropped with a warning, never an error)."""

from __future__ import annotations

from memory_assets.errors import MemoryAssetsError
from memory_assets.extraction.telemetry import ExtractionTelemetry


class ExtractionError(MemoryAssetsError):
    """The root of this package's errors."""

    code = "extraction_error"


class ExtractionFailed(ExtractionError):
    """The model could not be reached, or never gave an answer that could be read.

    The message names the model and the window, never a word of the session. ``spent`` is what the attempts cost.
    """

    code = "extraction_failed"

    def __init__(self, message: str, *, hint: str, spent: ExtractionTelemetry) -> None:
        super().__init__(message, hint=hint)
        self.spent = spent


class RulesInvalidError(ExtractionError):
    """A file of rules cannot be used."""

    code = "config_invalid"
