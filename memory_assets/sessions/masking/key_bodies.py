"""Private keys without the line that says so: what is left when only a part of a PEM file was copied.

The first bytes of a key's DER say what it is. From the middle of one there are only lines of 64 characters; those of a
certificate or a public key stand below a line that says so, or begin as these do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_assets.sessions.masking.random_tokens import is_random
from memory_assets.sessions.masking.regions import Region
from memory_assets.sessions.masking.scanned_text import ScannedText

# SEQUENCE { INTEGER 0 | 1 …: PKCS#1, PKCS#8, EC and Ed25519 keys, an encrypted PKCS#8 key, and what OpenSSH writes.
_STARTS = re.compile(
    r"(?<![A-Za-z0-9+/])(?:MII[A-Za-z0-9+/]{2}[AQgw]IBAA|MII[A-Za-z0-9+/]{2}[AQgw]IBAD|MIIC[A-Za-z0-9+/]{2}IBAAKB|MIIB[A-Za-z0-9+/]{2}IBAAJ"
    r"|MIG[A-Za-z0-9+/]AgEAM|MHcCAQEE|MIHcAgEBBE|MHQCAQEE|MIGkAgEBBD|MC4CAQAwBQYD|MFMCAQEw"
    r"|MII[A-Za-z0-9+/]{3}T[A-Za-z0-9+/]BgkqhkiG9w0BBQ0|b3BlbnNzaC1rZXktdjE)"
)
LITERALS = ("MII", "MIG", "MHcC", "MIHcA", "MHQC", "MC4C", "MFMC", "b3BlbnNzaC1rZXktdjE")
_BY_LOWERED = {literal.lower(): literal for literal in LITERALS}
# A line break, with what a listing, a quotation or a string puts before the next line.
_BREAK = r"(?:\\n|[ \t\"'`+\\,]{0,6}\r?\n)[ \t>|#*\"'`+-]{0,40}(?:\d{1,6}[\u2192\t:|]?[ \t]{0,4})?[\"'`]?"
_BODY = re.compile(
    rf"[A-Za-z0-9+/]{{16,}}+={{0,2}}(?:{_BREAK}[A-Za-z0-9+/]{{20,}}+={{0,2}}){{0,400}}(?:{_BREAK}[A-Za-z0-9+/]{{1,76}}={{1,2}})?"
)
_LINES = re.compile(
    rf"(?<![A-Za-z0-9+/=])(?P<first>[A-Za-z0-9+/]{{64}}(?:[A-Za-z0-9+/]{{6}})?)(?:{_BREAK}[A-Za-z0-9+/]{{64,70}}+){{2,400}}"
    rf"(?:{_BREAK}[A-Za-z0-9+/]{{4,70}}={{0,2}}(?![A-Za-z0-9+/]))?(?![A-Za-z0-9+/])"
)
# A block that has no beginning of a key.
_LONG_LINE, _FEWEST_LINES = 64, 3
_PUBLIC_HEAD = re.compile(r"BEGIN [A-Z0-9 ]{0,30}(?:CERTIFICATE|PUBLIC KEY|SIGNATURE|MESSAGE|REQUEST|PARAMETERS|CRL)")
_PUBLIC_START = re.compile(r"MII[A-Za-z0-9+/]{3}[CDE][A-Za-z0-9+/]|MIIBIjAN|MIICIjAN|MFkwEwYH|mQ[EIG]|AAAAB3")


def find_key_bodies(scan: ScannedText, kind: str) -> Iterator[Region]:
    """The bodies of private keys, with or without their first line."""
    text = scan.text
    if any(_BY_LOWERED[lowered] in text for lowered in scan.held & _BY_LOWERED.keys()):
        for start in _STARTS.finditer(text):
            body = _BODY.match(text, start.start())
            if body and len(body[0]) >= 48:
                yield Region(body.start(), body.end(), kind)
    if sum(end - start >= _LONG_LINE for start, end in scan.tokens) >= _FEWEST_LINES and "\n" in text:
        yield from _by_lines(text, kind)


def _by_lines(text: str, kind: str) -> Iterator[Region]:
    for block in _LINES.finditer(text):
        first = block["first"]
        before = text[max(0, block.start() - 400) : block.start()]
        if _PUBLIC_START.match(first) or _PUBLIC_HEAD.search(before) or not is_random(first, changes=0.4):
            continue
        yield Region(block.start(), block.end(), kind)
