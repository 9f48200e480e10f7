"""Keys that no pattern describes: long tokens that nobody would write by hand.

A token of letters of both cases and digits, drawn at random, changes between them at more than half of its places; names,
paths and words do so seldom. A digest in hexadecimal or a UUID is none of these: it names something, and gives nothing away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_assets.sessions.masking.regions import Region
from memory_assets.sessions.masking.scanned_text import ScannedText

KIND = "SECRET:random"
_RANK = 900

_TWO_DIGITS = re.compile(r"\d[^\d]*+\d")
_SHORTEST_RUN = 24
_RUN = re.compile(rf"[A-Za-z0-9+/_~.=-]{{{_SHORTEST_RUN},}}+")
_CORE = re.compile(r"[A-Za-z0-9]{20,}+")
_PART = re.compile(rf"[A-Za-z0-9_~+-]{{{_SHORTEST_RUN},}}")
_CHANGES = re.compile(r"(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[a-z0-9]|(?<=[0-9])[A-Za-z]|[+/_=-]")
_DIGEST_BEFORE = re.compile(
    r"(?:sha-?(?:1|224|256|384|512)|md5|h1|integrity|base64,|blake[23]\w?|nonce|checksum|digest|hash|sri)"
    r"[\"']?[-:=]? ?[\"']?\Z",
    re.IGNORECASE,
)
# What services call the things that they hold, in every answer: a name, no key.
_PUBLIC = re.compile(
    r"(?:agent_msg|toolu|tooluse|srvtoolu|msg|req|call|fc|rs|ctc|resp|item|run|step|thread|asst|file|chatcmpl|cmpl"
    r"|gen|batch|msgbatch|cus|price|prod|sub|pi|ch|evt|in|il|si|seti|ii|pm|src|acct|cs|session|conv|container"
    r"|upload|vs|ent|mem|ev|ag|org|proj|user|usr|snap|img|vol|dpl|prj|team|wf|job|task|trace|span|build|deploy"
    r"|commit|sha256|sha512|sha384|sha1|index|chunk|vendor|main|bundle)[_-]"
)
# The body of an SSH public key: a length, and the name of the kind of key.
_PUBLIC_KEY = re.compile(r"AAAA[A-Z][23][NV][zj]")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9]{1,14}(?:[_-][A-Za-z0-9]{1,10}){0,3}[_.-]\Z")
# deviceId=3f… is a digest with its name.
_HEX_VALUE = re.compile(r"(?:[A-Za-z_.-]{1,40}[=:_-])?[0-9a-f-]{24,}=*")
# A file, a signature or an image in base64: longer than a key that no pattern knows.
_FILE = re.compile(r"[A-Za-z0-9+/]{160}")
_SHORTEST_BARE, _LONGEST_BARE = 32, 240


def is_random(token: str, *, changes: float = 0.42) -> bool:
    """Whether a token looks drawn at random from capitals, small letters and digits; sure from 20 characters on."""
    if token.isalpha() or token.islower() or token.isupper() or not _TWO_DIGITS.search(token):
        return False
    return len(_CHANGES.findall(token)) >= changes * (len(token) - 1) and len(set(token)) >= min(12, len(token) // 2)


def find_random_tokens(scan: ScannedText) -> Iterator[Region]:
    """Random tokens behind the prefix of a vendor, or alone with the length that keys have."""
    text = scan.text
    for run in _runs(scan):
        token = run[0].rstrip(".-")
        if (
            len(token) > 1024
            or token.islower()
            or token.isupper()
            or not _TWO_DIGITS.search(token)
            or _DIGEST_BEFORE.search(text, max(0, run.start() - 16), run.start())
        ):
            continue
        if "=" not in token.rstrip("=") and not _UUID.search(token) and _is_key(text, run.start(), token):
            yield Region(run.start(), run.start() + len(token), KIND, _RANK)
            continue
        if _FILE.match(token):
            continue
        for part in _parts(token):
            if _is_key(text, run.start() + part.start(), part[0]):
                yield Region(run.start() + part.start(), run.start() + part.end(), KIND, _RANK)


def _runs(scan: ScannedText) -> Iterator[re.Match[str]]:
    for start, end in scan.tokens:
        if end - start >= _SHORTEST_RUN and _TWO_DIGITS.search(scan.text, start, end):
            yield from _RUN.finditer(scan.text, start, end)


def _parts(token: str) -> Iterator[re.Match[str]]:
    """What a path, an assignment or a file's name holds between its separators."""
    if any(char in token for char in "/=."):
        yield from _PART.finditer(token)


def _is_key(text: str, start: int, token: str) -> bool:
    if (
        _PUBLIC.match(token)
        or _PUBLIC_KEY.match(token)
        or _HEX_VALUE.fullmatch(token)
        or _DIGEST_BEFORE.search(text, max(0, start - 16), start)
    ):
        return False
    core = next((found for found in _CORE.finditer(token) if is_random(found[0])), None)
    if core is not None and core.start() and _PREFIX.fullmatch(token, 0, core.start()):
        return True
    bare = token.rstrip("=")
    if not _SHORTEST_BARE <= len(token) <= _LONGEST_BARE or not is_random(bare, changes=0.48):
        return False
    if "." in bare or bare.count("/") > len(bare) // 12 or bare.count("-") + bare.count("_") > len(bare) // 12:
        return False
    return not _lies_in_a_block(text, start, len(token))


def _lies_in_a_block(text: str, start: int, length: int) -> bool:
    """Whether a line of its like stands above or below: an image or a certificate, written in lines."""
    line_start, line_end = text.rfind("\n", max(0, start - 200), start), text.find("\n", start, start + length + 200)
    before = text[max(0, line_start - 140) : line_start] if line_start >= 0 else ""
    after = text[line_end + 1 : line_end + 140] if line_end >= 0 else ""
    return _ends_like(before) or _begins_like(after)


def _ends_like(text: str) -> bool:
    return re.search(r"[A-Za-z0-9+/]{48,}={0,2}\s*\Z", text) is not None


def _begins_like(text: str) -> bool:
    return re.match(r"\s*[A-Za-z0-9+/]{48,}", text) is not None
