"""Who may look at pages: a person who holds the store's token gets a one-time key, and for it a cookie.

The key travels in the fragment of a link, which no browser sends anywhere and no log keeps; it opens once, for two minutes. The
token of a person who was admitted opens as often as it is given. A cookie is good for as long as the process lives, and of an
admitted person for as long as that token is.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from memory_assets.server.people import People, Person

KEY_SECONDS: Final = 120.0
_MOST_KEYS: Final = 64
_MOST_BROWSERS: Final = 128
_MOST_OF_A_PERSON: Final = 8


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whose a cookie is.

    Attributes:
        person: who was admitted by name; None for whoever came in by a link of the store's own.
    """

    person: Person | None

    @property
    def name(self) -> str | None:
        """The name under which the visitor speaks; None for the one that the login has."""
        return self.person.name if self.person is not None else None


class Browsers:
    """Keys that were handed out, and the browsers that are known.

    Args:
        people: who else may come in, with tokens of their own.
    """

    def __init__(self, people: People | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._people = people
        self._clock = clock
        self._secret = secrets.token_bytes(32)
        self._keys: dict[str, float] = {}
        self._known: dict[str, Visitor] = {}
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
        """The value of a cookie for a key, or for a person's token; None where the key was used, is too old, or never was."""
        person = self._people.who_holds(key) if self._people is not None else None
        with self._lock:
            until = self._keys.pop(_hash(key), None)
            if person is None and (until is None or self._clock() > until):
                return None
            cookie = secrets.token_urlsafe(32)
            self._known[_hash(cookie)] = visitor = Visitor(person)
            self._make_room(visitor)
            return cookie

    def _make_room(self, came: Visitor) -> None:
        """Who comes in often pushes the oldest of the same kind out: of one person, of people, or of the store's own links."""
        kinds: list[tuple[int, Callable[[Visitor], bool]]] = [
            (_MOST_OF_A_PERSON, lambda one: came.person is not None and one.name == came.name),
            (_MOST_BROWSERS, lambda one: (one.person is None) == (came.person is None)),
        ]
        for most, is_such in kinds:
            for oldest in [one for one, visitor in self._known.items() if is_such(visitor)][:-most]:
                del self._known[oldest]

    def whose(self, key: str) -> str | None:
        """The name of the person who comes in by a token; None of a key of the store's own, and of none."""
        person = self._people.who_holds(key) if self._people is not None else None
        return person.name if person is not None else None

    def visitor(self, cookie: str) -> Visitor | None:
        """Whose a cookie is; None where it was not given by this process, or to somebody who may come in no more."""
        with self._lock:
            found = self._known.get(_hash(cookie))
        if found is None or found.person is None:
            return found
        return found if self._people is not None and self._people.still_holds(found.person) else None

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
