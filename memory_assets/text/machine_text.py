"""Tells lines that a program wrote (logs, diffs, traces, prompts) from lines that somebody said."""

from __future__ import annotations

import re

from memory_assets.text.chat_commands import only_tells_program

_HEAD = 240
"""Characters of a line that are looked at: enough to tell, whatever the line's length."""
_LONG_TOKEN = re.compile(r"\S{140,}")
_MARKS = re.compile(
    r"""^\s{0,40}(?:
        [{\[]\s{0,4}["{\[] | "[\w$.-]{1,60}"\s?:\s | [}\])]{1,6}[,;]{0,2}$          # JSON
      | \[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d | \[?\d\d:\d\d:\d\d\b                 # a log's times
      | (?:diff\ --git|index\ [0-9a-f]{6,}\.\.|@@\ -|\+\+\+\ [ab]/|---\ [ab]/)      # a diff's own lines
      | (?:Traceback\ \(|File\ "[^"\n]{1,200}",\ line\ \d|at\ \S{1,120}\s?\(\S{1,200}:\d)
      | [\^~]{2,}
      | (?:[\w.-]{1,40}@[\w.-]{1,60}[^\n$\#%❯]{0,80})?[$❯]\ \S                        # a prompt
      | (?:[|*\\/]\ {0,3}){1,6}(?:commit\ [0-9a-f]{7,40}|Author:|Date:|Merge:|$)     # git's graph
      | (?:commit\ [0-9a-f]{20,40}|Author:\ [^\n]{1,80}<|Date:\ {2,}\S|Co-Authored-By:|Signed-off-by:)
      | (?:modified|new\ file|deleted|renamed|both\ modified):\s{2,}
      | (?:ok|FAIL|PASS|\?)\s{1,8}[\w./-]{1,200}\s{1,4}[(\[\d] | (?:FAIL|PASS)$ | (?:---|===)\ (?:FAIL|PASS|RUN)
      | \S{1,160}:\d{1,6}:\d{1,5}:\s
      | (?:npm\ (?:err!?|error|warn)|error\[|fatal:|warning:|go:\ |Exit\ code\ \d|Chunk\ ID:|Wall\ time:)
      | </?[a-z_-]{2,40}(?:\ [^<>\n]{0,160})?>$
      | >?\s{0,12}-\s\[\ (?-i:[A-Z]{2,12})\ \]\s                                    # the rows of a screen: a badge,
      | (?:>\s{0,8}v\s[\w*] | (?<=\s)v\s(?:\*|o\s|[\w.-]{1,60}/))                    # what opens and shuts,
      | [^\n]{0,200}\s\[\+\d{1,7}\s-\d{1,7}(?:\s\(\d{1,6}\sfiles?\))?\]$               # how much changed
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_PAIRS = re.compile(r"\b[\w.]{2,40}=[^\s=]{1,80}")
_SAID = re.compile(r"(?:[^\W\d_]|\s)+")
_DIFF_BEGINS = re.compile(r"^(?:diff --git |@@ -\d)")
_DIFF_GOES_ON = re.compile(r"^(?:[ +@\\-]|diff --git |index |$)")


class MachineText:
    """Reads a message line by line and says which lines a program wrote; a diff goes on until another text begins."""

    def __init__(self) -> None:
        self._in_diff = False

    def wrote(self, line: str) -> bool:
        head = line[:_HEAD]
        if self._in_diff and _DIFF_GOES_ON.match(head):
            return True
        self._in_diff = _DIFF_BEGINS.match(head) is not None
        if self._in_diff or _MARKS.match(head) or only_tells_program(head):
            return True
        if len(head) < 40:
            return False
        return (
            _LONG_TOKEN.search(head) is not None
            or len(_PAIRS.findall(head)) >= 3
            or len(head) - len(_SAID.sub("", head)) < 0.45 * len(head)
        )
