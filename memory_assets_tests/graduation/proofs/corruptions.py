"""Corruptions of the sound session of ``samples`` and, exactly, what each must be refused for.

``SESSION_CORRUPTIONS`` spoil the data, for both checkers; ``MODULE_CORRUPTIONS`` spoil the text of the module in ways that
no session can, for those that read modules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from memory_assets.graduation.proofs.generator import generate
from memory_assets.graduation.proofs.model import (
    OutsideCite,
    ProofEntry,
    ProofEvidence,
    ProofMessage,
    ProofMove,
    ProofSession,
    ProofTask,
)
from memory_assets_tests.graduation.proofs.samples import ENGLISH, many_entries

Pairs = set[tuple[str, str]]
Corruption = Callable[[ProofSession], ProofSession]


def entry_with(index: int, **changes: object) -> Corruption:
    def change(session: ProofSession) -> ProofSession:
        entries = list(session.entries)
        entries[index] = replace(entries[index], **changes)  # type: ignore[arg-type]
        return replace(session, entries=tuple(entries))

    return change


def _evidence(index: int, change: Callable[[ProofEvidence], ProofEvidence], item: int = 0) -> Corruption:
    def changed(session: ProofSession) -> ProofSession:
        evidence = list(session.entries[index].evidence)
        evidence[item] = change(evidence[item])
        return entry_with(index, evidence=tuple(evidence))(session)

    return changed


def _with(index: int, item: int = 0, **changes: object) -> Corruption:
    return _evidence(index, lambda e: replace(e, **changes), item)  # type: ignore[arg-type]


def _shifted(start: int, end: int) -> Callable[[ProofEvidence], ProofEvidence]:
    return lambda e: replace(e, span_start=e.span_start + start, span_end=e.span_end + end)


def _message(index: int, **changes: object) -> Corruption:
    def change(session: ProofSession) -> ProofSession:
        messages = list(session.messages)
        messages[index] = replace(messages[index], **changes)  # type: ignore[arg-type]
        return replace(session, messages=tuple(messages))

    return change


def _moves(change: Callable[[list[ProofMove]], list[ProofMove]]) -> Corruption:
    def changed(session: ProofSession) -> ProofSession:
        task = session.tasks[0]
        return replace(session, tasks=(replace(task, moves=tuple(change(list(task.moves)))),))

    return changed


def _decision(**changes: object) -> Corruption:
    return lambda s: replace(s, decisions=(replace(s.decisions[0], **changes),))  # type: ignore[arg-type]


def _all(*corruptions: Corruption) -> Corruption:
    def corrupt(session: ProofSession) -> ProofSession:
        for corruption in corruptions:
            session = corruption(session)
        return session

    return corrupt


def _segments(change: Callable[[ProofEvidence], tuple[tuple[int, int], ...]]) -> Corruption:
    return _evidence(1, lambda e: replace(e, segments=change(e)), item=1)


def _no_id(evidence: str, *rules: str) -> Pairs:
    """What follows for evidence that failed: it has no id to compare."""
    return {("ids-unique", "evidence"), *((rule, evidence) for rule in rules)}


_SPAN, _SLICE, _QUOTE, _CONFIDENCE, _ORDER = (
    "span-inside-message",
    "slice-is-source-text",
    "exact-quote-is-slice",
    "confidence-fits-method",
    "segments-in-order",
)
_LATE = "evidence-precedes-decision"
_TASK_ID = ("ids-unique", "task")

SESSION_CORRUPTIONS: dict[str, tuple[Corruption, Pairs]] = {
    # -- spans and slices
    "start one early": (_evidence(1, _shifted(-1, 0)), _no_id("evi_2", _SLICE)),
    "start one late": (_evidence(0, _shifted(1, 0)), _no_id("evi_1", _SLICE)),
    "end one early": (_evidence(0, _shifted(0, -1)), _no_id("evi_1", _SLICE)),
    "end one late": (_evidence(0, _shifted(0, 1)), _no_id("evi_1", _SLICE)),
    "span moved": (_evidence(0, _shifted(3, 3)), _no_id("evi_1", _SLICE)),
    "span behind the message": (_evidence(0, _shifted(500, 500)), _no_id("evi_1", _SLICE, _SPAN)),
    "span before the message": (_evidence(0, _shifted(-1, 0)), _no_id("evi_1", _SLICE, _SPAN)),
    "span inverted": (
        _evidence(0, lambda e: replace(e, span_start=e.span_end, span_end=e.span_start)),
        _no_id("evi_1", _SLICE, _SPAN),
    ),
    "empty span": (
        _evidence(1, lambda e: replace(e, span_end=e.span_start, matched_text="")),
        _no_id("evi_2", _SPAN),
    ),
    "end one late at the edge of a window": (_evidence(2, _shifted(0, 1)), _no_id("evi_4", _SLICE)),
    "span counted from the end": (
        _evidence(0, lambda e: replace(e, span_start=e.span_start - len(ENGLISH), span_end=e.span_end - len(ENGLISH))),
        _no_id("evi_1", _SLICE, _SPAN),
    ),
    "span before the message of a window": (
        _with(2, span_start=-1, span_end=23),
        _no_id("evi_4", _SLICE, _SPAN),
    ),
    "slice changed": (_with(0, matched_text="We will use DuckDb"), _no_id("evi_1", _SLICE, _QUOTE)),
    "slice and quote changed alike": (
        _with(0, matched_text="We will use SQLite", quote="We will use SQLite"),
        _no_id("evi_1", _SLICE),
    ),
    "slice of a Korean syllable changed": (_with(1, matched_text="이벤트 로그늘"), _no_id("evi_2", _SLICE)),
    "slice one character longer": (_with(1, matched_text="이벤트 로그는 "), _no_id("evi_2", _SLICE)),
    "exact quote is not the slice": (_with(0, quote="We will use duckdb"), _no_id("evi_1", _QUOTE)),
    "empty quote": (_with(1, quote=""), _no_id("evi_2", _QUOTE)),
    "message changed under its quote": (
        _message(0, text="We will use SQLite"),
        {*_no_id("evi_1", _SLICE), *_no_id("evi_5", _SLICE, _SPAN)},
    ),
    "evidence of another message": (_with(1, message_id="msg_1"), _no_id("evi_2", _SLICE)),
    # -- confidence
    "confidence above its method": (_with(1, confidence=1.0), _no_id("evi_2", _CONFIDENCE)),
    "normalized below its bar": (_with(1, confidence=0.9499), _no_id("evi_2", _CONFIDENCE)),
    "exact yet not certain": (_with(0, confidence=0.9999), _no_id("evi_1", _CONFIDENCE)),
    "more than certain": (_with(0, confidence=1.0001), _no_id("evi_1", _CONFIDENCE)),
    "fuzzy at the normalized bar": (_with(1, method="fuzzy", confidence=0.95), _no_id("evi_2", _CONFIDENCE)),
    "fuzzy below its bar": (_with(1, method="fuzzy", confidence=0.8499), _no_id("evi_2", _CONFIDENCE)),
    # -- segments
    "segment moved out of its quote": (
        _segments(lambda e: (e.segments[0], (e.span_end - 1, e.span_end + 1))),
        {(_ORDER, "evi_3"), (_SLICE, "evi_3")},
    ),
    "segment before its quote": (
        _segments(lambda e: ((e.span_start - 1, e.span_start + 7), e.segments[1])),
        {(_ORDER, "evi_3"), (_SLICE, "evi_3")},
    ),
    "segments swapped": (_segments(lambda e: e.segments[::-1]), {(_ORDER, "evi_3")}),
    "segments overlap": (
        _segments(lambda e: ((e.span_start, e.span_end - 5), (e.span_end - 6, e.span_end))),
        {(_ORDER, "evi_3")},
    ),
    "segments begin late": (
        _segments(lambda e: ((e.span_start + 1, e.span_start + 7), e.segments[1])),
        {(_ORDER, "evi_3")},
    ),
    "segments do not reach the end": (
        _segments(lambda e: (e.segments[0], (e.segments[1][0], e.segments[1][1] - 1))),
        {(_ORDER, "evi_3")},
    ),
    "an empty segment": (
        _segments(lambda e: (e.segments[0], (e.span_start + 9, e.span_start + 9), e.segments[1])),
        {(_ORDER, "evi_3"), (_SPAN, "evi_3")},
    ),
    "segments of false evidence": (
        _with(1, 1, confidence=1.0),
        {(_ORDER, "evi_3"), *_no_id("evi_3", _CONFIDENCE)},
    ),
    # -- messages and ids
    "message id empty": (
        _all(_with(0, message_id=""), _with(3, message_id=""), _message(0, message_id="")),
        {
            ("message-id-not-empty", ""),
            ("ids-unique", "message"),
            (_LATE, "ent_a"),
            *_no_id("evi_1", _SPAN, _SLICE),
            *_no_id("evi_5", _SPAN, _SLICE),
        },
    ),
    "message id twice": (
        lambda s: replace(s, messages=(*s.messages, ProofMessage("msg_1", 9, s.messages[0].text))),
        {("ids-unique", "message")},
    ),
    "evidence id twice": (_with(2, evidence_id="evi_1"), {("ids-unique", "evidence")}),
    "evidence id empty": (_with(0, evidence_id=""), {("ids-unique", "evidence")}),
    "entry id twice": (entry_with(4, entry_id="ent_d"), {("entry-ids-unique", "ent_d")}),
    "entry id empty": (entry_with(4, entry_id=""), {("entry-id-not-empty", ""), ("entry-ids-unique", "")}),
    "task id twice": (lambda s: replace(s, tasks=s.tasks * 2), {_TASK_ID}),
    "task id empty": (
        lambda s: replace(s, tasks=(replace(s.tasks[0], task_id=""),)),
        {("task-id-not-empty", ""), _TASK_ID},
    ),
    "decision id twice": (lambda s: replace(s, decisions=s.decisions * 2), {("ids-unique", "decision")}),
    "decision id empty": (_decision(decision_id=""), {("decision-id-not-empty", ""), ("ids-unique", "decision")}),
    # -- the ladder
    "empty title": (entry_with(0, title=""), {("title-not-empty", "ent_a"), (_LATE, "ent_a")}),
    "no evidence yet candidate": (entry_with(4, claim="candidate"), {("has-evidence", "ent_e")}),
    "no evidence yet verified": (
        entry_with(0, evidence=(), claim="verified"),
        {("has-evidence", "ent_a"), (_LATE, "ent_a")},
    ),
    "failed quote yet verified": (entry_with(3, claim="verified"), {("all-evidence-aligned", "ent_d")}),
    "a quote too many found": (
        entry_with(0, claim="verified", failed_count=-1),
        {("all-evidence-aligned", "ent_a"), (_LATE, "ent_a")},
    ),
    "certified by nobody": (entry_with(0, claim="certified"), {("certifier-named", "ent_a"), (_LATE, "ent_a")}),
    "certified with a failed quote": (
        entry_with(3, claim="certified", certifier="user"),
        {("all-evidence-aligned", "ent_d")},
    ),
    # -- tasks
    "pending to done": (_moves(lambda m: [m[0], m[4]]), {("legal-task-transition", "tsk_1"), _TASK_ID}),
    "blocked to done": (_moves(lambda m: [*m[:3], m[4]]), {("legal-task-transition", "tsk_1"), _TASK_ID}),
    "done to pending": (
        _moves(lambda m: [*m, replace(m[4], status="pending")]),
        {("legal-task-transition", "tsk_1"), _TASK_ID},
    ),
    "cancelled to done": (
        _moves(lambda m: [m[0], replace(m[1], status="cancelled"), m[4]]),
        {("legal-task-transition", "tsk_1"), _TASK_ID},
    ),
    "starts done": (_moves(lambda m: m[4:]), {("task-starts-legally", "tsk_1"), _TASK_ID}),
    "starts cancelled": (
        _moves(lambda m: [replace(m[0], status="cancelled")]),
        {("task-starts-legally", "tsk_1"), _TASK_ID},
    ),
    "blocked by nothing": (
        _moves(lambda m: [*m[:2], replace(m[2], blockers=()), *m[3:]]),
        {("blockers-fit-status", "tsk_1"), _TASK_ID},
    ),
    "created blocked by nothing": (
        _moves(lambda m: [replace(m[2], blockers=())]),
        {("blockers-fit-status", "tsk_1"), _TASK_ID},
    ),
    "blocked by itself": (
        _moves(lambda m: [*m[:2], replace(m[2], blockers=("tsk_2", "tsk_1")), *m[3:]]),
        {("blockers-fit-status", "tsk_1"), _TASK_ID},
    ),
    "blocked by what has no id": (
        _moves(lambda m: [m[0], replace(m[1], blockers=("",)), *m[2:]]),
        {("blockers-fit-status", "tsk_1"), _TASK_ID},
    ),
    "done yet blocked": (
        _moves(lambda m: [*m[:4], replace(m[4], blockers=("tsk_2",))]),
        {("blockers-fit-status", "tsk_1"), _TASK_ID},
    ),
    "events out of order": (
        _moves(lambda m: [m[0], replace(m[1], occurred_at_ms=m[0].occurred_at_ms - 1), *m[2:]]),
        {("events-in-time-order", "tsk_1"), _TASK_ID},
    ),
    # -- decisions
    "decision cites a candidate": (_decision(cites=("ent_d",)), {("decision-cites-verified", "ent_d")}),
    "decision cites an entry without evidence": (_decision(cites=("ent_e",)), {("decision-cites-verified", "ent_e")}),
    "decision cites a candidate of another session": (
        _decision(cites=(OutsideCite("ent_z", "candidate", 5),)),
        {("decision-cites-verified", "ent_z")},
    ),
    "decision cites nothing": (
        _decision(cites=()),
        {("decision-has-evidence", "dec_1"), ("ids-unique", "decision")},
    ),
    "decision before its evidence": (_decision(occurred_at_ms=1_700_000_059_999), {(_LATE, "ent_b")}),
    "decision before the epoch": (
        _decision(occurred_at_ms=-1, cites=("ent_e",)),
        {(_LATE, "ent_e"), ("decision-cites-verified", "ent_e")},
    ),
    "decision before evidence of another session": (
        _decision(cites=("ent_a", OutsideCite("ent_z", "verified", 1_700_000_200_001))),
        {(_LATE, "ent_z")},
    ),
    # -- what no module can hold
    "unknown kind of entry": (entry_with(3, entry_type="rumour"), {("known-word", "ent_d")}),
    "unknown stage": (entry_with(3, claim="believed"), {("known-word", "ent_d")}),
    "unknown method": (_with(2, method="guess"), {("known-word", "evi_4")}),
    "unknown status": (
        _moves(lambda m: [replace(m[0], status="someday")]),  # type: ignore[arg-type]
        {("known-word", "tsk_1")},
    ),
    "unknown stage of another session": (
        _decision(cites=(OutsideCite("ent_z", "believed", 5),)),  # type: ignore[arg-type]
        {("known-word", "dec_1")},
    ),
    "lone surrogate in a title": (entry_with(3, title="\ud83d"), {("text-is-unicode", "ent_d")}),
    "lone surrogate in a quote": (_with(2, quote="\udc00"), {("text-is-unicode", "evi_4")}),
    "lone surrogate in a message": (_message(2, text="\udc00"), {("text-is-unicode", "msg_3")}),
    "lone surrogate in an id": (entry_with(3, entry_id="ent_\ud800"), {("text-is-unicode", "ent_?")}),
    "lone surrogate in a blocker": (
        _moves(lambda m: [*m[:2], replace(m[2], blockers=("\ud800",))]),
        {("text-is-unicode", "tsk_1")},
    ),
    "span out of range": (_with(2, span_end=2**60), {("integer-in-range", "evi_4")}),
    "time out of range": (_message(2, occurred_at_ms=-(2**60)), {("integer-in-range", "msg_3")}),
    "confidence is no number": (_with(2, confidence=float("nan")), {("integer-in-range", "evi_4")}),
    "unknown message": (_with(2, message_id="msg_9"), {("evidence-cites-known-message", "evi_4")}),
    "unknown entry": (_decision(cites=("ent_a", "ent_9")), {("decision-cites-known-entry", "dec_1")}),
    "task without events": (_moves(lambda m: []), {("task-has-event", "tsk_1")}),
    # -- several at once
    "everything of an entry at once": (
        _all(
            entry_with(1, title="", failed_count=2, claim="certified"),
            _with(1, method="exact", span_start=-5, confidence=0.5),
        ),
        {
            ("title-not-empty", "ent_b"),
            ("all-evidence-aligned", "ent_b"),
            ("certifier-named", "ent_b"),
            (_LATE, "ent_b"),
            *_no_id("evi_2", _SPAN, _SLICE, _QUOTE, _CONFIDENCE),
        },
    ),
    "a task all wrong": (
        lambda s: replace(s, tasks=(ProofTask("", (ProofMove(5, "done", ("",)), ProofMove(4, "blocked"))),)),
        {
            (rule, "")
            for rule in (
                "task-id-not-empty",
                "task-starts-legally",
                "legal-task-transition",
                "events-in-time-order",
                "blockers-fit-status",
            )
        }
        | {_TASK_ID},
    ),
    "an empty entry": (
        lambda s: replace(s, entries=(*s.entries, ProofEntry("", "fact", "", (), claim="certified"))),
        {
            (rule, "")
            for rule in ("entry-id-not-empty", "entry-ids-unique", "title-not-empty", "has-evidence", "certifier-named")
        },
    ),
}

_CLIMB_A = '  Verify\n  (Ground\n  (Extract\n  (Draft "ent_a"'
_OKS_1 = '"We will use DuckDB" "We will use DuckDB"\n  Ok\n  Ok\n  Ok\n  Ok\n'
_U_MESSAGES = 'AllUnique "message" [messageId M0, messageId M1, messageId M2]'
_U_DECISIONS = 'AllUnique "decision" [decisionId D0]'
_LADDER = "stage-ladder"
_TYPED = "well-typed"

# What stands in the module of the sound session -> what is put there, and what it is refused for.
MODULE_CORRUPTIONS: dict[str, tuple[str, str, Pairs]] = {
    # -- how the ladder is climbed
    "stage skipped": (
        _CLIMB_A,
        '  Verify\n  (Extract\n  (Extract\n  (Draft "ent_a"',
        {(_LADDER, "ent_a"), (_LATE, "ent_a")},
    ),
    "a rung left out": (
        '  Verify\n  (Ground\n  (Extract\n  (Draft "ent_a" Decision "Use DuckDB"\n  Ok\n  Ok\n  )\n  )\n',
        '  Verify\n  (Ground\n  (Draft "ent_a" Decision "Use DuckDB"\n  Ok\n  Ok\n  )\n',
        {(_LADDER, "ent_a"), (_LATE, "ent_a")},
    ),
    "stage stepped back": (
        "  Ground\n  (Extract\n  (Draft \"ent_d\"",
        "  Extract\n  (Extract\n  (Draft \"ent_d\"",
        {(_LADDER, "ent_d")},
    ),
    "stage above the ladder": (
        'E0 : Entry "ent_a" Verified 0',
        'E0 : Entry "ent_a" Certified 0',
        {(_LADDER, "ent_a"), (_LATE, "ent_a")},
    ),
    "no such stage": (
        'E3 : Entry "ent_d" Candidate 1',
        'E3 : Entry "ent_d" Pending 1',
        {(_LADDER, "ent_d"), (_TYPED, "ent_d")},
    ),
    "entry of another id": (
        'E3 : Entry "ent_d" Candidate',
        'E3 : Entry "ent_x" Candidate',
        {(_LADDER, "ent_x"), (_TYPED, "ent_d")},
    ),
    "entry under its name of another": (
        'E4 =\n  Extract\n  (Draft "ent_e"',
        'E4 =\n  Extract\n  (Draft "ent_d"',
        {(_LADDER, "ent_e")},
    ),
    "failed quotes hidden": (
        'E3 : Entry "ent_d" Candidate 1',
        'E3 : Entry "ent_d" Candidate 0',
        {(_LADDER, "ent_d")},
    ),
    "failed quotes below a candidate": (
        'E4 : Entry "ent_e" Working 0',
        'E4 : Entry "ent_e" Working 2',
        {(_LADDER, "ent_e")},
    ),
    # What the type declares is what the compiler asks the obligations about, whatever the term says.
    "failed quotes in the type alone": (
        'E0 : Entry "ent_a" Verified 0',
        'E0 : Entry "ent_a" Verified 1',
        {("all-evidence-aligned", "ent_a"), (_LADDER, "ent_a"), (_LATE, "ent_a")},
    ),
    "no id in the type alone": (
        'E0 : Entry "ent_a"',
        'E0 : Entry ""',
        {("entry-id-not-empty", ""), (_LADDER, ""), (_TYPED, "ent_a"), ("entry-ids-unique", "ent_a"), (_LATE, "")},
    ),
    "a rung left out of an entry without a title": (
        '  Verify\n  (Ground\n  (Extract\n  (Draft "ent_a" Decision "Use DuckDB"\n  Ok\n  Ok\n  )\n  )\n',
        '  Verify\n  (Ground\n  (Draft "ent_a" Decision ""\n  Ok\n  Ok\n  )\n',
        {("title-not-empty", "ent_a"), (_LADDER, "ent_a"), (_LATE, "ent_a")},
    ),
    "a rung left out above no evidence": (
        "  Verify\n  (Ground\n  (Extract\n  (Draft \"ent_a\" Decision \"Use DuckDB\"\n  Ok\n  Ok\n  )\n  )\n  [Ev M0 V0] 0\n",
        "  Verify\n  (Ground\n  (Draft \"ent_a\" Decision \"Use DuckDB\"\n  Ok\n  Ok\n  )\n  [] 0\n",
        {("has-evidence", "ent_a"), (_LADDER, "ent_a"), (_LATE, "ent_a")},
    ),
    "certified by nobody, a rung left out": (
        'E3 =\n  Ground\n  (Extract\n  (Draft "ent_d" TaskNote "Half found"\n  Ok\n  Ok\n  )\n  )\n  [Ev M0 V6] 1\n  Ok\n',
        'E3 =\n  Certify\n  (Ground\n  (Extract\n  (Draft "ent_d" TaskNote "Half found"\n  Ok\n  Ok\n  )\n  )\n  [Ev M0 V6] 1\n'
        '  Ok\n  )\n  ""\n  Ok\n',
        {("certifier-named", "ent_d"), (_LADDER, "ent_d")},
    ),
    "another's draft without a title": (
        'E4 =\n  Extract\n  (Draft "ent_e" Insight "Not found at all"',
        'E4 =\n  Extract\n  (Draft "ent_d" Insight ""',
        {("title-not-empty", "ent_e"), (_LADDER, "ent_e")},
    ),
    "an entry that is an entry by name": (
        "\n\nC0 :",
        '\n\nE8 : Entry "ent_e" Working 0\nE8 =\n  E4\n\nC0 :',
        set(),
    ),
    "an entry that is another entry": (
        "\n\nC0 :",
        '\n\nE8 : Entry "ent_e" Working 0\nE8 =\n  E0\n\nC0 :',
        {(_LADDER, "ent_e")},
    ),
    "an entry that is a message": (
        "\n\nC0 :",
        '\n\nE8 : Entry "ent_e" Working 0\nE8 =\n  M0\n\nC0 :',
        {(_LADDER, "ent_e")},
    ),
    "another kind of word": (
        'Draft "ent_b" Fact',
        'Draft "ent_b" Exact',
        {(_LADDER, "ent_b"), (_LATE, "ent_b")},
    ),
    "a kind that is a literal": (
        'Draft "ent_b" Fact',
        'Draft "ent_b" "Fact"',
        {(_LADDER, "ent_b"), (_LATE, "ent_b")},
    ),
    "ground of another message": ("[Ev M0 V0]", "[Ev M1 V0]", {(_LADDER, "ent_a"), (_LATE, "ent_a")}),
    "ground that is an entry": ("[Ev M0 V0]", "[Ev E0 V0]", {(_LADDER, "ent_a"), (_LATE, "ent_a")}),
    "ground without its message": ("[Ev M0 V0]", "[V0]", {(_LADDER, "ent_a"), (_LATE, "ent_a")}),
    "unknown evidence": ("[Ev M0 V0]", "[Ev M0 V99]", {(_LADDER, "ent_a"), (_LATE, "ent_a")}),
    "message for its evidence": ("[Ev M0 V0]", "[Ev M0 M0]", {(_LADDER, "ent_a"), (_LATE, "ent_a")}),
    "failed quotes in words": ("[Ev M0 V0] 0\n", "[Ev M0 V0] Ok\n", {(_LADDER, "ent_a"), (_LATE, "ent_a")}),
    # -- proofs
    "a proof taken away": (_OKS_1, _OKS_1[:-5], {(_TYPED, "evi_1"), ("ids-unique", "evidence")}),
    "a proof too many": (_OKS_1, _OKS_1 + "  Ok\n", {(_TYPED, "evi_1"), ("ids-unique", "evidence")}),
    "a proof that is another word": (
        _OKS_1,
        _OKS_1[:-5] + "  Exact\n",
        {(_TYPED, "evi_1"), ("ids-unique", "evidence")},
    ),
    "a proof that is applied": (_OKS_1, _OKS_1[:-5] + "  (Ok 1)\n", {(_TYPED, "evi_1"), ("ids-unique", "evidence")}),
    # -- messages and evidence
    "message text changed": (
        "We will use DuckDB for",
        "We shall use DuckDB fo",
        _no_id("evi_1", _SLICE),
    ),
    "message longer than it says": (
        " 96 0 ",
        " 95 0 ",
        {
            ("message-text-fits-length", "msg_1"),
            ("ids-unique", "message"),
            (_LATE, "ent_a"),
            *_no_id("evi_1", _SPAN, _SLICE),
            *_no_id("evi_5", _SPAN, _SLICE),
        },
    ),
    "window moved": (" 6096 3072 ", " 6096 3071 ", _no_id("evi_4", _SLICE)),
    "window before the message": (
        " 6096 3072 ",
        " 6096 (minus 1) ",
        {("message-text-fits-length", "msg_3"), ("ids-unique", "message"), *_no_id("evi_4", _SPAN, _SLICE)},
    ),
    "span before the window": (" 3072 3096 ", " 3048 3072 ", _no_id("evi_4", _SLICE)),
    "span in words": (" 3072 3096 ", " Exact 3096 ", {(_TYPED, "evi_4"), ("ids-unique", "evidence")}),
    "span below nothing": (" 3072 3096 ", " (minus Exact) 3096 ", {(_TYPED, "evi_4"), ("ids-unique", "evidence")}),
    "no such method": ("Cut \"evi_4\" Exact", "Cut \"evi_4\" Raw", {(_TYPED, "evi_4"), ("ids-unique", "evidence")}),
    "evidence of what is no message": (
        "V3 : EvidenceOf M1\n",
        "V3 : EvidenceOf V1\n",
        {(_TYPED, "evi_3")},
    ),
    "evidence before its message": ("V5 : EvidenceOf M2", "V5 : EvidenceOf M9", {
        (_TYPED, "evi_4"), (_LADDER, "ent_c"), (_TYPED, "evidence"),
    }),
    "segments of another message": ("V2 [V3, V4]", "V2 [V3, V0]", {(_TYPED, "evi_3")}),
    "segments of an unknown whole": ("V2 [V3, V4]", "V99 [V3, V4]", {(_TYPED, "evi_3")}),
    "segments that are messages": ("V2 [V3, V4]", "V2 [M1, V4]", {(_TYPED, "evi_3")}),
    "segments that are applied": ("V2 [V3, V4]", "V2 [V3 V4, V4]", {(_TYPED, "evi_3")}),
    "segments that are texts": ("V2 [V3, V4]", 'V2 ["V3", V4]', {(_TYPED, "evi_3")}),
    "no segments": ("V2 [V3, V4]", "V2 []", {(_ORDER, "evi_3")}),
    "one segment that is the whole": ("V2 [V3, V4]", "V2 [V2]", set()),
    "a segment that failed": (
        '"이벤트 로그는" "이벤트 로그는"\n  Ok\n  Ok\n  Ok\n  Ok\n\nV4',
        '"이벤트 로그는" "이벤트 로그늘"\n  Ok\n  Ok\n  Ok\n  Ok\n\nV4',
        {(_SLICE, "evi_3"), (_QUOTE, "evi_3"), (_ORDER, "evi_3")},
    ),
    "a message that is evidence": ("M2 : Message", "M2 : EvidenceOf M1", {
        (_TYPED, "msg_3"), (_TYPED, "evi_4"), (_LADDER, "ent_c"), (_TYPED, "evidence"), (_TYPED, "message"),
    }),
    # -- the chain
    "chain of another entry": ("  Add C0 E0", "  Add C0 E1", {(_TYPED, "ent_a")}),
    "chain of an unknown entry": ("  Add C0 E0", "  Add C0 E99", {(_TYPED, "ent_a")}),
    "chain of an unknown chain": ("  Add C0 E0", "  Add C99 E0", {(_TYPED, "ent_a")}),
    "chain of two entries": ("  Add C0 E0", "  Add E0 C0", {(_TYPED, "ent_a")}),
    "chain starts full": ('C0 : Entries ""', 'C0 : Entries "a"', {(_TYPED, "a")}),
    "a link without an id in its type": (
        'C1 : Entries "ent_a"',
        'C1 : Entries ""',
        {("entry-ids-unique", ""), (_TYPED, "")},
    ),
    "a link left out": ("  Add C1 E1", "  Add C0 E1", set()),
    "an id twice in the chain": ("C3 E3\n", "C4 E3\n", {(_TYPED, "ent_d")}),
    # -- tasks
    "history of another task": (
        'T0 : History "tsk_1"',
        'T0 : History "tsk_9"',
        {(_TYPED, "tsk_9"), (_TYPED, "tsk_1"), _TASK_ID},
    ),
    "history that begins done in the type alone": (
        'T0 : History "tsk_1" Pending',
        'T0 : History "tsk_1" Done',
        {("task-starts-legally", "tsk_1"), (_TYPED, "tsk_1"), _TASK_ID},
    ),
    "history that begins cancelled in the type alone": (
        'T0 : History "tsk_1" Pending',
        'T0 : History "tsk_1" Cancelled',
        {("task-starts-legally", "tsk_1"), (_TYPED, "tsk_1"), ("legal-task-transition", "tsk_1"), _TASK_ID},
    ),
    "history without an id in the type alone": (
        'T0 : History "tsk_1"',
        'T0 : History ""',
        {("task-id-not-empty", ""), (_TYPED, ""), (_TYPED, "tsk_1"), _TASK_ID},
    ),
    "history that goes on illegally in the type alone": (
        'T1 : History "tsk_1" InProgress 1700000010000',
        'T1 : History "tsk_1" Done 1700000010000',
        {("legal-task-transition", "tsk_1"), (_TYPED, "tsk_1"), _TASK_ID},
    ),
    "history of another time": (
        'Create "tsk_1" 1700000000000',
        'Create "tsk_1" 1700000000001',
        {(_TYPED, "tsk_1"), _TASK_ID},
    ),
    "history of another status": (
        "1700000000000 Pending []",
        "1700000000000 Blocked []",
        {("blockers-fit-status", "tsk_1"), (_TYPED, "tsk_1"), _TASK_ID},
    ),
    "history that begins done in the term alone": (
        "1700000000000 Pending []",
        "1700000000000 Done []",
        {("task-starts-legally", "tsk_1"), (_TYPED, "tsk_1"), _TASK_ID},
    ),
    "history without an id in the term alone": (
        'Create "tsk_1" 1700000000000',
        'Create "" 1700000000000',
        {("task-id-not-empty", "tsk_1"), (_TYPED, "tsk_1"), _TASK_ID},
    ),
    "history that goes on illegally in the term alone": (
        "Move T0 1700000010000 InProgress []",
        "Move T0 1700000010000 Done []",
        {("legal-task-transition", "tsk_1"), (_TYPED, "tsk_1"), _TASK_ID},
    ),
    "move that goes back in time in the term alone": (
        "Move T0 1700000010000",
        "Move T0 1699999999999",
        {("events-in-time-order", "tsk_1"), (_TYPED, "tsk_1"), _TASK_ID},
    ),
    "no such status": ("1700000000000 Pending []", "1700000000000 Raw []", {(_TYPED, "tsk_1"), _TASK_ID}),
    "a task that begins with no status": (
        'Pending 1700000000000\nT0 =\n  Create "tsk_1" 1700000000000 Pending',
        'Raw 1700000000000\nT0 =\n  Create "tsk_1" 1700000000000 Raw',
        {(_TYPED, "tsk_1"), _TASK_ID},
    ),
    "a task that goes on with no status": (
        'InProgress 1700000010000\nT1 =\n  Move T0 1700000010000 InProgress',
        'Raw 1700000010000\nT1 =\n  Move T0 1700000010000 Raw',
        {(_TYPED, "tsk_1"), _TASK_ID},
    ),
    "move of another time": (
        "Move T0 1700000010000",
        "Move T0 1700000010001",
        {(_TYPED, "tsk_1"), _TASK_ID},
    ),
    "move to no such status": (
        "Move T0 1700000010000 InProgress",
        "Move T0 1700000010000 Verified",
        {(_TYPED, "tsk_1"), _TASK_ID},
    ),
    "move of no task": ("Move T0", "Move E0", {(_TYPED, "tsk_1"), _TASK_ID}),
    "move that leaves out two": (
        "Move T3 ",
        "Move T1 ",
        set(),
    ),
    "move that leaves out what it must not": (
        "Move T3 ",
        "Move T0 ",
        {("legal-task-transition", "tsk_1"), _TASK_ID},
    ),
    "blockers that are no ids": ('["tsk_2"]', "[T0]", {(_TYPED, "tsk_1"), _TASK_ID}),
    # -- decisions
    "cite at another time": (
        "Q0 : Cited 1700000200000",
        "Q0 : Cited 1700000200001",
        {(_TYPED, "dec_1"), ("ids-unique", "decision")},
    ),
    "cite of what is no entry": ("  Cite E0", "  Cite M0", {(_TYPED, "Q0")}),
    "cite with a proof too few": ("  Cite E0\n  Ok\n", "  Cite E0\n", {(_TYPED, "ent_a")}),
    "a text for a cite": ("  Cite E0\n  Ok\n  Ok\n", '  "Cite"\n', {(_TYPED, "Q0")}),
    "cite of no such stage": ('CiteOther "ent_z" Certified', 'CiteOther "ent_z" Fact', {(_TYPED, "ent_z")}),
    "ruling on what is no cite": ("[Q0, Q1, Q2]", "[Q0, E1, Q2]", {(_TYPED, "dec_1"), ("ids-unique", "decision")}),
    "ruling on an unknown cite": ("[Q0, Q1, Q2]", "[Q0, Q9, Q2]", {(_TYPED, "dec_1"), ("ids-unique", "decision")}),
    "ruling without an id in the type alone": (
        'D0 : Ruling "dec_1"',
        'D0 : Ruling ""',
        {("decision-id-not-empty", ""), (_TYPED, ""), ("ids-unique", "decision")},
    ),
    "ruling without an id in the term alone": (
        'Decide "dec_1"',
        'Decide ""',
        {("decision-id-not-empty", "dec_1"), (_TYPED, "dec_1"), ("ids-unique", "decision")},
    ),
    "ruling of another decision": (
        'D0 : Ruling "dec_1"',
        'D0 : Ruling "dec_2"',
        {(_TYPED, "dec_2"), ("ids-unique", "decision")},
    ),
    # -- ids
    "ids of an unknown message": (_U_MESSAGES, _U_MESSAGES.replace("M2", "M9"), {(_TYPED, "message")}),
    "ids by another question": (_U_MESSAGES, _U_MESSAGES.replace("messageId M2", "taskId M2"), {(_TYPED, "message")}),
    "ids by two questions": (
        _U_MESSAGES,
        _U_MESSAGES.replace("messageId M2", "messageId M2 M2"),
        {(_TYPED, "message")},
    ),
    "ids that are numbers": (_U_MESSAGES, _U_MESSAGES.replace("messageId M2", "7"), {(_TYPED, "message")}),
    "ids in another order": (
        _U_MESSAGES,
        'AllUnique "message" [messageId M1, messageId M0, messageId M2]',
        {("ids-unique", "message")},
    ),
    "ids written out": (_U_DECISIONS, 'AllUnique "decision" ["dec_1", "dec_2"]', set()),
    "ids written out twice": (
        _U_DECISIONS,
        'AllUnique "decision" ["dec_1", "dec_1"]',
        {("ids-unique", "decision")},
    ),
    # -- names and shapes
    "name twice": ("E4 : Entry \"ent_e\" Working 0\nE4 =", "E3 : Entry \"ent_e\" Working 0\nE3 =", {
        (_TYPED, "E3"), (_TYPED, "ent_e"),
    }),
    "no such type": ("M2 : Message", "M2 : Verified", {
        (_TYPED, "msg_3"), (_TYPED, "evi_4"), (_LADDER, "ent_c"), (_TYPED, "evidence"), (_TYPED, "message"),
    }),
    "a number for a type": ("M2 : Message", "M2 : 7", {
        (_TYPED, "msg_3"), (_TYPED, "evi_4"), (_LADDER, "ent_c"), (_TYPED, "evidence"), (_TYPED, "message"),
    }),
    "a text for a term": ("C0 =\n  Empty\n", 'C0 =\n  "Empty"\n', {(_TYPED, "")}),
    "a time in words": ("Q0 : Cited 1700000200000", "Q0 : Cited Raw", {
        (_TYPED, "ent_a"), (_TYPED, "dec_1"), ("ids-unique", "decision"),
    }),
}  # fmt: skip

# Those of them that the audit lets through: every definition in its form, with values that are false. The others no checker
# is ever given; what is said of them above is what the embedded one says on its own.
IN_FORM: frozenset[str] = frozenset({
    "stage skipped",
    "a rung left out",
    "stage stepped back",
    "stage above the ladder",
    "entry of another id",
    "entry under its name of another",
    "failed quotes hidden",
    "failed quotes below a candidate",
    "failed quotes in the type alone",
    "no id in the type alone",
    "a rung left out of an entry without a title",
    "a rung left out above no evidence",
    "certified by nobody, a rung left out",
    "another's draft without a title",
    "unknown evidence",
    "message text changed",
    "message longer than it says",
    "window moved",
    "window before the message",
    "span before the window",
    "a segment that failed",
    "chain of another entry",
    "chain of an unknown entry",
    "chain starts full",
    "a link without an id in its type",
    "history of another task",
    "history that begins done in the type alone",
    "history that begins cancelled in the type alone",
    "history without an id in the type alone",
    "history that goes on illegally in the type alone",
    "history of another time",
    "history of another status",
    "history that begins done in the term alone",
    "history without an id in the term alone",
    "history that goes on illegally in the term alone",
    "move that goes back in time in the term alone",
    "move of another time",
    "move that leaves out two",
    "move that leaves out what it must not",
    "cite at another time",
    "ruling on an unknown cite",
    "ruling without an id in the type alone",
    "ruling without an id in the term alone",
    "ruling of another decision",
    "ids of an unknown message",
    "ids in another order",
})  # fmt: skip

# Texts that are no module: what is put where, all refused as not well-formed.
UNREADABLE_MODULES: dict[str, tuple[str, str]] = {
    "type without its definition": ("C0 =\n  Empty\n", ""),
    "definition under another name": ("C0 =\n", "C9 =\n"),
    "bracket open": ("[Ev M0 V0]", "[Ev M0 V0"),
    "bracket closed twice": ("[Ev M0 V0]", "[Ev M0 V0]]"),
    "parenthesis for a bracket": ("[Ev M0 V0]", "[Ev M0 V0)"),
    "comma outside brackets": ("  Add C0 E0", "  Add C0, E0"),
    "list with a hole": ("V2 [V3, V4]", "V2 [V3, , V4]"),
    "nothing in parentheses": ("  Add C0 E0", "  Add C0 ()"),
    "a number applied": ("  Add C0 E0", "  Add C0 (1 E0)"),
    "a number that runs into a word": (" 96 0 ", " 0x60 0 "),
    "a literal over two lines": ("We will use DuckDB for", "We will use\n  DuckDB for"),
    "a literal that is not closed": ('"Use DuckDB"', '"Use DuckDB'),
    "another escape": ("copy.\\10\\&", "copy.\\n"),
    "an escape that is not closed": ("copy.\\10\\&", "copy.\\10 "),
    "an escaped quote": ("copy.\\10\\&", 'copy.\\"'),
    "an escape that is no character": ("copy.\\10\\&", "copy.\\1114112\\&"),
    "an escape that is half a character": ("copy.\\10\\&", "copy.\\55296\\&"),
    "an operator": ("  Add C0 E0", "  Add C0 + E0"),
    "a name in small letters": ("C0 : Entries", "c0 : Entries"),
    "unknown import": (
        "import Memory.Session\n",
        "import Memory.Session\nimport Session0123456789abcdefP0\n",
    ),
}


def _chains() -> dict[str, tuple[list[str], Pairs]]:
    one, two = generate(many_entries(4), entries_a_module=2).modules
    first, second = one.source, two.source
    # As in the compiler, ``export`` shows the type of a definition alone: nothing can be computed with it elsewhere.
    shown = first
    for name in ("M0 : Message", "V0 : EvidenceOf", "E0 : Entry"):
        shown = shown.replace(name, f"export\n{name}")
    asked = second.replace("[messageId M2,", "[messageId M0, messageId M2,")
    cited = second + "\nQ0 : Cited 1800000000000\nQ0 =\n  Cite E0\n  Ok\n  Ok\n"
    grounded = second.replace("[Ev M2 V2]", "[Ev M0 V0]")
    untyped = first.replace("C0 : Entries", "export\nM9 : Raw\nM9 =\n  Ok\n\nC0 : Entries")
    return {
        "two modules": ([first, second], set()),
        "what is shown and not used": ([shown, second], set()),
        "the id of a message elsewhere": ([shown, asked], {("ids-unique", "message")}),
        "the id of a message that is not shown": ([first, asked], {(_TYPED, "message")}),
        "the time of an entry elsewhere": ([shown, cited], {(_LATE, "ent_00000")}),
        "an entry that is not shown": ([first, cited], {(_TYPED, "Q0")}),
        "evidence elsewhere": ([shown, grounded], set()),
        "evidence of a message that is not shown": (
            [shown.replace("export\nM0 :", "M0 :"), grounded],
            {(_LADDER, "ent_00002")},
        ),
        "a chain that is not shown": ([first.replace("export\n", ""), second], {(_TYPED, "ent_00002")}),
        "a name that is taken elsewhere": (
            [shown, second.replace("M2", "M0")],
            {(_TYPED, "M0"), ("ids-unique", "message"), *_no_id("evi_00002", _SPAN, _SLICE)},
        ),
        "a name without a type shown": ([untyped, second], {(_TYPED, "M9")}),
        "a module alone": ([second], {("well-formed", two.name), (_TYPED, "ent_00002")}),
        "modules in the wrong order": ([second, first], {("well-formed", two.name), (_TYPED, "ent_00002")}),
        "a module twice": ([first, first], {("well-formed", one.name)}),
        "a module behind one that cannot be read": (
            [first.replace("  Empty\n", "  (Empty\n"), second],
            {("well-formed", "module 0, line 73"), ("well-formed", two.name), (_TYPED, "ent_00002")},
        ),
    }


# Chains of modules, and what each must be refused for.
CHAINS = _chains()
