"""A session as Idris modules; that a quote is in its message is a type.

The text is a function of the session alone: names are a letter and a counter (a module's also a hash of the session's id,
so that modules of several sessions can lie in one folder), and data enters through ``literals`` only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from memory_assets.graduation.proofs.encodable import encodable
from memory_assets.graduation.proofs.model import (
    OutsideCite,
    ProofEntry,
    ProofMessage,
    ProofSession,
    RuleFailure,
    claimed_stage,
)
from memory_assets.graduation.proofs.module_writer import Module, ModuleWriter, Names
from memory_assets.identifiers import sha256_hex

GENERATOR_VERSION: Final = "1"
ENTRIES_A_MODULE: Final = 100


@dataclass(frozen=True, slots=True)
class Generated:
    """A session's modules, in the order in which each imports the one before, and what no module can hold."""

    session_id: str
    modules: tuple[Module, ...]
    refused: tuple[RuleFailure, ...]


def generate(session: ProofSession, *, entries_a_module: int = ENTRIES_A_MODULE) -> Generated:
    """The modules of a session, at least one. Tasks and decisions stand in the last.

    A decision's cite of an entry in an earlier module of the session is written like one of another session, with the
    stage that the entry claims and the time of its latest message. That no id comes twice is proved for entries across
    the modules, for messages and evidence within each.
    """
    rest = encodable(session)
    messages = rest.session.messages
    entries = sorted(rest.session.entries, key=lambda entry: entry.entry_id)
    parts = [entries[at : at + entries_a_module] for at in range(0, len(entries), entries_a_module)] or [[]]
    stem = f"Session{sha256_hex(session.session_id.encode('utf-8', 'surrogatepass'))[:16]}"

    names = Names()
    modules: list[Module] = []
    chain = ""
    for index, part in enumerate(parts):
        is_last = index == len(parts) - 1
        writer = ModuleWriter(names)
        writer.header(f"{stem}P{index}", modules[-1].name if modules else None)
        windowed = writer.messages_and_evidence(messages, part)
        chain = writer.chain([(entry.entry_id, writer.entry(entry)) for entry in part], chain, shared=not is_last)
        if is_last:
            writer.tasks(rest.session.tasks)
            writer.decisions(rest.session.decisions, _as_outside(entries, messages))
        modules.append(Module(f"{stem}P{index}", "\n".join(writer.text) + "\n", windowed))
    return Generated(session.session_id, tuple(modules), rest.refused)


def _as_outside(entries: Sequence[ProofEntry], messages: Sequence[ProofMessage]) -> Mapping[str, OutsideCite]:
    """Of several entries, or messages, under one id the first counts, as it does within a module."""
    times: dict[str, int] = {}
    for message in messages:
        times.setdefault(message.message_id, message.occurred_at_ms)
    found: dict[str, OutsideCite] = {}
    for entry in entries:
        at = max((0, *(times[evidence.message_id] for evidence in entry.evidence)))
        found.setdefault(entry.entry_id, OutsideCite(entry.entry_id, claimed_stage(entry), at))
    return found
