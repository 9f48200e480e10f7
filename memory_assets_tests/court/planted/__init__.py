"""Sessions that were written by hand, each with what a court must find in it, and become files as Claude Code writes them.

A script is short: a line that begins with a letter begins a record, and lines that begin with two blanks go on with it.

    U text      a person's words         A text   the agent's words       T text   its thoughts
    M text      what a program wrote in the person's name (``isMeta``)
    C a Bash: ls -la                     a call with the label ``a``; calls in a row stand in one message
    R a text    the result of ``a``      E a text its failure             N a why  the person turned it down (and said why)

``U#name`` gives a text a label. A ``~`` before the letter puts the record on a side chain. Expectations call a call ``a`` and
its result ``a-out``.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast
from uuid import NAMESPACE_URL, uuid5

from memory_assets.identifiers import sha256_hex
from memory_assets.sessions.model import Message

FOLDER = Path(__file__).resolve().parent
Kind = Literal[
    "changed_input",
    "repeated_failure",
    "user_correction",
    "refused_call",
    "reverted",
    "standing_order",
    "praised",
    "missing_result",
    "unanswered_question",
]
Split = Literal["fit", "dev", "held", "fresh", "unseen", "blind_2", "blind_3", "blind_4"]
_POLARITY = {"changed_input": "do", "standing_order": "do", "praised": "do", "missing_result": "", "unanswered_question": ""}
_RECORD = re.compile(r"(~?)([UATMCREN])(?:#(\w+))?(?: |$)(.*)", re.DOTALL)
# The names of a tool's fields, where a script gives a call as values with ``>>>`` between them.
_FIELDS = {
    "Bash": ("command",),
    "Read": ("file_path",),
    "Grep": ("pattern", "path"),
    "Glob": ("pattern",),
    "Edit": ("file_path", "old_string", "new_string"),
    "Write": ("file_path", "content"),
    "WebFetch": ("url", "prompt"),
    "Task": ("description", "prompt"),
}
_REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). "
)
_STOP = "STOP what you are doing and wait for the user to tell you how to proceed."
_WHY = "To tell you how to proceed, the user said:\n"


@dataclass(frozen=True)
class Expectation:
    """What a court must find (``required``), or may find without being wrong.

    Attributes:
        quotes: by label, what the decisive messages say; a finding has to cite one of them.
        role: who the lesson is for.
        polarity: ``do``, ``dont``, or nothing where there is only something to be told.
    """

    kind: Kind
    quotes: dict[str, str]
    role: str
    polarity: str
    required: bool


@dataclass(frozen=True)
class PlantedSession:
    """A script with its expectations; ``decoys`` names what looks like a finding in it and is none."""

    name: str
    language: str
    split: Split
    file: str
    script: str
    decoys: tuple[str, ...]
    expectations: tuple[Expectation, ...]

    def jsonl(self) -> str:
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in _records(self))

    def tool_use_id(self, label: str) -> str:
        return "toolu_" + sha256_hex(f"{self.name}/{label}".encode())[:24]

    def indexes(self, label: str, messages: Sequence[Message]) -> list[int]:
        """Where the message of a label stands among those that a reader made of the file."""
        call, _, result = label.partition("-")
        kind = "tool_result" if result else "tool_call"
        records = {_record_of(m) for m in messages if m.tool_use_id == self.tool_use_id(call) and m.kind == kind}
        records = records or {_uuid(self.name, label)}
        return [index for index, message in enumerate(messages) if _record_of(message) in records]


@cache
def planted_sessions() -> tuple[PlantedSession, ...]:
    return tuple(session for path in sorted(FOLDER.glob("*.toml")) for session in _of_file(path))


def _of_file(path: Path) -> list[PlantedSession]:
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return [
        PlantedSession(
            name=one["name"],
            language=one["language"],
            split=content["split"],
            file=path.name,
            script=one["script"],
            decoys=tuple(one.get("decoys", ())),
            expectations=tuple(_expectation(said, key == "must") for key in ("must", "may") for said in one.get(key, ())),
        )
        for one in content["session"]
    ]


def _expectation(said: dict[str, Any], required: bool) -> Expectation:
    kind = said["kind"]
    polarity = said.get("polarity", _POLARITY.get(kind, "dont"))
    return Expectation(cast(Kind, kind), said["quotes"], said.get("role", "coder"), polarity, required)


def _record_of(message: Message) -> str:
    return message.uid.partition("#")[0]


def _uuid(session: str, label: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"{session}/{label}"))


def _records(session: PlantedSession) -> list[dict[str, Any]]:
    """The lines of the file: each record points at the one before, and calls in a row share their message's id."""
    began = datetime(2026, 3, 2, 9, tzinfo=UTC) + timedelta(minutes=int(sha256_hex(session.name.encode())[:4], 16))
    records: list[dict[str, Any]] = []
    parent: str | None = None
    answer = 0
    for number, piece in enumerate(_pieces(session.script)):
        found = _RECORD.fullmatch(piece)
        if found is None:
            raise ValueError(f"{session.file}, {session.name}: no record begins like {piece[:40]!r}")
        side, letter, label, text = found.groups()
        if letter in "UMREN":
            answer = number
        uuid = _uuid(session.name, label or f"{number}")
        records.append(
            {
                "parentUuid": parent,
                "isSidechain": bool(side),
                "userType": "external",
                "cwd": f"/home/dev/{session.name}",
                "sessionId": _uuid(session.name, "session"),
                "version": "2.1.15",
                "gitBranch": "main",
                "uuid": uuid,
                "timestamp": (began + timedelta(seconds=17 * number)).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
                **({"isMeta": True} if letter == "M" else {}),
                **_body(session, letter, text, f"msg_{uuid5(NAMESPACE_URL, f'{session.name}{answer}').hex[:24]}"),
            }
        )
        parent = uuid
    return records


def _pieces(script: str) -> list[str]:
    pieces: list[str] = []
    for line in script.strip("\n").split("\n"):
        if line.startswith("  ") or not line:
            pieces[-1] += "\n" + line[2:]
        else:
            pieces.append(line)
    return pieces


def _body(session: PlantedSession, letter: str, text: str, message_id: str) -> dict[str, Any]:
    """What only this kind of record has: its type and its message."""
    if letter in "UM":
        return {"type": "user", "message": {"role": "user", "content": text}}
    if letter in "ATC":
        block = _call(session, text) if letter == "C" else {"type": "text", "text": text}
        block = {"type": "thinking", "thinking": text, "signature": ""} if letter == "T" else block
        content = {"model": "claude-opus-4-5", "id": message_id, "type": "message", "role": "assistant", "content": [block]}
        return {"type": "assistant", "message": content}
    label, _, said = text.partition(" ")
    if letter == "N":
        said = _REFUSED + (_WHY + said if said else _STOP)
    block = {"type": "tool_result", "tool_use_id": session.tool_use_id(label), "content": said}
    if letter != "R":
        block["is_error"] = True
    return {
        "type": "user",
        "message": {"role": "user", "content": [block]},
        "toolUseResult": f"Error: {said}" if letter != "R" else said,
    }


def _call(session: PlantedSession, text: str) -> dict[str, Any]:
    label, name, given = re.split(r" |: ", text, maxsplit=2)
    if given.startswith("{"):
        value = json.loads(given)
    else:
        value = dict(zip(_FIELDS[name], (part.strip() for part in given.split(">>>")), strict=False))
    return {"type": "tool_use", "id": session.tool_use_id(label), "name": name, "input": value}
