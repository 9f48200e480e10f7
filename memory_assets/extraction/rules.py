"""The embedded extractor: deterministic, without a model, Korean and English alike (requirement G-50).

Each sentence that a person or an agent said collects the weights of the cues it holds (``rules.toml``) and of its place.
The best sentences of a message become entries; neighbours that also say something are quoted beside them, and a request
is quoted together with the sentence in which the agent reports its outcome. It quotes like any extractor: what it
proposes goes through the same aligner.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory_assets.extraction.cues import Cue, Rules, built_in_rules
from memory_assets.extraction.schema import EntryType, ExtractedEntry, Quote
from memory_assets.extraction.sentences import Sentence, sentences
from memory_assets.extraction.titles import title_of
from memory_assets.extraction.windows import Window, shown_text
from memory_assets.sessions.model import Message

CODE_VERSION = "1"
RULES_VERSION = f"rules-{CODE_VERSION}-{built_in_rules().version}"

_SHORT = 40
_BRIEF = 200
_MAX_QUOTES = 3
_REACH = 2  # how many sentences away a neighbour may be
_BLOCKER = re.compile(
    r"\b(?:blocked (?:on|by|until)|waiting (?:for|on)|stuck on)\s+(?P<after>[^.;,\n]{3,120})"
    r"|(?P<before>[^.;,\n]{2,80}?)(?:에 막혀|에 막혔|(?:을|를) 기다리|(?:이|가) 끝나야|때문에 막)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Scored:
    """A sentence with what its cues say about it."""

    message_index: int
    position: int
    sentence: Sentence
    score: float
    entry_type: EntryType | None
    cues: tuple[Cue, ...]


def extract_window(messages: Sequence[Message], window: Window, rules: Rules | None = None) -> list[ExtractedEntry]:
    """The entries of a window, in the order of their first quotes; the same input gives the same entries.

    Args:
        messages: the whole session; message indexes of the quotes count from its start.
        rules: the package's own when left out.
    """
    rules = rules or built_in_rules()
    found: list[ExtractedEntry] = []
    people_only = _is_conversation(messages[window.context_start : window.end])
    request: int | None = None  # where in ``found`` the request stands that the agent is working on
    for index in range(window.start, window.end):
        message = messages[index]
        if message.kind != "said" or not shown_text(message):
            continue
        final = message.role == "assistant" and _ends_turn(messages[index + 1 : window.end])
        scored = _score_message(message, index, final, rules)
        if people_only:
            scored = [replace(s, score=s.score + rules.conversation.get(s.entry_type or "", 0.0)) for s in scored]
        entries = _entries_of(message, scored, rules)
        if message.role == "user":
            request = next((len(found) + n for n, e in enumerate(entries) if e.entry_type == "task"), None)
        elif final and request is not None:
            outcome = _outcome(scored)
            if outcome is not None:
                found[request] = _with_outcome(found[request], outcome)
                entries = [entry for entry in entries if outcome not in entry.evidence]
                request = None
        found.extend(entries)
    return found


def _score_message(message: Message, index: int, final: bool, rules: Rules) -> list[_Scored]:
    role = message.role
    cues = [cue for cue in rules.cues if role in cue.roles]
    pasted = role == "user" and len(message.text) > rules.limits["pasted_length"]
    scored: list[_Scored] = []
    for position, sentence in enumerate(sentences(message.text)):
        text = sentence.text.strip("*_ \t")
        lowered = text.lower()
        matched = tuple(cue for cue in cues if cue.found_in(text, lowered))
        places = {
            "first": position == 0,
            "short": len(text) < _SHORT,
            "pasted": pasted,
            "heading": sentence.shape == "heading",
            "final": final,
            "brief": not final and len(message.text) < _BRIEF,
        }
        score = sum(cue.weight for cue in matched)
        score += sum(rules.places.get(f"{role} {place}", 0.0) for place, there in places.items() if there)
        entry_type = _type_of(matched)
        if sentence.shape in ("open_box", "done_box"):
            score, entry_type = score + rules.limits["user"], "task"
        scored.append(_Scored(index, position, sentence, score, entry_type, matched))
    return scored


def _type_of(cues: Sequence[Cue]) -> EntryType | None:
    """The type with the most weight behind it; the first in the file's order when two have as much."""
    weights: dict[EntryType, float] = {}
    for cue in cues:
        if cue.entry_type is not None and cue.weight > 0:
            weights[cue.entry_type] = weights.get(cue.entry_type, 0.0) + cue.weight
    return max(weights, key=lambda name: weights[name], default=None)


def _entries_of(message: Message, scored: Sequence[_Scored], rules: Rules) -> list[ExtractedEntry]:
    """The best sentences of a message as entries, each with the neighbours that support it."""
    limit = int(rules.limits["per_message"] + rules.limits["per_thousand"] * len(message.text) / 1000)
    enough = rules.limits[message.role]
    used: set[int] = set()
    chosen: list[tuple[_Scored, list[_Scored]]] = []
    for best in sorted(scored, key=lambda s: (-s.score, s.position)):
        if len(chosen) >= limit or best.score < enough:
            break
        if best.entry_type is None or best.position in used:
            continue
        near = [
            other
            for other in scored
            if 0 < abs(other.position - best.position) <= _REACH
            and other.position not in used
            and other.score >= rules.limits["support"]
            and other.sentence.heading == best.sentence.heading
        ]
        near.sort(key=lambda s: (-s.score, s.position))
        support = near[: _MAX_QUOTES - 1]
        used.update(s.position for s in [best, *support])
        chosen.append((best, support))
    chosen.sort(key=lambda pair: pair[0].position)
    return [_entry(best, support, message) for best, support in chosen]


def _entry(best: _Scored, support: Sequence[_Scored], message: Message) -> ExtractedEntry:
    assert best.entry_type is not None
    quotes = tuple(Quote(s.message_index, s.sentence.text) for s in [best, *support])
    entry = ExtractedEntry(best.entry_type, title_of(best.sentence.text), quotes)
    if best.entry_type == "decision":
        reason = next((s for s in support if s.entry_type == "insight"), None)
        return replace(entry, reason=reason.sentence.text if reason else None)
    if best.entry_type != "task":
        return entry
    status = next((cue.status for cue in best.cues if cue.status), None)
    if best.sentence.shape == "done_box":
        status = "done"
    blocked_by = tuple(_blockers(best.sentence.text))
    return replace(
        entry,
        status="blocked" if blocked_by and status != "done" else status or "pending",
        priority=next((cue.priority for cue in best.cues if cue.priority), None),
        blocked_by=blocked_by,
    )


def _blockers(text: str) -> list[str]:
    """What a sentence says a task waits for, in the sentence's own words."""
    found = ((match.group("after") or match.group("before") or "").strip() for match in _BLOCKER.finditer(text))
    return [blocker for blocker in found if blocker]


def _is_conversation(messages: Sequence[Message]) -> bool:
    """Whether people talk to people: at least two named ones, and no agent among them."""
    shown = [message for message in messages if shown_text(message)]
    return len({m.name for m in shown if m.name}) > 1 and all(m.role != "assistant" for m in shown)


def _ends_turn(later: Sequence[Message]) -> bool:
    """Whether a person speaks next, or nobody does in this window."""
    return next((m.role == "user" for m in later if m.kind == "said" and shown_text(m)), True)


def _outcome(scored: Sequence[_Scored]) -> Quote | None:
    """The sentence in which the agent says that it is done."""
    done = [s for s in scored if any(cue.status == "done" for cue in s.cues) and s.score > 0]
    if not done:
        return None
    best = max(done, key=lambda s: (s.score, -s.position))
    return Quote(best.message_index, best.sentence.text)


def _with_outcome(request: ExtractedEntry, outcome: Quote) -> ExtractedEntry:
    quotes = (*request.evidence[: _MAX_QUOTES - 1], outcome)
    status = "done" if request.status in ("pending", "in_progress") else request.status
    return replace(request, evidence=quotes, status=status)
