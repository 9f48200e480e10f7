"""How long a search takes in a large store, and how that grows.

  python benchmarks/bench_search.py DATA [--units 10000 100000] [--home FOLDER] [--profile]

DATA holds ``locomo/*.json`` and ``sessions/``: real conversations, which are no part of this repository. Their turns and
messages are recombined (the beginning of one, the end of another), 25 to a session, ten projects. Sessions and messages are
written to the tables of a real store; passages are folded of them, queued and drained as ever. Their vectors have the length
and the name of the bundled model's and are made of hashed words: no model is loaded, and a question's vector costs nothing.
What is asked are the questions of those conversations and of ``korean_questions.ndjson``, none of them twice. With --home the
stores are kept, and taken as they are the next time.

Bars (two cores, a warm process, 100,000 units): lexical p50 <= 24 ms, hybrid p50 <= 39 ms without the question's
embedding, and from 10,000 units on at most three times as long.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import random
import statistics
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from memory_assets.configuration import Resources
from memory_assets.maintenance.indexing import write_words
from memory_assets.memory import Memory
from memory_assets.projections.unit_tables.outbox import enqueue
from memory_assets.projections.unit_tables.units import close_touched_units, fold_units, remember_touched_units
from memory_assets.search.request import DEFAULT_KINDS
from memory_assets.sessions.model import SourceTaken
from memory_assets.sessions.reading import read_source
from memory_assets.settings import load_settings
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.outbox import drain_outbox
from memory_assets.vectors.units import UnitFilter

if TYPE_CHECKING:
    from memory_assets.vectors.embedder import Vectors

SESSION = 25
PROJECTS = 10
DEPTH = 300
KOREAN = Path(__file__).with_name("korean_questions.ndjson")
LEXICAL_BAR_MS, HYBRID_BAR_MS, GROWTH_BAR = 24.0, 39.0, 3.0
STARTED = datetime(2025, 1, 1, tzinfo=UTC)

Said = tuple[str | None, str]
"""Who says it, and what."""


class Prepared(HashingEmbedder):
    """Passes for the model of the settings, and needs none."""

    def __init__(self, model: Any) -> None:
        super().__init__(model.dimensions)
        self.embedding_version, self.fingerprint = model.embedding_version, model.fingerprint

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Words, and a little of what no other text has: real vectors are never as far from a question as each other."""
        noise = np.stack([np.random.default_rng(zlib.crc32(text.encode())).normal(size=self.dimensions) for text in texts])
        vectors = super().embed_documents(texts) + (0.3 * noise / np.linalg.norm(noise, axis=1, keepdims=True)).astype(
            np.float32
        )
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def said_in(data: Path) -> list[Said]:
    """Turns of the conversations and messages of the sessions, each at most a passage long."""
    found: list[Said] = []
    for path in sorted((data / "locomo").glob("*.json")):
        for conversation in json.loads(path.read_text("utf-8")):
            for turns in conversation["conversation"].values():
                if isinstance(turns, list):
                    found += [(turn["speaker"], turn["text"]) for turn in turns if turn.get("text")]
    for path in sorted(path for path in (data / "sessions").rglob("*") if path.is_file()):
        outcome = read_source(str(path), path.read_bytes())
        if isinstance(outcome, SourceTaken):
            texts = [message.text for one in outcome.sessions for message in one.messages if message.kind == "said"]
            found += [(None, text[at : at + 900]) for text in texts for at in range(0, len(text), 900) if text[at:].strip()]
    return found


def questions_of(data: Path) -> list[str]:
    asked = [json.loads(line)["query"] for line in KOREAN.read_text("utf-8").splitlines()]
    for path in sorted((data / "locomo").glob("*.json")):
        asked += [question["question"] for one in json.loads(path.read_text("utf-8")) for question in one["qa"]]
    return random.Random(3).sample(asked, len(asked))


def tables(said: Sequence[Said], first: int, sessions: int) -> tuple[pa.Table, pa.Table]:
    """Rows of ``sessions`` and ``messages``, from session number ``first`` on."""
    heads: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    for number in range(first, first + sessions):
        chance = random.Random(number)
        at = STARTED + timedelta(hours=number)
        session_id = f"session-{number:06}"
        start = chance.randrange(len(said) - SESSION)
        for index in range(SESSION):
            speaker, one = said[start + index]
            words, other = one.split(), said[chance.randrange(len(said))][1].split()
            text = " ".join([*words[: max(1, len(words) * 2 // 3)], *other[-max(1, len(other) // 3) :]])
            row = {"session_id": session_id, "message_index": index, "revision": 1, "message_uid": f"m{index}"}
            row |= {"role": "user" if index % 2 else "assistant", "kind": "said", "name": speaker, "text": text}
            row |= {"ts": (at + timedelta(minutes=index)).replace(tzinfo=None), "text_hash": "-", "char_len": len(text)}
            rows.append(row | {"sidechain": False, "is_error": False, "event_id": "-"})
        project = f"project-{number % PROJECTS}"
        head = {"session_id": session_id, "revision": 1, "source_kind": "chat.v1", "source_id": session_id}
        head |= {"source_uri": f"{session_id}.json", "source_uris": [f"{session_id}.json"], "content_hash": "-"}
        head |= {"parser_version": "1", "project": project, "cwd": f"/home/user/{project}", "title": f"Session {number}"}
        head |= {"started_at": at.replace(tzinfo=None), "ended_at": at.replace(tzinfo=None), "message_count": SESSION}
        heads.append(
            head | {"char_len": 1, "ingest_event_id": "-", "chain_id": "-", "status": "vectorized", "redactions_json": "{}"}
        )
    return pa.Table.from_pylist(heads), pa.Table.from_pylist(rows)


def filled(home: Path, units: int, said: Sequence[Said]) -> Memory:
    """A store of so many passages and a little more, with its index."""
    memory = Memory(load_settings({"home": str(home)}))
    with memory.database.reading() as connection:
        there = connection.execute("SELECT count(*) FROM sessions").fetchall()[0][0]
    model = Prepared(Resources(memory.settings).embedder)
    for first in range(there, units // SESSION, 400):
        heads, rows = tables(said, first, min(400, units // SESSION - first))
        with memory.database.writing() as connection:
            for name, table in (("sessions", heads), ("messages", rows)):
                connection.register("new_rows", table)
                connection.execute(f"INSERT INTO {name} BY NAME SELECT * FROM new_rows")
                connection.unregister("new_rows")
            connection.execute("CREATE TEMP TABLE touched_memories (memory_id VARCHAR)")
            connection.register("heads", heads)
            connection.execute("CREATE TEMP TABLE affected AS SELECT session_id FROM heads")
            remember_touched_units(connection)
            fold_units(connection)
            enqueue(connection, model.embedding_version)
            close_touched_units(connection)
    index = Resources(memory.settings).vector_index
    write_words(Resources(memory.settings, memory.database))
    drained = drain_outbox(memory.database, model, index, lock_folder=memory.settings.store_folder)
    if drained.done:
        beside = (drained.seconds - drained.embedding_seconds) / drained.done * 1e3
        print(f"{drained.done:,} units drained in {drained.seconds:.1f} s, {beside:.2f} ms each beside the model's")
    return memory


@dataclass(frozen=True, slots=True)
class Times:
    """Of one question, in milliseconds. On a machine that does other work too, only those of the CPU say much."""

    p50: float
    p95: float
    cpu: float


def timed(work: Callable[[str], object], questions: Sequence[str]) -> Times:
    times, cpu = [], time.process_time()
    for question in questions:
        started = time.perf_counter()
        work(question)
        times.append((time.perf_counter() - started) * 1e3)
    cpu = (time.process_time() - cpu) / len(questions) * 1e3
    return Times(statistics.median(times), sorted(times)[int(len(times) * 0.95)], cpu)


def measured(memory: Memory, questions: Sequence[str], *, profile: bool) -> Iterator[tuple[str, Times]]:
    """What is measured, with its times."""
    searcher = memory.searcher
    model = searcher.resources.embedder = Prepared(searcher.embedder)
    words, index = searcher.words, searcher.index
    memory.prepare()
    everywhere, project = UnitFilter(unit_kinds=DEFAULT_KINDS), UnitFilter(project="project-3", unit_kinds=DEFAULT_KINDS)

    def opened(question: str) -> None:
        with memory.database.reading():
            pass

    def searched(mode: str, **fields: Any) -> Callable[[str], object]:
        return lambda question: memory.search(question, mode=mode, log=False, **fields)

    works: dict[str, Callable[[str], object]] = {
        "the store opened": opened,
        "lexical leg": lambda question: words.lexical_search(question, DEPTH, everywhere),
        "lexical leg, a project": lambda question: words.lexical_search(question, DEPTH, project),
        "vector leg": lambda question: index.vector_search(model.embed_query(question), DEPTH, everywhere),
        "vector leg, a project": lambda question: index.vector_search(model.embed_query(question), DEPTH, project),
        "lexical search": searched("lexical", k=10),
        "lexical search, a project": searched("lexical", k=10, project="project-3"),
        "hybrid search": searched("hybrid", k=10),
        "hybrid search, a project": searched("hybrid", k=10, project="project-3"),
        "hybrid search, k by itself": searched("hybrid"),
    }
    each = len(questions) // (len(works) + 1)
    asked = [questions[start : start + each] for start in range(0, len(questions), each)]
    for work in works.values():
        timed(work, asked[0][:20])
    for (name, work), some in zip(works.items(), asked[1:], strict=False):
        yield name, timed(work, some)
    if profile:
        with cProfile.Profile() as profiler:
            timed(works["hybrid search"], asked[0])
        pstats.Stats(profiler).sort_stats("cumulative").print_stats(45)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--units", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--home", type=Path)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    said, questions = said_in(arguments.data), questions_of(arguments.data)
    found: dict[str, list[Times]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for units in arguments.units:
            memory = filled((arguments.home or Path(scratch)) / f"units-{units}", units, said)
            print(f"\n{f'{units:,} units, {len(questions)} questions':38s} {'p50':>8s} {'p95':>8s} {'CPU':>8s}  ms")
            for name, times in measured(memory, questions, profile=arguments.profile):
                found.setdefault(name, []).append(times)
                print(f"  {name:36s} {times.p50:8.1f} {times.p95:8.1f} {times.cpu:8.1f}", flush=True)
    print(f"\nfrom {arguments.units[0]:,} to {arguments.units[-1]:,} units, p50")
    bars = {"lexical search": LEXICAL_BAR_MS, "hybrid search": HYBRID_BAR_MS}
    for name, (first, *_, last) in ((name, [*times, times[-1]]) for name, times in found.items()):
        bar = f"   bar {bars[name]:.0f} ms, {GROWTH_BAR:.0f} times" if name in bars else ""
        print(f"  {name:36s} {last.p50:8.1f} ms, {last.p50 / first.p50:.1f} times, CPU {last.cpu / first.cpu:.1f} times{bar}")


if __name__ == "__main__":
    main()
