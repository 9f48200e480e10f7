"""What was taken out of the log for good."""

from __future__ import annotations

from typing import ClassVar

from memory_assets.log.payloads.base import Payload


class Purged(Payload):
    """The log was written anew without what was forgotten; its links begin anew, and this is the first event behind the others.

    Attributes:
        old_seq, old_link: where the log ended before; the link in hex.
        new_seq, new_link: where it ends in front of this event.
        removed: how many events are gone, by type.
        survivors_digest: over every column of all events that stayed but seq and link: the same in the old log and the new one.
    """

    event_type: ClassVar[str] = "purged"
    old_seq: int
    old_link: str
    new_seq: int
    new_link: str
    removed: dict[str, int]
    survivors_digest: str


class MirrorRetired(Payload):
    """A person says that a machine will not come back: no purge waits for it, and what it was building is shown as ended.

    What it writes afterwards, should it come back, counts like anything else; a build that it goes on with or begins, and a
    purge that it follows, take that back.

    Attributes:
        host_id: of the machine among the mirrors.
        said_by: who said so.
    """

    event_type: ClassVar[str] = "mirror_retired"
    host_id: str
    said_by: str


class MirrorPurged(Payload):
    """A machine that mirrors a shared log holds nothing any more of what was taken out of it.

    Attributes:
        host_id: of the machine among the mirrors.
        epoch: of the log behind the purge.
    """

    event_type: ClassVar[str] = "mirror_purged"
    host_id: str
    epoch: int
