"""Sessions that several files tell, grow and are edited, told to the log without a run; and the same without some words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

from memory_assets.defs.forgetting import _back, _of_parts
from memory_assets.defs.resources import OpenStore
from memory_assets.defs.sources import ReadFile, SourceReader
from memory_assets.defs.stages.forgotten import ForgottenTextMovedError, with_copies
from memory_assets.defs.stages.ingested import Sources, ingest, pending_registrations, sources_of
from memory_assets.log.events import NewEvent
from memory_assets.log.forgotten_texts import NOTHING_FORGOTTEN, forgotten_texts
from memory_assets.log.payloads.forgetting import ForgottenPlace, TextForgotten
from memory_assets.log.payloads.sessions import SourceRegistered, SourceTakenFor, SourceTold
from memory_assets.log.session_history import History
from memory_assets.sessions.draft import title_from
from memory_assets.sessions.files import SourceFile
from memory_assets.sessions.masking.redaction import redact_session
from memory_assets.sessions.masking.redaction_policy import RedactionPolicy
from memory_assets.sessions.model import Message, Session, SourceTaken
from memory_assets.settings import Settings

DAY = datetime(2026, 3, 1, tzinfo=UTC)
_OF_FILES = [SourceRegistered.event_type, SourceTakenFor.event_type, SourceTold.event_type]


class Told(SourceReader):
    """Reads sessions that are told to it, as files are read and masked."""

    def __init__(self, policy: RedactionPolicy) -> None:
        super().__init__(policy)
        self.told: dict[str, Session] = {}

    def read(self, file: SourceFile) -> ReadFile:
        session, redactions, _ = redact_session(self.told[file.path], self.policy, path=file.path)
        taken = SourceTaken(file.path, session.source_format, str(hash(self.told[file.path])), 0, (session,))
        return ReadFile(taken, DAY, {}, {session.session_id: redactions})


class ToldStore(OpenStore):
    """A store whose files are told to it."""

    def __init__(self, settings: Settings, policy: RedactionPolicy) -> None:
        super().__init__(settings)
        self.reader = Told(policy)
        self.number = 0

    @property
    def sources(self) -> SourceReader:
        return self.reader

    def mask_by(self, policy: RedactionPolicy) -> None:
        """Another policy is in force."""
        told, self.reader = self.reader.told, Told(policy)
        self.reader.told = told

    def history(self, session_id: str) -> History | None:
        return self.histories([session_id]).get(session_id)

    def take(self, session: Session, uri: str) -> bool:
        """A file tells a session; whether it was taken in."""
        self.number += 1
        self.reader.told[uri] = session
        registered = SourceRegistered(
            uri=uri, file_hash=str(self.number), source_format=session.source_format, byte_length=0, defects=[]
        )
        self.log.append([NewEvent(registered, session_id=session.session_id, inputs=(uri, str(self.number)))])
        return self.ingest(session.session_id) is not None

    def ingest(self, session_id: str) -> int | None:
        """What the stage does; how many events it made, and None where the session is put aside."""
        told = self.log.of_sessions([session_id], _OF_FILES)
        known = self.history(session_id)
        forgotten = forgotten_texts(self.log, self.database, [session_id]).get(session_id, NOTHING_FORGOTTEN)
        sources = sources_of(self.log, told).get(session_id, Sources())
        try:
            result = ingest(session_id, known, pending_registrations(told).get(session_id, []), sources, self.reader, forgotten)
        except ForgottenTextMovedError:
            return None
        return self.log.append(result.events, heads={session_id: known.event_id if known else None}).new

    def forget(self, session_id: str, find: Callable[[History], list[ForgottenPlace]]) -> str | None:
        """Parts are forgotten; the id of the word, and None where nothing of that is there."""
        history = self.history(session_id)
        places = with_copies(history, find(history)) if history else []
        if history is None or not places:
            return None
        self.number += 1
        events = _of_parts(self, history, places, DAY + timedelta(seconds=self.number), "asked")
        self.log.append(events, heads={session_id: history.event_id})
        return next(event.event_id for event in events if isinstance(event.payload, TextForgotten))

    def unforget(self, session_id: str, event_id: str) -> None:
        history = self.history(session_id)
        assert history is not None
        self.log.append(_back(self, history, [event_id]), heads={session_id: history.event_id})


@dataclass
class Draft:
    """A session as it is thought up: each of its messages has a word of its own that nothing else says.

    Attributes:
        texts: by record.
        words: what else may be said.
    """

    session_id: str
    chance: Random
    texts: list[str] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)
    words: list[str] = field(default_factory=lambda: list(_WORDS))

    def word(self, number: int) -> str:
        """The word that only one message says; long enough to be known where another source tells more around it."""
        return f"word{self.session_id}n{number}stands"

    def grow(self, *, may_repeat: bool) -> None:
        """One message more, or one that says what another said."""
        if may_repeat and self.texts and self.chance.random() < 0.15:
            again = self.chance.randrange(len(self.texts))
            self.texts.append(self.texts[again])
            self.names.append(self.names[again])
            return
        number = len(self.texts)
        words = [self.word(number), *self.chance.sample(self.words, self.chance.randint(0, 5))]
        self.chance.shuffle(words)
        text = self.chance.choice([" ", "\n", "  "]).join(words) + self.chance.choice(["", ".", "\n", " and so on it goes"])
        self.texts.append(text)
        self.names.append(self.chance.choice([None, None, f"Ada{number % 2}"]))

    def edit(self) -> None:
        """One message is told in other words, or goes on."""
        number = self.chance.randrange(len(self.texts))
        words = self.chance.choice(self.words)
        self.texts[number] = (
            f"{words} {self.texts[number]}" if self.chance.random() < 0.5 else f"{self.texts[number]} {words} to the end"
        )

    def told(self, uri: str, without: Callable[[str], str] = lambda text: text) -> Session:
        """What a file tells of it: Claude's records, or a page without ids, in which texts have no space around them."""
        is_page = uri.startswith("page")
        chosen = range(len(self.texts))
        if uri == "half":
            chosen = range(len(self.texts) // 2 + 1)
        elif uri == "later":
            chosen = range(len(self.texts) // 3, len(self.texts))
        messages = []
        for place in chosen:
            text = without(self.texts[place])
            if is_page:
                core = self.texts[place].strip()
                text = text[self.texts[place].index(core) :][: len(core)]
            messages.append(
                Message(
                    uid=str(len(messages)) if is_page else f"u{place}",
                    role="assistant" if place % 2 else "user",
                    text=text,
                    ts=None if is_page else DAY + timedelta(minutes=place),
                    name=None if is_page or self.names[place] is None else without(str(self.names[place])),
                )
            )
        return Session(
            self.session_id,
            self.session_id,
            "specstory" if is_page else "claude_code",
            tuple(messages),
            title=without("About Ada0") if uri == "later" else title_from(messages),
            ordinal_uids=is_page,
        )


_WORDS = [
    "postgres",
    "배포",
    "캐시를 옮긴다",
    "mail me at gil@example.org",
    "tests pass",
    "█████ 50%",
    "the queue",
    "TODO",
    "rollback",
]


def spans_of(history: History, words: str, *, whole: bool) -> list[ForgottenPlace]:
    """As `memory forget --words` or an address names it."""
    places: list[ForgottenPlace] = []
    for index, message in enumerate(history.messages):
        for of_field, text in (("text", message.text), ("name", message.name or "")):
            at = text.find(words)
            if at >= 0:
                spans = [(0, len(text))] if whole else [(at, at + len(words))]
                places.append(
                    ForgottenPlace.model_validate(
                        {"field": of_field, "message_index": index, "uid": message.uid, "spans": spans}
                    )
                )
    title = history.heading.title or ""
    if words in title:
        places.append(ForgottenPlace(field="title", spans=[(title.find(words), title.find(words) + len(words))]))
    return places


def spans_at(history: History, uids: Collection[str]) -> list[ForgottenPlace]:
    """As the addresses of some records' messages name them, whichever telling they are of."""
    return [
        ForgottenPlace(field="text", message_index=index, uid=message.uid, spans=[(0, len(message.text))])
        for index, message in enumerate(history.messages)
        if (message.source_uid or message.uid) in uids and message.text
    ]


def said(history: History) -> list[tuple[object, ...]]:
    """What is compared: how much of a blank is drawn as a block depends on what was forgotten together."""
    return [
        (
            plain(message.text),
            message.role,
            message.kind,
            message.superseded_kind,
            message.source_uid or message.uid,
            message.ts,
            plain(message.name or ""),
        )
        for message in history.messages
    ]


def plain(text: str) -> str:
    """A text in which what is overwritten is blank."""
    return text.replace("█", " ")


def texts_of(store: OpenStore, session_id: str) -> Iterable[str]:
    """Every text of a session that anything could read: its history, its title, and what its sources tell."""
    history = store.histories([session_id]).get(session_id)
    if history is not None:
        yield from (message.text for message in history.messages)
        yield from (message.name or "" for message in history.messages)
        yield history.heading.title or ""
        for event in store.log.of_sessions([session_id]):
            if event.chain_id == history.chain_id:
                yield event.payload_json
