"""The lines of one generated module, and what stands on each (see ``generator``).

What has to be proved is an argument ``Ok`` on a line of its own, so that a line is enough to name a rule and a subject.
The terms are kept to what is known to work in Idris 2 0.7 and 0.8: definitions with a type, constructors, literals and
lists; names begin with a capital, for a small one in a type would be a fresh variable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final, Literal

from memory_assets.graduation.proofs.errors import UnwritableError
from memory_assets.graduation.proofs.literals import (
    KIND_WORDS,
    METHOD_WORDS,
    STAGE_WORDS,
    STATUS_WORDS,
    lit,
    num,
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
from memory_assets.graduation.stages import STAGES
from memory_assets.identifiers import sha256_hex

WHOLE_MESSAGE_LIMIT: Final = 4_000

# Not obligations with an ``Ok`` of their own but how a term is built: the ladder for an entry, types for the rest.
LADDER: Final = "stage-ladder"
WELL_TYPED: Final = "well-typed"

SubjectKind = Literal["message", "evidence", "entry", "task", "decision", "ids"]


@dataclass(frozen=True, slots=True)
class Obligation:
    """What stands on a line of a module: the rule, and the subject that a complaint about the line is about."""

    session_id: str
    kind: SubjectKind
    subject: str
    rule: str


@dataclass(frozen=True, slots=True)
class Module:
    """One generated module.

    Attributes:
        name: of the module and, with ``.idr``, of its file.
        lines: 1-based line -> what stands there.
        windowed: ids of the messages embedded as a window only.
    """

    name: str
    source: str
    lines: dict[int, Obligation] = field(repr=False)
    windowed: tuple[str, ...] = ()

    @property
    def hashed(self) -> ModuleHash:
        """What a verdict keeps of the module."""
        return ModuleHash(self.name, sha256_hex(self.source), self.windowed)


@dataclass(frozen=True, slots=True)
class _Rung:
    """A constructor of the ladder: what opens its line, and what stands behind the entry that it takes."""

    opening: str
    argument: str = ""
    rules: tuple[str, ...] = ()


class Names:
    """Counters that run through all modules of a session, so that no two definitions share a name."""

    def __init__(self) -> None:
        self._counters = {letter: count() for letter in "MVGECTQDU"}

    def next(self, letter: str) -> str:
        return f"{letter}{next(self._counters[letter])}"


class ModuleWriter:
    """One module in the making."""

    def __init__(self, session_id: str, names: Names) -> None:
        self.text: list[str] = []
        self.lines: dict[int, Obligation] = {}
        self._session_id = session_id
        self._names = names
        self._messages: dict[str, str] = {}
        self._evidence: dict[ProofEvidence, str] = {}
        self._entries: dict[str, str] = {}

    # -- lines ---------------------------------------------------------------------------------------------------------

    def header(self, name: str, previous: str | None) -> None:
        imports = ["import Memory.Session", *([f"import {previous}"] if previous else [])]
        self.text += [f"module {name}", *imports, "%default total"]

    def _line(self, text: str, kind: SubjectKind, subject: str, rule: str) -> None:
        self.text.append(text)
        self.lines[len(self.text)] = Obligation(self._session_id, kind, subject, rule)

    def _define(self, name: str, type_: str, body: str, kind: SubjectKind, subject: str, rules: Sequence[str]) -> None:
        """A definition whose head is one line, and its obligations."""
        self.text.append("")
        self._line(f"{name} : {type_}", kind, subject, WELL_TYPED)
        self._line(f"{name} =", kind, subject, WELL_TYPED)
        self._line(f"  {body}", kind, subject, WELL_TYPED)
        for rule in rules:
            self._line("  Ok", kind, subject, rule)

    def _unique(self, kind: str, ids: Sequence[str]) -> None:
        if ids:
            name = self._names.next("U")
            self._define(name, "Unique", f"AllUnique {lit(kind)} [{', '.join(ids)}]", "ids", kind, ["ids-unique"])

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
            f"Msg {lit(message.message_id)} {num(message.occurred_at_ms)} {num(length)} {num(first)} "
            f"{lit(message.text[first:last])}",
            "message",
            message.message_id,
            ["message-id-not-empty", "message-text-fits-length"],
        )
        return (first, last) != (0, length)

    def _cut(self, evidence: ProofEvidence) -> None:
        message, subject = self._messages[evidence.message_id], evidence.evidence_id
        rules = ["span-inside-message", "confidence-fits-method", "slice-is-source-text", "exact-quote-is-slice"]

        def define(method: str, confidence: int, start: int, end: int, quote: str, matched: str) -> str:
            name = self._names.next("V")
            body = f"Cut {lit(subject)} {method} {num(confidence)} {num(start)} {num(end)} {lit(quote)} {lit(matched)}"
            self._define(name, f"EvidenceOf {message}", body, "evidence", subject, rules)
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
            body = f"InOrder {lit(subject)} {whole} [{', '.join(parts)}]"
            self._define(self._names.next("G"), "Segments", body, "evidence", subject, ["segments-in-order"])

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
            _Rung(
                f"Draft {lit(subject)} {KIND_WORDS[entry.entry_type]} {lit(entry.title)}",
                rules=("entry-id-not-empty", "title-not-empty"),
            ),
            _Rung("Extract"),
            _Rung("Ground", argument=f"[{grounds}] {failed}", rules=("has-evidence",)),
            _Rung("Verify", rules=("all-evidence-aligned",)),
            _Rung("Certify", argument=lit(entry.certifier), rules=("certifier-named",)),
        )[: rung + 1]

        self.text.append("")
        self._line(f"{name} : Entry {lit(subject)} {STAGE_WORDS[stage]} {failed}", "entry", subject, LADDER)
        self._line(f"{name} =", "entry", subject, LADDER)
        for step in reversed(climb):
            self._line(f"  {'' if step is climb[-1] else '('}{step.opening}", "entry", subject, LADDER)
        for step in climb:
            if step.argument:
                self._line(f"  {step.argument}", "entry", subject, LADDER)
            for rule in step.rules:
                self._line("  Ok", "entry", subject, rule)
            if step is not climb[-1]:
                self._line("  )", "entry", subject, LADDER)
        return name

    def chain(self, entries: Sequence[tuple[str, str]], chain: str, *, shared: bool) -> str:
        """Entries (id, name) in ascending order, behind the ``chain`` of the module before (or none).

        ``shared`` lets the next module go on from the last link, whose name is returned.
        """
        if not chain:
            chain = self._names.next("C")
            self.text += ["", f"{chain} : Entries {lit('')}", f"{chain} =", "  Empty"]
        for subject, entry in entries:
            link = self._names.next("C")
            self.text += ["", "export"] if shared and (subject, entry) == entries[-1] else [""]
            self._line(f"{link} : Entries {lit(subject)}", "entry", subject, WELL_TYPED)
            self._line(f"{link} =", "entry", subject, WELL_TYPED)
            self._line(f"  Add {chain} {entry}", "entry", subject, WELL_TYPED)
            self._line("  Ok", "entry", subject, "entry-ids-unique")
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
                blockers = f"[{', '.join(lit(blocker) for blocker in move.blockers)}]"
                made = f"Move {previous} {at} {status}" if previous else f"Create {lit(task.task_id)} {at} {status}"
                rules = (
                    ["legal-task-transition", "events-in-time-order", "blockers-fit-status"]
                    if previous
                    else ["task-id-not-empty", "task-starts-legally", "blockers-fit-status"]
                )
                type_ = f"History {lit(task.task_id)} {status} {at}"
                self._define(name, type_, f"{made} {blockers}", "task", task.task_id, rules)
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
                    cited, body = cite, f"Cite {self._entries[cite]}"
                elif other is not None:
                    cited = other.entry_id
                    body = f"CiteOther {lit(cited)} {STAGE_WORDS[other.stage]} {num(other.occurred_at_ms)}"
                else:
                    raise UnwritableError(
                        f"decision {subject!r} cites an entry that no module defines",
                        hint="decide with representable() before writing",
                    )
                cites.append(self._names.next("Q"))
                rules = ["decision-cites-verified", "evidence-precedes-decision"]
                self._define(cites[-1], f"Cited {at}", body, "entry", cited, rules)
            names.append(self._names.next("D"))
            body = f"Decide {lit(subject)} {at} [{', '.join(cites)}]"
            rules = ["decision-id-not-empty", "decision-has-evidence"]
            self._define(names[-1], f"Ruling {lit(subject)}", body, "decision", subject, rules)
        self._unique("decision", [f"decisionId {name}" for name in names])
