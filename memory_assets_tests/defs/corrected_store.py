"""A store of five sessions, in each of which a person corrected a decision, in one of them twice."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from memory_assets.defs import run
from memory_assets.defs.correcting import correct
from memory_assets.memory import Memory
from memory_assets.settings import load_settings
from memory_assets_tests.dagster_records import in_memory
from memory_assets_tests.defs.files import STARTED, chat
from memory_assets_tests.filled_store import copied

ROUNDS = "We decided to round every entry up to 15 minutes, because customers check the invoice."
ROUNDS_NOW = "Up to 6 minutes it is, since the customers asked for it."
WINDOW = "배포 창은 매주 목요일 오전 10시로 정했습니다."
WINDOW_NOW = "매주 화요일 오후 3시입니다."
LOGS = "We decided to keep the logs for thirty days."
LOGS_ONCE = "We keep the logs for sixty days."
LOGS_NOW = "The logs are kept for ninety days."
# What a reply chose: its memory is called like the option, which stands in the message before it.
FOLDER = "Keep the thumbnails in a folder of the session"
FOLDER_NOW = "They are kept in the object store."
FOLDER_KOREAN = "썸네일을 세션 폴더에 저장"
FOLDER_KOREAN_NOW = "이제는 오브젝트 저장소에 둡니다."
OLD = ("15 minutes", "목요일", "thirty days", "sixty days", "folder of the session", "세션 폴더", "option 2", "2번 방식")
"""What nobody says any more."""
CORRECTED = (
    (ROUNDS, ROUNDS_NOW),
    (WINDOW, WINDOW_NOW),
    (LOGS, LOGS_ONCE),
    (LOGS_ONCE, LOGS_NOW),
    (FOLDER, FOLDER_NOW),
    (FOLDER_KOREAN, FOLDER_KOREAN_NOW),
)


def _conversation(path: Path) -> Path:
    """Two people with names; what one of them decides stands between other things that she says."""
    said = [
        ("Mina", "Hi Jonas! How long do the logs stay?"),
        ("Jonas", f"I asked the auditors about the logs. {LOGS} My sister visits on Sunday."),
        ("Mina", "Then the disk holds them."),
    ]
    messages = [
        {"role": "user", "name": name, "ts": (STARTED + timedelta(minutes=place)).isoformat(), "content": text}
        for place, (name, text) in enumerate(said)
    ]
    value = {"schema_version": "chat.v1", "session_id": "talk-3", "project": "shop", "messages": messages}
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


@contextmanager
def corrected_store(base: Path) -> Iterator[Memory]:
    """The store in a folder, for as long as the block runs; made once in a process, and copied."""
    home = base / "home"
    copied("corrected", home, _make)
    # Behind the patches: whoever keeps the store for a whole run of tests must not change what other tests are given.
    yield Memory(load_settings({"home": home, "embedding": {"model": "hashing"}}))


def _make(home: Path) -> None:
    base = home.with_name(f"{home.name}-files")
    english = ["How do we round?", f"I looked at the invoices. {ROUNDS} The invoices go out on Friday.", "Thanks."]
    korean = ["배포는 언제 하지?", f"일정을 보았습니다. {WINDOW} 그 전에 점검을 합니다.", "고마워요."]
    talks = (english, korean)
    files = [chat(base / "files", f"talk-{number}", turns, project="shop") for number, turns in enumerate(talks, 1)]
    chosen = ["Where should the thumbnails live?", f"Two ways:\n\n1. Keep the thumbnails in Redis\n2. {FOLDER}\n\nWhich one?"]
    files.append(chat(base / "files", "talk-4", [*chosen, "Let's go with option 2."], project="shop"))
    chosen = [
        "썸네일은 어디에 둘까?",
        f"두 가지 방법이 있습니다.\n\n1. 썸네일을 Redis에 저장\n2. {FOLDER_KOREAN}\n\n어느 쪽으로 할까요?",
    ]
    files.append(chat(base / "files", "talk-5", [*chosen, "2번 방식으로 해줘."], project="shop"))
    files.append(_conversation(base / "files" / "talk-3.json"))
    instance = in_memory()
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("MEMORY_")]:
            patch.delenv(name)
        patch.setenv("MEMORY_EMBEDDING_MODEL", "hashing")
        patch.setattr(run, "dagster_instance", lambda settings: instance)
        settings = load_settings({"home": home})
        assert run.import_paths(settings, files, project=None).errors == []
        store = Memory(settings)
        for old, new in CORRECTED:
            known = next(one for one in store.memories().memories if one.title == old and one.entry_type == "decision")
            correct(settings, known.citation, new, by="Jiho")
