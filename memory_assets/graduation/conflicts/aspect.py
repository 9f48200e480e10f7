"""One way in which a statement can be contradicted: a form that whoever contradicts it shares, and what it says there."""

from __future__ import annotations

from dataclasses import dataclass

from memory_assets.graduation.conflicts.reading import listed
from memory_assets.graduation.conflicts.values import Number

GENERIC = listed(
    """
    max min size limit value number count total length amount set disable enable return require change update file test
    note default task list add use 최대 최소 크기 제한 개수 수 길이
    """
)
"""Words that alone are no subject."""


@dataclass(frozen=True, slots=True)
class Aspect:
    """What a statement says in one respect.

    Attributes:
        form: the statement's telling words without what is said, sorted; equal forms have one subject.
        said: the value; for a denial whether the statement affirms the form.
        shown: the words that say it.
        strong: whether it is said by a word that has an opposite.
    """

    form: str
    said: Number | str | bool
    shown: str
    strong: bool = False


def left_of(words: tuple[str, ...], without: set[str]) -> tuple[str, ...]:
    """The words but some."""
    return tuple(word for word in words if word.lstrip("=~") not in without)


def form_of(kind: str, words: tuple[str, ...]) -> str:
    """A form of a kind of aspect. In Korean the order of the words is free, so it does not count."""
    return f"{kind.strip()}: {' '.join(sorted(words))}"
