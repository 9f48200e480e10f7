"""A search that found nothing for the way in which it was written, and found something when it was written otherwise."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from memory_assets.court.detectors.speech import Language
from memory_assets.court.detectors.traffic import Step, quoted
from memory_assets.court.detectors.wording import cut, on_one_line
from memory_assets.court.findings import Finding, Quoted

_WITHIN: Final = 3
"""Calls behind a search in which it is written otherwise."""
_NEAR: Final = 0.85
"""Likeness from which two patterns are one, written otherwise."""
_NOTHING = re.compile(
    r"\A\s{0,4}(?:No (?:matches|results) found|Found 0 (?:files|matches)|일치하는 (?:항목|결과)이? ?없)", re.IGNORECASE
)
_WORD = re.compile(r"\w+")
_ESCAPED_LETTER = re.compile(r"\\\\?[bBdDsSwWAZnrt]")
_PAIR = re.compile(r"(?<!\\)(?:\([^()\n]{0,200}\)|\[[^\]\n]{0,80}\]|\{\d{0,4},?\d{0,4}\})")
_MISREAD = re.compile(r"(?<!\\)[()\[\]{}]|\\\|")
"""Marks that a search reads otherwise than they are meant: a bracket that stands alone, an escaped bar."""
_LONGEST_KEY: Final = 200
_FIELDS: Final = ("pattern", "query", "regex", "search")


@dataclass(frozen=True, slots=True)
class _Search:
    pattern: str
    case_blind: bool

    @property
    def words(self) -> frozenset[str]:
        return frozenset(word.lower() for word in _WORD.findall(_ESCAPED_LETTER.sub(" ", self.pattern)))

    @property
    def misread(self) -> frozenset[str]:
        """The marks of the pattern that are read otherwise than they are meant."""
        without_pairs = _PAIR.sub(" ", self.pattern)
        return frozenset(_MISREAD.findall(without_pairs))


def rewritten_searches(steps: Sequence[Step], language: Language) -> Iterator[Finding]:
    """Searches for the same words that found nothing and then something: what differs is how they were written."""
    for number, step in enumerate(steps):
        if step.result is None or step.command is not None or not _NOTHING.match(step.output):
            continue
        missed = _search(step)
        if missed is None or not missed.words:
            continue
        for later in steps[number + 1 : number + 1 + _WITHIN]:
            found = _search(later) if later.tool == step.tool else None
            if found is not None and later.outcome == "worked" and not _NOTHING.match(later.output) and _is_same(missed, found):
                yield _finding(step, later, missed, found, language)
                break


def _search(step: Step) -> _Search | None:
    try:
        given = json.loads(step.text)
    except (ValueError, RecursionError):  # masking may have cut it
        return None
    if not isinstance(given, dict):
        return None
    pattern = next((given[name] for name in _FIELDS if isinstance(given.get(name), str)), None)
    return _Search(pattern[:400], given.get("-i") is True) if pattern else None


def _is_same(missed: _Search, found: _Search) -> bool:
    """Whether both look for the same words, written with other marks or in another case."""
    if missed.pattern == found.pattern:
        return found.case_blind and not missed.case_blind
    if missed.words == found.words and missed.pattern.lower() == found.pattern.lower():
        return True  # in another case
    if not found.words or not found.words <= missed.words:
        return False
    return bool(missed.misread - found.misread) or missed.pattern in found.pattern or _is_near(missed.pattern, found.pattern)


def _is_near(first: str, second: str) -> bool:
    return SequenceMatcher(None, first, second, autojunk=False).ratio() >= _NEAR


def _finding(failed: Step, worked: Step, missed: _Search, found: _Search, language: Language) -> Finding:
    bad, good = cut(on_one_line(missed.pattern), 80), cut(on_one_line(found.pattern), 80)
    if language == "ko":
        title = f"`{cut(bad, 45)}` 검색은 아무것도 못 찾고 `{cut(good, 45)}`은(는) 찾는다"
        rule = f"`{failed.tool}`에서 `{bad}`(으)로 찾은 것이 없어도 없다고 결론짓지 말고 `{good}`처럼 고쳐 찾는다."
    else:
        title = f"`{cut(bad, 45)}` finds nothing, `{cut(good, 45)}` does"
        rule = f"When {failed.tool} finds nothing for `{bad}`, do not conclude that there is nothing: search for `{good}`."
    nothing = failed.result.message.text.split("\n", 1)[0][:100] if failed.result else ""
    failure = (Quoted("failure", failed.result.place, 0, len(nothing), nothing),) if failed.result and nothing else ()
    marks = " ".join(sorted(missed.misread - found.misread))
    return Finding(
        kind="changed_input",
        role="coder",
        polarity="do",
        severity="low",
        title=cut(title, 120),
        rule=rule,
        trigger="",
        # Searches for other words are other lessons, though they were misread in the same way.
        key=" ".join([failed.tool.lower(), "finds nothing", marks or "in another case", *sorted(found.words)])[:_LONGEST_KEY],
        evidence=(quoted(failed.call, 0, min(len(failed.text), 300), "cause"), *failure, worked.quoted_call("remedy")),
        confidence=0.5,
    )
