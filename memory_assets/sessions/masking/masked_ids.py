"""Ids and file names that hold a secret: masked, and still told apart.

An id is compared and never read, so what is left of it need not be what it was: it becomes a hash, and two records whose ids
would be masked alike stay two. A path is shown to people, so it is masked like any text, with a hash of itself behind it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memory_assets.identifiers import sha256_hex

HASH_LENGTH = 16

# What programs call their records, and a reader its lines: most ids, and none of them a secret.
_PLAIN = re.compile(
    r"(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9]{1,9}|masked-[0-9a-f]{16})(?:[#~][0-9#~]{1,20})?"
    r"|toolu_[A-Za-z0-9]{24}|call_[A-Za-z0-9]{24}"
)
_NUMBER_BEHIND = re.compile(r"(?:[#~][0-9]{1,9}){1,4}\Z")
_MASKED_PATH = re.compile(r"#(?P<hash>[0-9a-f]{16})\Z")

Masking = Callable[[str], str]


def masked_id(value: str, masked: Masking) -> str:
    """An id as it may be stored: itself, or ``masked-<16 hex>`` where it holds something that is masked.

    The number of a record's further message (``#1``) stays behind it.

    Args:
        masked: masks a text.
    """
    if _PLAIN.fullmatch(value) or masked(value) == value:
        return value
    number = _NUMBER_BEHIND.search(value)
    record = value[: number.start()] if number else value
    return f"masked-{_hash(record)}{number[0] if number else ''}"


def masked_path(path: str, masked: Masking) -> str:
    """A path as it may be stored and shown: itself, or masked with ``#<16 hex>`` of itself behind it."""
    shown = masked(path)
    return path if shown == path else f"{shown}#{_hash(path)}"


def hash_in_masked_path(uri: str) -> str | None:
    """The hash at the end of a masked path; None for a path that is as it was."""
    match = _MASKED_PATH.search(uri)
    return match["hash"] if match and "[" in uri else None


def is_path_of(path: str, digest: str) -> bool:
    """Whether a masked path with this hash was made from ``path``."""
    return _hash(path) == digest


def _hash(value: str) -> str:
    return sha256_hex(value.encode("utf-8", "backslashreplace"))[:HASH_LENGTH]
