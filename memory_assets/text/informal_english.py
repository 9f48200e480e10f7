"""English as people type it to a program, spelled out, so that a phrase is known however it is written."""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = {
    "u": "you", "ur": "your", "r": "are", "pls": "please", "plz": "please", "thx": "thanks", "gonna": "going to",
    "wanna": "want to", "im": "I'm", "ive": "I've", "thats": "that's", "whats": "what's", "dont": "don't", "doesnt": "doesn't",
    "didnt": "didn't", "isnt": "isn't", "arent": "aren't", "wasnt": "wasn't", "werent": "weren't", "cant": "can't",
    "couldnt": "couldn't", "shouldnt": "shouldn't", "wouldnt": "wouldn't", "wont": "won't", "hasnt": "hasn't",
    "havent": "haven't", "youre": "you're", "theyre": "they're",
}  # fmt: skip
_FOUND: Final = re.compile(rf"(?<![\w'’./@-])(?:{'|'.join(_WORDS)})(?![\w'’/@-]|\.\w)", re.IGNORECASE)


def spelled_out(text: str) -> str:
    """A text whose short and unmarked forms are whole words: ``can u fix it pls`` asks what ``can you fix it please`` does.

    For telling what is said; what is quoted stays as it was written.
    """
    return _FOUND.sub(lambda found: _WORDS[found[0].lower()], text)
