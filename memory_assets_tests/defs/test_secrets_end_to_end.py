"""Secrets in every place that a session file has, imported by a process of its own; every byte of its folder is searched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memory_assets.settings import Settings
from memory_assets_tests.defs.conftest import Import
from memory_assets_tests.defs.files import chat, claude, records
from memory_assets_tests.defs.state import rows, texts_of_dagster, texts_of_store
from memory_assets_tests.depth import depth
from memory_assets_tests.sessions.later_ordinary_lines import LATER_ORDINARY_LINES
from memory_assets_tests.sessions.later_secret_kinds import later_samples
from memory_assets_tests.sessions.ordinary_lines import ordinary_lines
from memory_assets_tests.sessions.secret_kinds import PLACES, Sample, samples
from memory_assets_tests.sessions.test_secret_kinds import in_a_name

pytestmark = pytest.mark.long

GONE = 0.96
TOUCHED = 0.01
# A short value stands in some hash by chance: it is looked for with what stands before it.
_SURE_LENGTH = 9
_FIELDS = ("title", "cwd", "project", "git_branch", "session id", "message id", "tool_call_id", "file name", "tool output")


@dataclass(frozen=True)
class Planted:
    """A secret in a place, and the strings by which it would be found."""

    place: str
    kind: str
    needles: tuple[str, ...]


def planted(place: str, sample: Sample, text: str) -> Planted:
    parts = [in_a_name(part) for part in sample.parts] if place in ("name", "file name") else list(sample.parts)
    needles = []
    for part in parts:
        start = text.find(part)
        needle = part if len(part) >= _SURE_LENGTH or start < 1 else text[max(0, start - 6) : start] + part
        # In JSON, quotes and line breaks are escaped, and perhaps letters of other scripts.
        needles += [needle, json.dumps(needle, ensure_ascii=False)[1:-1], json.dumps(needle)[1:-1]]
    return Planted(place, sample.kind, tuple(dict.fromkeys(needles)))


def kinds_of(place: str, every: int) -> list[Sample]:
    """The kinds with values of this place's own, so that what is found tells where it came from."""
    return [*samples(f"end {place}"), *later_samples(f"end {place}")][::every]


def plant(folder: Path, every: int, every_in_fields: int) -> list[Planted]:
    """Session files with each kind in each place."""
    everything: list[Planted] = []
    for place, written in PLACES.items():
        told = [(sample, written(sample.text)) for sample in kinds_of(place, every)]
        texts = [text for _, text in told]
        if place in ("code", "json", "log"):
            claude(folder, f"{place}.jsonl", records(f"claude-{place}", texts))
        else:
            chat(folder, f"chat-{place}", texts)
        everything += [planted(place, sample, text) for sample, text in told]
    for field in _FIELDS:
        for number, sample in enumerate(kinds_of(field, every_in_fields)):
            everything.append(planted(field, sample, _plant_in_field(folder, field, number, sample.text)))
    return everything


def _plant_in_field(folder: Path, field: str, number: int, text: str) -> str:
    name = f"{field.replace(' ', '-')}-{number}"
    told = [f"Turn of {name}, nothing else.", "And an answer to it."]
    match field:
        case "title" | "cwd" | "project" | "git_branch":
            chat(folder, name, told, **{field: text})
        case "session id":
            chat(folder, text, told, name=f"{name}.json")
        case "message id":
            lines = records(name, told)
            lines[0]["uuid"] = text
            claude(folder, f"{name}.jsonl", lines)
        case "tool_call_id" | "tool output":
            lines = records(name, [*told, "x"])
            call, output = (text, "exit code 0") if field == "tool_call_id" else ("t1", text)
            lines[2]["message"] = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": output}]}
            claude(folder, f"{name}.jsonl", lines)
        case "file name":
            text = in_a_name(text)[:80]
            chat(folder, name, told, name=f"{text}.json")
    return text


RUN = """
import json, sys
from memory_assets.cli.main import main
for arguments in json.loads(sys.argv[1]):
    main(arguments)
"""


def run(home: Path, *commands: list[str]) -> str:
    """What the program prints of some commands, on both streams of its process."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MEMORY_")}
    environment |= {"MEMORY_HOME": str(home), "MEMORY_EMBEDDING_MODEL": "hashing"}
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(commands)], env=environment, capture_output=True, text=True, timeout=1500
    )
    assert "Traceback" not in done.stderr, done.stderr[-2000:]
    return done.stdout + done.stderr


def everything_kept(settings: Settings) -> str:
    """All that the home holds: the tables, the index, Dagster's records, and the bytes of every file."""
    texts = [text for _, text in texts_of_store(settings)]
    texts += [text for _, text in texts_of_dagster(settings)]
    texts += [path.read_bytes().decode("utf-8", "replace") for path in sorted(settings.home.rglob("*")) if path.is_file()]
    texts += [str(path) for path in settings.home.rglob("*")]
    return "\n".join(dict.fromkeys(texts))


def measure(
    tmp_path: Path, settings: Settings, *, every: int, every_in_fields: int
) -> tuple[dict[str, tuple[int, int]], Counter[str], str]:
    """By place: how many secrets are left of how many; which kinds; and all that was kept."""
    folder = tmp_path / "inbox"
    everything = plant(folder, every, every_in_fields)
    said = run(settings.home, ["import", str(folder), "--json"], ["outbox", "drain"], ["search", "deploy on Friday"])
    kept = everything_kept(settings) + said
    left = [secret for secret in everything if any(needle in kept for needle in secret.needles)]
    of, gone = Counter(secret.place for secret in everything), Counter(secret.place for secret in left)
    return {place: (gone[place], of[place]) for place in of}, Counter(secret.kind for secret in left), kept


def require_gone(found: dict[str, tuple[int, int]], kinds: Counter[str], kept: str) -> None:
    left, of = sum(count for count, _ in found.values()), sum(total for _, total in found.values())
    assert left <= (1 - GONE) * of, (found, kinds)
    # The search does find what is there.
    assert all(
        word in kept for word in ("배포는 금요일에", "then we deploy on Friday", "exit code 0", "note = '''", "[SECRET:")
    )


@pytest.mark.deep
def test_secrets_are_in_no_byte_of_the_home(tmp_path: Path, settings: Settings) -> None:
    require_gone(*measure(tmp_path, settings, every=depth(24, 12), every_in_fields=depth(400, 96)))


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_no_kind_is_in_any_byte_of_the_home(tmp_path: Path, settings: Settings) -> None:
    found, kinds, kept = measure(tmp_path, settings, every=1, every_in_fields=60)
    print(json.dumps({"places": found, "kinds": kinds.most_common()}, ensure_ascii=False))
    require_gone(found, kinds, kept)


def test_ordinary_lines_are_kept_as_they_are(tmp_path: Path, settings: Settings, take: Import) -> None:
    lines: list[Any] = [*LATER_ORDINARY_LINES, *ordinary_lines("end")][:300]
    chat(tmp_path / "inbox", "ordinary", lines)
    take(tmp_path / "inbox")
    kept = {text for (text,) in rows(settings, "SELECT text FROM messages")}
    touched = [line for line in lines if line.strip() not in kept and line not in kept]
    assert len(lines) == 300
    assert len(touched) <= TOUCHED * len(lines), touched
