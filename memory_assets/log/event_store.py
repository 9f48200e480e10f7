"""Where a log lies that several machines share; without one, the store's own file is all there is.

The protocol is closed: these methods and no statement of anybody's. What it gives and takes are whole rows, each with its seq
and its link, so a mirror is the same log and not a copy of what it says.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from memory_assets.log.errors import SharedLogRefusedError
from memory_assets.log.links import LINKED_COLUMNS
from memory_assets.log.migrations import schema_version
from memory_assets.log.tip import FIRST, Tip

SHARED_COLUMNS = (*LINKED_COLUMNS, "payload_json", "link_hash")
"""What a row is, in this order: moments as microseconds since 1970 in UTC, JSON as the text that was written."""

Row = tuple[Any, ...]
Versions = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Epoch:
    """Which log it is.

    Attributes:
        store_id: made with the log, and kept by all its mirrors.
        number: another one when events were taken out of it: mirrors of the one before hold what is gone.
    """

    store_id: str
    number: int


@dataclass(frozen=True, slots=True)
class Access:
    """What whoever asks may do.

    Attributes:
        projects: whose events it sees, and no others; None where it sees all.
    """

    projects: tuple[str, ...] | None = None
    may_write: bool = True

    def __str__(self) -> str:
        seen = "everything" if self.projects is None else f"the projects {', '.join(self.projects) or '(none)'}"
        return seen if self.may_write else f"{seen}, and writes nothing"


@dataclass(frozen=True, slots=True)
class Moving:
    """A log on its way.

    Attributes:
        how: it is ``arriving`` from a machine's own file and not whole yet, or it has ``left`` into one.
        host_id: of that machine among its mirrors.
    """

    how: Literal["arriving", "left"]
    host_id: str


@dataclass(frozen=True, slots=True)
class StoreState:
    """A shared log as of one moment.

    Attributes:
        head: where it ends.
        schema_version: of its own tables.
        least_client: the schema of a store's file that the newest program had that wrote to it.
        versions: the configured version of each stage by event type, which all must follow; None until somebody pinned them.
        access: what whoever asked may do; ``head`` is where the log ends for it.
        moving: None where it stays where it is.
    """

    epoch: Epoch
    head: Tip
    schema_version: int
    least_client: int
    versions: Versions | None
    access: Access = Access()
    moving: Moving | None = None


def refuse_older(state: StoreState) -> None:
    """Refuse a log to which a newer program has written what this one may not know.

    Raises:
        SharedLogRefusedError
    """
    if state.least_client > schema_version():
        raise SharedLogRefusedError(
            f"a newer program has written to the shared log: its stores have schema {state.least_client}, "
            f"those of this one {schema_version()}",
            hint="install the newer version of memory_assets",
        )


def refuse_half(state: StoreState) -> None:
    """Refuse a log that is not whole yet.

    Raises:
        SharedLogRefusedError
    """
    if state.moving is not None and state.moving.how == "arriving":
        raise SharedLogRefusedError(
            "a machine is moving its log there, and it is not whole yet",
            hint="wait for it; where it was killed, `memory move` on that machine goes on",
        )


def refuse_unwritable(state: StoreState) -> None:
    """Refuse to append to a log that a newer program wrote to, that is not whole yet, or that has left.

    Raises:
        SharedLogRefusedError
    """
    refuse_older(state)
    refuse_half(state)
    if state.moving is not None:
        raise SharedLogRefusedError(
            f"the shared log has moved into the file of machine {state.moving.host_id[:12]}",
            hint="take store.url away where it went; the mirror can be read elsewhere, and `memory move` there brings it back",
        )


class ExclusiveStore(Protocol):
    """The log while nobody else writes to it: one transaction."""

    def state(self) -> StoreState:
        """The log as it is under the lock."""
        ...

    def pull(self, after: int, limit: int) -> list[Row]:
        """The next rows behind a seq."""
        ...

    def push(self, rows: Sequence[Row], expected_head: Tip) -> Tip:
        """Append rows behind the head that they were made for; where the log ends then.

        Raises:
            SharedLogDiffersError: the log ends elsewhere.
            UnstorableTextError: a text holds U+0000.
        """
        ...

    def pin(self, versions: Versions) -> None:
        """State which versions all must follow."""
        ...

    def rewrite(self, parts: Iterable[Sequence[Row]], head: Tip) -> None:
        """Put other rows, which end at ``head``, in the place of all that are there: the log has another epoch then.

        Raises:
            SharedLogRefusedError: the role does not own the tables.
        """
        ...


class EventStore(Protocol):
    """A log. Every method may raise SharedLogUnavailableError, SharedLogRefusedError."""

    @property
    def is_shared(self) -> bool:
        """Whether it lies elsewhere than in the store's file."""
        ...

    @property
    def name(self) -> str:
        """Which it is, for people."""
        ...

    def exclusive(self) -> AbstractContextManager[ExclusiveStore]:
        """The log under its lock: committed at the end, rolled back on an error.

        Raises:
            StoreLockedError: another machine holds it for too long.
        """
        ...

    def state(self) -> StoreState:
        """The log as it is."""
        ...

    def pull(self, after: int, limit: int) -> list[Row]:
        """The next rows behind a seq."""
        ...

    def link_at(self, seq: int) -> bytes | None:
        """The link of an event; None where there is none."""
        ...

    def wait(self, after: int, seconds: float, ended: threading.Event | None = None) -> bool:
        """Wait until something stands behind a seq, for so long at most or until ``ended``; whether something does."""
        ...

    def enroll(self, host_id: str, epoch: int) -> None:
        """Name a machine that mirrors the log, before it holds anything of it; a second time changes nothing."""
        ...


class EmbeddedStore:
    """No other log: the store's file is the log, and everything here does nothing."""

    is_shared = False
    name = ""
    _NOTHING = StoreState(Epoch("", 0), FIRST, 0, 0, None)

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[EmbeddedStore]:
        """The store's own lock is enough."""
        yield self

    def state(self) -> StoreState:
        """An empty log of no machine."""
        return self._NOTHING

    def pull(self, after: int, limit: int) -> list[Row]:
        """Nobody else has written."""
        return []

    def push(self, rows: Sequence[Row], expected_head: Tip) -> Tip:
        """They are where they belong already."""
        return expected_head

    def pin(self, versions: Versions) -> None:
        """The store's own table says them."""

    def link_at(self, seq: int) -> bytes | None:
        """There is none elsewhere."""
        return None

    def rewrite(self, parts: Iterable[Sequence[Row]], head: Tip) -> None:
        """The file itself is replaced."""

    def wait(self, after: int, seconds: float, ended: threading.Event | None = None) -> bool:
        """Nothing comes from elsewhere."""
        return False

    def enroll(self, host_id: str, epoch: int) -> None:
        """There is one machine."""


EMBEDDED: EventStore = EmbeddedStore()
