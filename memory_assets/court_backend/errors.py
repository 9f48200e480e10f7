"""What can fail between the store and PostgreSQL. The log and the store's own tables are never touched by it."""

from __future__ import annotations

from memory_assets.errors import MemoryAssetsError, UnavailableError


class PostgresUnavailableError(UnavailableError):
    """PostgreSQL cannot be reached, or it went away; nothing was half written."""

    code = "postgres_unavailable"


class PostgresBusyError(UnavailableError):
    """Another process is writing the tables of the court for longer than one waits."""

    code = "postgres_busy"


class PostgresRefusedError(MemoryAssetsError):
    """PostgreSQL answers and cannot be used so: rights are missing, it is too old, or its tables are not ours."""

    code = "postgres_refused"


class NotProjectedError(UnavailableError):
    """PostgreSQL has no vectors of the model in use: nothing was written to it yet, or the model was changed."""

    code = "postgres_behind"


POSTGRES_ERRORS = (PostgresUnavailableError, PostgresBusyError, PostgresRefusedError, NotProjectedError)
"""Whatever PostgreSQL fails by: the store answers in its place."""
