"""Whose words an output is: those of the program that ran, or those of a file or a page that it shows."""

from __future__ import annotations

import re
from typing import Final

from memory_assets.court.detectors.command_lines import parts_of, piped, without_quotes

_WRITES = re.compile(r"(?<![<0-9&>])>{1,2}\s?(?!&)\S")
_BEFORE = re.compile(
    r"\s{0,8}(?:(?:[A-Za-z_]\w{0,60}=\S{0,200}|sudo|time|env|nohup|exec|command|nice|timeout(?: -\S{1,20})* \S{1,10}"
    r"|xargs(?: -\S{1,20}| \d{1,4})*)"
    r"\s{1,4}){0,6}"
)
"""What stands before a program: variables, and programs that run another one."""
_READING_PROGRAMS = """
cat bat batcat zcat head tail less more nl tac strings sed awk gawk cut sort uniq column grep egrep fgrep zgrep rg ag ack jq yq
xmllint diff curl wget http https xh lynx w3m journalctl history pbpaste
"""
_READERS: Final = frozenset(_READING_PROGRAMS.split())
_PASSES_ON: Final = _READERS | frozenset(("tee", "wc", "tr", "fold", "fmt", "paste", "rev", "od", "xxd", "base64", "iconv"))
"""What prints, behind a pipe, what it is given, or counts it."""
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
    (``pytest | tail``) only cuts what the program before it says, and a program behind one (``cat x | python y``)
    speaks of itself.
    """
    told = [reads for part in map(without_quotes, parts_of(command)) if (reads := _reads(part)) is not None]
    return bool(told) and all(told)


def fed(command: str) -> list[str]:
    """What of a command line is given what a reader shows, and prints its own words: ``python y`` of ``cat x | python y``."""
    told = map(without_quotes, parts_of(command))
    given = [one for part in told if _reads(part) is False for one in piped(part)[1:]]
    return [_without_lead(one) for one in given if not _passes_on(one)]


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
    reads: bool | None = None
    for one in piped(part):
        program, _ = _program(one)
        if not program or program in _SILENT or _WRITES.search(one):
            return None
        if program in _SAYS:
            continue
        if not (_passes_on(one) if reads else _shows(one)):
            return False
        reads = True
    return reads


def _shows(line: str) -> bool:
    program, told = _program(line)
    return program in _READERS or not set(_SHOWS.get(program, ())).isdisjoint(told)


def _passes_on(line: str) -> bool:
    return _program(line)[0] in _PASSES_ON or _shows(line)


def _program(line: str) -> tuple[str, list[str]]:
    """What runs, and the first words that it is told."""
    words = _without_lead(line).split()
    program = words[0].strip("(){}").rsplit("/", 1)[-1] if words else ""
    return program, [word for word in words[1:] if not word.startswith("-")][:_LOOKED_AT]


def _without_lead(line: str) -> str:
    lead = _BEFORE.match(line)
    return line[lead.end() if lead else 0 :]
