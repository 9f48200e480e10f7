"""Deterministic ids: the same thing has the same id on every machine and after every rebuild.

Recipe: sha256 over canonical JSON, its first 32 hex digits, behind a typed prefix (``ev_``, ``ent_``, ``mem_`` …).
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from typing import Any

# Made once: to make one for each value took a fifth of what the log needs to append an event.
_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical_json(value: Any) -> str:
    """JSON with sorted keys, no spaces and text as it is: one spelling of a value, to hash and to store.

    Strings are left alone. Spans count the code points of stored text, so normalising here would move them.

    Raises:
        ValueError: for NaN and infinities, which JSON cannot hold.
    """
    return _ENCODER.encode(value)


def sha256_hex(data: str | bytes) -> str:
    """The sha256 of text (as UTF-8) or bytes, 64 hex digits."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def typed_id(prefix: str, *parts: Any) -> str:
    """``prefix_`` and 32 hex digits of the parts' hash.

    Text is brought to NFC first, so that a Hangul name typed on macOS (NFD) and on Linux gives one id.
    """
    return f"{prefix}_{sha256_hex(canonical_json(_nfc(list(parts))))[:32]}"


def _nfc(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, list | tuple):
        return [_nfc(item) for item in value]
    if isinstance(value, dict):
        return {_nfc(key): _nfc(item) for key, item in value.items()}
    return value
