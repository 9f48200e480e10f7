"""People of a team, who come into the pages of a server with a token of their own, and whose words stand under their names.

Names and hashes of tokens lie in a file beside the server's, for its owner alone; a token is shown once and kept nowhere. What
is changed there counts with the next request.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import re
import secrets
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from memory_assets.errors import InvalidArgumentError, NotFoundError, UnavailableError
from memory_assets.locks.file_locks import EXCLUSIVE, lock_within, opened_lock_file
from memory_assets.server.files import folder_of, made_folder, write_private

PEOPLE_FILE_NAME: Final = "people.json"
MOST_CHARACTERS: Final = 60
_UNSEEN: Final = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_TOKEN_BYTES: Final = 32
_LOCK_FILE_NAME: Final = "people.lock"
_LOCK_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Person:
    """Who may come in.

    Attributes:
        token_hash: SHA-256 of the token, in hex.
        since: ISO 8601, UTC: when that token was given.
    """

    name: str
    token_hash: str
    since: str


class People:
    """Who may come into the pages of a store's server, as the file says at each question."""

    def __init__(self, home: Path) -> None:
        self._path = folder_of(home) / PEOPLE_FILE_NAME
        self._read: tuple[tuple[int, int] | None, tuple[Person, ...]] = (None, ())  # which file, and who stands in it

    def who_holds(self, token: str) -> Person | None:
        """The person of a token; None where it is nobody's."""
        given = _hash(token).encode()
        found = [one for one in self._there() if hmac.compare_digest(given, one.token_hash.encode())]
        return found[0] if found else None

    def still_holds(self, person: Person) -> bool:
        """Whether a person may still come in with the token of then."""
        return person in self._there()

    def _there(self) -> tuple[Person, ...]:
        try:
            status = self._path.stat()
        except OSError:
            return ()
        state = status.st_ino, status.st_mtime_ns
        if self._read[0] != state:
            self._read = state, _people_in(self._path)
        return self._read[1]


def people_of(home: Path) -> tuple[Person, ...]:
    """Who may come in, by name.

    Raises:
        InvalidArgumentError: the file cannot be read.
    """
    path = folder_of(home) / PEOPLE_FILE_NAME
    if not path.exists():
        return ()
    try:
        return _parsed(path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidArgumentError(f"{path} cannot be read: {error}", hint="take it away, and admit everybody anew") from error


def admit(home: Path, name: str, *, masked: Callable[[str], str] = str) -> str:
    """Let somebody in; the token, which is shown now and never again. Another one of the same name opens nothing any more.

    Args:
        masked: masks what is logged: under a name that it changes two people could be one.

    Raises:
        InvalidArgumentError: it is no name, or the file cannot be read.
        UnavailableError: another process is changing the file.
    """
    name = plain_name(name)
    if not name or len(name) > MOST_CHARACTERS or any(unicodedata.category(one) in _UNSEEN for one in name):
        raise InvalidArgumentError(
            f"a person has a name of 1 to {MOST_CHARACTERS} characters on one line", hint="as in `memory serve admit Ann`"
        )
    if masked(name) != name:
        raise InvalidArgumentError(f"what is said under the name {masked(name)} is logged masked", hint="take a plain name")
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    person = Person(name, _hash(token), datetime.now(UTC).isoformat(timespec="seconds"))
    with _changing(home):
        _write(home, [*(one for one in people_of(home) if one.name != name), person])
    return token


def dismiss(home: Path, name: str) -> None:
    """Let somebody in no more; pages that are open are shut with their next request.

    Raises:
        NotFoundError: nobody of that name may come in.
        InvalidArgumentError: the file cannot be read.
        UnavailableError: another process is changing the file.
    """
    with _changing(home):
        there = people_of(home)
        left = [one for one in there if one.name != plain_name(name)]
        if len(left) == len(there):
            said = f"nobody of the name {name[:MOST_CHARACTERS]!r} may come in"
            raise NotFoundError(said, hint="`memory serve people` lists who may")
        _write(home, left)


@contextlib.contextmanager
def _changing(home: Path) -> Iterator[None]:
    """Nobody else changes who may come in meanwhile: whoever was just dismissed would be written down again."""
    with opened_lock_file(made_folder(home) / _LOCK_FILE_NAME) as file:
        if not lock_within(file, EXCLUSIVE, _LOCK_SECONDS):
            raise UnavailableError("another process is changing who may come in", hint="run the command again")
        yield


def plain_name(name: str) -> str:
    """A name as it is kept: however it was typed, it is one person's."""
    return re.sub(r" {2,}", " ", unicodedata.normalize("NFC", name).strip(" "))


def _people_in(path: Path) -> tuple[Person, ...]:
    """As far as it can be read: what cannot be read lets nobody in."""
    try:
        return _parsed(path)
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def _parsed(path: Path) -> tuple[Person, ...]:
    told = json.loads(path.read_text(encoding="utf-8"))["people"]
    return tuple(Person(str(one["name"]), str(one["token_hash"]), str(one["since"])) for one in told)


def _write(home: Path, people: list[Person]) -> None:
    told = [
        {"name": one.name, "token_hash": one.token_hash, "since": one.since} for one in sorted(people, key=lambda one: one.name)
    ]
    write_private(made_folder(home) / PEOPLE_FILE_NAME, json.dumps({"people": told}, ensure_ascii=False, indent=1) + "\n")


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
