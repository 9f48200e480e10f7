"""The root of every error of this package.

Expected outcomes are values; an exception means a broken invariant or a missing resource. Each package has its own
``errors.py`` under this root. A message says what failed and for which id; ``hint`` says what to do about it.
"""

from __future__ import annotations

from collections.abc import Collection


class MemoryAssetsError(Exception):
    """Something failed that the user can act upon.

    Attributes:
        code: a stable, machine-readable name (requirements K-38), for ``error.v1``.
        hint: the next thing to do, one sentence; empty when there is nothing to suggest.
    """

    code = "generic"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class InvalidArgumentError(MemoryAssetsError):
    """A value that the caller gave cannot be used."""

    code = "invalid_argument"


class NotFoundError(MemoryAssetsError):
    """No such thing in the store."""

    code = "not_found"


class ConfigInvalidError(MemoryAssetsError):
    """A settings file, environment variable or policy file cannot be used."""

    code = "config_invalid"


def check_word(what: str, given: str | None, known: Collection[str]) -> None:
    """Refuse a word that a closed list does not hold; an answer of nothing would look like the truth.

    Raises:
        InvalidArgumentError: with the words that there are.
    """
    if given is not None and given not in known:
        raise InvalidArgumentError(f"there is no {what} {given[:100]!r}", hint=f"one of {', '.join(known)}")
