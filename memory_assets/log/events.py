"""The envelope that every event travels in: its identity, its place, its times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.log.payloads.base import Payload


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event before it is in the log.

    Attributes:
        inputs: what it was made from, usually event ids; with type, session, version and ordinal they are its identity.
        occurred_at: the session's own clock, aware, UTC; never "now".
        causation_id: the one event that led to it, where there is one.
        chain_id: the history that it belongs to; for a session_ingested without one the log fills in its own id.
        basis_chains: for outcomes across sessions, every history they rest on.
    """

    payload: Payload
    session_id: str | None = None
    inputs: tuple[str, ...] = ()
    stage_version: str = ""
    ordinal: int = 0
    actor: str = "pipeline"
    occurred_at: datetime | None = None
    causation_id: str | None = None
    chain_id: str | None = None
    basis_chains: tuple[str, ...] | None = None
    project: str | None = None
    telemetry: dict[str, Any] = field(default_factory=dict)

    @property
    def event_type(self) -> str:
        return self.payload.event_type

    @property
    def dedupe_key(self) -> str:
        return dedupe_key_of(
            self.event_type, self.session_id, self.inputs, stage_version=self.stage_version, ordinal=self.ordinal
        )

    @property
    def event_id(self) -> str:
        return event_id_of(self.dedupe_key)


class StoredEvent(NamedTuple):
    """An event as the log holds it; ``upcasting.read_payload`` reads its payload.

    A named tuple, because a replay makes one a row and a frozen dataclass costs four times as much to make (measured).
    """

    seq: int
    event_id: str
    ts: datetime
    event_type: str
    actor: str
    session_id: str | None
    payload_json: str
    checksum: str
    occurred_at: datetime | None
    payload_version: int
    causation_id: str | None
    stage_version: str | None
    chain_id: str | None
    project: str | None
    build_id: str | None
    telemetry_json: str | None


def dedupe_key_of(
    event_type: str, session_id: str | None, inputs: Sequence[str], *, stage_version: str = "", ordinal: int = 0
) -> str:
    """What makes an event the same event."""
    return canonical_json([event_type, session_id, list(inputs), stage_version, ordinal])


def event_id_of(dedupe_key: str) -> str:
    """``ev_`` and the hash of the dedupe key."""
    return f"ev_{sha256_hex(dedupe_key)[:32]}"


def payload_text(payload: Payload) -> str:
    """The canonical JSON of a payload: what is stored and what the checksum covers."""
    return canonical_json(payload.model_dump(mode="json", exclude_defaults=True))
