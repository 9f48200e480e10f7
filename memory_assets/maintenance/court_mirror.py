"""The court's tables in PostgreSQL follow the store, where the settings name one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.court_backend.errors import POSTGRES_ERRORS
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
        PostgresUnavailableError, PostgresBusyError, PostgresRefusedError, EmbedderUnavailableError: nothing was changed.
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


def follow_court(resources: Resources, *, done: str) -> None:
    """Let PostgreSQL follow, where there is one; what was done before stays done, whatever becomes of this.

    Args:
        done: what that was, for whoever reads that PostgreSQL did not follow.

    Raises:
        MemoryAssetsError: it still holds what it held.
    """
    if resources.court_in_postgres is None:
        return
    try:
        project_court(resources)
    except POSTGRES_ERRORS as error:
        failed: MemoryAssetsError = type(error)(f"{done}, and the court's tables in PostgreSQL did not follow: {error}")
        failed.hint = error.hint
        raise failed from error
