"""What a session costs that grows 200 times: the store grows with what was said, not with how often the file was read.

  python benchmarks/bench_growing_session.py [--revisions 200]

Bar: the session_ingested payloads together hold <= 1.3 times the session's final masked text.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

SAYINGS = (
    "Let's keep revision {n} in the archive for thirty days and delete it afterwards, because the disk is small.",
    "원인은 {n}번째 배치에서 시간대를 두 번 더한 것이었어. 그래서 월요일 기록이 일요일로 밀렸어.",
    "Please check the {n}th report again, and always write the test before the fix.",
    "네, {n}번 보고서를 다시 확인했고 테스트를 먼저 커밋했습니다. 결과는 문서에 적어 두었습니다.",
)


def message(number: int) -> dict[str, str]:
    return {
        "id": f"m{number}",
        "role": "user" if number % 2 == 0 else "assistant",
        "ts": f"2026-01-{1 + number // 1440:02d}T{number // 60 % 24:02d}:{number % 60:02d}:00Z",
        "content": " ".join(saying.format(n=number) for saying in SAYINGS),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--revisions", type=int, default=200)
    revisions = parser.parse_args().revisions
    os.environ.setdefault("MEMORY_EMBEDDING_MODEL", "hashing")
    from memory_assets.configuration import Resources
    from memory_assets.defs.run import import_paths
    from memory_assets.settings import load_settings

    with tempfile.TemporaryDirectory() as folder:
        os.environ.pop("DAGSTER_HOME", None)
        settings = load_settings({"home": str(Path(folder) / "home")})
        source = Path(folder) / "growing.chat.json"
        messages: list[dict[str, str]] = []
        log_bytes: list[int] = []
        started = time.process_time()
        for revision in range(revisions):
            messages += [message(2 * revision), message(2 * revision + 1)]
            source.write_text(
                json.dumps(
                    {"schema_version": "chat.v1", "session_id": "growing", "project": "bench", "messages": messages},
                    ensure_ascii=False,
                )
            )
            report = import_paths(settings, [source], project=None)
            assert report.new + report.updated == 1, report
            if revision % 20 == 19:
                print(f"… {revision + 1} of {revisions} revisions, {time.process_time() - started:.0f} CPU-s", file=sys.stderr)
            with Resources(settings).database.reading() as connection:
                log_bytes.append(
                    connection.execute("SELECT sum(strlen(CAST(payload_json AS VARCHAR))) FROM events").fetchall()[0][0]
                )
        spent = time.process_time() - started
        with Resources(settings).database.reading() as connection:
            payloads, text = connection.execute(
                """SELECT (SELECT sum(strlen(CAST(payload_json AS VARCHAR))) FROM events WHERE event_type = 'session_ingested'),
                     (SELECT sum(strlen(text)) FROM messages)"""
            ).fetchall()[0]
            by_type = connection.execute(
                """SELECT event_type, count(*), sum(strlen(CAST(payload_json AS VARCHAR))) AS bytes FROM events
                   GROUP BY event_type ORDER BY bytes DESC LIMIT 8"""
            ).fetchall()
    print(f"{revisions} revisions, {2 * revisions} messages, {text:,} bytes of masked text at the end")
    print(f"session_ingested payloads {payloads:,} bytes: {payloads / text:.2f} times the text   bar 1.30")
    print(f"the whole log {log_bytes[-1]:,} bytes: {log_bytes[-1] / text:.1f} times the text")
    half = len(log_bytes) // 2
    early, late = log_bytes[half // 2 * 2 - 1] // max(1, half), (log_bytes[-1] - log_bytes[half - 1]) // (len(log_bytes) - half)
    print(f"log bytes a revision: {early:,} in the first half, {late:,} in the second")
    print(f"{spent / revisions:.2f} CPU-seconds a revision, Dagster's run of its own included")
    for event_type, count, size in by_type:
        print(f"  {event_type:26s} {count:6d} events {size:>12,} bytes")


if __name__ == "__main__":
    main()
