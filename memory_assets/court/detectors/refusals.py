"""Calls that a person refused, with the reason that the person gave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory_assets.court.case import Case
from memory_assets.court.detectors.cues import cue
from memory_assets.court.detectors.speech import Language, Typed
from memory_assets.court.detectors.traffic import Step
from memory_assets.court.detectors.wording import cut, key_of, on_one_line, same_word
from memory_assets.court.findings import Finding, Quoted, Severity
from memory_assets.text.sentences import Sentence

_PLANS = frozenset(("exitplanmode", "enterplanmode"))
"""Tools by which an agent shows a plan."""
_QUESTIONS = frozenset(("askuserquestion", "ask_user", "request_user_input"))
"""Tools by which an agent asks: who refuses them answers in other words, and this answer holds for the question alone."""
_LOOKS = frozenset(("read", "grep", "glob", "ls", "read_file", "list_directory"))
"""Tools that only look at files here: who refuses them without a word wants something else now."""


def refusing_messages(case: Case, steps: Sequence[Step], said: Sequence[Typed]) -> dict[int, Typed]:
    """Of each refused call, by its place, what the person typed instead."""
    found: dict[int, Typed] = {}
    for step in steps:
        if step.outcome != "refused" or step.result is None:
            continue
        reason = next((message for message in said if message.place > step.result.place), None)
        if reason is not None and not _agent_acts(case, step.result.place, reason.place):
            found[step.call.place] = reason
    return found


def refused_calls(steps: Sequence[Step], reasons: dict[int, Typed], language: Language) -> Iterator[Finding]:
    """The refused calls from which something is learned: the person says why, or the call is a dangerous one."""
    told: set[int] = set()
    for step in steps:
        if step.outcome != "refused":
            continue
        reason = reasons.get(step.call.place)
        if reason is not None and reason.place in told:
            continue  # several calls of one turn are refused at once
        dangerous = cue("call", "dangerous").search(step.command or "") is not None
        tool, is_told = step.tool.lower(), reason is not None and bool(reason.said)
        if tool in _QUESTIONS or (not is_told and tool in _PLANS | _LOOKS):
            continue  # a plan that is not taken up is as often one that is carried out in another session
        if reason is not None:
            told.add(reason.place)
            if reason.said and not _why(reason):
                continue  # the person lets it go on after all
        yield _finding(step, reason, language, dangerous=dangerous)


def _why(reason: Typed) -> list[Sentence]:
    """What of the person's words says why a call was refused: a yes is no reason."""
    return [sentence for sentence in reason.said if cue("refusal", "approves").search(reason.plain_of(sentence)) is None]


def _confidence(words: Sequence[Sentence], reason: Typed | None, *, dangerous: bool) -> float:
    """How sure it is that a reason holds for another day: what the person does just now does not."""
    if not words or reason is None:
        return 0.5
    plain = [reason.plain_of(one) for one in words]
    only_now = all(cue("refusal", "just_now").search(one) and not cue("order", "dont").search(one) for one in plain)
    return 0.45 if only_now and not dangerous else 0.8


def _agent_acts(case: Case, start: int, end: int) -> bool:
    return any(event.actor == "ai" and not event.message.sidechain for event in case.events[start + 1 : end])


def _finding(step: Step, reason: Typed | None, language: Language, *, dangerous: bool) -> Finding:
    call = cut(on_one_line(step.command or f"{step.tool} {', '.join(step.files) or step.text}"), 160)
    words = _why(reason)[:3] if reason else []
    why = on_one_line(" ".join(sentence.text for sentence in words))
    evidence: list[Quoted] = [step.quoted_call("failure")]
    if reason is not None:
        evidence += [reason.quoted(sentence.start, sentence.end, "remedy") for sentence in words]
    elif step.result is not None:
        line = step.result.message.text.split("\n", 1)[0][:200]
        evidence.append(Quoted("cause", step.result.place, 0, len(line), line))
    if language == "ko":
        title = f"거부됨: {cut(call, 60)} — {why}" if why else f"거부됨: {call}"
        rule = f"{cut(why, 300)} (거부된 호출: `{call}`)" if why else f"`{call}`: 실행하기 전에 먼저 묻는다."
        trigger = f"`{cut(call, 80)}`"
    else:
        title = f"Refused: {cut(call, 60)} — {why}" if why else f"Refused: {call}"
        rule = f"{cut(why, 300)} (refused: `{call}`)" if why else f"Ask before `{call}`."
        trigger = f"`{cut(call, 80)}`"
    severity: Severity = "high" if dangerous else "medium"
    return Finding(
        kind="refused_call",
        role="planner" if step.tool.lower() in _PLANS else "coder",
        polarity="dont",
        severity=severity,
        title=cut(title, 120),
        rule=rule,
        trigger=trigger,
        key=key_of(f"{same_word(step.programs, step.tool)} {why}"),
        evidence=tuple(evidence),
        confidence=_confidence(words, reason, dangerous=dangerous),
    )
