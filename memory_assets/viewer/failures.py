"""What fails while a request is answered, as an HTTP status and ``error.v1``; never a traceback, never a text of a session."""

from __future__ import annotations

import logging

from memory_assets.errors import MemoryAssetsError, of_the_machine
from memory_assets.results.error import ErrorV1

_STATUSES = {
    "invalid_argument": 400,
    "not_found": 404,
    "not_possible": 409,
    "head_moved": 409,
    "store_locked": 503,
    "store_read_only": 403,
    "disk_full": 507,
    "unavailable": 503,
    "model_unreachable": 503,
}
_LOGGER = logging.getLogger(__name__)


def told(error: Exception) -> tuple[int, ErrorV1]:
    """The status and the error of what was raised."""
    meant = of_the_machine(error) or error
    if isinstance(meant, MemoryAssetsError):
        return _STATUSES.get(meant.code, 500), ErrorV1(code=meant.code, message=str(meant), hint=meant.hint)
    _LOGGER.error("a request failed", exc_info=error)
    return 500, ErrorV1(code="generic", message=type(error).__name__, hint="the server's log has the traceback")
