"""What was forgotten of a session and is wanted back stands again where it stood, as far as the log still holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory_assets.log.forgotten_texts import ForgottenTexts
from memory_assets.log.payloads.forgetting import ForgottenPlace
from memory_assets.sessions.draft import at_most_a_title
from memory_assets.sessions.masking.forgotten_spans import (
    FILLER,
    are_alike,
    are_alike_within,
    overwritten,
    with_words_again,
    without_spans,
)
from memory_assets.sessions.model import Message
from memory_assets.sessions.rereading import as_told

_Texts = Sequence[tuple[str, Message, ForgottenPlace]]


def brought_back(messages: Sequence[Message], forgotten: ForgottenTexts) -> list[Message]:
    """Messages with what was wanted back of them, and without what is to stay away.

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
    if not forgotten.unforgotten:
        return after
    texts = forgotten.original_texts
    after = [_copy_back(_rest_back(message, texts, forgotten), texts, forgotten) for message in after]
    return [new if new == old else _without_active(new, texts, forgotten) for old, new in zip(messages, after, strict=True)]


def _with_words(message: Message, original: Message, place: ForgottenPlace, forgotten: ForgottenTexts) -> Message:
    spans = without_spans(place.spans, forgotten.spans_of(place.uid, place.field))
    if place.field == "name":
        if message.name and original.name and are_alike(message.name, original.name):
            return replace(message, name=with_words_again(message.name, original.name, spans))
    elif are_alike(message.text[: len(original.text)], original.text):
        return replace(message, text=with_words_again(message.text, original.text, spans))
    return message


def _rest_back(message: Message, texts: _Texts, forgotten: ForgottenTexts) -> Message:
    """What a record said behind its forgotten words since, where another source had told that too, and it went with these."""
    uid = as_told(message).uid
    own = [original.text for _, original, place in texts if place.uid == uid]
    longer = [
        (event_id, original, place)
        for event_id, original, place in texts
        if place.uid != uid
        and any(original.text.startswith(text) for text in own)
        and are_alike(message.text[: len(original.text)], original.text)
    ]
    # Where several went on in other words, what stood there may be of either.
    fullest = max((original.text for _, original, _ in longer), key=len, default="")
    if all(are_alike(fullest[: len(original.text)], original.text) for _, original, _ in longer):
        for event_id, original, place in reversed(longer):
            if event_id in forgotten.unforgotten:
                spans = without_spans(place.spans, forgotten.spans_of(uid, "text"))
                message = replace(message, text=with_words_again(message.text, original.text, spans))
    return message


def _copy_back(message: Message, texts: _Texts, forgotten: ForgottenTexts) -> Message:
    """What another source told of it since it was forgotten: no place names that, so it is known by what is left of it.

    What may be a copy of several messages stays as it is.
    """
    if FILLER not in message.text or as_told(message).uid in {place.uid for _, _, place in texts}:
        return message
    alike = [original.text for _, original, _ in texts if _may_begin_with(message, original)]
    fullest = min(alike, key=lambda text: text.count(FILLER), default="")
    if not fullest or not all(are_alike(text.strip(), fullest.strip()) for text in alike):
        return message
    lead, core = _lead(message.text), fullest.strip()
    return replace(message, text=message.text[:lead] + core + message.text[lead + len(core) :])


def _without_active(message: Message, texts: _Texts, forgotten: ForgottenTexts) -> Message:
    """Another word of forgetting may be about a copy of the message."""
    for event_id, original, place in texts:
        if event_id in forgotten.active and _may_begin_with(message, original):
            shift = _lead(message.text) - _lead(original.text)
            text = overwritten(message.text, [(start + shift, end + shift) for start, end in place.spans])
            message = replace(message, text=text)
    return message


def _may_be_copy(message: Message, original: Message) -> bool:
    return message.role == original.role and are_alike_within(message.text, original.text)


def _may_begin_with(message: Message, original: Message) -> bool:
    """Whether a message may be a copy, or say more behind it."""
    core, text = original.text.strip(), message.text.lstrip()
    beginning = replace(message, text=text[: len(core)]) if text[len(core) :].strip() else message
    return _may_be_copy(beginning, original)


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
