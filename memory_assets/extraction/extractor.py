"""What every extractor is to the rest of the project, and the embedded one as such."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from memory_assets.extraction.cues import Rules, built_in_rules
from memory_assets.extraction.errors import ModelUnavailable
from memory_assets.extraction.listed_tasks import unknown_statuses
from memory_assets.extraction.rules import CODE_VERSION, extract_window
from memory_assets.extraction.schema import ExtractedEntry
from memory_assets.extraction.telemetry import ExtractionTelemetry
from memory_assets.extraction.windows import Window
from memory_assets.sessions.model import Message


@dataclass(frozen=True, slots=True)
class ExtractionAnswer:
    """The entries of one window, and what was wrong with those that were left out (counted, without session text)."""

    entries: tuple[ExtractedEntry, ...]
    warnings: tuple[str, ...] = ()
    telemetry: ExtractionTelemetry = field(default_factory=ExtractionTelemetry)


class Extractor(Protocol):
    """Proposes memories as quotes. Its version changes whenever its answers may."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def most_requests(self, windows: int) -> int:
        """How many requests that many windows can cost, failed ones included; 0 where no model is asked."""
        ...

    def is_down(self) -> bool:
        """Whether a model failed last, whatever patience it was given."""
        ...

    def answered_since(self, failure: ModelUnavailable) -> bool:
        """Whether a model answered others after it had failed so: then it can be asked again."""
        ...

    def answers_now(self) -> ExtractionTelemetry | None:
        """What it cost to ask a model something plain, where it answers at once; None where it does not."""
        ...

    def extract(self, messages: Sequence[Message], window: Window) -> ExtractionAnswer:
        """The entries of one window of a session; ``messages`` is the whole session. Several may be asked for at once.

        Raises:
            ExtractionFailed: a model declined, or never gave an answer that could be read.
            ModelUnavailable: a model cannot be asked.
        """
        ...


@dataclass(frozen=True, slots=True)
class RuleExtractor:
    """The embedded extractor: rules as data, no model, no cost."""

    rules: Rules = field(default_factory=built_in_rules)

    @property
    def name(self) -> str:
        return "rules"

    @property
    def version(self) -> str:
        return f"rules-{CODE_VERSION}-{self.rules.version}"

    def most_requests(self, windows: int) -> int:
        return 0

    def is_down(self) -> bool:
        return False

    def answered_since(self, failure: ModelUnavailable) -> bool:
        return False

    def answers_now(self) -> ExtractionTelemetry | None:
        return None

    def extract(self, messages: Sequence[Message], window: Window) -> ExtractionAnswer:
        unknown = sorted(unknown_statuses(messages, window).items())
        warnings = tuple(f"unknown status {name!r} of a todo tool: {count}" for name, count in unknown)
        return ExtractionAnswer(tuple(extract_window(messages, window, self.rules)), warnings)
