"""Whether a search shows the answer, not only the turn that holds it, and whether it says so where nothing is known.

  python benchmarks/bench_session_questions.py [SESSIONS_FOLDER] [--home HOME] [--mode auto lexical] [--misses] [--check]
                                               [--questions FILE]

The sessions are imported into an empty store, or taken from the store of --home as they are there; with neither there is
nothing to measure, for the texts are no part of this repository. Every question of ``session_questions.ndjson`` is asked of
all that the store holds, as ``memory search --bulk -k 10`` asks it, with the model that the settings name.

The questions were written by hand over what people and agents said in those sessions, as an engineer would ask weeks later,
before any ranking was asked. 120 have an answer: 50 Korean and 50 English ones about text of their own language, and 20
*crossed* ones, whose text is of another language. A third is *paraphrased*: near the answer no word of the question stands, but
names and identifiers. 40 have none: they name what is real (a library, a file, a person) and ask what no session says of it;
that was looked for in all sessions, in both languages, tool results included.

A line names the session, the message that the question was written for and, as ``also``, others that answer it. ``gold`` are
the words that hold the answer, each by the message, where it starts and ends in that message's text, in characters, and the
first 16 digits of the SHA-256 of these words. A message of another session is named with its session. --check reads the folder
and asks nothing: it fails where a span is outside of its message, or its words are others. The spans are checked before each
measurement too. The first three hits of what was missed at first were then read once: 12 questions got further messages that
answer as well, 7 others other words of a right message, or fewer of them; no question was changed. Hits were read only where
they missed, so the shares are a little too good for the ranking of that day.

Printed are, of the questions that have an answer, the share whose gold words stand in the snippet of one of the first 1, 3 and
10 hits (*visible*; white space counts as one blank), and the share with a hit that cites a right message (*found*); of the
others the share that is *refused*: the answer says that the store does not know it (``next_action`` of its certificate, see
REFUSALS), or holds no hit. What the certificates said is counted for both.

Bars, of mode auto: visible at 1 >= .50, at 3 >= .65, at 10 >= .85.

--questions names another set of the same form, for which there are no bars. ``ask_korean_questions.ndjson`` is one: 269 Korean
questions about what was said in Korean, or in Korean and English, all with an answer, as they are asked of ``memory ask``. They
were written over the messages before any ranking was asked; a third is paraphrased. Where the same words, or the same answer in
the other language, stand elsewhere in those sessions, in what a tool was given or printed too, these are gold as well.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench_korean import store

if TYPE_CHECKING:
    from memory_assets.log.database import Database
    from memory_assets.results.search import SearchResponseV1
    from memory_assets.settings import Settings
    from memory_assets.vocabulary import AskedMode

QUESTIONS = Path(__file__).with_name("session_questions.ndjson")
KINDS = ("decision", "cause", "value", "task", "preference", "work", "time")
DEPTHS = (1, 3, 10)
VISIBLE_BARS = (0.50, 0.65, 0.85)
REFUSALS = ("nothing_found", "ask_a_person")
"""What a certificate says where the store does not know the answer."""
LEAST_GOLD, MOST_GOLD = 5, 120

Key = tuple[str, str]
"""A session's id and a message's in it: some sources count their messages, so that the message's alone names several."""
Place = tuple[str, int]
"""A session's id and the index of a message in it, as a citation says it."""


@dataclass(frozen=True, slots=True)
class Span:
    """Words of a message: ``start`` and ``end`` count its characters, ``digest`` is of the words."""

    message: Key
    start: int
    end: int
    digest: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. One without an answer has no messages and no gold.

    Attributes:
        messages: those that answer it, first the one that it was written for.
        gold: the words that hold the answer; any of them is enough.
    """

    id: str
    query: str
    language: str
    crossed: bool
    paraphrased: bool
    kind: str
    messages: tuple[Key, ...] = ()
    gold: tuple[Span, ...] = ()

    @property
    def is_answerable(self) -> bool:
        return bool(self.messages)


@dataclass(frozen=True, slots=True)
class Measured:
    """One answer: the rank of the first hit that shows gold words, and of the first that cites a right message."""

    visible: int | None
    found: int | None
    verdict: str


def questions(path: Path = QUESTIONS) -> list[Question]:
    """A set, in its order."""
    read = []
    for line in path.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        told = (one["id"], one["query"], one["language"], one["crossed"], one["paraphrased"], one["kind"])
        if "session_id" not in one:
            read.append(Question(*told))
            continue
        session = one["session_id"]
        messages = tuple(_key(session, uid) for uid in (one["message_uid"], *one["also"]))
        gold = tuple(Span(_key(session, span), span["start"], span["end"], span["sha256"]) for span in one["gold"])
        read.append(Question(*told, messages, gold))
    return read


def _key(session: str, message: str | dict[str, Any]) -> Key:
    """A message as a line of the set names it: by its uid, or with the session where that is another one."""
    return (session, message) if isinstance(message, str) else (message.get("session_id", session), message["message_uid"])


def texts_of_folder(sessions: Path) -> dict[Key, str]:
    """The messages of a folder, as the readers give them."""
    from memory_assets.sessions.model import SourceTaken
    from memory_assets.sessions.reading import read_source

    texts: dict[Key, str] = {}
    for path in sorted(path for path in sessions.rglob("*") if path.is_file()):
        outcome = read_source(str(path.relative_to(sessions)), path.read_bytes())
        for session in outcome.sessions if isinstance(outcome, SourceTaken) else ():
            for message in session.messages:
                texts.setdefault((session.session_id, message.uid), message.text)
    return texts


def messages_of_store(database: Database) -> tuple[dict[Key, str], dict[Key, Place]]:
    """The text and the place of each message of a store."""
    with database.reading() as connection:
        rows = connection.execute("SELECT session_id, message_uid, message_index, text FROM messages").fetchall()
    return {(row[0], row[1]): row[3] for row in rows}, {(row[0], row[1]): (row[0], row[2]) for row in rows}


def faults(asked: Sequence[Question], texts: Mapping[Key, str]) -> list[str]:
    """What is wrong with the set against these messages, a line each."""
    return [f"{one.id}: {fault}" for one in asked for fault in _faults_of(one, texts)]


def _faults_of(question: Question, texts: Mapping[Key, str]) -> Iterator[str]:
    for key in question.messages:
        if key not in texts:
            yield f"there is no message {key[1]} in session {key[0]}"
    if question.is_answerable != bool(question.gold):
        yield "has messages without gold, or gold without messages"
    for span in question.gold:
        text = texts.get(span.message, "")
        if span.message not in question.messages:
            yield f"gold of message {span.message[1]}, which is not said to answer"
        elif not 0 <= span.start < span.end <= len(text):
            yield f"{span.start} to {span.end} is outside of message {span.message[1]}, which has {len(text)} characters"
        elif not LEAST_GOLD <= span.end - span.start <= MOST_GOLD:
            yield f"gold of {span.end - span.start} characters"
        elif digest(text[span.start : span.end]) != span.digest:
            yield f"{span.start} to {span.end} of message {span.message[1]} are other words than were marked"


def digest(words: str) -> str:
    """What a span keeps of its words, for they are not ours to ship."""
    return sha256(words.encode()).hexdigest()[:16]


def require_sound(asked: Sequence[Question], texts: Mapping[Key, str]) -> None:
    """Ends the program where a span does not hold."""
    if wrong := faults(asked, texts):
        sys.exit("\n".join((*wrong, f"{len(wrong)} faults: the sessions are not those of the set, or read differently")))


def ask(settings: Settings, asked: Sequence[Question], mode: AskedMode) -> dict[str, SearchResponseV1]:
    """By the id of each question: its answer."""
    from memory_assets.memory import Memory, SearchRequest

    lines = [json.dumps({"id": one.id, "query": one.query}, ensure_ascii=False) for one in asked]
    defaults = SearchRequest("", mode=mode, k=DEPTHS[-1], log=False)
    answers: dict[str, SearchResponseV1] = {}
    for item in Memory(settings).bulk_search(lines, defaults=defaults):
        if item.response is None:
            sys.exit(f"{item.id} was not answered: {item.error}")
        answers[item.id] = item.response
    return answers


def measured(question: Question, answer: SearchResponseV1, texts: Mapping[Key, str], places: Mapping[Key, Place]) -> Measured:
    """How far an answer shows what was asked."""
    golds = [blank(texts[span.message][span.start : span.end]) for span in question.gold]
    right = {places[key] for key in question.messages}
    visible = found = None
    for rank, hit in enumerate(answer.hits[: DEPTHS[-1]], 1):
        shown = blank(hit.snippet)
        cited = {(one.session_id, one.message_index) for one in hit.citations if one.kind == "message"}
        visible = visible or (rank if any(gold in shown for gold in golds) else None)
        found = found or (rank if right & cited else None)
    return Measured(visible, found, verdict(answer))


def blank(text: str) -> str:
    """A text whose runs of white space are one blank each."""
    return " ".join(text.split())


def verdict(answer: SearchResponseV1) -> str:
    """What the answer says of itself: ``nothing_found`` where it has no hits."""
    return answer.certificate.next_action if answer.hits and answer.certificate else "nothing_found"


def share(ranks: Sequence[int | None], depth: int) -> float:
    return sum(rank is not None and rank <= depth for rank in ranks) / len(ranks)


def print_answerable(asked: Sequence[Question], of: Mapping[str, Measured], mode: str) -> None:
    """A line for all and one for each group."""
    groups: list[tuple[str, Callable[[Question], bool]]] = [
        ("all", lambda _: True),
        ("Korean", lambda one: one.language == "ko" and not one.crossed),
        ("English", lambda one: one.language == "en" and not one.crossed),
        ("crossed, Korean", lambda one: one.language == "ko" and one.crossed),
        ("crossed, English", lambda one: one.language == "en" and one.crossed),
        ("same words", lambda one: not one.paraphrased),
        ("paraphrased", lambda one: one.paraphrased),
        *((kind, lambda one, kind=kind: one.kind == kind) for kind in KINDS),
    ]
    heads = " ".join(f"@{depth:<5d}" for depth in DEPTHS)
    print(f"{mode}: {len(asked)} questions with an answer   visible {heads}   found {heads}")
    for label, belongs in groups:
        some = [of[one.id] for one in asked if belongs(one)]
        if not some:
            continue
        shown = " ".join(f"{share([one.visible for one in some], depth):.3f} " for depth in DEPTHS)
        right = " ".join(f"{share([one.found for one in some], depth):.3f} " for depth in DEPTHS)
        print(f"  {label:18s} {len(some):4d}                    {shown}         {right}".rstrip())


def print_bars(asked: Sequence[Question], of: Mapping[str, Measured]) -> None:
    """Whether the bars of ``session_questions.ndjson`` are met."""
    bars = ", ".join(f"@{depth} >= {bar:.2f}" for depth, bar in zip(DEPTHS, VISIBLE_BARS, strict=True))
    below = [
        f"@{depth}"
        for depth, bar in zip(DEPTHS, VISIBLE_BARS, strict=True)
        if share([of[one.id].visible for one in asked], depth) < bar
    ]
    print(f"  bars, visible: {bars}   {'BELOW ' + ', '.join(below) if below else 'met'}")


def print_refusals(asked: Sequence[Question], of: Mapping[str, Measured]) -> None:
    """How often the answers say that nothing is known, where that is so and where it is not."""
    for label, some in (
        ("without an answer", [one for one in asked if not one.is_answerable]),
        ("with an answer", [one for one in asked if one.is_answerable]),
    ):
        if not some:
            continue
        verdicts = Counter(of[one.id].verdict for one in some)
        refused = sum(verdicts[word] for word in REFUSALS)
        told = ", ".join(f"{word} {count}" for word, count in verdicts.most_common())
        print(f"  {label:18s} {len(some):4d} questions, refused {refused / len(some):.3f}   verdicts: {told}")


def print_misses(asked: Sequence[Question], of: Mapping[str, Measured]) -> None:
    """The questions whose answer is not visible in the first hit, and those without an answer that were not refused."""
    for one in asked:
        taken = of[one.id]
        if one.is_answerable and taken.visible != 1:
            visible = "not visible" if taken.visible is None else f"visible at {taken.visible}"
            found = "not found" if taken.found is None else f"found at {taken.found}"
            print(f"  {one.id:22s} {visible:14s} {found:12s} {one.query}")
        elif not one.is_answerable and taken.verdict not in REFUSALS:
            print(f"  {one.id:22s} {'not refused':14s} {taken.verdict:12s} {one.query}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", type=Path, nargs="?", help="the folder to import")
    parser.add_argument("--home", type=Path, help="a store that has the sessions, asked as it is")
    parser.add_argument("--mode", nargs="+", choices=("lexical", "vector", "hybrid", "auto"), default=["auto"])
    parser.add_argument("--misses", action="store_true", help="print what is not visible first, and what was not refused")
    parser.add_argument("--check", action="store_true", help="read the folder, check every span, and ask nothing")
    parser.add_argument("--questions", type=Path, default=QUESTIONS, help="another set of questions, in the same form")
    given = parser.parse_args()
    asked = questions(given.questions)
    if given.check and given.sessions is not None:
        require_sound(asked, texts_of_folder(given.sessions))
        print(f"{sum(len(one.gold) for one in asked)} spans of {len(asked)} questions hold")
        return
    if given.check or (given.sessions is None and given.home is None):
        print("not measured: the sessions that the questions are about are not shipped; give their folder, or --home")
        return
    os.environ.pop("DAGSTER_HOME", None)
    from memory_assets.configuration import Resources

    with store(given.sessions, given.home) as settings:
        texts, places = messages_of_store(Resources(settings).database)
        require_sound(asked, texts)
        for mode in given.mode:
            answers = ask(settings, asked, mode)
            of = {one.id: measured(one, answers[one.id], texts, places) for one in asked}
            answerable = [one for one in asked if one.is_answerable]
            print_answerable(answerable, of, mode)
            if given.questions.samefile(QUESTIONS):
                print_bars(answerable, of)
            print_refusals(asked, of)
            if given.misses:
                print_misses(asked, of)


if __name__ == "__main__":
    main()
