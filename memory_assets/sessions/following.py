"""What a source told follows what became of the history that was made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from memory_assets.sessions.masking.forgotten_spans import are_alike_within
from memory_assets.sessions.model import Message
from memory_assets.sessions.rereading import as_told

_Pair = tuple[Message, Message]


def following(
    told: Sequence[Message], before: Sequence[Message], after: Sequence[Message], apart: Callable[[str], str]
) -> list[Message]:
    """A source's messages with the texts and names that the history's messages have now.

    Args:
        before, after: the history, message by message. Texts keep their lengths.
        apart: changes the text of what stands in no message of the history: a page that was left out of it.
    """
    pairs = [(as_told(old), as_told(new)) for old, new in zip(before, after, strict=True)]
    by_record: dict[tuple[str, str], _Pair] = {}
    by_words: dict[tuple[str, str], list[_Pair]] = {}
    names: dict[str | None, str | None] = {}
    for old, new in pairs:
        by_record.setdefault((old.uid, old.text), (old, new))
        by_words.setdefault((old.role, old.text.strip()), []).append((old, new))
        if new.name != old.name:
            names[old.name] = new.name

    def changed() -> Iterator[Message]:
        for message in told:
            pair = by_record.get((as_told(message).uid, message.text))
            waiting = by_words.get((message.role, message.text.strip()), [])
            fitting = [pair for pair in waiting if _fits(message.text, *pair)]
            if pair is None and fitting:
                # Of several that say the same it is the first that is as long, of those that were not taken yet.
                pair = min(fitting, key=lambda pair: abs(len(pair[0].text) - len(message.text)))
            if pair in waiting and len(waiting) > 1:
                waiting.remove(pair)
            text = apart(message.text) if pair is None else _like(message.text, *pair)
            yield replace(message, text=text, name=names.get(message.name, message.name))

    return list(changed())


def _fits(text: str, old: Message, new: Message) -> bool:
    """Whether a text that says the same as ``old`` may be ``new``: where its end is overwritten, longer ones look the same."""
    return len(new.text.strip()) <= len(old.text.strip()) or are_alike_within(text, new.text)


def _like(text: str, old: Message, new: Message) -> str:
    """A text that says the same as ``old`` but for space around it, as ``new`` says it."""
    if text == old.text:
        return new.text
    lead = len(text) - len(text.lstrip())
    start = len(old.text) - len(old.text.lstrip())
    says = new.text[start : start + len(text) - lead]
    return text[:lead] + says + text[lead + len(says) :]
