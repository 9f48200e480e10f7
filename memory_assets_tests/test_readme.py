"""What the documentation says must be so: its commands, options, settings, links, and the sample sessions it shows."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
import typer

from memory_assets.maintenance.rebuild import verify_all

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
EXAMPLES = ROOT / "examples" / "sessions"

pytestmark = pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="runs in a checkout: an installed package has no docs/")

_SHELL_BLOCK = re.compile(r"(?P<marked><!-- run -->\n)?```sh\n(?P<body>.*?)```", re.DOTALL)
_INLINE = re.compile(r"`(memory [^`\n]+)`")
PLACEHOLDERS = ("[OPTIONS]", "COMMAND", "…")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


def shell_blocks(page: Path, *, marked: bool = False) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return [match["body"] for match in _SHELL_BLOCK.finditer(text) if match["marked"] or not marked]


def mentioned_commands(page: Path) -> Iterator[list[str]]:
    """Every `memory …` of a page as words: the lines of its shell blocks, and what stands in backquotes."""
    lines = [line for block in shell_blocks(page) for line in block.splitlines()]
    for line in [*lines, *_INLINE.findall(page.read_text(encoding="utf-8"))]:
        words = shlex.split(line, comments=True)
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            words = words[1:]
        if words[:1] == ["memory"]:
            yield words[1 : words.index("||")] if "||" in words else words[1:]


@cache
def command_tree() -> Any:
    """All commands; to put them together anew for each line of a page would be most of what these tests cost."""
    from memory_assets.cli.main import app

    return typer.main.get_command(app)


def leaf_commands() -> dict[str, Any]:
    """Every command by its words: ``sessions list`` and so on."""
    tree = command_tree()
    found: dict[str, Any] = {}
    for name, command in tree.commands.items():
        inner = getattr(command, "commands", None)
        found |= {f"{name} {sub}": leaf for sub, leaf in inner.items()} if inner else {name: command}
    return found


def options_of(command: Any) -> dict[str, bool]:
    """A command's options, and whether each takes a value."""
    found: dict[str, bool] = {"--help": False, "-h": False}
    for parameter in command.params:
        takes_value = not getattr(parameter, "is_flag", False)
        found |= {name: takes_value for name in (*parameter.opts, *parameter.secondary_opts) if name.startswith("-")}
    return found


def problem_with(words: list[str]) -> str | None:
    """What is wrong with a command line of the documentation; values and arguments are not looked at."""
    command = command_tree()
    remaining = iter(words)
    for word in remaining:
        inner = getattr(command, "commands", None)
        if word.startswith("-"):
            if word not in options_of(command):
                return f"{command.name} has no option {word}"
            if options_of(command)[word]:
                next(remaining, None)
            if word in ("--help", "--version"):
                return None
        elif inner is not None:
            if word not in inner and word not in PLACEHOLDERS:
                return f"{command.name} has no command {word}"
            command = inner.get(word, command)
    return "it names no command" if not words else None


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_command_that_a_page_mentions_exists(page: Path) -> None:
    wrong = {" ".join(words): problem for words in mentioned_commands(page) if (problem := problem_with(words))}
    assert not wrong


def test_the_check_of_commands_can_fail() -> None:
    assert problem_with(["import", "x", "--no-such-option"])
    assert problem_with(["sessions", "forgt"])
    assert problem_with(["improt", "x"])
    assert not problem_with(["--set", "embedding.model=hashing", "search", "x"])


def test_the_readme_mentions_commands_at_all() -> None:
    assert len(list(mentioned_commands(ROOT / "README.md"))) > 20
    assert shell_blocks(ROOT / "README.md", marked=True)


def test_every_command_and_option_is_documented() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    headings = [heading.split()[1:] for heading in re.findall(r"^#+ (memory .+)$", page, re.MULTILINE)]
    described = [words for words in (*mentioned_commands(ROOT / "docs" / "commands.md"), *headings) if words]
    for name, command in leaf_commands().items():
        group, _, sub = name.partition(" ")
        assert any(words[0] == group and (not sub or sub in words or sub in ("list", "tail")) for words in described), name
        for option in options_of(command).keys() - {"--help", "-h", "-n"}:
            assert option in page, f"memory {name} {option} is not in docs/commands.md"
    for option in options_of(command_tree()):
        assert option == "-h" or option in page


def test_every_setting_is_documented_with_its_default() -> None:
    from memory_assets.settings import Settings

    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `([a-z0-9_]+\.[a-z0-9_]+)` \| ([^|]*) \|", page, re.MULTILINE))
    known = {}
    for section, section_field in Settings.model_fields.items():
        for key, key_field in getattr(section_field.annotation, "model_fields", {}).items():
            known[f"{section}.{key}"] = key_field.default
    assert set(told) == set(known)
    for name, default in known.items():
        if default is not None:
            shown = (
                f'"{default}"'
                if isinstance(default, str)
                else str(default).lower()
                if isinstance(default, bool)
                else f"{default:.12g}"
            )
            assert told[name].strip("` ") == shown, name


def test_every_reason_of_a_defect_is_documented() -> None:
    from memory_assets.sessions.model import DefectReason

    page = (ROOT / "docs" / "bad_input.md").read_text(encoding="utf-8")
    assert [reason for reason in get_args(DefectReason) if f"`{reason}`" not in page] == []


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = []
    for link in _LINK.findall(text):
        target, _, anchor = link.partition("#")
        if target.startswith(("http://", "https://")):
            continue
        file = (page.parent / target).resolve() if target else page
        if not file.exists() or (anchor and anchor not in anchors_of(file)):
            missing.append(link)
    assert missing == []


def anchors_of(page: Path) -> set[str]:
    """The anchors that headings get: lower case, punctuation dropped, spaces as hyphens."""
    headings = re.findall(r"^#{1,6} (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def test_the_makefile_knows_what_the_readme_asks_it() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    asked = {
        words[1]
        for page in PAGES
        for block in shell_blocks(page)
        for line in block.splitlines()
        if (words := shlex.split(line, comments=True))[:1] == ["make"] and len(words) > 1
    }
    assert {"demo", "test", "slow"} <= asked <= targets


def test_dagster_accepts_the_instance_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dagster import DagsterInstance

    from memory_assets.defs.dagster_storage import EventLogStorage

    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    shutil.copy(ROOT / "dagster.yaml", tmp_path)
    with DagsterInstance.from_config(str(tmp_path)) as instance:
        concurrency = instance.get_concurrency_config()
        assert isinstance(instance.event_log_storage, EventLogStorage)
        assert not instance.telemetry_enabled
        assert not instance.nux_enabled
        assert concurrency.run_queue_config is not None
        assert concurrency.run_queue_config.max_concurrent_runs == 1
        assert concurrency.pool_config.default_pool_limit == 1


def test_dagster_finds_the_code_by_the_workspace_file() -> None:
    from dagster._core.workspace.load import location_origins_from_yaml_paths

    origins = location_origins_from_yaml_paths([str(ROOT / "workspace.yaml")])
    assert [origin.loadable_target_origin.module_name for origin in origins] == ["memory_assets.definitions"]


def test_the_sample_sessions_are_read_without_a_defect_and_masked() -> None:
    from memory_assets.sessions.masking.redaction import redact_session
    from memory_assets.sessions.masking.redaction_policy import default_policy
    from memory_assets.sessions.model import SourceTaken
    from memory_assets.sessions.reading import read_source

    formats: set[str] = set()
    counts: dict[str, int] = {}
    sessions = []
    for path in sorted(EXAMPLES.iterdir()):
        outcome = read_source(str(path), path.read_bytes(), explicit=True)
        assert isinstance(outcome, SourceTaken), path.name
        assert outcome.defects == (), path.name
        formats.add(outcome.source_format)
        for session in outcome.sessions:
            clean, masked, defects = redact_session(session, default_policy(), path=str(path))
            assert defects == ()
            counts |= masked
            sessions.append(clean)
    assert formats == {"claude_code", "codex", "chatgpt", "specstory", "markdown", "chat.v1"}
    assert counts == {"PRIVATE": 1, "SECRET:aws": 1, "EMAIL": 1}
    assert "봄비" not in "".join(message.text for session in sessions for message in session.messages)
    # The quoted example of the syntax is kept.
    assert any("<private>" in message.text for session in sessions for message in session.messages)
    assert all(10 <= len(session.messages) <= 40 or session.title == "회의록 요약 형식" for session in sessions)


@pytest.mark.long
def test_what_the_readme_shows_of_the_samples_is_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Addresses are the same on every machine: one that a change of the rules moved is noticed here."""
    from memory_assets.defs import run
    from memory_assets.memory import Memory
    from memory_assets.settings import load_settings

    for name in [name for name in os.environ if name.startswith(("MEMORY_", "DAGSTER_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DAGSTER_HOME", "")
    settings = load_settings({"home": tmp_path, "embedding": {"model": "hashing"}})
    mask = os.umask(0o022)
    try:
        run.import_paths(settings, [EXAMPLES], project="hourglass")
    finally:
        os.umask(mask)
    memory, text = Memory(settings), (ROOT / "README.md").read_text(encoding="utf-8")
    memories, tasks = set(re.findall(r"mem:\w{6}\b", text)), set(re.findall(r"\btsk_[0-9a-f]{8}\b", text))
    assert memories and tasks
    for citation in memories:
        memory.resolve(citation)
    assert tasks <= {task.task_id[:12] for task in memory.tasks()}
    tables = verify_all(memory.resources).tables
    assert f"equal: {sum(tables.values()):,} rows of {len(tables)} tables" in text
    stats = memory.stats()
    assert f"(7 new), {stats.events} events" in text and f"remembered {stats.memories} memories" in text


# ------------------------------------------------------------------ following the pages literally


def follow(block: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell block as a stranger would, who has the command on the PATH and nothing else."""
    environment = {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "HOME": str(folder),
        "MEMORY_HOME": str(folder / "store"),
        "LANG": "C.UTF-8",
        "HF_HUB_OFFLINE": "1",
    }
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=900,
    )


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("page", [page for page in PAGES if shell_blocks(page, marked=True)], ids=page_id)
def test_the_marked_blocks_of_a_page_run_as_they_stand(page: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for block in shell_blocks(page, marked=True):
        done = follow(block, tmp_path)
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_the_readme_prints_is_what_is_printed(tmp_path: Path) -> None:
    """Every line under a command of the first console block and of the marked ones; one with … is cut, and not looked at."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first, *_ = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    marked = re.findall(r"<!-- printed -->\n```console\n(.*?)```", text, re.DOTALL)
    assert marked
    for shown in (shown for block in (first, *marked) for shown in block.removeprefix("$ ").split("\n$ ")):
        command, *lines = shown.splitlines()
        printed = follow(command, tmp_path).stdout.splitlines()
        assert [line for line in lines if line and "…" not in line and line not in printed] == [], command


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_fresh_clone_gives_the_demo(tmp_path: Path) -> None:
    if not (ROOT / ".git").exists() or shutil.which("git") is None or shutil.which("make") is None:
        pytest.skip("needs git, make and a checkout")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("MEMORY_", "DAGSTER_", "VIRTUAL_ENV"))
    }
    done = subprocess.run(
        ["make", "demo", f"PYTHON={sys.executable}"], cwd=clone, env=environment, capture_output=True, text=True, timeout=3000
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert re.search(r"mem:[A-Za-z0-9]{6}", done.stdout)
    assert re.search(r"session:\S+#m=\d+&c=\d+-\d+", done.stdout)
    assert "make ui" in done.stdout
