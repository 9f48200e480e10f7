"""Every command has help, is on the page of commands with exactly its options, and costs nothing to ask for."""

from __future__ import annotations

import functools
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from memory_assets.cli.main import app
from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.depth import cases

PAGE = Path(__file__).resolve().parents[2] / "docs" / "commands.md"
HEAVY = {"torch", "sentence_transformers", "transformers", "litellm", "lancedb", "dagster", "duckdb", "pyarrow", "pandas"}


@functools.cache  # to build them takes a tenth of a second
def commands() -> dict[tuple[str, ...], Any]:
    def walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
        if hasattr(command, "commands"):
            for name, inner in command.commands.items():
                yield from walk(inner, (*path, name))
        else:
            yield path, command

    root = typer.main.get_command(app)
    return {("memory",): root, **dict(walk(root, ("memory",)))}


def documented() -> dict[tuple[str, ...], set[str]]:
    sections = re.split(r"^## (memory.*)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {
        tuple(name.split()): {
            option for row in re.findall(r"^\| (`-.*?) \|", text, re.MULTILINE) for option in re.findall(r"`(--?[a-z-]+)", row)
        }
        for name, text in zip(sections[::2], sections[1::2], strict=True)
    }


def options(command: Any) -> set[str]:
    return {option for parameter in command.params if parameter.param_type_name == "option" for option in parameter.opts}


def test_the_page_has_every_command_with_exactly_its_options() -> None:
    assert documented() == {path: options(command) for path, command in commands().items()}


@pytest.mark.long
@pytest.mark.parametrize("path", list(commands()), ids=" ".join)
def test_help_is_true_and_complete(memory: Run, path: tuple[str, ...]) -> None:
    command = commands()[path]
    ended = memory(*path[1:], "--help")
    assert ended.code == 0
    shown = " ".join(re.sub(r"[│╭╮╰╯─]", " ", ended.out).split())
    assert " ".join((command.help or "").split()).rstrip(".") in shown
    for parameter in command.params:
        assert parameter.help, (path, parameter.name)
    for option in options(command):
        assert option in shown, (path, option)


def test_every_command_but_those_that_serve_speaks_json() -> None:
    without = {path for path, command in commands().items() if "--json" not in options(command)}
    serving = {("memory", "mcp", "serve"), ("memory", "serve", "run"), ("memory", "dev")}
    assert without == {("memory",), ("memory", "hook")} | serving


def test_asking_for_help_imports_nothing_heavy_and_is_quick() -> None:
    code = "import sys; from memory_assets.cli.main import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert not (HEAVY | {"pydantic"}) & set(ended.stderr.split())
    # The bar is 0.5 s on a quiet machine; here it only has to be the right order.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 2


@pytest.mark.long
@pytest.mark.parametrize(
    "arguments",
    cases([["search", "블로커"]], [["search", "Redis", "--mode", "lexical"], ["entries"], ["show", "session:shop-1#m=0"]]),
)
def test_reading_imports_no_model_and_no_dagster(filled: Path, arguments: list[str]) -> None:
    code = f"import sys; from memory_assets.cli.main import main; main({arguments}); print(*sys.modules, file=sys.stderr)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    allowed = {"duckdb", "pyarrow", "lancedb"} if arguments[0] == "search" else {"duckdb"}
    assert HEAVY & set(ended.stderr.split()) <= allowed
