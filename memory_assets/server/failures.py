"""What an exception is to who asked over HTTP: a status and error.v1; never a traceback, never a text of a session."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Final

from memory_assets.errors import MemoryAssetsError, of_the_machine
from memory_assets.results.error import ErrorV1

UNFORESEEN: Final = "generic"
_STATUSES: Final = {
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
_WRONG: Final = 500


def told(error: Exception) -> tuple[int, ErrorV1]:
    """The status and the words for what was raised; of what nobody foresaw its kind alone, for it may quote anything."""
    if os.environ.get("MEMORY_DEBUG"):
        sys.stderr.write("".join(traceback.format_exception(error)))
    meant = of_the_machine(error) or error
    match meant:
        case MemoryAssetsError():
            return _STATUSES.get(meant.code, _WRONG), ErrorV1(code=meant.code, message=str(meant), hint=meant.hint)
        case OSError():
            where = f"{meant.filename}: " if meant.filename else ""
            hint = "check that path, its rights and the free space"
            return _WRONG, ErrorV1(code="io_error", message=f"{where}{meant.strerror or type(meant).__name__}", hint=hint)
        case _:
            hint = "start the server with MEMORY_DEBUG=1 for the traceback on its stderr"
            return _WRONG, ErrorV1(code=UNFORESEEN, message=type(error).__name__, hint=hint)
