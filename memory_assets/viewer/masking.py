"""Masking once more, where a page is written: a store may be older than the policy that is in force."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from memory_assets.sessions.masking.redaction import redact_text

if TYPE_CHECKING:
    from memory_assets.sessions.masking.redaction_policy import RedactionPolicy

# Ids, hashes, numbers and plain words: most of what a page says beside texts.
_NOTHING_TO_MASK: Final = re.compile(r"(?:[a-z]{2,8}_)?[0-9a-f]{32}(?:[0-9a-f]{32})?|[A-Za-z][a-z_]{0,31}|[0-9.:, -]{0,20}")
_SHORT: Final = 2_000
_MOST_KEPT: Final = 20_000


class Masked(str):
    """Text that was masked, or that was made of such: it is escaped as all text is, and not looked at again."""

    __slots__ = ()


class Mask:
    """Masks by one policy; what is short and said again is kept."""

    def __init__(self, policy: RedactionPolicy) -> None:
        self.policy = policy
        self._short = lru_cache(maxsize=_MOST_KEPT)(self._looked_at)

    def __call__(self, text: str) -> Masked:
        """A text without what the policy masks."""
        if isinstance(text, Masked):
            return text
        if _NOTHING_TO_MASK.fullmatch(text):
            return Masked(text)
        return self._short(text) if len(text) <= _SHORT else self._looked_at(text)

    def _looked_at(self, text: str) -> Masked:
        return Masked(redact_text(text, self.policy).text)


_by_policy: dict[str, Mask] = {}


def mask_by(policy: RedactionPolicy) -> Mask:
    """The mask of a policy; one for all pages while the policy is the same."""
    if policy.policy_hash not in _by_policy:
        _by_policy.clear()
        _by_policy[policy.policy_hash] = Mask(policy)
    return _by_policy[policy.policy_hash]
