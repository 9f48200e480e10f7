"""Whose words an output is: those of the program that ran, or those of a file or a page that it shows."""

from __future__ import annotations

import re
from typing import Final

_PARTS = re.compile(r"&&|\|\||[;\n]")
_HERE = re.compile(
    r"<<-?\s{0,2}(?P<quote>['\"]?)(?P<mark>\w{1,40})(?P=quote)[^\n]*\n.*?(?:^\s{0,20}(?P=mark)\b|\Z)", re.DOTALL | re.MULTILINE
)
"""A document inside a command: its lines run nothing."""
_COMMENT = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
_QUOTED = re.compile(r"\\.|'[^']*(?:'|\Z)|\"(?:[^\"\\]|\\.?)*(?:\"|\Z)", re.DOTALL)
"""What stands in quotes runs nothing, and ends no part."""
_WRITES = re.compile(r"(?<![<0-9&>])>{1,2}\s?(?!&)\S")
_BEFORE = re.compile(
    r"\s{0,8}(?:(?:[A-Za-z_]\w{0,60}=\S{0,200}|sudo|time|env|nohup|exec|command|nice|timeout(?: -\S{1,20})* \S{1,10})"
    r"\s{1,4}){0,6}"
)
"""What stands before a program: variables, and programs that run another one."""
_READING_PROGRAMS = """
cat bat batcat zcat head tail less more nl tac strings sed awk gawk cut sort uniq column grep egrep fgrep zgrep rg ag ack jq yq
xmllint diff curl wget http https xh lynx w3m journalctl history pbpaste
"""
_READERS: Final = frozenset(_READING_PROGRAMS.split())
_SAYS: Final = frozenset(("echo", "printf"))
"""What prints words of the command line itself."""
_SILENT: Final = frozenset(["cd", "pushd", "popd", "export", "unset", "set", "true", "false", ":", "sleep", "wait", "exit"])
"""What prints nothing of its own, and is set aside."""
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

    Every part that runs something has to: an output does not tell which of them printed it. A reader behind a pipe
    (``pytest | tail``) only cuts what the program before it says.
    """
    line = _QUOTED.sub("q", _COMMENT.sub("", _HERE.sub(" <<x ", command).replace("\\\n", " ")))
    told = [reads for part in _PARTS.split(line) if (reads := _reads(part)) is not None]
    return bool(told) and all(told)


def framed_code(output: str) -> int | None:
    """The exit code in the frame that some harnesses put around an output, above or below it; None without a frame."""
    if headed := _HEADED.match(output):
        return int(headed["code"])
    if not _FRAMED.match(output):
        return None
    codes = list(_FRAMED_CODE.finditer(output))
    return int(codes[-1]["code"]) if codes else None


def _reads(part: str) -> bool | None:
    """Whether a part of a command line shows words of others; None where it runs nothing that prints."""
    for piped in part.split("|"):
        lead = _BEFORE.match(piped)
        words = piped[lead.end() if lead else 0 :].split()
        program = words[0].strip("(){}").rsplit("/", 1)[-1] if words else ""
        if not program or program in _SILENT or _WRITES.search(piped):
            return None
        if program not in _SAYS:
            told = [word for word in words[1:] if not word.startswith("-")][:_LOOKED_AT]
            return program in _READERS or not set(_SHOWS.get(program, ())).isdisjoint(told)
    return None
