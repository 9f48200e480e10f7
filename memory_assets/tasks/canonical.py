"""One spelling of a title, to recognise it again, and the keys and ids that are made of it."""

from __future__ import annotations

import re
import unicodedata

from memory_assets.identifiers import sha256_hex, typed_id

MAX_KEY_LENGTH = 200

_KEPT_LENGTH = 190
# They show nothing: of two titles that look the same one would be another task.
_HIDDEN = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_LANGUAGES = re.compile(r"(?<!\w)(?:([a-z])\+\+|([cfj])#(?![0-9a-z_]))")
_NOT_WORD = re.compile(r"(?:(?!(?<=[0-9])\.[0-9])[\W_])+")


def normalize(text: str) -> str:
    """NFKC, casefolded, letters and digits of every script kept, everything between them one space. Idempotent.

    ``C++`` is ``cpp`` and ``C#`` is ``csharp``, for without their signs both would be C, and the dot of ``1.2`` stays, which
    is neither 12 nor 1 and 2. A text that is longer than :data:`MAX_KEY_LENGTH` keeps its beginning and 8 hex digits of the
    whole, so that two long texts that begin alike are two. Empty for a text without a letter or digit.
    """
    name = _NOT_WORD.sub(_between, _LANGUAGES.sub(_language, _folded(text))).strip()
    if len(name) <= MAX_KEY_LENGTH:
        return name
    return f"{name[:_KEPT_LENGTH].rstrip(' .')} {sha256_hex(name)[:8]}"


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    # Twice, as the standard has it for caseless comparison: what one step opens up, the next one folds.
    folded = unicodedata.normalize("NFD", _HIDDEN.sub("", text))
    for _ in range(2):
        folded = unicodedata.normalize("NFKC", folded.casefold())
    return folded


def _language(sign: re.Match[str]) -> str:
    return f"{sign[1]}pp" if sign[1] else f"{sign[2]}sharp"


def _between(run: re.Match[str]) -> str:
    """A space, behind the signs that the letter before carries: the vowels of Hindi and Thai are no punctuation."""
    signs = run[0]
    if signs.isascii() or not run.string[max(run.start() - 1, 0) : run.start()].isalpha():
        return " "
    carried = 0
    while carried < len(signs) and unicodedata.category(signs[carried]) in ("Mn", "Mc"):
        carried += 1
    return signs[:carried] + (" " if carried < len(signs) else "")


def project_key(project: str | None) -> str:
    """The scope in which a task is recognised: the project, or ``default``."""
    return project or "default"


def task_key(project_key: str, name: str, occurrence: int = 1) -> str:
    """``task:{project}:{name}``; of one that recurs under the same title ``#2`` and so on."""
    return f"task:{project_key}:{name}" + (f"#{occurrence}" if occurrence > 1 else "")


def condition_key(project_key: str, name: str) -> str:
    """``cond:{project}:{name}``."""
    return f"cond:{project_key}:{name}"


def task_id(key: str) -> str:
    """The id of the task with this key."""
    return typed_id("tsk", key)


def condition_id(key: str) -> str:
    """The id of the condition with this key."""
    return typed_id("cnd", key)


def artifact_id(key: str) -> str:
    """The id of the artifact with this key."""
    return typed_id("art", key)


def name_hash(name: str) -> str:
    """What a name is called where its words must not stand."""
    return sha256_hex(name)[:32]
