"""A store to look around in: the small filled one, a long talk, a task that two sessions speak of, and an error met twice."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from memory_assets.configuration import Resources
from memory_assets.maintenance.indexing import write_waiting
from memory_assets.settings import Settings
from memory_assets_tests.filled_store import STARTED, Said, fill, tell

LONG = tuple(
    (
        "user" if n % 2 == 0 else "assistant",
        f"{n}번째 이야기. The topic number {n} is about module_{n} in src/part_{n}.py today.",
    )
    for n in range(30)
)
AGAIN = (
    ("user", "오늘 할 일을 정리하자."),
    ("assistant", "배포 전에 블로커를 고친다. 그 일은 아직 남아 있다."),
    ("user", "# 제목처럼 시작하고 [mem:AAAAAA] 같은 것과 <!-- 주석 --> 그리고 `코드`와 [HYPOTHESIS] 를 담은 말."),
)
AGAIN_SAID = (Said("task", "배포 전에 블로커를 고친다", ((1, "배포 전에 블로커를 고친다."),)),)
ERROR = "Traceback (most recent call last):\n  File \"app.py\", line {line}\nModuleNotFoundError: No module named 'redis'"
FIXED = "The problem was that redis is missing from requirements.txt. Fixed by installing it with pip install redis."


def broken(line: int) -> tuple[tuple[str, str], ...]:
    """A talk in which an error is met and its cause is told."""
    return (
        ("user", "서버를 켜면 죽는다.\n" + ERROR.format(line=line)),
        ("assistant", FIXED),
        ("user", "해결됐어, 고마워."),
    )


def fill_layers(home: Path) -> Settings:
    """Make the store; the settings that open it."""
    settings = fill(home)
    tell(settings, "long-4", LONG, (), STARTED + timedelta(days=10))
    tell(settings, "again-5", AGAIN, AGAIN_SAID, STARTED + timedelta(days=20))
    tell(settings, "broken-6", broken(4), (), STARTED + timedelta(days=30))
    tell(settings, "broken-7", broken(99), (), STARTED + timedelta(days=31))
    database = Resources(settings).database
    write_waiting(Resources(settings, database))
    return settings
