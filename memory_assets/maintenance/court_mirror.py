"""The court's tables in PostgreSQL follow the store, where the settings name one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memory_assets.errors import InvalidArgumentError, MemoryAssetsError
from memory_assets.projections.fold import catch_up
from memory_assets.results.court import CourtProjectionV1

if TYPE_CHECKING:
    from memory_assets.configuration import Resources


def project_court(resources: Resources, *, rebuild: bool = False, compare: bool = False) -> CourtProjectionV1:
    """Bring PostgreSQL up to the log's end.

    Args:
        rebuild: write everything anew.
        compare: count the rows that are not the same on both sides afterwards.

    Raises:
        InvalidArgumentError: the settings name no PostgreSQL.
        PostgresUnavailableError, PostgresBusyError, PostgresRefusedError: nothing was changed.
        EmbedderUnavailableError, IndexCorruptError: the rows followed, vectors did not.
    """
    mirror = resources.court_in_postgres
    if mirror is None:
        raise InvalidArgumentError(
            "the court is in the store alone",
            hint="set court.backend to `postgres` and court.postgres_url (docs/court_postgres.md)",
        )
    catch_up(resources.database, resources.configured_versions)
    done = mirror.project(rebuild=rebuild)
    return CourtProjectionV1(
        upto_seq=done.place.seq,
        written=done.written,
        deleted=done.deleted,
        embedded=done.embedded,
        rebuilt=done.rebuilt,
        vectors="pgvector" if done.has_vector_type else "arrays",
        has_index=done.has_index,
        compared=compare,
        differing=dict(mirror.differing()) if compare else {},
    )


@contextlib.contextmanager
def followed_by_court(resources: Resources, *, done: str) -> Iterator[None]:
    """Let PostgreSQL follow what the store has lost and what a block makes of the rest, where there is one.

    What is gone goes first, and once more where the block fails: it needs no model, and nothing that fails keeps it there.

    Args:
        done: what was done before and stays done, for whoever reads that PostgreSQL did not follow.

    Raises:
        MemoryAssetsError: it still holds what it held; or what the block raises.
    """
    take_out_of_court(resources)
    try:
        yield
    except BaseException as failed:
        left = take_out_of_court(resources)
        if left is not None and isinstance(failed, MemoryAssetsError):
            failed.hint = "; ".join(filter(None, (failed.hint, f"PostgreSQL did not follow either ({left}): {left.hint}")))
        raise
    follow_court(resources, done=done)


def follow_court(resources: Resources, *, done: str) -> None:
    """Let PostgreSQL follow, where there is one; what was done before stays done, whatever becomes of this.

    Args:
        done: what that was, for whoever reads that PostgreSQL did not follow.

    Raises:
        MemoryAssetsError: it still holds what it held; where a model is missing, the vectors that it held.
    """
    if resources.settings.court.backend != "postgres":
        return
    try:
        project_court(resources)
    except MemoryAssetsError as error:
        error.args = (f"{done}, and the court's tables in PostgreSQL did not follow: {error}",)
        raise


def take_out_of_court(resources: Resources) -> MemoryAssetsError | None:
    """Have PostgreSQL, where there is one, hold nothing that the store has lost; why it does, where that cannot be done."""
    if resources.settings.court.backend != "postgres":
        return None
    try:
        mirror = resources.court_in_postgres
        if mirror is not None:
            catch_up(resources.database, resources.configured_versions)
            mirror.take_out()
    except MemoryAssetsError as error:
        return error
    return None
