"""Whose words an output is: those of the program that ran, or those of a file or a page that it shows."""

from __future__ import annotations

import re
from typing import Final

_PARTS = re.compile(r"&&|\|\||[;\n]")
_HERE = re.compile(
    r"<<-?\s{0,2}(?P<quote>['\"]?)(?P<mark>\w{1,40})(?P=quote)[^\n]*\n.*?(?:^\s{0,20}(?P=mark)\b|\Z)", re.DOTALL | re.MULTILINE
)
"""A document inside a command: its lines run nothing."""
_WRITES = re.compile(r"(?<![<0-9&>])>{1,2}\s?(?!&)\S")
_BEFORE = re.compile(
    r"\s{0,8}(?:(?:[A-Za-z_]\w{0,60}=\S{0,200}|sudo|time|env|nohup|exec|command|nice|timeout(?: -\S{1,20})* \S{1,10})"
    r"\s{1,4}){0,6}"
)
"""What stands before a program: variables, and programs that run another one."""
_READING_PROGRAMS = """
cat bat batcat zcat head tail less more nl tac strings sed awk gawk cut sort uniq column grep egrep fgrep zgrep rg ag ack jq yq
xmllint diff curl wget http https xh lynx w3m echo printf journalctl history pbpaste
"""
_READERS: Final = frozenset(_READING_PROGRAMS.split())
_SHOWS: Final = {
    "git": ("show", "diff", "log", "grep", "cat-file", "blame"),
    "docker": ("logs",),
    "podman": ("logs",),
    "kubectl": ("logs", "describe"),
    "oc": ("logs",),
    "heroku": ("logs",),
    "gh": ("view", "diff", "list", "api", "checks", "status", "search"),
    "glab": ("view", "diff", "list", "api"),
    "aws": ("logs",),
    "systemctl": ("status",),
}
"""What a program is told where it shows something; its first words are looked at."""
_LOOKED_AT: Final = 4
_HEADED = re.compile(
    r"\A(?:Chunk ID: [^\n]{1,40}\n)?(?:Wall time: [^\n]{1,40}\n)?(?:Process exited with code|Exit code:) (?P<code>\d{1,3})\n"
    r"(?:[^\n]{1,80}\n){0,3}Output:"
)
_FRAMED = re.compile(r"\A(?:Command|Output): ")
_FRAMED_CODE = re.compile(r"^Exit Code: (?P<code>\d{1,3})$", re.MULTILINE)


def shows_others(command: str) -> bool:
    """Whether a command shows a file, a page or a log: an error in its output is then told by somebody else.

    A reader behind a pipe (``pytest | tail``) only cuts what the program before it says.
    """
    return any(map(_reads, _PARTS.split(_HERE.sub(" <<x ", command))))


def framed_code(output: str) -> int | None:
    """The exit code in the frame that some harnesses put around an output, above or below it; None without a frame."""
    if headed := _HEADED.match(output):
        return int(headed["code"])
    if not _FRAMED.match(output):
        return None
    codes = list(_FRAMED_CODE.finditer(output))
    return int(codes[-1]["code"]) if codes else None


def _reads(part: str) -> bool:
    lead = _BEFORE.match(part)
    first = part[lead.end() if lead else 0 :].split("|", 1)[0]
    words = first.split()
    if not words or _WRITES.search(first):
        return False
    program = words[0].strip("()'\"{}").rsplit("/", 1)[-1]
    told = [word for word in words[1:] if not word.startswith("-")][:_LOOKED_AT]
    return program in _READERS or not set(_SHOWS.get(program, ())).isdisjoint(told)
