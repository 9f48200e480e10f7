"""E-mail addresses in a text. SSH remotes (``git@github.com:o/r``), versions and matrix products are none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_assets.sessions.masking.regions import Region

KIND = "EMAIL"

# Searched from the @, which is rare: reading local parts first costs 64 steps for every letter of a long line.
_DOMAIN = re.compile(r"@(?P<domain>(?:[A-Za-z0-9가-힣][A-Za-z0-9가-힣-]{0,62}\.){1,8}(?:[A-Za-z]{2,24}|한국))(?![A-Za-z0-9])")
_LOCAL_BACKWARDS = re.compile(r"[A-Za-z0-9._%+-]{1,64}+")
_ANY_LOCAL_BACKWARDS = re.compile(r"[\w.%+-]{1,64}+")
_VERSION = re.compile(r"v?\d+\.\d")
_PIXEL_RATIO = re.compile(r"\d{1,2}x\.\w{2,4}$")
_USUAL_END = re.compile(
    r"\.(?:com|net|org|edu|gov|mil|int|io|co|ai|dev|app|me|info|biz|kr|jp|cn|tw|hk|sg|de|fr|uk|us|eu|in|한국)$", re.IGNORECASE
)
# Nobody reads these: they stand in every commit that a program made.
_NOBODY = frozenset({"noreply", "no-reply", "donotreply", "do-not-reply"})
_REMOTE_USERS = frozenset({"git", "hg", "svn"})
_LONGEST_LOCAL = 64


def find_emails(text: str) -> Iterator[Region]:
    """The e-mail addresses of a text, in order."""
    if "@" not in text:
        return
    last = 0
    for match in _DOMAIN.finditer(text):
        start = _local_start(text, match.start(), last)
        if start == match.start() or _is_something_else(text, start, match):
            continue
        yield Region(start, match.end(), KIND)
        last = match.end()


def _local_start(text: str, at: int, last: int) -> int:
    """Where the address begins; the @ itself where nothing stands before it."""
    before = text[max(last, at - _LONGEST_LOCAL) : at][::-1]
    # Hangul before a name is a word of the sentence (``메일은kim@…``), unless there is no other name.
    backwards = _LOCAL_BACKWARDS.match(before) or _ANY_LOCAL_BACKWARDS.match(before)
    if backwards is None:
        return at
    local = backwards[0][::-1].lstrip(".-%+")
    start = at - len(local)
    # JSON inside a string: the n of "\nuser@host" is a line break.
    if len(local) > 1 and local[0] in "nrt" and text[start - 1 : start] == "\\":
        start += 1
    return start


def _is_something_else(text: str, start: int, match: re.Match[str]) -> bool:
    domain, end = match["domain"], match.end()
    if _VERSION.match(domain) or _PIXEL_RATIO.match(domain):  # lodash@4.17.21-rc.x, icon@2x.png
        return True
    if (text.startswith("(", end) or domain.startswith("self.")) and not _USUAL_END.search(domain):
        return True  # q@k.transpose(…), x@self.weight; kim@example.com(회사) is an address
    if text[max(0, start - 1) : start] == "$":  # $USER@host
        return True
    if text[start : match.start()].lower() in _NOBODY:
        return True
    if text[start : match.start()] in _REMOTE_USERS and text.startswith((":", "/"), end):
        return True
    return text.startswith((":/", ":~"), end) or text[max(0, start - 6) : start].endswith(("ssh://", "sftp://"))
