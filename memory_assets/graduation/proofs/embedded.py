"""The embedded checker: it type-checks the generated modules themselves, by its own statement of the rules.

It stands in where there is no compiler and is compared with one where there is. It reads the
module's text and nothing else, so that it also catches faults of the generator; subjects are the ids that stand in the text.
A definition that fails has no value: what computes with it fails too, as in the compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from memory_assets.graduation.proofs import embedded_rules as rules
from memory_assets.graduation.proofs.embedded_syntax import Call, Definition, Items, Term, Unreadable, id_in, read_module
from memory_assets.graduation.proofs.embedded_values import (
    Chain,
    Cited,
    Entry,
    Evidence,
    History,
    IllTyped,
    Message,
    Ruling,
    Stated,
    Value,
    bare_word,
    integer,
    texts,
)
from memory_assets.graduation.proofs.model import RuleFailure, failures_sorted

EMBEDDED_VERSION: Final = "1"

WELL_FORMED: Final = "well-formed"
WELL_TYPED: Final = "well-typed"
LADDER: Final = "stage-ladder"

_METHODS: Final = ("Exact", "Normalized", "Fuzzy")
_KINDS: Final = ("Fact", "Decision", "Preference", "Insight", "TaskNote", "Reference")
_STAGES: Final = ("Raw", "Working", "Candidate", "Verified", "Certified")
_STATUSES: Final = ("Pending", "InProgress", "Blocked", "Done", "Cancelled")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the embedded checker says of a chain of modules.

    Attributes:
        failures: sorted; empty when every definition checks.
        stages: entry id -> the stage that the modules prove for it, in lower case; only of entries that check.
    """

    failures: tuple[RuleFailure, ...]
    stages: dict[str, str] = field(default_factory=dict)

    @property
    def accepted(self) -> bool:
        """Whether everything in the modules is proved."""
        return not self.failures


def judge(sources: Sequence[str]) -> Judgement:
    """Type-check modules, each of which may import those before it."""
    failures: set[RuleFailure] = set()
    stages: dict[str, str] = {}
    shared: dict[str, dict[str, Value | None]] = {}
    for position, source in enumerate(sources):
        module = read_module(source)
        if isinstance(module, Unreadable):
            failures.add(RuleFailure(WELL_FORMED, f"module {position}, line {module.line}"))
            continue
        checker = _ModuleChecker()
        for name in module.imports:
            if name in shared:
                checker.known.update(shared[name])
            else:
                checker.failures.add(RuleFailure(WELL_FORMED, module.name))
        if module.name in shared:
            checker.failures.add(RuleFailure(WELL_FORMED, module.name))
        for definition in module.definitions:
            checker.define(definition)
        failures |= checker.failures
        stages.update(checker.stages)
        shared[module.name] = checker.exported
    return Judgement(failures_sorted(failures), stages)


_OK: Final = Call("Ok")


class _ModuleChecker:
    """The definitions of one module, in order: each may use those above it."""

    def __init__(self) -> None:
        # None is the value of a name whose type is none: it is taken, and nothing can be done with it.
        self.known: dict[str, Value | None] = {}
        self.exported: dict[str, Value | None] = {}
        self.failures: set[RuleFailure] = set()
        self.stages: dict[str, str] = {}

    def define(self, definition: Definition) -> None:
        """Check a definition and give its name a value."""
        if definition.name in self.known:
            self.failures.add(RuleFailure(WELL_TYPED, definition.name))
            return
        try:
            self.known[definition.name] = self._checked(definition.type, definition.term)
        except IllTyped:
            rule = LADDER if isinstance(definition.type, Call) and definition.type.head == "Entry" else WELL_TYPED
            self.failures.add(RuleFailure(rule, self._subject(definition)))
            self.known[definition.name] = self._declared(definition.type)
        if definition.exported:
            # ``export`` shows another module the type of a definition, not its value.
            self.exported[definition.name] = self._declared(definition.type)

    def _checked(self, type_: Term, term: Term) -> Value:
        match type_:
            case Call("Message", ()):
                return self._message(term)
            case Call("EvidenceOf", (Call(message, ()),)):
                return self._evidence(message, term)
            case Call("Segments", ()):
                return self._segments(term)
            case Call("Entry", (str(entry), Call(stage, ()), failed)):
                return self._entry(entry, stage, integer(failed), term)
            case Call("Entries", (str(last),)):
                return self._chain(last, term)
            case Call("History", (str(task), Call(status, ()), last)):
                return self._history(task, status, integer(last), term)
            case Call("Cited", (at,)):
                return self._cited(integer(at), term)
            case Call("Ruling", (str(decision),)):
                return self._ruling(decision, term)
            case Call("Unique", ()):
                return self._unique(term)
            case _:
                raise IllTyped

    def _declared(self, type_: Term) -> Value | None:
        """What a definition of this type still stands for where its value is not to be had; None for what is no type."""
        try:
            match type_:
                case Call("Message", ()):
                    return Message("", 0, 0, 0, "", sound=False)
                case Call("EvidenceOf", (Call(message, ()),)) if isinstance(self.known.get(message), Message):
                    return Evidence(message, "", 0, 0, sound=False)
                case Call("Entry", (str(entry), Call(stage, ()), failed)) if stage in _STAGES:
                    return Entry(entry, stage, integer(failed), None)
                case Call("Entries", (str(last),)):
                    return Chain(last)
                case Call("History", (str(task), Call(status, ()), last)) if status in _STATUSES:
                    return History(task, status, integer(last), sound=False)
                case Call("Cited", (at,)):
                    return Cited(integer(at))
                case Call("Ruling", (str(decision),)):
                    return Ruling(decision, sound=False)
                case _:
                    return None
        except IllTyped:
            return None

    def _subject(self, definition: Definition) -> str:
        """Whom a definition is about: the id that stands in it, or the entry that it cites; else its name."""
        id_ = id_in(definition)
        if id_ is not None:
            return id_
        match definition.term:
            case Call("Cite", (Call(name, ()), *_)):
                entry = self.known.get(name)
                if isinstance(entry, Entry):
                    return entry.id
        return definition.name

    def _owe(self, subject: str, proofs: Sequence[Term], *obligations: tuple[str, bool]) -> bool:
        """Each obligation takes one ``Ok``; those that do not hold are failures. True when all hold."""
        if list(proofs) != [_OK] * len(obligations):
            raise IllTyped
        broken = [RuleFailure(rule, subject) for rule, holds in obligations if not holds]
        self.failures.update(broken)
        return not broken

    # -- messages and evidence -----------------------------------------------------------------------------------------

    def _message(self, term: Term) -> Message:
        match term:
            case Call("Msg", (str(id_), time, length, offset, str(text), *proofs)):
                at, size, start = integer(time), integer(length), integer(offset)
                sound = self._owe(
                    id_,
                    proofs,
                    ("message-id-not-empty", rules.message_id_not_empty(id_)),
                    ("message-text-fits-length", rules.message_text_fits_length(size, start, text)),
                )
                return Message(id_, at, size, start, text, sound)
            case _:
                raise IllTyped

    def _evidence(self, message_name: str, term: Term) -> Evidence:
        message = self.known.get(message_name)
        match message, term:
            case (
                Message(_, _, length, offset, text, known),
                Call("Cut", (str(id_), Call(method, ()), confidence, first, last, str(quote), str(stored), *proofs)),
            ) if method in _METHODS:
                start, end = integer(first), integer(last)
                inside = rules.span_inside_message(length, start, end)
                sliced = rules.slice_is_source_text(text, offset, start, end, stored)
                sound = self._owe(
                    id_,
                    proofs,
                    ("span-inside-message", known and inside),
                    ("confidence-fits-method", rules.confidence_fits_method(method, integer(confidence))),
                    ("slice-is-source-text", known and sliced),
                    ("exact-quote-is-slice", rules.exact_quote_is_slice(method, quote, stored)),
                )
                return Evidence(message_name, id_, start, end, sound)
            case _:
                raise IllTyped

    def _segments(self, term: Term) -> Stated:
        match term:
            case Call("InOrder", (str(id_), Call(whole_name, ()), Items(items), *proofs)):
                whole = self._known_evidence(whole_name)
                parts = [self._known_evidence(bare_word(item)) for item in items]
                if any(part.message != whole.message for part in parts):
                    raise IllTyped
                in_order = rules.segments_in_order((whole.start, whole.end), [(part.start, part.end) for part in parts])
                sound = all(part.sound for part in (whole, *parts))
                self._owe(id_, proofs, ("segments-in-order", sound and in_order))
                return Stated()
            case _:
                raise IllTyped

    def _known_evidence(self, name: str) -> Evidence:
        value = self.known.get(name)
        if not isinstance(value, Evidence):
            raise IllTyped
        return value

    # -- entries -------------------------------------------------------------------------------------------------------

    def _entry(self, id_: str, stage: str, failed: int, term: Term) -> Entry:
        try:
            climbed = self._climb(term, id_)
            if (climbed.id, climbed.stage, climbed.failed) != (id_, stage, failed):
                raise IllTyped
        except IllTyped:
            self._owe_declared(id_, failed, term)
            raise
        if climbed.time is not None:
            self.stages.setdefault(id_, stage.lower())
        return climbed

    def _owe_declared(self, id_: str, failed: int, term: Term) -> None:
        """What a term that is not of its type owes all the same. The compiler takes the id and the count from the type before
        it looks at the term, so it may blame the obligations of these, and those of any rung."""
        owed: list[tuple[str, bool]] = []
        match term:
            case Call("Draft", (_, _, str(title), *_)):
                owed = [
                    ("entry-id-not-empty", rules.entry_id_not_empty(id_)),
                    ("title-not-empty", rules.title_not_empty(title)),
                ]
            case Call("Ground", (_, Items(items), *_)):
                owed = [("has-evidence", rules.has_evidence(items))]
            case Call("Verify", _):
                owed = [("all-evidence-aligned", rules.all_evidence_aligned(failed))]
            case Call("Certify", (_, str(certifier), *_)):
                owed = [("certifier-named", rules.certifier_named(certifier))]
        self.failures.update(RuleFailure(rule, id_) for rule, holds in owed if not holds)
        match term:
            case Call("Extract" | "Ground" | "Verify" | "Certify", (inner, *_)):
                self._owe_declared(id_, failed, inner)

    def _climb(self, term: Term, subject: str) -> Entry:
        """The entry that a term builds: each constructor takes the stage just below its own."""
        match term:
            case Call("Draft", (str(id_), Call(kind, ()), str(title), *proofs)) if kind in _KINDS:
                holds = self._owe(
                    subject,
                    proofs,
                    ("entry-id-not-empty", rules.entry_id_not_empty(id_)),
                    ("title-not-empty", rules.title_not_empty(title)),
                )
                return Entry(id_, "Raw", 0, 0 if holds else None)
            case Call("Extract", (inner,)):
                below = self._rung(inner, "Raw", subject)
                return Entry(below.id, "Working", 0, below.time)
            case Call("Ground", (inner, Items(items), failed, *proofs)):
                below = self._rung(inner, "Working", subject)
                time = self._latest(items)
                holds = self._owe(subject, proofs, ("has-evidence", rules.has_evidence(items)))
                stands = holds and below.time is not None
                return Entry(below.id, "Candidate", integer(failed), time if stands else None)
            case Call("Verify", (inner, *proofs)):
                below = self._rung(inner, "Candidate", subject)
                holds = self._owe(subject, proofs, ("all-evidence-aligned", rules.all_evidence_aligned(below.failed)))
                return Entry(below.id, "Verified", below.failed, below.time if holds else None)
            case Call("Certify", (inner, str(certifier), *proofs)):
                below = self._rung(inner, "Verified", subject)
                holds = self._owe(subject, proofs, ("certifier-named", rules.certifier_named(certifier)))
                return Entry(below.id, "Certified", below.failed, below.time if holds else None)
            case Call(name, ()):
                entry = self.known.get(name)
                if not isinstance(entry, Entry):
                    raise IllTyped
                return entry
            case _:
                raise IllTyped

    def _rung(self, term: Term, stage: str, subject: str) -> Entry:
        # That an entry below candidate counts no failed quote needs no look: its own definition would not be typed.
        below = self._climb(term, subject)
        if below.stage != stage:
            raise IllTyped
        return below

    def _latest(self, grounds: Sequence[Term]) -> int | None:
        """The time of the latest message among the grounds; None when one of the messages has no value."""
        times: list[int | None] = [0]
        for ground in grounds:
            match ground:
                case Call("Ev", (Call(message_name, ()), Call(evidence_name, ()))):
                    message = self.known.get(message_name)
                    if self._known_evidence(evidence_name).message != message_name or not isinstance(message, Message):
                        raise IllTyped
                    times.append(message.time if message.sound else None)
                case _:
                    raise IllTyped
        known = [time for time in times if time is not None]
        return max(known) if len(known) == len(times) else None

    def _chain(self, last: str, term: Term) -> Chain:
        match term:
            case Call("Empty", ()) if last == "":
                return Chain("")
            case Call("Add", (Call(chain_name, ()), Call(entry_name, ()), *proofs)):
                chain, entry = self.known.get(chain_name), self.known.get(entry_name)
                if not isinstance(chain, Chain) or not isinstance(entry, Entry):
                    raise IllTyped
                behind = all(rules.entry_ids_unique(chain.last, id_) for id_ in (last, entry.id))
                self._owe(last, proofs, ("entry-ids-unique", behind))
                if entry.id != last:
                    raise IllTyped
                return Chain(last)
            case _:
                raise IllTyped

    # -- tasks and decisions -------------------------------------------------------------------------------------------
    # Where the type declares one thing and the term says another, each obligation has to hold of both: the compiler asks about
    # whichever it has met by then, and a person is to see every rule that one of the two breaks.

    def _history(self, task: str, status: str, last: int, term: Term) -> History:
        match term:
            case Call("Create", (str(id_), time, Call(start, ()), Items(items), *proofs)) if status in _STATUSES:
                starts = _statuses(status, start)
                sound = self._owe(
                    task,
                    proofs,
                    ("task-id-not-empty", all(map(rules.task_id_not_empty, (task, id_)))),
                    ("task-starts-legally", all(map(rules.task_starts_legally, starts))),
                    ("blockers-fit-status", _blockers_fit((task, id_), starts, texts(items))),
                )
                if (id_, start, integer(time)) != (task, status, last):
                    raise IllTyped
                return History(task, status, last, sound)
            case Call("Move", (Call(name, ()), time, Call(to, ()), Items(items), *proofs)) if status in _STATUSES:
                before = self.known.get(name)
                if not isinstance(before, History):
                    raise IllTyped
                ends, times = _statuses(status, to), (last, integer(time))
                sound = self._owe(
                    task,
                    proofs,
                    ("legal-task-transition", all(rules.legal_task_transition(before.status, end) for end in ends)),
                    ("events-in-time-order", all(rules.events_in_time_order(before.last, at) for at in times)),
                    ("blockers-fit-status", _blockers_fit((task, before.task), ends, texts(items))),
                )
                if (before.task, to, integer(time)) != (task, status, last):
                    raise IllTyped
                return History(task, status, last, sound and before.sound)
            case _:
                raise IllTyped

    def _cited(self, at: int, term: Term) -> Cited:
        time: int | None
        match term:
            case Call("Cite", (Call(name, ()), *proofs)):
                entry = self.known.get(name)
                if not isinstance(entry, Entry):
                    raise IllTyped
                id_, stage, time = entry.id, entry.stage, entry.time
            case Call("CiteOther", (str(id_), Call(stage, ()), ts, *proofs)) if stage in _STAGES:
                time = integer(ts)
            case _:
                raise IllTyped
        self._owe(
            id_,
            proofs,
            ("decision-cites-verified", rules.decision_cites_verified(stage)),
            ("evidence-precedes-decision", time is not None and rules.evidence_precedes_decision(time, at)),
        )
        return Cited(at)

    def _ruling(self, decision: str, term: Term) -> Ruling:
        match term:
            case Call("Decide", (str(id_), time, Items(items), *proofs)):
                at = integer(time)
                sound = self._owe(
                    decision,
                    proofs,
                    ("decision-id-not-empty", all(map(rules.decision_id_not_empty, (decision, id_)))),
                    ("decision-has-evidence", rules.decision_has_evidence(items)),
                )
                if id_ != decision or any(self.known.get(bare_word(item)) != Cited(at) for item in items):
                    raise IllTyped
                return Ruling(decision, sound)
            case _:
                raise IllTyped

    def _unique(self, term: Term) -> Stated:
        match term:
            case Call("AllUnique", (str(kind), Items(items), *proofs)):
                ids = [self._id(item) for item in items]
                known = [id_ for id_ in ids if id_ is not None]
                self._owe(kind, proofs, ("ids-unique", len(known) == len(ids) and rules.ids_unique(known)))
                return Stated()
            case _:
                raise IllTyped

    def _id(self, term: Term) -> str | None:
        """An id, as a text or as the id of a definition; None when that definition has no value."""
        match term:
            case str(text):
                return text
            case Call(function, (Call(name, ()),)):
                match function, self.known.get(name):
                    case (
                        ("messageId", Message(id=id_, sound=sound))
                        | ("evidenceId", Evidence(id=id_, sound=sound))
                        | ("taskId", History(task=id_, sound=sound))
                        | ("decisionId", Ruling(id=id_, sound=sound))
                    ):
                        return id_ if sound else None
        raise IllTyped


def _statuses(declared: str, said: str) -> list[str]:
    """The statuses of an event of a task: by its type and by its term, where the term says a status at all."""
    return [declared, said] if said in _STATUSES else [declared]


def _blockers_fit(tasks: Sequence[str], statuses: Sequence[str], blockers: Sequence[str]) -> bool:
    return all(rules.blockers_fit_status(task, status, blockers) for task in tasks for status in statuses)
