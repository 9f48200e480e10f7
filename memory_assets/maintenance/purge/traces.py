"""Pieces of what is forgotten, and how often they stand in every table and file: before a purge, and behind it.

DuckDB compresses what it keeps, and LanceDB cuts texts into words, so files are searched byte by byte and tables as a reader
gets them. Pieces are compared without regard to case. A piece that anything says that stays would prove nothing, nor would
one that the program says itself: those are left out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_assets.errors import MemoryAssetsError
from memory_assets.shipped_files import shipped_file
from memory_assets.vectors.driver_errors import PATIENCE, reading
from memory_assets.vectors.library import lancedb

if TYPE_CHECKING:
    import duckdb

MOST_PIECES = 24
_CANDIDATES = 120
_EVENTS_A_SESSION = 6
_EVENTS = 600
_SHORTEST, _LONGEST = 8, 48
_LONGEST_LEAF = 4_000
_CHUNK = 8 << 20

_PROGRAM = Path(__file__).parents[2]
_SOURCES = {".py", ".toml", ".md"}

# What JSON, a line of a file and SQL all write as it is.
_PLAIN = re.compile(r'[^"\\\x00-\x1f\x7f]+')
_WORD = re.compile(r"[^\W_]{8,}")
# Hashes and ids name what is gone and say nothing of it.
_NO_TEXT = re.compile(r"[a-z]{0,6}_?[0-9a-f-]{24,}", re.IGNORECASE)

# What counts units names also such as stay, and says nothing of any.
_GOING = f"""
SELECT session_id, CAST(payload_json AS VARCHAR) FROM events
WHERE seq IN (SELECT seq FROM going) AND event_type <> 'usage_counted'
QUALIFY row_number() OVER (PARTITION BY session_id, event_type ORDER BY event_id) <= {_EVENTS_A_SESSION}
ORDER BY row_number() OVER (PARTITION BY session_id ORDER BY event_id), session_id LIMIT {_EVENTS}
"""
_STAYING = """concat_ws(' ', CAST(payload_json AS VARCHAR), dedupe_key, session_id, project, CAST(telemetry_json AS VARCHAR))
FROM events WHERE seq NOT IN (SELECT seq FROM going)"""


def take_pieces(connection: duckdb.DuckDBPyConnection, own_words: str) -> tuple[str, ...]:
    """Pieces of the events that go, of as many sessions as there is room for; none of them stands in an event that stays.

    Args:
        connection: behind ``going.find_going``.
        own_words: what the program itself writes beside what it was told; no piece stands there either.
    """
    own = f"{own_words} {_versions(connection)}".lower()
    by_session: dict[str | None, list[str]] = {}
    for session_id, payload in connection.execute(_GOING).fetchall():
        found = by_session.setdefault(session_id, [])
        found.extend(piece for piece in _pieces(json.loads(payload)) if piece not in found and piece not in own)
    taken = dict.fromkeys(piece for piece in chain.from_iterable(zip_longest(*by_session.values())) if piece is not None)
    candidates = list(taken)[:_CANDIDATES]
    # One piece may hide another one that begins before it, so until nothing is found any more.
    while candidates and (said := _said(connection, candidates)):
        candidates = [piece for piece in candidates if piece not in said]
    return tuple(candidates[:MOST_PIECES])


@cache
def words_of_the_program() -> str:
    """All that the program's own files say: what it writes into tables, settings and Dagster's records is among it."""
    files = [shipped_file("dagster.yaml"), *(path for path in _PROGRAM.rglob("*") if path.suffix in _SOURCES)]
    return "\n".join(path.read_text(encoding="utf-8").lower() for path in files)


def _versions(connection: duckdb.DuckDBPyConnection) -> str:
    return " ".join(
        chain.from_iterable(connection.execute("SELECT event_type, stage_version FROM configured_versions").fetchall())
    )


def _pieces(value: Any) -> Iterator[str]:
    for leaf in _leaves(value):
        for text in (max(_PLAIN.findall(leaf), key=len, default="").strip()[:_LONGEST].strip(), *_WORD.findall(leaf)[:3]):
            if len(text) >= _SHORTEST and not _NO_TEXT.fullmatch(text):
                yield text.lower()


def _leaves(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value[:_LONGEST_LEAF]
        case list():
            yield from chain.from_iterable(map(_leaves, value))
        case dict():
            yield from chain.from_iterable(map(_leaves, value.values()))


def _pattern(pieces: Sequence[str]) -> str:
    return "(?i)" + "|".join(map(re.escape, sorted(pieces, key=len, reverse=True)))


def _said(connection: duckdb.DuckDBPyConnection, pieces: Sequence[str]) -> set[str]:
    rows = connection.execute(
        f"SELECT DISTINCT lower(unnest(regexp_extract_all(text, $pattern))) FROM (SELECT {_STAYING}) t(text) "
        "WHERE regexp_matches(text, $pattern)",
        {"pattern": _pattern(pieces)},
    ).fetchall()
    return {row[0] for row in rows}


def count_in_tables(connection: duckdb.DuckDBPyConnection, pieces: Sequence[str], name: str) -> Counter[str]:
    """How often pieces stand in each table of a store, as a reader gets it."""
    counts: Counter[str] = Counter()
    columns = connection.execute(
        """SELECT table_name, string_agg('CAST("' || column_name || '" AS VARCHAR)', ', ') FROM duckdb_columns()
           WHERE NOT internal AND database_name = current_database() AND (data_type LIKE 'VARCHAR%' OR data_type = 'JSON')
             AND table_name IN (SELECT table_name FROM duckdb_tables() WHERE database_name = current_database())
           GROUP BY table_name ORDER BY table_name"""
    ).fetchall()
    for table, texts in columns:
        ((count,),) = connection.execute(
            f"SELECT coalesce(sum(len(regexp_extract_all(text, $pattern))), 0) FROM "
            f"(SELECT concat_ws(' ', {texts}) AS text FROM {table}) WHERE regexp_matches(text, $pattern)",
            {"pattern": _pattern(pieces)},
        ).fetchall()
        if count:
            counts[f"{name}: {table}"] = int(count)
    return counts


def count_in_index(folder: Path, pieces: Sequence[str]) -> Counter[str]:
    """How often pieces stand in the rows of each table of an index; what cannot be read is searched as files alone."""
    counts: Counter[str] = Counter()
    for path in sorted(folder.glob("*.lance")) if folder.is_dir() else ():
        name = path.name.removesuffix(".lance")
        try:
            with reading(name):
                table = lancedb().connect(str(folder)).open_table(name)
                texts = [field.name for field in table.schema if str(field.type) == "string"]
                for batch in table.search().select(texts).limit(None).to_batches(timeout=PATIENCE):
                    text = "\n".join(value or "" for column in batch.columns for value in column.to_pylist()).lower()
                    counts[f"{folder.name}: {name}"] += sum(map(text.count, pieces))
        except MemoryAssetsError:
            continue
    return +counts


def count_in_files(folders: Iterable[Path], pieces: Sequence[str]) -> Counter[str]:
    """How often pieces stand in the bytes of each file below some folders, by its path."""
    spelled = [{piece.encode(), json.dumps(piece)[1:-1].encode()} for piece in pieces]
    wanted = [spelling for spellings in spelled for spelling in spellings]
    counts: Counter[str] = Counter()
    for path in sorted({path for folder in folders for path in folder.rglob("*")}):
        if path.is_file() and not path.is_symlink():
            counts[str(path)] = _count(path, wanted)
    return +counts


def _count(path: Path, wanted: Sequence[bytes]) -> int:
    longest = max(map(len, wanted), default=0)
    found, rest = 0, b""
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                text = rest + chunk.lower()
                found += sum(map(text.count, wanted))
                # What ends in the next chunk is counted there, and nothing twice.
                rest = text[-(longest - 1) :] if longest > 1 else b""
                found -= sum(map(rest.count, wanted))
        return found + sum(map(rest.count, wanted))
    except OSError:
        return 0  # a socket, or gone meanwhile
