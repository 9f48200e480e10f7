"""The proof of a session once more, from the session: what a recorded verdict is held against."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memory_assets.graduation.proofs.audit import audit
from memory_assets.graduation.proofs.checker import PROVED, without_entries
from memory_assets.graduation.proofs.embedded import judge
from memory_assets.graduation.proofs.generator import generate
from memory_assets.graduation.proofs.model import ProofSession
from memory_assets.graduation.proofs.module_writer import Module


@dataclass(frozen=True, slots=True)
class Reproof:
    """A session's modules as they are generated now.

    Attributes:
        modules: of the session as it is.
        proving: of the session without the entries that were refused; ``modules`` where none was.
        proved: entries that the embedded checker finds proved by ``proving``.
    """

    modules: tuple[Module, ...]
    proving: tuple[Module, ...]
    proved: frozenset[str]

    def is_proved_by(self, recorded: Sequence[tuple[str, str]]) -> bool:
        """Whether ``proving`` is exactly what was recorded: name and sha256 of each module."""
        return [(module.hashed.name, module.hashed.sha256) for module in self.proving] == list(recorded)


def reprove(session: ProofSession, refused_entries: Collection[str]) -> Reproof:
    """Generate the modules again, and have the embedded checker judge those that prove what was not refused."""
    modules = generate(session).modules
    proving = generate(without_entries(session, refused_entries)).modules if refused_entries else modules
    if any(audit(module.source) is not None for module in proving):
        return Reproof(modules, proving, frozenset())
    judgement = judge([module.source for module in proving])
    stages = judgement.stages if judgement.accepted else {}
    return Reproof(modules, proving, frozenset(entry for entry, stage in stages.items() if stage in PROVED))
