"""What an exception is to who asked over HTTP: error.v1 with a status, never a traceback."""

from __future__ import annotations

import os
import sys
import traceback
from typing import Final

from memory_assets.errors import MemoryAssetsError, of_the_machine
from memory_assets.results.error import ErrorV1

_STATUS: Final = {"not_found": 404, "invalid_argument": 400, "store_locked": 503, "unavailable": 503, "disk_full": 507}
_WRONG: Final = 500


def told(error: Exception) -> tuple[int, ErrorV1]:
    """The status and the words for an exception."""
    if os.environ.get("MEMORY_DEBUG"):
        sys.stderr.write("".join(traceback.format_exception(error)))
    meant = of_the_machine(error) or error
    match meant:
        case MemoryAssetsError():
            return _STATUS.get(meant.code, _WRONG), ErrorV1(code=meant.code, message=str(meant), hint=meant.hint)
        case OSError():
            where = f"{meant.filename}: " if meant.filename else ""
            hint = "check that path, its rights and the free space"
            return _WRONG, ErrorV1(code="io_error", message=f"{where}{meant.strerror or meant}", hint=hint)
        case _:
            hint = "start the server with MEMORY_DEBUG=1 for the traceback on its stderr"
            return _WRONG, ErrorV1(code="generic", message=f"{type(error).__name__}: {str(error)[:500]}", hint=hint)
