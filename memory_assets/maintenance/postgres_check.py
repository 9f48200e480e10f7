"""What doctor says of the PostgreSQL that mirrors the court."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.log.fetching import scalar
from memory_assets.results.doctor import CheckV1

if TYPE_CHECKING:
    from memory_assets.configuration import Resources


def postgres_check(resources: Resources) -> CheckV1:
    """Whether it answers, how it searches, and whether it holds what the store holds.

    Raises:
        PostgresUnavailableError, PostgresRefusedError: what is wrong with it, and what to do.
    """
    mirror = resources.court_in_postgres
    if mirror is None:
        return CheckV1(name="postgres", ok=True, detail="none: the store alone is searched")
    state = mirror.state()
    told = f"{mirror.address}, version {state.server}"
    if state.is_searched_by_vectors:
        how = f"pgvector {state.extension}: exact for up to 5,000 lessons of a role, by an index above"
    elif state.extension:
        how = f"pgvector {state.extension} is older than 0.8, so every lesson of a role is compared"
    else:
        how = "without pgvector every lesson of a role is compared: exact, and slower for large roles"
    with resources.database.reading() as connection:
        folded = int(scalar(connection, "SELECT coalesce(max(last_seq), 0) FROM projection_offsets"))
    if state.seq != folded:
        behind = "it holds nothing yet" if state.seq is None else f"it rests on event {state.seq}, the tables on {folded}"
        return CheckV1(
            name="postgres",
            ok=True,
            detail=f"{told}; {how}; {behind}",
            hint="`memory court project` brings it up",
            warning=True,
        )
    return CheckV1(name="postgres", ok=True, detail=f"{told}; {how}; it holds what the tables hold")
