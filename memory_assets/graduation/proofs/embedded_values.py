"""What the definitions of a module are worth to the embedded checker, and how terms are read as plain values.

``sound`` is false, and a time None, for a definition that failed: its type still stands, its value does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_assets.graduation.proofs.embedded_syntax import Call, Term


@dataclass(frozen=True, slots=True)
class Message:
    id: str
    time: int
    length: int
    offset: int
    text: str
    sound: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    message: str
    id: str
    start: int
    end: int
    sound: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """``time`` is that of the latest message it rests on; None where the entry, or such a message, has no value."""

    id: str
    stage: str
    failed: int
    time: int | None


@dataclass(frozen=True, slots=True)
class Chain:
    last: str


@dataclass(frozen=True, slots=True)
class History:
    task: str
    status: str
    last: int
    sound: bool


@dataclass(frozen=True, slots=True)
class Cited:
    at: int


@dataclass(frozen=True, slots=True)
class Ruling:
    id: str
    sound: bool


@dataclass(frozen=True, slots=True)
class Stated:
    """A definition that nothing computes with (segments, unique ids)."""


Value = Message | Evidence | Entry | Chain | History | Cited | Ruling | Stated


class IllTyped(Exception):
    """A term that is not of its type; never leaves the embedded checker."""


def integer(term: Term) -> int:
    """A whole number; one below zero is ``minus n``."""
    if isinstance(term, int):
        return term
    match term:
        case Call("minus", (inner,)):
            return -integer(inner)
        case _:
            raise IllTyped


def bare_word(term: Term) -> str:
    """A word without arguments."""
    if not isinstance(term, Call) or term.args:
        raise IllTyped
    return term.head


def texts(terms: Sequence[Term]) -> list[str]:
    """A list of texts and nothing else."""
    found = [term for term in terms if isinstance(term, str)]
    if len(found) != len(terms):
        raise IllTyped
    return found
