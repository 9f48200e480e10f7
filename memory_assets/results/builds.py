"""The ledger of builds, as it is printed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from memory_assets.results.metrics import StageTimes
from memory_assets.results.model import WireModel


class BuildView(WireModel):
    """One build: a run of the stages that appended something.

    Attributes:
        seconds: from its first event to its last; None while it is running, and of one whose process was killed.
        status: running, success or failed; a build whose process is gone is ``failed`` with the error ``interrupted``.
        error: the stages that failed, each with the kind of its error; never what an error says.
        sessions, events: those that it appended something for, and how much; its own two events are counted.
        extractor_prompt_hash: the extractor's version, which changes with its prompt or rules.
        checker: whose verdict counts, as in ``embedded 1``.
        package: the version of the program; None where it was not noted yet.
        versions: each stage's version.
        requests, input_tokens, output_tokens: what a model was asked; 0 with the embedded rules.
        cost_usd: None where the price is not known, or nothing was asked.
    """

    build_id: str
    started_at: datetime
    finished_at: datetime | None
    seconds: float | None
    status: str
    error: str | None
    sessions: int
    events: int
    extractor_model: str
    extractor_prompt_hash: str
    embedder_model: str
    embedding_version: str
    checker: str
    schema_version: str
    package: str | None
    versions: Mapping[str, str]
    requests: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    dagster_run_id: str | None


class BuildPage(WireModel):
    """The newest builds; ``total`` counts them all."""

    schema_version: str
    builds: tuple[BuildView, ...]
    total: int


class VerdictCount(WireModel):
    """How a checker judged the sessions of a build."""

    checker: str
    checker_version: str
    accepted: int
    refused: int


class BuildDetails(WireModel):
    """Everything of one build.

    Attributes:
        events_by_type: what it appended.
        stages: how long its sessions took, stage by stage.
        session_ids: in the order in which they came; ``forgotten`` counts those that are not to be named any more.
    """

    schema_version: str
    build: BuildView
    events_by_type: Mapping[str, int]
    stages: tuple[StageTimes, ...]
    verdicts: tuple[VerdictCount, ...]
    session_ids: tuple[str, ...]
    forgotten: int
