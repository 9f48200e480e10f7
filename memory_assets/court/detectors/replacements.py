"""What an edit takes out and what it puts in, by whatever tool it is made."""

from __future__ import annotations

import json
from typing import Any, Final

_NAMES: Final = (("old_string", "new_string"), ("oldText", "newText"), ("old_str", "new_str"), ("search", "replace"))
_PATCH: Final = ("input", "patch", "diff")
_HEADERS: Final = ("---", "+++")


def replaced_text(call: str) -> tuple[str, str] | None:
    """The text that an edit takes out, and the one that it puts in; None where a call says neither."""
    try:
        given = json.loads(call)
    except (ValueError, RecursionError):  # masking may have cut it, or it is a patch alone
        given = {"input": call} if "*** Begin Patch" in call else None
    if not isinstance(given, dict):
        return None
    pair = _named(given) or _listed(given.get("edits")) or _patched(given)
    return pair if pair is not None and pair[0] != pair[1] else None


def _named(given: dict[str, Any]) -> tuple[str, str] | None:
    pairs = ((given.get(old), given.get(new)) for old, new in _NAMES)
    return next(((old, new) for old, new in pairs if isinstance(old, str) and isinstance(new, str)), None)


def _listed(edits: Any) -> tuple[str, str] | None:
    """Several edits of one call, one under the other."""
    found = [_named(one) for one in edits if isinstance(one, dict)] if isinstance(edits, list) else []
    pairs = [one for one in found if one is not None]
    return ("\n".join(old for old, _ in pairs), "\n".join(new for _, new in pairs)) if pairs else None


def _patched(given: dict[str, Any]) -> tuple[str, str] | None:
    """The lines of a patch that begin with a minus, and those that begin with a plus."""
    patch = next((given[name] for name in _PATCH if isinstance(given.get(name), str)), None)
    if patch is None:
        return None
    lines = [line for line in patch.splitlines() if not line.startswith(_HEADERS)]
    old, new = ("\n".join(line[1:] for line in lines if line.startswith(mark)) for mark in "-+")
    return (old, new) if old or new else None
