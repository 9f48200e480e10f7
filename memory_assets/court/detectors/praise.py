"""What a person praises in the way that the agent works. Thanks at the end of a task are politeness, and teach nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memory_assets.court.case import Case
from memory_assets.court.detectors.cues import cue
from memory_assets.court.detectors.speech import Language, Typed, last_words, reports
from memory_assets.court.detectors.traffic import quoted
from memory_assets.court.detectors.wording import cut, key_of, on_one_line
from memory_assets.court.findings import Finding, Quoted
from memory_assets.tasks.done_phrases import contradicts
from memory_assets.text.sentences import sentences


def praises(case: Case, said: Sequence[Typed], language: Language) -> Iterator[Finding]:
    """What is praised, at most once a message."""
    for message in said[1:]:
        since = said[message.order - 1].place
        words = last_words(case, message.place, since=since)
        if words is None or contradicts(message.plain):
            continue
        for number, sentence in enumerate(message.said):
            plain = message.plain_of(sentence)
            behind = message.said[number + 1 : number + 2]
            doubts = cue("praise", "but").search(plain) or any(
                cue("praise", "but").match(message.plain_of(one).strip()) for one in behind
            )
            if (
                cue("praise", "praises").search(plain)
                and not doubts
                and not plain.rstrip().endswith("?")
                and not reports(plain)
            ):
                told = next(iter(sentences(words.message.text[:3_000])), None)
                start, end = (told.start, told.end) if told else (0, min(200, len(words.message.text)))
                did, praise = quoted(words, start, end, "cause"), message.quoted(sentence.start, sentence.end, "praise")
                yield _finding(on_one_line(did.quote), on_one_line(praise.quote), (praise, did), language)
                break


def _finding(did: str, praise: str, evidence: tuple[Quoted, ...], language: Language) -> Finding:
    if language == "ko":
        rule = f"칭찬받은 방식을 계속한다: {cut(praise, 200)} (그때 한 일: {cut(did, 200)})"
    else:
        rule = f"Keep doing what was praised: {cut(praise, 200)} (what was done: {cut(did, 200)})"
    return Finding(
        kind="praised",
        role="coder",
        polarity="do",
        severity="low",
        title=cut(praise, 120),
        rule=rule,
        trigger="",
        key=key_of(praise),
        evidence=evidence,
        confidence=0.6,
    )
