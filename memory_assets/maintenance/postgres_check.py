"""What doctor says of the PostgreSQL that mirrors the court."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.court_backend.court_rows import place_of
from memory_assets.results.doctor import CheckV1

if TYPE_CHECKING:
    from memory_assets.configuration import Resources
    from memory_assets.court_backend.court_in_postgres import CourtInPostgres, PostgresState

_BRINGS_UP = "`memory court project` brings it up"


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
    trouble = _trouble(resources, mirror, state)
    if trouble is None:
        return CheckV1(name="postgres", ok=True, detail=f"{told}; {how}; it holds what the tables hold")
    what, hint = trouble
    return CheckV1(name="postgres", ok=True, detail=f"{told}; {how}; {what}", hint=hint, warning=True)


def _trouble(resources: Resources, mirror: CourtInPostgres, state: PostgresState) -> tuple[str, str] | None:
    """In what it is not what the store is, and what to do; every row is compared where it should be the same."""
    if state.place is None:
        return "it holds nothing yet", _BRINGS_UP
    with resources.database.reading() as connection:
        now = place_of(connection)
    if state.place.seq != now.seq:
        return f"it rests on event {state.place.seq}, the tables on {now.seq}", _BRINGS_UP
    if state.place != now:
        return "it rests on another history of the log, or another fold", _BRINGS_UP
    if different := mirror.differing():
        tables = ", ".join(f"{count:,} of {table}" for table, count in different.items())
        return f"rows were changed there: {tables}", "`memory court project --rebuild` writes them anew"
    if not state.is_whole:
        return "it has not every vector of the model in use, so the store is searched", _BRINGS_UP
    return None
