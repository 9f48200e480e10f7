"""Keys that a line break cuts: wrapped by a terminal, continued with a backslash, added up in code.

Known by the prefix of a vendor before the break and by what stands behind it: the rest of a key is as random as its
beginning, and alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_assets.sessions.masking.regions import Region
from memory_assets.sessions.masking.scanned_text import ScannedText

KIND = "SECRET:wrapped"
_RANK = 950

PREFIXES = (
    "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "sk-", "sk_", "rk_", "pk_live", "AKIA", "ASIA",
    "AIza", "ya29.", "GOCSPX-", "hf_", "xox", "xapp-", "eyJ", "npm_", "pypi-", "SG.", "gsk_", "r8_", "pplx-",
    "nvapi-", "tvly-", "dop_v1_", "shpat_", "lin_api_", "figd_", "dckr_pat_", "ntn_", "hvs.", "glsa_", "sbp_",
    "ATATT", "dapi", "lsv2_", "whsec_", "key-", "PMAK-", "NRAK-", "tskey-", "pcsk_", "LTAI", "AKID", "EAA", "ops_",
    "nfp_", "xkeysib-", "rubygems_", "pscale_", "sq0", "live_sk_", "test_sk_",
)  # fmt: skip
_BY_LOWERED = {prefix.lower(): prefix for prefix in PREFIXES}
_BREAK = r"(?:[\"'`]\s{0,2}[+.\\]?[ \t]{0,2}|[ \t]{0,2}\\)?\r?\n[ \t>|#*+]{0,40}(?:\d{1,6}[\u2192\t])?[\"'`]?"
_KEY = re.compile(
    rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, PREFIXES))})(?P<head>[A-Za-z0-9_.+/=-]{{2,600}}+)"
    rf"(?P<rest>(?:{_BREAK}[A-Za-z0-9_.+/=-]{{4,600}}+(?![A-Za-z0-9가-힣(:\[])){{1,6}})"
)
_PIECE = re.compile(r"[A-Za-z0-9_.+/=-]{4,}")
_NUMBER_BEFORE = re.compile(r"\d{1,6}[\u2192\t]")
_CLASSES = (re.compile(r"[a-z]"), re.compile(r"[A-Z]"), re.compile(r"[0-9]"))
_WORDS = re.compile(r"[A-Z]?[a-z]+(?:[-_.][A-Za-z]?[a-z]+)*[.]?")


def find_wrapped_keys(scan: ScannedText) -> Iterator[Region]:
    """Keys of a known prefix that go on in the next line."""
    text = scan.text
    if "\n" not in text or not any(_BY_LOWERED[lowered] in text for lowered in scan.held & _BY_LOWERED.keys()):
        return
    for match in _KEY.finditer(text):
        end = match.start("rest")
        for piece in _PIECE.finditer(text, *match.span("rest")):
            if _NUMBER_BEFORE.match(text, piece.start(), piece.end() + 1) is None and not _goes_on(piece[0]):
                break
            end = piece.end()
        if end > match.start("rest") and any(char.isdigit() or char.isupper() for char in match["head"]):
            yield Region(match.start(), end, KIND, _RANK)


def _goes_on(piece: str) -> bool:
    """Letters of two cases or digits among them, and neither a word nor a number."""
    if _WORDS.fullmatch(piece) or piece.isdigit():
        return False
    return sum(1 for kind in _CLASSES if kind.search(piece)) >= 2
