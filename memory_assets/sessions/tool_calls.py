"""What a call of a tool runs and changes, read from its text as it is stored: masking may have cut it, so not as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_READ: Final = 3_000
_MOST_FILES: Final = 20

# The commands of a JSON argument, one string or the last of a list (`["bash", "-lc", "…"]`).
_COMMAND = re.compile(
    r'"(?:command|cmd|script)"\s{0,3}:\s{0,3}(?:\[(?:"[^"\\]{0,40}",\s{0,3}){0,4})?"(?P<command>(?:[^"\\]|\\.){1,2000})'
)
_INLINE = re.compile(r"(?<!`)`(?P<command>[^`\n]{2,2000})`(?!`)")
_RUNS = re.compile(r"bash|shell|exec|terminal|command|\bsh\b|powershell", re.IGNORECASE)
_EDITS = re.compile(r"edit|write(?!_stdin)|patch|str_replace|create_file|insert", re.IGNORECASE)
_NO_FILE = re.compile(r"todo", re.IGNORECASE)
_PATH = re.compile(
    r'"(?:file_path|filePath|notebook_path|path|filename|target_file)"\s{0,3}:\s{0,3}"(?P<path>[^"\x00-\x1f]{1,400})"'
)
_PATCHED = re.compile(r"\*\*\* (?:Update|Add|Delete) File: (?P<path>[^\n\\\"]{1,300})")
# What a tool answers stands for the call where a record keeps no input.
_ANSWERED = re.compile(
    r"^(?:The file (?P<updated>[^\n`\"]{1,400}?) has been (?:updated|created)\b"
    r"|.{0,400}\bFile created successfully at: (?P<created>[^\n`\"]{1,400}))",
    re.MULTILINE,
)
_SAID_PATH = re.compile(r"`(?P<path>[^`\n]{0,300}[\w-]\.[A-Za-z][A-Za-z0-9]{0,9})`")

# What `git commit` says of a commit that it made: the line of its name, and how much it changed.
_COMMIT = re.compile(
    r"^\[(?:detached HEAD|[^\]\s]{1,200})(?: \(root-commit\))? (?P<commit>[0-9a-f]{7,40})\] (?P<subject>[^\n]{1,400})"
    r"(?:\n[^\n]{0,200}){0,3}?\n \d{1,9} files? changed",
    re.MULTILINE,
)

_SEPARATORS = re.compile(r"&&|\|\||;|\n")
_BEFORE_A_PROGRAM = re.compile(r"(?:[A-Za-z_]\w{0,60}=\S{0,200}\s{1,4}|(?:sudo|time|env|nohup|exec|command)\s{1,4}){0,6}")
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9:_-]{0,40}\Z")
_RUNNERS: Final = {
    *("npm", "pnpm", "yarn", "bun", "npx", "uv", "poetry", "mise", "make", "just", "cargo", "go", "docker", "rye"),
    *("tox", "nox", "pdm"),
}
_INTERPRETERS: Final = {"python", "python3", "node", "bash", "sh", "zsh", "ruby", "deno", "tsx", "ts-node", "perl", "php"}
# Looking at something ends no error.
_LOOKING: Final = {
    *("cd", "ls", "cat", "head", "tail", "grep", "rg", "find", "sed", "awk", "wc", "echo", "printf", "pwd", "which"),
    *("export", "source", "sleep", "test", "true", "false", "stat", "du", "tree", "jq", "set", "unset", "mkdir"),
    *("touch", "date", "less", "file", "type", "diff", "sort", "uniq", "xargs", "history"),
}
_LOOKING_GIT: Final = {"status", "diff", "log", "show", "branch", "remote", "rev-parse", "ls-files", "blame", "stash"}
_MOST_WORDS: Final = 24


def command_of(tool: str | None, text: str) -> str | None:
    """The command that a call runs, without escapes; None for a call that runs none."""
    span = command_span(tool, text)
    if span is None:
        return None
    command = text[span[0] : span[1]]
    if _COMMAND.search(text[:_READ]):
        command = command.replace("\\n", "\n").replace('\\"', '"').replace("\\t", " ").replace("\\\\", "\\")
    return command.strip() or None


def command_span(tool: str | None, text: str) -> tuple[int, int] | None:
    """Where the command of a call stands in its text, with its escapes; None for a call that runs none."""
    read = text[:_READ]
    if found := _COMMAND.search(read):
        return found.span("command")
    if tool is not None and _RUNS.search(tool):
        inline = list(_INLINE.finditer(read))
        return inline[-1].span("command") if inline else None
    return None


def programs_of(command: str) -> frozenset[str]:
    """What a command runs, each by its program and what it is told to do (``go test``, ``npm run build``), without its
    arguments; nothing for what only looks at something."""
    return frozenset(filter(None, map(_program, _SEPARATORS.split(command)[:_MOST_WORDS])))


def files_changed(tool: str | None, text: str) -> tuple[str, ...]:
    """The files that a call writes, as they are written there; none for a tool that only reads."""
    if tool is None or not _EDITS.search(tool) or _NO_FILE.search(tool):
        return ()
    read = text[: 4 * _READ]
    found = [match["path"].strip() for pattern in (_PATH, _PATCHED) for match in pattern.finditer(read)]
    if not found:
        found = [(match["updated"] or match["created"]).strip() for match in _ANSWERED.finditer(read)]
    if not found:
        found = [match["path"] for match in _SAID_PATH.finditer(text[:400])]
    return tuple(dict.fromkeys(path for path in found if path))[:_MOST_FILES]


def _program(part: str) -> str | None:
    part = part.strip()
    lead = _BEFORE_A_PROGRAM.match(part)
    words = part[lead.end() if lead else 0 :].split("|", 1)[0].split()[:_MOST_WORDS]
    if not words:
        return None
    program = words[0].strip("()'\"{}").rsplit("/", 1)[-1]
    # Whatever program it is, `-C` is followed by a folder.
    rest = [word for place, word in enumerate(words[1:], start=1) if not word.startswith("-") and words[place - 1] != "-C"]
    if not program or program in _LOOKING or not program[0].isalnum():
        return None
    if program == "git" and (not rest or rest[0] in _LOOKING_GIT):
        return None
    if program in _INTERPRETERS:
        return " ".join([program, *(word.rsplit("/", 1)[-1] for word in rest[:1])])
    depth = 2 if program in _RUNNERS and rest[:1] and rest[0] in ("run", "exec", "tool", "compose") else 1
    told = []
    for word in rest[:depth]:
        if not _SUBCOMMAND.match(word):
            break
        told.append(word)
    return " ".join([program, *told])


def commits_made(printed: str) -> Iterator[re.Match[str]]:
    """The commits that ``git commit`` says it made, in what a tool printed: of each the groups ``commit`` and ``subject``."""
    return _COMMIT.finditer(printed)
