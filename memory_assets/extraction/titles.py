"""One line for people out of a quoted sentence."""

from __future__ import annotations

import re

from memory_assets.text.sentences import MAX_LENGTH

MAX_TITLE = MAX_LENGTH
"""Characters of a title: a whole sentence, for one that is cut often loses what it says. Lists cut it to their line."""
_MOST_OPENINGS = 2

_LINK = re.compile(r"!?\[([^\]\n]{1,200})\]\([^()\n]{0,400}\)")
_MARKS = re.compile(r"(\*\*|__|~~|`)")
_LEAD = re.compile(r"^(?:[ \t]*(?:[-*+•>]|#{1,6}|\d{1,3}[.)]|\[[ xX]\])[ \t]+)+")
_DECORATION = re.compile(r"^(?:[✅✔✓☑⚠🎉✨⭐🐛💡🔍📝📌🚀🎯🔥ℹ]\ufe0f?[ \t]*)+(?=[*_`\"'(]{0,3}\w)")
"""A tick or a warning sign in front of a sentence. What says no, or open (❌, 🚫, ☐), is part of it."""
_OPENS = re.compile(
    r"^(?:(?:(?:you['’]?re|that['’]?s) right|got it|understood|perfect|great|sure|ok(?:ay)?|right|yes|yeah"
    r"|네|넵|예|응|좋아요?|알겠습니다)"
    r"(?:[,.!…]{1,3}|\s?[—–-])\s{1,2}"
    r"|(?:so,|so(?= then\b)|(?:and|but|also|then|now)[,.…]{0,3})\s{1,2}"
    r"(?!(?:far|that|called|long|many|much|what|on|again|as|if|or)\b)"
    r"|(?:그리고|그럼|그러면|또한|그래서|따라서|하지만|다만|이제),?\s)(?=\S+\s\S)",
    re.IGNORECASE,
)
"""How a sentence takes up the talk before it: no part of what it says."""
_RECOMMENDED = re.compile(r"\s?[(\[](?:recommended|추천|권장)[)\]]", re.IGNORECASE)
"""What an agent says of an option, and no part of its name."""
_SPACES = re.compile(r"\s+")


def title_of(text: str, most: int = MAX_TITLE) -> str:
    """A sentence without Markdown, on one line of at most ``most`` characters; never empty where something is said."""
    plain = _SPACES.sub(" ", _RECOMMENDED.sub("", _MARKS.sub("", _LINK.sub(r"\1", _LEAD.sub("", text))))).strip(" *_:：-–—")
    plain = _DECORATION.sub("", plain)
    for _ in range(_MOST_OPENINGS):
        plain = _OPENS.sub("", plain)
    plain = plain or _SPACES.sub(" ", text).strip() or "…"
    if len(plain) <= most:
        return plain
    cut = plain.rfind(" ", most // 2, most - 1)
    return plain[: cut if cut > 0 else most - 1].rstrip(" ,;:") + "…"


def title_behind(before: str, text: str, *, may_cut: bool = False) -> str:
    """A sentence behind the one that names what it points back at, on one line; alone where both do not fit.

    Args:
        may_cut: both, cut at the end, where the first one leaves half of the line.
    """
    title, named = title_of(text), title_of(before)
    both = f"{named}{'' if named.endswith(('.', '!', '?', '…')) else ' —'} {title}"
    return title_of(both) if len(both) <= MAX_TITLE or (may_cut and len(named) <= MAX_TITLE // 2) else title
