"""What asking an extractor costs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExtractionTelemetry:
    """What an answer cost. Measured, so it belongs beside an event, never into its key.

    Attributes:
        cost_usd: None where the price of the model is not known.
        seconds: wall time, waiting between attempts included.
        attempts: calls to the model, failed ones and the repair round included; 0 for the embedded extractor.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0
    attempts: int = 0

    def plus(self, other: ExtractionTelemetry) -> ExtractionTelemetry:
        """Both together; a price that is not known adds nothing."""
        costs = [cost for cost in (self.cost_usd, other.cost_usd) if cost is not None]
        return ExtractionTelemetry(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_usd=sum(costs) if costs else None,
            seconds=round(self.seconds + other.seconds, 3),
            attempts=self.attempts + other.attempts,
        )

    def as_json(self) -> dict[str, int | float | None]:
        """As an event keeps it beside its payload."""
        return {
            "requests": self.attempts,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost_usd": self.cost_usd,
            "seconds": self.seconds,
        }
