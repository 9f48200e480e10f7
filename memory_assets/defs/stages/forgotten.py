"""What was forgotten of a session is overwritten in what its sources told, and stays away when they are read again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from memory_assets.defs.stages.wanted_back import brought_back, title_back
from memory_assets.errors import MemoryAssetsError
from memory_assets.log.forgotten_texts import ForgottenTexts, message_at_place
from memory_assets.log.payloads.forgetting import ForgottenField, ForgottenPlace, TextForgotten
from memory_assets.log.payloads.sessions import SourceHeading
from memory_assets.log.session_history import History
from memory_assets.log.transcripts import ToldBySource
from memory_assets.sessions.copies import spans_in_copy, word_spans
from memory_assets.sessions.draft import at_most_a_title, title_from, title_of
from memory_assets.sessions.following import following
from memory_assets.sessions.masking.forgotten_spans import (
    FILLER,
    are_alike,
    goes_on_from,
    holds_back,
    overwritten,
)
from memory_assets.sessions.masking.redaction import uncut_title
from memory_assets.sessions.model import Message, Session
from memory_assets.sessions.rereading import as_told

Spans = Sequence[tuple[int, int]]


class ForgottenTextMovedError(MemoryAssetsError):
    """A source tells a message of which something was forgotten in other words: what is to stay away cannot be told apart."""

    code = "forgotten_text_moved"


def forgotten_in(told: Mapping[str, ToldBySource], known: History, forgotten: ForgottenTexts) -> dict[str, ToldBySource]:
    """What the sources of a history told, with what was wanted back of it and without what is to stay away."""
    new = forgotten.new(known.heading.forgotten)
    after = brought_back(known.messages, forgotten)
    words: set[str] = set()
    for event_id, payload in new.items():
        for place in payload.places:
            for index in _meant(place, known, event_id, payload, forgotten):
                words |= _words(after[index].text if place.field == "text" else after[index].name or "", place.spans)
                after[index] = _without(after[index], place)
    title_spans = [
        span for payload in new.values() for place in payload.places if place.field == "title" for span in place.spans
    ]
    words |= _words(known.heading.title or "", title_spans)

    def changed(told: ToldBySource) -> ToldBySource:
        messages = following(told.transcript.messages, known.messages, after, lambda text: _without_words(text, words))
        if told.page:
            # What was left out of the history stands in no message of it.
            messages = brought_back(messages, forgotten)
        title = _title(told.heading, told.transcript.messages, messages)
        if title is not None and title == told.heading.title:
            spans = title_spans if title == known.heading.title else ()
            if spans:
                title = overwritten(title_back(title, forgotten), spans)
            elif not _is_said(title, messages):
                back = title_back(title, forgotten)
                title = _without_words(back, words if back == title else words | _words_away(forgotten))
        heading = told.heading.model_copy(update={"title": at_most_a_title(title) if title else title})
        return replace(told, transcript=replace(told.transcript, messages=tuple(messages)), heading=heading)

    return {uri: changed(of_source) for uri, of_source in told.items()}


def _meant(
    place: ForgottenPlace, known: History, event_id: str, payload: TextForgotten, forgotten: ForgottenTexts
) -> Iterator[int]:
    """Where in a history the message of a place stands."""
    if place.message_index is None:
        return
    if payload.history_event_id == known.event_id:
        if place.message_index < len(known.messages):
            yield place.message_index
        return
    original = forgotten.original(event_id, place)
    for index, message in enumerate(known.messages):
        if as_told(message).uid == place.uid and (original is None or message.text.startswith(original.text)):
            yield index


def with_copies(history: History, places: Sequence[ForgottenPlace]) -> list[ForgottenPlace]:
    """Places of a history, and of the same words in copies of these messages; under the ids that their sources give them."""
    spans: dict[tuple[int, ForgottenField], set[tuple[int, int]]] = {}
    title = [place for place in places if place.message_index is None]
    for place in places:
        message = message_at_place(history, place)
        if place.message_index is None or message is None:
            continue
        spans.setdefault((place.message_index, place.field), set()).update(place.spans)
        for index, copy in enumerate(history.messages) if place.field == "text" else ():
            if index != place.message_index and (found := spans_in_copy(message, copy, place.spans)):
                spans.setdefault((index, "text"), set()).update(found)
    uids = [as_told(message).uid for message in history.messages]
    return [
        ForgottenPlace(field=of_field, message_index=index, uid=uids[index], spans=sorted(found))
        for (index, of_field), found in sorted(spans.items())
    ] + title


def _without(message: Message, place: ForgottenPlace) -> Message:
    if place.field == "name":
        return replace(message, name=message.name and overwritten(message.name, place.spans))
    return replace(message, text=overwritten(message.text, place.spans))


def _title_away(title: str, kept: str | None, forgotten: ForgottenTexts) -> str | None:
    """A title as a file gives it, without what was forgotten of the session's: where the log knows the words, without these."""
    known = forgotten.original_titles(forgotten.active)
    if len(known) < sum(place.field == "title" for _, place in forgotten.places):
        return kept
    return _without_words(title, set().union(*(_words(original, spans) for original, spans in known)))


def _words_away(forgotten: ForgottenTexts) -> set[str]:
    """What is to stay away, in words, as far as the log still holds them: a new file may say it in its title."""
    words: set[str] = set()
    for event_id, place in forgotten.places:
        original = forgotten.original(event_id, place)
        if original is not None:
            words |= _words(original.text if place.field == "text" else original.name or "", place.spans)
    return words


def _title(heading: SourceHeading, before: Sequence[Message], after: Sequence[Message]) -> str | None:
    """The title that follows from other messages, where it followed from them before."""
    if heading.title == title_from([message for message in before if message.superseded_kind is None]):
        return title_from([message for message in after if message.superseded_kind is None])
    told = tuple(as_told(message) for message in before)
    session = Session("", heading.source_id, heading.source_format, told, title=heading.title)
    return uncut_title(session, [as_told(message) for message in after])


def _words(text: str, spans: Spans) -> set[str]:
    """What stands in some spans, where it tells enough to be looked for."""
    return {words for start, end in spans if len(words := text[start:end].strip()) > 1 and FILLER not in words}


def _without_words(text: str, words: Iterable[str]) -> str:
    """What no message of the history tells: a page that was left out of it, or the title of another source."""
    if any(text.strip() in gone for gone in words) and len(text.strip()) > 1:
        return overwritten(text, [(0, len(text))])
    return overwritten(text, [span for gone in words for span in word_spans(gone, text)])


def _is_said(title: str, messages: Sequence[Message]) -> bool:
    """Whether a message gives the title: then it is taken from what is left already."""
    told = [as_told(message) for message in messages]
    return title == title_from(told) or title in map(title_of, told)


def stay_away(session: Session, known: History, before: ToldBySource | None, forgotten: ForgottenTexts) -> Session:
    """A session as a file tells it, with what was forgotten of it overwritten as the history has it.

    Args:
        before: what the same source told, as it stands in the history.

    Raises:
        ForgottenTextMovedError: the file tells one of these messages in other words, or its records have moved.
    """
    away = _Away(session, known, before, forgotten)
    named = [away.named(message) for message in away.messages()]
    title = uncut_title(session, named)
    if title and forgotten.of_title and title == session.title:
        title = _title_away(title, (known if before is None else before).heading.title, forgotten)
    if title and not _is_said(title, named):
        title = _without_words(title, _words_away(forgotten))
    return replace(session, messages=tuple(named), title=at_most_a_title(title) if title else title)


class _Away:
    """What is to stay away from one reading of a file.

    Attributes:
        kept: texts of the history in which something is overwritten.
        before: by the record's id, what this source, or else the history, has of it in which something is overwritten.
    """

    def __init__(self, session: Session, known: History, before: ToldBySource | None, forgotten: ForgottenTexts) -> None:
        self._session = session
        self._forgotten = forgotten
        self._known = known.messages
        self._said = [as_told(message) for message in (known.messages if before is None else before.transcript.messages)]
        self._originals = [
            (original, place)
            for event_id, place in forgotten.places
            if place.field == "text" and (original := forgotten.original(event_id, place)) is not None
        ]
        self._knows_all = forgotten.originals.keys() >= forgotten.active.keys()
        self.kept = {message.text for message in known.messages if self._is_overwritten(message)}
        is_page = before is not None and bool(before.page)
        self.before: dict[str, list[Message]] = {}
        # Positions in another file are none of this one's.
        for message in self._said if before is not None or not session.ordinal_uids else ():
            if self._is_overwritten(message) or (is_page and FILLER in message.text):
                self.before.setdefault(message.uid, []).append(message)
        self._names = self._told_names()

    def _is_overwritten(self, message: Message) -> bool:
        """Whether blocks in a message stand for what was forgotten; people draw with them too."""
        if FILLER not in message.text:
            return False
        if as_told(message).uid in self._forgotten.uids or not self._knows_all:
            return True
        text = message.text.strip()
        return any(are_alike(text[: len(said)], said) for original, _ in self._originals if (said := original.text.strip()))

    def messages(self) -> list[Message]:
        """The file's messages, as they are kept."""
        messages = [self._as_kept(message) for message in self._session.messages]
        if self._session.ordinal_uids and not self.before.keys() <= {message.uid for message in messages}:
            by_uid = {message.uid: message for message in self._said}
            for message in messages:
                if message.uid not in by_uid or not holds_back(by_uid[message.uid].text[: len(message.text)], message.text):
                    raise _moved(self._session)
        return messages

    def _as_kept(self, message: Message) -> Message:
        if known := self.before.get(message.uid):
            fitting = (text for one in known if (text := self._text_of(one.text, message)) is not None)
            text = next(fitting, None)
            if text is None:
                raise _moved(self._session)
            return replace(message, text=text)
        # Another file of the session may tell it under another id: by its words, or by enough of what is left of them.
        said = message
        for original, place in self._originals:
            # One original may hold another, and one may be what was left of another.
            spans = [span for copy in (said, message) for span in spans_in_copy(original, copy, place.spans)]
            message = replace(message, text=overwritten(message.text, spans))
        for text in () if self._knows_all else self.kept:
            if len(text) == len(message.text) and text.strip(f"{FILLER} \n") and holds_back(text, message.text):
                return replace(message, text=text)
        return message

    def _text_of(self, kept: str, message: Message) -> str | None:
        """What is kept of a message, and what it says behind that; None where it says other words."""
        said, is_last = message.text, message.uid == self._session.messages[-1].uid
        if len(said) < len(kept):
            is_cut = holds_back(kept[: len(said)], said) and (is_last or not self._session.ordinal_uids)
            return kept[: len(said)] if is_cut else None
        begun = [(original, place) for original, place in self._originals if said.startswith(original.text)]
        if not any(are_alike(kept, original.text) for original, _ in begun) and not goes_on_from(kept, said):
            return None
        # Another source may have told more of it before, and that was forgotten too.
        return overwritten(kept + said[len(kept) :], [span for _, place in begun for span in place.spans])

    def named(self, message: Message) -> Message:
        """The message, its speaker called as the history calls them."""
        kept = self._names.get(message.name) if message.name else None
        return message if kept is None else replace(message, name=kept)

    def _told_names(self) -> dict[str | None, str]:
        """By what the file calls a speaker of whom something was forgotten, what is kept of the name."""
        uids = self._forgotten.uids
        # What another source told of a record counts for this one's first telling of it too.
        told = [*(as_told(message) for message in self._known), *self._said]
        kept = {message.uid: message.name for message in told if message.uid in uids and FILLER in (message.name or "")}
        pairs = [(message.name, kept.get(message.uid)) for message in self._session.messages]
        names = {told: name for told, name in pairs if told and name and len(told) == len(name) and holds_back(name, told)}
        return self._forgotten.names_away | names


def _moved(session: Session) -> ForgottenTextMovedError:
    return ForgottenTextMovedError(
        f"session {session.session_id}: its file tells a message of which something was forgotten in other words",
        hint="what is to stay away cannot be told apart: forget the session, or `memory unforget` what was forgotten of it",
    )
