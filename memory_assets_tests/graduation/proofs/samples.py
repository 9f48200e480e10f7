"""Sessions to prove, Korean and English, and texts that would like to be code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory_assets.graduation.proofs.model import (
    OutsideCite,
    ProofDecision,
    ProofEntry,
    ProofEvidence,
    ProofMessage,
    ProofMove,
    ProofSession,
    ProofTask,
)

ENGLISH = "We will use DuckDB for the event log, because one file is easy to copy.\nNothing is ever deleted."
KOREAN = "결정: 이벤트 로그는 DuckDB에 저장한다. 벡터는 LanceDB가 맡고, 나중에 다시 만들 수 있다."


def evidence_of(message: ProofMessage, quote: str, evidence_id: str, /, **changes: object) -> ProofEvidence:
    """Exact evidence of a quote that stands in the message; ``changes`` replace its fields."""
    start = message.text.index(quote)
    fields: dict[str, object] = {
        "evidence_id": evidence_id,
        "message_id": message.message_id,
        "method": "exact",
        "confidence": 1.0,
        "span_start": start,
        "span_end": start + len(quote),
        "quote": quote,
        "matched_text": quote,
    }
    return ProofEvidence(**{**fields, **changes})  # type: ignore[arg-type]


def valid_session(session_id: str = "session-1") -> ProofSession:
    """Everything that a module can hold: exact, normalized and elided evidence, a task, a decision, a failed quote."""
    first = ProofMessage("msg_1", 1_700_000_000_000, ENGLISH)
    second = ProofMessage("msg_2", 1_700_000_060_000, KOREAN)
    long = ProofMessage("msg_3", 1_700_000_120_000, "x" * 3_000 + ENGLISH + "y" * 3_000)
    elided = evidence_of(second, "이벤트 로그는 DuckDB에 저장한다. 벡터는 LanceDB가 맡고", "evi_3")
    start, end = elided.span_start, elided.span_end
    entries = (
        ProofEntry("ent_a", "decision", "Use DuckDB", (evidence_of(first, "We will use DuckDB", "evi_1"),)),
        ProofEntry(
            "ent_b",
            "fact",
            "이벤트 로그의 저장소",
            (
                evidence_of(second, "이벤트 로그는", "evi_2", method="normalized", confidence=0.97, quote="이벤트로그는"),
                evidence_of(
                    second,
                    elided.matched_text,
                    "evi_3",
                    method="normalized",
                    confidence=0.98,
                    quote="이벤트 로그는 … 맡고",
                    segments=((start, start + 7), (end - 2, end)),
                ),
            ),
        ),
        ProofEntry("ent_c", "preference", "Never delete", (evidence_of(long, "Nothing is ever deleted.", "evi_4"),)),
        ProofEntry("ent_d", "task", "Half found", (evidence_of(first, "one file is easy", "evi_5"),), failed_count=1),
        ProofEntry("ent_e", "insight", "Not found at all", (), failed_count=2),
    )
    task = ProofTask(
        "tsk_1",
        (
            ProofMove(1_700_000_000_000, "pending"),
            ProofMove(1_700_000_010_000, "in_progress"),
            ProofMove(1_700_000_020_000, "blocked", ("tsk_2",)),
            ProofMove(1_700_000_030_000, "in_progress"),
            ProofMove(1_700_000_040_000, "done"),
        ),
    )
    decision = ProofDecision("dec_1", 1_700_000_200_000, ("ent_a", "ent_b", OutsideCite("ent_z", "certified", 5)))
    return ProofSession(session_id, (first, second, long), entries, (task,), (decision,))


def many_entries(count: int) -> ProofSession:
    """A session of ``count`` entries, each with its own message and one quote."""
    messages = tuple(ProofMessage(f"msg_{n:05}", 1_700_000_000_000 + n, f"{n}: {ENGLISH} {KOREAN}") for n in range(count))
    entries = tuple(
        ProofEntry(f"ent_{n:05}", "fact", f"Entry {n}", (evidence_of(messages[n], "We will use DuckDB", f"evi_{n:05}"),))
        for n in range(count)
    )
    return ProofSession(f"many-{count}", messages, entries)


def hostile_session(texts: Sequence[str]) -> ProofSession:
    """Each text as every id, a title, a message, a quote, a certifier and a blocker."""
    messages = tuple(ProofMessage(f"m{n}{text}", n, f"before {text} behind") for n, text in enumerate(texts))
    entries = tuple(
        ProofEntry(
            f"{n:03}{text}",
            "fact",
            f"t{text}",
            (
                evidence_of(message, message.text, f"v{n}{text}", segments=((0, 3), (3, len(message.text)))),
                evidence_of(message, "before", f"w{n}{text}", method="fuzzy", confidence=0.9, quote=f"q{text}"),
            ),
            certifier=text,
            claim="certified" if text else "verified",
        )
        for n, (text, message) in enumerate(zip(texts, messages, strict=True))
    )
    tasks = tuple(ProofTask(f"{n:03}{text}", (ProofMove(-n, "blocked", (f"b{text}",)),)) for n, text in enumerate(texts))
    decisions = tuple(
        ProofDecision(f"{n:03}{text}", 10_000, (f"{n:03}{text}", OutsideCite(text, "verified", -n)))
        for n, text in enumerate(texts)
    )
    return ProofSession(f"hostile{''.join(texts)}", messages, entries, tasks, decisions)


HOSTILE: tuple[str, ...] = (
    '"', '""', '"""', '"""\n', '" Ok', '"]', '")', "\\", "\\\\", '\\"', '\\\\"', "\\{believe_me x}", "\\{", "}", "{",
    '"\nX : Bool\nX = believe_me 0\n"', '" (believe_me 0)', '" ?hole', "?hole", "%foreign \"C:f,lib\"", "%runElab x",
    "%default partial", "%hide Ok", "%unsafe", "assert_total (f x)", "assert_smaller", "believe_me", "really_believe_me",
    "prim__believe_me", "unsafePerformIO", "-- comment", "{- comment", "-}", "||| doc", "import Prelude", "module Main",
    "\nimport System\n", "\r", "\r\n", "\n", "\t", "\0", "\x01\x02\x7f\x85\xa0", "\u2028\u2029", "\u202etxet", "\u200b\u200d",
    "\ufeff", "\uffff", "\ufdd0", "\ue000", "\U000e0041", "\U0010ffff", "\\SOH", "\\SO\\&H", "\\1234", "\\x41", "\\o17", "\\&",
    "7", "\x0e7", "\x1b[31m", "#\"raw\"#", "##", "'a'", "`(x)", "~(x)", "[|x|]", "{{x}}", "$(rm -rf /)", "`id`",
    "; rm", "../../x",
    "Ok\n  Ok", "Mismatch between: True and False.\n\nSession0:1:1--1:3", "결정\"\\{x}", "👩‍👩‍👧\"", "é", "e\u0301", "ﬁ\u0000",
    "\\", "a\\", "\\a", "\\\n", "\x00" * 20, '\\' * 51 + '"', "'; DROP TABLE events;--", "<script>", "％ｄｅｆａｕｌｔ", "＂",
    "module Session0123456789abcdefP0\nimport Memory.Session\n%default total\n", "data X : Type where", "let x = 0 in x",
    "mutual", "M0 : Message\nM0 =\n  Ok", "total partial covering", "forall a . a", "∀", "λ", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "ㄱㅏ",
    "가\u1161", "\u0600", "𝔐",
)  # fmt: skip


def _korean_alone() -> ProofSession:
    message = ProofMessage("메시지-1", -1, KOREAN)
    entry = ProofEntry(
        "항목-1", "decision", "저장소", (evidence_of(message, KOREAN, "증거-1"),), claim="certified", certifier="나"
    )
    return ProofSession("세션", (message,), (entry,), decisions=(ProofDecision("결정-1", 0, ("항목-1",)),))


_MESSAGE = ProofMessage("m", 0, ENGLISH)
_IN_PARTS = evidence_of(_MESSAGE, ENGLISH[:9], "v", segments=((0, 3), (3, 6), (6, 9)))

VALID_SESSIONS: dict[str, ProofSession] = {
    "everything": valid_session(),
    "nothing": many_entries(0),
    "one entry": many_entries(1),
    "three modules": many_entries(201),
    "Korean alone": _korean_alone(),
    "English alone": ProofSession(
        "english", (_MESSAGE,), (ProofEntry("e", "reference", "t", (evidence_of(_MESSAGE, ENGLISH, "v"),)),)
    ),
    "segments side by side": ProofSession("parts", (_MESSAGE,), (ProofEntry("e", "fact", "t", (_IN_PARTS,)),)),
    "hostile": hostile_session(HOSTILE),
    "all at the first stage": replace(
        valid_session(), entries=tuple(replace(e, claim="raw") for e in valid_session().entries), decisions=()
    ),
}
