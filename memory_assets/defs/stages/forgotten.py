"""What was forgotten of a session is overwritten in what its sources told, and stays away when they are read again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from memory_assets.errors import MemoryAssetsError
from memory_assets.log.forgotten_texts import ForgottenTexts
from memory_assets.log.payloads.forgetting import ForgottenPlace, TextForgotten
from memory_assets.log.payloads.sessions import SourceHeading
from memory_assets.log.session_history import History
from memory_assets.log.transcripts import ToldBySource
from memory_assets.sessions.draft import at_most_a_title
from memory_assets.sessions.masking.forgotten_spans import FILLER, holds_back, overwritten, with_words_again
from memory_assets.sessions.masking.redaction import uncut_title
from memory_assets.sessions.model import Message, Session
from memory_assets.sessions.rereading import as_told

Spans = Sequence[tuple[int, int]]


class ForgottenTextMovedError(MemoryAssetsError):
    """A source tells a message of which something was forgotten in other words: what is to stay away cannot be told apart."""

    code = "forgotten_text_moved"


def overwrite(told: ToldBySource, known: History, forgotten: Iterable[TextForgotten]) -> ToldBySource:
    """What a source told, without what was forgotten of the history; the same words elsewhere in the session go too."""
    texts: dict[str, list[tuple[int, int]]] = {}
    names: dict[str, list[tuple[int, int]]] = {}
    title: list[tuple[int, int]] = []
    for place in (place for payload in forgotten for place in payload.places):
        message = _message(known, place)
        if place.field == "title":
            title += place.spans
        elif place.field == "text" and message is not None:
            texts.setdefault(message.text, []).extend(place.spans)
        elif message is not None and message.name is not None:
            names.setdefault(message.name, []).extend(place.spans)

    def without(message: Message) -> Message:
        name = None if message.name is None else overwritten(message.name, names.get(message.name, ()))
        return replace(message, text=overwritten(message.text, texts.get(message.text, ())), name=name)

    return _changed(told, [without(message) for message in told.transcript.messages], title=title)


def bring_back(told: ToldBySource, forgotten: ForgottenTexts) -> ToldBySource:
    """What a source told, with what was wanted back, as far as the log still holds it."""
    messages = list(told.transcript.messages)
    title = told.heading.title
    for event_id, history in forgotten.originals.items():
        for place in forgotten.unforgotten[event_id].places:
            original = _message(history, place)
            if place.field == "title" and title and history.heading.title and holds_back(title, history.heading.title):
                title = with_words_again(title, history.heading.title, place.spans)
            elif original is not None:
                messages = [_brought_back(message, original, place) for message in messages]
    back = replace(told, heading=told.heading.model_copy(update={"title": title}))
    return _changed(back, messages, title=())


def stay_away(session: Session, known: History, before: ToldBySource | None, forgotten: ForgottenTexts) -> Session:
    """A session as a file tells it, with what was forgotten of it overwritten as the history has it.

    Args:
        before: what the same source told, as it stands in the history.

    Raises:
        ForgottenTextMovedError: the file tells one of these messages in other words, or its records have moved.
    """
    kept = {message.text for message in known.messages if message.uid in forgotten.uids and FILLER in message.text}
    said_before = [as_told(message) for message in (known.messages if before is None else before.transcript.messages)]
    by_uid = {message.uid: message for message in said_before}
    overwritten_before = {uid: message for uid, message in by_uid.items() if message.text in kept}
    messages = [_as_kept(message, overwritten_before, kept, session) for message in session.messages]
    if session.ordinal_uids and not overwritten_before.keys() <= {message.uid for message in messages}:
        for message in messages:
            if message.uid not in by_uid or not holds_back(by_uid[message.uid].text, message.text):
                raise _moved(session)
    names = {message.uid: message.name for message in said_before if message.uid in forgotten.uids and message.name}
    named = [_with_name(message, names.get(message.uid)) for message in messages]
    title = uncut_title(session, named)
    if forgotten.of_title and title == session.title:
        title = known.heading.title
    return replace(session, messages=tuple(named), title=at_most_a_title(title) if title else title)


def _as_kept(message: Message, before: Mapping[str, Message], kept: set[str], session: Session) -> Message:
    known = before.get(message.uid)
    if known is not None:
        if not holds_back(known.text, message.text):
            raise _moved(session)
        return replace(message, text=known.text + message.text[len(known.text) :])
    # Another file of the session may tell it under another id: enough of it was kept to know it by.
    for text in kept:
        if len(text) == len(message.text) and text.strip(f"{FILLER} \n") and holds_back(text, message.text):
            return replace(message, text=text)
    return message


def _with_name(message: Message, name: str | None) -> Message:
    if name is None or message.name is None or FILLER not in name or not holds_back(name, message.name):
        return message
    return replace(message, name=name)


def _brought_back(message: Message, original: Message, place: ForgottenPlace) -> Message:
    if as_told(message).uid not in (original.uid, original.source_uid):
        return message
    if place.field == "name":
        known, before = message.name or "", original.name or ""
    else:
        known, before = message.text, original.text
    if not holds_back(known[: len(before)], before):
        return message
    restored = with_words_again(known, before, place.spans)
    return replace(message, name=restored) if place.field == "name" else replace(message, text=restored)


def _changed(told: ToldBySource, messages: Sequence[Message], *, title: Spans) -> ToldBySource:
    """What a source told with other messages, and the title that follows from them."""
    heading = told.heading
    before = _session(heading, told.transcript.messages)
    said = uncut_title(before, [as_told(message) for message in messages])
    if said and said == heading.title:
        said = overwritten(said, title)
    changed = heading.model_copy(update={"title": at_most_a_title(said) if said else said})
    return ToldBySource(replace(told.transcript, messages=tuple(messages)), changed)


def _session(heading: SourceHeading, messages: Iterable[Message]) -> Session:
    told = tuple(as_told(message) for message in messages)
    return Session("", heading.source_id, heading.source_format, told, title=heading.title)


def _message(history: History, place: ForgottenPlace) -> Message | None:
    index = place.message_index
    return None if index is None or index >= len(history.messages) else history.messages[index]


def _moved(session: Session) -> ForgottenTextMovedError:
    return ForgottenTextMovedError(
        f"session {session.session_id}: its file tells a message of which something was forgotten in other words",
        hint="what is to stay away cannot be told apart: forget the session, or `memory unforget` what was forgotten of it",
    )
