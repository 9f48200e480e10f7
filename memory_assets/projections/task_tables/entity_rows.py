"""The rows of entities, of their names, and of what connects them; fields are columns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memory_assets.vocabulary import EntityKind


@dataclass(frozen=True, slots=True)
class Entity:
    """A row of ``entities``."""

    entity_id: str
    entity_type: EntityKind
    canonical_key: str
    title: str
    stage: str
    status: str
    current_json: str
    title_norm: str
    search_text: str
    created_at: datetime
    updated_at: datetime
    project: str | None
    last_occurred_at: datetime
    basis: str


@dataclass(frozen=True, slots=True)
class Alias:
    """A row of ``entity_aliases``."""

    entity_type: EntityKind
    canonical_key: str
    entity_id: str
    is_primary: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Edge:
    """A row of ``edges``."""

    edge_id: str
    src_type: str
    src_id: str
    rel_type: str
    dst_type: str
    dst_id: str
    meta_json: str
    created_at: datetime
    source_event_id: str
