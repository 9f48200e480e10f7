"""Both checkers behind one interface.

A session is generated, audited, and judged by the embedded checker and, where there is one, by the real compiler. An
entry is proved only by modules that a checker accepts as a whole: where a session is refused because of some of its
entries, the rest is judged again without them, so that one bad entry does not drag the others, and none passes on the
strength of a module that failed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from memory_assets.graduation.proofs.audit import CLOSED_VOCABULARY, audit
from memory_assets.graduation.proofs.embedded import EMBEDDED_VERSION, Judgement, judge
from memory_assets.graduation.proofs.generator import generate
from memory_assets.graduation.proofs.idris2_batches import compile_all
from memory_assets.graduation.proofs.idris2_verdicts import Chain, Compiled, Idris2, Unavailable
from memory_assets.graduation.proofs.model import (
    Checker,
    ModuleHash,
    ProofEntry,
    ProofSession,
    RuleFailure,
    Verdict,
    failures_sorted,
    subject_text,
)
from memory_assets.graduation.proofs.module_writer import Module

PROVED: Final = ("verified", "certified")


@dataclass(frozen=True, slots=True)
class CheckedSession:
    """What the checkers say of a session.

    Attributes:
        verdicts: of the session as it is, the embedded checker's first.
        modules: as they were judged, sources and all.
        proved: entries proved at ``verified`` or ``certified`` by every checker that gave a verdict.
        proved_by: the modules that prove them: not ``modules`` where the rest was judged without what was refused.
        failed: entries that a checker refuses (an entry that claims less than ``verified`` is in neither set).
        disagreement: one checker accepts what the other refuses; then nothing is proved.
        notes: one line each for people: why the compiler gave no verdict.
        durations_ms: telemetry, by checker; no part of a verdict.
    """

    session_id: str
    verdicts: tuple[Verdict, ...]
    modules: tuple[Module, ...]
    proved: frozenset[str]
    proved_by: tuple[ModuleHash, ...]
    failed: frozenset[str]
    disagreement: bool
    notes: tuple[str, ...]
    durations_ms: Mapping[str, float]

    @property
    def verdict(self) -> Verdict:
        """The verdict that counts: the compiler's where it gave one."""
        return self.verdicts[-1]

    @property
    def accepted(self) -> bool:
        """Whether every checker accepts everything that the session claims."""
        return all(verdict.accepted for verdict in self.verdicts)


def checker_version(idris2: Idris2 | None) -> str:
    """The checker whose verdict counts: ``embedded 1``, ``idris2 0.8.0``."""
    return f"embedded {EMBEDDED_VERSION}" if idris2 is None else f"idris2 {idris2.version}"


def checker_labels(idris2: Idris2 | None) -> tuple[str, ...]:
    """The checkers that are to give a verdict, in the order of verdicts."""
    embedded = checker_version(None)
    return (embedded,) if idris2 is None else (embedded, checker_version(idris2))


def check_sessions(
    sessions: Sequence[ProofSession],
    *,
    idris2: Idris2 | None = None,
    stopwatch: Callable[[], float] | None = None,
) -> dict[str, CheckedSession]:
    """Check sessions; by session id. What comes out for one does not depend on the others.

    The embedded checker judges all of them first. The compiler gets those that it accepts in batches, the others alone.

    Args:
        stopwatch: seconds, monotonic, to measure the embedded checker by; without one it is not measured.
    """
    firsts = {one.session.session_id: one for one in _rounds(sessions, idris2, stopwatch)}
    rests: dict[str, ProofSession] = {}
    refused: dict[str, frozenset[str]] = {}
    for session_id, first in firsts.items():
        if not first.accepted and not first.disagreement:
            blamed = _blamed(first.session, [failure for verdict in first.verdicts for failure in verdict.rules_failed])
            if not blamed.nothing:
                refused[session_id], rests[session_id] = blamed.entries, _without(first.session, blamed)
    lasts = {one.session.session_id: one for one in _rounds(list(rests.values()), idris2, None)}
    return {
        session_id: _outcome(first, lasts.get(session_id, first), refused.get(session_id, frozenset()))
        for session_id, first in firsts.items()
    }


def without_entries(session: ProofSession, entry_ids: Collection[str]) -> ProofSession:
    """The session without some entries and without decisions that rest on them: what is judged when these are refused."""
    return _without(session, _Blamed(frozenset(entry_ids), frozenset(), frozenset()))


@dataclass(frozen=True, slots=True)
class _Blamed:
    """What of a session the failures lead to."""

    entries: frozenset[str]
    tasks: frozenset[str]
    decisions: frozenset[str]

    @property
    def nothing(self) -> bool:
        return not (self.entries or self.tasks or self.decisions)


def _blamed(session: ProofSession, failures: Sequence[RuleFailure]) -> _Blamed:
    # Subjects of several kinds may bear one id; then all of them are blamed, which errs towards refusing.
    subjects = {failure.subject for failure in failures if failure.rule != "ids-unique"}

    def leads(entry: ProofEntry) -> bool:
        ids = (entry.entry_id, *(item for e in entry.evidence for item in (e.evidence_id, e.message_id)))
        return any(subject_text(item) in subjects for item in ids)

    return _Blamed(
        frozenset(entry.entry_id for entry in session.entries if leads(entry)),
        frozenset(task.task_id for task in session.tasks if subject_text(task.task_id) in subjects),
        frozenset(d.decision_id for d in session.decisions if subject_text(d.decision_id) in subjects),
    )


def _without(session: ProofSession, blamed: _Blamed) -> ProofSession:
    """The session without what is blamed, and without decisions that rest on it."""
    return replace(
        session,
        entries=tuple(entry for entry in session.entries if entry.entry_id not in blamed.entries),
        tasks=tuple(task for task in session.tasks if task.task_id not in blamed.tasks),
        decisions=tuple(
            decision
            for decision in session.decisions
            if decision.decision_id not in blamed.decisions
            and not any(isinstance(cite, str) and cite in blamed.entries for cite in decision.cites)
        ),
    )


@dataclass(frozen=True, slots=True)
class _Round:
    """One generation of a session and what the checkers say of it."""

    session: ProofSession
    modules: tuple[Module, ...]
    verdicts: tuple[Verdict, ...]
    stages: Mapping[str, str]
    notes: tuple[str, ...]
    durations_ms: Mapping[str, float]

    @property
    def accepted(self) -> bool:
        return all(verdict.accepted for verdict in self.verdicts)

    @property
    def disagreement(self) -> bool:
        return len({verdict.accepted for verdict in self.verdicts}) > 1

    def of_first(self, checkers: int) -> _Round:
        """The round as only the first of its checkers judged it."""
        return replace(self, verdicts=self.verdicts[:checkers])


def _outcome(first: _Round, last: _Round, failed: frozenset[str]) -> CheckedSession:
    # A checker that is silent about the session or about the rest of it has judged neither: asked again, it may do both.
    answering = min(len(first.verdicts), len(last.verdicts))
    first, last = first.of_first(answering), last.of_first(answering)
    disagreement = first.disagreement or last.disagreement
    stands = last.accepted and not disagreement
    entries = last.session.entries
    proved = frozenset(entry.entry_id for entry in entries if stands and last.stages.get(entry.entry_id) in PROVED)
    return CheckedSession(
        session_id=first.session.session_id,
        verdicts=first.verdicts,
        modules=first.modules,
        proved=proved,
        proved_by=tuple(module.hashed for module in last.modules) if proved else (),
        failed=failed if stands else frozenset(entry.entry_id for entry in first.session.entries),
        disagreement=disagreement,
        notes=tuple(dict.fromkeys((*first.notes, *last.notes))),
        durations_ms=first.durations_ms,
    )


@dataclass(frozen=True, slots=True)
class _Draft:
    """A session's modules, and what the embedded checker says of them."""

    session: ProofSession
    modules: tuple[Module, ...]
    outside: frozenset[RuleFailure]
    refused: tuple[RuleFailure, ...]
    judgement: Judgement
    duration_ms: float | None


def _rounds(sessions: Sequence[ProofSession], idris2: Idris2 | None, stopwatch: Callable[[], float] | None) -> Iterator[_Round]:
    drafts = {session.session_id: _draft(session, stopwatch) for session in sessions}
    compiled: dict[str, Compiled | Unavailable] = {}
    if idris2 is not None:
        chains = {key: Chain(draft.modules, len(draft.session.entries)) for key, draft in drafts.items() if not draft.outside}
        alone = [key for key in chains if not drafts[key].judgement.accepted]
        compiled = compile_all(idris2, chains, alone=alone)
    for key, draft in drafts.items():
        yield _round(draft, idris2, compiled.get(key))


def _draft(session: ProofSession, stopwatch: Callable[[], float] | None) -> _Draft:
    generated = generate(session)
    modules = generated.modules
    outside = frozenset(RuleFailure(CLOSED_VOCABULARY, module.name) for module in modules if audit(module.source) is not None)
    started = stopwatch() if stopwatch else 0.0
    judgement = Judgement(()) if outside else judge([module.source for module in modules])
    duration_ms = (stopwatch() - started) * 1000 if stopwatch else None
    return _Draft(session, modules, outside, generated.refused, judgement, duration_ms)


def _round(draft: _Draft, idris2: Idris2 | None, compiled: Compiled | Unavailable | None) -> _Round:
    # What no module can hold, and a module that no checker may see, count for both checkers alike.
    common = {*draft.refused, *draft.outside}
    verdicts = [_verdict("embedded", EMBEDDED_VERSION, draft.modules, {*common, *draft.judgement.failures})]
    durations = {} if draft.duration_ms is None else {"embedded": draft.duration_ms}
    notes: tuple[str, ...] = ()
    match compiled:
        case Unavailable(reason):
            notes = (reason,)
        case Compiled(_, failures, duration_ms) if idris2 is not None:
            verdicts.append(_verdict("idris2", idris2.version, draft.modules, {*common, *failures}))
            durations["idris2"] = duration_ms
    return _Round(draft.session, draft.modules, tuple(verdicts), draft.judgement.stages, notes, durations)


def _verdict(checker: Checker, version: str, modules: Sequence[Module], failures: set[RuleFailure]) -> Verdict:
    return Verdict(checker, version, not failures, failures_sorted(failures), tuple(module.hashed for module in modules))
