"""One message out of the several texts that a record holds.

An editor cuts what a person writes at every file that is mentioned, and puts the file's content behind it: the words before the
mention, the mention, the words behind it, the file. Apart, a sentence would begin in its middle.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from operator import itemgetter

from memory_assets.sessions.draft import Part
from memory_assets.sessions.injected import user_parts
from memory_assets.sessions.model import Message
from memory_assets.sessions.origins import origins_of
from memory_assets.vocabulary import Origin


def parts_of_texts(texts: Iterable[str]) -> list[Part]:
    """The messages of the texts that stand one behind the other under a person's name.

    What the person said in a row is one message; what a program put there stays apart from it.
    """
    parts: list[Part] = []
    for is_said, run in groupby(filter(None, texts), key=_is_said):
        row = list(run)
        parts.extend(_of_said(row) if is_said else (part for text in row for part in user_parts(text)))
    return parts


def _is_said(text: str) -> bool:
    return all(part.kind == "said" for part in user_parts(text))


def _of_said(texts: Sequence[str]) -> list[Part]:
    apart = [part for text in texts for part in user_parts(text)]
    if len(apart) < 2:
        return apart
    whole = user_parts(_joined(texts))
    # A heading before a long text would make a document of it, and both pasted: each text keeps who wrote it.
    return whole if _who_wrote(whole) == _who_wrote(apart) else apart


def _joined(texts: Sequence[str]) -> str:
    """The texts as they were shown: a mention stands within its line, other texts that hold no blank between them in lines."""
    pieces = [texts[0]]
    for before, after in pairwise(texts):
        is_one_line = (_is_mention(before) or _is_mention(after)) and not after.startswith("<")
        pieces += ["" if before[-1].isspace() or after[0].isspace() or is_one_line else "\n", after]
    return "".join(pieces)


def _is_mention(text: str) -> bool:
    """Whether a text is nothing but a file that was mentioned: ``[@CLAUDE.md](file:///srv/shop/CLAUDE.md)``."""
    return text.startswith("[@") and text.endswith(")") and text.count("](") == 1 and "\n" not in text


def _who_wrote(parts: Iterable[Part]) -> list[tuple[Origin, str]]:
    """Stretches of one origin in a row, without their blanks."""
    messages = (Message(uid="", role=part.role, kind=part.kind, text=part.text) for part in parts)
    stretches = (
        (stretch.origin, "".join(message.text[stretch.start : stretch.end].split()))
        for message in messages
        for stretch in origins_of(message)
    )
    written = (stretch for stretch in stretches if stretch[1])
    return [(origin, "".join(words for _, words in run)) for origin, run in groupby(written, key=itemgetter(0))]
