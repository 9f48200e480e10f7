"""What the code cites ships with it: decisions by number; requirements stand in one page alone, beside files that exist."""

from __future__ import annotations

import io
import re
import subprocess
import tokenize
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from memory_assets.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "traceability.md"
FOLDERS = ("memory_assets", "memory_assets_tests", "benchmarks")
UNSHIPPED = re.compile(
    r"\b[ACDEGKRX]-\d{2,3}\b|requirements? [A-Z]\d*\b|(?<!its )\bissue (item|\d)|field lesson|design card|\bseed 00"
    r"|architecture\.md section|sibling_systems|evidence_alignment|agent_hooks",
    re.IGNORECASE,
)
SETTINGS = {
    f"{section}.{name}"
    for section, field in Settings.model_fields.items()
    for name in getattr(field.annotation, "model_fields", ())
}
DECISION = re.compile(r"decisions? (\d{4})")


@cache
def prose() -> Sequence[tuple[str, str]]:
    """Every comment and every string of several words in the code, with its place."""
    return tuple(_prose())


def _prose() -> Iterator[tuple[str, str]]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if path == Path(__file__):
                continue
            for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
                if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.string.startswith('"""')):
                    yield f"{path.relative_to(ROOT)}:{token.start[0]}", token.string


def test_no_code_cites_what_does_not_ship() -> None:
    found = prose()
    assert len(found) > 1000
    assert [(place, cited[0]) for place, text in found if (cited := UNSHIPPED.search(text)) is not None] == []


@pytest.mark.parametrize(
    "cited", ["(requirements G-50)", "(requirement K-30)", "(issue item 3)", "(Architecture.md section 4)"]
)
def test_what_does_not_ship_is_recognised(cited: str) -> None:
    assert UNSHIPPED.search(f'"""What it does {cited}."""') is not None


def test_every_decision_that_is_cited_is_there() -> None:
    numbers = {path.name[:4] for path in (ROOT / "docs" / "decisions").glob("*.md")}
    cited = {(place, number) for place, text in prose() for number in DECISION.findall(text)}
    assert cited and {(place, number) for place, number in cited if number not in numbers} == set()


def test_every_file_of_the_page_is_there() -> None:
    named = re.findall(r"`([^`]+\.(?:py|sql))`", PAGE.read_text(encoding="utf-8"))
    assert len(named) > 100
    assert [name for name in named if not any((folder / name).is_file() for folder in (ROOT, ROOT / "memory_assets"))] == []


def test_every_requirement_has_one_row() -> None:
    rows = re.findall(r"^\| ([A-Z]-\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) > 100 and len(rows) == len(set(rows))


def test_pages_cite_no_folder_that_does_not_ship() -> None:
    pages = subprocess.run(
        ["git", "ls-files", "-z", "*.md"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split("\0")[:-1]
    if not pages:
        pytest.skip("not a checkout")
    assert [page for page in pages if "../shared" in (ROOT / page).read_text(encoding="utf-8")] == []


def test_every_module_that_is_named_is_there() -> None:
    package = ROOT / "memory_assets"
    paths = (path.relative_to(package).with_suffix("").parts for path in package.rglob("*.py"))
    modules = {".".join(parts).removesuffix(".__init__") for parts in paths}
    named = [
        (place, name)
        for place, text in prose()
        if place.startswith("memory_assets/")
        for name in re.findall(r"``((?:[a-z_]+\.)+[A-Za-z_]+)``", text)
        if (package / name.split(".")[0]).is_dir() and name not in SETTINGS
    ]
    assert len(named) > 30
    assert [
        (place, name) for place, name in named if not {name, name.rpartition(".")[0], name.rsplit(".", 2)[0]} & modules
    ] == []
