"""What a person praises in the way that the agent works. Thanks at the end of a task are politeness, and teach nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from memory_assets.court.case import Case
from memory_assets.court.detectors.cues import cue
from memory_assets.court.detectors.speech import Language, Typed, last_words, reports
from memory_assets.court.detectors.traffic import quoted
from memory_assets.court.detectors.wording import cut, key_of, on_one_line
from memory_assets.court.findings import Finding, Quoted
from memory_assets.text.sentences import sentences

_READ: Final = 3_000


def praises(case: Case, said: Sequence[Typed], language: Language) -> Iterator[Finding]:
    """What is praised, at most once a message."""
    for message in said[1:]:
        words = last_words(case, message.place, since=said[max(0, message.order - 2)].place)
        if words is None:
            continue
        for sentence in message.said:
            if not is_praise(message.plain_of(sentence)):
                continue
            told = next(iter(sentences(words.message.text[:_READ])), None)
            start, end = (told.start, told.end) if told else (0, min(200, len(words.message.text)))
            did, praise = quoted(words, start, end, "cause"), message.quoted(sentence.start, sentence.end, "praise")
            yield _finding(on_one_line(did.quote), on_one_line(praise.quote), (praise, did), language)
            break


def is_praise(text: str) -> bool:
    """Whether a person's sentence, without what it quotes, praises an approach and doubts nothing of it."""
    if not cue("praise", "praises").search(text) or cue("praise", "but").search(text):
        return False
    return not text.rstrip().endswith("?") and not reports(text)


def _finding(did: str, praise: str, evidence: tuple[Quoted, ...], language: Language) -> Finding:
    rule = f"{cut(praise, 240)} ({'그때 한 일' if language == 'ko' else 'done then'}: {cut(did, 160)})"
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
