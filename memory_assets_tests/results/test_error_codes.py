"""Every error has a code that is listed with its meaning, and nothing is listed that nobody raises."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

import memory_assets
from memory_assets.errors import MemoryAssetsError
from memory_assets.results.error import ERROR_CODES, ErrorV1
from memory_assets.results.registry import schema_of

ROOT = Path(memory_assets.__file__).parent
# What ends a command without an error class of ours (cli/failures.py).
ENDINGS = {"generic", "interrupted", "invalid_argument", "io_error"}


def every_error() -> Iterator[type[MemoryAssetsError]]:
    """Each error class that is defined anywhere in the package."""
    for module in pkgutil.walk_packages(memory_assets.__path__, "memory_assets."):
        path = ROOT.joinpath(*module.name.split(".")[1:])
        sources = [path.with_suffix(".py"), path / "__init__.py"]
        text = next((source.read_text(encoding="utf-8") for source in sources if source.is_file()), "")
        if "Error" in text and any(isinstance(node, ast.ClassDef) for node in ast.walk(ast.parse(text))):
            importlib.import_module(module.name)
    waiting = [MemoryAssetsError]
    while waiting:
        found = waiting.pop()
        waiting += found.__subclasses__()
        if found.__module__.startswith("memory_assets."):
            yield found


def test_every_error_has_a_code_that_is_listed() -> None:
    codes = {found.__qualname__: found.code for found in every_error()}
    assert len(codes) > 20
    assert {name: code for name, code in codes.items() if code not in ERROR_CODES} == {}


def test_every_listed_code_is_raised_somewhere() -> None:
    assert set(ERROR_CODES) == {found.code for found in every_error()} | ENDINGS


def test_what_ends_a_command_is_listed() -> None:
    tree = ast.parse((ROOT / "cli" / "failures.py").read_text(encoding="utf-8"))
    literal = {
        call.args[0].value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "_report" and isinstance(call.args[0], ast.Constant)
    }
    assert literal == ENDINGS


@pytest.mark.parametrize("code", ERROR_CODES)
def test_a_code_is_a_word_and_has_a_meaning(code: str) -> None:
    assert code.isascii() and code.replace("_", "").isalpha() and code.islower()
    assert ERROR_CODES[code] and ERROR_CODES[code][0].islower() and not ERROR_CODES[code].endswith(".")
    jsonschema.validate(ErrorV1(code=code, message="m").model_dump(mode="json"), schema_of("error.v1"))


def test_the_page_of_codes_lists_them_all() -> None:
    page = (ROOT.parent / "docs" / "commands.md").read_text(encoding="utf-8")
    assert [code for code in ERROR_CODES if f"| `{code}` |" not in page] == []
