"""The words of the pages, English and Korean: each stands in ``languages/*.toml``, once."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Final, Literal, get_args

Language = Literal["en", "ko"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)


class Own(str):
    """Text of the program's own: it is escaped as all text is, and not masked."""

    __slots__ = ()


@lru_cache(maxsize=1)
def words() -> dict[str, dict[Language, str]]:
    """Every word by its name, ``section.word``, in each language."""
    found: dict[str, dict[Language, str]] = {}
    folder = files("memory_assets.viewer").joinpath("languages")
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        for section, told in tomllib.loads(file.read_text(encoding="utf-8")).items():
            found |= {f"{section}.{name}": {language: ways[language] for language in LANGUAGES} for name, ways in told.items()}
    return found


def say(language: Language, name: str, **values: object) -> Own:
    """A word of the pages; what it leaves open in braces is filled in."""
    return Own(words()[name][language].format_map(values))


def say_kind(language: Language, section: str, name: str | None) -> Own:
    """A word of a closed list (a type, a stage), or as it is where the list is longer than ours."""
    known = words().get(f"{section}.{name}")
    return Own(known[language] if known else (name or "–").replace("_", " "))


def wanted_language(asked: str | None, kept: str | None, accepted: str) -> Language:
    """The language of a page: as its address asks, as was asked before, or the first that the browser likes and we speak."""
    for given in (asked, kept):
        if given in LANGUAGES:
            return given
    likes = sorted((-_liking(part), place, part) for place, part in enumerate(accepted.split(",")[:20]))
    for _, _, part in likes:
        tag = part.partition(";")[0].strip().lower().partition("-")[0]
        if tag in LANGUAGES:
            return tag
    return "en"


def _liking(part: str) -> float:
    try:
        return float(part.partition("q=")[2] or 1)
    except ValueError:
        return 0.0
