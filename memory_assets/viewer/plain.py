"""Records as plain JSON values, with every text in them masked once more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memory_assets.memory import as_plain
from memory_assets.viewer.masking import mask_by

if TYPE_CHECKING:
    from memory_assets.memory import Memory
    from memory_assets.viewer.masking import Mask


def masked_plain(memory: Memory, found: Any) -> Any:
    """What was found as plain values; ids and addresses come out as they are."""
    return _masked(as_plain(found), mask_by(memory.resources.redaction_policy))


def _masked(value: Any, mask: Mask) -> Any:
    match value:
        case str():
            return mask(value)
        case dict():
            return {key: _masked(inner, mask) for key, inner in value.items()}
        case list():
            return [_masked(inner, mask) for inner in value]
        case _:
            return value
