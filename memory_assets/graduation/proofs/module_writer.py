"""The lines of one generated module (see ``generator``).

What has to be proved is an argument ``Ok`` on a line of its own, so that a line is enough to name a rule and a subject
(``error_locations``).
The terms are kept to what is known to work in Idris 2 0.7 and 0.8: definitions with a type, constructors, literals and
lists; names begin with a capital, for a small one in a type would be a fresh variable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from memory_assets.graduation.proofs.errors import UnwritableError
from memory_assets.graduation.proofs.literals import (
    KIND_WORDS,
    METHOD_WORDS,
    STAGE_WORDS,
    STATUS_WORDS,
    num,
    string_literal,
    ten_thousandths,
)
from memory_assets.graduation.proofs.model import (
    ModuleHash,
    OutsideCite,
    ProofDecision,
    ProofEntry,
    ProofEvidence,
    ProofMessage,
    ProofTask,
    claimed_stage,
)
from memory_assets.identifiers import sha256_hex
from memory_assets.vocabulary import STAGES

WHOLE_MESSAGE_LIMIT: Final = 4_000


@dataclass(frozen=True, slots=True)
class Module:
    """One generated module.

    Attributes:
        name: of the module and, with ``.idr``, of its file.
        windowed: ids of the messages embedded as a window only.
    """

    name: str
    source: str
    windowed: tuple[str, ...] = ()

    @property
    def hashed(self) -> ModuleHash:
        """What a verdict keeps of the module."""
        return ModuleHash(self.name, sha256_hex(self.source), self.windowed)


@dataclass(frozen=True, slots=True)
class _Rung:
    """A constructor of the ladder: what opens its line, what stands behind the entry that it takes, and how much it owes."""

    opening: str
    argument: str = ""
    proofs: int = 0


class Names:
    """Counters that run through all modules of a session, so that no two definitions share a name."""

    def __init__(self) -> None:
        self._counters = {letter: count() for letter in "MVGECTQDU"}

    def next(self, letter: str) -> str:
        return f"{letter}{next(self._counters[letter])}"


class ModuleWriter:
    """One module in the making."""

    def __init__(self, names: Names) -> None:
        self.text: list[str] = []
        self._names = names
        self._messages: dict[str, str] = {}
        self._evidence: dict[ProofEvidence, str] = {}
        self._entries: dict[str, str] = {}

    # -- lines ---------------------------------------------------------------------------------------------------------

    def header(self, name: str, previous: str | None) -> None:
        imports = ["import Memory.Session", *([f"import {previous}"] if previous else [])]
        self.text += [f"module {name}", *imports, "%default total"]

    def _define(self, name: str, type_: str, body: str, proofs: int) -> None:
        """A definition whose body is one line and so many obligations."""
        self.text += ["", f"{name} : {type_}", f"{name} =", f"  {body}", *["  Ok"] * proofs]

    def _unique(self, kind: str, ids: Sequence[str]) -> None:
        if ids:
            self._define(self._names.next("U"), "Unique", f"AllUnique {string_literal(kind)} [{', '.join(ids)}]", 1)

    # -- messages and evidence -----------------------------------------------------------------------------------------

    def messages_and_evidence(self, messages: Sequence[ProofMessage], entries: Sequence[ProofEntry]) -> tuple[str, ...]:
        """The messages that these entries cite, each once, and their evidence. Returns the ids of those cut to a window."""
        # Equal evidence of two entries is one definition; different evidence under one id is two, and not unique.
        evidence = sorted({item: None for entry in entries for item in entry.evidence}, key=lambda item: item.evidence_id)
        spans: dict[str, list[tuple[int, int]]] = {}
        for item in evidence:
            spans.setdefault(item.message_id, []).append((item.span_start, item.span_end))
        cited = sorted((message for message in messages if message.message_id in spans), key=lambda m: m.message_id)
        windowed = tuple(m.message_id for m in cited if self._message(m, spans[m.message_id]))
        for item in evidence:
            self._cut(item)
        self._unique("message", [f"messageId {self._messages[m.message_id]}" for m in cited])
        self._unique("evidence", [f"evidenceId {self._evidence[item]}" for item in evidence])
        return windowed

    def _message(self, message: ProofMessage, spans: Sequence[tuple[int, int]]) -> bool:
        length, first, last = len(message.text), 0, len(message.text)
        if length > WHOLE_MESSAGE_LIMIT:
            first = min(max(min(start for start, _ in spans), 0), length)
            last = max(min(max(end for _, end in spans), length), first)
        name = self._names.next("M")
        self._messages.setdefault(message.message_id, name)
        self._define(
            name,
            "Message",
            f"Msg {string_literal(message.message_id)} {num(message.occurred_at_ms)} {num(length)} {num(first)} "
            f"{string_literal(message.text[first:last])}",
            2,
        )
        return (first, last) != (0, length)

    def _cut(self, evidence: ProofEvidence) -> None:
        message, subject = self._messages[evidence.message_id], evidence.evidence_id

        def define(method: str, confidence: int, start: int, end: int, quote: str, matched: str) -> str:
            name = self._names.next("V")
            numbers = f"{num(confidence)} {num(start)} {num(end)}"
            body = f"Cut {string_literal(subject)} {method} {numbers} {string_literal(quote)} {string_literal(matched)}"
            self._define(name, f"EvidenceOf {message}", body, 4)
            return name

        whole = define(
            METHOD_WORDS[evidence.method],
            ten_thousandths(evidence.confidence),
            evidence.span_start,
            evidence.span_end,
            evidence.quote,
            evidence.matched_text,
        )
        self._evidence[evidence] = whole
        if len(evidence.segments) > 1:
            # A part's slice is cut from the stored text, not from the message: otherwise it would prove itself.
            parts = []
            for start, end in evidence.segments:
                inside = max(start - evidence.span_start, 0), max(end - evidence.span_start, 0)
                piece = evidence.matched_text[inside[0] : inside[1]]
                parts.append(define("Exact", 10_000, start, end, piece, piece))
            body = f"InOrder {string_literal(subject)} {whole} [{', '.join(parts)}]"
            self._define(self._names.next("G"), "Segments", body, 1)

    # -- entries -------------------------------------------------------------------------------------------------------

    def entry(self, entry: ProofEntry) -> str:
        """An entry's climb, innermost its draft: each rung opens a line, its obligations follow, then it closes.

        Returns its name. Of two entries under one id the chain refuses the second; a cite goes to the first.
        """
        stage, subject = claimed_stage(entry), entry.entry_id
        rung = STAGES.index(stage)
        failed = num(entry.failed_count if rung >= STAGES.index("candidate") else 0)
        name = self._names.next("E")
        self._entries.setdefault(subject, name)
        grounds = ", ".join(f"Ev {self._messages[e.message_id]} {self._evidence[e]}" for e in entry.evidence)
        climb = (
            _Rung(f"Draft {string_literal(subject)} {KIND_WORDS[entry.entry_type]} {string_literal(entry.title)}", proofs=2),
            _Rung("Extract"),
            _Rung("Ground", argument=f"[{grounds}] {failed}", proofs=1),
            _Rung("Verify", proofs=1),
            _Rung("Certify", argument=string_literal(entry.certifier), proofs=1),
        )[: rung + 1]

        self.text += ["", f"{name} : Entry {string_literal(subject)} {STAGE_WORDS[stage]} {failed}", f"{name} ="]
        self.text += [f"  {'' if step is climb[-1] else '('}{step.opening}" for step in reversed(climb)]
        for step in climb:
            self.text += [f"  {step.argument}"] if step.argument else []
            self.text += ["  Ok"] * step.proofs
            self.text += ["  )"] if step is not climb[-1] else []
        return name

    def chain(self, entries: Sequence[tuple[str, str]], chain: str, *, shared: bool) -> str:
        """Entries (id, name) in ascending order, behind the ``chain`` of the module before (or none).

        ``shared`` lets the next module go on from the last link, whose name is returned.
        """
        if not chain:
            chain = self._names.next("C")
            self.text += ["", f"{chain} : Entries {string_literal('')}", f"{chain} =", "  Empty"]
        for subject, entry in entries:
            link = self._names.next("C")
            self.text += ["", "export"] if shared and (subject, entry) == entries[-1] else [""]
            self.text += [f"{link} : Entries {string_literal(subject)}", f"{link} =", f"  Add {chain} {entry}", "  Ok"]
            chain = link
        return chain

    # -- tasks and decisions -------------------------------------------------------------------------------------------

    def tasks(self, tasks: Sequence[ProofTask]) -> None:
        """Each task's history, one definition an event."""
        last: list[str] = []
        for task in sorted(tasks, key=lambda task: task.task_id):
            name = ""
            for move in task.moves:
                previous, name = name, self._names.next("T")
                status, at = STATUS_WORDS[move.status], num(move.occurred_at_ms)
                blockers = f"[{', '.join(string_literal(blocker) for blocker in move.blockers)}]"
                made = f"Move {previous} {at} {status}" if previous else f"Create {string_literal(task.task_id)} {at} {status}"
                self._define(name, f"History {string_literal(task.task_id)} {status} {at}", f"{made} {blockers}", 3)
            last.append(f"taskId {name}")
        self._unique("task", last)

    def decisions(self, decisions: Sequence[ProofDecision], outside: Mapping[str, OutsideCite]) -> None:
        """Decisions and what they cite; ``outside`` holds the session's entries that an earlier module defines."""
        names: list[str] = []
        for decision in sorted(decisions, key=lambda decision: decision.decision_id):
            at, subject = num(decision.occurred_at_ms), decision.decision_id
            cites: list[str] = []
            for cite in decision.cites:
                other = cite if isinstance(cite, OutsideCite) else outside.get(cite)
                if isinstance(cite, str) and cite in self._entries:
                    body = f"Cite {self._entries[cite]}"
                elif other is not None:
                    body = f"CiteOther {string_literal(other.entry_id)} {STAGE_WORDS[other.stage]} {num(other.occurred_at_ms)}"
                else:
                    raise UnwritableError(
                        f"decision {subject!r} cites an entry that no module defines",
                        hint="decide with representable() before writing",
                    )
                cites.append(self._names.next("Q"))
                self._define(cites[-1], f"Cited {at}", body, 2)
            names.append(self._names.next("D"))
            body = f"Decide {string_literal(subject)} {at} [{', '.join(cites)}]"
            self._define(names[-1], f"Ruling {string_literal(subject)}", body, 2)
        self._unique("decision", [f"decisionId {name}" for name in names])
