"""What proving a session costs: generating its modules, auditing and judging them, judging its data, and the compiler.

  python benchmarks/bench_proof.py [--repeat 5] [--seed 1]

Entries are like real ones: quotes of 40 to 200 characters each, of messages of 300 to 4,000 characters, Korean and English,
a message for every entry, a task and a decision for every ten. Once with one or two quotes an entry, once with 2.8, as real
sessions have. CPU, the best of some runs. Ids are hashes, as real ones: a module holds entries of the whole session, so with
many modules more of them embed one message.

Bars: the embedded check (audit and judgement) <= 0.2 CPU-ms an entry; per entry <= 1.3 times as much at 1,000
entries as at 50. Where there is an idris2: its start-up, an entry, and sessions in one module instead of one by one.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from memory_assets.graduation.proofs.audit import audit
from memory_assets.graduation.proofs.embedded import judge
from memory_assets.graduation.proofs.generator import Generated, generate
from memory_assets.graduation.proofs.idris2 import find_idris2, prepare
from memory_assets.graduation.proofs.idris2_verdicts import Compiled, Idris2, Unavailable, check
from memory_assets.graduation.proofs.model import (
    ProofDecision,
    ProofEntry,
    ProofEvidence,
    ProofMessage,
    ProofMove,
    ProofSession,
    ProofTask,
)
from memory_assets.shipped_files import shipped_folder
from memory_assets.vocabulary import TaskStatus
from memory_assets_tests.graduation.proofs.session_checker import judge_session

SIZES = (10, 50, 100, 200, 500, 1_000)
BAR_MS = 0.2
BAR_GROWTH = 1.3
FEW_QUOTES = (1, 2)
REAL_QUOTES = (1, 2, 3, 3, 4, 4)  # 2.8 an entry
BEGAN_MS = 1_700_000_000_000
STATUSES: tuple[TaskStatus, ...] = ("pending", "in_progress", "done")

ENGLISH = (
    'The importer keeps a "cursor" for every file, so a second run reads only what is new. ',
    "We decided to store the event log in DuckDB because one file is easy to copy and to back up.\n",
    "The build failed with `error: path C:\\temp\\x not found`, and the retry took 31 seconds. ",
    "Please do not touch the masking policy: last time it cost us a whole day. ",
)
KOREAN = (
    "이벤트 로그는 지우지 않기로 했다. 고칠 것이 있으면 새 이벤트를 덧붙인다. ",
    "벡터 색인은 언제든 다시 만들 수 있으니 백업하지 않아도 됩니다.\n",
    "원인은 잘못된 오프셋 계산이었고, 테스트를 먼저 쓰고 나서 고쳤습니다. ",
    "다음 주까지 마이그레이션을 끝내자고 했는데, 담당자가 아직 정해지지 않았어요. ",
)


def _text(rng: random.Random) -> str:
    sentences = rng.choice((ENGLISH, KOREAN, (*ENGLISH, *KOREAN)))
    length, text = rng.randint(300, 4_000), ""
    while len(text) < length:
        text += rng.choice(sentences)
    return text[:length]


def _evidence(rng: random.Random, message: ProofMessage, name: str) -> ProofEvidence:
    length = rng.randint(40, 200)
    start = rng.randint(0, len(message.text) - length)
    said = message.text[start : start + length]
    if rng.random() < 0.7:
        return ProofEvidence(name, message.message_id, "exact", 1.0, start, start + length, said, said)
    return ProofEvidence(name, message.message_id, "normalized", 0.97, start, start + length, said.casefold() or "x", said)


def session_of(count: int, seed: int, quotes: Sequence[int] = FEW_QUOTES) -> ProofSession:
    """A sound session of ``count`` entries, each with one of these numbers of quotes."""
    rng = random.Random(seed)
    messages = tuple(
        ProofMessage(f"msg_{rng.getrandbits(64):016x}", BEGAN_MS + number * 1_000, _text(rng)) for number in range(count)
    )
    entries = []
    for number in range(count):
        near = messages[max(0, number - 5) :][:10]
        quoted = (messages[number], *(rng.choice(near) for _ in range(rng.choice(quotes) - 1)))
        evidence = tuple(
            _evidence(rng, message, f"evi_{number:05}_{index}_{rng.getrandbits(32):08x}")
            for index, message in enumerate(quoted)
        )
        title = rng.choice((*ENGLISH, *KOREAN))[:60]
        entries.append(ProofEntry(f"ent_{rng.getrandbits(64):016x}", "fact", title, evidence))
    moves = tuple(ProofMove(BEGAN_MS + step, status) for step, status in enumerate(STATUSES))
    tasks = tuple(ProofTask(f"tsk_{number:05}", moves) for number in range(count // 10))
    end = BEGAN_MS + 10_000_000
    decisions = tuple(ProofDecision(f"dec_{n:05}", end, (entries[n * 10].entry_id,)) for n in range(count // 10))
    return ProofSession(f"bench-{count}-{seed}", messages, tuple(entries), tasks, decisions)


def cpu_ms(work: Callable[[], object], repeat: int) -> float:
    """CPU-milliseconds, the best of some runs; what the run itself allocates is collected between runs."""
    best = float("inf")
    for _ in range(repeat):
        gc.collect()
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best * 1_000


def embedded(seed: int, repeat: int, quotes: Sequence[int]) -> None:
    print(f"{sum(quotes) / len(quotes):.1f} quotes an entry")
    print("CPU-ms an entry   generate    audit    judge  audit+judge   data   kB of module an entry")
    per_entry: dict[int, float] = {}
    for count in SIZES:
        session = session_of(count, seed, quotes)
        sources = [module.source for module in generate(session).modules]
        assert judge(sources).accepted
        assert judge_session(session) == ()
        again = max(repeat, 500 // count * repeat)
        generating = cpu_ms(lambda: generate(session), repeat) / count  # noqa: B023 — run at once
        auditing = cpu_ms(lambda: [audit(source) for source in sources], again) / count  # noqa: B023
        judging = cpu_ms(lambda: judge(sources), again) / count  # noqa: B023
        data = cpu_ms(lambda: judge_session(session), again) / count  # noqa: B023
        per_entry[count] = auditing + judging
        size = sum(len(source.encode()) for source in sources) / count / 1_000
        print(
            f"{count:7d} entries {generating:10.3f} {auditing:8.3f} {judging:8.3f} {auditing + judging:12.3f} {data:6.3f}"
            f" {size:10.1f}"
        )
    worst = max(per_entry.values())
    growth = per_entry[1_000] / per_entry[50]
    print(f"audit and judgement: at most {worst:.3f} CPU-ms an entry   bar {BAR_MS}")
    print(f"an entry of 1,000 costs {growth:.2f} times one of 50   bar {BAR_GROWTH}")


def _compiler(cache: Path) -> Idris2 | None:
    found = find_idris2(None, os.environ)
    if found is None:
        print("no idris2 on PATH or in MEMORY_IDRIS2: the compiler is not measured")
        return None
    tool = prepare(found, cache=cache, package=shipped_folder("idris"), environ=dict(os.environ))
    if isinstance(tool, Unavailable):
        print(f"the compiler is not measured: {tool.reason}")
        return None
    return tool


def _children_s(tool: Idris2, generated: Generated) -> float:
    """CPU-seconds of the compiler's processes on a session's modules."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    outcome = check(tool, generated.modules)
    assert isinstance(outcome, Compiled) and outcome.accepted, "the compiler refuses a sound session"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compiled(seed: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        tool = _compiler(Path(scratch))
        if tool is None:
            return
        start_up = _children_s(tool, generate(replace(session_of(10, seed), entries=(), tasks=(), decisions=())))
        print(f"idris2 {tool.version}: an empty module {start_up:.2f} CPU-seconds")
        spent = {count: _children_s(tool, generate(session_of(count, seed))) for count in (10, 50, 100, 200)}
        for count, seconds in spent.items():
            print(f"{count:7d} entries {seconds:6.2f} CPU-seconds, {1_000 * (seconds - start_up) / count:6.1f} ms an entry")
        print(
            f"a session of 10 entries: {spent[10]:.2f} CPU-seconds on its own, {spent[100] / 10:.2f} where ten share a module;"
            f" 1,000 of them {1_000 * spent[10] / 60:.0f} or {100 * spent[100] / 60:.0f} CPU-minutes"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for quotes in (FEW_QUOTES, REAL_QUOTES):
        embedded(arguments.seed, arguments.repeat, quotes)
    compiled(arguments.seed)


if __name__ == "__main__":
    main()
