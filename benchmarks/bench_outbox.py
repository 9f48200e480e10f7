"""What the outbox costs beside the model: units drained a second, against the model's own ``encode`` of the same texts.

  python benchmarks/bench_outbox.py [--units 1000] [--model bundled]

Bar: 10,000 units drained at >= 90 % of the model's own throughput. Half of the texts are encoded before the drain and
half behind it, so that a machine that is busy with other things for a while is so for both.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from memory_assets.configuration import Resources
from memory_assets.settings import Settings, load_settings
from memory_assets.vectors.index import VectorIndex
from memory_assets.vectors.outbox import drain_outbox
from memory_assets.vectors.outbox_jobs import EMBED_TEXT
from memory_assets_tests.filled_store import tell

MESSAGES = 500
WORDS = [
    *("deploy", "server", "cache", "token", "review", "branch", "latency", "worker", "queue", "schema", "index", "retry"),
    *("timeout", "rollback", "customer", "invoice", "the", "a", "we", "to", "of", "was", "is", "decided", "because", "after"),
    *("배포", "서버", "캐시", "결정", "로그", "원인", "테스트", "고객", "청구", "재시도"),
]


def store(home: Path, model: str, units: int) -> Settings:
    """Sessions of as many messages, from a line to a page long; most are short, as in real sessions."""
    settings = load_settings({"home": home, "embedding": {"model": model}})
    chance = random.Random(7)
    for start in range(0, units, MESSAGES):
        talk = tuple(
            ("user" if number % 2 else "assistant", _message(chance, number))
            for number in range(start, min(units, start + MESSAGES))
        )
        tell(settings, f"session-{start}", talk, ())
    return settings


def _message(chance: random.Random, number: int) -> str:
    words = min(220, max(3, int(chance.lognormvariate(3.3, 0.9))))
    return f"{number} " + " ".join(chance.choices(WORDS, k=words))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--units", type=int, default=1000)
    parser.add_argument("--model", default="bundled")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = store(Path(folder), asked.model, asked.units)
        database, embedder = Resources(settings).database, Resources(settings).embedder
        with database.reading() as connection:
            texts = [row[0] for row in connection.execute(f"SELECT {EMBED_TEXT} FROM memory_units u").fetchall()]
        random.Random(1).shuffle(texts)
        characters = sum(map(len, texts))
        print(f"{len(texts)} units of {characters // len(texts)} characters on average, {embedder.model_id}")
        encode = embedder.embed_many
        encode(texts[:64])
        half = len(texts) // 2
        before = _timed(lambda: encode(texts[:half]))
        drained, wall, cpu = _drained(settings, embedder)
        behind = _timed(lambda: encode(texts[half:]))
    assert drained == len(texts), f"{drained} of {len(texts)} were written"
    own_wall, own_cpu = before[0] + behind[0], before[1] + behind[1]
    print(f"encode alone   {len(texts) / own_wall:8,.1f} texts a second, {own_cpu / len(texts) * 1000:6.2f} ms of CPU a text")
    print(f"drain          {len(texts) / wall:8,.1f} texts a second, {cpu / len(texts) * 1000:6.2f} ms of CPU a text")
    print(f"ratio          {own_wall / wall:8.1%} by the clock, {own_cpu / cpu:.1%} by CPU   bar 90 %")


def _timed(work: Any) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def _drained(settings: Settings, embedder: Any) -> tuple[int, float, float]:
    written: list[int] = []
    index = VectorIndex(settings.vectors_folder, embedder.embedding_version, lambda: embedder.dimensions)
    spent = _timed(
        lambda: written.append(
            drain_outbox(Resources(settings).database, embedder, index, lock_folder=settings.store_folder).done
        )
    )
    return written[0], *spent


if __name__ == "__main__":
    main()
