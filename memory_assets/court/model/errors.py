"""What can go wrong when a model hears a case; a claim that does not stand is dropped and counted, never an error."""

from __future__ import annotations

from memory_assets.errors import MemoryAssetsError, UnavailableError
from memory_assets.extraction.telemetry import ExtractionTelemetry


class HearingFailed(MemoryAssetsError):
    """The model declined, never gave an answer that could be read, or may not be paid: this case is not heard.

    The message names the model and the case, never a word of the session. ``spent`` is what was paid all the same.
    """

    code = "hearing_failed"

    def __init__(self, message: str, *, hint: str, spent: ExtractionTelemetry) -> None:
        super().__init__(message, hint=hint)
        self.spent = spent


class CourtUnavailable(HearingFailed, UnavailableError):
    """The model cannot be asked: it is out of reach, overloaded, or takes neither the key nor the name.

    Attributes:
        is_of_all: no other case would fare better.
    """

    code = "model_unavailable"

    def __init__(self, message: str, *, hint: str, spent: ExtractionTelemetry, passes: bool, is_of_all: bool) -> None:
        super().__init__(message, hint=hint, spent=spent)
        self.passes = passes
        self.is_of_all = is_of_all
