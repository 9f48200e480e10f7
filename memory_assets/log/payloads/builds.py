"""The runs that appended something."""

from __future__ import annotations

from typing import ClassVar, Literal

from memory_assets.log.payloads.base import Payload


class BuildStarted(Payload):
    """A run that appended something began, with these versions."""

    event_type: ClassVar[str] = "build_started"
    build_id: str
    extractor_model: str
    extractor_prompt_hash: str
    embedder_model: str
    embedding_version: str
    idris_version: str
    schema_version: str
    versions: dict[str, str]


class BuildFinished(Payload):
    """The run ended."""

    event_type: ClassVar[str] = "build_finished"
    build_id: str
    status: Literal["success", "failed"]
    error: str | None = None
