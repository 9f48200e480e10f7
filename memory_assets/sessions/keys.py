"""Partition keys: names that Dagster, file systems and URLs all take."""

from __future__ import annotations

import re
import unicodedata

from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.sessions.model import SourceFormat

_KEY = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_SLUG_LENGTH = 60


def is_session_key(text: str) -> bool:
    """Whether ``text`` may be a partition key: ``[a-z0-9][a-z0-9._-]{0,99}`` as a whole, and no ``..`` in it."""
    return _KEY.fullmatch(text) is not None and ".." not in text


def session_key(source_format: SourceFormat, source_id: str, *, shown: str | None = None) -> str:
    """The partition key of a session whose source calls it ``source_id``.

    An id that is a valid key is the key. Any other becomes ``<slug>-<12 hex>``: the slug is what is left of the id (of a
    path, of its last part) in lower-case Latin letters and digits, at most 60 of them, and the format's name where
    nothing is left, as of a Korean title. The hash is of format and id in NFC, so that a Hangul name typed on macOS
    (NFD) and on Linux gives one key. A key never depends on the session's content.

    Args:
        shown: the id with what it holds of secrets masked; the slug is made from it, and the hash still from the id itself, so
            that two ids which are masked alike stay two sessions.
    """
    # A file name that is not UTF-8 reaches us with lone surrogates, which cannot be hashed.
    spelled = source_id.encode("utf-8", "backslashreplace").decode("utf-8")
    spelled = unicodedata.normalize("NFC", spelled)
    if shown is None and is_session_key(spelled):
        return spelled
    last_part = re.split(r"[/\\]", (spelled if shown is None else shown).rstrip("/\\"))[-1]
    slug = _NOT_SLUG.sub("-", last_part.lower()).strip("-")[:_SLUG_LENGTH].strip("-")
    digest = sha256_hex(canonical_json([source_format, spelled]))[:12]
    return f"{slug or source_format}-{digest}"
