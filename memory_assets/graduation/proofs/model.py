"""What is to be proved of a session, and what a checker says of it.

The generator is given a :class:`ProofSession`; a checker answers with a :class:`Verdict`. Both are plain data: they know
neither the log nor the compiler.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from memory_assets.evidence.model import AlignmentMethod
from memory_assets.vocabulary import EntryType, Stage, TaskStatus

Checker = Literal["embedded", "idris2"]


@dataclass(frozen=True, slots=True)
class ProofMessage:
    """A message that evidence may cite.

    Attributes:
        occurred_at_ms: milliseconds since 1970-01-01 UTC; may be negative.
        text: the stored (masked) text, whole; the generator embeds a window of a long one.
    """

    message_id: str
    occurred_at_ms: int
    text: str


@dataclass(frozen=True, slots=True)
class ProofEvidence:
    """A quote that the aligner placed.

    Attributes:
        span_start, span_end: half-open, in code points of the message's text.
        matched_text: the stored slice, ``text[span_start:span_end]``; that it is so is what gets proved.
        segments: the quoted parts where an ellipsis left something out; empty or one where nothing was left out.
        confidence: in [0, 1]; the proof counts whole ten-thousandths, rounded down.
    """

    evidence_id: str
    message_id: str
    method: AlignmentMethod
    confidence: float
    span_start: int
    span_end: int
    quote: str
    matched_text: str
    segments: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ProofEntry:
    """An entry, its evidence, and the stage that the module is to prove for it.

    Attributes:
        failed_count: quotes that the aligner could not place.
        claim: the stage to prove; None for the highest that the entry's own facts can carry (see :func:`claimed_stage`).
        certifier: who or what vouches for a certified entry; of no use below that.
    """

    entry_id: str
    entry_type: EntryType
    title: str
    evidence: tuple[ProofEvidence, ...]
    failed_count: int = 0
    claim: Stage | None = None
    certifier: str = ""


@dataclass(frozen=True, slots=True)
class ProofMove:
    """One event of a task: its status from then on, and the ids of what blocks it."""

    occurred_at_ms: int
    status: TaskStatus
    blockers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProofTask:
    """The history of a task, first the event that created it. At least one move."""

    task_id: str
    moves: tuple[ProofMove, ...]


@dataclass(frozen=True, slots=True)
class OutsideCite:
    """An entry of another session that a decision rests on: stage and time are the event log's word, not proved here."""

    entry_id: str
    stage: Stage
    occurred_at_ms: int


@dataclass(frozen=True, slots=True)
class ProofDecision:
    """A recorded decision and what it rests on: ids of entries of this session, or entries of others."""

    decision_id: str
    occurred_at_ms: int
    cites: tuple[str | OutsideCite, ...]


@dataclass(frozen=True, slots=True)
class ProofSession:
    """All that is to be proved of one session."""

    session_id: str
    messages: tuple[ProofMessage, ...]
    entries: tuple[ProofEntry, ...]
    tasks: tuple[ProofTask, ...] = ()
    decisions: tuple[ProofDecision, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleFailure:
    """A rule that does not hold, and the id of what it does not hold for (never text of the session)."""

    rule: str
    subject: str


class Sourced(Protocol):
    """A module's name and its whole text, wherever it comes from."""

    @property
    def name(self) -> str: ...

    @property
    def source(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ModuleHash:
    """A module that was judged. ``windowed`` names the messages of which it holds a window only: for these the offset
    of the window is taken on trust."""

    name: str
    sha256: str
    windowed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one checker says of one session: a function of the session and the checker's version, nothing measured.

    Attributes:
        accepted: everything that the session claims is proved.
        rules_failed: sorted, no pair twice; empty exactly when accepted.
    """

    checker: Checker
    checker_version: str
    accepted: bool
    rules_failed: tuple[RuleFailure, ...]
    modules: tuple[ModuleHash, ...]

    @property
    def label(self) -> str:
        """The checker's name as it stands behind a stage: ``embedded 1``, ``idris2 0.8.0``."""
        return f"{self.checker} {self.checker_version}"


def claimed_stage(entry: ProofEntry) -> Stage:
    """The stage that a module is to prove for an entry.

    Without an explicit claim: an entry with evidence and no failed quote claims ``verified``, one with evidence and a
    failed quote ``candidate``, one without evidence ``working``. So an entry whose quotes are nowhere does not make the
    session's module false, and gains nothing by it.
    """
    if entry.claim is not None:
        return entry.claim
    if not entry.evidence:
        return "working"
    return "verified" if entry.failed_count == 0 else "candidate"


def subject_text(identifier: str) -> str:
    """An id as it can be stored and compared: a lone surrogate, which UTF-8 cannot hold, becomes a question mark."""
    return identifier.encode("utf-8", "replace").decode("utf-8")


def failures_sorted(failures: set[RuleFailure]) -> tuple[RuleFailure, ...]:
    """The order in which a verdict lists its failures."""
    return tuple(sorted(failures, key=lambda failure: (failure.rule, failure.subject)))
