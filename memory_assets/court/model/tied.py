"""Whether a claim says what its quotes say: true words may be quoted for any rule.

Every telling word of a claim has to stand in the words that it quotes, and of these only in those of who can show it: an order
is told in the words that a person typed, a failure in those of calls and of what failed. A page that was read tells no rule.
Then the rule may want nothing that they do not want, and leave out nothing that limits it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from memory_assets.court.case import Case, CaseEvent
from memory_assets.court.detectors.traffic import Step, steps_of
from memory_assets.court.findings import Finding, FindingKind, Quoted
from memory_assets.court.stance import Wants, clauses, names_its_polarity, says_more, says_otherwise, wants
from memory_assets.court.telling import Words, is_free, literals, telling, untold, words
from memory_assets.text.opposites import opposites

NOT_TRIED_AGAIN: Final = "no call among its quotes failed and worked later with another input"
NOT_REPEATED: Final = "no call among its quotes failed, and another one like it"
NAMES_MORE: Final = "it names what its quotes do not say"
OTHER_WORDS: Final = "its words are not those of its quotes"
SAYS_MORE: Final = "it says more than its quotes"
SAYS_OTHERWISE: Final = "it says otherwise than its quotes"
OTHER_POLARITY: Final = "its rule is not of its polarity"

_OF_ALL: Final = re.compile(
    r"\b(?:all|every|any|anything|everything|anyone|everyone|each|whole|entire)\b|모든|모두|전부|전체|무엇이든|뭐든|아무",
    re.IGNORECASE,
)
_EVER: Final = re.compile(
    r"\b(?:all|every|any|anything|everything|each|always|never|ever|no|whenever|from now on|whole|entire)\b"
    r"|모든|모두|전부|전체|뭐든|아무|항상|늘|절대|무조건|앞으로|반드시|꼭|매번|마다|계속",
    re.IGNORECASE,
)
_PAIRS: Final = (
    "before/after in/out on/off with/without up/down over/under more/less most/least first/last 전/후 전/뒤 먼저/나중"
)
_AGAINST: Final = opposites(_PAIRS, str)
"""Of words that a rule may have by itself those that turn it round."""
_BESIDE: Final = 30
"""Characters on each side of a number in which stands what it counts."""
_NUMBER: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class _Shown:
    """The quoted words that may tell a claim.

    Attributes:
        typed: of a person, as they were typed.
        others: of agents, of calls and of what failed.
        remedies: the calls that worked where others had failed.
    """

    typed: tuple[str, ...]
    others: tuple[str, ...]
    remedies: tuple[str, ...] = ()


def steps_by_place(case: Case) -> dict[int, Step]:
    """The calls of a case, by the places of the call and of its result."""
    return {place: step for step in steps_of(case) for place in _places(step)}


def why_not_shown(case: Case, finding: Finding, typed: Sequence[Quoted], steps: Mapping[int, Step]) -> str | None:
    """Why the quotes of a claim do not show what it says; None where they do.

    Args:
        typed: those of its quotes that a person typed, word for word.
        steps: the calls of the case (`steps_by_place`).
    """
    worked = _worked_again(finding, steps)
    if finding.kind == "changed_input" and not worked:
        return NOT_TRIED_AGAIN
    if finding.kind == "repeated_failure" and not _failed_again(finding, steps):
        return NOT_REPEATED
    shown = _shown(case, finding, typed, steps, worked)
    told = [one for one in (finding.title, finding.rule, finding.trigger, *finding.exceptions) if one]
    if missing := _missing(told, shown):
        return NAMES_MORE if set(missing) & {name for text in told for name in literals(text)} else OTHER_WORDS
    if not telling(finding.rule):
        return OTHER_WORDS  # what says nothing by itself can be meant of anything
    if _reaches_further(told, (*shown.typed, *shown.others)):
        return SAYS_MORE
    if not names_its_polarity(finding.rule, finding.polarity):
        return OTHER_POLARITY
    quoted = _wants(finding.kind, shown)
    if any(says_otherwise(one, quoted) for one in (finding.rule, finding.title)):
        return SAYS_OTHERWISE
    quotes = (*shown.typed, *shown.others)
    if _turns_a_word(told, quotes) or _counts_other_things(told, quotes):
        return SAYS_OTHERWISE
    if finding.kind == "user_correction" and _keeps_what_was_corrected(finding.rule, shown):
        return SAYS_OTHERWISE
    if shown.typed and finding.kind != "praised" and says_more(told[1:], finding.rule, quoted):
        return SAYS_MORE
    if worked and not _is_told_of(finding.rule, shown):
        return SAYS_OTHERWISE
    return None


def _places(step: Step) -> tuple[int, ...]:
    return (step.call.place,) if step.result is None else (step.call.place, step.result.place)


def _worked_again(finding: Finding, steps: Mapping[int, Step]) -> tuple[Step, ...]:
    """The quoted calls that worked with another input behind one of the same tool that is quoted and failed."""
    quoted = {steps[one.place].call.place: steps[one.place] for one in finding.evidence if one.place in steps}.values()
    failed = [step for step in quoted if step.outcome == "failed"]
    return tuple(
        step
        for step in quoted
        if step.outcome == "worked"
        and any(one.tool == step.tool and one.text != step.text and one.call.place < step.call.place for one in failed)
    )


def _failed_again(finding: Finding, steps: Mapping[int, Step]) -> bool:
    """Whether a quoted call failed, and another one of the case that is the same or runs the same program."""
    failed = [step for place, step in steps.items() if step.call.place == place and step.outcome == "failed"]
    quoted = {steps[one.place].call.place for one in finding.evidence if one.place in steps}
    return any(
        step.call.place in quoted
        and other is not step
        and other.tool == step.tool
        and (other.text == step.text or bool(other.programs & step.programs))
        for step in failed
        for other in failed
    )


def _shown(case: Case, finding: Finding, typed: Sequence[Quoted], steps: Mapping[int, Step], worked: Sequence[Step]) -> _Shown:
    others = [one for one in finding.evidence if one not in typed and _may_tell(case.events[one.place], finding.kind, steps)]
    again = {step.call.place for step in worked}
    remedies = tuple(one.quote for one in others if one.place in again)
    return _Shown(tuple(one.quote for one in typed), tuple(one.quote for one in others), remedies)


def _may_tell(event: CaseEvent, kind: FindingKind, steps: Mapping[int, Step]) -> bool:
    """Whether words that no person typed may tell a claim: what a call was answered is a page, unless it failed."""
    if kind == "standing_order":
        return False
    if event.actor != "tool":
        return event.actor == "ai"
    step = steps.get(event.place)
    is_of_a_tool = kind not in ("user_correction", "praised")
    return is_of_a_tool and (step.outcome == "failed" if step is not None else event.message.is_error)


def _missing(told: Sequence[str], shown: _Shown) -> list[str]:
    """The telling words that no quote says. Where none is in Korean and no person speaks, plain Korean words explain them."""
    quotes = (*shown.typed, *shown.others)
    missing = untold(told, quotes)
    if shown.typed or Words(quotes).has_hangul:
        return missing
    return [word for word in missing if not ("가" <= word[0] <= "힣")]


def _reaches_further(told: Sequence[str], quotes: Sequence[str]) -> bool:
    return any(_OF_ALL.search(one) for one in told) and not any(_EVER.search(one) for one in quotes)


def _turns_a_word(told: Sequence[str], quotes: Sequence[str]) -> bool:
    """Whether something is to come before what it comes after, or to be in what it is to be out of."""
    rule, said = Words(told), Words(quotes)
    return any(
        rule.say(word) and not said.say(word) and any(said.say(other) and not rule.say(other) for other in others)
        for word, others in _AGAINST.items()
    )


def _counts_other_things(told: Sequence[str], quotes: Sequence[str]) -> bool:
    """Whether a number stands beside another word than where it is quoted."""
    counted = _counted(quotes)
    return any(beside and counted.get(number) and not beside & counted[number] for number, beside in _counted(told).items())


def _counted(texts: Sequence[str]) -> dict[str, set[str]]:
    """Of each number the telling words beside it, as they begin."""
    found: dict[str, set[str]] = {}
    for text in texts:
        for number in _NUMBER.finditer(text):
            behind = [word for word in words(text[number.end() : number.end() + _BESIDE]) if not is_free(word)]
            before = [word for word in words(text[max(0, number.start() - _BESIDE) : number.start()]) if not is_free(word)]
            found.setdefault(number[0], set()).update(word[:3] for word in (*before[-2:], *behind[:2]))
    return found


def _wants(kind: FindingKind, shown: _Shown) -> Wants:
    if kind == "praised":
        return wants(shown.typed, wanted=shown.others)
    if shown.remedies:
        return wants(shown.typed, told_of=[one for one in shown.others if one not in shown.remedies], wanted=shown.remedies)
    return wants(shown.typed, complains=kind == "user_correction")


def _keeps_what_was_corrected(rule: str, shown: _Shown) -> bool:
    """Whether what a rule wants stands in the words that were corrected alone."""
    typed = Words(shown.typed)
    wanted = [one.text for one in clauses(rule) if not one.denied and not one.is_condition]
    if any(not typed.say(name) for text in wanted for name in literals(text)):
        return True
    told = [word for text in wanted for word in telling(text)]
    return bool(told) and not any(map(typed.say, told))


def _is_told_of(rule: str, shown: _Shown) -> bool:
    """Whether a rule wants something of the call that worked which the one that failed had not."""
    new = [word for quote in shown.remedies for word in _new(quote, shown)]
    wanted = Words([one.text for one in clauses(rule) if not one.denied])
    return not new or any(map(wanted.say, new))


def _new(remedy: str, shown: _Shown) -> list[str]:
    before = Words([one for one in shown.others if one not in shown.remedies])
    return [word for word in telling(remedy) if not before.say(word)]
