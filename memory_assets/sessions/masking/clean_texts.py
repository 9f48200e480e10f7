"""Texts in which a policy found nothing to mask, remembered by their digests: a session that grows is read whole each time."""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

_MOST: Final = 200_000
"""Some 25 MB of digests. A session of more texts than that is looked at anew each time."""
_DIGEST_BYTES: Final = 32


class CleanTexts:
    """A set of texts that holds none of them. Of one policy, in one process."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        # Nobody who writes a text can know what its digest will be.
        self._key = secrets.token_bytes(_DIGEST_BYTES)
        self._digests: set[bytes] = set()

    def __contains__(self, text: str) -> bool:
        return self._digest(text) in self._digests

    def add(self, text: str) -> None:
        """Remember a text. Where there are too many all are forgotten: each is only looked at again."""
        if len(self._digests) >= self._most:
            self._digests.clear()
        self._digests.add(self._digest(text))

    def _digest(self, text: str) -> bytes:
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES, key=self._key).digest()
