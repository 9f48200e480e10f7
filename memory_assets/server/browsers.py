"""Who may look at pages: a person who holds the store's token gets a one-time key, and for it a cookie.

The key travels in the fragment of a link, which no browser sends anywhere and no log keeps; it opens once, for two minutes.
A cookie is good for as long as the process lives.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable
from typing import Final

KEY_SECONDS: Final = 120.0
_MOST_KEYS: Final = 64
_MOST_BROWSERS: Final = 256


class Browsers:
    """Keys that were handed out, and the browsers that are known."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._secret = secrets.token_bytes(32)
        self._keys: dict[str, float] = {}
        self._known: dict[str, None] = {}
        self._lock = threading.Lock()

    def new_key(self) -> str:
        """A key that opens once."""
        key = secrets.token_urlsafe(24)
        with self._lock:
            self._keys[_hash(key)] = self._clock() + KEY_SECONDS
            while len(self._keys) > _MOST_KEYS:
                del self._keys[next(iter(self._keys))]
        return key

    def admitted(self, key: str) -> str | None:
        """The value of a cookie for a key; None where the key was used, is too old, or never was."""
        with self._lock:
            until = self._keys.pop(_hash(key), None)
            if until is None or self._clock() > until:
                return None
            cookie = secrets.token_urlsafe(32)
            self._known[_hash(cookie)] = None
            while len(self._known) > _MOST_BROWSERS:
                del self._known[next(iter(self._known))]
            return cookie

    def is_known(self, cookie: str) -> bool:
        """Whether a cookie was given by this process."""
        with self._lock:
            return _hash(cookie) in self._known

    def forget(self, cookie: str) -> None:
        """A browser has left: its cookie opens nothing any more."""
        with self._lock:
            self._known.pop(_hash(cookie), None)

    def csrf_of(self, cookie: str) -> str:
        """What a form of this browser has to send along."""
        return hmac.new(self._secret, cookie.encode(), hashlib.sha256).hexdigest()

    def is_csrf(self, cookie: str, given: str) -> bool:
        """Whether a form sent what :meth:`csrf_of` gave."""
        return hmac.compare_digest(self.csrf_of(cookie).encode(), given.encode())


def _hash(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()
