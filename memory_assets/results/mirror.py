"""The mirror of a shared log, as it is printed."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from memory_assets.results.model import WireModel


class MachineV1(WireModel):
    """A machine that mirrors a log.

    Attributes:
        name: what its owner calls it.
        purged: it said that it holds nothing of what the last purge took out, or it came later.
        is_here: it is this one.
        retired: a person said that it will not come back, and it has begun no build and followed no purge since.
    """

    host_id: str
    name: str
    purged: bool
    is_here: bool
    retired: bool = False


class MirrorV1(WireModel):
    """How a mirror stands to its log.

    Attributes:
        log: where the log lies, without a password.
        store_id, epoch: which log it is; None where nobody could be asked and nothing is known.
        host_id: of this folder among all that mirror the log; None before it did.
        head_seq: the newest event of the log; None where it cannot be reached.
        mirror_seq: the newest event here.
        as_of: when the mirror held all that the log did.
        versions: what all machines must follow; None before anybody pinned it.
        problem: why the log cannot be used, or why the file here is no mirror of it.
        machines: who mirrors it, those that came first in front; empty where it cannot be asked.
    """

    schema_version: Literal["mirror.v1"] = "mirror.v1"
    log: str
    store_id: str | None
    epoch: int | None
    host_id: str | None
    head_seq: int | None
    mirror_seq: int
    as_of: datetime | None
    versions: dict[str, str] | None
    problem: str | None
    machines: tuple[MachineV1, ...] = ()


class MirrorVerifiedV1(WireModel):
    """What reading all of both logs gave.

    Attributes:
        problems: what is wrong; empty where every event of both is what was written and they are the same.
    """

    schema_version: Literal["mirror_verified.v1"] = "mirror_verified.v1"
    head_seq: int
    mirror_seq: int
    equal: bool
    problems: tuple[str, ...]


class MirrorBuiltV1(WireModel):
    """What a mirror holds now.

    Attributes:
        taken: events that were taken over.
        kept_aside: where the file that stood there before is kept, of a rebuild.
        without_vectors: why units have no vector yet, where something was in the way.
    """

    schema_version: Literal["mirror_built.v1"] = "mirror_built.v1"
    mirror_seq: int
    taken: int
    units_written: int
    units_failed: int
    kept_aside: str | None = None
    without_vectors: str | None = None
