"""What can go wrong in extraction beyond a bad entry (a bad entry is dropped with a warning, never an error)."""

from __future__ import annotations

from memory_assets.errors import MemoryAssetsError, UnavailableError
from memory_assets.extraction.telemetry import ExtractionTelemetry


class ExtractionError(MemoryAssetsError):
    """The root of this package's errors."""

    code = "extraction_error"


class ExtractionFailed(ExtractionError):
    """The model declined, or never gave an answer that could be read: the window is why.

    The message names the model and the window, never a word of the session. ``spent`` is what the attempts cost.
    """

    code = "extraction_failed"

    def __init__(self, message: str, *, hint: str, spent: ExtractionTelemetry) -> None:
        super().__init__(message, hint=hint)
        self.spent = spent


class ModelUnavailable(ExtractionFailed, UnavailableError):
    """The model cannot be asked: it is out of reach, overloaded, or takes neither the key nor the name.

    Attributes:
        is_of_all: no other window would fare better, as where it takes not the key.
        was_heard: the server had the window before it, and did not only want to be asked less often.
        answers_before: how many answers its server had given by then; more since then tell that it can be asked again.
    """

    code = "model_unavailable"

    def __init__(
        self,
        message: str,
        *,
        hint: str,
        spent: ExtractionTelemetry,
        passes: bool,
        is_of_all: bool = False,
        was_heard: bool = False,
        answers_before: int,
    ) -> None:
        super().__init__(message, hint=hint, spent=spent)
        self.passes = passes
        self.is_of_all = is_of_all
        self.was_heard = was_heard
        self.answers_before = answers_before

    def of_another(self) -> ModelUnavailable:
        """The same failure for a window that was not asked about because of it: that one cost nothing."""
        return ModelUnavailable(
            str(self),
            hint=self.hint,
            spent=ExtractionTelemetry(),
            passes=self.passes,
            is_of_all=self.is_of_all,
            answers_before=self.answers_before,
        )


class RulesInvalidError(ExtractionError):
    """A file of rules cannot be used."""

    code = "config_invalid"
