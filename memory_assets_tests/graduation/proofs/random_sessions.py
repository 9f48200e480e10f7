"""Sound sessions of every shape, and random edits that may spoil them: what both checkers must agree on."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from memory_assets.graduation.proofs.model import (
    OutsideCite,
    ProofDecision,
    ProofEntry,
    ProofEvidence,
    ProofMessage,
    ProofMove,
    ProofSession,
    ProofTask,
    claimed_stage,
)
from memory_assets.vocabulary import STAGES
from memory_assets_tests.graduation.proofs.samples import HOSTILE

Edit = Callable[[random.Random, ProofSession], ProofSession]

_WORDS = (
    *["we", "keep", "the", "log", "in", "DuckDB", "because", "one", "file", "is", "easy", "to", "copy"],
    *["이벤트", "로그는", "지우지", "않기로", "결정했다", "벡터는", "다시", "만들", "수", "있다"],
    *HOSTILE[:40:5],
)
_KINDS = ("decision", "fact", "preference", "insight", "task", "reference")
_METHODS = {"exact": (1.0, 1.0), "normalized": (0.95, 0.9999), "fuzzy": (0.85, 0.9499)}
_STATUSES = ("pending", "in_progress", "blocked", "done", "cancelled")
_MOVES = {
    "pending": ("in_progress", "blocked", "cancelled"),
    "in_progress": ("pending", "blocked", "done", "cancelled"),
    "blocked": ("pending", "in_progress", "blocked", "cancelled"),
    "done": ("in_progress",),
    "cancelled": ("pending",),
}
_BEHIND_ALL = 2_000_000_000_000


# -- sound sessions ----------------------------------------------------------------------------------------------------


def random_session(rng: random.Random) -> ProofSession:
    """A sound session: up to 5 messages (now and then a long one), 7 entries, 2 tasks and 2 decisions."""
    messages = tuple(_message(rng, number) for number in range(rng.randint(1, 5)))
    entries = tuple(_entry(rng, messages, f"ent_{number}") for number in rng.sample(range(100), rng.randint(0, 7)))
    tasks = tuple(_task(rng, f"tsk_{number}") for number in rng.sample(range(10), rng.choice((0, 0, 1, 2))))
    citable = [entry.entry_id for entry in entries if claimed_stage(entry) in ("verified", "certified")]
    decisions = tuple(_decision(rng, f"dec_{number}", citable) for number in range(rng.choice((0, 0, 1, 2))))
    return ProofSession(f"random-{rng.random()}", messages, entries, tasks, decisions)


def _text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(_WORDS) for _ in range(words))


def _message(rng: random.Random, number: int) -> ProofMessage:
    text = "m" + _text(rng, rng.randint(1, 25))
    if rng.random() < 0.08:
        text = "가" * rng.randint(1, 3_000) + text + "z" * 4_000
    return ProofMessage(f"msg_{number}", rng.choice((-5, 0, 1_700_000_000_000 + rng.randint(0, 99))), text)


def _evidence(rng: random.Random, message: ProofMessage, name: str) -> ProofEvidence:
    start = rng.randrange(len(message.text))
    end = rng.randint(start + 1, min(len(message.text), start + 30))
    stored = message.text[start:end]
    method = rng.choice(tuple(_METHODS))
    confidence = round(rng.uniform(*_METHODS[method]), 4)
    quote = stored if method == "exact" else f"~{stored}"
    segments: tuple[tuple[int, int], ...] = ()
    if end - start >= 5 and rng.random() < 0.3:
        first, second = sorted(rng.sample(range(start + 1, end), 2))
        segments = rng.choice((((start, first), (second, end)), ((start, first), (first, second), (second, end))))
    return ProofEvidence(name, message.message_id, method, confidence, start, end, quote, stored, segments)  # type: ignore[arg-type]


def _entry(rng: random.Random, messages: tuple[ProofMessage, ...], name: str) -> ProofEntry:
    evidence = tuple(_evidence(rng, rng.choice(messages), f"evi_{name}_{n}") for n in range(rng.choice((0, 1, 1, 1, 2, 3))))
    failed = rng.choice((0, 0, 0, 1, 3))
    highest = 1 if not evidence else 2 if failed else 4
    claim = rng.choice((None, None, STAGES[rng.randint(0, highest)]))
    kind = rng.choice(_KINDS)
    return ProofEntry(name, kind, _text(rng, 3) + ".", evidence, failed, claim, rng.choice(_WORDS) + "!")  # type: ignore[arg-type]


def _task(rng: random.Random, name: str) -> ProofTask:
    at, status = rng.randint(-5, 5), rng.choice(_STATUSES[:3])
    moves = [_move(rng, at, status)]
    for _ in range(rng.randint(0, 5)):
        at, status = at + rng.randint(0, 9), rng.choice(_MOVES[status])
        moves.append(_move(rng, at, status))
    return ProofTask(name, tuple(moves))


def _move(rng: random.Random, at: int, status: str) -> ProofMove:
    fewest, most = {"blocked": (1, 3), "done": (0, 0)}.get(status, (0, 1))
    return ProofMove(at, status, tuple(f"other_{n}" for n in range(rng.randint(fewest, most))))  # type: ignore[arg-type]


def _decision(rng: random.Random, name: str, citable: list[str]) -> ProofDecision:
    cites: list[str | OutsideCite] = list(rng.sample(citable, rng.randint(0, len(citable))))
    if not cites or rng.random() < 0.3:
        cites.append(OutsideCite(f"ent_far_{rng.choice(_WORDS)}", rng.choice(("verified", "certified")), rng.randint(-5, 5)))
    return ProofDecision(name, _BEHIND_ALL, tuple(cites))


# -- edits -------------------------------------------------------------------------------------------------------------


_Item = TypeVar("_Item")
_Change = Callable[[random.Random, ProofSession, _Item], tuple[_Item, ...]]
"""One thing of a session -> what stands in its place: nothing, itself changed, itself and another."""


def _one_of(rng: random.Random, items: tuple[_Item, ...], change: Callable[[_Item], tuple[_Item, ...]]) -> tuple[_Item, ...]:
    if not items:
        return items
    at = rng.randrange(len(items))
    return (*items[:at], *change(items[at]), *items[at + 1 :])


def _a_message(change: _Change[ProofMessage]) -> Edit:
    return lambda rng, s: replace(s, messages=_one_of(rng, s.messages, lambda item: change(rng, s, item)))


def _an_entry(change: _Change[ProofEntry]) -> Edit:
    return lambda rng, s: replace(s, entries=_one_of(rng, s.entries, lambda item: change(rng, s, item)))


def _evidence_of_an_entry(change: _Change[ProofEvidence]) -> Edit:
    return _an_entry(
        lambda rng, s, entry: (replace(entry, evidence=_one_of(rng, entry.evidence, lambda item: change(rng, s, item))),)
    )


def _a_task(change: _Change[ProofTask]) -> Edit:
    return lambda rng, s: replace(s, tasks=_one_of(rng, s.tasks, lambda item: change(rng, s, item)))


def _a_move(change: _Change[ProofMove]) -> Edit:
    return _a_task(lambda rng, s, task: (replace(task, moves=_one_of(rng, task.moves, lambda item: change(rng, s, item))),))


def _a_decision(change: _Change[ProofDecision]) -> Edit:
    return lambda rng, s: replace(s, decisions=_one_of(rng, s.decisions, lambda item: change(rng, s, item)))


def _spoiled(rng: random.Random, text: str) -> str:
    """A character changed, left out, put in, or the whole text gone or no text at all."""
    at = rng.randrange(len(text) + 1)
    return rng.choice(
        (text[:at] + "§" + text[at + 1 :], text[:at] + text[at + 1 :], text[:at] + "가" + text[at:], "", "\ud800")
    )


def _near(rng: random.Random, number: int) -> int:
    return rng.choice((number - 1, number + 1, number + rng.randint(-20, 20), -number, number + 5_000, 2**53 + 1, -(2**60)))


def _at(rng: random.Random) -> int:
    return rng.choice((-6, -1, 0, 1, 1_700_000_000_050, _BEHIND_ALL, 2**54))


def _some_id(rng: random.Random, ids: Sequence[str]) -> str:
    """An id that is taken, the empty one, a new one."""
    return rng.choice((*ids, "", "new", "new\udfff"))


def _entry_ids(s: ProofSession) -> list[str]:
    return [entry.entry_id for entry in s.entries]


def _message_ids(s: ProofSession) -> list[str]:
    return [message.message_id for message in s.messages]


def _all_evidence(s: ProofSession) -> list[ProofEvidence]:
    return [item for entry in s.entries for item in entry.evidence]


def _other_segments(rng: random.Random, e: ProofEvidence) -> tuple[tuple[int, int], ...]:
    parts = list(e.segments) or [(e.span_start, e.span_start + 1), (e.span_end - 1, e.span_end)]
    at = rng.randrange(len(parts))
    start, end = parts[at]
    parts[at] = rng.choice(((start - 1, end), (start + 1, end), (start, end - 1), (start, end + 1), (start, start)))
    return tuple(rng.choice((parts, parts[::-1], parts[:-1], [*parts, parts[0]])))


def _renamed_everywhere(rng: random.Random, s: ProofSession) -> ProofSession:
    """A message under another id, and what cites it along with it."""
    if not s.messages:
        return s
    old, new = rng.choice(_message_ids(s)), rng.choice(("", "z", "\u200b"))

    def renamed(thing: _Item) -> _Item:
        return replace(thing, message_id=new) if thing.message_id == old else thing  # type: ignore[attr-defined, type-var]

    entries = tuple(replace(entry, evidence=tuple(renamed(item) for item in entry.evidence)) for entry in s.entries)
    return replace(s, messages=tuple(renamed(message) for message in s.messages), entries=entries)


EDITS: dict[str, Edit] = {
    "span start": _evidence_of_an_entry(lambda rng, s, e: (replace(e, span_start=_near(rng, e.span_start)),)),
    "span end": _evidence_of_an_entry(lambda rng, s, e: (replace(e, span_end=_near(rng, e.span_end)),)),
    "span moved": _evidence_of_an_entry(lambda rng, s, e: (replace(e, span_start=e.span_start + 1, span_end=e.span_end + 1),)),
    "span emptied": _evidence_of_an_entry(lambda rng, s, e: (replace(e, span_end=e.span_start, matched_text=""),)),
    "slice": _evidence_of_an_entry(lambda rng, s, e: (replace(e, matched_text=_spoiled(rng, e.matched_text)),)),
    "slice and quote": _evidence_of_an_entry(
        lambda rng, s, e: (replace(e, matched_text=e.matched_text + "x", quote=e.matched_text + "x"),)
    ),
    "quote": _evidence_of_an_entry(lambda rng, s, e: (replace(e, quote=_spoiled(rng, e.quote)),)),
    "confidence": _evidence_of_an_entry(
        lambda rng, s, e: (
            replace(
                e, confidence=rng.choice((0.0, 0.8499, 0.85, 0.94999, 0.95, 0.99995, 1.0, 1.00005, 1.0001, -1.0, float("inf")))
            ),
        )
    ),
    "method": _evidence_of_an_entry(
        lambda rng, s, e: (replace(e, method=rng.choice((*_METHODS, "guess"))),)  # type: ignore[arg-type]
    ),
    "evidence id": _evidence_of_an_entry(
        lambda rng, s, e: (replace(e, evidence_id=_some_id(rng, [item.evidence_id for item in _all_evidence(s)])),)
    ),
    "evidence of another message": _evidence_of_an_entry(
        lambda rng, s, e: (replace(e, message_id=_some_id(rng, _message_ids(s))),)
    ),
    "segments": _evidence_of_an_entry(lambda rng, s, e: (replace(e, segments=_other_segments(rng, e)),)),
    "evidence left out": _evidence_of_an_entry(lambda rng, s, e: ()),
    "evidence twice": _evidence_of_an_entry(lambda rng, s, e: (e, e)),
    "evidence nearly twice": _evidence_of_an_entry(lambda rng, s, e: (e, replace(e, quote=e.quote + "."))),
    "evidence shared": _an_entry(
        lambda rng, s, e: (replace(e, evidence=(*e.evidence, *rng.sample(_all_evidence(s), min(1, len(_all_evidence(s)))))),)
    ),
    "entry id": _an_entry(lambda rng, s, e: (replace(e, entry_id=_some_id(rng, _entry_ids(s))),)),
    "entry twice": _an_entry(lambda rng, s, e: (e, replace(e, title=e.title + "2", claim=rng.choice((None, "raw"))))),
    "title": _an_entry(lambda rng, s, e: (replace(e, title=_spoiled(rng, e.title)),)),
    "kind": _an_entry(lambda rng, s, e: (replace(e, entry_type=rng.choice((*_KINDS, "rumour"))),)),  # type: ignore[arg-type]
    "claim": _an_entry(lambda rng, s, e: (replace(e, claim=rng.choice((*STAGES, "believed"))),)),  # type: ignore[arg-type]
    "failed quotes": _an_entry(lambda rng, s, e: (replace(e, failed_count=rng.choice((-1, 0, 1, 2**54))),)),
    "certifier": _an_entry(lambda rng, s, e: (replace(e, claim="certified", certifier=rng.choice(("", "user", "\ud800"))),)),
    "message text": _a_message(lambda rng, s, m: (replace(m, text=_spoiled(rng, m.text)),)),
    "message longer": _a_message(lambda rng, s, m: (replace(m, text=m.text + "x" * 4_000),)),
    "message id": _a_message(lambda rng, s, m: (replace(m, message_id=_some_id(rng, _message_ids(s))),)),
    "message time": _a_message(lambda rng, s, m: (replace(m, occurred_at_ms=_at(rng)),)),
    "message left out": _a_message(lambda rng, s, m: ()),
    "message twice": _a_message(lambda rng, s, m: (m, replace(m, text=m.text[:3], occurred_at_ms=_at(rng)))),
    "message renamed everywhere": _renamed_everywhere,
    "task id": _a_task(lambda rng, s, t: (replace(t, task_id=_some_id(rng, [*(x.task_id for x in s.tasks), "other_0"])),)),
    "task twice": _a_task(lambda rng, s, t: (t, t)),
    "events swapped": _a_task(lambda rng, s, t: (replace(t, moves=tuple(rng.sample(t.moves, len(t.moves)))),)),
    "event left out": _a_move(lambda rng, s, m: ()),
    "event twice": _a_move(lambda rng, s, m: (m, m)),
    "status": _a_move(lambda rng, s, m: (replace(m, status=rng.choice((*_STATUSES, "someday"))),)),  # type: ignore[arg-type]
    "event time": _a_move(lambda rng, s, m: (replace(m, occurred_at_ms=_near(rng, m.occurred_at_ms)),)),
    "blockers": _a_move(
        lambda rng, s, m: (replace(m, blockers=rng.choice(((), ("",), ("tsk_1", "tsk_2"), ("x", "x"), ("\ud800",)))),)
    ),
    "decision id": _a_decision(
        lambda rng, s, d: (replace(d, decision_id=_some_id(rng, [other.decision_id for other in s.decisions])),)
    ),
    "decision time": _a_decision(lambda rng, s, d: (replace(d, occurred_at_ms=_at(rng)),)),
    "decision cites": _a_decision(lambda rng, s, d: (replace(d, cites=(*d.cites, _some_id(rng, _entry_ids(s)))),)),
    "decision cites one": _a_decision(lambda rng, s, d: (replace(d, cites=(rng.choice(_entry_ids(s) or ["x"]),)),)),
    "decision cites nothing": _a_decision(lambda rng, s, d: (replace(d, cites=()),)),
    "decision cites outside": _a_decision(
        lambda rng, s, d: (
            replace(d, cites=(OutsideCite(_some_id(rng, _entry_ids(s)), rng.choice((*STAGES, "x")), _at(rng)),)),  # type: ignore[arg-type]
        )
    ),
    "decision twice": _a_decision(lambda rng, s, d: (d, replace(d, cites=d.cites[:1]))),
}


def edited(rng: random.Random, session: ProofSession, edits: int) -> ProofSession:
    """The session after that many random edits; some change nothing that matters."""
    for _ in range(edits):
        session = EDITS[rng.choice(tuple(EDITS))](rng, session)
    return session
