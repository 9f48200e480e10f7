"""What was done is taken back, and somebody says why: the person who asks for it, or the agent who saw that it was wrong."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memory_assets.court.case import Case, CaseEvent
from memory_assets.court.detectors.causes import tokens
from memory_assets.court.detectors.cues import cue
from memory_assets.court.detectors.speech import Language, Typed
from memory_assets.court.detectors.traffic import Step, quoted
from memory_assets.court.detectors.wording import cut, key_of, on_one_line
from memory_assets.court.findings import Finding, Quoted
from memory_assets.text.sentences import sentences

_WHOLE = re.compile(r"\brevert\b|\breset\b|(?:checkout|restore) (?:HEAD )?(?:-- )?\.(?=\s|$)")
"""Takes back all that was changed, whatever it was."""
_FILE = re.compile(r"[\w-]\.[A-Za-z]\w{0,7}\Z")
_BACK: Final = 60
"""Calls before it in which the change that is taken back was made."""
_SOON: Final = 6
"""Events behind the words of an agent that takes something back, in which it does so."""
_READ: Final = 3_000
_MOST_REASON: Final = 400


@dataclass(frozen=True, slots=True)
class Reversal:
    """A change that was taken back.

    Attributes:
        change: what was changed; None where only the words say that something was.
        step: the call that takes it back.
        asking: the message of the person that asks for it.
        reason: the words that say why; None where nobody says so.
    """

    change: Step | None
    step: Step
    asking: Typed | None
    reason: Quoted | None


def reversals_of(case: Case, steps: Sequence[Step], said: Sequence[Typed]) -> list[Reversal]:
    """What was taken back; of several calls of one turn the first for a reason that is said."""
    found: dict[int, Reversal] = {}
    places = [message.place for message in said]
    for number, step in enumerate(steps):
        if step.outcome != "worked":
            continue
        change = _taken_back(steps, number)
        undertaken = _undertaken(case, step, is_known=change is not None) if step.files or change is not None else None
        if (change is None and undertaken is None) or _was_for_a_while(case, change, step):
            continue
        start = change.call.place if change else step.call.place
        between = said[bisect_right(places, start) : bisect_left(places, step.call.place)]
        asking = next((message for message in reversed(between) if cue("reversal", "asks").search(message.plain)), None)
        # What is taken back in one turn is taken back for one reason.
        change = change or _edited_before(steps, number)
        reversal = Reversal(change, step, asking, _asked(asking) or undertaken)
        turn = bisect_left(places, step.call.place)
        if turn not in found or (found[turn].reason is None and reversal.reason is not None):
            found[turn] = reversal
    return list(found.values())


def reversals(taken_back: Sequence[Reversal], language: Language) -> Iterator[Finding]:
    """A finding for each."""
    for reversal in taken_back:
        yield _finding(reversal, language)


def _taken_back(steps: Sequence[Step], number: int) -> Step | None:
    """The change that a call takes back; None for a call that takes nothing back."""
    step = steps[number]
    before = steps[max(0, number - _BACK) : number]
    if step.command is not None:
        if not cue("call", "takes_back").search(step.command):
            return None
        program = step.command.split(maxsplit=1)[0]
        if program != "git":
            same = (one for one in reversed(before) if one.outcome == "worked" and (one.command or "").startswith(program))
            return next((one for one in same if one.programs), None)
        changes = [one for one in before if one.outcome == "worked" and _changes_files(one)]
        named = [one for one in changes if any(name in step.command for name in _names_of_files(one))]
        return named[-1] if named else changes[-1] if changes and _WHOLE.search(step.command) else None
    if step.replaced is None:
        return None
    return next((one for one in reversed(before) if one.files == step.files and _is_inverse(one, step)), None)


def _changes_files(step: Step) -> bool:
    return bool(step.files) or (step.command is not None and cue("call", "writes_files").search(step.command) is not None)


def _names_of_files(step: Step) -> set[str]:
    """The files that a call changes, by their names."""
    paths = step.files or [token for token in tokens(step.command or "") if _FILE.search(token)]
    return {path.rsplit("/", 1)[-1] for path in paths}


def _is_inverse(earlier: Step, step: Step) -> bool:
    """Whether an edit puts back what an earlier one took out."""
    if earlier.replaced is None or step.replaced is None or earlier.outcome != "worked":
        return False
    (was, became), (taken, put) = earlier.replaced, step.replaced
    return bool(taken.strip()) and bool(put.strip()) and taken in became and put in was and put not in became


def _edited_before(steps: Sequence[Step], number: int) -> Step | None:
    files = set(steps[number].files)
    before = steps[max(0, number - _BACK) : number]
    return next((one for one in reversed(before) if one.outcome == "worked" and files & set(one.files)), None)


def _was_for_a_while(case: Case, change: Step | None, step: Step) -> bool:
    """Whether what is taken back was put there to look at something: a line that prints."""
    put = change.replaced[1] if change is not None and change.replaced is not None else ""
    said = [event.message.text[:400] for event in case.events[max(0, step.call.place - 2) : step.call.place] if _says(event)]
    return any(cue("reversal", "for_a_while").search(text) for text in (put[:_READ], *said))


def _says(event: CaseEvent) -> bool:
    return event.actor == "ai" and event.message.kind == "said" and not event.message.sidechain


def _undertaken(case: Case, step: Step, *, is_known: bool) -> Quoted | None:
    """The words, right before a call, in which the agent says that it takes something back, with the sentence before them.

    Args:
        is_known: the call itself shows that it does.
    """
    for event in reversed(case.events[max(0, step.call.place - _SOON) : step.call.place]):
        if event.actor == "human":
            return None
        if _says(event):
            return _with_reason(event, "asks" if is_known else "undertakes")
    return None


def _with_reason(event: CaseEvent, name: str) -> Quoted | None:
    told = sentences(event.message.text[:_READ])
    for number, one in enumerate(told):
        if cue("reversal", name).search(one.text):
            first = told[max(0, number - 1)]
            tells_why = len(told) > 1 or name == "asks"
            return quoted(event, first.start, min(one.end, first.start + _MOST_REASON), "cause") if tells_why else None
    return None


def _asked(asking: Typed | None) -> Quoted | None:
    """What the person says where the change is to be taken back."""
    if asking is None or not asking.said:
        return None
    number = next((at for at, one in enumerate(asking.said) if cue("reversal", "asks").search(asking.plain_of(one))), None)
    if number is None:
        return None
    first, last = asking.said[max(0, number - 1)], asking.said[min(len(asking.said) - 1, number + 1)]
    return asking.quoted(first.start, min(last.end, first.start + _MOST_REASON), "cause")


def _finding(reversal: Reversal, language: Language) -> Finding:
    done, reason = reversal.change or reversal.step, reversal.reason
    did = cut(on_one_line(done.command or f"{done.tool} {', '.join(done.files)}"), 120)
    why = on_one_line(reason.quote) if reason else ""
    taken = "되돌림" if language == "ko" else "Taken back"
    title = f"{taken}: {cut(why or did, 100)}"
    rule = f"{cut(why, 400)} ({taken}: `{did}`)" if why else f"{taken}: `{did}`"
    changed = [reversal.change.quoted_call("failure")] if reversal.change else []
    evidence = [*changed, *([reason] if reason else []), reversal.step.quoted_call("remedy")]
    return Finding(
        kind="reverted",
        role="coder",
        polarity="dont",
        severity="medium",
        title=cut(title, 120),
        rule=rule,
        trigger="",
        key=key_of(why or did),
        evidence=tuple(evidence),
        confidence=0.7 if reversal.asking else 0.6 if reason else 0.45,
    )
