"""The cues of ``cues.toml``: what persons, agents and programs say that a detector listens for, each list as one pattern."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from memory_assets.identifiers import sha256_hex

_VERBS = "DOES"
"""Stands in a pattern for the verbs of ``order.english_does``."""


@cache
def cue(section: str, name: str) -> re.Pattern[str]:
    """The pattern of a list of cues."""
    table = _table()
    told = "|".join(table[section][name]).replace(_VERBS, "|".join(table["order"]["english_does"]))
    return re.compile(told, re.IGNORECASE | re.MULTILINE)


@cache
def names_of(section: str) -> tuple[str, ...]:
    """The names of a section's lists, in the order of the file."""
    return tuple(_table()[section])


@cache
def cues_version() -> str:
    """Changes with the cues."""
    return sha256_hex(_text())[:12]


@cache
def _table() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(_text())


def _text() -> str:
    return files("memory_assets.court.detectors").joinpath("cues.toml").read_text(encoding="utf-8")
