"""How far the board can be believed: what it says of annotated sessions, beside what careful readers say.

  python benchmarks/bench_board.py SESSIONS_FOLDER [--only en01 ko02 …] [--list]

Imports the sessions of benchmarks/annotations into a store of their own, one behind the other and each as far as it was read,
and looks at the tasks that they leave. A task of the board meets an annotated one when a quote of it overlaps the request, the
outcome or a step.

- right state: of the annotated tasks that the board has, those in the state that the readers say. Where several tasks of the
  board meet one, the one counts that quotes its request, else its outcome, else its last step.
- junk: of the board's tasks, those that meet no annotated one; and the same of those that are in sight, without what is quiet
  or passed. Of another session that the same file holds nothing is counted: nobody read it.
- missing: of the annotated tasks, those that the board does not have.

`--list` prints each task with both states. The hashing embedder stands in for the model; nothing here depends on meaning.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotated_sessions import ANNOTATIONS, annotated_talk, read_talks

if TYPE_CHECKING:
    from memory_assets.results.tasks import TaskView

STATES = {"pending": "open", "blocked": "open", "in_progress": "in_progress", "done": "done", "cancelled": "dropped"}
"""What readers call the board's statuses."""

Span = Sequence[int]
"""A message, and the characters of it: half open."""


@dataclass(frozen=True)
class Session:
    """What readers say of one session; of others that its file holds they say nothing."""

    name: str
    session_id: str
    file: Path
    relative: str
    last_message: int
    tasks: Sequence[Mapping[str, Any]]

    @property
    def language(self) -> str:
        return self.name[:2]


def sessions(folder: Path, only: Sequence[str]) -> list[Session]:
    """The annotated sessions, with their files under a folder."""
    found = []
    for path in sorted(ANNOTATIONS.glob("*.json")):
        if only and path.stem not in only:
            continue
        told = json.loads(path.read_text(encoding="utf-8"))
        file = folder / told["file"]
        session_id, _ = annotated_talk(path.name, told, read_talks(file, told["file"]))
        found.append(Session(path.stem, session_id, file, told["file"], told["last_message"], told["tasks"]))
    return found


def as_far_as_read(session: Session, folder: Path) -> Path:
    """A file with as many whole lines of the session as hold no message that the readers did not read."""
    from memory_assets.sessions.model import SourceTaken
    from memory_assets.sessions.reading import read_source

    lines = session.file.read_bytes().splitlines(keepends=True)
    target = folder / session.relative
    target.parent.mkdir(parents=True, exist_ok=True)

    def fits(count: int) -> bool:
        outcome = read_source(str(target), b"".join(lines[:count]), explicit=True)
        told = outcome.sessions if isinstance(outcome, SourceTaken) else ()
        return all(len(one.messages) <= session.last_message + 1 for one in told)

    least, most = 0, len(lines)
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if fits(middle) else (least, middle - 1)
    target.write_bytes(b"".join(lines[:most]))
    return target


def boards(files: Sequence[Path]) -> dict[str, list[TaskView]]:
    """Of each session its tasks on a board that all of the files make."""
    from memory_assets.defs.run import import_paths
    from memory_assets.memory import Memory
    from memory_assets.settings import load_settings

    with tempfile.TemporaryDirectory() as home:
        settings = load_settings({"home": home})
        for file in files:
            import_paths(settings, [file], project=None)
        tasks = Memory(settings).tasks()
    found: dict[str, list[TaskView]] = defaultdict(list)
    for task in tasks:
        for session_id in {quote.session_id for quote in task.evidence}:
            found[session_id].append(task)
    return found


def _overlaps(task: TaskView, span: Span | None) -> bool:
    return span is not None and any(
        quote.message_index == span[0] and quote.span_start < span[2] and span[1] < quote.span_end for quote in task.evidence
    )


def _best(task: Mapping[str, Any], board: Sequence[TaskView]) -> TaskView | None:
    """The task of the board that says how an annotated one stands."""
    for span in (task["request"], task["outcome"], *reversed(task["steps"])):
        for one in board:
            if _overlaps(one, span):
                return one
    return None


def _is_met(one: TaskView, tasks: Sequence[Mapping[str, Any]]) -> bool:
    return any(_overlaps(one, span) for task in tasks for span in (task["request"], task["outcome"], *task["steps"]))


def _out_of_sight(task: TaskView) -> bool:
    return getattr(task, "quiet", False) or getattr(task, "passed", False)


def _state(task: TaskView) -> str:
    return "done" if getattr(task, "passed", False) else STATES[task.status]


def tally(session: Session, board: Sequence[TaskView], *, listed: bool) -> Counter[str]:
    """What one session adds to the counts."""
    found: Counter[str] = Counter()
    for task in session.tasks:
        best = _best(task, board)
        found["annotated"] += 1
        found["met"] += best is not None
        found["right"] += best is not None and _state(best) == task["state"]
        if listed:
            said = "missing" if best is None else f"{best.status:12} {best.title[:70]}"
            print(f"  {session.name} {task['state']:12} {task['request'][0]:4} {said}")
    for one in board:
        junk = not _is_met(one, session.tasks)
        found.update({"items": 1, "junk": junk})
        found.update({"in sight": not _out_of_sight(one), "junk in sight": junk and not _out_of_sight(one)})
        if listed:
            print(f"  {session.name} {'JUNK' if junk else '    '} {one.status:12} {one.title[:90]}")
    return found


def _share(part: int, whole: int) -> str:
    return f"{part:3}/{whole:<3} {part / whole:.2f}" if whole else f"{part:3}/{whole:<3}    -"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="SESSIONS_FOLDER")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    os.environ["MEMORY_EMBEDDING_MODEL"] = "hashing"
    os.environ.pop("DAGSTER_HOME", None)
    chosen = sessions(arguments.folder, arguments.only)
    with tempfile.TemporaryDirectory() as folder:
        found = boards([as_far_as_read(session, Path(folder)) for session in chosen])
    counts: dict[str, Counter[str]] = {language: Counter() for language in ("ko", "en", "all")}
    for session in chosen:
        told = tally(session, found[session.session_id], listed=arguments.list)
        counts[session.language].update(told)
        counts["all"].update(told)
    print(f"{'':4}  {'right state':13}  {'junk':13}  {'junk in sight':13}  {'missing':13}")
    for language, one in counts.items():
        shares = (
            _share(one["right"], one["met"]),
            _share(one["junk"], one["items"]),
            _share(one["junk in sight"], one["in sight"]),
            _share(one["annotated"] - one["met"], one["annotated"]),
        )
        print(f"{language:4}  {'  '.join(f'{share:13}' for share in shares)}")


if __name__ == "__main__":
    main()
