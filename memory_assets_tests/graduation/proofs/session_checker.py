"""The second checker: it judges a session's data, not the modules that are generated from it.

It is there to be compared with the embedded checker of modules: the same session, other rules, other code, so a fault of
the generator or of either checker shows as a difference in the failed (rule, subject) pairs. What can be written at all is
decided by ``encodable`` for both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from memory_assets.evidence.model import Span
from memory_assets.graduation.proofs.encodable import encodable
from memory_assets.graduation.proofs.model import (
    OutsideCite,
    ProofDecision,
    ProofEntry,
    ProofEvidence,
    ProofMessage,
    ProofSession,
    ProofTask,
    RuleFailure,
    claimed_stage,
    failures_sorted,
)
from memory_assets.vocabulary import STAGES, Stage
from memory_assets_tests.graduation.proofs import session_rules as rules

# What the design says of modules, stated here a second time: how many entries stand together in one, and from which length
# on only a window of a message is shown.
_ENTRIES_TOGETHER: Final = 100
_WHOLE_TEXT: Final = 4_000


def judge_session(session: ProofSession, *, entries_together: int = _ENTRIES_TOGETHER) -> tuple[RuleFailure, ...]:
    """The rules that do not hold for a session, with their subjects; sorted, empty where everything it claims is proved.

    Equal, pair for pair, to what the embedded checker finds in the session's modules together with what no module can
    hold. What rests on something that failed fails too.

    Args:
        entries_together: entries, in the order of their ids, among which ids of messages and evidence are compared.
    """
    rest = encodable(session)
    judge = _Judge(rest.session, entries_together)
    judge.run()
    return failures_sorted({*rest.refused, *judge.failures})


@dataclass(frozen=True, slots=True)
class _Stand:
    """What a decision can know of an entry: its stage, and when it was last spoken of (None where that has no value)."""

    stage: Stage
    time: int | None


class _Judge:
    """One session that can be written, and what does not hold in it."""

    def __init__(self, session: ProofSession, entries_together: int) -> None:
        self.failures: set[RuleFailure] = set()
        self._session = session
        self._together = entries_together
        # Under one id the first message counts; those behind it are only in the way.
        self._message: dict[str, ProofMessage] = {}
        for message in session.messages:
            self._message.setdefault(message.message_id, message)

    def run(self) -> None:
        entries = sorted(self._session.entries, key=lambda entry: entry.entry_id)
        for at in range(0, len(entries), self._together):
            self._evidence_of(entries[at : at + self._together])
        proved = [self._entry(entry) for entry in entries]
        for before, entry in zip(("", *(entry.entry_id for entry in entries)), entries, strict=False):
            self._need("entry-ids-unique", entry.entry_id, rules.comes_behind(entry.entry_id, before))

        # Decisions stand beside the last entries and know what is proved of them; of those before, what they claim.
        # Under one id the first counts, but one that stands beside the decision comes before one that does not.
        stands: dict[str, _Stand] = {}
        beside = max(0, len(entries) - 1) // self._together * self._together
        for entry, stand in zip(entries[beside:], proved[beside:], strict=True):
            stands.setdefault(entry.entry_id, stand)
        for entry in entries:
            stands.setdefault(entry.entry_id, _Stand(claimed_stage(entry), self._last_spoken(entry)))

        self._all_once("task", [(task.task_id, self._task(task)) for task in self._session.tasks])
        self._all_once("decision", [(one.decision_id, self._decision(one, stands)) for one in self._session.decisions])

    def _need(self, rule: str, subject: str, holds: bool) -> bool:
        if not holds:
            self.failures.add(RuleFailure(rule, subject))
        return holds

    def _all_once(self, kind: str, things: Sequence[tuple[str, bool]]) -> None:
        """No id twice, none empty, and nothing among them that failed: of that there is no id to compare."""
        different = rules.all_different([identifier for identifier, _ in things])
        self._need("ids-unique", kind, different and all(sound for _, sound in things))

    # -- messages and evidence -----------------------------------------------------------------------------------------

    def _evidence_of(self, entries: Iterable[ProofEntry]) -> None:
        """The evidence of entries that stand together, and the messages that it cites."""
        # The same evidence of two entries is one; what differs in anything is another, even under one id.
        cited: dict[str, list[ProofEvidence]] = {}
        for item in dict.fromkeys(item for entry in entries for item in entry.evidence):
            cited.setdefault(item.message_id, []).append(item)
        named = [
            (message.message_id, self._need("message-id-not-empty", message.message_id, rules.has_text(message.message_id)))
            for message in self._session.messages
            if message.message_id in cited
        ]
        self._all_once("message", named)
        sound: list[tuple[str, bool]] = []
        for message_id, items in cited.items():
            message = self._message[message_id]
            shown = _shown(message, items)
            sound += [(item.evidence_id, self._evidence(item, message, shown)) for item in items]
        self._all_once("evidence", sound)

    def _evidence(self, item: ProofEvidence, message: ProofMessage, shown: Span) -> bool:
        """Whether evidence is sound. That its parts are in order is owed apart from that."""
        subject, whole = item.evidence_id, (item.span_start, item.span_end)
        quoted = self._need("exact-quote-is-slice", subject, rules.quote_fits(item))
        trusted = self._need("confidence-fits-method", subject, rules.confidence_fits(item.method, item.confidence))
        placed = self._placed(subject, message, shown, whole, item.matched_text)
        sound = quoted and trusted and placed
        if len(item.segments) > 1:
            found = [self._placed(subject, message, shown, part, rules.part_of(item, part)) for part in item.segments]
            in_order = rules.parts_in_order(whole, item.segments)
            self._need("segments-in-order", subject, sound and all(found) and in_order)
        return sound

    def _placed(self, subject: str, message: ProofMessage, shown: Span, span: Span, stored: str) -> bool:
        """Whether a span lies in its message, and the message says there what was stored. In one without an id nothing
        does: it failed itself."""
        stands = rules.has_text(message.message_id)
        inside = self._need("span-inside-message", subject, stands and rules.lies_inside(span, len(message.text)))
        same = self._need("slice-is-source-text", subject, stands and rules.says(message.text, shown, span, stored))
        return inside and same

    # -- entries -------------------------------------------------------------------------------------------------------

    def _entry(self, entry: ProofEntry) -> _Stand:
        """What each stage up to the claimed one asks of an entry."""
        claimed, subject = claimed_stage(entry), entry.entry_id
        reached = STAGES[: STAGES.index(claimed) + 1]
        owed: tuple[tuple[Stage, str, bool], ...] = (
            ("raw", "entry-id-not-empty", rules.has_text(entry.entry_id)),
            ("raw", "title-not-empty", rules.has_text(entry.title)),
            ("candidate", "has-evidence", len(entry.evidence) > 0),
            ("verified", "all-evidence-aligned", entry.failed_count == 0),
            ("certified", "certifier-named", rules.has_text(entry.certifier)),
        )
        met = [self._need(rule, subject, holds) for stage, rule, holds in owed if stage in reached]
        if "candidate" not in reached:
            return _Stand(claimed, 0 if all(met) else None)
        timeless = any(item.message_id == "" for item in entry.evidence)
        return _Stand(claimed, self._last_spoken(entry) if all(met) and not timeless else None)

    def _last_spoken(self, entry: ProofEntry) -> int:
        """When the latest message was written that an entry cites; 0, the epoch, where none is later."""
        return max([0, *(self._message[item.message_id].occurred_at_ms for item in entry.evidence)])

    # -- tasks and decisions -------------------------------------------------------------------------------------------

    def _task(self, task: ProofTask) -> bool:
        subject, moves = task.task_id, task.moves
        met = [
            self._need("task-id-not-empty", subject, rules.has_text(subject)),
            self._need("task-starts-legally", subject, rules.may_begin(moves[0].status)),
        ]
        for before, after in pairwise(moves):
            in_time = before.occurred_at_ms <= after.occurred_at_ms
            met.append(self._need("legal-task-transition", subject, rules.may_follow(before.status, after.status)))
            met.append(self._need("events-in-time-order", subject, in_time))
        met += [self._need("blockers-fit-status", subject, rules.blockers_fit(subject, move)) for move in moves]
        return all(met)

    def _decision(self, decision: ProofDecision, stands: dict[str, _Stand]) -> bool:
        for cite in decision.cites:
            if isinstance(cite, OutsideCite):
                subject, stand = cite.entry_id, _Stand(cite.stage, cite.occurred_at_ms)
            else:
                subject, stand = cite, stands[cite]
            self._need("decision-cites-verified", subject, rules.may_be_cited(stand.stage))
            self._need("evidence-precedes-decision", subject, rules.precedes(stand.time, decision.occurred_at_ms))
        named = self._need("decision-id-not-empty", decision.decision_id, rules.has_text(decision.decision_id))
        rests = self._need("decision-has-evidence", decision.decision_id, len(decision.cites) > 0)
        return named and rests


def _shown(message: ProofMessage, items: Sequence[ProofEvidence]) -> Span:
    """The characters of a message that its module shows: all, or of a long one those from the first quote to the last."""
    length = len(message.text)
    if length <= _WHOLE_TEXT:
        return 0, length

    def within(place: int) -> int:
        return sorted((0, place, length))[1]

    first = within(min(item.span_start for item in items))
    return first, max(first, within(max(item.span_end for item in items)))
