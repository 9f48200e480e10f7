"""What careful readers would keep of real sessions, and how an extractor's entries are held against it.

Three kinds of annotation are read: ``benchmarks/annotations`` (offsets into messages, see its README), ``benchmarks/written``
(sessions that were made up, quotes as text) and a folder of the same shape as ``bench/extraction``'s gold (quotes as text). An
entry meets a memory when one of its first three quotes and one of the memory's share a run of 12 characters that is 30 % of the
longer one; entries and memories are matched one to one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from memory_assets.evidence.aligner import Aligner
from memory_assets.evidence.model import AlignedEvidence
from memory_assets.extraction.aligned_entries import AlignedEntry, align_entry
from memory_assets.extraction.cues import Rules
from memory_assets.extraction.dedupe import merge_entries
from memory_assets.extraction.rules import extract_window
from memory_assets.extraction.windows import windows
from memory_assets.sessions.model import Message, SourceTaken
from memory_assets.sessions.reading import read_source

ANNOTATIONS = Path(__file__).resolve().parent / "annotations"
WRITTEN = Path(__file__).resolve().parent / "written"
_NOBODYS_ID = "00000000-0000-4000-8000-{:012d}"
QUOTES = 3
"""Quotes of an entry that may meet a memory."""


@dataclass(frozen=True)
class Memory:
    """What a reader would keep: its type, its importance (3 must be kept), and the quotes that say it."""

    entry_type: str
    importance: int
    quotes: tuple[str, ...]

    @property
    def language(self) -> Literal["ko", "en"]:
        return language(self.quotes[0])


@dataclass(frozen=True)
class AnnotatedSession:
    """A session with its memories.

    Attributes:
        name: the annotation's own name.
        project: of the file's name: what is left out together when weights are fitted.
        talks: the messages of each session that the file holds.
        visible: folded text that the reader saw; None for all of ``talks``.
        raw: the annotation as it is written.
    """

    name: str
    project: str
    talks: tuple[tuple[Message, ...], ...]
    memories: tuple[Memory, ...]
    visible: str | None
    raw: dict[str, Any]

    def saw(self, text: str) -> bool:
        return self.visible is None or fold(text) in self.visible


def annotated_sessions(sessions: Path, gold: Path | None = None) -> list[AnnotatedSession]:
    """All annotations whose session files lie under ``sessions``.

    Raises:
        ValueError: a file or a message is not the one that was annotated.
    """
    found = [_by_offsets(path, sessions) for path in sorted(ANNOTATIONS.glob("*.json"))]
    for path in sorted(gold.glob("*.json")) if gold is not None else ():
        raw = json.loads(path.read_text(encoding="utf-8"))
        if raw["annotator"] in ("A", "B", "C"):
            found.append(_by_text(path.stem, raw, sessions))
    return found


def written_sessions(folder: Path = WRITTEN) -> list[AnnotatedSession]:
    """The sessions that were made up for this, each read as one of Claude Code.

    Raises:
        ValueError: a block says nobody whom the format knows, or a quote stands in no block.
    """
    return [_written(path) for path in sorted(folder.glob("*.txt"))]


def _written(path: Path) -> AnnotatedSession:
    raw = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    blocks = [block.strip("\n").partition("\n") for block in path.read_text(encoding="utf-8").split("\n%%%\n")]
    lines = [
        json.dumps(_record(number, who.strip(), text), ensure_ascii=False) for number, (who, _, text) in enumerate(blocks, 1)
    ]
    outcome = read_source(f"{path.stem}.jsonl", "\n".join(lines).encode())
    if not isinstance(outcome, SourceTaken):
        raise ValueError(f"{path.name} is no session")
    told = [(one["type"], one["importance"], [one["quote"], *one.get("also", ())]) for one in raw["entries"]]
    told += [("task", one["importance"], [one["request"], one["outcome"]]) for one in raw["tasks"]]
    memories = tuple(Memory(kind, importance, tuple(filter(None, quotes))) for kind, importance, quotes in told)
    said = [text for who, _, text in blocks if who.strip() in ("U", "A")]
    for quote in (quote for memory in memories for quote in memory.quotes):
        if not any(quote in text for text in said):
            raise ValueError(f"{path.name}: nobody says {quote[:60]!r}")
    return AnnotatedSession(path.stem, path.stem, tuple(one.messages for one in outcome.sessions), memories, None, raw)


def _record(number: int, who: str, text: str) -> dict[str, Any]:
    """A block as a line of a session's file."""
    about = {"sessionId": _NOBODYS_ID.format(0), "uuid": _NOBODYS_ID.format(number), "cwd": "/srv/shop", "version": "2.0.0"}
    about |= {"timestamp": f"2026-03-02T{10 + number // 60:02d}:{number % 60:02d}:00.000Z"}
    kind, _, tool = who.partition(" ")
    match kind:
        case "U":
            content: Any = text
        case "A":
            content = [{"type": "text", "text": text}]
        case "T":
            content = [{"type": "tool_use", "id": f"call{number}", "name": tool, "input": _input(text)}]
        case "R" | "X":
            content = [{"type": "tool_result", "tool_use_id": f"call{number - 1}", "content": text, "is_error": kind == "X"}]
        case _:
            raise ValueError(f"block {number} is said by {who[:20]!r}")
    role = "assistant" if kind in ("A", "T") else "user"
    return {**about, "type": role, "message": {"role": role, "content": content}}


def _input(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except ValueError:
        return {"command": text}
    return given if isinstance(given, dict) else {"command": text}


def entries_of(messages: Sequence[Message], rules: Rules | None = None) -> list[AlignedEntry]:
    """What the embedded rules make of a session, as the stages would: windows, alignment, one entry for each memory."""
    texts, aligner = [message.text for message in messages], Aligner()
    aligned = [
        align_entry(aligner, texts, entry) for window in windows(messages) for entry in extract_window(messages, window, rules)
    ]
    return merge_entries(aligned)


def quotes_of(entry: AlignedEntry) -> list[str]:
    return [found.matched_text for found in entry.evidence if isinstance(found, AlignedEvidence)]


def seen_entries(session: AnnotatedSession, rules: Rules | None = None) -> list[AlignedEntry]:
    """The entries of a session that quote something that its reader saw."""
    found = [entry for messages in session.talks for entry in entries_of(messages, rules)]
    return [entry for entry in found if any(session.saw(quote) for quote in quotes_of(entry))]


def matched(session: AnnotatedSession, entries: Sequence[AlignedEntry]) -> dict[int, int]:
    """A largest matching: the number of each memory that is met, and the entry that meets it.

    Among the memories that an entry may meet, those of its own type are tried first.
    """
    edges: list[list[int]] = []
    for entry in entries:
        quotes = quotes_of(entry)[:QUOTES]
        met = [n for n, memory in enumerate(session.memories) if any(meet(q, told) for q in quotes for told in memory.quotes)]
        edges.append(sorted(met, key=lambda n: session.memories[n].entry_type != entry.entry.entry_type))
    owner: dict[int, int] = {}

    def take(entry: int, seen: set[int]) -> bool:
        for memory in edges[entry]:
            if memory not in seen:
                seen.add(memory)
                if memory not in owner or take(owner[memory], seen):
                    owner[memory] = entry
                    return True
        return False

    for number in range(len(entries)):
        take(number, set())
    return owner


@cache
def meet(one: str, other: str) -> bool:
    one, other = fold(one), fold(other)
    if not one or not other:
        return False
    run = SequenceMatcher(None, one, other, autojunk=False).find_longest_match().size
    return run >= min(12, len(one), len(other)) and run >= 0.3 * max(len(one), len(other))


@cache
def fold(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().casefold()


def language(text: str) -> Literal["ko", "en"]:
    return "ko" if re.search("[가-힣]", text) else "en"


def read_talks(path: Path, name: str) -> list[tuple[str, tuple[Message, ...]]]:
    outcome = read_source(name, path.read_bytes())
    if not isinstance(outcome, SourceTaken):
        raise ValueError(f"{name} holds no session")
    return [(session.session_id, session.messages) for session in outcome.sessions]


def _by_offsets(path: Path, sessions: Path) -> AnnotatedSession:
    raw = json.loads(path.read_text(encoding="utf-8"))
    source = sessions / raw["file"]
    if sha256(source.read_bytes()).hexdigest() != raw["file_sha256"]:
        raise ValueError(f"{raw['file']} is not the file that {path.name} annotates")
    _, messages = annotated_talk(path.name, raw, read_talks(source, raw["file"]))

    def text(span: Sequence[int]) -> str:
        return messages[span[0]].text[span[1] : span[2]]

    memories = [
        Memory(one["type"], one["importance"], tuple(text(span) for span in (*one["quotes"], *one["also"])))
        for one in raw["entries"]
    ]
    for task in raw["tasks"]:
        spans = [span for span in (task["request"], task["outcome"], *task["steps"]) if span]
        memories.append(Memory("task", task["importance"], tuple(text(span) for span in spans)))
    visible = fold(" ".join(message.text for message in messages[: raw["last_message"] + 1]))
    return AnnotatedSession(path.stem, project_of(raw["file"]), (messages,), tuple(memories), visible, raw)


def annotated_talk(
    name: str, raw: dict[str, Any], talks: Iterable[tuple[str, tuple[Message, ...]]]
) -> tuple[str, tuple[Message, ...]]:
    """The session that the annotation points into: every message is known by its id and the hash of its text."""
    for session_id, messages in talks:
        if all(
            int(index) < len(messages)
            and messages[int(index)].uid == uid
            and sha256(messages[int(index)].text.encode()).hexdigest()[:16] == digest
            for index, (uid, digest) in raw["messages"].items()
        ):
            return session_id, messages
    raise ValueError(f"no session of {raw['file']} has the messages that {name} annotates")


def _by_text(name: str, raw: dict[str, Any], sessions: Path) -> AnnotatedSession:
    talks = tuple(messages for _, messages in read_talks(sessions / raw["file"], raw["file"]))
    memories = tuple(
        Memory(one["type"], one["importance"], tuple(told["quote"] for told in (one, *one.get("also", []))))
        for one in raw["entries"]
    )
    visible = fold(" ".join(raw["visible"])) if raw.get("visible") else None
    return AnnotatedSession(name, project_of(raw["file"]), talks, memories, visible, raw)


def project_of(file: str) -> str:
    """The repository that a session file's name begins with: ``owner__name__...``."""
    return "__".join(Path(file).name.split("__")[:2])
