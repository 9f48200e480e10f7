"""Which policy of the judge a store has in force: the one that a person activated last, or else the one that ships."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from memory_assets.court.policy import Policy, policy, shipped_text
from memory_assets.court.policy_file import policy_of
from memory_assets.identifiers import sha256_hex
from memory_assets.log.fetching import fetch
from memory_assets.log.payloads.court import CourtPolicyActivated

if TYPE_CHECKING:
    import duckdb

_ACTIVATED = f"""
SELECT event_id, payload_json ->> '$.version', payload_json ->> '$.sha256', payload_json ->> '$.text',
  payload_json ->> '$.activated_by', coalesce(occurred_at, ts)
FROM events WHERE event_type = '{CourtPolicyActivated.event_type}' ORDER BY seq
"""


@dataclass(frozen=True, slots=True)
class Activation:
    """What a person said of the policy, once; ``text`` is empty where the shipped one was to hold."""

    event_id: str
    version: str
    sha256: str
    text: str
    activated_by: str
    activated_at: datetime

    @property
    def is_of_a_file(self) -> bool:
        """Whether it brought a text of its own."""
        return bool(self.text)

    @property
    def policy(self) -> Policy | None:
        """What it puts in force; None where this version of the program cannot read it."""
        if not self.is_of_a_file:
            return policy()
        read = _read(self.text)
        return read if read is None or self.sha256 == shipped_sha256() else replace(read, sha256=self.sha256)


def activations(connection: duckdb.DuckDBPyConnection) -> list[Activation]:
    """Everything that was activated, in the order of the log."""
    return [Activation(*row) for row in fetch(connection, _ACTIVATED)]


def in_force(told: list[Activation]) -> Activation | None:
    """The newest activation that this version of the program can read; None where the shipped policy holds by itself.

    A store may have been written by a newer version, whose policies say more.
    """
    return next((one for one in reversed(told) if one.policy is not None), None)


def policy_in_force(connection: duckdb.DuckDBPyConnection) -> Policy:
    """How the judge decides now."""
    newest = in_force(activations(connection))
    return (newest.policy if newest else None) or policy()


def shipped_sha256() -> str:
    """The hash of the policy that ships with the program."""
    return sha256_hex(shipped_text())


@lru_cache(maxsize=16)
def _read(text: str) -> Policy | None:
    found = policy_of(text)
    return found if isinstance(found, Policy) else None
