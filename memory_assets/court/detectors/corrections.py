"""What a person says against what the agent did.

With words that say so; or without any: by what is said to be wrong or expected of what the agent did, by the same request once
more, by an edit by hand. Whether it was a correction is told best by what follows: the agent concedes it, and edits again what
it had edited.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from memory_assets.court.case import Case, CaseEvent
from memory_assets.court.detectors.cues import cue
from memory_assets.court.detectors.orders import is_order, polarity_of
from memory_assets.court.detectors.praise import is_praise
from memory_assets.court.detectors.speech import Language, Typed, last_words, reports
from memory_assets.court.detectors.traffic import Step, quoted
from memory_assets.court.detectors.turns import HEARD, READ, Turn, turns_of
from memory_assets.court.detectors.wording import cut, key_of, on_one_line
from memory_assets.court.findings import Finding, Quoted
from memory_assets.court.telling import Words
from memory_assets.extraction.completeness import asks_to_know
from memory_assets.extraction.sentence_context import words_of
from memory_assets.tasks.done_phrases import contradicts
from memory_assets.text.sentences import Sentence, sentences

_MOST_SENTENCES: Final = 3
_SHORT: Final = 200
"""Characters of a message that says how it is, and has nothing of its own to ask for."""
_SHARED: Final = 2
"""Telling words that a sentence shares with what the agent did, where it speaks of it."""
_TELLING: Final = 5
"""Telling words from which a correction says by itself what it is about."""
_NEW_WORDS: Final = 2
"""Telling words that an answer adds to a correction where it says what that is about."""
_SENTENCE: Final = 6
"""Words from which what asks for nothing says something."""
_THANKS: Final = 2
"""Words of a sentence that thanks or praises, and says nothing else ("great.")."""
_AGAIN: Final = 0.6
"""Share of the telling words of a request that a later message must have to be the same request again."""
_AGAIN_WORDS: Final = 4
_AGAIN_WITHIN: Final = 6
_END: Final = 250
_DENIES = re.compile(
    r"\b(?:no|not|without|instead of|rather than) (?:an? |the |any )?(?P<what>[\w./-]{3,40})"
    r"|(?P<korean>[\w가-힣./-]{2,40}?)(?:은|는|이|가|을|를)? ?(?:말고|아니라|대신|빼고|없이|필요 ?없)"
)
_NOT_WANTED = re.compile(
    r"[^\n,.]{1,60}?(?:지 ?말고|는 ?대신(?:에)?|말고)(?=[\s,])|\b(?:instead of|rather than|without) [^\n,.;]{2,60}"
)
_ASKS = re.compile(r"[?？](?=\s|\Z)")


def user_corrections(
    case: Case, steps: Sequence[Step], said: Sequence[Typed], language: Language, *, without: frozenset[int]
) -> Iterator[Finding]:
    """The corrections of a case, at most one a message.

    Args:
        without: places of messages that say something else already: why a call was refused.
    """
    for turn in turns_of(case, steps, said):
        if turn.message.place in without:
            continue
        told = _correcting(turn, said)
        if told:
            yield _finding(turn, told, language)


def _correcting(turn: Turn, said: Sequence[Typed]) -> list[Sentence]:
    """The sentences of a message that correct."""
    message, plain = turn.message, turn.plain
    own = [one for one in message.said if plain[one].strip() and not _tells_otherwise(plain[one])]
    if not own and turn.edits_same:
        own = [one for one in message.said if reports(plain[one]) and not is_praise(plain[one])]
    if not own or cue("correction", "new_work").match(message.opening):
        return []
    clear = [one for one in own if cue("correction", "clear").search(plain[one]) and not _only_asks(plain[one])]
    if clear:
        return _from(message, clear[0])
    if cue("correction", "opens").match(message.opening) and not _answers_question(turn):
        return _from(message, message.said[0])
    by_hand = [one for one in own if cue("correction", "by_hand").search(plain[one])]
    if by_hand:
        return _from(message, by_hand[0])
    if cue("correction", "agrees").match(message.opening) and not any(
        cue("correction", "contrasts").search(plain[one]) for one in own
    ):
        return []
    faint = [
        one for one in own if cue("correction", "faint").search(plain[one]) or cue("correction", "expects").search(plain[one])
    ]
    if turn.concession == "said" and (faint or not message.plain.rstrip().endswith("?")):
        return _from(message, faint[0] if faint else own[0])
    if turn.conceded and (told := [one for one in faint or own if not _only_wants(plain[one])]):
        return _from(message, told[0])
    if turn.quotes_agent and turn.edits_again:
        return _from(message, own[0])
    wrong = [one for one in own if contradicts(plain[one]) and not asks_to_know(plain[one])]
    if wrong and turn.edits_again:
        return _from(message, wrong[0])
    if cue("correction", "agrees").match(message.opening):
        return []
    if faint and turn.edits_again:
        done, least = turn.done_words(), 1 if turn.edits_same else _SHARED
        # Beside a request for something else a question is one, and corrects nothing.
        besides = any(cue("correction", "new_work").match(one.strip()) for one in plain.values())
        told = [one for one in faint if not (besides and plain[one].rstrip().endswith("?")) and not asks_to_know(plain[one])]
        about = [one for one in told if len(words_of(plain[one]) & done) >= least]
        if about:
            return _from(message, about[0])
    if (turn.undoes or turn.acts) and (told := _against_what_was_done(turn, own, said)):
        return _from(message, told[0])
    if len(message.plain.strip()) <= _SHORT:
        told = [
            one
            for one in _without_thanks(own, plain)
            if turn.replaces or (turn.edits_same and _states(plain[one])) or (turn.runs_again and _contrasts(plain[one]))
        ]
        if told and (_doubts(plain[told[0]], plain.values()) or not any(_goes_on(plain[one]) for one in told)):
            return _from(message, told[0])
    return [message.said[0]] if _asked_again(said, message) else []


def _against_what_was_done(turn: Turn, own: Sequence[Sentence], said: Sequence[Typed]) -> list[Sentence]:
    """The sentences against something that the agent did: which it takes back then, or which they deny by its name.

    What the person had spoken of before is the person's own.
    """
    telling = _without_thanks(own, turn.plain)
    if any(cue("correction", "adds").search(turn.plain[one]) and not _denied(turn.plain[one]) for one in telling):
        return []
    if turn.undoes:
        return [one for one in telling if not _only_wants(turn.plain[one])]
    denied = {word for one in telling for word in words_of(_denied(turn.plain[one]))}
    if not denied:
        return []
    done, asked = Words(turn.done_words()), Words([said[turn.message.order - 1].plain])
    return [*telling[:1]] if any(done.say(word) and not asked.say(word) for word in denied) else []


def _denied(text: str) -> str:
    """What a sentence names as not wanted: behind a ``no``, before a ``말고``."""
    return " ".join(found["what"] or found["korean"] for found in _DENIES.finditer(text))


def _doubts(text: str, beside: Iterable[str]) -> bool:
    """Whether a sentence is a question that doubts what was done, and nothing beside it asks for more."""
    is_doubt = text.rstrip().endswith(("?", "？")) and cue("correction", "doubts").search(text.strip()) is not None
    if not is_doubt:
        return False
    return not any(cue("correction", "adds").search(one) or cue("correction", "new_work").match(one.strip()) for one in beside)


def _wanted(text: str) -> str:
    """What a sentence wants, without what it does not want."""
    return _NOT_WANTED.sub(" ", text)


def _only_wants(text: str) -> bool:
    """Whether a sentence asks to be told something, or for something to be looked at, and doubts nothing."""
    is_faint = cue("correction", "faint").search(text) is not None
    return cue("correction", "looks").match(text.strip()) is not None or (_only_asks_how(text) and not is_faint)


def _only_asks_how(text: str) -> bool:
    """Whether a sentence is a question that doubts nothing."""
    return text.rstrip().endswith(("?", "？")) and cue("correction", "doubts").search(text.strip()) is None


def _states(text: str) -> bool:
    """Whether a sentence says how something is, and asks for nothing."""
    is_sentence = text.isascii() and len(text.split()) >= _SENTENCE and cue("correction", "names").search(text) is None
    return is_sentence or any(cue("correction", name).search(text) for name in ("states", "faint", "expects"))


def _contrasts(text: str) -> bool:
    """Whether a sentence puts something in the place of what was done, or says in English, where forms are clear, how it is."""
    return (text.isascii() and _states(text)) or any(cue("correction", name).search(text) for name in ("contrasts", "clear"))


def _without_thanks(own: Sequence[Sentence], plain: Mapping[Sentence, str]) -> Sequence[Sentence]:
    """The sentences behind thanks or praise where they want something otherwise all the same."""
    telling = [*own[:1], *(one for one in own[1:] if len(plain[one].split()) > _THANKS or not _thanks(plain[one]))]
    rest = [one for one in telling if not _thanks(plain[one])]
    is_though = bool(rest) and cue("correction", "though").search(" ".join(plain[one] for one in rest))
    return rest if is_though else telling or own


def _thanks(text: str) -> bool:
    return cue("correction", "thanks").match(text) is not None


def _goes_on(text: str) -> bool:
    """Whether a sentence asks for something new, or to be told something, and puts nothing in the place of what was done."""
    text = text.strip()
    if cue("correction", "adds").search(_wanted(text)):
        return True
    if text.endswith(("?", "？")):
        return cue("correction", "doubts").search(text) is None
    if cue("correction", "asks_bare").match(text):
        return True
    return cue("correction", "requests").search(text) is not None and cue("correction", "contrasts").search(text) is None


def _tells_otherwise(text: str) -> bool:
    """Whether a sentence is no word on what was done: somebody else's, an order, praise, what would have been."""
    return reports(text) or is_order(text) or is_praise(text) or cue("correction", "supposes").search(text) is not None


def _only_asks(text: str) -> bool:
    """Whether a sentence asks to be told something; who asks why something was done says what was done."""
    return asks_to_know(text) and cue("correction", "asks_why").search(text) is None


def _answers_question(turn: Turn) -> bool:
    """Whether a no is an answer to what the agent asked."""
    words = last_words(turn.case, turn.message.place, since=turn.since)
    return words is not None and _ASKS.search(words.message.text[-_END:]) is not None


def _from(message: Typed, first: Sentence) -> list[Sentence]:
    number = message.said.index(first)
    return list(message.said[number : number + _MOST_SENTENCES])


def _asked_again(said: Sequence[Typed], message: Typed) -> bool:
    """Whether a message asks for what an earlier one asked for."""
    words = words_of(message.plain)
    if len(words) < _AGAIN_WORDS or message.plain.rstrip().endswith("?"):
        return False
    for earlier in said[max(0, message.order - _AGAIN_WITHIN) : message.order]:
        before = words_of(earlier.plain)
        if len(before) >= _AGAIN_WORDS and len(words & before) >= _AGAIN * max(len(words), len(before)):
            return True
    return False


def _finding(turn: Turn, told: list[Sentence], language: Language) -> Finding:
    message = turn.message
    words = on_one_line(" ".join(one.text for one in told))
    plain = message.plain[told[0].start : told[-1].end]
    before = _what_was_done(turn, words_of(plain))
    # Words that point at something, or ask, say only with the answer what they are about.
    answer = answer_to(turn, words_of(plain)) if _is_open(plain) else None
    evidence = [*([before] if before else []), *(message.quoted(one.start, one.end, "remedy") for one in told)]
    rule = cut(words, 400)
    if answer is not None:
        evidence.append(answer)
        rule += f" → {cut(on_one_line(answer.quote), 240)}"
    elif before is not None and len(words_of(words)) < _TELLING:
        rule += (" (그 전: {})" if language == "ko" else " (after: {})").format(cut(on_one_line(before.quote), 160))
    sure = cue("correction", "clear").search(plain) or cue("correction", "opens").match(message.opening)
    confidence = (0.7 if sure else 0.5) + (0.1 if turn.conceded else 0.0)
    if answer is None and all(_only_asks_how(turn.plain[one]) for one in told):
        confidence -= 0.15  # a question, and nobody says what comes of it
    if answer is None and len(words_of(plain)) <= 1 and not turn.edits_again:
        confidence -= 0.25  # a word that stops the agent
    return Finding(
        kind="user_correction",
        role="coder",
        polarity=polarity_of(plain),
        severity="medium",
        title=cut(on_one_line(told[0].text), 120),
        rule=rule,
        trigger="",
        key=key_of(plain) or key_of(words),
        evidence=tuple(evidence),
        confidence=round(confidence, 2),
    )


def _is_open(text: str) -> bool:
    """Whether a person's words do not say by themselves what they are about."""
    points = cue("correction", "points").search(text) is not None
    return points or text.rstrip().endswith(("?", "？")) or len(words_of(text)) < _TELLING


def answer_to(turn: Turn, about: frozenset[str]) -> Quoted | None:
    """What the agent says the correction is: the first sentences of its answer that tell of the same, or concede it."""
    answers = (event for event in islice(turn.answer(), HEARD) if event.message.kind == "said")
    for event in answers:
        text = event.message.text[:READ]
        told = sentences(text)[:_MOST_SENTENCES]
        is_conceded = cue("correction", "conceded").match(text[:300]) is not None
        for number, one in enumerate(told):
            plain = cue("correction", "conceded").sub(" ", one.text)
            about_it = (is_conceded and number < 2) or not about.isdisjoint(words_of(plain))
            if about_it and _tells(plain) and len(words_of(plain) - about) >= _NEW_WORDS and len(words_of(plain)) > _NEW_WORDS:
                return quoted(event, one.start, one.end, "cause")
    return None


def _tells(text: str) -> bool:
    """Whether an agent's sentence says how something is: no plan, no question, no heading."""
    is_plan = cue("correction", "plans").match(text.lstrip(" ,.!—–:-")) is not None
    return not is_plan and not text.rstrip().endswith(":") and _ASKS.search(text) is None


def _what_was_done(turn: Turn, about: frozenset[str]) -> Quoted | None:
    """What the agent said, or did, before it was corrected: of its last words the sentence that shares most."""
    words = last_words(turn.case, turn.message.place, since=turn.since + 1)
    if words is not None:
        told = sentences(words.message.text[:READ])
        best = max(told, key=lambda one: (len(about & words_of(one.text)), -one.start), default=None)
        start, end = (best.start, best.end) if best else (0, min(len(words.message.text), 200))
        return quoted(words, start, end, "failure")
    between = turn.case.events[turn.since + 1 : turn.message.place]
    calls: list[CaseEvent] = [event for event in between if event.message.kind == "tool_call"]
    return quoted(calls[-1], 0, min(len(calls[-1].message.text), 300), "failure") if calls else None
