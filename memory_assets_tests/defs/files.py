"""Session files as other programs write them, small enough to read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

STARTED = datetime(2025, 3, 1, 9, 0, tzinfo=UTC)


def talk(number: int, length: int = 4) -> list[str]:
    """Turns of a session, Korean and English mixed; each number tells of something else."""
    told = [
        f"We decided to keep service {number} on PostgreSQL 16 because its replication is simple.",
        f"알겠습니다. {number}번 서비스는 캐시를 Redis로 옮기기로 했습니다. 재시작이 빠르기 때문입니다.",
        f"TODO: 배포 전에 {number}번 마이그레이션을 끝내야 한다. Please always run the linter before a commit.",
        f"The root cause of outage {number} was a connection pool of only five connections.",
        f"I prefer short commit messages for service {number}. 앞으로도 그렇게 해 주세요.",
        f"Done: migration {number} is finished and the blocker is gone.",
    ]
    return [told[turn % len(told)] + (f" ({turn // len(told) + 1})" if turn >= len(told) else "") for turn in range(length)]


def chat(
    folder: Path,
    session_id: Any,
    turns: Sequence[str],
    *,
    name: str | None = None,
    ids: bool = True,
    started: datetime = STARTED,
    **further: Any,
) -> Path:
    """A chat.v1 file; ``further`` goes into the object as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    messages = [
        {
            "role": "assistant" if place % 2 else "user",
            "ts": (started + timedelta(minutes=place)).isoformat(),
            "content": text,
            **({"id": f"{session_id}-m{place}"} if ids else {}),
        }
        for place, text in enumerate(turns)
    ]
    value = {
        "schema_version": "chat.v1",
        "session_id": session_id,
        "started_at": started.isoformat(),
        "messages": messages,
    } | further
    path = folder / (name or f"{session_id}.json")
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def records(session_id: str, turns: Sequence[str], *, first: int = 0, cwd: str = "/srv/shop") -> list[dict[str, Any]]:
    """Claude Code records of some turns; the first of them stands at ``first`` in the session."""
    return [
        {
            "type": "assistant" if place % 2 else "user",
            "uuid": f"{session_id}-u{place}",
            "parentUuid": f"{session_id}-u{place - 1}" if place else None,
            "sessionId": session_id,
            "cwd": cwd,
            "version": "2.0.1",
            "isSidechain": False,
            "timestamp": (STARTED + timedelta(minutes=place)).isoformat().replace("+00:00", "Z"),
            "message": {"role": "assistant" if place % 2 else "user", "content": text},
        }
        for place, text in enumerate(turns, start=first)
    ]


def claude(folder: Path, name: str, lines: Sequence[dict[str, Any] | str]) -> Path:
    """A Claude Code log of records; a line that is text stands in it as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines), encoding="utf-8")
    return path
