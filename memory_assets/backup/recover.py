"""`memory recover`: from a damaged store every event that can be read, into a new store. The damaged one is only read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory_assets.backup.archive import check_members, opened_archive
from memory_assets.backup.errors import FileExistsAlreadyError
from memory_assets.backup.salvage import torn_at
from memory_assets.identifiers import sha256_hex
from memory_assets.log.blocks import go_back, mend
from memory_assets.log.database import STORE_FILE_NAME, Database
from memory_assets.log.errors import of_system
from memory_assets.log.events import event_id_of
from memory_assets.log.links import LINKED_COLUMNS, MOMENTS, link_of, relink
from memory_assets.log.lock import StoreLock
from memory_assets.log.tip import FIRST_LINK, Tips, read_tips
from memory_assets.moments import moment_of
from memory_assets.progress import NoProgress, Progress
from memory_assets.results.copies import Lost, Recovered

_PATIENCE_SECONDS = 300.0
_AT_ONCE = 5_000
SET_ASIDE_NAME = "set_aside.jsonl"
_SET_ASIDE = f"was read, but rests on a revision that is lost: kept in {SET_ASIDE_NAME}"
_OF_FILES = ("source_registered", "source_taken")


@dataclass(frozen=True, slots=True)
class _Row:
    payload: str
    link: bytes | None
    columns: dict[str, Any]

    @property
    def is_whole(self) -> bool:
        """Payload, checksum, key and id agree."""
        columns = self.columns
        try:
            said = json.loads(columns["dedupe_key"])
            return bool(
                sha256_hex(self.payload) == columns["checksum"]
                and event_id_of(columns["dedupe_key"]) == columns["event_id"]
                and said[:2] == [columns["event_type"], columns["session_id"]]
                and said[3] == (columns["stage_version"] or "")
            )
        except (ValueError, TypeError, IndexError, KeyError, UnicodeError):
            return False

    def follows(self, previous: bytes) -> bool:
        """Whether the row's link follows from the one before it."""
        return self.link == link_of(previous, [self.columns[name] for name in LINKED_COLUMNS])


def recover(store_file: Path, to: Path, *, backup: Path | None = None, progress: Progress | None = None) -> Recovered:
    """Save what can be read.

    Args:
        store_file: the damaged ``memory.duckdb``; its WAL and its tip are looked for beside it.
        to: the folder of the new store; there must be none.
        backup: events that cannot be read are taken from this backup of the store, where it has them.

    Raises:
        FileExistsAlreadyError, StoreError, StoreFullError
    """
    told = progress or NoProgress()
    if (to / STORE_FILE_NAME).exists():
        raise FileExistsAlreadyError(f"{to} has a store", hint="name another folder with --to")
    try:
        to.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="recover-", dir=to) as folder:
            told.start(None, "reading what can be read")
            copied = Path(folder) / STORE_FILE_NAME
            with StoreLock(store_file.parent).shared():
                for suffix in ("", ".wal"):
                    source = store_file.with_name(store_file.name + suffix)
                    if source.is_file() or not suffix:
                        shutil.copyfile(source, copied.with_name(copied.name + suffix))
                tips = read_tips(store_file.parent)
            damage = mend(copied).told() + _mend_wal(copied)
            rows = _rows(copied, Path(folder) / "rows", tips.now.seq if isinstance(tips, Tips) else 0)
            if not rows and go_back(copied):
                mend(copied)
                copied.with_name(f"{copied.name}.wal").unlink(missing_ok=True)
                rows = _rows(copied, Path(folder) / "older", 0)
                damage.append("its list of tables cannot be read" + (": taken as of the checkpoint before" if rows else ""))
            if backup is not None:
                rows = _from_backup(backup, Path(folder) / "backup") | {s: row for s, row in rows.items() if row.is_whole}
            newest = max((tips.coming or tips.now).seq if isinstance(tips, Tips) else 0, max(rows, default=0))
            kept, lost, tied = _judged(rows, tips.now.seq if isinstance(tips, Tips) else newest)
            proven = len(tied)
            incomplete = _incomplete(kept, lost)
            kept, set_aside = _readable(kept)
            lost = sorted(
                [*lost, *(Lost.of_row((row.columns["seq"], row.columns["session_id"], _SET_ASIDE)) for row in set_aside)],
                key=lambda item: item.seq,
            )
            proven -= sum(row.columns["seq"] in tied for row in set_aside)
            if set_aside:
                _keep(to / SET_ASIDE_NAME, set_aside)
            told.start(None, "writing the new store")
            unfinished = Path(folder) / "new"
            _write(unfinished, kept)
            for path in (STORE_FILE_NAME, "store.tip"):
                (unfinished / path).replace(to / path)
            counts = (len(kept), proven, len(kept) - proven)
            return Recovered.of_row(("recovered.v1", str(to), *counts, lost, incomplete, damage))
    except OSError as error:
        of_source = isinstance(error, FileNotFoundError | IsADirectoryError | shutil.SpecialFileError)
        raise of_system(error, store_file if of_source else to) from error
    finally:
        told.finish()


def _from_backup(backup: Path, folder: Path) -> dict[int, _Row]:
    """The events of a backup, which is verified first."""
    folder.mkdir(mode=0o700)
    with opened_archive(backup) as (archive, manifest):
        check_members(archive, manifest, folder)
    return _rows(folder / STORE_FILE_NAME, folder / "rows", manifest.seq)


def _mend_wal(copied: Path) -> list[str]:
    """Cut the WAL before its first damaged entry, or do without it."""
    wal = copied.with_name(f"{copied.name}.wal")
    if not wal.exists():
        return []
    whole = wal.with_name("whole.wal")
    shutil.copyfile(wal, whole)
    for _ in range(2):
        # In a process of its own: a WAL over a damaged file may end it.
        opened = _run("from memory_assets.log.opening import opened_to_write\nwith opened_to_write(Path(a[0])): pass", copied)
        if opened.returncode == 0:
            return [] if wal.stat().st_size >= whole.stat().st_size else ["the newest transactions in the WAL are damaged"]
        place = torn_at(opened.stderr)
        shutil.copyfile(whole, wal)
        if place is None:
            break
        with wal.open("r+b") as file:
            file.truncate(place)
    wal.unlink()
    return ["the WAL cannot be read"]


def _run(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    text = f"import sys\nfrom pathlib import Path\na = sys.argv[1:]\n{code}"
    try:
        return subprocess.run(
            [sys.executable, "-c", text, *map(str, arguments)],
            capture_output=True, text=True, timeout=_PATIENCE_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess([], 1, "", "")


def _rows(copied: Path, found: Path, expected: int) -> dict[int, _Row]:
    """The rows that can be read, by seq. A reader that dies is started again behind where it died."""
    start, end = 0, 0
    while True:
        before = found.stat().st_size if found.exists() else 0
        _run("from memory_assets.backup.salvage import main\nmain(Path(a[0]), Path(a[1]), int(a[2]), int(a[3]))",
             copied, found, start, end)  # fmt: skip
        said = [json.loads(line) for line in _lines(found, before)]
        end = next((line["count"] for line in said if "count" in line), end) or expected
        tried = [line["trying"] for line in said if "trying" in line]
        if any("done" in line for line in said) or (not tried and start) or not end:
            break
        start = tried[-1][1] if tried else 1
        if start >= end:
            break
    rows = {}
    for line in map(json.loads, _lines(found, 0)):
        if "columns" in line:
            columns = dict(zip(LINKED_COLUMNS, line["columns"], strict=True))
            link = bytes.fromhex(line["link"]) if line["link"] else None
            if isinstance(columns["seq"], int) and isinstance(line["payload"], str):
                # Where two rows say the same seq, one of them is damaged: the whole one is kept.
                row = _Row(line["payload"], link, columns)
                if columns["seq"] not in rows or row.is_whole:
                    rows[columns["seq"]] = row
    return rows


def _lines(found: Path, since: int) -> Iterator[str]:
    if found.exists():
        with found.open(encoding="utf-8") as file:
            file.seek(since)
            yield from (line for line in file if line.endswith("\n"))


def _judged(rows: dict[int, _Row], newest: int) -> tuple[list[_Row], list[Lost], set[int]]:
    """Which rows are kept in their order, what is lost, and which of the kept are tied to the one before."""
    kept: list[_Row] = []
    lost: list[Lost] = []
    tied: set[int] = set()
    was_proven = True
    last = max([newest, *(seq for seq, row in rows.items() if row.is_whole)], default=0)
    for seq in range(1, last + 1):
        row = rows.get(seq)
        before = rows.get(seq - 1)
        previous = FIRST_LINK if seq == 1 else before.link if before else None
        follows = row is not None and previous is not None and row.follows(previous)
        if row is None:
            lost.append(Lost(seq=seq, session_id=None, reason="cannot be read"))
        elif not row.is_whole:
            lost.append(Lost(seq=seq, session_id=_session(row), reason="is not what was written"))
        elif previous is not None and not follows and was_proven and _is_followed(row, rows.get(seq + 1)):
            # Both links beside it are right, so one of its columns is not.
            lost.append(Lost(seq=seq, session_id=_session(row), reason="is not what was written"))
        else:
            kept.append(row)
            if follows:
                tied.add(seq)
        was_proven = follows
    return kept, lost, tied


def _is_followed(row: _Row, after: _Row | None) -> bool:
    return row.link is not None and after is not None and after.follows(row.link)


def _session(row: _Row) -> str | None:
    session_id = row.columns["session_id"]
    return session_id if isinstance(session_id, str) and session_id.isprintable() else None


def _incomplete(kept: list[_Row], lost: list[Lost]) -> tuple[str, ...]:
    """Sessions that a lost event belongs to, as far as it or an event that was made from it can tell."""
    known = {row.columns["event_id"] for row in kept}
    named = {item.session_id for item in lost if item.session_id}
    for row in kept:
        columns = row.columns
        if columns["session_id"] and any(columns[of] and columns[of] not in known for of in ("causation_id", "chain_id")):
            named.add(columns["session_id"])
    return tuple(sorted(named))


def _readable(kept: list[_Row]) -> tuple[list[_Row], list[_Row]]:
    """Events that a store can read, and those of histories that lost a revision: importing their files makes them anew."""
    revisions: dict[str, list[int]] = {}
    whole = {row.columns["event_id"] for row in kept if row.columns["event_type"] == "session_ingested"}
    sessions: dict[str, str] = {}
    for row in kept:
        if chain := row.columns["chain_id"]:
            revisions.setdefault(chain, [])
            sessions[chain] = row.columns["session_id"]
            if row.columns["event_type"] == "session_ingested":
                revisions[chain].append(json.loads(row.payload).get("revision", 0))
    broken = {
        chain
        for chain, numbers in revisions.items()
        if chain not in whole or sorted(numbers) != list(range(min(numbers), min(numbers) + len(numbers)))
    }
    # What says that a file was taken goes too: it would be skipped.
    files = {sessions[chain] for chain in broken}
    stays: list[_Row] = []
    aside: list[_Row] = []
    for row in kept:
        columns = row.columns
        of_file = columns["event_type"] in _OF_FILES and columns["session_id"] in files
        (aside if columns["chain_id"] in broken or of_file else stays).append(row)
    return stays, aside


def _keep(path: Path, rows: list[_Row]) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.writelines(json.dumps({**row.columns, "payload_json": row.payload}) + "\n" for row in rows)


def _write(folder: Path, kept: list[_Row]) -> None:
    import pyarrow as pa

    database = Database(folder)
    with database.writing() as connection:
        for start in range(0, len(kept), _AT_ONCE):
            some = kept[start : start + _AT_ONCE]
            table = {
                name: [_moment(row.columns[name]) if name in MOMENTS else row.columns[name] for row in some]
                for name in LINKED_COLUMNS
            }
            table["seq"] = list(range(start + 1, start + 1 + len(some)))
            kinds = {"payload_version": pa.int32(), "basis_chains": pa.list_(pa.string()), "seq": pa.int64()}
            arrays = {
                name: pa.array(values, pa.timestamp("us") if name in MOMENTS else kinds.get(name, pa.string()))
                for name, values in table.items()
            }
            connection.register("saved", pa.table({**arrays, "payload_json": pa.array([row.payload for row in some])}))
            connection.execute("INSERT INTO events BY NAME SELECT * FROM saved ORDER BY seq")
            connection.unregister("saved")
        relink(connection)
    with database.held() as connection:
        connection.execute("CHECKPOINT")


def _moment(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else moment_of(microseconds).replace(tzinfo=None)


def default_folder(store_folder: Path) -> Path:
    """A new folder beside the store that is to be recovered."""
    return store_folder.with_name(f"{store_folder.name}-recovered-{datetime.now(UTC):%Y%m%dT%H%M%S}")
