"""What was forgotten of a session and is wanted back stands again where it stood, as far as the log still holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory_assets.log.forgotten_texts import ForgottenTexts
from memory_assets.log.payloads.forgetting import ForgottenPlace
from memory_assets.sessions.draft import at_most_a_title
from memory_assets.sessions.masking.forgotten_spans import FILLER, are_alike, overwritten, with_words_again, without_spans
from memory_assets.sessions.model import Message
from memory_assets.sessions.rereading import as_told


def brought_back(messages: Sequence[Message], forgotten: ForgottenTexts) -> list[Message]:
    """A history's messages with what was wanted back of them.

    What was forgotten last comes back first: what was forgotten before it was overwritten by then.
    """
    after = list(messages)
    for event_id, payload in reversed(forgotten.unforgotten.items()):
        for place in payload.places:
            original = forgotten.original(event_id, place)
            if original is not None:
                told = [index for index, message in enumerate(after) if as_told(message).uid == place.uid]
                same = [index for index in told if bool(after[index].superseded_kind) == bool(original.superseded_kind)]
                for index in same or told:
                    after[index] = _with_words(after[index], original, place, forgotten)
    return _copies_brought_back(after, forgotten) if forgotten.unforgotten else after


def _with_words(message: Message, original: Message, place: ForgottenPlace, forgotten: ForgottenTexts) -> Message:
    spans = without_spans(place.spans, forgotten.spans_of(place.uid, place.field))
    if place.field == "name":
        if message.name and original.name and are_alike(message.name, original.name):
            return replace(message, name=with_words_again(message.name, original.name, spans))
    elif are_alike(message.text[: len(original.text)], original.text):
        return replace(message, text=with_words_again(message.text, original.text, spans))
    return message


def _copies_brought_back(messages: Sequence[Message], forgotten: ForgottenTexts) -> list[Message]:
    """What another source told of it since it was forgotten: no place names that, so it is known by what is left of it.

    What may be a copy of several messages stays as it is.
    """
    named = {place.uid for payload in forgotten.said.values() for place in payload.places}
    texts = [
        (event_id, original, place)
        for event_id, payload in forgotten.said.items()
        for place in payload.places
        if place.field == "text" and (original := forgotten.original(event_id, place)) is not None
    ]

    def changed(message: Message) -> Message:
        if FILLER not in message.text or as_told(message).uid in named:
            return message
        alike = [(event_id, original, place) for event_id, original, place in texts if _may_be_copy(message, original)]
        if not alike:
            return message
        fullest = min((original.text for _, original, _ in alike), key=lambda text: text.count(FILLER))
        if not all(are_alike(original.text.strip(), fullest.strip()) for _, original, _ in alike):
            return message
        text = _around(message.text, fullest.strip())
        away = [
            (start + shift, end + shift)
            for event_id, original, place in alike
            if event_id in forgotten.active
            for shift in [_lead(text) - _lead(original.text)]
            for start, end in place.spans
        ]
        return replace(message, text=overwritten(text, away))

    return [changed(message) for message in messages]


def _may_be_copy(message: Message, original: Message) -> bool:
    """Whether a message may say what the original says but for space around it, overwritten here and there."""
    core, text = original.text.strip(), message.text.lstrip()
    return message.role == original.role and are_alike(text[: len(core)], core) and not text[len(core) :].strip()


def _around(text: str, core: str) -> str:
    """A text with other words in the space around it."""
    return text[: _lead(text)] + core + text[_lead(text) + len(core) :]


def _lead(text: str) -> int:
    return len(text) - len(text.lstrip())


def title_back(title: str, forgotten: ForgottenTexts) -> str:
    """A title with what was wanted back of it."""
    away = forgotten.spans_of(None, "title")
    for original, spans in reversed(forgotten.original_titles(forgotten.unforgotten)):
        # A title has no blanks at its end, nor two in a row.
        kept = {at_most_a_title(overwritten(original, [*spans, *others])) for others in ((), away)}
        if title in kept:
            title = overwritten(original, away)
    return title
