"""Why a run failed as a whole, in words that may be printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import dagster as dg

from memory_assets.defs.resources import root_cause
from memory_assets.errors import MemoryAssetsError
from memory_assets.log.errors import StoreFullError, StoreReadOnlyError

if TYPE_CHECKING:
    from dagster_shared.error import SerializableErrorInfo

_CODES_OF_THE_MACHINE = {kind.__name__: kind.code for kind in (StoreFullError, StoreReadOnlyError)}


class RunFailedError(MemoryAssetsError):
    """A run of the assets failed as a whole (not one session of it)."""

    code = "run_failed"

    @classmethod
    def told(cls, kind: str | None, message: str, *, hint: str) -> RunFailedError:
        """The failure of a run, under the code of what failed in it where that is the disk's or the store's."""
        error = cls(message, hint=hint)
        error.code = _CODES_OF_THE_MACHINE.get(kind or "", cls.code)
        return error


def failure_of(result: dg.ExecuteInProcessResult) -> MemoryAssetsError:
    """The failure of a run, under the stage that failed first."""
    for event in result.all_events:
        if event.is_step_failure and (error := root_cause(event.step_failure_data.error)) is not None:
            return RunFailedError.told(
                error.cls_name,
                f"stage {event.step_key} failed: {_said(error)}",
                hint=f"run {result.run_id} in the UI (`memory dev`) has the details; nothing that was logged is lost",
            )
    return RunFailedError("the run failed before any stage began", hint="`memory doctor` looks for the cause")


def _said(error: SerializableErrorInfo) -> str:
    """Our own errors in their own words; of any other its kind alone, its words may quote a session."""
    kind, _, words = error.message.strip().partition(": ")
    return words.splitlines()[0] if words and kind.startswith("memory_assets.") else f"unexpected {error.cls_name}"
