"""What was done is taken back, and somebody says why: the person who asks for it, or the agent who saw that it was wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from memory_assets.court.case import Case
from memory_assets.court.detectors.cues import cue
from memory_assets.court.detectors.speech import Language, Typed
from memory_assets.court.detectors.traffic import Step, quoted
from memory_assets.court.detectors.wording import cut, key_of, on_one_line
from memory_assets.court.findings import Finding, Quoted
from memory_assets.sessions.fix_words import names_cause
from memory_assets.text.sentences import Sentence, sentences

_WHOLE = re.compile(r"\brevert\b|\breset\b|(?:checkout|restore) (?:HEAD )?(?:-- )?\.(?=\s|$)")
"""Takes back all that was changed, whatever it was."""
_BACK: Final = 60
"""Calls before it in which the change that is taken back was made."""


def asked_back(case: Case, steps: Sequence[Step], said: Sequence[Typed]) -> dict[int, tuple[Step, Step, Typed | None]]:
    """Of each call that takes something back, by its place: the change, the call, and the message that asks for it."""
    found: dict[int, tuple[Step, Step, Typed | None]] = {}
    for number, step in enumerate(steps):
        if step.outcome != "worked":
            continue
        change = _taken_back(steps, number)
        if change is None:
            continue
        before = [message for message in said if change.call.place < message.place < step.call.place]
        asking = next((message for message in reversed(before) if cue("reversal", "asks").search(message.plain)), None)
        found[step.call.place] = (change, step, asking)
    return found


def reversals(case: Case, taken_back: dict[int, tuple[Step, Step, Typed | None]], language: Language) -> Iterator[Finding]:
    """What was taken back for a reason that is said; of several calls for one reason the first."""
    told: set[tuple[int, int]] = set()
    for change, step, asking in taken_back.values():
        reason = _reason(case, change, step, asking)
        if reason is None or (reason.place, reason.start) in told:
            continue
        told.add((reason.place, reason.start))
        yield _finding(change, step, reason, language)


def _taken_back(steps: Sequence[Step], number: int) -> Step | None:
    """The change that a call takes back; None for a call that takes nothing back."""
    step = steps[number]
    before = steps[max(0, number - _BACK) : number]
    if step.command is not None and cue("call", "takes_back").search(step.command):
        changes = [one for one in before if one.outcome == "worked" and (one.files or "git commit" in (one.command or ""))]
        named = [one for one in changes if any(path.rsplit("/", 1)[-1] in step.command for path in one.files)]
        whole = (
            "revert" in step.command
            or "reset" in step.command
            or re.search(r"(?:checkout|restore) (?:HEAD )?(?:-- )?\.(?=\s|$)", step.command)
        )
        return named[-1] if named else changes[-1] if changes and whole else None
    texts = _replaced(step)
    if texts is None:
        return None
    for earlier in reversed(before):
        other = _replaced(earlier)
        if other is not None and earlier.outcome == "worked" and earlier.files == step.files and other == (texts[1], texts[0]):
            return earlier
    return None


def _replaced(step: Step) -> tuple[str, str] | None:
    """The text that an edit takes out, and the one that it puts in."""
    if not step.files:
        return None
    try:
        given = json.loads(step.text)
    except (ValueError, RecursionError):  # masking may have cut it
        return None
    old, new = (given.get("old_string"), given.get("new_string")) if isinstance(given, dict) else (None, None)
    return (old, new) if isinstance(old, str) and isinstance(new, str) and old != new else None


def _reason(case: Case, change: Step, step: Step, asking: Typed | None) -> Quoted | None:
    if asking is not None and asking.said:
        best = next((one for one in asking.said if cue("reversal", "asks").search(asking.plain_of(one))), asking.said[0])
        last = asking.said[min(len(asking.said), asking.said.index(best) + 2) - 1]
        first = asking.said[0] if asking.said.index(best) <= 1 else best
        return asking.quoted(first.start, last.end, "cause")
    for event in reversed(case.events[change.call.place + 1 : step.call.place]):
        if event.actor == "ai" and event.message.kind == "said" and not event.message.sidechain:
            told: list[Sentence] = [one for one in sentences(event.message.text[:2_000]) if names_cause(one.text)]
            if told and cue("reversal", "asks").search(event.message.text[:2_000]):
                return quoted(event, told[0].start, told[0].end, "cause")
    return None


def _finding(change: Step, step: Step, reason: Quoted, language: Language) -> Finding:
    why = on_one_line(reason.quote)
    did = cut(on_one_line(change.command or f"{change.tool} {', '.join(change.files)}"), 120)
    if language == "ko":
        title, rule = f"되돌림: {cut(why, 100)}", f"`{did}` 변경은 되돌려졌다: {cut(why, 400)}"
    else:
        title, rule = f"Taken back: {cut(why, 100)}", f"The change `{did}` was taken back: {cut(why, 400)}"
    return Finding(
        kind="reverted",
        role="coder",
        polarity="dont",
        severity="medium",
        title=cut(title, 120),
        rule=rule,
        trigger="",
        key=key_of(why),
        evidence=(change.quoted_call("failure"), reason, step.quoted_call("remedy")),
        confidence=0.65,
    )
