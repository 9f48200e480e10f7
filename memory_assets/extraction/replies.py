"""What a person's reply decides: it is bound to the question, the option or the proposal that it answers.

An agent's proposal is no decision. The reply takes it ("2번으로", "yes, do B", "어 그렇게 해줘"), in a dialog or in words; the
decision quotes both. A sentence that weighs one way against another is never taken for the one agreed on, and a reply that
doubts, refuses or asks decides nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from memory_assets.extraction.assent import CLOSES, DO_IT, TELLS_TO, YES
from memory_assets.extraction.conflicts import says_the_opposite
from memory_assets.extraction.options import Option, chosen, options_of
from memory_assets.extraction.outcomes import says_not_done
from memory_assets.extraction.own_answers import told_in_own_words
from memory_assets.extraction.question_calls import Answered, answered_in, holds_answers
from memory_assets.extraction.schema import ExtractedEntry, Quote, StatusAt
from memory_assets.extraction.scoring import Scored, is_said, turns_of
from memory_assets.extraction.selection import QUOTED_SENTENCES, Selection
from memory_assets.extraction.sentence_context import stems_of, words_of
from memory_assets.extraction.titles import title_of
from memory_assets.extraction.windows import Window
from memory_assets.sessions.model import Message
from memory_assets.tasks.one_turn import is_one_turn
from memory_assets.text.sentences import Sentence, sentences

_ANSWER_LENGTH = 160
_MOST_REPLY = 300
"""Characters of a reply that may be a plain assent."""
_SAME_MATTER = 0.6
"""Share of the words of a sentence that a question and its answer have, from which it says how the answer is carried out."""
_REACH = 3
"""How many of the agent's messages back a reply may name an option of: a side question can stand between."""

_AGREES = re.compile(rf"{YES}|{DO_IT}", re.IGNORECASE)
_ASSENT = re.compile(rf"^\W{{0,3}}(?:{YES}|{DO_IT})", re.IGNORECASE)
_DOUBTS = re.compile(
    r"\b(?:no|nope|not|never|but|stop|hold|cancel|undo|revert|leave|later|already|instead|wait|rather|however|except|only if"
    r"|unless|first tell|skip|forget|why|how|changed my mind|actually)\b|n['’]t\b|\?"
    r"|말고|말아|말자|대신|아니|ㄴㄴ|지 ?마|하지만|근데|그런데|지만|왜|까\b|취소|필요 ?없|없어|잠깐|나중|않|놔두|그만|됐어"
    r"|(?:^|\s)[안못] ",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"^\W{0,3}(?:no|wait|stop|actually|hold on|never ?mind|scratch that|아니|잠깐|취소)(?![a-z])", re.IGNORECASE
)
_OVER_WITH_IT = re.compile(r"\b(?:commit|push|re-?test|re-?run|run)\b|커밋|푸시|테스트", re.IGNORECASE)
_LIGHT = words_of(
    "please thanks thank you put add make do use go ahead let then now first too way just all both fine work works"
    " 부탁 해줘 해주세요 진행 그럼 그렇게 일단 먼저 바로 같이 모두 전부 그거 그걸 이거 하자 합시다 추가 수정"
)
"""Words that say nothing of what is agreed to."""
_OFFER = re.compile(
    r"\b(?:want me to|would you like|do you want|shall (?:i|we)|should (?:i|we)|thoughts\b|what do you think|sound good"
    r"|ok(?:ay)? with|ready to)|(?:할까요|드릴까요|될까요|까요|어떨까요|하시겠습니까|원하시나요|괜찮을까요)\s?\?",
    re.IGNORECASE,
)
_OFFERS_TO_DO = re.compile(
    r"\b(?:want me to|would you like me to|do you want me to|shall i|should i)\b|(?:드릴|[할볼])까요", re.IGNORECASE
)
"""An offer to do something, and no question which way is right."""
_PROPOSES = re.compile(
    r"\bi(?:['’]d| would) (?:go with|recommend|suggest|lean|propose|do)\b|\bi (?:recommend|suggest|propose|lean)\b"
    r"|\brecommended\b"
    r"|\b(?:simplest|cleanest|best|right) (?:fix|approach|option|way|solution)\b|\bwe (?:should|could|can)\b"
    r"|\byou can (?:safely )?(?:delete|remove|drop|use|replace)\b"
    r"|추천|제안|하는 (?:게|것이) (?:낫|좋)|면 .{0,40}수 있|방법은",
    re.IGNORECASE,
)
_REJECTS = re.compile(r"\bnot\b|n['’]t\b|\bagainst\b|않|못|말라|마세요", re.IGNORECASE)
_SAYS_YES = re.compile(r"\byes\b|^(?:네|예)(?=[\s,])", re.IGNORECASE)
_WEIGHS = re.compile(
    r"\balternativ|\bhowever\b|\bcons?:|\bdrawback|\bdownside|\binstead of\b|\brather than\b|\bbut\b|\bthough\b"
    r"|\bless \w+able\b|또는|하지만|단점|반면",
    re.IGNORECASE,
)
_ALTERNATIVES = re.compile(r"\bor\b|아니면|또는", re.IGNORECASE)
"""A question that a bare yes does not answer."""
_SHORTEST = 4
"""Characters of a first sentence; "OK." is said with what follows it."""
_POINTS = re.compile(r"\b(?:it|this|that|these|those|them)\b|이걸|이것|그것|그걸", re.IGNORECASE)
_TELLING = 3
"""Telling words from which an offer says by itself what is offered ("Want me to do it?" does not)."""
_NUMBERED = re.compile(r"^[ \t]{0,4}(?P<label>[1-9])[.)][ \t]{1,4}(?P<body>\S[^\n]{0,2000})$", re.MULTILINE)


def replies(
    messages: Sequence[Message], window: Window, scored: Sequence[Scored], selection: Selection
) -> Iterator[ExtractedEntry]:
    """The decisions of a window's replies; a sentence that is quoted is quoted by no other entry."""
    said: dict[int, list[Scored]] = {}
    for one in scored:
        said.setdefault(one.spot.message_index, []).append(one)
    turns = turns_of(messages, window)
    asked: list[int] = []
    fresh = False
    for index in range(window.context_start, window.end):
        message = messages[index]
        if holds_answers(message):
            if window.owns(index):
                behind = [one for one in scored if one.turn == turns[index] and one.spot.message_index > index]
                yield from _dialog(index, message, behind, selection)
            continue
        if not is_said(message):
            continue
        if message.role == "assistant":
            asked, fresh = [*asked[1 - _REACH :], index], True
            continue
        if asked and window.owns(index) and not _taken_back(messages, index, window.end):
            entries = list(_bound(messages, asked, index, said, fresh=fresh))
            told = entries or ([*told_in_own_words(messages, asked[-1], index)] if fresh else [])
            for entry in told:
                _use(entry, said, selection)
            yield from told
            if entries:
                asked = []  # what is said in own words may still be followed by a choice among the options
        fresh = False


def takes_offer(entry: ExtractedEntry) -> bool:
    """Whether a decision is no choice among ways, nor an answer in a dialog, but a yes to what the agent offers to do."""
    reply, *offered = entry.evidence
    return entry.entry_type == "decision" and any(
        quote.message_index < reply.message_index
        and _OFFERS_TO_DO.search(quote.quote)
        and not _ALTERNATIVES.search(quote.quote)
        for quote in offered
    )


def offer_carried_out(entry: ExtractedEntry, turn: Iterable[Scored]) -> ExtractedEntry | None:
    """The task that a yes to an offer asks for, where the agent then reports in the words of the offer that it is done.

    Args:
        turn: what is said in the turn that the reply begins.
    """
    if not takes_offer(entry):
        return None
    reply, *rest = entry.evidence
    offered = words_of(" ".join(_OFFER.sub("", quote.quote) for quote in rest)) - _LIGHT
    said = [one for one in turn if one.spot.voice != "user" and one.spot.message_index > reply.message_index]
    reporting = {one.spot.message_index for one in said if one.reports or one.tells_done}
    for one in said:
        item = one.spot.sentence.shape == "item" and one.spot.voice == "closing" and not says_not_done(one.spot.sentence.text)
        tells = one.reports or one.tells_done or item
        if tells and one.spot.message_index in reporting and len(offered & one.spot.words) * 2 > len(offered):
            index = one.spot.message_index
            quotes = (*entry.evidence[: QUOTED_SENTENCES - 1], Quote(index, one.spot.sentence.text))
            history = (StatusAt("pending", reply.message_index), StatusAt("done", index))
            return replace(entry, entry_type="task", evidence=quotes, status="done", history=history)
    return None


def _dialog(index: int, message: Message, behind: Sequence[Scored], selection: Selection) -> Iterator[ExtractedEntry]:
    """The answers of a dialog, each with what the agent says later in that turn (``behind``) of how it is carried out."""
    for told in answered_in(message):
        title = title_of(f"{told.question} {told.answer}".strip())
        quotes = [Quote(index, quote) for quote in told.quotes]
        found = _carries_out(told, behind)
        if found is not None and len(quotes) < QUOTED_SENTENCES:
            selection.use(found)
            quotes.append(Quote(found.spot.message_index, found.spot.sentence.text))
        yield ExtractedEntry("decision", title, tuple(quotes))


def _carries_out(told: Answered, said: Iterable[Scored]) -> Scored | None:
    """The sentence that has most of its words from a question and its answer, and some of the answer."""
    answer = stems_of(words_of(told.answer))
    both = answer | stems_of(words_of(told.question))
    best: tuple[float, Scored] | None = None
    for one in said:
        words = stems_of(one.spot.words)
        shared = len(words & both)
        if one.spot.sentence.shape == "heading" or shared < 2 or words.isdisjoint(answer):
            continue
        share = shared / len(words)
        is_other = best is not None and share <= best[0]
        if share >= _SAME_MATTER and not is_other and not says_the_opposite(told.answer, one.spot.sentence.text):
            best = share, one
    return best[1] if best is not None else None


def _bound(
    messages: Sequence[Message], asked: Sequence[int], index: int, said: Mapping[int, list[Scored]], *, fresh: bool
) -> Iterator[ExtractedEntry]:
    """What a reply decides: the options it names of the latest list, its numbered answers, or the proposal it agrees to."""
    reply = messages[index].text
    for number in reversed(asked):
        options = options_of(messages[number].text)
        taken = chosen(reply, options) if options else []
        if taken:
            takes = _taking(said.get(index, []), taken, options)
            answer = takes.spot.sentence.text if takes is not None else _first_line(reply)
            quotes = (Quote(index, answer), *(Quote(number, option.text) for option in taken))
            yield ExtractedEntry("decision", title_of(taken[0].text), quotes[:QUOTED_SENTENCES])
            return
    if not fresh:
        return
    last = asked[-1]
    numbered = list(_numbered(messages[last].text, reply))
    if numbered:
        for answer, *asked_for in numbered:
            quotes = (Quote(index, answer), *(Quote(last, text) for text in asked_for))
            yield ExtractedEntry("decision", title_of(asked_for[0]), quotes)
        return
    assent = _assent(reply)
    proposal = _proposal(messages[last].text, told=TELLS_TO.search(assent) is not None) if assent else []
    if assent and proposal and _says_no_more(assent, " ".join(one.text for one in proposal)) and not _is_over_with_it(assent):
        quotes = (Quote(index, assent), *(Quote(last, one.text) for one in proposal))
        yield ExtractedEntry("decision", title_of(proposal[0].text), quotes[:QUOTED_SENTENCES])


def _taken_back(messages: Sequence[Message], index: int, end: int) -> bool:
    """Whether the person takes a reply back before the agent speaks again."""
    for message in messages[index + 1 : end]:
        if is_said(message):
            if message.role == "assistant":
                return False
            if _TAKES_BACK.match(message.text):
                return True
    return False


def _use(entry: ExtractedEntry, said: Mapping[int, list[Scored]], selection: Selection) -> None:
    for quote in entry.evidence:
        for one in said.get(quote.message_index, []):
            if one.spot.sentence.text in quote.quote:
                selection.use(one)


# -- options


def _taking(said: Sequence[Scored], taken: list[Option], options: list[Option]) -> Scored | None:
    """The sentence of an answer that takes the options, when one does alone ("Not 1. Use 2.")."""
    return next((one for one in said if chosen(one.spot.sentence.text, options) == taken), None)


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0].strip()[:_ANSWER_LENGTH]


# -- answers by number to several questions


def _numbered(asked: str, reply: str) -> Iterator[tuple[str, ...]]:
    """The answers of a list that agree to the questions of a list of the same numbers, each with what the agent leans to, where
    it says so, and the question; with the question first where the agent only says yes to it."""
    answers = list(_NUMBERED.finditer(reply))
    if len(answers) < 2:
        return
    questions: dict[str, str] = {}
    for question in _NUMBERED.finditer(asked):
        if "?" in question["body"]:
            questions[question["label"]] = question["body"]
    for answer in answers:
        body = answer["body"]
        begins = ",".join(body.split(",", maxsplit=2)[:2])
        if answer["label"] in questions and _ASSENT.match(body) and not _DOUBTS.search(begins):
            found = sentences(questions[answer["label"]])
            asking = next((one.text for one in found if "?" in one.text), None)
            leaning = next((said for one in found if "?" not in one.text and (said := _leaning(one.text))), None)
            if asking is None:
                continue
            if leaning is not None and _takes_leaning(begins, leaning, asking):
                takes = (asking, leaning) if _SAYS_YES.search(leaning) else (leaning, asking)
                yield body[:_ANSWER_LENGTH].rstrip(), *takes
            elif not _ALTERNATIVES.search(asking):
                yield body[:_ANSWER_LENGTH].rstrip(), asking


def _leaning(text: str) -> str | None:
    """The part of a sentence in which an agent says what it would do, without what it weighs against it."""
    proposes = _PROPOSES.search(text)
    if proposes is None or _REJECTS.search(text):
        return None
    weighed = [0, *(place for found in _WEIGHS.finditer(text) for place in found.span()), len(text)]
    low = max(place for place in weighed if place <= proposes.start())
    high = min(place for place in weighed if place >= proposes.end())
    return text[low:high].strip(" ,;(—–-")


def _takes_leaning(answer: str, leaning: str, asking: str) -> bool:
    """Whether an answer takes what the agent leans to: it leaves it to the agent, or says yes where the agent does."""
    if TELLS_TO.search(answer):
        return _says_no_more(answer, leaning)
    return _SAYS_YES.search(leaning) is not None and _says_no_more(answer, f"{asking} {leaning}")


# -- assent to a proposal


def _assent(reply: str) -> str | None:
    """The words of a reply that agree, at its beginning; None where it doubts, refuses, asks, thanks or is long."""
    text = reply.strip()
    if len(text) > _MOST_REPLY or _ASSENT.match(text) is None or _DOUBTS.search(text) or CLOSES.match(text):
        return None
    # A reply is too short for the cutter of sentences, which passes over what says nothing by itself.
    line = text.splitlines()[0].strip()
    end = re.search(r"[.!](?=\s|$)", line)
    return line[: end.end()] if end is not None and end.end() > _SHORTEST else line[:_ANSWER_LENGTH]


def _says_no_more(assent: str, proposed: str) -> bool:
    """Whether all that stands beside the agreement is in what is agreed to: "Yes, use MySQL" takes no offer of PostgreSQL."""
    return words_of(_AGREES.sub(" ", assent)) <= words_of(proposed) | _LIGHT


def _is_over_with_it(assent: str) -> bool:
    """Whether what is agreed to is over with the turn: "yeah let's push and re-test" decides nothing."""
    left = _AGREES.sub(" ", assent).strip(" ,.!")
    return _OVER_WITH_IT.search(left) is not None and is_one_turn(left) and TELLS_TO.search(assent) is None


def _proposal(asked: str, *, told: bool) -> list[Sentence]:
    """What an agent proposed at the end of a message: the offer, where it says of what; else the way that it recommends.

    Args:
        told: the reply says to do it, so that a proposal without a question counts.
    """
    found = sentences(asked)
    offers = [number for number, one in enumerate(found) if _OFFER.search(one.text) and "?" in one.text]
    if not offers and not told:
        return []
    telling = [number for number in offers if _tells_of_what(found[number].text)]
    if telling:
        return [found[telling[-1]]]
    end = offers[-1] if offers else len(found)
    offered = [found[end]] if offers else []
    proposed = [one for one in found[:end] if _PROPOSES.search(one.text) and not _WEIGHS.search(one.text)]
    if proposed:
        return [proposed[-1], *offered]
    listed = {item.start("body") for item in _NUMBERED.finditer(asked)}
    first = next((one for one in found[:end] if one.start in listed), None)
    return [first, *offered] if first is not None and offered else []


def _tells_of_what(offer: str) -> bool:
    named = _OFFER.sub("", offer)
    return len(words_of(_POINTS.sub("", named))) >= _TELLING and not _POINTS.search(named)
