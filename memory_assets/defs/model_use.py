"""What a run's questions to a model cost: counted for a stage, a build and a command alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memory_assets.extraction.telemetry import ExtractionTelemetry


@dataclass(slots=True)
class ModelUse:
    """Windows that were answered, and everything that was spent, failed requests included."""

    windows: int = 0
    spent: ExtractionTelemetry = field(default_factory=ExtractionTelemetry)

    def add(self, spent: ExtractionTelemetry, *, windows: int = 0) -> None:
        """Count answered windows and what was spent."""
        self.windows += windows
        self.spent = self.spent.plus(spent)

    def as_json(self) -> dict[str, Any]:
        """As an event and a report hold it; empty where no model was asked."""
        return {"windows": self.windows, **self.spent.as_json()} if self.spent.attempts else {}


def told(use: dict[str, Any]) -> str:
    """One line for a run's log, of ``ModelUse.as_json``."""
    if not use:
        return "no request"
    cost = "price not known" if use["cost_usd"] is None else f"{use['cost_usd']:.4f} USD"
    return (
        f"{use['windows']:,} windows answered, {use['requests']:,} requests, {use['input_tokens']:,} tokens in, "
        f"{use['output_tokens']:,} out, {cost}, {use['seconds']:,.1f} s"
    )
