"""The queue in front of the search index, and what became of it, as they are printed."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import ConfigDict

from memory_assets.results.model import WireModel, added_later


class Calibration(WireModel):
    """What the self-test said of one embedder.

    Attributes:
        related: mean cosine of a question and the sentence that answers it, over the languages that the model knows.
        unrelated, unrelated_spread: mean and standard deviation of its cosines with the other sentences.
        english, korean: share of the questions whose own sentence is the nearest.
        vector_weight: of the vector leg in a search; 0: it is left out.
        korean_weight: the same for a question with Korean in it.
    """

    fingerprint: str
    embedding_version: str
    related: float
    unrelated: float
    unrelated_spread: float
    english: float
    korean: float
    vector_weight: float
    korean_weight: float


class VersionQueue(WireModel):
    """An embedding version, or the words: its queue and its table.

    Attributes:
        in_force: whether searches use it.
        pending, done: jobs; retrying: failed, and to be tried again from ``next_attempt_at`` on; given_up: failed too often.
        rows: of its table; None where there is none, or where it cannot be read, which ``problem`` says.
        fingerprints: of the models that its vectors are of; one where all is well.
    """

    embedding_version: str
    in_force: bool
    pending: int = 0
    done: int = 0
    retrying: int = 0
    given_up: int = 0
    oldest_pending_at: datetime | None = None
    next_attempt_at: datetime | None = None
    last_written_at: datetime | None = None
    rows: int | None = None
    bytes: int = 0
    fingerprints: tuple[str, ...] = ()
    writer: str | None = None
    problem: str | None = None


class FailedUnit(WireModel):
    """A unit that could not be written; ``next_attempt_at`` is None once it was given up."""

    unit_id: str
    unit_kind: str | None
    session_id: str | None
    message_index: int | None
    embedding_version: str
    error: str
    attempts: int
    next_attempt_at: datetime | None


class OutboxStatus(WireModel):
    """What waits to be written to the search index, and how it stands with its tables.

    Attributes:
        units: how many there are to be found.
        words: what makes them searchable by their words, whatever the model.
        versions: the one in force first.
        failures: the first of them.
        calibration: what the self-test said of the model in force; None where it was not measured yet.
        alarm: so much failed that something is wrong with more than a text.
    """

    model_config = ConfigDict(json_schema_extra=added_later("words"))

    schema_version: Literal["outbox.v1"]
    model: str
    embedding_version: str
    units: int
    words: VersionQueue
    versions: tuple[VersionQueue, ...]
    failures: tuple[FailedUnit, ...]
    calibration: Calibration | None
    alarm: bool

    @property
    def current(self) -> VersionQueue:
        """The version in force."""
        return self.versions[0]


class Drained(WireModel):
    """What a drain did; counts of jobs.

    Attributes:
        embedded: texts that went through the model; ``reused``: units whose vector was there already.
        embedding_seconds: how long the model took, ``seconds`` how long all of it.
    """

    done: int = 0
    failed: int = 0
    embedded: int = 0
    reused: int = 0
    embedding_seconds: float = 0.0
    seconds: float = 0.0

    def __add__(self, other: Drained) -> Drained:
        return Drained.of_row(mine + theirs for (_, mine), (_, theirs) in zip(self, other, strict=True))

    @property
    def texts_per_second(self) -> float | None:
        """How many texts the model embeds in a second; None where it had none to embed."""
        return self.embedded / self.embedding_seconds if self.embedded and self.embedding_seconds else None


def _as_before(schema: dict[str, Any]) -> None:
    """The words came later, and what is required keeps its order."""
    added_later("words")(schema)
    schema["required"].sort(key=lambda name: name not in ("schema_version", "calibration"))


class OutboxDrained(WireModel):
    __doc__ = Drained.__doc__
    model_config = ConfigDict(title="Drained", json_schema_extra=_as_before)

    schema_version: Literal["outbox_drained.v1"]
    done: int
    failed: int
    embedded: int
    reused: int
    embedding_seconds: float
    seconds: float
    words: Drained
    calibration: Calibration | None


class Reconciled(WireModel):
    """What was found and put in line; counts of units.

    Attributes:
        same: rows that agree.
        missing: units without a row; stale: with a row of another content; other_model: with a vector of another model;
            twice: with two rows and more. All of them wait to be written now, but for those that failed before.
        orphans: rows of nothing, taken out.
        waiting: jobs of this version that are not done now.
        made_anew: why the whole table is made anew; None where it is kept.
    """

    same: int
    missing: int = 0
    stale: int = 0
    other_model: int = 0
    twice: int = 0
    orphans: int = 0
    waiting: int = 0
    made_anew: str | None = None

    @property
    def to_write(self) -> int:
        """Units that have no row as it should be."""
        return self.missing + self.stale + self.other_model + self.twice


class InLine(WireModel):
    """What was found when index and store were compared, what was written then, and the versions whose tables went.

    Attributes:
        found, drained: of the vectors; ``words`` is what was found of the words, ``words_drained`` what was written of them.
    """

    model_config = ConfigDict(json_schema_extra=added_later("words_drained"))

    schema_version: Literal["outbox_reconciled.v1"]
    dry_run: bool
    found: Reconciled
    drained: Drained
    dropped: tuple[str, ...]
    words: Reconciled | None = None
    words_drained: Drained


class Reembedded(WireModel):
    """What became of a change of the model.

    Attributes:
        found: the new version's table before anything was written.
        drained: what was written; units whose vectors were there already are not among ``embedded``.
        failed: units that the new model could not embed.
        calibration: what the self-test says of the new model; None where it was not asked.
        in_force: whether searches use the new model from now on.
        written_to: the settings file that says so; None where it need not or cannot.
        to_set: what has to be set elsewhere for that, one a line; the file's word does not count there.
    """

    schema_version: Literal["reembed.v1"]
    dry_run: bool
    from_model: str
    from_version: str
    to_model: str
    to_version: str
    found: Reconciled
    drained: Drained
    failed: int
    calibration: Calibration | None
    in_force: bool
    written_to: str | None
    to_set: tuple[str, ...]
