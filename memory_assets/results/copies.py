"""Backups, exports and what was saved of a damaged store, as they are printed."""

from __future__ import annotations

from typing import Literal

from memory_assets.results.model import WireModel
from memory_assets.vocabulary import ExportFormat


class Manifest(WireModel):
    """What a backup says of itself.

    Attributes:
        store_schema: the newest migration of the store in it.
        seq, link_hash: where its log ends; the link in hex.
        sha256: of each member, by name.
        sizes: bytes of each member.
    """

    schema_version: Literal["backup.v1"]
    path: str
    store_schema: int
    created_at: str
    seq: int
    link_hash: str
    events: int
    sessions: int
    sha256: dict[str, str]
    sizes: dict[str, int]


class Restored(WireModel):
    """What was put in place, and where the store that stood there is kept (None: there was none)."""

    schema_version: Literal["restored.v1"]
    events: int
    sessions: int
    seq: int
    link_hash: str
    backed_up_at: str
    kept_aside: str | None


class Lost(WireModel):
    """An event that is not in the new store: its old seq, and its session where that can still be told."""

    seq: int
    session_id: str | None
    reason: str


class Recovered(WireModel):
    """What became of the events.

    Attributes:
        proven: how many are tied to the event before them by their link.
        by_checksum: how many only their own checksum and id speak for.
        lost: what is missing.
        incomplete_sessions: sessions whose history names an event that is lost; importing their files again heals them.
        damage: what of the file was damaged, in words.
    """

    schema_version: Literal["recovered.v1"]
    folder: str
    events: int
    proven: int
    by_checksum: int
    lost: tuple[Lost, ...]
    incomplete_sessions: tuple[str, ...]
    damage: tuple[str, ...]


class Exported(WireModel):
    """What was written.

    Attributes:
        project: the one that was exported alone; None for all.
        sessions: those of which something is in the file.
        events: those of the log in the file; None in a format that holds none.
        sha256: of the file.
    """

    schema_version: Literal["exported.v1"]
    path: str
    format: ExportFormat
    project: str | None
    sessions: int
    events: int | None
    bytes: int
    sha256: str
