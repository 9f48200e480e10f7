"""Which task or condition people said is which other one."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MergeWord:
    """A person says that ``from_id`` is ``into_id``, or takes that back."""

    from_id: str
    into_id: str
    is_reverted: bool = False


def merges_in_force(words: Iterable[MergeWord], known: Collection[str]) -> dict[str, str]:
    """From each id that is another one by now to what it is in the end.

    Of two merges of one id the last one holds. A merge of an id that nobody knows, or of things of two kinds, says nothing,
    and one that would close a circle does not count.

    Args:
        words: in the order in which they were said.
        known: the ids that belong to something.
    """
    standing: list[tuple[str, str]] = []
    for word in words:
        pair = (word.from_id, word.into_id)
        standing = [other for other in standing if other != pair]
        if not word.is_reverted:
            standing.append(pair)
    into: dict[str, str] = {}
    for one, other in standing:
        if one in known and other in known and one[:4] == other[:4] and one not in _chain(other, into):
            into[one] = other
    return {one: _chain(one, into)[-1] for one in into}


def _chain(entity_id: str, into: dict[str, str]) -> list[str]:
    chain = [entity_id]
    while entity_id in into:
        entity_id = into[entity_id]
        chain.append(entity_id)
    return chain
